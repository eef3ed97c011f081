"""Compute the emission likelihoods of input words: sums of the kernel over the words of a state."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from ..arrays import Floats1d, Ints1d, Numbers1d
from ..machine import RowCache
from ..metric.path_table import Steps
from ..metric.policy_graph import Kernel
from ..prior.chain import Chain

CACHE_BYTES = 2**27
# Nats of beta times the longest distance, up to which float32 suffices:
# docs/explanation/sentences.md.
SINGLE = 48.0
WORDS_AT_ONCE = 64  # whose candidates are in memory
BLOCK_SIZE = 128  # numbers in a block; sampling reads the sums of blocks first
UNKNOWN_ROW = -1  # of a word that the space lacks: all states are equally likely

SparseNumbers = tuple[Numbers1d, Numbers1d]  # states, and a number for each


class Emissions:
    """E[z] = sum over y of B[y, z] exp(-beta path(w, y)): exact, for every word w of the space.

    It is sparse: totals, float (states,), is E by radii only, up to a factor, and each word has
    factors for the states with a larger E. Contexts have the emissions of their bases.
    """

    def __init__(self, chain: Chain, kernel: Kernel) -> None:
        self.chain, self.kernel = chain, kernel
        self.dtype = np.float32 if kernel.beta * kernel.graph.longest <= SINGLE else np.float64
        self._type_of = chain.expand_to_states(np.arange(chain.types))
        self.exact_totals = chain.expand_to_states(chain.emission_sums(kernel.outputs))
        self.totals = self.exact_totals.astype(self.dtype)
        totals, ones = chain.expand_to_states(chain.totals), np.ones(chain.states)
        silent = np.divide(totals, self.totals, where=self.exact_totals > 0, out=ones)
        self.silent = silent.astype(self.dtype)
        self._narrow = np.min_scalar_type(chain.states - 1)  # twice as many rows in the cache
        self._cache = RowCache(CACHE_BYTES)

    def of(self, rows: Iterable[int]) -> dict[int, SparseNumbers]:
        """Return by row the states with a larger E than their totals, and the factors. One search
        for all rows is faster."""
        wanted = set(rows) - {UNKNOWN_ROW}
        cached = self._cache.find(wanted)
        if wanted == cached.keys():
            return cached
        computed: dict[int, SparseNumbers] = {}
        for row, steps in self.kernel.prepare(wanted - cached.keys()).items():
            added = self._added(row, steps)
            if len(self._type_of) > len(added):
                added = added[self._type_of]
            states = np.flatnonzero(added.astype(bool))  # twice as fast as for floats
            # Relative to the rounded totals, so that their rounding cancels.
            rounded = self.totals[states].astype(np.float64)
            factors = (self.exact_totals[states] + added[states]) / rounded
            computed[row] = states.astype(self._narrow), factors.astype(self.dtype)
        self._cache.add(computed)
        return cached | computed

    def _added(self, row: int, steps: Steps | None = None) -> Floats1d:
        """Return the sums over the words nearer than the sum of radii, float64 (K,)."""
        words, extra = self.kernel.nearer_words(row, steps)
        if self.chain.one_state is None:
            return np.asarray(self.chain.emit[words].T @ extra)
        states, shares = self.chain.one_state
        extra *= shares.take(words)
        sums = np.bincount(states.take(words), extra, self.chain.types)
        return sums.astype(np.float64, copy=False)

    def exact(self, row: int, fixed: bool = False) -> Floats1d:
        """Return E of a word, float64 (states,)."""
        if fixed:
            emitted: Floats1d = self.chain.emitters[[row]].toarray().reshape(-1).astype(np.float64)
            return emitted
        if row == UNKNOWN_ROW:
            return self.chain.expand_to_states(self.chain.totals)
        return self.exact_totals + self.chain.expand_to_states(self._added(row))

    def words(self, rows: Ints1d, states: Ints1d, uniforms: Floats1d) -> Ints1d:
        """Sample the words (k,) of states (k,), by B[y, state] exp(-beta path(w, y))."""
        states = self._type_of[states]
        drawn = self._single_words[states]
        to_draw, listed = np.flatnonzero(drawn == UNKNOWN_ROW).tolist(), self.chain.words_by_state
        nearer = self.kernel.prepare({int(rows[i]) for i in to_draw} - {UNKNOWN_ROW})
        for start in range(0, len(to_draw), WORDS_AT_ONCE):
            candidates = dict[int, tuple[Numbers1d, Numbers1d]]()
            for i in to_draw[start : start + WORDS_AT_ONCE]:
                part = slice(*listed.indptr[states[i] : states[i] + 2])
                words, weights, row = listed.indices[part], listed.data[part], int(rows[i])
                if row != UNKNOWN_ROW:
                    weights = weights * self.kernel.weights(row, words, nearer[row])
                candidates[i] = words, weights
            for i, (words, weights) in candidates.items():
                drawn[i] = words[sample_index(weights, float(uniforms[i]))]
        return drawn

    @cached_property
    def _single_words(self) -> Ints1d:
        """The word of each type with a single word, UNKNOWN_ROW for others, int64 (K,)."""
        words = self.chain.words_by_state
        counts, single = np.diff(words.indptr), np.full(self.chain.types, UNKNOWN_ROW)
        single[counts == 1] = words.indices[words.indptr[:-1][counts == 1]]
        return single


def sample_index(weights: Numbers1d, uniform: float) -> int:
    """Sample an index by weight, by inverse CDF at a uniform number in [0, 1)."""
    numbers = weights.astype(np.float64)
    if len(numbers) < 2 * BLOCK_SIZE:
        sums = numbers.cumsum()
        return _first_above(sums, uniform * float(sums[-1]))
    # The block first: then most numbers need no cumulative sum.
    begins = np.arange(0, len(numbers), BLOCK_SIZE)
    sums = np.add.reduceat(numbers, begins).cumsum()
    mark = uniform * float(sums[-1])
    block = _first_above(sums, mark)
    begin, before = block * BLOCK_SIZE, float(sums[block - 1]) if block else 0.0
    return begin + _first_above(numbers[begin : begin + BLOCK_SIZE].cumsum(), mark - before)


def _first_above(sums: Floats1d, mark: float) -> int:
    """Return the first index with a sum above the mark, which may be rounded up to the total."""
    below = np.nextafter(float(sums[-1]), 0)
    return int(sums.searchsorted(min(mark, below), side="right"))
