"""Memory, threads, processes and network addresses of this machine."""

from __future__ import annotations

import gc
import ipaddress
import multiprocessing
import os
import signal
import socket
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import copy_context
from functools import lru_cache, partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from .arrays import Numbers1d
from .errors import DxError, Errors

if TYPE_CHECKING:
    from concurrent.futures import Future

Job = TypeVar("Job")
Result = TypeVar("Result")
WORKER_DIED = "A worker process died, perhaps for lack of memory"
MORE, DONE, RAISED = range(3)  # messages of a worker: a result, the end of a job, an error
ENTRY_BYTES = 300  # overhead of a cache entry besides its arrays
_limited: set[int] = set()  # ids of limited processes; a forked child has a new id


def in_worker() -> bool:
    """Return whether this process is a worker, whose parent reads its Docs from bytes."""
    return multiprocessing.parent_process() is not None


def one_thread_in_workers() -> None:
    """Limit numerical libraries to one thread in worker processes; siblings use the other cores."""
    if not in_worker() or os.getpid() in _limited:
        return
    from threadpoolctl import threadpool_limits

    threadpool_limits(limits=1)
    _limited.add(os.getpid())


def product_threads(wanted: bool) -> AbstractContextManager[int]:
    """Yield the number of BLAS threads, which the caller may use in the block; 1 if not wanted."""
    return _lend_threads() if wanted else nullcontext(1)


@contextmanager
def _lend_threads() -> Iterator[int]:
    threads = max((lib["num_threads"] for lib in _products().info()), default=1)
    with _products().limit(limits=1):
        yield threads


@lru_cache(maxsize=1)
def _products() -> Any:
    from threadpoolctl import ThreadpoolController

    # Cached: inspecting all loaded libraries takes milliseconds.
    return ThreadpoolController().select(user_api="blas")


def map_ordered(
    work: Callable[[Job], Result], jobs: Iterable[Job], threads: int, ahead: int
) -> Iterator[Result]:
    """Yield work(job) in order, with at most `ahead` results not consumed yet.

    So a job may reuse the buffers of the job `ahead` positions before it.
    """
    return map(work, jobs) if threads == 1 else _in_threads(work, jobs, threads, ahead)


def map_ended(
    work: Callable[[Job], Result], jobs: Iterable[Job], threads: int
) -> Iterator[tuple[Job, Result]]:
    """Yield different jobs and work(job), as they end. Several threads begin jobs in order; one
    thread begins each when its result is asked for."""
    if threads == 1:
        yield from ((job, work(job)) for job in jobs)
        return
    from concurrent.futures import as_completed

    with _thread_pool(threads) as submit:
        job_of: dict[Future[Result], Job] = {submit(work, job): job for job in jobs}
        yield from ((job_of[ended], ended.result()) for ended in as_completed(job_of))


def _in_threads(
    work: Callable[[Job], Result], jobs: Iterable[Job], threads: int, ahead: int
) -> Iterator[Result]:
    waiting: deque[Future[Result]] = deque()
    with _thread_pool(threads) as submit:
        for job in jobs:
            if len(waiting) == ahead:
                yield waiting.popleft().result()
            waiting.append(submit(work, job))
        while waiting:
            yield waiting.popleft().result()


@contextmanager
def _thread_pool(threads: int) -> Iterator[Callable[..., Any]]:
    """Yield a function that submits work(job), and returns its future."""
    # Every spacy.blank() imports this module, and this import would add a tenth to its time.
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(threads)
    try:
        # In the context of the caller, so that a task within a job is shown as one of its own.
        yield lambda work, job: pool.submit(copy_context().run, work, job)
    except BaseException:  # a caller that stops waits for no job
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()


class RowCache:
    """A cache of arrays by row, which is emptied before it exceeds `most` bytes.

    Copies and pickles start empty, because the cached rows reveal words of texts.
    """

    def __init__(self, most: int) -> None:
        self.most, self._held = most, 0
        self._entries: dict[int, tuple[Numbers1d, ...]] = {}

    def find(self, rows: Iterable[int]) -> dict[int, Any]:
        """Return the cached entries of the rows."""
        entries = self._entries  # another thread may rebind the attribute
        return {row: entries[row] for row in rows if row in entries}

    def add(self, made: Mapping[int, tuple[Numbers1d, ...]]) -> None:
        """Cache entries by row."""
        arrays = [array.nbytes for entry in made.values() for array in entry]
        size = sum(arrays) + ENTRY_BYTES * len(made)
        if self._held + size > self.most:
            self._entries, self._held = {}, 0
        if size <= self.most:
            self._entries.update(made)
            self._held += size

    def __getstate__(self) -> dict[str, Any]:
        return {"most": self.most, "_entries": {}, "_held": 0}


