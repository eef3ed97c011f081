"""The same as stream.outcomes, in several processes.

nlp.pipe(n_process=...) has no memory zones in its workers, whose vocabularies grow for ever; it
sends whole Docs where a text and a receipt are enough; and a program that is interrupted may hang
at its end, as its queues wait for readers that have gone.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from spacy.language import Language
from spacy.tokens import Doc

from ..errors import DxError
from ..rebuild import install_extensions
from ..receipt import Receipt
from .records import Record, chunks
from .stream import Outcome, Sanitised, in_zone, zone

# What a worker gets at a time: enough for the mechanism to work in batches, and little enough for
# an interruption not to last.
TASK_CHARACTERS = 2**16
TASKS_AHEAD = 2  # for each worker; what is read ahead is in memory

# Text, receipt and document of a record, or the reason why there is none.
Packed = tuple[str, Receipt, bytes | None] | str
Task = tuple[list[Record], "Future[list[Packed]]"]

_nlp: Language | None = None  # a worker's own


def outcomes_of_workers(
    nlp: Language, records: Iterable[Record], *, batch_size: int, n_process: int, with_docs: bool
) -> Generator[Outcome, None, None]:
    """with_docs: send whole documents back. Raises DxError where a worker dies."""
    tasks: deque[Task] = deque()
    with _pool(nlp, n_process) as pool:
        for some in chunks(records, characters=TASK_CHARACTERS, most=batch_size):
            tasks.append((some, pool.submit(_work, some, with_docs)))
            if len(tasks) > TASKS_AHEAD * n_process:
                yield from _received(nlp, tasks.popleft())
        while tasks:
            yield from _received(nlp, tasks.popleft())


@contextmanager
def _pool(nlp: Language, n_process: int) -> Iterator[ProcessPoolExecutor]:
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(n_process, initializer=_start, initargs=(nlp,))
    try:
        yield pool
    except BaseException:
        for worker in set(multiprocessing.active_children()) - before:
            worker.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _received(nlp: Language, task: Task) -> Iterator[Outcome]:
    records, future = task
    try:
        results = future.result()
    except BrokenProcessPool:
        raise DxError(
            "A worker process died, perhaps for want of memory: try fewer of them."
        ) from None
    with zone(nlp):
        for record, packed in zip(records, results, strict=True):
            yield record, packed if isinstance(packed, str) else _unpacked(nlp, *packed)


def _unpacked(nlp: Language, text: str, receipt: Receipt, data: bytes | None) -> Sanitised:
    doc = None if data is None else Doc(nlp.vocab).from_bytes(data)
    return Sanitised(text, Receipt(receipt), doc)


# -- in a worker -------------------------------------------------------------------------------


def _start(nlp: Language) -> None:
    global _nlp
    # Ctrl-C goes to all processes of a terminal. The parent decides what becomes of the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    install_extensions()
    _nlp = nlp


def _end_with_parent() -> None:
    """A parent that was killed with -9 cannot tell its workers, who would wait for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(records: list[Record], with_docs: bool) -> list[Packed]:
    assert _nlp is not None
    packed: dict[int, Packed] = {}
    for record, outcome in in_zone(_nlp, records, batch_size=len(records)):
        if isinstance(outcome, str) or outcome.doc is None:
            packed[record.number] = str(outcome)
        else:
            data = outcome.doc.to_bytes(exclude=["user_hooks"]) if with_docs else None
            packed[record.number] = (outcome.text, Receipt(outcome.receipt), data)
    return [packed[record.number] for record in records]
