"""Map places of a text to a text that was made of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Bools1d, Ints1d, Ints2d

# In the user data of a Doc: places of its text to be mapped to the new text.
MARKS = "dx_marks"


def moved(
    marks: Sequence[int], old: Ints2d, new: Ints2d, source: Ints1d, changed: Bools1d
) -> list[int]:
    """Return the places in a new text for places in the old one.

    A place within a replaced token or mention is mapped to the end of its replacement.

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
    new_places: list[int] = np.where(stays, within, ends).tolist()
    return new_places
