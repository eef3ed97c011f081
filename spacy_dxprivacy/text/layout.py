"""Documents in which some runs of tokens give way to others, of another length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from ..arrays import Bools1d, Ints1d

T = TypeVar("T")


@dataclass(frozen=True)
class Piece:
    """Tokens start to end, without end, give way to these words. spaces: whether a blank follows
    each; after the last one it is as it was."""

    start: int
    end: int
    words: list[str]
    spaces: list[bool]


@dataclass(frozen=True)
class Layout:
    """The m tokens of a new document by the n of an old one. source: int64 (m,), the old token that
    each stands for, or stands in place of. placed: bool (m,), those of pieces. inner: bool (m,),
    those of pieces but the first of each."""

    source: Ints1d
    placed: Bools1d
    inner: Bools1d
    pieces: Sequence[Piece]

    @classmethod
    def of(cls, tokens: int, pieces: Sequence[Piece]) -> Layout:
        """tokens: n. pieces: in their order, none touching another's tokens."""
        rows: list[tuple[int, int]] = []  # (source, 0 outside of pieces, 1 their first, 2 others)
        place = 0
        for piece in pieces:
            rows += [(i, 0) for i in range(place, piece.start)]
            rows += [(piece.start, 1 if i == 0 else 2) for i in range(len(piece.words))]
            place = piece.end
        rows += [(i, 0) for i in range(place, tokens)]
        source, kind = np.array(rows, dtype=np.int64).reshape(-1, 2).T
        return cls(source, kind > 0, kind > 1, pieces)

    def expand(self, words: Sequence[str], spaces: Sequence[bool]) -> tuple[list[str], list[bool]]:
        """Old words and blanks -> those of the new document."""
        places = self.source.tolist()
        new_words, new_spaces = [words[i] for i in places], [spaces[i] for i in places]
        new = iter(np.flatnonzero(self.placed).tolist())
        for piece in self.pieces:
            follows = [*piece.spaces[:-1], spaces[piece.end - 1]]
            for word, space in zip(piece.words, follows, strict=True):
                place = next(new)
                new_words[place], new_spaces[place] = word, bool(space)
        return new_words, new_spaces

    def mask(self, old: Bools1d) -> Bools1d:
        """bool (n,) -> bool (m,), False for what is of a piece."""
        new: Bools1d = old[self.source] & ~self.placed
        return new
