"""Walks from words outwards: who is within reach, in which distance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..arrays import Floats2d, Ints1d

NUMBERS = 2**25  # distances at once, of one byte each
MOST = 512  # words walked from at once
UNSEEN = 255  # more than any reach, which is 4 (ln n + 1.5) steps


@dataclass(frozen=True, eq=False, repr=False)
class Walks:
    """What k words have within reach, word after word, each from near to far, and words that are
    equally far by rising number.

    sizes: (k,) how many words each reaches, itself included. words, steps: (sum of sizes,).
    """

    sizes: Ints1d
    words: Ints1d
    steps: Ints1d


class Walker:
    """Dijkstra's walk from many words at once, in whole steps: what is s steps away is settled for
    all of them before anything that is farther.

    starts (n + 1,), ends (m,), steps (m,): the edges of each word, in both directions.
    """

    def __init__(self, starts: Ints1d, ends: Ints1d, steps: Ints1d, reach: int) -> None:
        self.starts = starts.astype(np.int64)
        self.degrees = np.diff(self.starts)
        self.ends = ends.astype(np.int64)
        self.steps = steps.astype(np.int64)
        self.reach = reach
        self.n = len(starts) - 1

    @property
    def at_once(self) -> int:
        """How many words are walked from at a time, so that memory stays bounded."""
        return int(min(MOST, max(1, NUMBERS // self.n)))

    def edges_of(self, words: Ints1d) -> tuple[Ints1d, Ints1d]:
        """All edges of k words: for each of them which word it begins at, and its number."""
        degrees = self.degrees[words]
        over = np.repeat(np.arange(len(words)), degrees)
        shift = self.starts[words] - (np.cumsum(degrees) - degrees)
        return over, np.arange(len(over)) + shift[over]

    def distances(self, rows: Ints1d) -> Floats2d:
        """float64 (k, n): steps of the shortest path, infinity from the reach on."""
        D: Floats2d = np.full((len(rows), self.n), np.inf)
        for part, walks in self(rows):
            D[part][np.repeat(np.arange(len(walks.sizes)), walks.sizes), walks.words] = walks.steps
        return D

    def __call__(self, rows: Ints1d, depths: Ints1d | None = None) -> Iterator[tuple[slice, Walks]]:
        """By parts of rows, with the part that each belongs to. depths: (k,) how many steps far to
        walk from each; without them, to all that is nearer than the reach."""
        if depths is None:
            depths = np.full(len(rows), self.reach - 1, dtype=np.int64)
        seen = np.full(min(self.at_once, len(rows)) * self.n, UNSEEN, dtype=np.uint8)
        for start in range(0, len(rows), self.at_once):
            part = slice(start, min(start + self.at_once, len(rows)))
            settled = list(self._settle(rows[part], depths[part], seen))
            yield part, self._walks(settled, len(rows[part]))

    def _settle(self, rows: Ints1d, depths: Ints1d, seen: Any) -> Iterator[tuple[int, Ints1d]]:
        """What is 0, 1, 2, ... steps away, as owner * n + word, rising. seen: UNSEEN everywhere,
        for every such number, and so it is again at the end."""
        touched = [np.arange(len(rows)) * self.n + rows]
        seen[touched[0]] = 0
        waiting: list[list[Ints1d]] = [[] for _ in range(self.reach)]
        waiting[0] = touched[:]
        for step, keys in enumerate(waiting):
            if not keys:
                continue
            # A word that was reached on several paths waits at the length of each.
            here = np.concatenate(keys)
            here = np.sort(here[seen[here] == step])
            here = here[np.diff(here, prepend=-1) > 0]
            waiting[step] = []
            yield step, here
            for length, reached in self._reached(here, step, depths, seen):
                waiting[length].append(reached)
                touched.append(reached)
        for some in touched:
            seen[some] = UNSEEN

    def _reached(
        self, here: Ints1d, step: int, depths: Ints1d, seen: Any
    ) -> Iterator[tuple[int, Ints1d]]:
        """Over one edge more, by lengths of the path: what is nearer by it than was seen before."""
        words, degrees = here % self.n, self.degrees[here % self.n]
        shift = self.starts[words] - (np.cumsum(degrees) - degrees)
        edges = np.arange(int(degrees.sum())) + np.repeat(shift, degrees)
        lengths = self.steps[edges] + step
        keys = np.repeat(here - words, degrees) + self.ends[edges]
        good = (lengths <= np.repeat(depths[here // self.n], degrees)) & (lengths < seen[keys])
        keys, lengths = keys[good], lengths[good]
        # The farthest first: of two paths to one word the shorter one is noted last, and stays.
        order = np.argsort(~lengths.astype(np.uint8), kind="stable")
        keys, lengths = keys[order], lengths[order]
        seen[keys] = lengths
        cuts = np.flatnonzero(np.diff(lengths, prepend=UNSEEN)).tolist()
        for start, end in pairwise([*cuts, len(keys)]):
            yield int(lengths[start]), keys[start:end]

    def _walks(self, settled: list[tuple[int, Ints1d]], k: int) -> Walks:
        keys = np.concatenate([some for _, some in settled])
        steps = np.repeat([step for step, _ in settled], [len(some) for _, some in settled])
        owner = keys // self.n
        order = np.argsort(owner, kind="stable")
        return Walks(np.bincount(owner, minlength=k), keys[order] % self.n, steps[order])
