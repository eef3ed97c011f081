"""Records through a pipeline: in memory zones, in batches, and one by one where a batch fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby

from spacy.language import Language
from spacy.tokens import Doc

from ..doc.receipt import Receipt
from ..doc.vocabulary import MANY_WORDS, trim_vocab
from ..doc.warming import warm_up
from ..errors import DxError
from ..rebuild import assert_sanitized, get_receipt
from .parts import LONG, counts_of, is_cut, parts_of, places_of, receipt_of
from .records import Record, chunks

# What a zone holds. The vocabulary grows by the words of a zone, and is emptied after it.
ZONE_DOCUMENTS = 2**14
ZONE_CHARACTERS = 2**22


@dataclass(frozen=True)
class Sanitized:
    """What came of a record. doc: for the formats that need it; it dies with its memory zone, so
    it lasts until the next outcome is asked for."""

    text: str
    receipt: Receipt
    doc: Doc | None = None


Outcome = tuple[Record, "Sanitized | str"]


def outcomes(
    nlp: Language,
    records: Iterable[Record],
    *,
    batch_size: int,
    ready: Callable[[], bool] | None = None,
    with_docs: bool = True,
) -> Generator[Outcome, None, None]:
    """Each record with what came of it, or with the reason why nothing did. A reason never holds
    text of a record. ready: whether the next record can be read without waiting for it; where it
    cannot, those that are there are sanitised first. with_docs: False where texts and receipts are
    enough: then a long text may be drawn in parts."""
    for some in chunks(records, characters=ZONE_CHARACTERS, most=ZONE_DOCUMENTS, ready=ready):
        yield from in_zone(nlp, some, batch_size=batch_size, with_docs=with_docs)


def in_zone(
    nlp: Language, records: list[Record], *, batch_size: int, with_docs: bool = True
) -> Iterator[Outcome]:
    """Each record with its outcome; strings that were read are forgotten after them. What is long
    is drawn in parts, each in a zone like any other."""
    yield from ((record, record.problem) for record in records if record.problem)
    good = [record for record in records if not record.problem]
    cut = not with_docs and max((len(record.text) for record in good), default=0) >= LONG
    if not cut:
        yield from _at_once(nlp, good, batch_size)
        return
    for is_long, some in groupby(good, lambda r: r.words is None and is_cut(nlp, r.text)):
        if is_long:
            yield from ((record, _in_parts(nlp, record.text, batch_size)) for record in some)
        else:
            yield from _at_once(nlp, list(some), batch_size)


def _in_parts(nlp: Language, text: str, batch_size: int) -> Sanitized | str:
    with zone(nlp):
        places = places_of(nlp, text)
    parts = (Record(i, text=part) for i, part in enumerate(parts_of(text, places)))
    if not places:
        (found,) = _at_once(nlp, list(parts), batch_size)
        return found[1]
    drawn: list[str] = []
    counts: Counter[str] = Counter()
    for some in chunks(parts, characters=ZONE_CHARACTERS, most=ZONE_DOCUMENTS):
        for _, result in _at_once(nlp, some, batch_size):
            if isinstance(result, str):
                return result
            drawn.append(result.text)
            counts.update(counts_of(result.receipt))
    return Sanitized("".join(drawn), receipt_of(nlp, counts))


def _at_once(nlp: Language, good: list[Record], batch_size: int) -> Iterator[Outcome]:
    warm_up(nlp, sum(len(record.text) for record in good))
    with zone(nlp):
        yield from _sanitized(nlp, good, batch_size)


@contextmanager
def zone(nlp: Language) -> Iterator[None]:
    """A memory zone, unless there is one already: they cannot be nested."""
    if getattr(nlp.vocab, "in_memory_zone", False):
        yield
        return
    with nlp.memory_zone():
        yield
    trim_vocab(nlp, after=MANY_WORDS)


def _sanitized(nlp: Language, records: list[Record], batch_size: int) -> Iterator[Outcome]:
    done = 0
    while done < len(records):
        try:
            for result in _piped(nlp, records[done:], batch_size):
                yield records[done], result
                done += 1
        except Exception:
            # Whatever it was, it comes again for the record it belongs to. The others of the
            # batch are drawn anew: nobody saw their noise.
            batch = records[done : done + batch_size]
            yield from ((record, _alone(nlp, record)) for record in batch)
            done += len(batch)


def _piped(nlp: Language, records: list[Record], batch_size: int) -> Iterator[Sanitized]:
    """One for each record, in order. Raises DxError where the pipeline drops or swaps documents:
    the kept fields of one would go to another."""
    inputs = ((record.for_pipe(nlp), record.key) for record in records)
    docs = nlp.pipe(inputs, as_tuples=True, batch_size=batch_size)
    for record, (doc, key) in zip(records, docs, strict=True):
        if key != record.key:
            raise DxError("The pipeline mixed up its documents.")
        yield _checked(doc)


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
