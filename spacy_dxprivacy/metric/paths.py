"""Shortest paths from words: which words are within reach, and at which distance.

`PathSearch` searches from many words at once; `Neighbourhoods` caches the results, on which the
cache and its size have no influence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Bools1d, Floats2d, Ints1d, Ints2d, Numbers1d, Numbers2d
from ..machine import RowCache

NUMBERS = 2**25  # distances at once, of one or two bytes: more do not fit into caches
SEARCHED_AT_ONCE = 128  # words searched from at once
LENGTHS = 64  # most classes of edge lengths
TURNS = 16  # of a search of many steps
BITS = 16  # for the steps in a number of word and steps: a path, or an edge
STEPS = 2**BITS - 1


@dataclass(frozen=True, eq=False, repr=False)
class ReachedSets:
    """The words within reach of k words, for each by rising distance, ties by row.

    sizes: (k,), the number of words that each reaches, including itself. words, steps: (sum of
    sizes,).
    """

    sizes: Ints1d
    words: Ints1d
    steps: Ints1d

    def counts(self, reach: int) -> Ints2d:
        """Count the words at each distance from each word, shape (k, reach)."""
        k = len(self.sizes)
        keys = np.repeat(np.arange(k), self.sizes) * reach + self.steps
        return np.bincount(keys, minlength=k * reach).reshape(k, reach)


class PathSearch:
    """Dijkstra's search from many words at once, in whole steps: all words within so many steps are
    settled before farther ones (delta-stepping, Meyer and Sanders 2003).

    starts (n + 1,), ends (m,), steps (m,): the edges of each word, in both directions, not
    negative. Edges are sorted by length, and those that lead too far are not read: most words are
    reached near the end of a search, where few edges are short enough.
    """

    def __init__(self, starts: Numbers1d, ends: Numbers1d, steps: Numbers1d, reach: int) -> None:
        self.n, self.reach = len(starts) - 1, reach
        # Words searched from at a time, which bounds memory.
        self.at_once = int(min(SEARCHED_AT_ONCE, max(1, NUMBERS // self.n)))
        self.stride = 1 if reach < LENGTHS else reach // TURNS
        owners = np.repeat(np.arange(self.n), np.diff(starts))
        self.longest = int(steps.max(initial=0))
        self.grain = 1 + self.longest // LENGTHS
        width = 1 + self.longest // self.grain
        order = np.argsort(owners << BITS | steps, kind="stable")
        self.edges = (ends.astype(np.int64) << BITS | steps)[order]
        self.starts: Ints1d = starts[:-1].astype(np.int64)
        keys = owners * width + steps // self.grain
        upto = np.bincount(keys, minlength=self.n * width).reshape(self.n, width).cumsum(axis=1)
        # (width, n): number of edges of each word in the classes of lengths up to each.
        narrow = np.min_scalar_type(int(upto.max(initial=0)))
        self.degrees = np.ascontiguousarray(upto.T.astype(narrow))
        # Wide enough for a path that is one edge too long.
        self.dtype: Any = np.min_scalar_type(reach + self.longest).type

    def edges_of(self, words: Ints1d) -> tuple[Ints1d, Ints1d, Ints1d]:
        """Return all edges of k words: the index of the first word, the other word, the steps."""
        degrees = self.degrees[-1].take(words)
        with_edges = np.flatnonzero(degrees)
        over = np.repeat(with_edges, degrees[with_edges])
        edges = self._shortest_edges(words[with_edges], degrees[with_edges])
        return over, edges >> BITS, edges & STEPS

    def _shortest_edges(self, words: Ints1d, degrees: Numbers1d) -> Ints1d:
        """Return the shortest `degrees` edges of each of k words; degrees are above 0."""
        if not len(words):
            return self.edges[:0]
        starts, ends = self.starts.take(words), np.cumsum(degrees, dtype=np.int64)
        # Differences of places: 1 within the edges of a word, and jumps to the next word.
        places = np.ones(int(ends[-1]), dtype=np.int64)
        places[0] = starts[0]
        places[ends[:-1]] = starts[1:] - starts[:-1] - degrees[:-1] + 1
        return self.edges.take(np.cumsum(places, out=places))

    def distances(self, rows: Ints1d) -> Floats2d:
        """Return the steps of shortest paths, float64 (k, n); infinity from the reach on."""
        D: Floats2d = np.full((len(rows), self.n), np.inf)
        for part, ball in self(rows):
            owners = np.repeat(np.arange(len(ball.sizes)), ball.sizes)
            D[part][owners, ball.words] = ball.steps
        return D

    def __call__(
        self, rows: Ints1d, depths: Ints1d | None = None
    ) -> Iterator[tuple[slice, ReachedSets]]:
        """Search from k rows, part by part; depths (k,) in steps, else below the reach."""
        scratch = self.scratch(len(rows))
        for start in range(0, len(rows), self.at_once):
            part = slice(start, min(start + self.at_once, len(rows)))
            yield part, self.search(rows[part], None if depths is None else depths[part], scratch)

    def scratch(self, k: int) -> Numbers1d:
        """Return an uninitialised buffer for a search from k words."""
        return np.empty(min(self.at_once, k) * self.n, dtype=self.dtype)

    def search(
        self, rows: Ints1d, depths: Ints1d | None, scratch: Numbers1d, by_number: bool = False
    ) -> ReachedSets:
        """Search from at_once words at most. by_number: sort the words of each by row."""
        paths = np.concatenate(list(self._settle(rows, depths, scratch)))
        if by_number:
            paths.sort()
        owner, words = np.divmod(paths >> BITS, self.n)
        steps = paths & STEPS
        if not by_number:
            keys = (owner * self.reach + steps) * self.n + words
            keys.sort()
            steps, words = np.divmod(keys, self.n)
            owner, steps = np.divmod(steps, self.reach)
        return ReachedSets(np.bincount(owner, minlength=len(rows)), words, steps)

    def _settle(self, rows: Ints1d, depths: Ints1d | None, seen: Numbers1d) -> Iterator[Ints1d]:
        """Yield the words that each turn settles, as paths: (owner * n + word) << BITS | steps."""
        k, far = len(rows), np.full(len(rows), self.reach - 1) if depths is None else depths
        origins = np.arange(k) * self.n + rows
        # Marks all words as seen beyond the depth, so that no path goes farther.
        seen = seen[: k * self.n]
        seen.reshape(k, self.n)[:] = 1 + far[:, None]
        seen[origins] = 0
        waiting: list[list[Ints1d]] = [[] for _ in range(1 + self.reach // self.stride)]
        waiting[0] = [origins << BITS]
        for turn in range(len(waiting)):
            settled = []
            while waiting[turn]:  # again, if a reached word belongs to this turn
                paths = np.concatenate(waiting[turn])
                # A word that was reached by several paths waits at the length of each.
                paths = paths[seen.take(paths >> BITS) == paths.astype(self.dtype)]
                settled.append(paths)
                waiting[turn] = []
                for later, reached in self._relaxed(paths, far, seen):
                    waiting[later].append(reached)
            if settled:
                yield settled[0] if len(settled) == 1 else _nearest(np.concatenate(settled))

    def _relaxed(self, paths: Ints1d, far: Ints1d, seen: Numbers1d) -> Iterator[tuple[int, Ints1d]]:
        """Extend each path by an edge, and yield the shorter paths to words, by turns. Only classes
        of edges that may be short enough are read; `seen` excludes the too long ones among them."""
        owners, words = np.divmod(paths >> BITS, self.n)
        classes = np.minimum(far.take(owners) - (paths & STEPS), self.longest) // self.grain
        degrees = self.degrees.ravel().take(classes * self.n + words)
        with_edges = np.flatnonzero(degrees)
        if not len(with_edges):
            return
        words, degrees = words.take(with_edges), degrees.take(with_edges)
        reached = self._shortest_edges(words, degrees)
        reached += np.repeat(paths.take(with_edges) - (words << BITS), degrees)
        # Steps are the lowest bits, so a narrower type keeps them.
        nearer = reached.astype(self.dtype) < seen.take(reached >> BITS)
        reached = _nearest(reached.take(np.flatnonzero(nearer)))
        steps = reached.astype(self.dtype)
        seen[reached >> BITS] = steps
        turns = steps // self.dtype(self.stride)
        reached = reached.take(np.argsort(turns, kind="stable"))
        ends = np.cumsum(np.bincount(turns))
        for turn in np.flatnonzero(np.diff(ends, prepend=0)).tolist():
            yield turn, reached[ends[turn - 1] if turn else 0 : ends[turn]]


def _nearest(paths: Ints1d) -> Ints1d:
    paths.sort()
    keys = paths >> BITS
    first = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    return paths[first]


POOL_BYTES = 2**26  # of cached reached sets: 64 MB
STEPS_AT_ONCE = 6  # search depths are multiples of this


class Neighbourhoods:
    """The words near each word by rising distance, itself first, searched on demand. counts: (n,
    reach), the number of words at each distance."""

    def __init__(self, search: PathSearch, counts: Numbers2d) -> None:
        self._search, self._counts = search, counts
        self._cache = RowCache(POOL_BYTES)

    def at(self, rows: Ints1d, places: Ints1d) -> Ints1d:
        """Return the words at these places of the lists of k rows, shape (k,)."""
        distinct, inverse = np.unique(rows, return_inverse=True)
        farthest = np.zeros(len(distinct), dtype=np.int64)
        np.maximum.at(farthest, inverse, places)
        lists = self._lists_of(distinct, farthest)
        words_at = np.empty(len(rows), dtype=np.int64)
        cells = np.split(np.argsort(inverse, kind="stable"), np.cumsum(np.bincount(inverse))[:-1])
        for cell, words in zip(cells, lists, strict=False):  # without rows: one empty cell
            words_at[cell] = words[places[cell]]
        return words_at

    def are_near(self, rows: Ints1d, targets: Ints1d) -> Bools1d:
        """Return whether the path from each row to its target is below the reach, bool (k,).

        The search is from both ends: on a path, the last word within some distance of one end is
        followed by a word within the remaining distance of the other. Results for rows are often
        cached, so the search from targets is the shorter one.
        """
        if not len(rows):
            return np.zeros(0, dtype=bool)
        n, longest = self._search.n, self._search.reach - 1
        far = 3 * longest // 8
        owners, words, steps = self._within(rows, longest - far - 1)
        target_owners, ends, end_steps = self._within(targets, far)
        over, to, lengths = self._search.edges_of(words)
        keys = np.concatenate([owners * n + words, owners[over] * n + to])
        lengths = np.concatenate([steps, steps[over] + lengths])
        order = np.argsort(target_owners * n + ends)
        target_keys, end_steps = (target_owners * n + ends)[order], end_steps[order]
        places = np.minimum(np.searchsorted(target_keys, keys), len(target_keys) - 1)
        joined = (target_keys[places] == keys) & (lengths + end_steps[places] <= longest)
        are_joined: Bools1d = np.bincount(keys[joined] // n, minlength=len(rows)) > 0
        return are_joined

    def _within(self, rows: Ints1d, depth: int) -> tuple[Ints1d, Ints1d, Ints1d]:
        """Return the index of the row, the word, and its steps, for words within `depth` steps."""
        counts = self._counts[rows, : depth + 1].astype(np.int64)
        sizes = counts.sum(axis=1)
        distinct, first, inverse = np.unique(rows, return_index=True, return_inverse=True)
        lists = self._lists_of(distinct, sizes[first] - 1)
        words = [lists[i][:size] for i, size in zip(inverse.tolist(), sizes.tolist(), strict=True)]
        steps = np.repeat(np.tile(np.arange(depth + 1), len(rows)), counts.reshape(-1))
        return np.repeat(np.arange(len(rows)), sizes), np.concatenate(words).astype(np.int64), steps

    def _lists_of(self, rows: Ints1d, least: Ints1d) -> list[Numbers1d]:
        """Return the list of each of k different rows, up to place `least` (k,) or beyond."""
        cached, nothing = self._cache.find(rows.tolist()), (np.empty(0, dtype=np.int64),)
        words_of = [cached.get(row, nothing)[0] for row in rows.tolist()]
        lengths = np.array([len(words) for words in words_of], dtype=np.int64)
        too_short = np.flatnonzero(lengths <= least)
        # Deeper than needed, so that few searches are repeated.
        ends = np.cumsum(self._counts[rows[too_short]], axis=1, dtype=np.int64)
        depths = (ends <= least[too_short, None]).sum(axis=1)
        depths = np.maximum(1, -(-depths // STEPS_AT_ONCE)) * STEPS_AT_ONCE
        depths = np.minimum(depths, self._search.reach - 1)
        for part, reached in self._search(rows[too_short], depths):
            words = reached.words.astype(np.min_scalar_type(self._search.n - 1))
            lists = np.split(words, np.cumsum(reached.sizes)[:-1])
            for i, words_near in zip(too_short[part].tolist(), lists, strict=True):
                words_of[i] = words_near
            self._cache.add(dict(zip(rows[too_short[part]].tolist(), zip(lists), strict=True)))
        return words_of
