"""Walks from words outwards: who is within reach, in which distance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..ty import Floats2d, Ints1d

NUMBERS = 2**24  # float64 distances at once: 128 MB
MOST = 512  # words walked from at once


@dataclass(frozen=True)
class Walks:
    """What k words have within reach, word after word, each from near to far.

    sizes: (k,) how many words each reaches, itself included. words, steps: (sum of sizes,).
    """

    sizes: Ints1d
    words: Ints1d
    steps: Ints1d


class Walker:
    """starts (n + 1,), ends (m,), steps (m,): the edges of each word, in both directions."""

    def __init__(self, starts: Ints1d, ends: Ints1d, steps: Ints1d, reach: int) -> None:
        from scipy.sparse import csr_matrix

        n = len(starts) - 1
        arrays = steps.astype(np.float64), ends.astype(np.int32), starts.astype(np.int32)
        self.graph = csr_matrix(arrays, shape=(n, n))
        self.reach = reach

    @property
    def at_once(self) -> int:
        return int(min(MOST, max(1, NUMBERS // self.graph.shape[0])))

    def distances(self, rows: Ints1d) -> Floats2d:
        """float64 (k, n): steps of the shortest path, infinity beyond reach."""
        from scipy.sparse.csgraph import dijkstra

        D: Floats2d = dijkstra(self.graph, indices=rows, limit=self.reach)
        return D

    def __call__(self, rows: Ints1d) -> Iterator[tuple[slice, Walks]]:
        """By parts of rows, with the part that each belongs to. What is at the reach exactly, or
        beyond, is left out."""
        for start in range(0, len(rows), self.at_once):
            part = slice(start, min(start + self.at_once, len(rows)))
            yield part, _within(self.distances(rows[part]), self.reach)


def _within(D: Floats2d, reach: int) -> Walks:
    owner, words = np.nonzero(D < reach)
    steps = D[owner, words].astype(np.int64)
    order = np.argsort(owner * reach + steps, kind="stable")
    sizes = np.bincount(owner, minlength=len(D))
    return Walks(sizes, words[order], steps[order])
