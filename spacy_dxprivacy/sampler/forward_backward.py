"""Forward filtering and backward sampling, for many sentences side by side.

Few states lead to many others, and many lead to few. Where the former come first, as frequent
words do, a corner of the transition table is dense enough that a product of dense matrices takes
less time there than a sparse one, which is left for the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..arrays import Bools1d, Floats1d, Floats2d, Floats3d, Ints1d, Numbers1d, blocks
from ..prior.chain import Chain

LEAST_SIDE = 64  # of a corner
FULL = 1 / 10  # of a corner at least: a pair takes some eight times as long by lists
COLUMNS = 2000  # at once: 1 MB of 128 lanes in float32, which a core has for itself
ADDED = 128  # states whose sum a draw looks at first
WIDTH = 32  # pairs of which a draw looks at the sum first


@dataclass(frozen=True, eq=False)
class Filtered:
    """The forward message of a step, for each lane."""

    X: Floats2d  # (K + 1, lanes), the sum of M times back, and M = P(state | words so far), or Fold
    sums: Floats3d  # float64 (blocks, 2, lanes), of every ADDED states of M, and times back


class Forward:
    """The transition T of a chain, times a weight of each state that is entered."""

    def __init__(self, chain: Chain, weights: Numbers1d, dtype: Any) -> None:
        """Prepare T, given weights of all states, not negative, and the type of all sums."""
        from scipy.sparse import csr_array

        K, w = chain.states, weights.astype(np.float64)
        u = (chain.padded(chain.u) * w).astype(dtype)[:, None]
        table = chain.into_states()
        counts = np.diff(table.indptr)
        table.data = (table.data * np.repeat(w, counts)).astype(dtype)
        sides = LEAST_SIDE * 2 ** np.arange(32)
        edges: Ints1d = np.concatenate([[0], sides[sides < K], [K]])
        self.corners: list[tuple[slice, Floats2d]] = []
        for rows in (slice(a, b) for a, b in pairwise(edges.tolist())):
            columns = table.indices[table.indptr[rows.start] : table.indptr[rows.stop]]
            pairs = np.histogram(columns, edges)[0]
            full = pairs >= FULL * np.diff(edges) * (rows.stop - rows.start)
            width = int(edges[np.cumprod(full).sum()])
            self.corners.append((rows, np.hstack([u[rows], table[rows, :width].toarray()])))
        widths = np.concatenate([np.full(len(one), one.shape[1] - 1) for _, one in self.corners])
        rest = table.indices >= np.repeat(widths, counts)
        ends = np.concatenate([[0], np.cumsum(rest)])[table.indptr].astype(np.int32)
        cells = (table.data[rest], table.indices[rest], ends)
        self.rest = Product(csr_array(cells, table.shape))

    def __call__(self, X: Floats2d, Y: Floats2d) -> None:
        """Fill Y (states, lanes) with the states after X, C-contiguous, see Filtered."""
        for rows, corner in self.corners:
            product = np.matmul if corner.shape[1] > 1 else np.multiply  # which is faster
            product(corner, X[: corner.shape[1]], out=Y[rows])
        self.rest.add(X[1:], Y)


class Product:
    """A sparse matrix times many columns, by parts that fit the cache of a core."""

    def __init__(self, table: Any) -> None:
        """Prepare a table, csr float (k, n), whose terms are added up by rising index."""
        columns = table.tocsc()  # of which parts can be taken without a look at all of it
        parts = blocks(table.shape[1], COLUMNS)
        self.parts = [(part, columns[:, part].tocsr()) for part in parts]

    def add(self, X: Floats2d, Y: Floats2d) -> None:
        """Add the product with X (n, lanes) to Y (k, lanes), both C-contiguous and of the table's
        type."""
        try:  # scipy's own operator makes a new array for each part; this is no public name
            from scipy.sparse._sparsetools import csr_matvecs
        except ImportError:
            for some, part in self.parts:
                Y += part @ X[some]
            return
        for some, part in self.parts:
            tables = (part.indptr, part.indices, part.data)
            csr_matvecs(*part.shape, X.shape[1], *tables, X[some].reshape(-1), Y.reshape(-1))


class Fold:
    """What follows a context by its base, added to what follows the base.

    With contexts, Filtered.X has first the sum of X0 times back; then X0, (K,), which is M of each
    type and lower times M of its contexts; then M of the contexts, (C,), and last M of each type
    that has contexts. Where a sentence ends, M of a context counts 1 / lower times.
    """

    def __init__(self, chain: Chain, dtype: Any) -> None:
        self._types, self._states, self._bases = chain.types, chain.states, chain.bases
        self._contexts = Product(chain.folded.astype(dtype))

    def __call__(self, X: Floats2d) -> None:
        """Turn M, the first rows of X, into X0, and fill in the last rows."""
        X[self._states :] = X[self._bases]
        self._contexts.add(X[self._types : self._states], X[: self._types])


class Sums:
    """Sums over states in blocks, so that rounding does not add up."""

    def __init__(self, chain: Chain, dtype: Any) -> None:
        both = np.stack([np.ones(chain.types), chain.back]).astype(dtype)
        whole = chain.types // ADDED * ADDED
        self._whole = np.swapaxes(both[:, :whole].reshape(2, -1, ADDED), 0, 1)
        self._left = both[:, whole:]

    def __call__(self, M: Floats2d) -> Floats3d:
        """Return float64 (blocks, 2, lanes), see Filtered, for M (K, lanes)."""
        whole = len(M) - self._left.shape[1]
        sums = np.empty((len(self._whole) + 1, 2, M.shape[1]))
        sums[:-1] = self._whole @ M[:whole].reshape(-1, ADDED, M.shape[1])
        sums[-1] = self._left @ M[whole:]
        return sums


# -- backward ------------------------------------------------------------------------------------


class Listed:
    """The predecessors of states. They are listed in rows of WIDTH numbers: rows of M and weights
    (r, WIDTH), 0 beyond the last; first and rows (k,), where those of a state are."""

    def __init__(self, into: Any) -> None:
        """Prepare a table, csr float (k, rows of M)."""
        counts = np.diff(into.indptr)
        self.rows = np.maximum(1, -(-counts // WIDTH))
        self.first = np.cumsum(self.rows) - self.rows
        # As many numbers as there are in the rows before, and in the state's own before this one.
        cells = np.arange(len(into.data)) + np.repeat(self.first * WIDTH - into.indptr[:-1], counts)
        shape = (int(self.rows.sum()), WIDTH)
        self.states, self.weights = np.zeros(shape, np.int64), np.zeros(shape, into.dtype)
        self.states.reshape(-1)[cells], self.weights.reshape(-1)[cells] = into.indices, into.data

    def __call__(
        self, X: Floats2d, lanes: Ints1d, after: Ints1d, uniform: Floats1d
    ) -> tuple[Ints1d, Floats1d]:
        """Return rows of M by M times weights, (m,), any where all are 0, and the sums of that,
        (m,)."""
        counts = self.rows[after]
        begins = np.cumsum(counts) - counts
        owner = np.repeat(np.arange(len(after)), counts)
        column = np.arange(len(owner)) - begins[owner]
        rows = self.first[after][owner] + column
        states = self.states[rows]
        M = X.reshape(-1)[X.shape[1] :]
        cells = self.weights[rows] * M.take(states * X.shape[1] + lanes[owner, None])
        table = np.zeros((len(after), int(counts.max())))
        table[owner, column] = cells.sum(axis=1, dtype=np.float64)
        there, marks = _pick_all(table, uniform)
        row = np.minimum(begins + there, len(cells) - 1)
        return states[row, _within(cells[row], marks)], table.sum(axis=1)


class Backward:
    """Backward sampling."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self._u, self._ones = chain.padded(chain.u), np.ones_like(chain.back)
        self._listed = Listed(chain.into_states())
        self._above = Above(chain) if len(chain.base) else None

    def __call__(
        self, known: Filtered, ends: Bools1d, after: Ints1d, which: Floats1d, uniform: Floats1d
    ) -> Ints1d:
        """Sample a state for each lane.

        Args:
            known: Forward messages of the step.
            ends: bool (lanes,), where a sentence ends: sampled by M alone.
            after: int64 (lanes,), the next states elsewhere: sampled by M[z] T[z, after].
            which: float64 (lanes,), uniform numbers to choose back-off or a listed pair.
            uniform: float64 (lanes,), uniform numbers to choose the state.

        Returns:
            State ids, int64 (lanes,).
        """
        found, by_back = np.empty(len(ends), dtype=np.int64), np.zeros(len(ends), dtype=bool)
        inside = np.flatnonzero(~ends)
        if len(inside):
            found[inside], direct = self._listed(known.X, inside, after[inside], uniform[inside])
            backed = known.X[0, inside].astype(np.float64) * self._u[after[inside]]
            marks = which[inside] * (direct + backed)
            by_back[inside] = marks >= direct
        for lanes, one, weights in (
            (np.flatnonzero(ends), 0, self._ones),
            (np.flatnonzero(by_back), 1, self.chain.back),
        ):
            if len(lanes):
                found[lanes] = _of_all(known, lanes, one, weights, uniform[lanes])
        if self._above is None:
            return found
        left = which.copy()
        if len(inside):  # what is left of the uniform number, given what it chose
            begin = np.where(by_back[inside], direct, 0)
            width = np.where(by_back[inside], backed, direct)
            left[inside] = (marks - begin) / np.where(width > 0, width, 1)
        return self._above(known.X, found, left)


