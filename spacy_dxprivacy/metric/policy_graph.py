"""The public graph of near words with lengths of a policy's: how well each pair is protected.

    path(v, w) = min(shortest path on the graph, r(v) + r(w))

The radius r(w) of a word is its way to a place that joins all words: no two of them are farther
apart than their radii together. It is the length of an edge like any other, so path is a metric.

`Kernel` has exp(-beta path), what a word weighs as the output of another. Words that are nearer
than both radii together have weights of their own; all others have that of the radii. Nothing is
left out: that weight is counted for every word of the space.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints1d, Numbers1d, blocks
from .paths import Walker
from .word_graph import WordGraph, both_ways

QUANTA = 16  # to a unit of length


@dataclass(frozen=True, eq=False, repr=False)
class PolicyGraph:
    """starts (n + 1,), ends (m,), steps (m,): the edges of each word in both directions, with their
    lengths in quanta. radii: int64 (n,), quanta, none larger than an edge and the radius at its
    other end. apart: what privacy.levels would measure, where it is known."""

    starts: Numbers1d
    ends: Numbers1d
    steps: Numbers1d
    radii: Ints1d
    quanta: int = QUANTA
    apart: Mapping[str, float] | None = None

    def __len__(self) -> int:
        return len(self.radii)

    @property
    def longest(self) -> float:
        """No two words are farther apart, in units of length."""
        return 2 * int(self.radii.max()) / self.quanta

    def within(self, rows: Ints1d) -> list[tuple[Numbers1d, Numbers1d]]:
        """For each of k words: the words nearer than both radii together, by rising number, and how
        many quanta nearer.

        By the potentials of the walker a word w is at path(v, w) + r(v) - r(w), which is below
        2 r(v) where path(v, w) is below r(v) + r(w): so a walk needs to go no farther (Johnson
        1977)."""
        found: list[tuple[Numbers1d, Numbers1d]] = []
        far = 2 * self.radii[rows] - 1
        room = self._walker.room(len(rows))
        for part in blocks(len(rows), self._walker.at_once):
            walks = self._walker.by_number(rows[part], far[part], room)
            nearer = np.repeat(far[part] + 1, walks.sizes) - walks.steps
            cuts = np.cumsum(walks.sizes)[:-1]
            words = np.split(walks.words.astype(np.int32), cuts)
            found += zip(words, np.split(nearer.astype(np.int16), cuts), strict=True)
        return found

    @cached_property
    def _walker(self) -> Walker:
        """Over quanta of each edge, plus the radius where it begins, less that where it ends; not
        negative."""
        owners = np.repeat(np.arange(len(self)), np.diff(self.starts))
        steps = self.steps + self.radii[owners] - self.radii[self.ends]
        reach = 2 * int(self.radii.max())
        return Walker(self.starts, self.ends, steps, reach)

    def distances(self, rows: Ints1d) -> Floats2d:
        """float64 (k, n), in units of length."""
        D = self.radii[rows][:, None].astype(np.float64) + self.radii
        for one, (words, nearer) in zip(D, self.within(rows), strict=True):
            one[words] -= nearer
        return D / self.quanta


def with_lengths(graph: WordGraph, lengths: Floats1d, radii: Floats1d) -> PolicyGraph:
    """The graph with other lengths: float (m / 2,), of graph.edges, and radii (n,), in units;
    rounded up to quanta. A word that is near to one of a smaller radius may get a smaller one."""
    low, high, _ = graph.edges
    steps = np.ceil(lengths * QUANTA - 1e-6).astype(np.int64)
    closed = _closed(np.round(radii * QUANTA).astype(np.int64), low, high, steps)
    used = steps < closed[low] + closed[high]
    return PolicyGraph(*both_ways(len(graph), low[used], high[used], steps[used]), closed)


def with_steps(graph: PolicyGraph, steps: Ints1d, radii: Ints1d, quanta: int) -> PolicyGraph:
    """The graph with other lengths: steps (m,) of its edges in both directions, radii (n,), in
    quanta of which there are so many to a unit."""
    low, ends = np.repeat(np.arange(len(graph)), np.diff(graph.starts)), np.asarray(graph.ends)
    once = low < ends
    closed = _closed(radii, low[once], ends[once], steps[once])
    used = steps < closed[low] + closed[ends]
    starts = np.concatenate([[0], np.cumsum(np.bincount(low[used], minlength=len(graph)))])
    return PolicyGraph(starts, ends[used], steps[used], closed, quanta)


def _closed(radii: Ints1d, low: Ints1d, high: Ints1d, steps: Ints1d) -> Ints1d:
    """The shortest ways to the place that joins all words, over other words too (Bellman 1958):
    all of them are walked at once, and few lead over more than two words."""
    ways, before = radii.copy(), None
    while before is None or (ways != before).any():
        before = ways.copy()
        np.minimum.at(ways, low, before[high] + steps)
        np.minimum.at(ways, high, before[low] + steps)
    return ways


# -- weights ---------------------------------------------------------------------------------------


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
