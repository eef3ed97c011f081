"""Search shortest paths from many words at once: which words are near, at which distance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats2d, Ints1d, Ints2d, Numbers1d, blocks

DISTANCES_AT_ONCE = 2**25  # of one or two bytes: more do not fit into caches
WORDS_AT_ONCE = 64  # words searched from at once: the steps to more fit no cache
LENGTH_CLASSES = 64  # at most, of edges
TURNS = 16  # of a search of many steps
STEP_BITS = 16  # for the steps in a number of word and steps: a path, or an edge
STEP_MASK = 2**STEP_BITS - 1
PATHS_AT_ONCE = 2**16  # whose numbers fit 16 bits
FEW_OF = 32  # a share of words for which sorting takes less time than looking at all

Scratch = tuple[Numbers1d, Numbers1d]


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
    """Dijkstra's search from many words at once, in whole steps: all words within some steps are
    settled before farther ones (delta-stepping, Meyer and Sanders 2003).

    starts (n + 1,), ends (m,), steps (m,): the edges of each word, in both directions, not
    negative. Edges are sorted by length, and those that lead too far are not read: most words are
    reached near the end of a search, where few edges are short enough.
    """

    def __init__(self, starts: Numbers1d, ends: Numbers1d, steps: Numbers1d, reach: int) -> None:
        self.n, self.reach = len(starts) - 1, reach
        # Words searched from at a time, which bounds memory.
        self.at_once = int(min(WORDS_AT_ONCE, max(1, DISTANCES_AT_ONCE // self.n)))
        self.stride = 1 if reach < LENGTH_CLASSES else reach // TURNS
        owners = np.repeat(np.arange(self.n), np.diff(starts))
        self.longest = int(steps.max(initial=0))
        self.grain = 1 + self.longest // LENGTH_CLASSES
        width = 1 + self.longest // self.grain
        order = np.argsort(owners << STEP_BITS | steps, kind="stable")
        self.edges = (ends.astype(np.int64) << STEP_BITS | steps)[order]
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
        return over, edges >> STEP_BITS, edges & STEP_MASK

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

    def scratch(self, k: int) -> Scratch:
        """Return uninitialised buffers for a search from k words: of the steps to each word, and of
        places among the paths that reach it."""
        size = min(self.at_once, k) * self.n
        return np.empty(size, dtype=self.dtype), np.empty(size, dtype=np.uint16)

    def search(
        self, rows: Ints1d, depths: Ints1d | None, scratch: Scratch, by_number: bool = False
    ) -> ReachedSets:
        """Search from at_once words at most. by_number: sort the words of each by row."""
        far = np.full(len(rows), self.reach - 1) if depths is None else depths
        flat = self._settled(rows, far, scratch)
        seen = scratch[0][: len(rows) * self.n]
        if len(flat) * FEW_OF < len(seen) or far.min(initial=0) < 0:
            flat.sort()
        else:
            flat = np.flatnonzero(seen.reshape(-1, self.n) <= far[:, None].astype(self.dtype))
        sizes = np.diff(np.searchsorted(flat, np.arange(len(rows) + 1) * self.n))
        owner = np.repeat(np.arange(len(rows)), sizes)
        if not by_number:
            keys = owner * self.reach + seen.take(flat)
            narrow = np.min_scalar_type(len(rows) * self.reach)  # sorted by radix up to 16 bits
            flat = flat.take(np.argsort(keys.astype(narrow), kind="stable"))
        steps = seen.take(flat).astype(np.int64)
        return ReachedSets(sizes, flat - owner * self.n, steps)

    def _settled(self, rows: Ints1d, far: Ints1d, scratch: Scratch) -> Ints1d:
        """Return the words that k rows reach, as owner * n + word, in no order. The first buffer
        then has the steps from each row to all words, (k, n), more than `far` (k,) beyond it."""
        k = len(rows)
        origins = np.arange(k) * self.n + rows
        # Marks all words as seen beyond the depth, so that no path goes farther.
        seen, places = (buffer[: k * self.n] for buffer in scratch)
        seen.reshape(k, self.n)[:] = 1 + far[:, None]
        seen[origins] = 0
        waiting: list[list[Ints1d]] = [[] for _ in range(1 + self.reach // self.stride)]
        waiting[0], settled = [origins << STEP_BITS], []
        for turn in range(len(waiting)):
            while waiting[turn]:  # again, if a reached word belongs to this turn
                paths = np.concatenate(waiting[turn])
                # A word that was reached by several paths waits at the length of each.
                paths = paths[seen.take(paths >> STEP_BITS) == paths.astype(self.dtype)]
                settled.append(paths)
                waiting[turn] = []
                for later, reached in self._relaxed(paths, far, (seen, places)):
                    waiting[later].append(reached)
        paths = np.concatenate(settled)
        # Some were reached by a shorter path in the same turn.
        shortest = np.flatnonzero(seen.take(paths >> STEP_BITS) == paths.astype(self.dtype))
        return paths.take(shortest) >> STEP_BITS

    def _relaxed(
        self, paths: Ints1d, far: Ints1d, scratch: Scratch
    ) -> Iterator[tuple[int, Ints1d]]:
        """Extend each path by an edge, and yield the shorter paths to words, by turns. Only classes
        of edges that may be short enough are read; `seen` excludes the too long ones among them."""
        owners, words = np.divmod(paths >> STEP_BITS, self.n)
        classes = np.minimum(far.take(owners) - (paths & STEP_MASK), self.longest) // self.grain
        degrees = self.degrees.ravel().take(classes * self.n + words)
        with_edges = np.flatnonzero(degrees)
        if not len(with_edges):
            return
        words, degrees = words.take(with_edges), degrees.take(with_edges)
        reached = self._shortest_edges(words, degrees)
        reached += np.repeat(paths.take(with_edges) - (words << STEP_BITS), degrees)
        for part in blocks(len(reached), PATHS_AT_ONCE):
            nearer = self._nearest(reached[part], scratch)
            turns = nearer.astype(self.dtype) // self.dtype(self.stride)
            nearer = nearer.take(np.argsort(turns, kind="stable"))
            ends = np.cumsum(np.bincount(turns))
            for turn in np.flatnonzero(np.diff(ends, prepend=0)).tolist():
                yield turn, nearer[ends[turn - 1] if turn else 0 : ends[turn]]

    def _nearest(self, paths: Ints1d, scratch: Scratch) -> Ints1d:
        """Return the shortest of k paths to each word, k at most PATHS_AT_ONCE, without those to
        words that were reached by as short ones."""
        seen, places = scratch
        # Steps are the lowest bits, so a narrower type keeps them.
        paths = paths.take(np.flatnonzero(paths.astype(self.dtype) < seen.take(paths >> STEP_BITS)))
        ends, steps = paths >> STEP_BITS, paths.astype(self.dtype)
        np.minimum.at(seen, ends, steps)
        shortest = np.flatnonzero(seen.take(ends) == steps)
        # Of equal ones, that which is written last.
        ends, numbers = ends.take(shortest), np.arange(len(shortest), dtype=places.dtype)
        places[ends] = numbers
        return paths.take(shortest.take(np.flatnonzero(places.take(ends) == numbers)))
