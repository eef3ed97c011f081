"""Words drawn each by itself: P(y | w) proportional to q(y) exp(-beta path(w, y))."""

from __future__ import annotations

import numpy as np

from ..arrays import Bools1d, Floats1d, Floats2d, Ints1d, Numbers1d, blocks
from ..graph.policy_graph import Kernel
from ..randomness import Rng
from .emissions import NOTHING

CACHE_BYTES = 2**28
ENTRY_BYTES = 200
WORDS_AT_ONCE = 2**8


class WordDraw:
    """weights: float64 (n,), above 0: public, such as how frequent words are.

    A word is drawn from all words, weighed by their radii, with the share that this has in Z, else
    from the words nearer than the radii, by what these weigh beyond them.
    """

    def __init__(self, kernel: Kernel, weights: Floats1d) -> None:
        self.kernel, self.weights = kernel, weights
        self._all, self._sums = np.cumsum(weights), np.cumsum(weights * kernel.outputs)
        self._kept: dict[int, tuple[Numbers1d, Floats1d]] = {}
        self._bytes = 0

    def __call__(self, rows: Ints1d, fixed: Bools1d, rng: Rng) -> Ints1d:
        drawn = rows.copy()
        uniforms = rng.uniform(len(rows))
        free = np.flatnonzero(~fixed)
        order = free[np.argsort(rows[free], kind="stable")]
        distinct, begins = np.unique(rows[order], return_index=True)
        self._prepare(distinct[distinct != NOTHING])
        for row, places in zip(distinct.tolist(), np.split(order, begins[1:])):  # noqa: B905 (of no words: one empty part)
            drawn[places] = self._draw(row, uniforms[places])
        return drawn

    def _draw(self, row: int, uniforms: Floats1d) -> Ints1d:
        if row == NOTHING:
            places: Ints1d = np.searchsorted(self._all, uniforms * self._all[-1], side="right")
            return places
        words, sums = self._table(row)
        far = self._sums[-1]
        marks = uniforms * (far + sums[-1])
        drawn = words[np.minimum(np.searchsorted(sums, marks - far, side="right"), len(words) - 1)]
        beyond = marks < far
        far_ones = np.searchsorted(self._sums, marks[beyond], side="right")
        drawn[beyond] = np.minimum(far_ones, len(self._sums) - 1)
        chosen: Ints1d = drawn.astype(np.int64)
        return chosen

    def _prepare(self, rows: Ints1d) -> None:
        new = [row for row in rows.tolist() if row not in self._kept]
        self.kernel.prepare(new)
        for row in new:
            self._table(row)

    def _table(self, row: int) -> tuple[Numbers1d, Floats1d]:
        """The words nearer than the radii, and the sums of their weights beyond these."""
        found = self._kept.get(row)
        if found is None:
            words, extra = self.kernel.near(row)
            found = words, np.cumsum(extra * self.weights[words])
            self._bytes += found[0].nbytes + found[1].nbytes + ENTRY_BYTES
            if self._bytes > CACHE_BYTES:
                self._kept, self._bytes = {}, 0
            self._kept[row] = found
        return found

    def log_sums(self, rows: Ints1d) -> Floats1d:
        """ln Z (k,), up to that factor of each row which its weights have: exact."""
        far = self._sums[-1]
        logs: Floats1d = np.log([far + self._table(row)[1][-1] for row in rows.tolist()])
        return logs

    def log_likelihood(self, rows: Ints1d, outputs: Ints1d) -> Floats1d:
        """ln P (k,): of an output each; exact."""
        logs: Floats1d = np.log(self.weights[outputs]) - np.log(self._all[-1])
        known = np.flatnonzero(rows != NOTHING)
        order = known[np.argsort(rows[known], kind="stable")]
        distinct, begins = np.unique(rows[order], return_index=True)
        cells = np.split(order, begins[1:])
        for part in blocks(len(distinct), WORDS_AT_ONCE):
            self._prepare(distinct[part])
            log_Z = self.log_sums(distinct[part]).tolist()
            for row, some, log in zip(distinct[part].tolist(), cells[part], log_Z, strict=True):
                path = np.log(self.kernel.weights(row, outputs[some]))
                logs[some] = path + np.log(self.weights[outputs[some]]) - log
        return logs

    def distribution(self, rows: Ints1d) -> Floats2d:
        """float64 (k, n)."""
        W = np.exp(-self.kernel.beta * self.kernel.distances(rows)) * self.weights
        P: Floats2d = W / W.sum(axis=1, keepdims=True)
        return P

    # What was drawn for is no business of anybody who gets a copy.
    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_kept": {}, "_bytes": 0}
