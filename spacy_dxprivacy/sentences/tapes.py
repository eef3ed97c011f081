"""Sentences side by side: laid end to end on tapes that are about equally long."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..arrays import Bools1d, Bools2d, Ints1d, Ints2d

LANES = 128


@dataclass(frozen=True, eq=False, repr=False)
class Tapes:
    """place (steps, lanes): which word of the input, -1 behind the end of a tape, the longest tape
    first. begins, ends:
    bool (steps, lanes), whether a sentence begins or ends there."""

    place: Ints2d
    begins: Bools2d
    ends: Bools2d

    def parts(self, words: int) -> tuple[list[slice], int]:
        """Steps with about so many words each, and how many words the largest part has."""
        live = np.count_nonzero(self.place >= 0, axis=1)
        part = (np.cumsum(live) - 1) // max(words, int(live[0]))
        sizes = np.bincount(np.unique(part, return_inverse=True)[1], live)
        cuts = [*np.flatnonzero(np.diff(part, prepend=-1)).tolist(), len(live)]
        return [slice(a, b) for a, b in pairwise(cuts)], int(sizes.max())


def spans(starts: Bools1d) -> tuple[Ints1d, Ints1d]:
    """starts: bool (k,) -> the first word of each sentence, and its length."""
    first = np.flatnonzero(starts)
    return first, np.diff(np.append(first, len(starts)))


def batches(lengths: Ints1d, words: int, threads: int = 1) -> Iterator[Ints1d]:
    """Sentences of like lengths that have so many words together, or a single longer one; as many
    as fill the lanes of all threads some times where they can, so that no lane runs alone."""
    order = np.argsort(-lengths, kind="stable")
    total, start = np.concatenate([[0], np.cumsum(lengths[order])]), 0
    while start < len(order):
        fit = int(np.searchsorted(total, total[start] + words, side="right")) - 1 - start
        whole = next((n for n in (LANES * threads, LANES) if n <= fit < len(order) - start), 1)
        stop = start + max(1, fit - fit % whole)
        yield order[start:stop]
        start = stop


def lay(first: Ints1d, lengths: Ints1d, lanes: int = LANES) -> Tapes:
    """first, lengths: (s,), where each sentence begins and how many words it has, above 0."""
    rolls = _rolls(lengths, lanes)
    most = max(int(lengths[roll].sum()) for roll in rolls)
    place = np.full((most, len(rolls)), -1, dtype=np.int64)
    begins, ends = np.zeros(place.shape, dtype=bool), np.zeros(place.shape, dtype=bool)
    for lane, roll in enumerate(rolls):
        words = np.concatenate([first[s] + np.arange(lengths[s]) for s in roll])
        stops = np.cumsum(lengths[roll])
        place[: len(words), lane] = words
        begins[stops - lengths[roll], lane] = ends[stops - 1, lane] = True
    return Tapes(place, begins, ends)


def _rolls(lengths: Ints1d, lanes: int) -> list[list[int]]:
    """The sentences of each tape: the longest first, each to the tape that is shortest then."""
    heap = [(0, lane) for lane in range(min(lanes, len(lengths)))]
    rolls: list[list[int]] = [[] for _ in heap]
    for sentence in np.argsort(-lengths, kind="stable").tolist():
        length, lane = heapq.heappop(heap)
        rolls[lane].append(sentence)
        heapq.heappush(heap, (length + int(lengths[sentence]), lane))
    # The longest tapes first: those that still run are then side by side.
    return sorted(rolls, key=lambda roll: -int(lengths[roll].sum()))
