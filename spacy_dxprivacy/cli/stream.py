"""Records through a pipeline: in zones of memory, in batches, and one by one where a batch fails."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ..errors import DxError
from ..rebuild import assert_sanitized
from .records import Record, chunks

# What a zone holds. The vocabulary grows by the words of a zone, and is emptied after it. Worker
# processes live as long as a zone: theirs are larger, so that starting them costs next to nothing.
ZONE_DOCUMENTS = 4096
ZONE_CHARACTERS = 2**20
ZONE_FACTOR_PER_WORKER = 16

Outcome = tuple[Record, "Doc | str"]


def outcomes(
    nlp: Language, records: Iterable[Record], *, batch_size: int, n_process: int
) -> Iterator[Outcome]:
    """Each record with its sanitised Doc, or with the reason why there is none.

    A Doc lives until the next one is asked for. A reason never holds text of a record.
    """
    factor = ZONE_FACTOR_PER_WORKER * n_process if n_process > 1 else 1
    for some in chunks(records, characters=ZONE_CHARACTERS * factor, most=ZONE_DOCUMENTS * factor):
        yield from ((record, record.problem) for record in some if record.problem)
        good = [record for record in some if not record.problem]
        with _zone(nlp):
            yield from _sanitised(nlp, good, batch_size, n_process)


def _zone(nlp: Language) -> AbstractContextManager[Any]:
    return nullcontext() if nlp.vocab.in_memory_zone else nlp.memory_zone()


def _sanitised(
    nlp: Language, records: list[Record], batch_size: int, n_process: int
) -> Iterator[Outcome]:
    done = 0
    while done < len(records):
        try:
            for doc in _piped(nlp, records[done:], batch_size, n_process):
                yield records[done], doc
                done += 1
        except Exception:
            # Whatever it was (a worker's message may quote the text), it comes again for the
            # record it belongs to. The others of the batch are drawn anew: nobody saw their noise.
            batch = records[done : done + batch_size]
            yield from ((record, _alone(nlp, record)) for record in batch)
            done += len(batch)
            n_process = 1


def _piped(
    nlp: Language, records: list[Record], batch_size: int, n_process: int
) -> Iterator[Doc]:
    """A Doc for each record, in order. Raises DxError where the pipeline drops or swaps some:
    their kept fields would go to others."""
    inputs = ((record.for_pipe(nlp.vocab), record.number) for record in records)
    docs = nlp.pipe(inputs, as_tuples=True, batch_size=batch_size, n_process=n_process)
    for record, (doc, number) in zip(records, docs, strict=True):
        if number != record.number:
            raise DxError("The pipeline mixed up its documents.")
        assert_sanitized(doc)
        yield doc


def _alone(nlp: Language, record: Record) -> Doc | str:
    if len(record.text) > nlp.max_length:
        return f"it is longer than the {nlp.max_length:,} characters that the pipeline takes."
    try:
        doc = nlp(record.for_pipe(nlp.vocab))
        assert_sanitized(doc)
    except DxError as error:
        return str(error)
    except Exception as error:
        return f"sanitising failed with {type(error).__name__}."
    return doc
