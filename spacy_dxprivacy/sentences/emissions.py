"""What a word of the input says of the states of a chain: sums of its kernel over their words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import Floats1d, Floats2d, Numbers1d
from ..graph.kernel import Kernel
from ..priors.chain import Chain

CACHE_BYTES = 2**28
NOTHING = -1  # a word that the space lacks: it says nothing


class Emissions:
    """E[z] = sum over y of B[y, z] exp(-beta path(w, y)): exact, for every word w of the space."""

    def __init__(self, chain: Chain, kernel: Kernel) -> None:
        self.chain, self.kernel = chain, kernel
        self._base = chain.totals * kernel.far
        self._kept: dict[int, Numbers1d] = {}
        self._most = max(64, CACHE_BYTES // (4 * chain.states))

    def of(self, rows: Sequence[int], fixed: Sequence[bool]) -> Floats2d:
        """float32 (K, k): for words of the input, for words that stay as they are (their states
        alone), and for NOTHING."""
        self.prepare({row for row, stays in zip(rows, fixed, strict=True) if not stays})
        E = np.empty((len(rows), self.chain.states), dtype=np.float32)
        for i, (row, stays) in enumerate(zip(rows, fixed, strict=True)):
            E[i] = self._of_fixed(row) if stays else self._of_row(row)
        return E.T

    def prepare(self, rows: set[int]) -> None:
        new = rows - self._kept.keys() - {NOTHING}
        self.kernel.prepare(new)
        if len(self._kept) + len(new) > self._most:
            self._kept = {}
        for row in new if len(new) <= self._most else ():
            self._kept[row] = self.exact(row).astype(np.float32)

    def _of_row(self, row: int) -> Numbers1d:
        if row == NOTHING:
            return self.chain.totals
        found = self._kept.get(row)
        return self.exact(row).astype(np.float32) if found is None else found

    def _of_fixed(self, row: int) -> Numbers1d:
        one: Any = self.chain.emit[[row]]
        stays: Numbers1d = one.toarray().reshape(-1)
        return stays

    def exact(self, row: int, stays: bool = False) -> Floats1d:
        """float64 (K,)."""
        if stays:
            return self._of_fixed(row).astype(np.float64)
        if row == NOTHING:
            return self.chain.totals
        words, extra = self.kernel.near(row)
        emit = self.chain.emit
        if self.chain.one_state is not None:
            states, shares = self.chain.one_state
            sums = np.bincount(states[words], extra * shares[words], self.chain.states)
        else:
            sums = emit[words].T @ extra
        exact: Floats1d = self._base + sums
        return exact

    def word(self, row: int, state: int, uniform: float) -> int:
        """A word of the state, drawn by B[y, state] exp(-beta path(w, y))."""
        words, shares = self.chain.words_of(state)
        if len(words) == 1:
            return int(words[0])
        weights = shares if row == NOTHING else shares * self.kernel.weights(row, words)
        return int(words[pick(weights, uniform)])

    # What was drawn for is no business of anybody who gets a copy.
    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_kept": {}}


def pick(weights: Numbers1d, uniform: float) -> int:
    """An index, drawn by weight; uniform: in [0, 1)."""
    sums = np.cumsum(weights, dtype=np.float64)
    # uniform * total must not be rounded up to the total, beyond the last weight above 0.
    mark = min(uniform * sums[-1], np.nextafter(sums[-1], 0))
    return int(np.searchsorted(sums, mark, side="right"))
