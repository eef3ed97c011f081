"""Places of a text in a text that was made of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Bools1d, Ints1d, Ints2d

# In the user data of a Doc: places of its text, whose places in the new text are wanted.
MARKS = "dx_marks"


def moved(
    marks: Sequence[int], old: Ints2d, new: Ints2d, source: Ints1d, changed: Bools1d
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
