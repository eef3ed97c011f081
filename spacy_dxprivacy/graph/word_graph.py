"""The graph of near words of a space, and how many words each has at which distance.

Two words are joined by an edge if one is among the nearest of the other (edges.py), and any two
words by an edge of the length `reach`. The length of the shortest path is a metric that is never
more than the reach. All of it is public.

The search from every word is what takes longest of a fit. Blocks of words are searched from side by
side, by as many threads as products may use; what comes of them is put together in the order of the
words. A build of many words that ended early is resumed from a folder:

about.json   format, digest of the space, kept classes, reach, digests of the three files of edges
starts.npy ends.npy steps.npy   edges of each word
counts.npy   (n, reach), how many words are at each distance, of the words that are done
done.json    how many words are done

It is only resumed for the same space and classes, and where some of the counts, searched again, are
what stands there; else all begins anew.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import srsly
from numpy.lib.format import open_memmap
from numpy.typing import NDArray
from tqdm import tqdm

from ..arrays import Floats1d, Floats2d, Ints1d, Ints2d, Numbers1d, blocks
from ..errors import DxError, DxWarning, Errors, Warnings
from ..files.atomic import write_bytes
from ..files.digests import SMALL, check_sealed, sealed
from ..files.limits import read_array, read_json
from ..machine.compute import in_order, product_threads
from ..space import Space
from .edges import STEPS, edges, neighbour_lists
from .paths import Reached, Walker

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


# -- paths from every word -------------------------------------------------------------------------


WORTH_THREADS = 5_000  # words
PROBES = 16  # words whose counts are made again, where others were made before
Job = tuple[slice, Numbers1d]  # the words to walk from, and a room of the walker


def counts_of_all(walker: Walker, dtype: Any, kept: Unfinished | None = None) -> Ints2d:
    """(n, reach): how many words are at each distance from each. kept: where counts are kept as
    they are made, and those that were made before are."""
    n, shape = walker.n, (walker.n, walker.reach)
    counts: Any = np.zeros(shape, dtype=dtype) if kept is None else kept.counts(shape, dtype)
    done = 0 if kept is None or not _are_right(counts, kept.done, walker) else kept.done

    def work(job: Job) -> tuple[slice, Ints2d]:
        part, room = job
        return part, walker.counts(np.arange(part.start, part.stop), room)

    with _bar(n, done) as bar:
        for part, some in _in_blocks(work, walker, done):
            counts[part] = some
            if kept is not None:
                kept.note(part.stop)
            bar.update(part.stop - part.start)
    if kept is not None:
        kept.note(n, now=True)
    return np.asarray(counts)


def _are_right(counts: Ints2d, done: int, walker: Walker) -> bool:
    """Whether those of a few words, of the first `done`, are what a walk says."""
    rows = np.unique(np.linspace(0, max(done - 1, 0), PROBES).astype(np.int64))[:done]
    some = [walker.counts(rows[i : i + 1], walker.room(1))[0] for i in range(len(rows))]
    return all((counts[row] == one).all() for row, one in zip(rows, some, strict=True))


def counts_and_lists(
    walker: Walker, dtype: Any, narrow: Any, most: int
) -> tuple[Ints2d, Numbers1d | None]:
    """The counts (n, reach), and the words within reach of the first word, from near to far, then
    of the second, and so on; None if those are more than `most`. narrow: the type of the lists."""
    counts = np.zeros((walker.n, walker.reach), dtype=dtype)
    lists: list[Numbers1d] = []

    def work(job: Job) -> tuple[slice, Ints2d, Numbers1d]:
        part, room = job
        walks = walker.walks(np.arange(part.start, part.stop), None, room)
        return part, walks.counts(walker.reach), walks.words.astype(narrow)

    with _bar(walker.n) as bar:
        for part, some, words in _in_blocks(work, walker):
            counts[part] = some
            most -= len(words)
            lists = [*lists, words] if most >= 0 else []
            bar.update(part.stop - part.start)
    return counts, _joined(lists, narrow) if most >= 0 else None


def _in_blocks(work: Any, walker: Walker, done: int = 0) -> Iterator[Any]:
    parts = (
        slice(done + part.start, done + part.stop)
        for part in blocks(walker.n - done, walker.at_once)
    )
    with product_threads(walker.n >= WORTH_THREADS) as threads:
        rooms = [walker.room(walker.at_once) for _ in range(threads + 1 if threads > 1 else 1)]
        yield from in_order(work, zip(parts, cycle(rooms)), threads, len(rooms))


def _bar(n: int, done: int = 0) -> Any:
    what = "words within reach"
    return tqdm(total=n, initial=done, desc=what, disable=None, delay=1, leave=False)


def _joined(some: list[Numbers1d], dtype: Any) -> Numbers1d:
    """All blocks in one array; each is let go once it is copied, so that memory holds them once."""
    joined = np.empty(sum(map(len, some)), dtype=dtype)
    end = len(joined)
    while some:
        block = some.pop()
        joined[end - len(block) : end] = block
        end -= len(block)
    return joined


# -- what is done of a long build ------------------------------------------------------------------


FORMAT = 1
EDGES = ("starts", "ends", "steps")
FILES = tuple(f"{name}.npy" for name in EDGES)
SECONDS = 10.0  # between two notes of how far it is
WRONG = (OSError, ValueError, KeyError, TypeError)

Edges = tuple[Numbers1d, Numbers1d, Numbers1d]


class Unfinished:
    """folder: made where it is missing. digest: of the space."""

    def __init__(self, folder: Path, digest: str, keep: Sequence[str], reach: int) -> None:
        self.folder = folder
        self.about = {"format": FORMAT, "digest": digest, "keep": list(keep), "reach": reach}
        self.done, self._noted = 0, time.monotonic()

    def edges(self) -> Edges | None:
        """Those that were found before; None where there are none for this space."""
        try:
            about = read_json(self.folder / "about.json")
            files = about.pop("files")
            if about != self.about:
                return None
            check_sealed(self.folder, files, FILES, SMALL)
            starts, ends, steps = (np.array(read_array(self.folder / name)) for name in FILES)
            return starts, ends, steps
        except WRONG:
            return None

    def keep_edges(self, edges: Edges) -> None:
        """Whatever was kept in the folder before goes."""
        clear(self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, some in zip(FILES, edges, strict=True):
            np.save(self.folder / name, some)
        about = {**self.about, "files": sealed(self.folder, FILES)}
        srsly.write_json(self.folder / "about.json", about)

    def counts(self, shape: tuple[int, int], dtype: Any) -> Any:
        """The counts (n, reach), on disk; those of the first `done` words are made already."""
        self.done = self._done(shape, dtype)
        if self.done:
            self._counts: Any = open_memmap(self._path, mode="r+")
        else:
            self._counts = open_memmap(self._path, mode="w+", dtype=dtype, shape=shape)
        return self._counts

    def _done(self, shape: tuple[int, int], dtype: Any) -> int:
        try:
            done, found = read_json(self.folder / "done.json")["done"], read_array(self._path)
        except WRONG:
            return 0
        fits = found.shape == shape and found.dtype == dtype and type(done) is int
        return done if fits and 0 <= done <= shape[0] else 0

    def note(self, done: int, *, now: bool = False) -> None:
        """So many words are done; on disk at the end, and every few seconds."""
        self.done = done
        if now or time.monotonic() > self._noted + SECONDS:
            self._counts.flush()
            write_bytes(self.folder / "done.json", b'{"done": %d}' % done, force=True)
            self._noted = time.monotonic()

    @property
    def _path(self) -> Path:
        return self.folder / "counts.npy"


def clear(folder: Path) -> None:
    """Nothing is left of what was kept there; other files stay, and so does the folder then."""
    if not folder.is_dir():
        return
    for name in (*FILES, "about.json", "counts.npy", "done.json"):
        (folder / name).unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()
