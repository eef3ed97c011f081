"""The one loop: records through a pipeline, in this process or in several.

nlp.pipe(n_process=...) has no memory zones in its workers, whose vocabularies grow for ever. Here
is a ProcessPoolExecutor whose workers are forked where the system can: they share the memory of the
fitted pipeline, and start at once. loky's workers are not forked: two of them took 8 seconds more
to start with the defaults, and 35 % more memory in all.
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
from .zones import ZONE_CHARACTERS, ZONE_DOCUMENTS, in_zone, zone

# What a worker gets at a time: enough for the mechanism to work in batches, and little enough for
# all workers to end at about the same time.
TASK_CHARACTERS = 2**16
TASKS_AHEAD = 2  # for each worker; what is read ahead is in memory

Task = list[Input]
# Texts, receipts and documents of a record, as bytes.
Packed = tuple[list[str], list[dict[str, Any]], list[bytes]]
_pipeline: tuple[Language, bool]  # of a worker: its pipeline, and whether it returns documents


def results(
    nlp: Language,
    records: Iterable[Input],
    *,
    n_process: int = 1,
    batch_size: int | None = None,
    ready: Callable[[], bool] | None = None,
    with_docs: bool = False,
) -> Generator[Result, None, None]:
    """Yield the result of each record, in order; records that could not be read pass as they are.

    Args:
        nlp: A pipeline with a sanitizer.
        records: Of one file, in memory a part at a time.
        n_process: How many processes draw; this one if it is 1.
        batch_size: Documents drawn together; that of the pipeline if None.
        ready: Whether the next record is there: nobody waits for it before those that are.
        with_docs: Whether results have Docs. Without, a long text may be drawn in parts.

    Raises:
        DxError: A worker died or failed.
    """
    size = batch_size or nlp.batch_size
    if n_process > 1:
        tasks = chunks(records, characters=TASK_CHARACTERS, most=size, ready=ready)
        yield from _in_processes(nlp, tasks, n_process, with_docs)
        return
    for task in chunks(records, characters=ZONE_CHARACTERS, most=ZONE_DOCUMENTS, ready=ready):
        yield from in_zone(nlp, task, batch_size=size, with_docs=with_docs)


def _in_processes(
    nlp: Language, tasks: Iterator[Task], n_process: int, with_docs: bool
) -> Iterator[Result]:
    ahead = deque[tuple[Task, Future[list[Packed | Failed] | str]]]()
    with _pool(nlp, n_process, with_docs) as pool:
        while True:
            while len(ahead) < TASKS_AHEAD * n_process and (task := next(tasks, None)):
                ahead.append((task, pool.submit(_answer, [_without_origin(r) for r in task])))
            if not ahead:
                return
            task, future = ahead.popleft()
            answer = future.result()
            if isinstance(answer, str):
                raise DxError(f"A worker process failed with {answer}.")
            with zone(nlp):
                yield from (_unpacked(nlp, *pair) for pair in zip(task, answer, strict=True))


def by_number(
    outcomes: Iterable[Result], count: int
) -> tuple[list[str | None], list[Receipt | None], dict[int, str]]:
    """Return text and receipt of records of one text, by number from 0, and why others failed."""
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
    # What its format needs stays here: a worker needs the texts alone.
    return record if isinstance(record, Failed) else replace(record, origin=None)


def _answer(task: Task) -> list[Packed | Failed] | str:
    try:
        nlp, with_docs = _pipeline
        drawn = in_zone(nlp, task, batch_size=len(task), with_docs=with_docs)
        return [_packed(result) for result in drawn]
    except Exception as error:
        return type(error).__name__  # and not its message, which may quote a text


def _packed(result: Result) -> Packed | Failed:
    if isinstance(result, Failed):
        return result
    raw = [doc.to_bytes(exclude=["user_hooks"]) for doc in result.docs]
    return list(result.texts), [dict(receipt) for receipt in result.receipts], raw


def _unpacked(nlp: Language, record: Input, packed: Packed | Failed) -> Result:
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
    """Give a pool whose workers are gone at the end of the block, however it ends."""
    arguments = (Imported(), nlp, with_docs)
    with heap_frozen():
        pool = ProcessPoolExecutor(
            n_process, multiprocessing.get_context(), initializer=_begin, initargs=arguments
        )
        try:
            with signals_held():
                for _ in range(n_process):  # those that are spawned start one by one
                    pool.submit(int)
            yield pool
        except BrokenProcessPool:
            # Not as an OSError: a broken pipe is what a reader of stdout leaves that has seen
            # enough.
            why = "A worker process died, perhaps for lack of memory: use fewer processes."
            raise DxError(why) from None
        finally:
            # They have nothing to lose: their results have been written, or never will be. The
            # pool itself would wait for what they are at (from Python 3.14 on it can end them).
            for worker in list((pool._processes or {}).values()):
                worker.kill()
            if sys.version_info < (3, 11, 5):
                # Or a thread waits for ever to write a task that nobody reads (CPython, issue
                # 94777).
                pool._call_queue._reader.close()  # type: ignore[attr-defined]
            pool.shutdown(cancel_futures=True)


@contextmanager
def heap_frozen() -> Iterator[None]:
    """Keep the garbage collector off the objects that workers share: it would copy their memory."""
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
    """Hold signals while a process starts: Python loses a KeyboardInterrupt after a fork.

    Signals are blocked as well, which the new process inherits: it lets them through when it
    knows what to do with them. Blocking alone is not enough, as another thread may take them.
    """
    came: list[int] = []
    handlers = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {n: signal.signal(n, lambda number, _: came.append(number)) for n in SIGNALS}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS) if UNIX else set()
    try:
        yield
    finally:
        if UNIX:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for held, handler in handlers.items():
            signal.signal(held, handler or signal.SIG_DFL)
        for number in came:
            signal.raise_signal(number)


def _begin(imported: Imported, nlp: Language, with_docs: bool) -> None:
    # `imported` comes first, so that a spawned worker knows the code before the pipeline.
    # spaCy's warnings may quote tokens; a spawned worker does not inherit the parent's filter.
    global _pipeline
    warnings.simplefilter("ignore")
    # Ctrl-C goes to all processes of a terminal. The parent decides what becomes of the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if UNIX:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    threading.Thread(target=end_with_parent, daemon=True).start()
    install_extensions()
    _pipeline = nlp, with_docs


def end_with_parent() -> None:
    """End this worker when its parent has gone: one killed with -9 cannot end its workers."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
