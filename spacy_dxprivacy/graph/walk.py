"""Walks from words outwards: who is within reach, in which distance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats2d, Ints1d, Ints2d, Numbers1d

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

    def __init__(self, starts: Ints1d, ends: Ints1d, steps: Ints1d, reach: int) -> None:
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
        self.degrees = np.ascontiguousarray(_narrowed(upto.T))
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

    def counts(self, rows: Ints1d, seen: Numbers1d) -> Ints2d:
        """(k, reach): how many words are at each distance from each of k words, without the words,
        which takes three quarters of the time."""
        found = np.zeros(len(rows) * self.reach, dtype=np.int64)
        for paths in self._settle(rows, None, seen):
            keys = (paths >> BITS) // self.n * self.reach + (paths & STEPS)
            found += np.bincount(keys, minlength=len(found))
        return found.reshape(len(rows), self.reach)

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


def _narrowed(some: Ints2d) -> Ints2d:
    """The same numbers, as narrow as can be."""
    found: Ints2d = some.astype(np.min_scalar_type(int(some.max(initial=0))))
    return found
