"""Backward sampling: states drawn given those after them, for many sentences side by side."""

from __future__ import annotations

import numpy as np

from ..arrays import Bools1d, Floats1d, Floats2d, Ints1d
from ..priors.chain import Chain
from .forward import ADDED, Filtered

WIDTH = 32  # pairs of which a draw looks at the sum first


class Backward:
    """Draws of states.

    For each state those that lead to it are listed in rows of WIDTH numbers. states, delta: (r,
    WIDTH), 0 behind the last of a state. first, rows: (K,), of each state.
    """

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self._ones = np.ones_like(chain.back)
        into = chain.delta.T.tocsr()
        counts = np.diff(into.indptr)
        self.rows = np.maximum(1, -(-counts // WIDTH))
        self.first = np.cumsum(self.rows) - self.rows
        # As many numbers as there are in the rows before, and in the state's own before this one.
        cells = np.arange(len(into.data)) + np.repeat(self.first * WIDTH - into.indptr[:-1], counts)
        shape = (int(self.rows.sum()), WIDTH)
        self.states, self.delta = np.zeros(shape, np.int64), np.zeros(shape, into.dtype)
        self.states.reshape(-1)[cells], self.delta.reshape(-1)[cells] = into.indices, into.data

    def __call__(
        self, known: Filtered, ends: Bools1d, after: Ints1d, which: Floats1d, uniform: Floats1d
    ) -> Ints1d:
        """Sample a state for each lane.

        Args:
            known: Forward messages of the step.
            ends: bool (lanes,), where the last word of a sentence stands: drawn by M alone.
            after: int64 (lanes,), the states that follow elsewhere: drawn by M[z] T[z, after].
            which, uniform: float64 (lanes,), uniform numbers: for back-off or a listed pair, and
                for the state.

        Returns:
            int64 (lanes,).
        """
        found, by_back = np.empty(len(ends), dtype=np.int64), np.zeros(len(ends), dtype=bool)
        lanes = np.flatnonzero(~ends)
        if len(lanes):
            found[lanes], direct = self._listed(known.X, lanes, after[lanes], uniform[lanes])
            backed = known.X[0, lanes].astype(np.float64) * self.chain.u[after[lanes]]
            by_back[lanes] = which[lanes] * (direct + backed) >= direct
        for lanes, one, weights in (
            (np.flatnonzero(ends), 0, self._ones),
            (np.flatnonzero(by_back), 1, self.chain.back),
        ):
            if len(lanes):
                found[lanes] = _of_all(known, lanes, one, weights, uniform[lanes])
        return found

    def _listed(
        self, X: Floats2d, lanes: Ints1d, after: Ints1d, uniform: Floats1d
    ) -> tuple[Ints1d, Floats1d]:
        """(m,), (m,): a state by M times delta, and the sum of that; any state where that is 0."""
        counts = self.rows[after]
        begins = np.cumsum(counts) - counts
        owner = np.repeat(np.arange(len(after)), counts)
        column = np.arange(len(owner)) - begins[owner]
        rows = self.first[after][owner] + column
        states = self.states[rows]
        M = X.reshape(-1)[X.shape[1] :]
        cells = self.delta[rows] * M[states * X.shape[1] + lanes[owner, None]]
        table = np.zeros((len(after), int(counts.max())))
        table[owner, column] = cells.sum(axis=1, dtype=np.float64)
        there, marks = _pick_all(table, uniform)
        row = np.minimum(begins + there, len(cells) - 1)
        return states[row, _within(cells[row], marks)], table.sum(axis=1)


def _of_all(
    known: Filtered, lanes: Ints1d, one: int, weights: Floats1d, uniform: Floats1d
) -> Ints1d:
    """States, (m,), by M times weights, whose sums are known."""
    block, marks = _pick_all(known.sums[:, one, lanes].T, uniform)
    K = len(weights)
    states = block[:, None] * ADDED + np.arange(ADDED)
    inside = np.minimum(states, K - 1)
    cells = np.where(states < K, known.X[1 + inside, lanes[:, None]] * weights[inside], 0)
    found: Ints1d = states[np.arange(len(lanes)), _within(cells, marks)]
    return found


def _pick_all(weights: Floats2d, uniform: Floats1d) -> tuple[Ints1d, Floats1d]:
    """For each row a place by weight, and how far into it."""
    sums = weights.cumsum(axis=1)
    # A mark may be rounded up to the total.
    marks = np.minimum(uniform * sums[:, -1], np.nextafter(sums[:, -1], 0))
    places = np.minimum(np.count_nonzero(sums <= marks[:, None], axis=1), sums.shape[1] - 1)
    before = np.take_along_axis(sums, np.maximum(places[:, None] - 1, 0), axis=1)[:, 0]
    return places, marks - np.where(places > 0, before, 0)


def _within(cells: Floats2d, marks: Floats1d) -> Ints1d:
    """For each row the first place the sum up to which is above its mark."""
    sums = cells.cumsum(axis=1, dtype=np.float64)
    marks = np.minimum(marks, np.nextafter(sums[:, -1], 0))
    places = np.count_nonzero(sums <= marks[:, None], axis=1)
    found: Ints1d = np.minimum(places, cells.shape[1] - 1)
    return found
