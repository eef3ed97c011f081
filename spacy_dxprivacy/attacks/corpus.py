"""Texts as arrays: what an attacker wants to know, and what it gets to see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Floats2d, Ints1d, blocks
from ..ty import Draw, Mechanism
from ..validate import fail, one_of

if TYPE_CHECKING:
    from ..randomness import Rng

SCOPES = ("token", "type")
AT_ONCE = 2**15  # words drawn at once


@dataclass(frozen=True)
class Corpus:
    """The words of documents, one after another: those that the space holds, in their order.

    rows: int64 (t,), of a space. starts: int64 (documents + 1,), where each begins, and t.
    """

    rows: Ints1d
    starts: Ints1d

    @classmethod
    def of(cls, documents: Iterable[Ints1d]) -> Corpus:
        """documents: int64 (length,) each. Empty ones, and unknown words (-1), are left out."""
        known = [np.asarray(rows, dtype=np.int64) for rows in documents]
        known = [rows[rows >= 0] for rows in known]
        known = [rows for rows in known if len(rows)]
        if not known:
            raise fail("the text", "a word or more that the space holds", "none")
        starts = np.cumsum([0, *(len(rows) for rows in known)])
        return cls(np.concatenate(known), starts.astype(np.int64))

    def __len__(self) -> int:
        """How many documents."""
        return len(self.starts) - 1

    def __iter__(self) -> Iterator[Ints1d]:
        return iter(np.split(self.rows, self.starts[1:-1]))

    @property
    def doc_of(self) -> Ints1d:
        """int64 (t,): the document of each word."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def first(self, words: int) -> Corpus:
        """The documents from the first on, until they have this many words."""
        enough = int(np.searchsorted(self.starts[1:], words)) + 1
        return Corpus.of(list(self)[:enough])

    def cut(self, length: int) -> Corpus | None:
        """The first words of each document that has as many; None where fewer than two have."""
        long = [rows[:length] for rows in self if len(rows) >= length]
        return Corpus.of(long) if len(long) > 1 else None

    def halves(self) -> tuple[Corpus, Corpus | None]:
        """Every second document, and the others; None where there is only one."""
        documents = list(self)
        others = documents[1::2]
        return Corpus.of(documents[::2]), Corpus.of(others) if others else None

    def words(self) -> Ints1d:
        """int64 (t,): a number for each (document, word), the same where a word is repeated in a
        document, from 0 on."""
        keys = np.stack([self.doc_of, self.rows])
        same: Ints1d = np.unique(keys, axis=1, return_inverse=True)[1].reshape(-1)
        return same


def sanitised(corpus: Corpus, mechanism: Mechanism, rng: Rng, *, scope: str = "token") -> Draw:
    """What is released of each word: outputs (t,), and vectors (t, d) where there are such. As the
    component does it: scope "token" draws every word, "type" every distinct word of a document."""
    if one_of("scope", scope, SCOPES) == "token":
        return drawn(mechanism, corpus.rows, rng)
    _, firsts, draw_of = np.unique(corpus.words(), return_index=True, return_inverse=True)
    draw = drawn(mechanism, corpus.rows[firsts], rng)
    vectors = None if draw.vectors is None else draw.vectors[draw_of]
    return Draw(draw.rows[draw_of], vectors)


def drawn(mechanism: Mechanism, rows: Ints1d, rng: Rng) -> Draw:
    """mechanism.sample, a part at a time."""
    parts = blocks(max(1, len(rows)), AT_ONCE)
    draws = [mechanism.sample(rows[part], rng) for part in parts]
    vectors: list[Floats2d] = [draw.vectors for draw in draws if draw.vectors is not None]
    return Draw(
        np.concatenate([draw.rows for draw in draws]), np.concatenate(vectors) if vectors else None
    )
