"""Sanitise records with a pipeline: in this process or in workers, always in memory zones.

`nlp.pipe(n_process=...)` opens no memory zones in its workers, so their vocabularies grow without
limit. This module uses a ProcessPoolExecutor. Where the system can fork, its workers start at once
and share the memory of the fitted pipeline. loky does not fork: with the defaults, its two workers
took 8 seconds longer to start, and 35 % more memory in all.

A long text is sanitised in parts, as separate documents that are joined again. A part ends with a
sentence or a paragraph. No component looks beyond that: not the tokenizer (both sides are tested),
not a mechanism that samples sentences, not the spelling. So output and receipt have the same
distribution as for the whole text, and memory holds one part at a time.
"""

from __future__ import annotations

import multiprocessing
import re
import signal
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import groupby, islice
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ..config.code import Imported
from ..errors import DxError, EndpointError
from ..machine import (
    SIGNALS,
    UNIX,
    WORKER_DIED,
    end_with_parent,
    heap_frozen,
    signals_held,
)
from ..pipeline.component import DxSanitizer
from ..pipeline.count import Count
from ..pipeline.receipt import Receipt, assert_sanitized, get_receipt, install_extensions
from ..text.normal_doc import MARKS
from ..text.tokens import MANY_WORDS, trim_vocab
from .build import get_sanitizer, rewriters_of, terms_of
from .records import Failed, Input, Record, Released, Result, Text, chunks, nlp_input
from .rows import Parts, as_document, texts_of

# Enough for batches of the mechanism, and few enough for workers to finish at about the same time.
TASK_CHARACTERS = 2**16
TASKS_AHEAD = 2  # submitted for each worker; they are in memory

Task = list[Input]
_worker: tuple[LongZone, bool]  # of a worker process: its pipeline, and whether it returns Docs


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
        EndpointError: If an endpoint of the pipeline fails.
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
    ahead = deque[tuple[Task, Future[list[Result] | str | EndpointError]]]()
    with _pool(nlp, n_process, with_docs) as pool:
        while True:
            while len(ahead) < TASKS_AHEAD * n_process and (task := next(tasks, None)):
                ahead.append((task, pool.submit(_run_task, [_without_origin(r) for r in task])))
            if not ahead:
                return
            task, future = ahead.popleft()
            answer = future.result()
            if isinstance(answer, EndpointError):
                raise answer
            if isinstance(answer, str):
                raise DxError(f"A worker process failed with {answer}.")
            with zone(nlp):
                yield from (_unpacked(nlp, *pair) for pair in zip(task, answer, strict=True))


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


def _run_task(task: Task) -> list[Result] | str | EndpointError:
    try:
        pipeline, with_docs = _worker
        nlp = pipeline.enter(task)
        drawn = sanitize_in_zone(nlp, task, batch_size=len(task), with_docs=with_docs)
        return [_packed(result) for result in drawn]
    except EndpointError as error:
        return error
    except Exception as error:
        return type(error).__name__  # its message may quote a text


def _packed(result: Any) -> Any:
    """Return a result for the parent process: Docs as bytes, and no record, which it has."""
    if isinstance(result, Failed):
        return result
    docs = [doc.to_bytes(exclude=["user_hooks"]) for doc in result.docs]
    return replace(result, record=None, docs=docs)


def _unpacked(nlp: Language, record: Input, packed: Any) -> Result:
    if isinstance(record, Failed) or isinstance(packed, Failed):
        result: Failed = packed
        return result
    docs = [Doc(nlp.vocab).from_bytes(data) for data in packed.docs]
    released: Released = replace(packed, record=record, docs=docs)
    return released


# -- processes -------------------------------------------------------------------------------------


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
            raise DxError(f"{WORKER_DIED}: use fewer processes.") from None
        finally:
            # Results that were not consumed are not needed. shutdown() alone would wait for
            # running tasks (from Python 3.14 on, a pool can kill its workers).
            for worker in list((pool._processes or {}).values()):
                worker.kill()
            if sys.version_info < (3, 11, 5):
                # Otherwise a thread waits forever to write a task (CPython issue 94777).
                pool._call_queue._reader.close()  # type: ignore[attr-defined]
            pool.shutdown(cancel_futures=True)


def _start_worker(imported: Imported, nlp: Language, with_docs: bool) -> None:
    # `imported` comes first, so that a spawned worker imports the code before it unpickles `nlp`.
    # spaCy's warnings may quote tokens; a spawned worker does not inherit the parent's filter.
    global _worker
    warnings.simplefilter("ignore")
    # Ctrl-C reaches all processes of a terminal, but only the parent may end the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if UNIX:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    threading.Thread(target=end_with_parent, daemon=True).start()
    install_extensions()
    _worker = LongZone(nlp), with_docs


