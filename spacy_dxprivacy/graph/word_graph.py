"""The graph of near words of a space, and how many words each has at which distance.

Two words are joined by an edge if one is among the nearest of the other (edges.py), and any two
words by an edge of the length `reach`. The length of the shortest path is a metric that is never
more than the reach. All of it is public.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats1d, Floats2d, Ints1d
from ..errors import DxError, DxWarning, Errors, Warnings
from ..space import Space
from .edges import STEPS, edges, neighbour_lists
from .every_word import counts_and_lists, counts_of_all
from .reached import Reached
from .unfinished import Edges, Unfinished
from .walk import Walker

LISTS_BYTES = 2**31  # memory that lists of the words within reach may take: 2 GB
LEAST_WORDS = 3
MANY_WORDS = 150_000  # so many take long enough to be told beforehand
BEYOND_ALL = 1.5  # how far the reach goes beyond ln n

Numbers = NDArray[Any]  # whole numbers, as narrow as they can be


@dataclass(eq=False, repr=False)
class WordGraph:
    """digest: that of the space. keep: names of the classes that are never left.

    starts (n + 1,), ends (m,), steps (m,): the edges of each word, each in both directions, with
    their lengths. reach: the length of the edge between any two words. All lengths are in steps of
    the grid, STEPS to a unit.
    parts (n,): words of different parts are at infinite distance; a part for each set of kept
    classes.
    counts (n, reach): how many words are at each distance, from 0 to reach - 1.
    lists: those words of the first word, itself first, from near to far; then of the second, and so
    on. None where that would take too much room: then the words are walked to when they are needed.
    """

    digest: str
    keep: tuple[str, ...]
    reach: int
    starts: Numbers
    ends: Numbers
    steps: Numbers
    parts: Ints1d
    counts: Numbers
    lists: Numbers | None = None

    def __len__(self) -> int:
        return len(self.counts)

    @cached_property
    def walker(self) -> Walker:
        """What finds the paths from words; it has buffers of its own."""
        return Walker(self.starts, self.ends, self.steps, self.reach)

    @cached_property
    def reached(self) -> Reached:
        """The words near a word, from near to far."""
        return Reached(self.walker, self.counts, self.lists)

    @cached_property
    def part_sizes(self) -> Ints1d:
        """(n,): how many words the part of each word has."""
        return np.bincount(self.parts)[self.parts]

    @cached_property
    def members(self) -> Ints1d:
        """(n,): the words of the first part, then those of the second, and so on."""
        return np.argsort(self.parts, kind="stable")

    @cached_property
    def first_members(self) -> Ints1d:
        """(n,): where in members the part of each word begins."""
        return np.searchsorted(self.parts[self.members], self.parts)

    @cached_property
    def edges(self) -> tuple[Ints1d, Ints1d, Ints1d]:
        """low, high, steps (m / 2,): each edge once."""
        low = np.repeat(np.arange(len(self)), np.diff(self.starts))
        once = low < self.ends
        return low[once], self.ends[once].astype(np.int64), self.steps[once].astype(np.int64)

    def beyond(self) -> Ints1d:
        """(n,): how many words of its part are at the reach from each word."""
        found: Ints1d = self.part_sizes - self.counts.sum(axis=1, dtype=np.int64)
        return found

    def distances(self, rows: Ints1d) -> Floats2d:
        """float64 (k, n), in units of length; infinite between parts."""
        D = np.minimum(self.walker.distances(rows), self.reach) / STEPS
        D[self.parts[rows][:, None] != self.parts[None, :]] = np.inf
        return D


def build(space: Space, keep: Sequence[str] = (), unfinished: Path | None = None) -> WordGraph:
    """The graph of a public space. A build step: it looks for the neighbours of every word and
    walks from each as far as the reach. Shows its progress on a terminal.

    keep: names of classes of the space that are never left: a word that has some of them is at a
    finite distance only from words that have the same ones of them.
    unfinished: a folder for what is done of the graph of many words, so that a build that ended
    early is taken up by the next; whoever keeps the graph removes it then.

    Raises DxError for fewer than 3 words, words all at one point, an unknown class, and a set of
    kept classes with fewer than 3 words.
    """
    _check(space)
    parts, n = parts_of(space, keep), len(space)
    reach = reach_of(n)
    many = n > MANY_WORDS
    if many:
        warnings.warn(Warnings.DX103.format(n=n), DxWarning, stacklevel=2)
    kept = Unfinished(unfinished, space.digest, keep, reach) if many and unfinished else None
    starts, ends, steps = _edges(space, parts, kept)
    walker = Walker(starts, ends, steps, reach)
    wide, most = _narrow(n + 1), LISTS_BYTES // ends.dtype.itemsize
    if many:  # whose lists would take too much room
        counts, lists = counts_of_all(walker, wide, kept), None
    else:
        counts, lists = counts_and_lists(walker, wide, ends.dtype, most)
    return WordGraph(space.digest, tuple(keep), reach, starts, ends, steps, parts, counts, lists)


def _edges(space: Space, parts: Ints1d, kept: Unfinished | None) -> Edges:
    """Those of each word, or those that were kept."""
    found = None if kept is None else kept.edges()
    if found is None:
        found = _both_ways(space, parts)
        if kept is not None:
            kept.keep_edges(found)
    return found


def _check(space: Space) -> None:
    if len(space) < LEAST_WORDS:
        raise DxError(Errors.DX043.format(why=f"this space has {len(space)}", least=LEAST_WORDS))
    if not (space.vectors != space.vectors[0]).any():
        raise DxError(Errors.DX043.format(why="all vectors are the same", least=LEAST_WORDS))


def reach_of(n: int) -> int:
    """Steps of the edge between any two of n words."""
    return round(STEPS * (float(np.log(n)) + BEYOND_ALL))


def log_sums(graph: WordGraph, beta: float) -> Floats1d:
    """ln Z (n,), Z_w the sum of exp(-beta path(w, y)) over all y: exact, from the counts."""
    W = np.exp(-beta * np.arange(graph.reach) / STEPS)
    far = np.exp(-beta * graph.reach / STEPS)
    logs: Floats1d = np.log(graph.counts @ W + graph.beyond() * far)
    return logs


def parts_of(space: Space, keep: Sequence[str]) -> Ints1d:
    """(n,): a number for each set of kept classes. Raises DxError as build does."""
    for name in keep:
        if not space.with_class(name).any():
            raise DxError(Errors.DX044.format(name=name, known=", ".join(space.class_names)))
    kept = np.zeros(len(space), dtype=np.int64)
    for place, name in enumerate(keep):
        kept += space.with_class(name).astype(np.int64) << place
    _, parts, sizes = np.unique(kept, return_inverse=True, return_counts=True)
    if sizes.min() < LEAST_WORDS:
        why = f"some classes of keep are shared by {sizes.min()} words alone"
        raise DxError(Errors.DX043.format(why=why, least=LEAST_WORDS))
    return parts.astype(np.int64)


def _both_ways(space: Space, parts: Ints1d) -> tuple[Numbers, Numbers, Numbers]:
    """starts, ends and steps, the edges of a word by rising end."""
    found = edges(neighbour_lists(space, parts))
    owner = np.concatenate([found.low, found.high])
    ends = np.concatenate([found.high, found.low])
    order = np.lexsort((ends, owner))
    starts = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(space)))])
    steps = np.concatenate([found.steps, found.steps])[order]
    narrow = _narrow(len(space))
    return starts.astype(np.int32), ends[order].astype(narrow), steps.astype(np.uint8)


def _narrow(n: int) -> Any:
    """The narrowest type for the numbers below n."""
    return np.min_scalar_type(n - 1)
