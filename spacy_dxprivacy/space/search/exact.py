r"""Exact nearest neighbour (dx.Exact.v1): the answer of a float64 brute force at float32's speed.

The row x nearest to a query z has the greatest

    score(x) = x . z - ||x||^2 / 2

Scores of a tile of rows and queries come from one float32 matrix product. A rounding bound (Higham
2002, section 3.1) gives the rows that may be the nearest, mostly one or two a query, and float64
differences decide between them. Values that float32 cannot square, and tables whose rows float32
products cannot tell apart, take float64 products instead.

It runs on numpy, and after spacy.require_gpu() on cupy: fit takes a copy of the table there.
"""

from __future__ import annotations

import os
from functools import partial
from math import inf, isfinite, sqrt
from typing import Any, NamedTuple, cast

import numpy as np

from ...arrays import Floats1d, Floats2d, Ints1d, blocks
from ...errors import DxError, Errors
from ...machine import array_module, in_order, product_threads, to_device, to_host
from ...registries import registry
from ...validate import fail

LARGEST = 1e150  # of a query's norm: its square has to fit float64
MIB = 2**20
OPEN = 8  # rows of a tile that float32 may leave open for each query, on average
WORTH_THREADS = 2**23  # pairs of rows and queries


class Tile(NamedTuple):
    """Rows and queries whose scores are computed at once."""

    rows: int
    queries: int


ON_CPU = Tile(1024, 512)
ON_GPU = Tile(16384, 4096)


