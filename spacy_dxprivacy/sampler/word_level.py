"""Sample words one by one, P(y | w) proportional to q(y) exp(-beta path(w, y)).

`calibration` has the beta of an epsilon.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..arrays import Bools1d, Floats1d, Floats2d, Ints1d, blocks
from ..machine import RowCache
from ..metric.policy_graph import Kernel
from ..privacy.randomness import Rng
from .emissions import UNKNOWN_ROW, SparseNumbers

CACHE_BYTES = 2**28
WORDS_AT_ONCE = 2**8


class WordSampler:
    """Sample words given public weights, float64 (n,), above 0, such as frequencies.

    P is a mixture of all words, with weights by radii, and of the words nearer than the sum of
    radii, with the excess of their weights.
    """

    def __init__(self, kernel: Kernel, weights: Floats1d) -> None:
        self.kernel, self.weights = kernel, weights
        self._weight_sums, self._sums = np.cumsum(weights), np.cumsum(weights * kernel.outputs)
        self._cache = RowCache(CACHE_BYTES)

    def __call__(self, rows: Ints1d, fixed: Bools1d, rng: Rng) -> Ints1d:
        drawn = rows.copy()
        uniforms = rng.uniform(len(rows))
        groups = list(_groups(rows, np.flatnonzero(~fixed)))
        tables = self._tables([row for row, _ in groups if row != UNKNOWN_ROW])
        for row, places in groups:
            if row == UNKNOWN_ROW:
                marks = uniforms[places] * self._weight_sums[-1]
                drawn[places] = np.searchsorted(self._weight_sums, marks, side="right")
                continue
            (words, sums), far = tables[row], self._sums[-1]
            marks = uniforms[places] * (far + sums[-1])
            nearer = np.searchsorted(sums, marks - far, side="right")
            beyond = np.searchsorted(self._sums, marks, side="right")
            drawn[places] = np.where(
                marks < far,
                np.minimum(beyond, len(self._sums) - 1),
                words[np.minimum(nearer, len(words) - 1)],
            )
        return drawn

    def _tables(self, rows: list[int]) -> dict[int, SparseNumbers]:
        """Return by row the words nearer than the sum of radii, and cumulative excess weights.

        One search for all rows is faster than one for each.
        """
        cached = self._cache.find(rows)
        tables: dict[int, SparseNumbers] = {}
        for row, steps in self.kernel.prepare(set(rows) - cached.keys()).items():
            words, extra = self.kernel.nearer_words(row, steps)
            tables[row] = words, np.cumsum(extra * self.weights[words])
        self._cache.add(tables)
        return cached | tables

    def log_weights(self, rows: Ints1d, outputs: Ints1d) -> tuple[Floats2d, Floats1d]:
        """Return ln of the weights of different outputs (q,), float64 (k, q), up to the factor of
        the weights of each row, and of lower bounds on Z, (k,): without a search from the rows,
        since a path is as long in the other direction."""
        kernel, logs = self.kernel, np.empty((len(rows), len(outputs)))
        itself = (self.weights * (kernel.unchanged - kernel.outputs))[rows]
        sums = self._sums[-1] + np.where(np.isin(rows, outputs), 0.0, itself)
        columns = {output: column for column, output in enumerate(outputs.tolist())}
        for part in blocks(len(outputs), WORDS_AT_ONCE):
            for output, steps in kernel.prepare(outputs[part].tolist()).items():
                least = self.weights[output] * kernel.outputs[output]
                weights = least * kernel.times(output, rows, steps)
                logs[:, columns[output]] = np.log(weights)
                sums += weights - least
        return logs, np.log(sums)

    def log_sums(self, rows: Ints1d) -> Floats1d:
        """Return ln Z (k,) exactly, up to the factor of the weights of each row."""
        far, tables = self._sums[-1], self._tables(rows.tolist())
        logs: Floats1d = np.log([far + tables[row][1][-1] for row in rows.tolist()])
        return logs

    def log_likelihood(self, rows: Ints1d, outputs: Ints1d) -> Floats1d:
        """Return ln P(output | row), float64 (k,), exactly."""
        logs: Floats1d = np.log(self.weights[outputs]) - np.log(self._weight_sums[-1])
        groups = list(_groups(rows, np.flatnonzero(rows != UNKNOWN_ROW)))
        for part in blocks(len(groups), WORDS_AT_ONCE):
            log_Z = self.log_sums(np.array([row for row, _ in groups[part]])).tolist()
            for (row, places), log in zip(groups[part], log_Z, strict=True):
                path = np.log(self.kernel.weights(row, outputs[places]))
                logs[places] = path + np.log(self.weights[outputs[places]]) - log
        return logs

    def distribution(self, rows: Ints1d) -> Floats2d:
        """Return the probability of every output, float64 (k, n)."""
        W = np.exp(-self.kernel.beta * self.kernel.distances(rows)) * self.weights
        P: Floats2d = W / W.sum(axis=1, keepdims=True)
        return P


def _groups(rows: Ints1d, places: Ints1d) -> Iterator[tuple[int, Ints1d]]:
    """Yield each distinct row at these places, and its places."""
    order = places[np.argsort(rows[places], kind="stable")]
    distinct, begins = np.unique(rows[order], return_index=True)
    return zip(distinct.tolist(), np.split(order, begins[1:]))  # noqa: B905 (without rows: one empty part)
