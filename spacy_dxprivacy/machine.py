"""Processors, memory and network names of this machine."""

from __future__ import annotations

import ipaddress
import mmap
import multiprocessing
import os
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .arrays import Floats2d, Numbers1d
from .errors import DxError, Errors

if TYPE_CHECKING:
    from concurrent.futures import Future

Job = TypeVar("Job")
Result = TypeVar("Result")
LARGE = 2 * 2**30  # bytes of a mapped table that may stay in memory
MAPPED_AT_ONCE = 2**27  # bytes of a larger one that a process has in memory at most
ENTRY_BYTES = 300  # of an entry of a cache besides its numbers
FAULT = 2**16  # bytes that Linux maps around the one that is read
_limited: set[int] = set()  # process ids; a forked child has another


def let_go(X: Floats2d) -> None:
    """Release the memory of a large mapped file; its pages stay in the system's cache."""
    if (pages := large_map(X)) is not None:
        pages.madvise(mmap.MADV_DONTNEED)


def large_map(X: Floats2d) -> mmap.mmap | None:
    """Return the map behind a table that is too large for memory, if it may be released."""
    if X.nbytes <= LARGE or not hasattr(mmap, "MADV_DONTNEED"):
        return None
    base: Any = X
    read_only = False
    while isinstance(base, np.ndarray):
        read_only = read_only or (isinstance(base, np.memmap) and base.mode == "r")
        base = base.base
    # Only of a file that cannot have been written to: other pages would lose what they hold.
    return base if read_only and isinstance(base, mmap.mmap) else None


def one_thread_in_workers() -> None:
    """Limit numerical libraries to one thread in worker processes; siblings use the other cores."""
    if multiprocessing.parent_process() is None or os.getpid() in _limited:
        return
    from threadpoolctl import threadpool_limits

    threadpool_limits(limits=1)
    _limited.add(os.getpid())


def product_threads(wanted: bool) -> AbstractContextManager[int]:
    """Lend the threads of numpy's matrix products to the caller; 1 where that is not wanted."""
    return _lend_threads() if wanted else nullcontext(1)


@contextmanager
def _lend_threads() -> Iterator[int]:
    threads = max((lib["num_threads"] for lib in _products().info()), default=1)
    with _products().limit(limits=1):
        yield threads


@lru_cache(maxsize=1)
def _products() -> Any:
    from threadpoolctl import ThreadpoolController

    # Once: a look at all loaded libraries takes milliseconds.
    return ThreadpoolController().select(user_api="blas")


def in_order(
    work: Callable[[Job], Result], jobs: Iterable[Job], threads: int, ahead: int
) -> Iterator[Result]:
    """Yield work(job) in order, at most `ahead` of them unconsumed.

    So a job may reuse the buffers of the one `ahead` places before it.
    """
    return map(work, jobs) if threads == 1 else _in_threads(work, jobs, threads, ahead)


def _in_threads(
    work: Callable[[Job], Result], jobs: Iterable[Job], threads: int, ahead: int
) -> Iterator[Result]:
    # Every spacy.blank() imports this module; this import would take a tenth of that.
    from concurrent.futures import ThreadPoolExecutor

    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for job in jobs:
            if len(waiting) == ahead:
                yield waiting.popleft().result()
            waiting.append(pool.submit(work, job))
        while waiting:
            yield waiting.popleft().result()


class RowCache:
    """A cache of arrays by row, emptied where it would hold more than `most` bytes.

    Copies and pickles start empty: the rows show for which words something was drawn.
    """

    def __init__(self, most: int) -> None:
        self.most, self._held = most, 0
        self._entries: dict[int, tuple[Numbers1d, ...]] = {}

    def find(self, rows: Iterable[int]) -> dict[int, Any]:
        """Return what is cached of the rows."""
        entries = self._entries  # which another thread may put another in place of
        return {row: entries[row] for row in rows if row in entries}

    def add(self, made: Mapping[int, tuple[Numbers1d, ...]]) -> None:
        """Cache what was made for some rows."""
        arrays = [array.nbytes for entry in made.values() for array in entry]
        size = sum(arrays) + ENTRY_BYTES * len(made)
        if self._held + size > self.most:
            self._entries, self._held = {}, 0
        if size <= self.most:
            self._entries.update(made)
            self._held += size

    def __getstate__(self) -> dict[str, Any]:
        return {"most": self.most, "_entries": {}, "_held": 0}


LOOPBACK = ("localhost", "127.0.0.1", "::1", "[::1]")


def is_loopback(name: str) -> bool:
    """Return whether a name or an address is of this machine alone."""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


def check_port(address: str, port: int) -> None:
    """Raise DxError where the port is taken or not permitted."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((address, port))
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise DxError(Errors.DX087.format(port=port, address=address, why=why)) from None
