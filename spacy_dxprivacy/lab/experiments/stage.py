"""The peers that are compared at an equal attacker, their texts, and the measures."""

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
    """A mechanism of words. start: an epsilon to begin the search with, at which half of the words
    are recovered on the built-in space. settings: of its config, but epsilon."""

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
EDITED = {"path2": "path2-edited"}  # by dx.Remap.v1, as post-processing of the same release
REDACTION, PRESIDIO = ALONE = ("redaction", "presidio")
NAMES = (*WORDS, *EDITED.values(), *ALONE)
USUAL = ("path2", "path1", "exponential", "laplace", "custext", *EDITED.values(), *ALONE)
NO_PROMISE = "no guarantee: what the recogniser does not find stays in clear"
PAPERS = {
    REDACTION: "dx_entity_ruler with dx.Redact.v1",
    PRESIDIO: "presidio-analyzer with its own rules and ours in place of a model",
}


@dataclass(frozen=True, eq=False)
class Stage:
    """texts: those with a word of the space. ground: what attacks are measured on."""

    texts: Sequence[str]
    ground: Ground

    @classmethod
    def of(cls, space: Space, options: Options) -> Stage:
        """Raise DxError for texts that cannot be read, or a model that cannot be opened."""
        texts = texts_of(options)
        parts = [words_of(doc, space)[:3] for doc in tokenizer().pipe(texts)]
        text = Corpus.of(*zip(*parts, strict=True))
        texts = [t for t, (rows, *_) in zip(texts, parts, strict=True) if (rows >= 0).any()]
        reader = Reader.of(options.model, space, options.prompt) if options.model else None
        return cls(texts, Ground(space, text, reader=reader))

    @property
    def text(self) -> Corpus:
        return self.ground.text

    def cut(self, some: Array) -> list[Array]:
        """Split an array (t,) of something about each word by documents."""
        parts: list[Array] = np.split(some, self.text.starts[1:-1])
        return parts

    def row(self, out: Ints1d, guess: Ints1d, there: Bools1d | None = None) -> Row:
        """Return the figures of a release. out, guess: outputs and guesses, int64 (t,). there: bool
        (t,), which words it has; None for all."""
        text, rare, language = self.text, self.ground.rare, self.ground.language
        there = np.ones(len(out), dtype=bool) if there is None else there
        kept, right = there & (out == text.rows), guess == text.rows
        where = found_anywhere(text, self.cut(guess))
        anywhere, low, high, words = share_by_document(where, text.doc_of)
        left = [rows[some] for rows, some in zip(self.cut(out), self.cut(there), strict=True)]
        after, before = (mean_vectors(some, self.ground.space.vectors) for some in (left, [*text]))
        nats = NAN
        if there.any():
            nats = language.nats(out[there], text.sentences[there])
            nats -= language.nats(text.rows, text.sentences)
        return {
            "anywhere": anywhere, "rare_anywhere": mean(where[rare]),
            "kept": mean(kept), "rare_kept": mean(kept[rare]),
            "meaning": float((after * before).sum(axis=1).mean()), "nats": nats,
            "found": mean(right), "rare_found": mean(right[rare]),
            "low": low, "high": high, "words": words, "rare": int(rare.sum()),
        }  # fmt: skip

    def redacted(self, name: str) -> Row:
        """Return the row of a recogniser whose entities are redacted: the rest is in plaintext, and
        gaps are guessed by the words around them."""
        text, nlp, found = self.text, spacy.blank("en"), []
        nlp.add_pipe("dx_entity_ruler" if name == REDACTION else "dx_presidio")
        for doc in nlp.pipe(self.texts):
            covered = np.zeros(len(doc), dtype=bool)
            for span in [*doc.ents, *doc.spans.get("presidio", [])]:
                covered[span.start : span.end] = True
            rows, *_, places = words_of(doc, self.ground.space)
            found.append(covered[places[rows >= 0]])
        hidden = np.concatenate(found)
        guess = filled_guess(Seen(text.rows, text.sentences), hidden, self.ground.language)
        promise = {"guarantee": NO_PROMISE, "unit": "", "source": PAPERS[name]}
        figures = self.row(text.rows, guess, ~hidden)
        return {"peer": name, "epsilon": NAN, **figures, "attacker": "word pairs", **promise}


def missing(name: str) -> str:
    """Return why a peer is not available; "" where it is."""
    if name == PRESIDIO and find_spec("presidio_analyzer") is None:
        return "presidio-analyzer is not installed (the extra presidio)"
    return ""


def texts_of(options: Options) -> list[str]:
    """Return at most `documents` texts of the user or of the package, spread over the file. Raise
    UsageError for a file that cannot be read."""
    if options.text is not None:
        texts = read_texts(str(options.text), options.field)
    else:
        public = resources.files("spacy_dxprivacy") / "data" / "texts" / "public.jsonl"
        with resources.as_file(public) as path:
            texts = read_texts(str(path), "text")
    some = np.linspace(0, len(texts) - 1, min(options.documents, len(texts))).astype(int)
    return [texts[i] for i in some]


def mean_vectors(documents: Sequence[Ints1d], X: Floats2d) -> Floats2d:
    """Return the mean vector of each document, scaled to norm 1, (documents, d); zeros for one
    without words."""
    means = np.stack(
        [X[rows].mean(axis=0) if len(rows) else np.zeros(X.shape[1], X.dtype) for rows in documents]
    )
    found: Floats2d = means / np.linalg.norm(means, axis=1, keepdims=True).clip(1e-30)
    return found
