"""The public graph of near words with the edge lengths of a policy.

    path(v, w) = min(shortest path on the graph, r(v) + r(w))

The radius r(w) of a word is its distance to a point that joins all words, so the distance of two
words is at most the sum of their radii, and path is a metric.

`Kernel` has the weights exp(-beta path) of words as outputs of others. Words nearer than the sum of
radii have individual weights; radii determine the weights of all others. No word of the space is
left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints1d, Numbers1d, blocks
from ..machine import RowCache
from .path_search import PathSearch
from .path_table import PathTable, Steps, open_table, store_table
from .word_graph import WordGraph, both_ways

QUANTA = 16  # to a unit of length
CACHE_BYTES = 2**28  # of paths: of 13,000 words of a space of 20,000, at a byte a path


@dataclass(frozen=True, eq=False, repr=False)
class PolicyGraph:
    """The edges of each word in both directions, and the radii, in quanta.

    starts (n + 1,), ends (m,), steps (m,). radii: int64 (n,), each at most an edge plus the radius
    at its other end.
    """

    starts: Numbers1d
    ends: Numbers1d
    steps: Numbers1d
    radii: Ints1d
    quanta: int = QUANTA

    def __len__(self) -> int:
        return len(self.radii)

    @property
    def longest(self) -> float:
        """An upper bound on the distance of two words, in units of length."""
        return 2 * int(self.radii.max()) / self.quanta

    def farthest(self, rows: Ints1d) -> float:
        """Return an upper bound on the distance of two of these words, in units of length."""
        return float(np.sort(self.radii[rows])[-2:].sum() / self.quanta)

    def within(self, rows: Ints1d) -> list[Steps]:
        """Return for each of k words the words nearer than the sum of radii, sorted by row, and by
        how many quanta. They are read from the path table, else searched."""
        wanted = rows.tolist()
        cached = self._cache.find(wanted)
        reached = {row: self._expanded(*arrays) for row, arrays in cached.items()}
        if missing := sorted(set(wanted) - reached.keys()):
            found = {} if self._table is None else self._table.read(missing)
            unread = [row for row in missing if row not in found]
            found |= zip(unread, self.search_within(np.array(unread, np.int64)), strict=True)
            self._cache.add({row: self._compressed(row, *steps) for row, steps in found.items()})
            reached |= found
        return [reached[row] for row in wanted]

    def _compressed(self, row: int, words: Numbers1d, nearer: Numbers1d) -> tuple[Numbers1d, ...]:
        """Return what `within` returns of a word, or by how many quanta all words are nearer, (n,),
        where that takes less memory."""
        dtype = np.min_scalar_type(int(2 * self.radii[row]))  # no word is nearer than itself
        if len(self) * dtype.itemsize >= words.nbytes + nearer.nbytes:
            return words, nearer
        dense = np.zeros(len(self), dtype=dtype)
        dense[words] = nearer
        return (dense,)

    def _expanded(self, *arrays: Numbers1d) -> Steps:
        if len(arrays) == 2:
            words, nearer = arrays
            return words, nearer
        words = np.flatnonzero(arrays[0] != 0).astype(np.int32)
        return words, arrays[0].take(words).astype(np.int16)

    def search_within(self, rows: Ints1d) -> list[Steps]:
        """Search the words and numbers that `within` returns.

        With potentials, a word w is at path(v, w) + r(v) - r(w), which is below 2 r(v) if path(v,
        w) is below r(v) + r(w). This bounds the search (Johnson 1977).
        """
        steps: list[Steps] = []
        if not len(rows):
            return steps
        far = 2 * self.radii[rows] - 1
        scratch = self._search.scratch(len(rows))
        for part in blocks(len(rows), self._search.at_once):
            reached = self._search.search(rows[part], far[part], scratch, by_number=True)
            nearer = np.repeat(far[part] + 1, reached.sizes) - reached.steps
            cuts = np.cumsum(reached.sizes)[:-1]
            words = np.split(reached.words.astype(np.int32), cuts)
            steps += zip(words, np.split(nearer.astype(np.int16), cuts), strict=True)
        return steps

    @cached_property
    def _search(self) -> PathSearch:
        # Potentials: edges gain the radius of their start and lose that of their end.
        owners = np.repeat(np.arange(len(self)), np.diff(self.starts))
        steps = self.steps + self.radii[owners] - self.radii[self.ends]
        return PathSearch(self.starts, self.ends, steps, 2 * int(self.radii.max()))

    @cached_property
    def _cache(self) -> RowCache:  # of what `within` returns, for all kernels
        return RowCache(CACHE_BYTES)

    @cached_property
    def _table(self) -> PathTable | None:
        return open_table(self)

    @property
    def arrays(self) -> tuple[Numbers1d, ...]:
        """The arrays that determine all paths."""
        return self.starts, self.ends, self.steps, self.radii, np.array([self.quanta])

    def store(self, report: Callable[[int], object] = lambda _: None) -> bool:
        """Store the paths from the commonest words on this machine, unless they are stored.

        It takes ten seconds and 170 MB; later processes read them in place of searching. Only named
        policies of the built-in space are stored. No output depends on it.

        Args:
            report: Called with the number of words searched since the last call.

        Returns:
            Whether they are stored. They are not if the environment variable DX_CACHE is empty, or,
            with a DxWarning, if the folder cannot be written.
        """
        self.__dict__.pop("_table", None)
        return store_table(self, report)

    # A copy opens the table and prepares the search again.
    def __getstate__(self) -> dict[str, Any]:
        return {item.name: getattr(self, item.name) for item in fields(self)}

    def distances(self, rows: Ints1d) -> Floats2d:
        """Return the distances of k words from all, float64 (k, n), in units of length."""
        D = self.radii[rows][:, None].astype(np.float64) + self.radii
        for row, (words, nearer) in zip(D, self.within(rows), strict=True):
            row[words] -= nearer
        return D / self.quanta


def with_lengths(graph: WordGraph, lengths: Floats1d, radii: Floats1d) -> PolicyGraph:
    """Return the graph with lengths (m / 2,) of graph.edges and radii (n,), in units of length,
    rounded up to quanta. A word near one with a small radius may get a smaller radius."""
    low, high, _ = graph.edges
    steps = np.ceil(lengths * QUANTA - 1e-6).astype(np.int64)
    closed = _closed(np.round(radii * QUANTA).astype(np.int64), low, high, steps)
    used = steps < closed[low] + closed[high]
    return PolicyGraph(*both_ways(len(graph), low[used], high[used], steps[used]), closed)


def _closed(radii: Ints1d, low: Ints1d, high: Ints1d, steps: Ints1d) -> Ints1d:
    """Return the lengths of shortest paths to the point that joins all words (Bellman 1958)."""
    closed, before = radii.copy(), None
    while before is None or (closed != before).any():
        before = closed.copy()
        np.minimum.at(closed, low, before[high] + steps)
        np.minimum.at(closed, high, before[low] + steps)
    return closed


class Kernel:
    """Weights exp(-beta path(w, y)), up to a factor of each w.

    outputs: float64 (n,), exp(-beta r(y)) up to a factor: the least weight of y.
    """

    def __init__(self, graph: PolicyGraph, beta: float) -> None:
        self.graph, self.beta = graph, beta
        radii = graph.radii / graph.quanta
        self.outputs: Floats1d = np.exp(-beta * (radii - radii.min()))
        steps = np.arange(2 * graph.radii.max() + 1) / graph.quanta
        self._times = np.expm1(beta * steps)

    def nearer_words(self, row: int, steps: Steps | None = None) -> tuple[Numbers1d, Floats1d]:
        """Return the words nearer than the sum of radii, sorted by row, and the excess of their
        weights over those by radii. `prepare` returns the steps."""
        words, nearer = self.prepare([row])[row] if steps is None else steps
        return words, self.outputs.take(words) * self._times.take(nearer)

    def prepare(self, rows: Iterable[int]) -> dict[int, Steps]:
        """Return the result of PolicyGraph.within by row; one search for all rows is faster."""
        wanted = sorted(set(rows))
        return dict(zip(wanted, self.graph.within(np.array(wanted, np.int64)), strict=True))

    def times(self, row: int, others: Numbers1d, steps: Steps | None = None) -> Floats1d:
        """Return the weights of k words as outputs of a word over those by radii, float64 (k,),
        which are those of the word as an output of each. `prepare` returns the steps."""
        words, nearer = self.prepare([row])[row] if steps is None else steps
        at = np.minimum(np.searchsorted(words, others), len(words) - 1)
        times: Floats1d = 1 + np.where(words[at] == others, self._times[nearer[at]], 0.0)
        return times

    def weights(self, row: int, outputs: Numbers1d, steps: Steps | None = None) -> Floats1d:
        """Return the weights of k outputs of a word, float64 (k,). `prepare` returns the steps."""
        weights: Floats1d = self.outputs[outputs] * self.times(row, outputs, steps)
        return weights

    def all_weights(self, row: int, steps: Steps | None = None) -> Floats1d:
        """Return the weights of all words, float64 (n,). `prepare` returns the steps."""
        words, extra = self.nearer_words(row, steps)
        weights = self.outputs.copy()
        weights[words] += extra
        return weights

    @cached_property
    def unchanged(self) -> Floats1d:
        """The weight of each word as an output of itself, float64 (n,)."""
        unchanged: Floats1d = self.outputs * (1 + self._times[2 * self.graph.radii])
        return unchanged

    def distances(self, rows: Ints1d) -> Floats2d:
        """Return the metric, float64 (k, n)."""
        return self.graph.distances(rows)
