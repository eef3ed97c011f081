"""How many threads the matrix products of this process use, and work side by side."""

from __future__ import annotations

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

Job = TypeVar("Job")
Result = TypeVar("Result")
_limited: set[int] = set()  # numbers of processes; a forked child has another


def one_thread_in_workers() -> None:
    """A worker gets one thread: its brothers use the other cores. Elsewhere nothing changes."""
    if multiprocessing.parent_process() is not None:
        one_thread_here()


def one_thread_here() -> None:
    """The same, whoever made this process: there are other libraries of workers."""
    if os.getpid() in _limited:
        return
    from threadpoolctl import threadpool_limits

    threadpool_limits(limits=1)
    _limited.add(os.getpid())


@contextmanager
def product_threads(wanted: bool) -> Iterator[int]:
    """How many threads numpy's products may use; they use one while the block lasts, so that the
    caller can have that many at work. 1, and nothing changes, where this is not wanted."""
    threads = max((lib["num_threads"] for lib in _products().info()), default=1) if wanted else 1
    if threads == 1:
        yield 1
        return
    with _products().limit(limits=1):
        yield threads


@lru_cache(maxsize=1)
def _products() -> Any:
    from threadpoolctl import ThreadpoolController

    # Found once: to look at all loaded libraries takes milliseconds.
    return ThreadpoolController().select(user_api="blas")


def in_order(
    work: Callable[[Job], Result], jobs: Iterable[Job], threads: int, ahead: int
) -> Iterator[Result]:
    """work(job) for each job, in order. At most `ahead` results are not yet done with: a job may
    reuse what the one `ahead` places before it used."""
    if threads == 1:
        yield from map(work, jobs)
        return
    # Every spacy.blank() imports this file, and this library takes a tenth of that.
    from concurrent.futures import ThreadPoolExecutor

    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for job in jobs:
            if len(waiting) == ahead:
                yield waiting.popleft().result()
            waiting.append(pool.submit(work, job))
        while waiting:
            yield waiting.popleft().result()
