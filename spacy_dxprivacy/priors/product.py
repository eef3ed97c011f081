"""A sparse table times many columns, by parts that stay near the processor."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..arrays import Floats2d, blocks

ROWS = 1000  # of the columns at once: 256 KB of 64 of them in float32, which a core has for itself


@lru_cache(maxsize=1)
def _adds() -> Any:
    """What adds to what is there; scipy's own operator makes a new array for each part. None where
    this scipy has it not: it is no public name."""
    try:
        from scipy.sparse._sparsetools import csr_matvecs
    except ImportError:
        return None
    return csr_matvecs


class Product:
    """table: csr float32 (k, n), indices of a row rising; terms are added up in that order."""

    def __init__(self, table: Any) -> None:
        self.table = table
        columns = table.tocsc()  # of which parts can be taken without a look at all of it
        self._parts = [(part, columns[:, part].tocsr()) for part in blocks(table.shape[1], ROWS)]

    def __matmul__(self, X: Floats2d) -> Floats2d:
        """X: float (n, S), rows side by side in memory -> (k, S)."""
        if _adds() is None or X.dtype != self.table.dtype or not X.flags.c_contiguous:
            plain: Floats2d = self.table @ X
            return plain
        Y = np.zeros((self.table.shape[0], X.shape[1]), dtype=X.dtype)
        self.add(X, Y)
        return Y

    def add(self, X: Floats2d, Y: Floats2d) -> None:
        """Y: (k, S), to which the product is added. Both of the table's type, and rows of both
        side by side in memory."""
        add = _adds()
        for some, part in self._parts:
            if add is None:
                Y += part @ X[some]
                continue
            tables = (part.indptr, part.indices, part.data)
            add(*part.shape, X.shape[1], *tables, X[some].reshape(-1), Y.reshape(-1))
