"""Records through a pipeline: in memory zones, in batches, and one by one if a batch fails."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from spacy.language import Language
from spacy.tokens import Doc

from ..errors import DxError
from ..pipeline.receipt import Receipt, assert_sanitized, get_receipt
from ..text.tokens import MANY_WORDS, trim_vocab
from .record import Record, chunks

# What a zone holds. The vocabulary grows by the words of a zone, and is emptied after it.
ZONE_DOCUMENTS = 2**14
ZONE_CHARACTERS = 2**22


@dataclass(frozen=True)
class Sanitized:
    """The result for a record."""

    text: str
    receipt: Receipt
    doc: Doc | None = (
        None  # dies with its memory zone: it lasts until the next outcome is asked for
    )


Outcome = tuple[Record, "Sanitized | str"]


def outcomes(
    nlp: Language,
    records: Iterable[Record],
    *,
    batch_size: int,
    ready: Callable[[], bool] | None = None,
) -> Generator[Outcome, None, None]:
    """Yield each record with its result, or with the reason for none, which never holds text.

    If the next record is not `ready`, those that are there are sanitised first.
    """
    for some in chunks(records, characters=ZONE_CHARACTERS, most=ZONE_DOCUMENTS, ready=ready):
        yield from in_zone(nlp, some, batch_size=batch_size)


def in_zone(nlp: Language, records: list[Record], *, batch_size: int) -> Iterator[Outcome]:
    """Yield the outcomes of records in a memory zone."""
    found = _in_batches(nlp, [record for record in records if not record.problem], batch_size)
    yield from ((record, record.problem) if record.problem else next(found) for record in records)
    next(found, None)  # ends the zone


def _in_batches(nlp: Language, good: list[Record], batch_size: int) -> Iterator[Outcome]:
    with zone(nlp):
        done = 0
        while done < len(good):
            try:
                inputs = ((record.for_pipe(nlp), record.key) for record in good[done:])
                docs = nlp.pipe(inputs, as_tuples=True, batch_size=batch_size)
                for record, (doc, key) in zip(good[done:], docs, strict=True):
                    if key != record.key:  # the kept fields of one would go to another
                        raise DxError(
                            "The pipeline changed the order of documents. Check its components."
                        )
                    yield record, _checked(doc)
                    done += 1
            except Exception:
                # Whatever it was, it comes again for the record it belongs to. The others of the
                # batch are drawn anew: nobody saw their noise.
                batch = good[done : done + batch_size]
                yield from ((record, _alone(nlp, record)) for record in batch)
                done += len(batch)


@contextmanager
def zone(nlp: Language) -> Iterator[None]:
    """Open a memory zone, unless there is one already: they cannot be nested."""
    if getattr(nlp.vocab, "in_memory_zone", False):
        yield
        return
    with nlp.memory_zone():
        yield
    trim_vocab(nlp, after=MANY_WORDS)


def _alone(nlp: Language, record: Record) -> Sanitized | str:
    if len(record.text) > nlp.max_length:
        return f"it is longer than the {nlp.max_length:,} characters that the pipeline takes."
    try:
        return _checked(nlp(record.for_pipe(nlp)))
    except DxError as error:
        return str(error)
    except Exception as error:
        return f"sanitising failed with {type(error).__name__}."


def _checked(doc: Doc) -> Sanitized:
    assert_sanitized(doc)
    return Sanitized(doc.text, get_receipt(doc) or Receipt(), doc)
