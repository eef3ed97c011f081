"""exp(-beta path) on a graph of words: what a word weighs as the output of another.

Words that are nearer than both radii together have weights of their own; all others have that of
the radii. Nothing is left out: that weight is counted for every word of the space.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints1d, Numbers1d
from .policy_graph import PolicyGraph

CACHE_BYTES = 2**28
ENTRY_BYTES = 200  # of an entry of the cache besides its arrays

Near = tuple[Numbers1d, Floats1d]
Steps = tuple[Numbers1d, Numbers1d]


class Kernel:
    """Weights exp(-beta path(w, y)), up to a factor of each w.

    outputs: float64 (n,), exp(-beta r(y)) up to a factor: what y weighs at least.
    """

    def __init__(self, graph: PolicyGraph, beta: float) -> None:
        self.graph, self.beta = graph, beta
        radii = graph.radii / graph.quanta
        self.outputs: Floats1d = np.exp(-beta * (radii - radii.min()))
        steps = np.arange(2 * graph.radii.max() + 1) / graph.quanta
        self._times = np.expm1(beta * steps)
        self._kept: dict[int, Steps] = {}
        self._bytes = 0

    def near(self, row: int, found: Steps | None = None) -> Near:
        """The words nearer than both radii, by rising number, and what each weighs beyond what it
        does at the radii. found: what `prepare` gave for the word."""
        words, nearer = self._steps(row) if found is None else found
        return words, self.outputs[words] * self._times[nearer]

    def _steps(self, row: int) -> Steps:
        found = self._kept.get(row)
        return self.prepare([row])[row] if found is None else found

    def prepare(self, rows: Iterable[int]) -> dict[int, Steps]:
        """Walk from several words at once, which takes less time: near words, how much nearer."""
        wanted, kept = set(rows), self._kept  # which another thread may put another in place of
        new = np.array(sorted(wanted - kept.keys()), dtype=np.int64)
        found = {row: kept[row] for row in wanted & kept.keys()}
        if len(new):
            made = dict(zip(new.tolist(), self.graph.within(new), strict=True))
            self._keep(made)
            found |= made
        return found

    def _keep(self, made: dict[int, Steps]) -> None:
        size = sum(words.nbytes + steps.nbytes + ENTRY_BYTES for words, steps in made.values())
        if self._bytes + size > CACHE_BYTES:
            self._kept, self._bytes = {}, 0
        self._kept.update(made)
        self._bytes += size

    def weights(self, row: int, outputs: Numbers1d) -> Floats1d:
        """float64 (k,): of each of k outputs of a word."""
        words, nearer = self._steps(row)
        at = np.minimum(np.searchsorted(words, outputs), len(words) - 1)
        times = 1 + np.where(words[at] == outputs, self._times[nearer[at]], 0.0)
        weights: Floats1d = self.outputs[outputs] * times
        return weights

    def distances(self, rows: Ints1d) -> Floats2d:
        """float64 (k, n): the metric."""
        return self.graph.distances(rows)

    # What was drawn for is no business of anybody who gets a copy.
    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_kept": {}, "_bytes": 0}
