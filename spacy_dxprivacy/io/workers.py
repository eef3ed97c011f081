"""The same as stream.outcomes, in several processes.

nlp.pipe(n_process=...) has no memory zones in its workers, whose vocabularies grow for ever, and
sends whole Docs. Interrupted, its queues may wait for ever, and so may ProcessPoolExecutor before
Python 3.12 (https://github.com/python/cpython/issues/94777). Here is one pipe for each worker,
which holds one task at a time.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
import warnings
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, cast

from spacy.language import Language
from spacy.tokens import Doc

from ..errors import DxError
from ..pipeline.receipt import Receipt, install_extensions
from .code import Imported
from .files.docbin import pack, unpack
from .record import Record, chunks
from .stream import Outcome, Sanitized, in_zone, zone

# What a worker gets at a time: enough for the mechanism to work in batches, and little enough for
# all workers to end at about the same time.
TASK_CHARACTERS = 2**16
TASKS_AHEAD = 2  # for each worker; what is read ahead is in memory
PATIENCE = 5.0  # seconds for a worker to end by itself
# What a worker gets of a record: the row and the kept fields stay here.
FIELDS = (
    "number", "part", "text", "words", "spaces", "problem", "user", "caller", "language", "marks",
    "known",
)  # fmt: skip

# Text, receipt and document of a record, or the reason why there is none.
Packed = tuple[str, dict[str, Any], bytes | None] | str


@dataclass
class _Task:
    records: list[Record]
    results: list[Packed] | None = None


def outcomes_of_workers(
    nlp: Language, records: Iterable[Record], *, batch_size: int, n_process: int, with_docs: bool
) -> Generator[Outcome, None, None]:
    """Yield the outcomes of records, in order. Raise DxError if a worker dies or fails."""
    tasks = map(_Task, chunks(records, characters=TASK_CHARACTERS, most=batch_size))
    with _workers(nlp, n_process, with_docs) as links:
        for task in _finished(tasks, links):
            with zone(nlp):
                for record, packed in zip(task.records, task.results or (), strict=True):
                    if isinstance(packed, str):
                        yield record, packed
                        continue
                    text, receipt, data = packed
                    doc = None if data is None else Doc(nlp.vocab).from_bytes(data)
                    yield record, Sanitized(text, Receipt(receipt), doc)


def _finished(tasks: Iterator[_Task], links: list[Connection]) -> Iterator[_Task]:
    """Yield the tasks with their results, in order.

    A worker gets no task before it has given back its last one: it might be writing as well, and
    then neither side would ever read.
    """
    idle, busy = list(links), dict[Connection, _Task]()
    ahead = deque[_Task]()  # all that have been read, and not yet given on
    while True:
        while idle and len(ahead) < TASKS_AHEAD * len(links) and (task := next(tasks, None)):
            ahead.append(task)
            with _deaths_named():  # not link.send: that pickles
                values = [[getattr(r, name) for name in FIELDS] for r in task.records]
                idle[-1].send_bytes(pack(values))
            busy[idle.pop()] = task
        if not ahead:
            return
        first_is_done = ahead[0].results is not None
        for ready in wait(list(busy), timeout=0 if first_is_done else None):
            link = cast(Connection, ready)
            with _deaths_named():
                answer: Any = unpack(link.recv_bytes())
            if isinstance(answer, str):
                raise DxError(f"A worker process failed with {answer}.")
            busy.pop(link).results = answer
            idle.append(link)
        if first_is_done:
            yield ahead.popleft()


@contextmanager
def _deaths_named() -> Iterator[None]:
    try:
        yield
    except (EOFError, OSError):
        # Not as an OSError: a broken pipe is what a reader of stdout leaves that has seen enough.
        raise DxError(
            "A worker process died, perhaps for lack of memory: use fewer processes."
        ) from None


# -- processes ---------------------------------------------------------------------------------


@contextmanager
def _workers(nlp: Language, n_process: int, with_docs: bool) -> Iterator[list[Connection]]:
    """Give one link to each worker. They are gone at the end of the block, however it ends."""
    workers: list[multiprocessing.Process] = []
    links: list[Connection] = []
    with heap_frozen():
        try:
            for _ in range(n_process):
                link, far_end = multiprocessing.Pipe()
                links.append(link)
                # A daemon is stopped even if another Ctrl-C cuts this block short.
                args = (Imported(), nlp, far_end, with_docs)
                workers.append(multiprocessing.Process(target=_serve, args=args, daemon=True))
                with signals_held():
                    workers[-1].start()
                far_end.close()  # so that a link ends with its worker
            yield links
        finally:
            # They have nothing to lose: their results have been written, or never will be.
            started = [worker for worker in workers if worker.pid is not None]
            for worker in started:
                worker.terminate()
            for worker in started:
                worker.join(PATIENCE)
                if worker.is_alive():
                    worker.kill()
                    worker.join()
            for link in links:
                link.close()


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
        for which, handler in handlers.items():
            signal.signal(which, handler or signal.SIG_DFL)
        for number in came:
            signal.raise_signal(number)


def _serve(imported: Imported, nlp: Language, link: Connection, with_docs: bool) -> None:
    # `imported` comes first, so that a spawned worker knows the code before the pipeline.
    # spaCy's warnings may quote tokens; a spawned worker does not inherit the parent's filter.
    warnings.simplefilter("ignore")
    # Ctrl-C goes to all processes of a terminal. The parent decides what becomes of the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if UNIX:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    threading.Thread(target=end_with_parent, daemon=True).start()
    install_extensions()
    with suppress(EOFError, OSError):  # when the parent has gone
        while True:
            given = unpack(link.recv_bytes())
            records = [Record(**dict(zip(FIELDS, values, strict=True))) for values in given]
            link.send_bytes(pack(_answer(nlp, records, with_docs)))


def end_with_parent() -> None:
    """End this worker when its parent has gone: one killed with -9 cannot end its workers."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _answer(nlp: Language, records: list[Record], with_docs: bool) -> list[Packed] | str:
    try:
        found = in_zone(nlp, records, batch_size=len(records), with_docs=with_docs)
        return [_packed(outcome, with_docs) for _, outcome in found]
    except Exception as error:
        return type(error).__name__  # and not its message, which may quote a text


def _packed(outcome: Sanitized | str, with_docs: bool) -> Packed:
    if isinstance(outcome, str):
        return outcome
    doc = outcome.doc if with_docs else None
    data = None if doc is None else doc.to_bytes(exclude=["user_hooks"])
    return outcome.text, dict(outcome.receipt), data
