"""Shortest paths from words outwards: who is within reach, in which distance.

`Walker` searches from many words at once; `Reached` holds what it found for a while. No result
depends on what is held, nor on its bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Bools1d, Floats2d, Ints1d, Ints2d, Numbers1d, Numbers2d

NUMBERS = 2**25  # distances at once, of one byte each or two: with more, caches hold too few
MOST = 128  # words walked from at once
LENGTHS = 64  # classes that edges are told apart by, at most
TURNS = 16  # of a walk of many steps
BITS = 16  # of a number that has steps below a word: a path to it, or an edge
STEPS = 2**BITS - 1


@dataclass(frozen=True, eq=False, repr=False)
class Walks:
    """What k words have within reach, word after word, each from near to far, and words that are
    equally far by rising number.

    sizes: (k,) how many words each reaches, itself included. words, steps: (sum of sizes,).
    """

    sizes: Ints1d
    words: Ints1d
    steps: Ints1d

    def counts(self, reach: int) -> Ints2d:
        """(k, reach): how many words are at each distance from each."""
        k = len(self.sizes)
        keys = np.repeat(np.arange(k), self.sizes) * reach + self.steps
        return np.bincount(keys, minlength=k * reach).reshape(k, reach)


class Walker:
    """Dijkstra's walk from many words at once, in whole steps: what is within so many steps is
    settled for all of them before anything that is farther (Meyer and Sanders 2003).

    starts (n + 1,), ends (m,), steps (m,): the edges of each word, in both directions; not
    negative. The edges of a word are gone over from the short to the long, so that those which lead
    too far are not looked at: most words are met near the end of a walk, where few edges are short
    enough.
    """

    def __init__(self, starts: Numbers1d, ends: Numbers1d, steps: Numbers1d, reach: int) -> None:
        self.n, self.reach = len(starts) - 1, reach
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
        # (width, n): how many edges of each word are in the classes of lengths up to each.
        narrow = np.min_scalar_type(int(upto.max(initial=0)))
        self.degrees = np.ascontiguousarray(upto.T.astype(narrow))
        # Wide enough for a path that is too long by an edge.
        self.dtype: Any = np.min_scalar_type(reach + self.longest).type

    @property
    def at_once(self) -> int:
        """How many words are walked from at a time, so that memory stays bounded."""
        return int(min(MOST, max(1, NUMBERS // self.n)))

    def edges_of(self, words: Ints1d) -> tuple[Ints1d, Ints1d, Ints1d]:
        """All edges of k words: which of the words each begins at, where it ends, and its steps."""
        degrees = self.degrees[-1].take(words)
        some = np.flatnonzero(degrees)
        over = np.repeat(some, degrees[some])
        edges = self._shortest_edges(words[some], degrees[some])
        return over, edges >> BITS, edges & STEPS

    def _shortest_edges(self, words: Ints1d, degrees: Numbers1d) -> Ints1d:
        """So many edges of each of k words, from the short to the long: see self.edges. Each word
        has some."""
        if not len(words):
            return self.edges[:0]
        starts, ends = self.starts.take(words), np.cumsum(degrees, dtype=np.int64)
        places = np.ones(int(ends[-1]), dtype=np.int64)  # each is the next one, ...
        places[0] = starts[0]
        places[ends[:-1]] = starts[1:] - starts[:-1] - degrees[:-1] + 1  # ... but for the first
        return self.edges.take(np.cumsum(places, out=places))

    def distances(self, rows: Ints1d) -> Floats2d:
        """float64 (k, n): steps of the shortest path, infinity from the reach on."""
        D: Floats2d = np.full((len(rows), self.n), np.inf)
        for part, walks in self(rows):
            D[part][np.repeat(np.arange(len(walks.sizes)), walks.sizes), walks.words] = walks.steps
        return D

    def __call__(self, rows: Ints1d, depths: Ints1d | None = None) -> Iterator[tuple[slice, Walks]]:
        """By parts of rows, with the part that each belongs to. depths: (k,) how many steps far to
        walk from each; without them, to all that is nearer than the reach."""
        seen = self.room(len(rows))
        for start in range(0, len(rows), self.at_once):
            part = slice(start, min(start + self.at_once, len(rows)))
            yield part, self.walks(rows[part], None if depths is None else depths[part], seen)

    def room(self, k: int) -> Numbers1d:
        """What walks from k words need to note where they were."""
        return np.empty(min(self.at_once, k) * self.n, dtype=self.dtype)

    def walks(self, rows: Ints1d, depths: Ints1d | None, seen: Numbers1d) -> Walks:
        """From k words, at_once at most. seen: a room."""
        paths = np.concatenate(list(self._settle(rows, depths, seen)))
        owner, words = np.divmod(paths >> BITS, self.n)
        keys = (owner * self.reach + (paths & STEPS)) * self.n + words
        keys.sort()
        steps, words = np.divmod(keys, self.n)
        owner, steps = np.divmod(steps, self.reach)
        return Walks(np.bincount(owner, minlength=len(rows)), words, steps)

    def by_number(self, rows: Ints1d, depths: Ints1d, seen: Numbers1d) -> Walks:
        """As `walks`, but the words of each by rising number."""
        paths = np.sort(np.concatenate(list(self._settle(rows, depths, seen))))
        owner, words = np.divmod(paths >> BITS, self.n)
        return Walks(np.bincount(owner, minlength=len(rows)), words, paths & STEPS)

    def _settle(self, rows: Ints1d, depths: Ints1d | None, seen: Numbers1d) -> Iterator[Ints1d]:
        """Turn by turn, what is so many steps away, as paths: (owner * n + word) << BITS | steps,
        each word once. seen: a room; what is in it does not matter."""
        k, far = len(rows), np.full(len(rows), self.reach - 1) if depths is None else depths
        here = np.arange(k) * self.n + rows
        # As if all had been seen where nobody is to go: what is not nearer is left alone.
        seen = seen[: k * self.n]
        seen.reshape(k, self.n)[:] = 1 + far[:, None]
        seen[here] = 0
        waiting: list[list[Ints1d]] = [[] for _ in range(1 + self.reach // self.stride)]
        waiting[0] = [here << BITS]
        for turn in range(len(waiting)):
            settled = []
            while waiting[turn]:  # again, where the next word is within the turn as well
                paths = np.concatenate(waiting[turn])
                # A word that was reached on several paths waits at the length of each.
                paths = paths[seen.take(paths >> BITS) == paths.astype(self.dtype)]
                settled.append(paths)
                waiting[turn] = []
                for later, reached in self._reached(paths, far, seen):
                    waiting[later].append(reached)
            if settled:
                yield settled[0] if len(settled) == 1 else _nearest(np.concatenate(settled))

    def _reached(self, paths: Ints1d, far: Ints1d, seen: Numbers1d) -> Iterator[tuple[int, Ints1d]]:
        """Over one edge more, by turns: what is nearer by it than was seen before."""
        begun, words, degrees = self._going(paths, far)
        if not len(words):
            return
        found = self._shortest_edges(words, degrees)
        found += np.repeat(begun, degrees)
        # Steps are the lowest digits, so a narrower number keeps them.
        nearer = found.astype(self.dtype) < seen.take(found >> BITS)
        found = _nearest(found.take(np.flatnonzero(nearer)))
        steps = found.astype(self.dtype)
        seen[found >> BITS] = steps
        turns = steps // self.dtype(self.stride)
        found = found.take(np.argsort(turns, kind="stable"))
        ends = np.cumsum(np.bincount(turns))
        for turn in np.flatnonzero(np.diff(ends, prepend=0)).tolist():
            yield turn, found[ends[turn - 1] if turn else 0 : ends[turn]]

    def _going(self, paths: Ints1d, far: Ints1d) -> tuple[Ints1d, Ints1d, Numbers1d]:
        """Of paths those to words with edges that may be short enough, without the words; the
        words, and how many such edges. Those of the class that is cut are among them: `seen` keeps
        out what is too far."""
        owners, words = np.divmod(paths >> BITS, self.n)
        rest = np.minimum(far.take(owners) - (paths & STEPS), self.longest) // self.grain
        degrees = self.degrees.ravel().take(rest * self.n + words)
        some = np.flatnonzero(degrees)
        words = words.take(some)
        return paths.take(some) - (words << BITS), words, degrees.take(some)


def _nearest(paths: Ints1d) -> Ints1d:
    """The shortest one to each word, by rising number."""
    paths.sort()
    keys = paths >> BITS
    first = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    return paths[first]


# -- what was reached, for a while -----------------------------------------------------------------


POOL_BYTES = 2**26  # of words that were walked to: 64 MB
STEPS_AT_ONCE = 6  # words are walked from this far, or twice as far, ...
NOTHING = np.empty(0, dtype=np.int64)


class Reached:
    """counts (n, reach): how many words are at each distance. lists: those words of the first word,
    itself first, from near to far; then of the second, and so on; None where they are not stored.
    """

    def __init__(self, walker: Walker, counts: Numbers2d, lists: Numbers1d | None) -> None:
        self._walker, self._counts, self._lists = walker, counts, lists
        self._kept: dict[int, Numbers1d] = {}
        self._used = 0
        if lists is not None:
            self._sizes = counts.sum(axis=1, dtype=np.int64)
            self._firsts = np.cumsum(self._sizes) - self._sizes

    def at(self, rows: Ints1d, places: Ints1d) -> Ints1d:
        """(k,): the words at these places of the lists of k rows."""
        if self._lists is not None:
            stored: Ints1d = self._lists[self._firsts[rows] + places].astype(np.int64)
            return stored
        some, which = np.unique(rows, return_inverse=True)
        farthest = np.zeros(len(some), dtype=np.int64)
        np.maximum.at(farthest, which, places)
        lists = self._lists_of(some, farthest)
        found = np.empty(len(rows), dtype=np.int64)
        cells = np.split(np.argsort(which, kind="stable"), np.cumsum(np.bincount(which))[:-1])
        for cell, words in zip(cells, lists, strict=False):  # of no rows: one empty cell
            found[cell] = words[places[cell]]
        return found

    def are_near(self, rows: Ints1d, others: Ints1d) -> Bools1d:
        """bool (k,): whether the path from each of k rows to another word is below the reach.

        It is walked from both ends: the last word of the path within some of it from one end is
        followed by one that is within the rest of it from the other. Rows are often asked for
        again, others seldom, so less is walked from these.
        """
        if not len(rows):
            return np.zeros(0, dtype=bool)
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
        some, first, which = np.unique(rows, return_index=True, return_inverse=True)
        lists = self._lists_of(some, sizes[first] - 1)
        near = [lists[i][:size] for i, size in zip(which.tolist(), sizes.tolist(), strict=True)]
        steps = np.repeat(np.tile(np.arange(depth + 1), len(rows)), counts.reshape(-1))
        return np.repeat(np.arange(len(rows)), sizes), np.concatenate(near).astype(np.int64), steps

    def _lists_of(self, rows: Ints1d, least: Ints1d) -> list[Numbers1d]:
        """The list of each of k different rows, as far as the place `least` (k,) or farther."""
        if self._lists is not None:
            ends = (self._firsts + self._sizes)[rows].tolist()
            firsts = self._firsts[rows].tolist()
            return [self._lists[i:j] for i, j in zip(firsts, ends, strict=True)]
        kept = self._kept  # which another thread may put another in place of
        found = [kept.get(row, NOTHING) for row in rows.tolist()]
        lacking = np.flatnonzero(np.array([len(words) for words in found], dtype=np.int64) <= least)
        # Some farther than is needed, so that few are walked from again.
        ends = np.cumsum(self._counts[rows[lacking]], axis=1, dtype=np.int64)
        depths = (ends <= least[lacking, None]).sum(axis=1)
        depths = np.maximum(1, -(-depths // STEPS_AT_ONCE)) * STEPS_AT_ONCE
        depths = np.minimum(depths, self._walker.reach - 1)
        for part, walks in self._walker(rows[lacking], depths):
            words = walks.words.astype(np.min_scalar_type(self._walker.n - 1))
            lists = np.split(words, np.cumsum(walks.sizes)[:-1])
            for i, one in zip(lacking[part].tolist(), lists, strict=True):
                found[i] = one
            self._keep(dict(zip(rows[lacking[part]].tolist(), lists, strict=True)), words.nbytes)
        return found

    def _keep(self, lists: dict[int, Numbers1d], size: int) -> None:
        if self._used + size > POOL_BYTES:
            self._kept, self._used = {}, 0
        self._kept.update(lists)
        self._used += size

    # What was drawn for is no business of anybody who gets a copy.
    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_kept": {}, "_used": 0}
