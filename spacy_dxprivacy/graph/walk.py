"""Walks from words outwards: who is within reach, in which distance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..arrays import Floats2d, Ints1d, Ints2d, Numbers1d

NUMBERS = 2**26  # distances at once, of one byte each
MOST = 512  # words walked from at once
UNSEEN = 255  # more than any reach, which is 4 (ln n + 1.5) steps
AT = 2**48  # a path of s steps to a key is AT * s + key while it is sorted


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
    """Dijkstra's walk from many words at once, in whole steps: what is s steps away is settled for
    all of them before anything that is farther.

    starts (n + 1,), ends (m,), steps (m,): the edges of each word, in both directions. The edges of
    a word are gone over from the short to the long, so that those which lead too far are not looked
    at: most words are met near the end of a walk, where few edges are short enough.
    """

    def __init__(self, starts: Ints1d, ends: Ints1d, steps: Ints1d, reach: int) -> None:
        self.n, self.reach = len(starts) - 1, reach
        owners = np.repeat(np.arange(self.n), np.diff(starts))
        self.shortest = int(steps.min(initial=UNSEEN))
        self.longest = int(steps.max(initial=self.shortest))
        width = self.longest + 1
        keys = owners * width + steps
        # An edge is one number, its steps above its end, as narrow as can be: of what costs time
        # here, half is looking up what the cache of the processor does not hold.
        self.bits = max(1, int(self.n - 1).bit_length())
        edges = (steps.astype(np.int64) << self.bits) | ends
        self.edges = edges[np.argsort(keys, kind="stable")].astype(_narrow(width << self.bits))
        self.starts: Ints1d = starts[:-1].astype(np.int64)
        upto = np.bincount(keys, minlength=self.n * width).reshape(self.n, width).cumsum(axis=1)
        # (width, n): how many edges of each word have so many steps or fewer.
        self.degrees = np.ascontiguousarray(upto.T.astype(_narrow(int(upto.max(initial=0)) + 1)))

    @property
    def at_once(self) -> int:
        """How many words are walked from at a time, so that memory stays bounded."""
        return int(min(MOST, max(1, NUMBERS // self.n)))

    def edges_of(self, words: Ints1d) -> tuple[Ints1d, Ints1d, Ints1d]:
        """All edges of k words: which of the words each begins at, where it ends, and its steps."""
        degrees = self.degrees[self.longest].take(words)
        edges = self._shortest_edges(words, degrees).astype(np.int64)
        over = np.repeat(np.arange(len(words)), degrees)
        return over, edges & ((1 << self.bits) - 1), edges >> self.bits

    def _shortest_edges(self, words: Ints1d, degrees: Numbers1d) -> Numbers1d:
        """So many edges of each of k words, from the short to the long: see self.edges."""
        ends = np.cumsum(degrees, dtype=np.int64)
        places = np.repeat(self.starts.take(words) - ends + degrees, degrees)
        places += np.arange(len(places))
        return self.edges.take(places)

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
        return np.full(min(self.at_once, k) * self.n, UNSEEN, dtype=np.uint8)

    def walks(self, rows: Ints1d, depths: Ints1d | None, seen: Numbers1d) -> Walks:
        """From k words, at_once at most. seen: a room."""
        found = list(self._settle(rows, depths, seen))
        keys = np.concatenate([np.sort(some) for _, some in found])
        steps = np.repeat([step for step, _ in found], [len(some) for _, some in found])
        owner = keys // self.n
        order = np.argsort(owner, kind="stable")
        return Walks(np.bincount(owner, minlength=len(rows)), keys[order] % self.n, steps[order])

    def counts(self, rows: Ints1d, seen: Numbers1d) -> Ints2d:
        """(k, reach): how many words are at each distance from each of k words, without the words,
        which takes three quarters of the time."""
        found = np.zeros((len(rows), self.reach), dtype=np.int64)
        for step, here in self._settle(rows, None, seen):
            found[:, step] = np.bincount(here // self.n, minlength=len(rows))
        return found

    def _settle(
        self, rows: Ints1d, depths: Ints1d | None, seen: Numbers1d
    ) -> Iterator[tuple[int, Ints1d]]:
        """What is 0, 1, 2, ... steps away, as owner * n + word. seen: UNSEEN everywhere, for every
        such number, and so it is again at the end."""
        here = np.arange(len(rows)) * self.n + rows
        seen[here] = 0
        waiting: list[list[Ints1d]] = [[] for _ in range(self.reach)]
        waiting[0] = [here]
        for step, keys in enumerate(waiting):
            if not keys:
                continue
            # A word that was reached on several paths waits at the length of each.
            here = np.concatenate(keys)
            here = here[seen.take(here) == step]
            waiting[step] = []
            yield step, here
            for length, reached in self._reached(here, step, depths, seen):
                waiting[length].append(reached)
        seen.fill(UNSEEN)

    def _reached(
        self, here: Ints1d, step: int, depths: Ints1d | None, seen: Numbers1d
    ) -> Iterator[tuple[int, Ints1d]]:
        """Over one edge more, by lengths of the path: what is nearer by it than was seen before."""
        keys, words, degrees = self._going(here, step, depths)
        if not len(keys):
            return
        edges = self._shortest_edges(words, degrees)
        lengths = (edges >> self.bits).astype(np.uint8)
        lengths += np.uint8(step)
        keys = np.repeat(keys - words, degrees)
        keys += edges & edges.dtype.type((1 << self.bits) - 1)
        nearer = np.flatnonzero(lengths < seen.take(keys))
        paths = lengths.take(nearer) * np.int64(AT) + keys.take(nearer)
        yield from self._noted(_distinct(paths), seen)

    def _going(
        self, here: Ints1d, step: int, depths: Ints1d | None
    ) -> tuple[Ints1d, Ints1d, Numbers1d]:
        """Of keys those with edges that are short enough, their words, and how many such edges."""
        owners = here // self.n
        words = here - owners * self.n
        if depths is None:
            left = min(self.reach - 1 - step, self.longest)
            degrees = self.degrees[left].take(words)
        else:
            rest = np.clip(depths - step, 0, self.longest).take(owners)
            degrees = self.degrees.ravel().take(rest * self.n + words)
        some = np.flatnonzero(degrees)
        return here.take(some), words.take(some), degrees.take(some)

    def _noted(self, paths: Ints1d, seen: Numbers1d) -> Iterator[tuple[int, Ints1d]]:
        """paths: rising, all different."""
        lengths = (paths // AT).astype(np.uint8)
        keys = paths & (AT - 1)
        # The farthest first: of two paths to one word the shorter one is noted last, and stays.
        seen[keys[::-1]] = lengths[::-1]
        cuts = np.flatnonzero(np.diff(lengths, prepend=UNSEEN)).tolist()
        for start, end in pairwise([*cuts, len(keys)]):
            yield int(lengths[start]), keys[start:end]


def _distinct(some: Ints1d) -> Ints1d:
    """Rising, and each once."""
    some.sort()
    fresh = np.ones(len(some), dtype=bool)
    np.not_equal(some[1:], some[:-1], out=fresh[1:])
    return some[fresh]


def _narrow(n: int) -> Any:
    """The narrowest type for the numbers below n, and no narrower than uint16."""
    return np.min_scalar_type(max(n - 1, 2**8))
