"""The index that suits the size (dx.AutoIndex.v1): exact for small tables, fast for large ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Floats2d, Ints1d
from ..errors import DxError, Errors
from ..registries import registry
from ..ty import Index
from ..validate import whole
from .exact import make_exact
from .faiss_index import make_faiss

# Numbers of a table (n times d). Above it the fast search is at least twice as fast; below it the
# candidates cost about as much as all rows do (see benchmarks/indexes.py).
EXACT_UP_TO = 30_000_000


class AutoIndex:
    """choice: what it chose, with its settings, when it is fitted."""

    def __init__(self, exact_up_to: int = EXACT_UP_TO) -> None:
        self.exact_up_to = exact_up_to
        self.choice = "dx.AutoIndex.v1"
        self._chosen: Index | None = None

    def fit(self, X: Floats2d) -> AutoIndex:
        """X: float32 (n, d), finite; kept, not copied. Raises DxError for another table."""
        small = X.size <= self.exact_up_to
        # faiss is given numpy's arrays; on a GPU the exact search is the faster one at any size.
        exact = small or not isinstance(X, np.ndarray)
        self._chosen = (make_exact() if exact else make_faiss()).fit(X)
        self.choice = getattr(self._chosen, "choice", "dx.Exact.v1")
        return self

    # The mechanism fits a copy again, on a table that need not travel with it.
    def __getstate__(self) -> dict[str, Any]:
        return {"exact_up_to": self.exact_up_to, "choice": "dx.AutoIndex.v1", "_chosen": None}

    def nearest(self, Z: Floats2d) -> Ints1d:
        """Z: float32 or float64 (k, d) -> int64 (k,), as the chosen index finds them.

        Raises DxError as that does, and before fit.
        """
        if self._chosen is None:
            raise DxError(Errors.DX003.format(name="dx.AutoIndex.v1"))
        return self._chosen.nearest(Z)


@registry.dx_indexes("dx.AutoIndex.v1")
def make_auto_index(exact_up_to: int = EXACT_UP_TO) -> AutoIndex:
    """dx.Exact.v1 for tables of exact_up_to numbers (rows times dimensions) at most, and
    dx.Faiss.v1 above."""
    return AutoIndex(whole("exact_up_to", exact_up_to, least=0))
