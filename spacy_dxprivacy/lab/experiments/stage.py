"""Who is compared at an equal attacker; texts on which all are measured alike, and the measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import resources
from importlib.util import find_spec
from typing import Any, TypeVar

import numpy as np
import spacy

from ...arrays import Bools1d, Floats2d, Ints1d
from ...space import Space
from ..attacks.figures import share_by_document
from ..attacks.frontier import Ground, mean
from ..attacks.guessing import found_anywhere
from ..attacks.reading import Reader, Seen, filled_guess
from ..corpus import Corpus, read_texts, words_of
from ..report.pairs import tokenizer
from ..results import NAN, Row
from .options import Options

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
REDACTION, PRESIDIO = ALONE = ("redaction", "presidio")
NAMES = (*WORDS, *EDITED.values(), *ALONE)
USUAL = ("path2", "path1", "exponential", "laplace", "custext", *EDITED.values(), *ALONE)
NO_PROMISE = "no guarantee: what the recogniser does not find stays in clear"
SPANS_KEY = "presidio"
PAPERS = {
    REDACTION: "dx_entity_ruler with dx.Redact.v1",
    PRESIDIO: "presidio-analyzer with its own rules and ours in place of a model",
}


@dataclass(frozen=True, eq=False)
class Stage:
    """texts: d of them, with a word of the space each. ground: what attacks are measured on."""

    texts: Sequence[str]
    ground: Ground

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
        return cls(texts, Ground(space, text, reader=reader))

    @property
    def text(self) -> Corpus:
        return self.ground.text

    def cut(self, some: Array) -> list[Array]:
        """Of each document its part of something about each word, (t,)."""
        parts: list[Array] = np.split(some, self.text.starts[1:-1])
        return parts

    def row(self, out: Ints1d, guess: Ints1d, there: Bools1d | None = None) -> Row:
        """The figures of a release: outputs and guesses of each word, int64 (t,). there: bool (t,),
        which words stand in it; None for all."""
        text, rare = self.text, self.ground.rare
        there = np.ones(len(out), dtype=bool) if there is None else there
        kept, right = there & (out == text.rows), guess == text.rows
        where = found_anywhere(text, self.cut(guess))
        anywhere, low, high, words = share_by_document(where, text.doc_of)
        return {
            "anywhere": anywhere, "rare_anywhere": mean(where[rare]),
            "kept": mean(kept), "rare_kept": mean(kept[rare]),
            "meaning": self.meaning(out, there), "nats": self.nats(out, there),
            "found": mean(right), "rare_found": mean(right[rare]),
            "low": low, "high": high, "words": words, "rare": int(rare.sum()),
        }  # fmt: skip

    def meaning(self, out: Ints1d, there: Bools1d) -> float:
        """The mean cosine of the mean vectors of a document before and after; 0 of one that is
        empty."""
        X = self.ground.space.vectors
        left = [rows[some] for rows, some in zip(self.cut(out), self.cut(there), strict=True)]
        return float((mean_vectors(left, X) * mean_vectors(list(self.text), X)).sum(axis=1).mean())

    def nats(self, out: Ints1d, there: Bools1d) -> float:
        """A word over the clear text, under the word pairs of the package."""
        if not there.any():
            return NAN
        language, text = self.ground.language, self.text
        clear = language.nats(text.rows, text.sentences)
        return language.nats(out[there], text.sentences[there]) - clear

    def redacted(self, name: str) -> Row:
        """Of a recogniser whose finds are blacked out: the rest is in plaintext, and what is
        missing is guessed by the words around it."""
        text, nlp, found = self.text, spacy.blank("en"), []
        nlp.add_pipe("dx_entity_ruler" if name == REDACTION else "dx_presidio")
        for doc in nlp.pipe(self.texts):
            covered = np.zeros(len(doc), dtype=bool)
            for span in [*doc.ents, *doc.spans.get(SPANS_KEY, [])]:
                covered[span.start : span.end] = True
            rows, *_, places = words_of(doc, self.ground.space)
            found.append(covered[places[rows >= 0]])
        hidden = np.concatenate(found)
        guess = filled_guess(Seen(text.rows, text.sentences), hidden, self.ground.language)
        promise = {"guarantee": NO_PROMISE, "unit": "", "source": PAPERS[name]}
        figures = self.row(text.rows, guess, ~hidden)
        return {"peer": name, "epsilon": NAN, **figures, "attacker": "word pairs", **promise}


def missing(name: str) -> str:
    """Why a peer cannot be had here; "" where it can."""
    if name == PRESIDIO and find_spec("presidio_analyzer") is None:
        return "presidio-analyzer is not installed (the extra presidio)"
    return ""


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