class ExactIndex:
    """Euclidean nearest rows of a table. On the CPU the table is read in place: a memory map stays
    one."""

    def fit(self, X: Floats2d) -> ExactIndex:
        """Prepare the search of a table. Adds 8 bytes a row, for half its square.

        Args:
            X: float32 (n, d), finite; referenced, not copied.

        Raises:
            DxError: It is another table.
        """
        if X.ndim != 2 or 0 in X.shape:
            raise DxError(Errors.DX020.format(expected="a table (n, d) of vectors", given=X.shape))
        if not (isfinite(float(X.max())) and isfinite(float(X.min()))):
            raise DxError(Errors.DX020.format(expected="finite numbers", given="nan or inf"))
        X = to_device(X)
        xp = array_module(X)
        self._X: Floats2d = xp.ascontiguousarray(X, dtype="float32")
        self._half = xp.empty(len(X))
        for part in blocks(len(X), ON_CPU.rows):
            self._half[part] = xp.square(self._X[part].astype("float64")).sum(axis=1) / 2
        self._reach = sqrt(2 * float(self._half.max()))
        return self

    # The mechanism fits a copy again, on a table that need not travel with it.
    def __getstate__(self) -> dict[str, Any]:
        return {}

    def nearest(self, Z: Floats2d) -> Ints1d:
        """Find the row of least distance to each query.

        The answer is argmin(((X.astype("float64") - z) ** 2).sum(axis=1)) for each z, with ties to
        the lowest row.

        Args:
            Z: Queries, float32 or float64 (k, d).

        Returns:
            Rows, int64 (k,), numpy.

        Raises:
            DxError: Another shape, numbers that are not finite or not below 1e150, or before fit.
        """
        if not hasattr(self, "_X"):
            raise DxError(Errors.DX003.format(name="dx.Exact.v1"))
        xp, (n, d) = array_module(self._X), self._X.shape
        Z = xp.asarray(Z)
        if Z.ndim != 2 or Z.shape[1] != d or Z.dtype.kind != "f":
            raise fail("Z", f"an array of floats of shape (k, {d})", f"{Z.dtype} {Z.shape}")
        if len(Z) and not float(abs(Z).max()) < LARGEST:
            raise fail("Z", f"numbers below {LARGEST:g}", "one above, or not finite")
        tile = ON_CPU if xp is np else ON_GPU
        found = [np.zeros(0, dtype=np.int64)]
        wide = n * len(Z) >= WORTH_THREADS and xp is np
        with product_threads(wide) as threads:
            parts = (Z[part].astype("float64") for part in blocks(len(Z), tile.queries))
            search = partial(self._search, tile.rows)
            found += in_order(search, parts, threads, 2 * threads)
        return np.concatenate(found)

    def _search(self, height: int, Z: Floats2d) -> Ints1d:
        xp = array_module(Z)
        norms = xp.sqrt(xp.square(Z).sum(axis=1))
        # In float32 squares must not overflow, what underflow takes must be less than the rounding
        # bound, and no product may be made of TF32 numbers, which have 10 bits.
        largest = max(float(norms.max()), self._reach)
        tf32 = xp is not np and os.environ.get("CUPY_TF32", "0") != "0"
        found = None
        if largest < 1e18 and not 0 < self._reach < 1e-14 and not tf32:
            found = self._by_products(Z, norms, height, "float32")
        return cast(Ints1d, self._by_products(Z, norms, height) if found is None else found)

    def _by_products(
        self, Z: Floats2d, norms: Floats1d, height: int, dtype: str = "float64"
    ) -> Ints1d | None:
        """Return the rows (k,); None where float32 leaves too many open."""
        xp = array_module(Z)
        P, half = xp.ascontiguousarray(Z.T, dtype=dtype), self._half.astype(dtype)
        slack = self._slack(norms, dtype)
        low = xp.full(len(Z), -inf)  # of the score of the nearest row
        rows, apart = np.zeros(len(Z), dtype=np.int64), np.full(len(Z), inf)
        for part in blocks(len(self._X), height):
            S = self._X[part].astype(dtype, copy=False) @ P
            S -= half[part, None]
            top = S.max(axis=0)
            low = xp.maximum(low, top - slack)
            bar = (low - slack).astype(dtype)
            bar = xp.nextafter(bar, xp.asarray(-inf, dtype=dtype))
            open_ = xp.flatnonzero(bar <= top)
            others, at = xp.nonzero(xp.take(S, open_, axis=1) >= bar[open_])
            if dtype == "float32" and len(others) > OPEN * len(Z) + height:
                return None
            take_nearer(self._X, Z, (open_[at], others + part.start), rows, apart)
        return rows

    def _slack(self, norms: Floats1d, dtype: str) -> Floats1d:
        """Bound how far the score of any row may be off, for queries of these norms (k,).

        The error of the product, plus that of the float64 brute force that is the measure. d + 16
        roundings: d in the product, the rest for queries, half squares and differences. Underflow
        is far below either: see `_search`.
        """
        roundings, reach = self._X.shape[1] + 16, self._reach
        unit = 2.0**-24 if dtype == "float32" else 2.0**-53
        factor = roundings * unit / (1 - roundings * unit)
        slack: Floats1d = factor * (reach * norms + reach * reach)
        slack += roundings * 2.0**-53 * (reach + norms) ** 2
        return slack


def take_nearer(
    X: Floats2d, Z: Floats2d, pairs: tuple[Ints1d, Ints1d], rows: Ints1d, apart: Floats1d
) -> None:
    """Take the nearest of some rows of X into the nearest so far, by float64 differences; of ties
    the lowest.

    Args:
        X: The table, float32 (n, d).
        Z: Queries, float64 (k, d).
        pairs: Queries and rows to compare with them, int64 (h,) each.
        rows: The nearest so far, int64 (k,); changed.
        apart: Their squared distances, float64 (k,), infinity for none; changed.
    """
    for part in blocks(len(pairs[0]), max(1, MIB // Z.shape[1])):
        queries, others = pairs[0][part], pairs[1][part]
        D = X[others] - Z[queries]
        squares = to_host((D * D).sum(axis=1))
        queries, others = to_host(queries), to_host(others)
        order = np.lexsort((others, squares, queries))
        first = order[np.flatnonzero(np.diff(queries[order], prepend=-1))]
        queries, others, squares = queries[first], others[first], squares[first]
        lower = (squares == apart[queries]) & (others < rows[queries])
        nearer = (squares < apart[queries]) | lower
        rows[queries[nearer]], apart[queries[nearer]] = others[nearer], squares[nearer]


@registry.dx_indexes("dx.Exact.v1")
def make_exact() -> ExactIndex:
    """Exact search over the whole table, blockwise; no setting."""
    return ExactIndex()
