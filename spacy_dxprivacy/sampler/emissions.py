"""What a word of the input says of the states of a chain: sums of its kernel over their words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from ..arrays import Bools1d, Floats1d, Floats2d, Ints1d, Numbers1d
from ..metric.policy_graph import Kernel, Steps
from ..prior.chain import Chain

CACHE_BYTES = 2**27
ENTRY_BYTES = 300  # of an entry of the cache besides its numbers
# Nats of beta times the reach up to which float32 holds all sums: docs/explanation/sentences.md.
SINGLE = 48.0
AT_ONCE = 128  # numbers of which a draw looks at the sum first
NOTHING = -1  # a word that the space lacks: it says nothing

Some = tuple[Numbers1d, Numbers1d]  # states, and a number for each


class RowCache:
    """A pair of arrays for each row, within so many bytes; begun anew where they are more."""

    def __init__(self, most: int) -> None:
        self.most, self._bytes = most, 0
        self._kept: dict[int, Some] = {}

    def find(self, rows: Iterable[int]) -> dict[int, Some]:
        """Return those of the rows that are kept."""
        kept = self._kept  # which another thread may put another in place of
        return {row: kept[row] for row in rows if row in kept}

    def keep(self, made: dict[int, Some]) -> None:
        """Keep what was made for some rows."""
        size = sum(a.nbytes + b.nbytes + ENTRY_BYTES for a, b in made.values())
        if self._bytes + size > self.most:
            self._kept, self._bytes = {}, 0
        if size <= self.most:
            self._kept.update(made)
            self._bytes += size

    # What was drawn for is no business of anybody who gets a copy.
    def __getstate__(self) -> dict[str, Any]:
        return {"most": self.most, "_kept": {}, "_bytes": 0}


class Emissions:
    """E[z] = sum over y of B[y, z] exp(-beta path(w, y)): exact, for every word w of the space.

    It is kept as how many times as much some states get as they would if all their words were as
    far as the radii say; all other states get just that. totals: float (K,), that, up to a factor.
    """

    def __init__(self, chain: Chain, kernel: Kernel) -> None:
        self.chain, self.kernel = chain, kernel
        self.dtype = np.float32 if kernel.beta * kernel.graph.longest <= SINGLE else np.float64
        self._totals = chain.weighed(kernel.outputs)
        self.totals = self._totals.astype(self.dtype)
        silent = np.divide(
            chain.totals, self.totals, where=self._totals > 0, out=np.ones(chain.states)
        )
        self._silent = silent.astype(self.dtype)
        self._cache = RowCache(CACHE_BYTES)

    def of(self, rows: Iterable[int]) -> dict[int, Some]:
        """For each of several words the states that get more than they would at the radii, and how
        many times as much. Together they take less time."""
        wanted = set(rows) - {NOTHING}
        found = self._cache.find(wanted)
        new = self.kernel.prepare(wanted - found.keys())
        made = {row: self._factors(row, steps) for row, steps in new.items()}
        self._cache.keep(made)
        return found | made

    def weigh(self, M: Floats2d, rows: Ints1d, stays: Bools1d, said: Mapping[int, Some]) -> None:
        """M: float (K, k), how likely each state is before its word is seen, times totals; it is
        multiplied by what the word says, up to a factor for each of k words. stays: (k,). said: see
        `of`."""
        for lane in np.flatnonzero(stays).tolist():
            states, times = self._of_fixed(int(rows[lane]))
            left = M[states, lane] * times
            M[:, lane] = 0
            M[states, lane] = left
        silent = (rows == NOTHING) & ~stays
        if silent.any():
            M[:, silent] *= self._silent[:, None]
        for lane in np.flatnonzero(~(stays | silent)).tolist():
            np.multiply.at(M[:, lane], *said[int(rows[lane])])

    def _of_fixed(self, row: int) -> Some:
        """The states that a word which stays may have, and what they are multiplied by."""
        part = slice(self.chain.emit.indptr[row], self.chain.emit.indptr[row + 1])
        states, shares = self.chain.emit.indices[part], self.chain.emit.data[part]
        rounded = self.totals[states].astype(np.float64)
        return states, (shares / rounded).astype(self.dtype)

    def _factors(self, row: int, steps: Steps) -> Some:
        near = self._near(row, steps)
        states = np.flatnonzero(near)
        # Over the totals as they were rounded, so that their rounding does not count here.
        rounded = self.totals[states].astype(np.float64)
        factors = (self._totals[states] + near[states]) / rounded
        return states, factors.astype(self.dtype)

    def _near(self, row: int, found: Steps | None = None) -> Floats1d:
        """float64 (K,): what the words nearer than the radii add."""
        words, extra = self.kernel.near(row, found)
        if self.chain.one_state is None:
            return np.asarray(self.chain.emit[words].T @ extra)
        states, shares = self.chain.one_state
        sums = np.bincount(states[words], extra * shares[words], self.chain.states)
        return sums.astype(np.float64)

    def exact(self, row: int, stays: bool = False) -> Floats1d:
        """float64 (K,): all of it, for those who want probabilities."""
        if stays:
            one: Floats1d = self.chain.emit[[row]].toarray().reshape(-1).astype(np.float64)
            return one
        if row == NOTHING:
            return self.chain.totals
        return self._totals + self._near(row)

    def words(self, rows: Ints1d, states: Ints1d, uniforms: Floats1d) -> Ints1d:
        """Words of states, (k,) each, drawn by B[y, state] exp(-beta path(w, y))."""
        found = self._only[states]
        for i in np.flatnonzero(found == NOTHING).tolist():
            found[i] = self._word(int(rows[i]), int(states[i]), float(uniforms[i]))
        return found

    @cached_property
    def _only(self) -> Ints1d:
        """(K,): the word of each state that has one, NOTHING for others."""
        words = self.chain.of_states
        counts, found = np.diff(words.indptr), np.full(self.chain.states, NOTHING)
        found[counts == 1] = words.indices[words.indptr[:-1][counts == 1]]
        return found

    def _word(self, row: int, state: int, uniform: float) -> int:
        of = self.chain.of_states
        part = slice(of.indptr[state], of.indptr[state + 1])
        words, shares = of.indices[part], of.data[part]
        weights = shares if row == NOTHING else shares * self.kernel.weights(row, words)
        return int(words[pick(weights, uniform)])


def pick(weights: Numbers1d, uniform: float) -> int:
    """An index, drawn by weight; uniform: in [0, 1)."""
    numbers = weights.astype(np.float64)
    if len(numbers) < 2 * AT_ONCE:
        sums = numbers.cumsum()
        return _first_above(sums, uniform * float(sums[-1]))
    # Which block first: most numbers need not be added up one after the other.
    begins = np.arange(0, len(numbers), AT_ONCE)
    sums = np.add.reduceat(numbers, begins).cumsum()
    mark = uniform * float(sums[-1])
    block = _first_above(sums, mark)
    begin, before = block * AT_ONCE, float(sums[block - 1]) if block else 0.0
    return begin + _first_above(numbers[begin : begin + AT_ONCE].cumsum(), mark - before)


def _first_above(sums: Floats1d, mark: float) -> int:
    """The first index whose sum is above the mark, which may have been rounded up to the total."""
    below = np.nextafter(float(sums[-1]), 0)
    return int(sums.searchsorted(min(mark, below), side="right"))
