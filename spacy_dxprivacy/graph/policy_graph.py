"""The public graph of near words with lengths of a policy's: how well each pair is protected."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints1d, Numbers1d, blocks
from .walk import Walker
from .word_graph import WordGraph

QUANTA = 16  # to a unit of length
MOST_QUANTA = 254  # that a walk can count
NUMBERS = 2**23  # distances at once, of eight bytes each


@dataclass(frozen=True, eq=False)
class PolicyGraph:
    """starts (n + 1,), ends (m,), steps (m,): the edges of each word in both directions, with their
    lengths in quanta. reach: quanta of the edge between any two words."""

    starts: Numbers1d
    ends: Numbers1d
    steps: Numbers1d
    reach: int
    quanta: int = QUANTA

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def longest(self) -> float:
        """The largest distance between two words."""
        return self.reach / self.quanta

    @cached_property
    def walker(self) -> Walker:
        return Walker(self.starts, self.ends, self.steps, self.reach)

    def within(self, rows: Ints1d) -> list[tuple[Numbers1d, Numbers1d]]:
        """For each of k words: the words nearer than the reach, by rising number, and their steps.

        By Dijkstra's algorithm of scipy, which takes less time than the walker where the reach is
        many steps.
        """
        from scipy.sparse.csgraph import dijkstra

        found: list[tuple[Numbers1d, Numbers1d]] = []
        for part in blocks(len(rows), max(1, NUMBERS // len(self))):
            # Whole steps in float64: their sums are exact.
            for D in dijkstra(self._table, indices=rows[part], limit=self.reach - 1):
                words = np.flatnonzero(D < self.reach)
                found.append((words.astype(np.int32), D[words].astype(np.uint8)))
        return found

    @cached_property
    def _table(self) -> Any:
        from scipy.sparse import csr_array

        n, steps = len(self), self.steps.astype(np.float64)
        parts = (self.ends.astype(np.int32), self.starts.astype(np.int32))
        return csr_array((steps, *parts), shape=(n, n))

    def distances(self, rows: Ints1d) -> Floats2d:
        """float64 (k, n), in units of length."""
        return np.minimum(self.walker.distances(rows), self.reach) / self.quanta


def with_lengths(graph: WordGraph, lengths: Floats1d, reach: float) -> PolicyGraph:
    """The graph with other lengths: float (m / 2,), of graph.edges, in units; rounded up to quanta.

    No two words are farther apart than the reach, so that longer edges are left out.
    """
    low, high, _ = graph.edges
    most = min(round(reach * QUANTA), MOST_QUANTA)
    steps = np.ceil(np.minimum(lengths, reach) * QUANTA - 1e-6).astype(np.int64)
    joined = steps < most
    low, high, steps = low[joined], high[joined], steps[joined]
    owner, ends = np.concatenate([low, high]), np.concatenate([high, low])
    order = np.lexsort((ends, owner))
    starts = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(graph)))])
    return PolicyGraph(starts, ends[order], np.concatenate([steps, steps])[order], most)
