"""Look up cells of sparse tables, and places of sorted keys."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Floats1d, Ints1d

NO_KEY = -(2**62)


def cells_of(table: Any, x: Ints1d, y: Ints1d) -> Floats1d:
    """Return the cells (x, y) of a csr table in float64, 0 for missing cells."""
    at = places_of(table, x, y)
    cells: Floats1d = np.append(table.data, 0.0)[at]
    return cells


def places_of(table: Any, x: Ints1d, y: Ints1d) -> Ints1d:
    """Return the indices of cells (x, y) in the data of a csr table, -1 for missing cells; sorts
    its indices."""
    table.sort_indices()
    keys = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr)) * table.shape[1]
    return places_in(keys + table.indices, x.astype(np.int64) * table.shape[1] + y)


def places_in(keys: Ints1d, wanted: Ints1d) -> Ints1d:
    """Return the places of wanted keys among rising ones, -1 for missing keys."""
    at = np.searchsorted(keys, wanted)
    places: Ints1d = np.where(np.append(keys, NO_KEY)[at] == wanted, at, -1)
    return places
