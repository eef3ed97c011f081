"""What arrays are called: k is the number of words to replace, n that of rows of the space, d its
dimensions. The types say how many axes an array has and what is on them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

Ints1d = np.ndarray[tuple[int], np.dtype[np.int64]]
Ints2d = np.ndarray[tuple[int, int], np.dtype[np.int64]]
Ids1d = np.ndarray[tuple[int], np.dtype[np.uint64]]
Bools1d = np.ndarray[tuple[int], np.dtype[np.bool_]]
Bools2d = np.ndarray[tuple[int, int], np.dtype[np.bool_]]
Floats1d = np.ndarray[tuple[int], np.dtype[np.float64]]
Floats2d = np.ndarray[tuple[Any, ...], np.dtype[Any]]
Floats3d = np.ndarray[tuple[int, int, int], np.dtype[np.float64]]
Numbers1d = np.ndarray[tuple[int], np.dtype[Any]]  # of any width
Numbers2d = np.ndarray[tuple[int, int], np.dtype[Any]]


def blocks(n: int, size: int) -> Iterator[slice]:
    """range(n) in slices of `size`, the last one shorter; none where n is 0. What does not fit into
    memory at once, or would not stay in the cache, is worked on block by block."""
    return (slice(start, min(start + size, n)) for start in range(0, n, size))