# -- memory zones ----------------------------------------------------------------------------------

# Limits of a zone. The vocabulary grows by the words of a zone, and shrinks again after it.
ZONE_DOCUMENTS = 2**14
ZONE_CHARACTERS = 2**22

SPLIT_FROM = 2**20  # characters: shorter texts are not split
PART_CHARACTERS = 2**18  # characters of a part, without the rest of its last sentence
# Matches are bounded in length, so that a search is fast in any text.
_ENDS = re.compile(r"(?:[.!?]\s{1,8}|\n[^\S\n]{0,8}\n)(?=\S)")
_CONTEXT = 256  # characters on each side of a split point that are tokenized to test it
MAX_TRIES = 2**10  # candidate split points per part
_MARKS = {".", "!", "?"}

Sanitized = tuple[str, Receipt, Doc | None]  # a sanitised text, its receipt and its Doc


def sanitize_in_zone(
    nlp: Language, records: list[Input], *, batch_size: int, with_docs: bool = False
) -> Iterator[Result]:
    """Yield the results of records, sanitised in memory zones, long texts in parts."""
    documents = [r if isinstance(r, Failed) else as_document(nlp, r) for r in records]
    inputs = [(d, text) for d in documents if isinstance(d, Record) for text in d.texts]
    drawn = _sanitize_texts(nlp, inputs, batch_size, with_docs)
    for record, document in zip(records, documents, strict=True):
        if isinstance(document, Failed):
            yield document
        elif isinstance(record, Record):
            found = [next(drawn) for _ in document.texts]
            yield _combine(record, document.origin, found, with_docs)
    next(drawn, None)  # close the last zone


def _combine(
    record: Record, origin: Any, drawn: list[Sanitized | Failed], with_docs: bool
) -> Result:
    released = list[Sanitized]()
    for outcome in drawn:
        if isinstance(outcome, Failed):
            return outcome
        released.append(outcome)
    texts, receipts = [text for text, _, _ in released], [receipt for _, receipt, _ in released]
    docs = [doc for _, _, doc in released if doc is not None]
    if isinstance(origin, Parts):
        try:
            texts = texts_of(origin, texts[0], docs[0].user_data.get(MARKS, []))
        except DxError as error:
            return Failed(record.number, str(error), record.size)
    return Released(record, texts, receipts, docs if with_docs else [])


def _sanitize_texts(
    nlp: Language, inputs: list[tuple[Record, Text]], batch_size: int, with_docs: bool
) -> Iterator[Sanitized | Failed]:
    by_length = groupby(inputs, lambda pair: not with_docs and is_split(nlp, pair[1]))
    for is_long, pairs in by_length:
        if is_long:
            for record, text in pairs:
                yield _sanitize_long(nlp, record, str(text), batch_size)
        else:
            yield from _sanitize_batches(nlp, list(pairs), batch_size)


def _sanitize_batches(
    nlp: Language, inputs: list[tuple[Record, Text]], batch_size: int
) -> Iterator[Sanitized | Failed]:
    with zone(nlp):
        done = 0
        while done < len(inputs):
            try:
                places = range(done, len(inputs))
                pairs = ((nlp_input(nlp, inputs[i][1], inputs[i][0].data), i) for i in places)
                docs = nlp.pipe(pairs, as_tuples=True, batch_size=batch_size)
                for place, (doc, number) in zip(places, docs, strict=True):
                    if number != place:  # a text would be written to the wrong record
                        raise DxError(
                            "The pipeline changed the order of documents. Check its components."
                        )
                    yield _check_output(doc)
                    done += 1
            except EndpointError:
                raise
            except Exception:
                # Retry the batch one by one: the error repeats for the record that caused it. The
                # other records get fresh noise; the first draw was not released.
                batch = inputs[done : done + batch_size]
                yield from (_sanitize_single(nlp, record, text) for record, text in batch)
                done += len(batch)


@contextmanager
def zone(nlp: Language) -> Iterator[None]:
    """Open a memory zone unless one is open already, because zones cannot be nested."""
    if getattr(nlp.vocab, "in_memory_zone", False):
        yield
        return
    with nlp.memory_zone():
        yield
    trim_vocab(nlp, after=MANY_WORDS)