# -- processes -------------------------------------------------------------------------------------


@contextmanager
def heap_frozen() -> Iterator[None]:
    """Freeze the heap before a fork: garbage collection would copy the shared memory."""
    ours = not gc.get_freeze_count()
    if ours:
        gc.freeze()
    try:
        yield
    finally:
        if ours:
            gc.unfreeze()


SIGNALS = {signal.SIGINT, signal.SIGTERM}
UNIX = hasattr(signal, "pthread_sigmask")


@contextmanager
def signals_held() -> Iterator[None]:
    """Delay signals while a process starts: Python loses a KeyboardInterrupt after a fork.

    Signals are also blocked. The new process inherits that, and unblocks them once its handlers are
    set. Blocking alone is not enough, because another thread may receive them.
    """
    received: list[int] = []
    handlers = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {n: signal.signal(n, lambda number, _: received.append(number)) for n in SIGNALS}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS) if UNIX else set()
    try:
        yield
    finally:
        if UNIX:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for held, handler in handlers.items():
            signal.signal(held, handler or signal.SIG_DFL)
        for number in received:
            signal.raise_signal(number)


CAN_FORK = sys.platform == "linux"  # elsewhere, a process with threads cannot safely


@contextmanager
def forks(
    work: Callable[[Job], Iterable[Result]], count: int
) -> Iterator[Callable[[Job], Iterator[Result]]]:
    """Yield `work` as `count` processes do it: they share the memory of this one, and no lock.

    As many threads may call it at once. Processes write nothing to stderr, have one thread for
    products, and are killed at the end of the context. They raise what `work` raises, and DxError
    if one died.
    """
    context: Any = multiprocessing.get_context("fork")
    free: SimpleQueue[Any] = SimpleQueue()
    workers = []
    with heap_frozen(), product_threads(True):
        try:
            with signals_held(), warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12: of threads
                for _ in range(count):
                    ours, theirs = context.Pipe()
                    worker = context.Process(target=_serve, args=(theirs, work), daemon=True)
                    worker.start()
                    theirs.close()
                    workers.append(worker)
                    free.put(ours)
            yield partial(_results_of, free)
        finally:
            for worker in workers:
                worker.kill()
                worker.join()


def _results_of(free: SimpleQueue[Any], job: Any) -> Iterator[Any]:
    """Yield the results of a job by a process that is free."""
    pipe = free.get()
    try:
        pipe.send(job)
        while (message := pipe.recv())[0] == MORE:
            yield message[1]
    except (EOFError, OSError):
        raise DxError(f"{WORKER_DIED}.") from None
    free.put(pipe)
    if message[0] == RAISED:
        raise message[1]


def _serve(pipe: Any, work: Callable[[Any], Iterable[Any]]) -> None:
    """Do the jobs of a pipe, until the parent process kills this one."""
    # Ctrl-C reaches all processes of a terminal, but only the parent may end the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    threading.Thread(target=end_with_parent, daemon=True).start()
    sys.stderr = open(os.devnull, "w")
    while True:
        job = pipe.recv()
        try:
            for result in work(job):
                pipe.send((MORE, result))
            pipe.send((DONE, None))
        except BaseException as error:
            pipe.send((RAISED, error))


def end_with_parent() -> None:
    """Exit when the parent process ends: a parent killed by SIGKILL cannot end its workers."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


# -- network ---------------------------------------------------------------------------------------

LOOPBACK = ("localhost", "127.0.0.1", "::1", "[::1]")


def is_loopback(name: str) -> bool:
    """Return whether a host name or address is a loopback one."""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


def check_port(address: str, port: int) -> None:
    """Raise DxError if the port is in use or not permitted."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((address, port))
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise DxError(Errors.DX087.format(port=port, address=address, why=why)) from None
