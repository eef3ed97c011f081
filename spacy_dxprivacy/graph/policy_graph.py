"""The public graph of near words with lengths of a policy's: how well each pair is protected."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints1d, Numbers1d
from .walk import Walker
from .word_graph import WordGraph

QUANTA = 16  # to a unit of length
MOST_QUANTA = 254  # that a walk can count


@dataclass(frozen=True, eq=False, repr=False)
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
        """For each of k words: the words nearer than the reach, itself first, and their steps."""
        found: list[tuple[Numbers1d, Numbers1d]] = []
        for _, walks in self.walker(rows):
            cuts = np.cumsum(walks.sizes)[:-1]
            words = np.split(walks.words.astype(np.int32), cuts)
            found += zip(words, np.split(walks.steps.astype(np.uint8), cuts), strict=True)
        return found

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
