"""Memory that is used again: to get it anew takes longer than much of what is done in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..arrays import Numbers1d

MOST_KEPT = 8


class Rooms:
    """Arrays that nobody uses just now. Several threads may ask."""

    def __init__(self) -> None:
        self._free: list[Numbers1d] = []

    @contextmanager
    def borrowed(self, size: int, dtype: Any) -> Iterator[Numbers1d]:
        """An array of so many numbers, with anything in it, for as long as the block lasts."""
        try:
            room = self._free.pop()
        except IndexError:
            room = np.empty(0, dtype=dtype)
        if room.size < size or room.dtype != dtype:
            room = np.empty(size, dtype=dtype)
        yield room[:size]
        if len(self._free) < MOST_KEPT:
            self._free.append(room)

    # What was drawn for is no business of anybody who gets a copy.
    def __getstate__(self) -> dict[str, Any]:
        return {"_free": []}
