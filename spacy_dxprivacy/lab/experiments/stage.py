"""Texts on which peers are measured alike, and the measures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ...arrays import Bools1d, Floats1d, Floats2d, Ints1d
from ...batch.rows import words_of
from ...space import Space
from ..attacks.anywhere import found_anywhere
from ..attacks.causal import Reader
from ..attacks.corpus import Corpus
from ..attacks.findings import share_by_document
from ..attacks.frontier import Ground
from ..report.pairs import tokenizer
from .corpus import mean_vectors
from .options import Options
from .result import Row
from .scores import unit
from .tasks import read_fields, some_of

if TYPE_CHECKING:
    from spacy.tokens import Doc

NAN = float("nan")
Array = TypeVar("Array", Ints1d, Bools1d)


@dataclass(frozen=True, eq=False)
class Said:
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

    def row(self, said: Said) -> Row:
        """The figures of a release."""
        rare, where = self.ground.rare, found_anywhere(self.text, said.guesses)
        anywhere, low, high, words = share_by_document(where, self.text.doc_of)
        right = said.right
        return {
            "anywhere": anywhere, "rare_anywhere": share(where[rare]),
            "kept": share(said.kept), "rare_kept": share(said.kept[rare]),
            "meaning": self.meaning(said.documents), "nats": self.nats(said),
            "found": NAN if right is None else share(right),
            "rare_found": NAN if right is None else share(right[rare]),
            "low": low, "high": high, "words": words, "rare": int(rare.sum()),
        }  # fmt: skip

    def meaning(self, documents: Sequence[Ints1d]) -> float:
        """The mean cosine of the mean vectors of a document before and after; 0 of one that is
        empty."""
        new = unit(mean_vectors(documents, self.ground.space.vectors))
        return float((new * self._vectors).sum(axis=1).mean())

    @cached_property
    def _vectors(self) -> Floats2d:
        return unit(mean_vectors(list(self.text), self.ground.space.vectors))

    def nats(self, said: Said) -> float:
        """A word over the clear text, under the word pairs of the package."""
        rows, starts = np.concatenate(said.documents), np.concatenate(said.starts)
        if not len(rows):
            return NAN
        language, text = self.ground.language, self.text
        return language.nats(rows, starts) - language.nats(text.rows, text.sentences)

    @property
    def lengths(self) -> Ints1d:
        """int64 (d,): how many words."""
        return np.array([b - a for a, b in pairwise(self.text.starts.tolist())])


def share(some: Bools1d | Floats1d) -> float:
    """Their mean; nan of none."""
    return float(np.mean(some)) if len(some) else NAN


def texts_of(options: Options) -> list[str]:
    """Those of the user, or those that the package holds; as many as `documents` at most. Raises
    DxError for a file that cannot be read."""
    tasks = options.tasks
    if tasks.text is not None:
        return _strings(read_fields(tasks.text, [tasks.field]), options.documents)
    kept = resources.files("spacy_dxprivacy") / "data" / "texts" / "public.jsonl"
    with resources.as_file(kept) as path:
        entries = read_fields(Path(path), ["text"])
    return _strings(entries, options.documents)


def _strings(entries: list[list[Any]], size: int) -> list[str]:
    return [str(entry[0]) for entry in some_of(entries, size)]
