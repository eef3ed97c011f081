"""From how likely each state is to how likely the next one is, for many sentences side by side.

Few states lead to many others, and many lead to few. Where these come first, as frequent words do,
a corner of the table is dense enough that a product of plain matrices takes less time there than
one of listed pairs, which is left for the rest.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..arrays import Floats2d, Ints1d, Numbers1d
from .chain import Chain
from .product import Product

LEAST_SIDE = 64  # of a corner
FULL = 1 / 10  # of a corner at least: a pair takes some eight times as long by lists


class Ahead:
    """T of a chain, times a weight of each state that is entered."""

    def __init__(self, chain: Chain, weights: Numbers1d, dtype: Any) -> None:
        """weights: (K,), above or equal to 0. dtype: that of all sums."""
        w, K = weights.astype(np.float64), chain.states
        u = (chain.u * w).astype(dtype)[:, None]
        if isinstance(chain.delta, np.ndarray):
            whole = np.hstack([u, chain.delta.T * w[:, None]]).astype(dtype)
            self._corners, self._rest = [(slice(0, K), whole)], None
            return
        table = chain.delta.T.tocsr()
        table.data = (table.data * np.repeat(w, np.diff(table.indptr))).astype(dtype)
        self._corners = [
            (rows, np.hstack([u[rows], table[rows, :width].toarray()]))
            for rows, width in _wide(table)
        ]
        self._rest = Product(_without(table, self._corners))

    def __call__(self, X: Floats2d, Y: Floats2d) -> None:
        """X: (K + 1, S), rows side by side in memory: first the sum of M times back, then M, how
        likely each state is. Y: (K, S), which is filled with the states after it."""
        for rows, corner in self._corners:
            np.matmul(corner, X[: corner.shape[1]], out=Y[rows])
        if self._rest is not None:
            self._rest.add(X[1:], Y)


def _wide(table: Any) -> list[tuple[slice, int]]:
    """All rows of a table (K, K) by parts, and how many columns of each from the first on are full
    enough."""
    K = table.shape[0]
    sides = LEAST_SIDE * 2 ** np.arange(32)
    edges: Ints1d = np.concatenate([[0], sides[sides < K], [K]])
    found = []
    for rows in (slice(a, b) for a, b in pairwise(edges.tolist())):
        columns = table.indices[table.indptr[rows.start] : table.indptr[rows.stop]]
        pairs = np.histogram(columns, edges)[0]
        full = pairs >= FULL * np.diff(edges) * (rows.stop - rows.start)
        found.append((rows, int(edges[np.cumprod(full).sum()])))
    return found


def _without(table: Any, corners: list[tuple[slice, Floats2d]]) -> Any:
    """The table without its corners."""
    from scipy.sparse import csr_array

    widths = np.concatenate([np.full(len(one), one.shape[1] - 1) for _, one in corners])
    counts = np.diff(table.indptr)
    rest = table.indices >= np.repeat(widths, counts)
    ends = np.concatenate([[0], np.cumsum(rest)])[table.indptr]
    return csr_array((table.data[rest], table.indices[rest], ends.astype(np.int32)), table.shape)
