"""Memory that large mapped tables take."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np

from ..arrays import Floats2d

LARGE = 2 * 2**30  # bytes of a mapped table that may stay in memory
MAPPED_AT_ONCE = 2**27  # bytes of a larger one that a process has in memory at most
FAULT = 2**16  # bytes that Linux maps around the one that is read


def let_go(X: Floats2d) -> None:
    """Let go of the pages of a large mapped file. They stay in the system's cache."""
    pages = large_map(X)
    if pages is not None:
        pages.madvise(mmap.MADV_DONTNEED)


def large_map(X: Floats2d) -> mmap.mmap | None:
    """The map behind a table that is too large to stay in memory, and may be let go of."""
    if X.nbytes <= LARGE or not hasattr(mmap, "MADV_DONTNEED"):
        return None
    base: Any = X
    read_only = False
    while isinstance(base, np.ndarray):
        read_only = read_only or (isinstance(base, np.memmap) and base.mode == "r")
        base = base.base
    # Only of a file that cannot have been written to: other pages would lose what they hold.
    return base if read_only and isinstance(base, mmap.mmap) else None
