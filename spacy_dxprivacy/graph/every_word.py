"""Walks from every word of a space: what takes longest of a fit.

Blocks of words are walked from side by side, by as many threads as products may use. What comes of
them is put together in the order of the words, so that it does not hang on how many there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from typing import Any

import numpy as np
from tqdm import tqdm

from ..arrays import Ints2d, Numbers1d, blocks
from ..machine.compute import in_order, product_threads
from .unfinished import Unfinished
from .walk import Walker

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
