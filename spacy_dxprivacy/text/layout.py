"""Token alignment of a Doc in which some spans are replaced by others, of another length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Bools1d, Ints1d

# In the user data of a Doc: places of its text, whose places in the new text are wanted.
MARKS = "dx_marks"


@dataclass(frozen=True)
class Piece:
    """Replacement words for the tokens from start up to, not including, end.

    spaces: whether a blank follows each word; after the last one it is as in the old Doc.
    """

    start: int
    end: int
    words: list[str]
    spaces: list[bool]


@dataclass(frozen=True)
class Layout:
    """Map the m tokens of a new Doc to the n tokens of the old one.

    source: int64 (m,), the old token of each. placed: bool (m,), tokens of pieces. inner: bool
    (m,), tokens of pieces but the first of each.
    """

    source: Ints1d
    placed: Bools1d
    inner: Bools1d
    pieces: Sequence[Piece]

    @classmethod
    def of(cls, tokens: int, pieces: Sequence[Piece]) -> Layout:
        """Align a Doc of n tokens with its pieces, which are in order and do not overlap."""
        rows: list[tuple[int, int]] = []  # (source, 0 outside of pieces, 1 their first, 2 others)
        place = 0
        for piece in pieces:
            rows += [(i, 0) for i in range(place, piece.start)]
            rows += [(piece.start, 1 + (i > 0)) for i in range(len(piece.words))]
            place = piece.end
        rows += [(i, 0) for i in range(place, tokens)]
        source, kind = np.array(rows, dtype=np.int64).reshape(-1, 2).T
        return cls(source, kind > 0, kind > 1, pieces)

    def expand(self, words: Sequence[str], spaces: Sequence[bool]) -> tuple[list[str], list[bool]]:
        """Return the words and blanks of the new Doc, given those of the old one."""
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
        """Map a mask, bool (n,), to bool (m,), False within pieces."""
        new: Bools1d = old[self.source] & ~self.placed
        return new


def moved(
    marks: Sequence[int], old: Ints1d, new: Ints1d, source: Ints1d, changed: Bools1d
) -> list[int]:
    """Return where places of an old text are in the new one.

    A place within a token or a mention that was replaced goes to the end of what replaces it.

    Args:
        marks: Places in the old text, in characters.
        old: Start and end of the n old tokens, shape (n, 2), n > 0.
        new: Start and end of the m new tokens, shape (m, 2).
        source: The old token of each new one, shape (m,), rising.
        changed: Whether an old token was replaced, shape (n,).
    """
    places: Ints1d = np.asarray(marks, dtype=np.int64)
    token = np.clip(np.searchsorted(old[:, 0], places, "right") - 1, 0, None)
    start, end = old[token].T
    first = np.minimum(np.searchsorted(source, token), len(new) - 1)
    last = np.searchsorted(source, token, "right") - 1
    within = np.minimum(new[first, 0] + places - start, new[first, 1])
    ends = new[last, 1] + np.maximum(places - end, 0)
    stays = (source[first] == token) & ((places == start) | (~changed[token] & (places < end)))
    found: list[int] = np.where(stays, within, ends).tolist()
    return found
