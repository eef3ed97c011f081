"""Worker processes that hold the fitted pipeline, and the fork server that starts them.

To fork the server would copy its threads and connections, and texts of other callers. So it forks
once, before it serves: the fork server only starts and kills workers, which share its memory.
Workers have random streams of their own, and exchange msgpack, never pickles.
"""

from __future__ import annotations

import atexit
import gc
import multiprocessing
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import reduction
from multiprocessing.connection import Connection, wait
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ...entities.surrogates.replacements import Replacements
from ...entities.surrogates.restoring import set_apart
from ...io.build import the_sanitizer
from ...io.code import Imported
from ...io.files.docbin import pack, unpack
from ...io.languages import not_covered
from ...io.record import Record
from ...io.stream import in_zone
from ...io.workers import SIGNALS, UNIX, end_with_parent, heap_frozen, signals_held
from ...pipeline.component import DxSanitizer
from ...pipeline.receipt import COUNTS, install_extensions

PATIENCE = 5.0  # seconds for the fork server to end
BATCH = 32

# A text and the part of its receipt that is its own, or the reason why there is none.
Drawn = tuple[str, dict[str, Any]] | str


@dataclass(eq=False)
class Worker:
    """The server's end of a process that sanitises."""

    number: int
    link: Connection = field(repr=False)

    def ask(self, caller: str, texts: Sequence[str]) -> tuple[float, list[Drawn]]:
        """Return its processor seconds, and what came of each text; block until then.

        Raises OSError or EOFError where the process is no more.
        """
        try:
            self.link.send_bytes(pack([caller, list(texts)]))
            seconds, found = unpack(self.link.recv_bytes())
        except (OSError, EOFError):
            self.link.close()  # here, where nobody else reads
            raise
        return seconds, [one if isinstance(one, str) else (one[0], one[1]) for one in found]


class ForkServer:
    """Start it before there are threads. workers: two at least. restorable: receipts hold rows that
    restore the originals, for this process alone. checked: texts of languages that the pipeline
    does not cover get an error message."""

    def __init__(
        self, nlp: Language, workers: int = 2, *, restorable: bool = False, checked: bool = True
    ) -> None:
        self.workers = max(2, workers)
        self._link, far_end = multiprocessing.Pipe()
        self._lock = threading.Lock()
        work = partial(_work, restorable=restorable, checked=checked)
        args = (Imported(), nlp, far_end, self._link, work)
        self._process = multiprocessing.Process(target=_serve_forks, args=args)
        with heap_frozen(), signals_held():
            self._process.start()
        far_end.close()
        atexit.register(self.close)  # before multiprocessing waits for it

    def start(self) -> Worker:
        """Start a worker. Raise OSError or EOFError where the fork server is no more."""
        with self._lock:
            self._link.send_bytes(pack(0))
            number = unpack(self._link.recv_bytes())
            return Worker(number, Connection(reduction.recv_handle(self._link)))

    def kill(self, worker: Worker) -> None:
        """End a worker, whatever it does; its memory is gone when this returns."""
        with self._lock, suppress(OSError, EOFError):
            self._link.send_bytes(pack(worker.number))
            self._link.recv_bytes()

    def close(self) -> None:
        """End the fork server and all workers, which happens at exit at the latest."""
        atexit.unregister(self.close)
        self._link.close()
        self._process.join(PATIENCE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


def _serve_forks(
    imported: Imported, nlp: Language, link: Connection, others: Connection,
    work: Callable[..., None],
) -> None:  # fmt: skip
    # `imported` comes first, so that a spawned process knows the code before the pipeline.
    _be_quiet()
    others.close()  # or this end would never learn that the server is no more
    gc.freeze()
    children: dict[int, multiprocessing.Process] = {}
    parent = multiprocessing.parent_process()
    ends: list[Any] = [link, parent.sentinel] if parent is not None else [link]
    with suppress(EOFError, OSError):
        while wait(ends) == [link]:
            number = unpack(link.recv_bytes())
            if number:
                children[number].kill()
                children.pop(number).join()
                link.send_bytes(b"")
                continue
            near_end, far_end = multiprocessing.Pipe()
            args = (imported, nlp, far_end)
            child = multiprocessing.Process(target=work, args=args, daemon=True)
            child.start()
            far_end.close()  # so that a link ends with its worker
            children[child.pid or 0] = child
            link.send_bytes(pack(child.pid))
            reduction.send_handle(link, near_end.fileno(), os.getppid())
            near_end.close()
    for child in children.values():
        child.kill()
        child.join()


def _work(
    imported: Imported, nlp: Language, link: Connection, *, restorable: bool, checked: bool
) -> None:
    """Answer until it is killed. An error ends it without a traceback, which may quote a text."""
    _be_quiet()
    threading.Thread(target=end_with_parent, daemon=True).start()
    try:
        install_extensions()
        last = _last_rows(the_sanitizer(nlp)) if restorable else {}
        while True:
            link.send_bytes(_answer(nlp, link.recv_bytes(), last, checked))
    except BaseException:
        os._exit(1)


def _answer(nlp: Language, message: bytes, last: dict[str, Any], checked: bool) -> bytes:
    """Sanitise the texts of a message. Nothing of them stays. last: of _last_rows, or empty."""
    caller, texts = unpack(message)
    began = time.process_time()
    records = [
        Record(i, text=text, caller=caller, problem=not_covered(nlp, text) if checked else "")
        for i, text in enumerate(texts)
    ]
    found: list[Any] = [None] * len(texts)
    # One by one, where the rows that were drawn last are those of a text.
    for some in [[one] for one in records] if the_sanitizer(nlp).on_replacements else [records]:
        for record, outcome in in_zone(nlp, some, batch_size=BATCH, with_docs=False):
            if isinstance(outcome, str):
                found[record.number] = outcome
            else:
                own = {name: outcome.receipt[name] for name in COUNTS}
                own["epsilon"] = outcome.receipt["total"]["epsilon"]
                found[record.number] = (outcome.text, own | last)
        last.clear()
    return pack([time.process_time() - began, found])


def _last_rows(sanitizer: DxSanitizer) -> dict[str, Any]:
    """Return a dictionary that will have "rows", which restore the document that was drawn last."""
    last: dict[str, Any] = {}

    def keep(doc: Doc, drawn: Replacements) -> Replacements:
        drawn, last["rows"] = set_apart(doc, drawn, sanitizer.surrogates)
        return drawn

    sanitizer.on_replacements = keep
    return last


def _be_quiet() -> None:
    """The server decides when its processes end. Warnings of spaCy may quote tokens."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    if UNIX:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    warnings.simplefilter("ignore")