class LongZone:
    """A memory zone over several tasks of a worker, with the limits of a zone of one process.

    A zone for each task would make the entries of common words again and again: with
    configs/path.cfg that took a seventh of the time.
    """

    def __init__(self, nlp: Language) -> None:
        self.nlp = nlp
        self._open, self._characters, self._documents = ExitStack(), 0, 0

    def enter(self, task: Task) -> Language:
        """Return the pipeline within a zone, which is a new one once the last one is full."""
        if self._characters >= ZONE_CHARACTERS or self._documents >= ZONE_DOCUMENTS:
            self._open.close()
            self._characters = self._documents = 0
        if not self._documents:
            self._open.enter_context(zone(self.nlp))
        self._documents += len(task)
        self._characters += sum(
            len(text) for record in task if isinstance(record, Record) for text in record.texts
        )
        return self.nlp


def _sanitize_single(nlp: Language, record: Record, text: Text) -> Sanitized | Failed:
    if isinstance(text, str) and len(text) > nlp.max_length:
        why = f"it is longer than the {nlp.max_length:,} characters that the pipeline takes."
        return Failed(record.number, why, record.size)
    try:
        return _check_output(nlp(nlp_input(nlp, text, record.data)))
    except EndpointError:
        raise
    except DxError as error:
        return Failed(record.number, str(error), record.size)
    except Exception as error:
        why = f"sanitising failed with {type(error).__name__}."
        return Failed(record.number, why, record.size)


def _check_output(doc: Doc) -> Sanitized:
    assert_sanitized(doc)
    return doc.text, get_receipt(doc) or Receipt(), doc


# -- long texts ------------------------------------------------------------------------------------


def is_split(nlp: Language, text: Text) -> bool:
    """Return whether a text is sanitised in parts.

    It must be long, and the only component a sanitizer that treats sentences independently; a
    rewriter may follow it.
    """
    if not isinstance(text, str) or not SPLIT_FROM <= len(text) <= nlp.max_length:
        return False
    rewriters = len(rewriters_of(nlp))
    pipes = [pipe for _, pipe in nlp.pipeline]
    is_alone = len(pipes) == 1 + rewriters and isinstance(pipes[0], DxSanitizer)
    return is_alone and get_sanitizer(nlp).settings.takes_parts


def _sanitize_long(nlp: Language, record: Record, text: str, batch_size: int) -> Sanitized | Failed:
    with zone(nlp):
        places = split_points(nlp, text)
    if not places:
        (outcome,) = _sanitize_batches(nlp, [(record, text)], batch_size)
        return outcome
    drawn: list[str] = []
    count = Count()
    parts = (Record(record.number, [part]) for part in split_at(text, places))
    for chunk in chunks(parts, characters=ZONE_CHARACTERS, max_texts=ZONE_DOCUMENTS):
        inputs = [(part, part.texts[0]) for part in chunk if isinstance(part, Record)]
        for outcome in _sanitize_batches(nlp, inputs, batch_size):
            if isinstance(outcome, Failed):
                return Failed(record.number, outcome.why, record.size)
            part, receipt, _ = outcome
            drawn.append(part)
            count += receipt.count
    count = replace(count, documents=1, most_draws=count.draws)
    return "".join(drawn), terms_of(nlp).receipt(count), None


def split_at(text: str, places: Iterable[int]) -> Iterator[str]:
    """Split a text at these places."""
    start = 0
    for place in [*places, len(text)]:
        yield text[start:place]
        start = place


def split_points(nlp: Language, text: str) -> list[int]:
    """Return the places to split a text at. Call in a memory zone, because it tokenizes."""
    places, start = list[int](), 0
    while start + 2 * PART_CHARACTERS < len(text):
        ends = islice(_ENDS.finditer(text, start + PART_CHARACTERS), MAX_TRIES)
        place = next((end.end() for end in ends if _is_split_point(nlp, text, end)), None)
        if place is None:
            break
        places.append(place)
        start = place
    return places


def _is_split_point(nlp: Language, text: str, match: re.Match[str]) -> bool:
    """Return whether a sentence ends at a match, and both sides tokenize alike when separate."""
    place = match.end()
    # Drop the words that the window cuts.
    before = text[max(0, place - _CONTEXT) : place].lstrip().partition(" ")[2]
    after = text[place : place + _CONTEXT].rpartition(" ")[0]
    alone = [t.text for t in nlp.tokenizer(before)], [t.text for t in nlp.tokenizer(after)]
    together = [t.text for t in nlp.tokenizer(before + after)]
    words = [word for word in alone[0] if not word.isspace()]
    is_end = text[match.start()] not in _MARKS or words[-1:] in ([mark] for mark in _MARKS)
    return is_end and together == alone[0] + alone[1]
