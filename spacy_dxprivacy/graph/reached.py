"""The words near a word, from near to far: walked to when they are needed, and kept for a while.

No result depends on what is kept, nor on its bound.
"""

from __future__ import annotations

import os
from threading import Lock
from typing import Any
from weakref import WeakSet

import numpy as np

from ..arrays import Bools1d, Ints1d, Numbers1d
from .walk import Walker, Walks

POOL_BYTES = 2**26  # of words that were walked to: 64 MB
STEPS_AT_ONCE = 6  # words are walked from this far, or twice as far, ...

_all: WeakSet[Reached] = WeakSet()


class Reached:
    """counts (n, reach): how many words are at each distance. lists: those words of the first word,
    itself first, from near to far; then of the second, and so on; None where they are not stored.
    """

    def __init__(self, walker: Walker, counts: Numbers1d, lists: Numbers1d | None) -> None:
        self._walker, self._counts = walker, counts
        self._stored, n = lists is not None, len(counts)
        self._pool: Numbers1d = np.empty(0, np.min_scalar_type(n - 1)) if lists is None else lists
        self._sizes = np.zeros(n, dtype=np.int64)
        self._firsts = np.zeros(n, dtype=np.int64)
        if self._stored:
            self._sizes = counts.sum(axis=1, dtype=np.int64)
            self._firsts = np.cumsum(self._sizes) - self._sizes
        self._used = len(self._pool)
        self._turn = Lock()  # another thread may forget what was walked
        _all.add(self)

    def at(self, rows: Ints1d, places: Ints1d) -> Ints1d:
        """(k,): the words at these places of the lists of k rows."""
        with self._turn:
            lacking = self._lacking(rows, places)
            if self._used + lacking[2] > self._room and not self._stored:
                self._forget()
                lacking = self._lacking(rows, places)
            for part, walks in self._walker(*lacking[:2]):
                self._keep(lacking[0][part], walks)
            found: Ints1d = self._pool[self._firsts[rows] + places].astype(np.int64)
        return found

    @property
    def _room(self) -> int:
        """So many words are kept."""
        return POOL_BYTES // self._pool.itemsize

    def are_near(self, rows: Ints1d, others: Ints1d) -> Bools1d:
        """bool (k,): whether the path from each of k rows to another word is below the reach.

        It is walked from both ends: the last word of the path within some of it from one end is
        followed by one that is within the rest of it from the other. Rows are often asked for
        again, others seldom, so less is walked from these.
        """
        n, most = self._walker.n, self._walker.reach - 1
        far = 3 * most // 8
        owners, words, steps = self._within(rows, most - far - 1)
        theirs, ends, rest = self._within(others, far)
        over, to, lengths = self._walker.edges_of(words)
        keys = np.concatenate([owners * n + words, owners[over] * n + to])
        ways = np.concatenate([steps, steps[over] + lengths])
        order = np.argsort(theirs * n + ends)
        known, rest = (theirs * n + ends)[order], rest[order]
        places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        near = (known[places] == keys) & (ways + rest[places] <= most)
        found: Bools1d = np.bincount(keys[near] // n, minlength=len(rows)) > 0
        return found

    def _within(self, rows: Ints1d, depth: int) -> tuple[Ints1d, Ints1d, Ints1d]:
        """The words that are so many steps away from k rows: of which row each, itself, steps."""
        counts = self._counts[rows, : depth + 1].astype(np.int64)
        sizes = counts.sum(axis=1)
        owners = np.repeat(np.arange(len(rows)), sizes)
        places = np.arange(len(owners)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        steps = np.repeat(np.tile(np.arange(depth + 1), len(rows)), counts.reshape(-1))
        return owners, self.at(rows[owners], places), steps

    def _lacking(self, rows: Ints1d, places: Ints1d) -> tuple[Ints1d, Ints1d, int]:
        """Each word whose list ends before a place, with how far to walk from it, and how many
        words that is in all. Some farther than is needed, so that few are walked from again."""
        short = self._sizes[rows] <= places
        some, which = np.unique(rows[short], return_inverse=True)
        farthest = np.zeros(len(some), dtype=np.int64)
        np.maximum.at(farthest, which, places[short])
        ends = np.cumsum(self._counts[some], axis=1, dtype=np.int64)
        depths = (ends <= farthest[:, None]).sum(axis=1)
        depths = np.maximum(1, -(-depths // STEPS_AT_ONCE)) * STEPS_AT_ONCE
        depths = np.minimum(depths, self._walker.reach - 1)
        return some, depths, int(ends[np.arange(len(some)), depths].sum())

    def _keep(self, rows: Ints1d, walks: Walks) -> None:
        end = self._used + len(walks.words)
        if end > len(self._pool):
            # All of it at once: what is not used yet takes no memory, and nothing is copied.
            grown = np.empty(max(end, self._room), dtype=self._pool.dtype)
            grown[: self._used] = self._pool[: self._used]
            self._pool = grown
        self._pool[self._used : end] = walks.words
        # In this order what is kept is right whenever it is interrupted, or the process forked: a
        # list that is walked to anew begins with what it was.
        first, self._used = self._used, end
        self._firsts[rows] = first + np.cumsum(walks.sizes) - walks.sizes
        self._sizes[rows] = walks.sizes

    def _forget(self) -> None:
        self._sizes[:] = self._used = 0
        self._pool = self._pool[:0].copy()

    # What was drawn for is no business of anybody who gets a copy.
    def __reduce__(self) -> tuple[Any, ...]:
        return Reached, (self._walker, self._counts, self._pool if self._stored else None)


def _renew_locks() -> None:
    """In a forked process: whoever held one is not there."""
    for one in _all:
        one._turn = Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)