class Above:
    """Which of a type and its contexts a row of X0 stands for, see Fold."""

    def __init__(self, chain: Chain) -> None:
        from scipy.sparse import csr_array

        types, states, above = chain.types, chain.states, chain.bases
        # The rows of M alone: those of types without contexts, and those behind the contexts.
        own = np.arange(types)
        own[above] = states + np.arange(len(above))
        rows = np.append(own, types + np.arange(len(chain.base)))
        weights = np.append(np.ones(types, chain.lower.dtype), chain.lower)
        shape = (types, states + len(above))
        self._listed = Listed(csr_array((weights, (chain.of_all(np.arange(types)), rows)), shape))
        self._states = np.append(np.arange(states), above)

    def __call__(self, X: Floats2d, found: Ints1d, uniform: Floats1d) -> Ints1d:
        """Return states (lanes,) for rows of X0 and contexts, which stay."""
        some = np.flatnonzero(found < len(self._listed.rows))
        states = found.copy()
        if len(some):
            rows, _ = self._listed(X, some, found[some], uniform[some])
            states[some] = self._states[rows]
        return states


def _of_all(
    known: Filtered, lanes: Ints1d, one: int, weights: Floats1d, uniform: Floats1d
) -> Ints1d:
    """Return states (m,) by M times weights, given the sums."""
    block, marks = _pick_all(known.sums[:, one, lanes].T, uniform)
    K = len(weights)
    states = block[:, None] * ADDED + np.arange(ADDED)
    inside = np.minimum(states, K - 1)
    cells = np.where(states < K, known.X[1 + inside, lanes[:, None]] * weights[inside], 0)
    found: Ints1d = states[np.arange(len(lanes)), _within(cells, marks)]
    return found


def _pick_all(weights: Floats2d, uniform: Floats1d) -> tuple[Ints1d, Floats1d]:
    """Return a place of each row by weight, and how far the mark lies in it."""
    sums = weights.cumsum(axis=1)
    # A mark may be rounded up to the total.
    marks = np.minimum(uniform * sums[:, -1], np.nextafter(sums[:, -1], 0))
    places = np.minimum(np.count_nonzero(sums <= marks[:, None], axis=1), sums.shape[1] - 1)
    before = np.take_along_axis(sums, np.maximum(places[:, None] - 1, 0), axis=1)[:, 0]
    return places, marks - np.where(places > 0, before, 0)


def _within(cells: Floats2d, marks: Floats1d) -> Ints1d:
    """Return the first place of each row whose cumulated sum is above the mark."""
    sums = cells.cumsum(axis=1, dtype=np.float64)
    marks = np.minimum(marks, np.nextafter(sums[:, -1], 0))
    places = np.count_nonzero(sums <= marks[:, None], axis=1)
    found: Ints1d = np.minimum(places, cells.shape[1] - 1)
    return found
