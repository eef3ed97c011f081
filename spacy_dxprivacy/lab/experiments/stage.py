"""Who is compared at an equal attacker; texts on which all are measured alike, and the measures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ...arrays import Bools1d, Floats2d, Ints1d
from ...space import Space
from ..attacks.figures import share_by_document
from ..attacks.frontier import Ground, mean
from ..attacks.guessing import found_anywhere
from ..attacks.reading import Reader
from ..corpus import Corpus, read_texts
from ..report.pairs import tokenizer
from ..results import NAN, Row
from ..rows import words_of
from .options import Options

if TYPE_CHECKING:
    from spacy.tokens import Doc

Array = TypeVar("Array", Ints1d, Bools1d)

FEYISETAN = "Feyisetan et al. 2020, arXiv 1910.08902"


@dataclass(frozen=True)
class WordPeer:
    """A mechanism of words. config: its registered name and settings but epsilon. start: an epsilon
    to begin the search with, one with which half of the words are found on the built-in space."""

    registered: str
    start: float
    source: str
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def config(self) -> dict[str, Any]:
        """As make_mechanism takes it."""
        return {"@dx_mechanisms": self.registered, **self.settings}


OURS = "docs/explanation/sentences.md"
WORDS: dict[str, WordPeer] = {
    "path2": WordPeer("dx.Path.v2", 0.95, OURS),
    "path2-clinical": WordPeer("dx.Path.v2", 0.95, OURS, {"policy": "clinical"}),
    "path2-strict": WordPeer("dx.Path.v2", 0.95, OURS, {"policy": "strict"}),
    "path1": WordPeer("dx.Path.v1", 1.6, OURS),
    "exponential": WordPeer("dx.Exponential.v1", 3.5, "SanText: Yue et al. 2021, Findings of ACL"),
    "laplace": WordPeer("dx.Laplace.v1", 8.0, FEYISETAN),
    "mahalanobis": WordPeer("dx.Mahalanobis.v1", 8.0, "Xu et al. 2020, arXiv 2010.11947"),
    "vickrey": WordPeer(
        "dx.Laplace.v1", 14.0, "Xu et al. 2021, arXiv 2104.11838",
        {"projection": {"@dx_projections": "dx.Vickrey.v1"}},
    ),
    "tem": WordPeer("dx.TEM.v1", 3.5, "Carvalho et al. 2021, arXiv 2107.07928"),
    "custext": WordPeer("dx.CusText.v1", 4.0, "Chen et al. 2023, Findings of ACL"),
    "santext-plus": WordPeer("dx.SanTextPlus.v1", 3.5, "Yue et al. 2021, Findings of ACL"),
}  # fmt: skip
EDITED = {"path2": "path2-edited"}  # by dx.Remap.v1: post-processing of the very release
REDACTION, PRESIDIO, DP_PROMPT = "redaction", "presidio", "dp-prompt"
ALONE = (REDACTION, PRESIDIO, DP_PROMPT)
NAMES = (*WORDS, *EDITED.values(), *ALONE)
USUAL = ("path2", "path1", "exponential", "laplace", "custext", *EDITED.values(), *ALONE)
NO_PROMISE = "no guarantee: what the recogniser does not find stays in clear"
PAPERS = {
    REDACTION: "dx_entity_ruler with dx.Redact.v1",
    PRESIDIO: "presidio-analyzer with its own rules and ours in place of a model",
    DP_PROMPT: "Utpala, Hooker, Chen 2023, arXiv 2310.16111",
}


@dataclass(frozen=True, eq=False)
class Released:
    """What was released of d documents, and what the attacker takes them for. documents: int64
    (any,) each, the words that stand there; starts: bool, where their sentences begin. guesses:
    int64 (any,) each. kept: bool (t,), whether each word of the originals is still there. right:
    bool (t,), whether it was guessed at its place; None of texts without places."""

    documents: Sequence[Ints1d]
    starts: Sequence[Bools1d]
    guesses: Sequence[Ints1d]
    kept: Bools1d
    right: Bools1d | None = None


@dataclass(frozen=True, eq=False)
class Stage:
    """texts: d of them, with a word of the space each. ground: what attacks are measured on; its
    reader, if any, is asked at the end alone."""

    texts: Sequence[str]
    ground: Ground
    reader: Reader | None = None

    @classmethod
    def of(cls, space: Space, options: Options) -> Stage:
        """Raises DxError for texts that cannot be read, or a model that cannot be opened."""
        texts = texts_of(options)
        nlp = tokenizer()
        parts = [words_of(doc, space)[:3] for doc in nlp.pipe(texts)]
        there = [bool((rows >= 0).any()) for rows, *_ in parts]
        texts = [text for text, some in zip(texts, there, strict=True) if some]
        text = Corpus.of(*zip(*parts, strict=True))
        reader = Reader.of(options.model, space, options.prompt) if options.model else None
        return cls(texts, Ground(space, text), reader)

    @property
    def text(self) -> Corpus:
        return self.ground.text

    def cut(self, some: Array) -> list[Array]:
        """Of each document its part of something about each word, (t,)."""
        parts: list[Array] = np.split(some, self.text.starts[1:-1])
        return parts

    def released(self, out: Ints1d, guess: Ints1d) -> Released:
        """Of outputs and guesses of each word, int64 (t,)."""
        rows, starts = self.text.rows, self.cut(self.text.sentences)
        return Released(self.cut(out), starts, self.cut(guess), out == rows, guess == rows)

    def words_in(self, docs: Iterable[Doc]) -> tuple[list[Ints1d], list[Bools1d]]:
        """Of texts that were rewritten: their words that the space has, and where sentences begin,
        which a document always does."""
        rows, starts = [], []
        for doc in docs:
            some, begins, *_ = words_of(doc, self.ground.space)
            there = some >= 0
            sentence = np.cumsum(begins)[there]
            rows.append(some[there])
            starts.append(np.diff(sentence, prepend=-1) > 0)
        return rows, starts

    def row(self, released: Released) -> Row:
        """The figures of a release."""
        rare, where = self.ground.rare, found_anywhere(self.text, released.guesses)
        anywhere, low, high, words = share_by_document(where, self.text.doc_of)
        right = released.right
        return {
            "anywhere": anywhere, "rare_anywhere": mean(where[rare]),
            "kept": mean(released.kept), "rare_kept": mean(released.kept[rare]),
            "meaning": self.meaning(released.documents), "nats": self.nats(released),
            "found": NAN if right is None else mean(right),
            "rare_found": NAN if right is None else mean(right[rare]),
            "low": low, "high": high, "words": words, "rare": int(rare.sum()),
        }  # fmt: skip

    def meaning(self, documents: Sequence[Ints1d]) -> float:
        """The mean cosine of the mean vectors of a document before and after; 0 of one that is
        empty."""
        new = mean_vectors(documents, self.ground.space.vectors)
        return float((new * self._vectors).sum(axis=1).mean())

    @cached_property
    def _vectors(self) -> Floats2d:
        return mean_vectors(list(self.text), self.ground.space.vectors)

    def nats(self, released: Released) -> float:
        """A word over the clear text, under the word pairs of the package."""
        rows, starts = np.concatenate(released.documents), np.concatenate(released.starts)
        if not len(rows):
            return NAN
        language, text = self.ground.language, self.text
        return language.nats(rows, starts) - language.nats(text.rows, text.sentences)


def texts_of(options: Options) -> list[str]:
    """Those of the user, or those that the package holds: as many as `documents` at most, spread
    over the file. Raises UsageError for a file that cannot be read."""
    if options.text is not None:
        texts = read_texts(str(options.text), options.field)
    else:
        public = resources.files("spacy_dxprivacy") / "data" / "texts" / "public.jsonl"
        with resources.as_file(public) as path:
            texts = read_texts(str(path), "text")
    some = np.linspace(0, len(texts) - 1, min(options.documents, len(texts))).astype(int)
    return [texts[i] for i in some]


def mean_vectors(documents: Sequence[Ints1d], X: Floats2d) -> Floats2d:
    """(documents, d), of norm 1: the mean of the vectors of each; zeros for one without words."""
    means = np.stack(
        [X[rows].mean(axis=0) if len(rows) else np.zeros(X.shape[1], X.dtype) for rows in documents]
    )
    found: Floats2d = means / np.linalg.norm(means, axis=1, keepdims=True).clip(1e-30)
    return found
