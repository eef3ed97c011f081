"""A sparse table times many columns, by parts that stay near the processor."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Floats2d, blocks

ROWS = 1000  # of the columns at once: 256 KB of 64 of them in float32, which a core has for itself

try:  # adds to what is there; scipy's own operator makes a new array for each part
    from scipy.sparse._sparsetools import csr_matvecs
except ImportError:  # it is no public name
    csr_matvecs = None


class Product:
    """table: csr float32 (k, n), indices of a row rising; terms are added up in that order."""

    def __init__(self, table: Any) -> None:
        self.table = table
        columns = table.tocsc()  # of which parts can be taken without a look at all of it
        self._parts = [(part, columns[:, part].tocsr()) for part in blocks(table.shape[1], ROWS)]

    def __matmul__(self, X: Floats2d) -> Floats2d:
        """X: float (n, S), rows side by side in memory -> (k, S)."""
        if csr_matvecs is None or X.dtype != self.table.dtype or not X.flags.c_contiguous:
            plain: Floats2d = self.table @ X
            return plain
        Y = np.zeros((self.table.shape[0], X.shape[1]), dtype=X.dtype)
        for some, part in self._parts:
            tables = (part.indptr, part.indices, part.data)
            csr_matvecs(*part.shape, X.shape[1], *tables, X[some].reshape(-1), Y.reshape(-1))
        return Y
