"""Tables of cumulated weights, kept for the words that come most often.

Words of natural text repeat by Zipf's law, and a table takes a pass over the whole space to make.
It holds sums of `width` outputs, so that tables of many words find room; which one of them comes
out is another draw, from their weights alone. A table is the same whether it was kept or is made
anew, so no draw depends on what is kept. The counts of what came stay in this process and are never
saved.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from ...arrays import Floats1d, Floats2d, Ints1d
from ...machine.compute import array_module

BLOCK_NUMBERS = 2**22  # float64 numbers in the tables made at once: 32 MB
MEGABYTE = 2**20


@dataclass(eq=False, repr=False)
class Tables:
    """weights: rows (k,) -> float64 (k, n). megabytes: what the kept tables may take. width: how
    many outputs one number of a table stands for."""

    weights: Callable[[Ints1d], Floats2d]
    n: int
    megabytes: float
    width: int = 1
    kept: dict[int, Floats1d] = field(default_factory=dict, repr=False)
    seen: dict[int, int] = field(default_factory=dict, repr=False)
    rarest: list[tuple[int, int]] = field(default_factory=list, repr=False)

    def __call__(self, rows: Ints1d, counts: Ints1d) -> Iterator[tuple[int, Floats1d]]:
        """rows (k,), all different, and how often each is wanted -> for each of them, in an order
        of its own, its place in rows and its table, the weights of each `width` outputs summed and
        cumulated."""
        known = np.array([row in self.kept for row in rows.tolist()], dtype=bool)
        for place in np.flatnonzero(known).tolist():
            self._count(int(rows[place]), int(counts[place]))
            yield place, self.kept[int(rows[place])]
        missing = np.flatnonzero(~known)
        at_once = max(1, BLOCK_NUMBERS // self.n)
        for start in range(0, len(missing), at_once):
            places = missing[start : start + at_once]
            block = self._summed(self.weights(rows[places])).cumsum(axis=1)
            for place, table in zip(places.tolist(), block, strict=True):
                self._offer(int(rows[place]), int(counts[place]), table)
                yield place, table

    def _summed(self, W: Floats2d) -> Floats2d:
        if self.width == 1:
            return W
        xp = array_module(W)
        k, whole = len(W), self.n - self.n % self.width
        sums = W[:, :whole].reshape(k, -1, self.width).sum(axis=2)
        if whole == self.n:
            found: Floats2d = sums
            return found
        summed: Floats2d = xp.hstack([sums, W[:, whole:].sum(axis=1, keepdims=True)])
        return summed

    def _count(self, row: int, times: int) -> None:
        self.seen[row] = self.seen.get(row, 0) + times

    def _offer(self, row: int, times: int, table: Floats1d) -> None:
        """Keep it if there is room, or if some kept one was wanted less often."""
        self._count(row, times)
        if (len(self.kept) + 1) * table.nbytes <= self.megabytes * MEGABYTE:
            heapq.heappush(self.rarest, (self.seen[row], row))
        elif not self._make_way(self.seen[row], row):
            return
        self.kept[row] = table.copy()

    def _make_way(self, often: int, row: int) -> bool:
        while self.rarest and self.rarest[0][0] < self.seen[self.rarest[0][1]]:
            other = self.rarest[0][1]  # wanted again since it was noted
            heapq.heapreplace(self.rarest, (self.seen[other], other))
        if not self.rarest or self.rarest[0][0] >= often:
            return False
        del self.kept[heapq.heapreplace(self.rarest, (often, row))[1]]
        return True
