"""Types of arrays, by number of axes and type of items."""

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
Numbers1d = np.ndarray[tuple[int], np.dtype[Any]]  # integers or floats of any width
Numbers2d = np.ndarray[tuple[int, int], np.dtype[Any]]


def blocks(n: int, size: int) -> Iterator[slice]:
    """Yield consecutive slices of at most `size` that cover range(n), to bound a loop's memory."""
    return (slice(start, min(start + size, n)) for start in range(0, n, size))
