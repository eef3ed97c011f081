"""Sanitise records with a pipeline, in this process or in worker processes.

`nlp.pipe(n_process=...)` opens no memory zones in its workers, so their vocabularies grow without
limit. This module uses a ProcessPoolExecutor. Where the system can fork, its workers start at once
and share the memory of the fitted pipeline. loky does not fork: with the defaults, its two workers
took 8 seconds longer to start, and 35 % more memory in all.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ..config import Imported
from ..errors import DxError
from ..pipeline.receipt import Receipt, install_extensions
from .records import Failed, Input, Released, Result, chunks
from .zones import ZONE_CHARACTERS, ZONE_DOCUMENTS, sanitize_in_zone, zone

# Enough for batches of the mechanism, and few enough for workers to finish at about the same time.
TASK_CHARACTERS = 2**16
TASKS_AHEAD = 2  # submitted for each worker; they are in memory

Task = list[Input]
# Texts, receipts and serialized Docs of a record.
PackedResult = tuple[list[str], list[dict[str, Any]], list[bytes]]
_pipeline: tuple[Language, bool]  # of a worker process: its pipeline, and whether it returns Docs


def results(
    nlp: Language,
    records: Iterable[Input],
    *,
    n_process: int = 1,
    batch_size: int | None = None,
    ready: Callable[[], bool] | None = None,
    with_docs: bool = False,
) -> Generator[Result, None, None]:
    """Yield the result of each record, in order. A Failed input is its own result.

    Args:
        nlp: A pipeline with a sanitizer.
        records: The records of a file, which are read in chunks.
        n_process: Number of worker processes; 1 uses this process.
        batch_size: Documents per batch; nlp.batch_size if None.
        ready: Returns whether the next record can be read without waiting. If not, the records
            before it are sanitised first.
        with_docs: Whether results have Docs. If not, long texts may be sanitised in parts.

    Raises:
        DxError: If a worker process died or failed.
    """
    size = batch_size or nlp.batch_size
    if n_process > 1:
        tasks = chunks(records, characters=TASK_CHARACTERS, max_texts=size, ready=ready)
        yield from _in_processes(nlp, tasks, n_process, with_docs)
        return
    for task in chunks(records, characters=ZONE_CHARACTERS, max_texts=ZONE_DOCUMENTS, ready=ready):
        yield from sanitize_in_zone(nlp, task, batch_size=size, with_docs=with_docs)


def _in_processes(
    nlp: Language, tasks: Iterator[Task], n_process: int, with_docs: bool
) -> Iterator[Result]:
    ahead = deque[tuple[Task, Future[list[PackedResult | Failed] | str]]]()
    with _pool(nlp, n_process, with_docs) as pool:
        while True:
            while len(ahead) < TASKS_AHEAD * n_process and (task := next(tasks, None)):
                ahead.append((task, pool.submit(_run_task, [_without_origin(r) for r in task])))
            if not ahead:
                return
            task, future = ahead.popleft()
            answer = future.result()
            if isinstance(answer, str):
                raise DxError(f"A worker process failed with {answer}.")
            with zone(nlp):
                yield from (_unpack(nlp, *pair) for pair in zip(task, answer, strict=True))


def by_number(
    outcomes: Iterable[Result], count: int
) -> tuple[list[str | None], list[Receipt | None], dict[int, str]]:
    """Return the text and receipt of each record by number (None if it failed), and the reasons."""
    texts: list[str | None] = [None] * count
    receipts: list[Receipt | None] = [None] * count
    failures = dict[int, str]()
    for result in outcomes:
        if isinstance(result, Failed):
            failures[result.number] = result.why
        else:
            number = result.record.number
            (texts[number],), (receipts[number],) = result.texts, result.receipts
    return texts, receipts, failures


# -- tasks -----------------------------------------------------------------------------------------


def _without_origin(record: Input) -> Input:
    # Workers do not write, so they need no origin.
    return record if isinstance(record, Failed) else replace(record, origin=None)


def _run_task(task: Task) -> list[PackedResult | Failed] | str:
    try:
        nlp, with_docs = _pipeline
        drawn = sanitize_in_zone(nlp, task, batch_size=len(task), with_docs=with_docs)
        return [_pack(result) for result in drawn]
    except Exception as error:
        return type(error).__name__  # its message may quote a text


def _pack(result: Result) -> PackedResult | Failed:
    if isinstance(result, Failed):
        return result
    raw = [doc.to_bytes(exclude=["user_hooks"]) for doc in result.docs]
    return list(result.texts), [dict(receipt) for receipt in result.receipts], raw


def _unpack(nlp: Language, record: Input, packed: PackedResult | Failed) -> Result:
    if isinstance(record, Failed):
        return record
    if isinstance(packed, Failed):
        return packed
    texts, receipts, raw = packed
    docs = [Doc(nlp.vocab).from_bytes(data) for data in raw]
    return Released(record, texts, [Receipt(receipt) for receipt in receipts], docs)


# -- processes ---------------------------------------------------------------------------------


@contextmanager
def _pool(nlp: Language, n_process: int, with_docs: bool) -> Iterator[ProcessPoolExecutor]:
    """Open a pool of workers, and kill them when the block ends or raises."""
    arguments = (Imported(), nlp, with_docs)
    with heap_frozen():
        pool = ProcessPoolExecutor(
            n_process, multiprocessing.get_context(), initializer=_start_worker, initargs=arguments
        )
        try:
            with signals_held():
                for _ in range(n_process):  # start all workers now; a pool spawns them one by one
                    pool.submit(int)
            yield pool
        except BrokenProcessPool:
            # No OSError: the CLI takes a broken pipe for a reader of stdout that has stopped.
            why = "A worker process died, perhaps for lack of memory: use fewer processes."
            raise DxError(why) from None
        finally:
            # Results that were not consumed are not needed. shutdown() alone would wait for
            # running tasks (from Python 3.14 on, a pool can kill its workers).
            for worker in list((pool._processes or {}).values()):
                worker.kill()
            if sys.version_info < (3, 11, 5):
                # Otherwise a thread waits forever to write a task (CPython issue 94777).
                pool._call_queue._reader.close()  # type: ignore[attr-defined]
            pool.shutdown(cancel_futures=True)


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


def _start_worker(imported: Imported, nlp: Language, with_docs: bool) -> None:
    # `imported` comes first, so that a spawned worker imports the code before it unpickles `nlp`.
    # spaCy's warnings may quote tokens; a spawned worker does not inherit the parent's filter.
    global _pipeline
    warnings.simplefilter("ignore")
    # Ctrl-C reaches all processes of a terminal, but only the parent may end the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if UNIX:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    threading.Thread(target=end_with_parent, daemon=True).start()
    install_extensions()
    _pipeline = nlp, with_docs


def end_with_parent() -> None:
    """Exit when the parent process ends: a parent killed by SIGKILL cannot end its workers."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
