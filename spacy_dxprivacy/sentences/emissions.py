"""What a word of the input says of the states of a chain: sums of its kernel over their words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import Floats1d, Floats2d, Numbers1d
from ..graph.kernel import Kernel
from ..priors.chain import Chain

CACHE_BYTES = 2**27
ENTRY_BYTES = 300  # of an entry of the cache besides its numbers
SINGLE = 48.0  # nats of beta times the reach up to which float32 holds all sums: docs/path.md
NOTHING = -1  # a word that the space lacks: it says nothing

Some = tuple[Numbers1d, Numbers1d]  # states, and a number for each


class Emissions:
    """E[z] = sum over y of B[y, z] exp(-beta path(w, y)): exact, for every word w of the space.

    It is kept as what the reach gives to every state, and what the words nearer than that add to
    some of them.
    """

    def __init__(self, chain: Chain, kernel: Kernel) -> None:
        self.chain, self.kernel = chain, kernel
        self.dtype = np.float32 if kernel.beta * kernel.graph.longest <= SINGLE else np.float64
        self._far = (chain.totals * kernel.far).astype(self.dtype)
        self._kept: dict[int, Some] = {}
        self._bytes = 0

    def weigh(self, M: Floats2d, rows: Sequence[int], fixed: Sequence[bool]) -> Floats2d:
        """M: float (K, S), how likely each state is before its word is seen -> (K, S), times what
        S words say: of the input, or NOTHING, or words that stay as they are."""
        W: Floats2d = M * self._far[:, None]
        for lane, (row, stays) in enumerate(zip(rows, fixed, strict=True)):
            if stays or row == NOTHING:
                W[:, lane] = 0
        some = [self._some(row, stays) for row, stays in zip(rows, fixed, strict=True)]
        lanes = np.repeat(np.arange(len(rows)), [len(states) for states, _ in some])
        cells = np.concatenate([states for states, _ in some]) * len(rows) + lanes
        W.reshape(-1)[cells] += M.reshape(-1)[cells] * np.concatenate([e for _, e in some])
        return W

    def prepare(self, rows: set[int]) -> None:
        """Make ready what several words say, which takes less time together."""
        new = rows - self._kept.keys() - {NOTHING}
        self.kernel.prepare(new)
        for row in new:
            self._of(row)

    def _some(self, row: int, stays: bool) -> Some:
        if stays:
            part = slice(self.chain.emit.indptr[row], self.chain.emit.indptr[row + 1])
            return self.chain.emit.indices[part], self.chain.emit.data[part]
        if row == NOTHING:
            return np.arange(self.chain.states), self.chain.totals.astype(self.dtype)
        return self._of(row)

    def _of(self, row: int) -> Some:
        found = self._kept.get(row)
        if found is None:
            near = self._near(row)
            states = np.flatnonzero(near)
            found = states, near[states].astype(self.dtype)
            self._bytes += found[0].nbytes + found[1].nbytes + ENTRY_BYTES
            if self._bytes > CACHE_BYTES:
                self._kept, self._bytes = {}, 0
            self._kept[row] = found
        return found

    def _near(self, row: int) -> Floats1d:
        """float64 (K,): what the words nearer than the reach add."""
        words, extra = self.kernel.near(row)
        if self.chain.one_state is None:
            return np.asarray(self.chain.emit[words].T @ extra)
        states, shares = self.chain.one_state
        sums = np.bincount(states[words], extra * shares[words], self.chain.states)
        return sums.astype(np.float64)

    def exact(self, row: int, stays: bool = False) -> Floats1d:
        """float64 (K,): all of it, for those who want probabilities."""
        if stays or row == NOTHING:
            states, numbers = self._some(row, stays)
            one = np.zeros(self.chain.states)
            one[states] = self.chain.totals if row == NOTHING else numbers
            return one
        return self.chain.totals * self.kernel.far + self._near(row)

    def word(self, row: int, state: int, uniform: float) -> int:
        """A word of the state, drawn by B[y, state] exp(-beta path(w, y))."""
        words, shares = self.chain.words_of(state)
        if len(words) == 1:
            return int(words[0])
        weights = shares if row == NOTHING else shares * self.kernel.weights(row, words)
        return int(words[pick(weights, uniform)])

    # What was drawn for is no business of anybody who gets a copy.
    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_kept": {}, "_bytes": 0}


def pick(weights: Numbers1d, uniform: float) -> int:
    """An index, drawn by weight; uniform: in [0, 1)."""
    sums = weights.cumsum(dtype=np.float64)
    total = float(sums[-1])
    # uniform * total must not be rounded up to the total, beyond the last weight above 0.
    return int(sums.searchsorted(min(uniform * total, np.nextafter(total, 0)), side="right"))
