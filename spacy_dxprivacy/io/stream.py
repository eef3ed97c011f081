"""Records through a pipeline: in memory zones, in batches, and one by one if a batch fails."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, groupby, islice

from spacy.language import Language
from spacy.tokens import Doc

from ..errors import DxError
from ..pipeline.component import DxSanitizer
from ..pipeline.count import Count
from ..pipeline.receipt import Receipt, assert_sanitized, get_receipt
from ..text.tokens import MANY_WORDS, trim_vocab
from .build import the_sanitizer
from .record import Record, chunks

# What a zone holds. The vocabulary grows by the words of a zone, and is emptied after it.
ZONE_DOCUMENTS = 2**14
ZONE_CHARACTERS = 2**22

LONG = 2**20  # characters: from here on a text is cut
PART = 2**18  # characters of a part, and what is missing of its last sentence
# Of bounded length, as a long text may be anything: a search takes time by its length.
_ENDS = re.compile(r"(?:[.!?]\s{1,8}|\n[^\S\n]{0,8}\n)(?=\S)")
_BESIDE = 256  # characters on each side of a place that the tokenizer is asked about
MOST_TRIES = 2**10  # ends of a part that are looked at, none of which may be one
_MARKS = {".", "!", "?"}


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
    with_docs: bool = True,
) -> Generator[Outcome, None, None]:
    """Yield each record with its result, or with the reason for none, which never holds text.

    If the next record is not `ready`, those that are there are sanitised first. Without docs, texts
    and receipts are enough, and a long text may be drawn in parts.
    """
    for some in chunks(records, characters=ZONE_CHARACTERS, most=ZONE_DOCUMENTS, ready=ready):
        yield from in_zone(nlp, some, batch_size=batch_size, with_docs=with_docs)


def in_zone(
    nlp: Language, records: list[Record], *, batch_size: int, with_docs: bool = True
) -> Iterator[Outcome]:
    """Yield the outcomes of records in a memory zone; long texts are drawn in parts."""
    good = [record for record in records if not record.problem]
    by_length = groupby(good, lambda r: not with_docs and r.words is None and is_cut(nlp, r.text))
    found = chain.from_iterable(
        ((record, _in_parts(nlp, record.text, batch_size)) for record in some)
        if long
        else _at_once(nlp, list(some), batch_size)
        for long, some in by_length
    )
    yield from ((record, record.problem) if record.problem else next(found) for record in records)
    next(found, None)  # ends the last zone


def _at_once(nlp: Language, good: list[Record], batch_size: int) -> Iterator[Outcome]:
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


# -- long texts ------------------------------------------------------------------------------------

# A long text is drawn in parts, as documents of their own that make one again. A part ends with a
# sentence or a paragraph, and nothing looks beyond that: not the tokenizer (it is asked), not a
# mechanism that draws sentences (it gets the start of each, and no document), not the spelling. So
# the output has the distribution that it would have as a whole, and its receipt is that of the
# whole; memory holds a part at a time.


def only_sanitizer(nlp: Language) -> DxSanitizer | None:
    """Return the sanitizer of a pipeline that has nothing else; None for any other pipeline."""
    pipes = [pipe for _, pipe in nlp.pipeline]
    return pipes[0] if len(pipes) == 1 and isinstance(pipes[0], DxSanitizer) else None


def is_cut(nlp: Language, text: str) -> bool:
    """Return whether a text is drawn in parts: it is long, and its words or sentences are apart."""
    if not LONG <= len(text) <= nlp.max_length:
        return False
    sanitizer = only_sanitizer(nlp)
    return sanitizer is not None and sanitizer.takes_parts


def _in_parts(nlp: Language, text: str, batch_size: int) -> Sanitized | str:
    with zone(nlp):
        places = places_of(nlp, text)
    parts = (Record(i, text=part) for i, part in enumerate(parts_of(text, places)))
    if not places:
        (found,) = _at_once(nlp, list(parts), batch_size)
        return found[1]
    drawn: list[str] = []
    count = Count()
    for some in chunks(parts, characters=ZONE_CHARACTERS, most=ZONE_DOCUMENTS):
        for _, result in _at_once(nlp, some, batch_size):
            if isinstance(result, str):
                return result
            drawn.append(result.text)
            count += result.receipt.count
    count = replace(count, documents=1, most_draws=count.draws)
    return Sanitized("".join(drawn), the_sanitizer(nlp).terms.receipt(count))


def parts_of(text: str, places: Iterable[int]) -> Iterator[str]:
    """Yield the parts between these places."""
    start = 0
    for place in [*places, len(text)]:
        yield text[start:place]
        start = place


def places_of(nlp: Language, text: str) -> list[int]:
    """Return where to cut a text. Call it in a memory zone: it reads some words."""
    found, start = list[int](), 0
    while start + 2 * PART < len(text):
        ends = islice(_ENDS.finditer(text, start + PART), MOST_TRIES)
        place = next((end.end() for end in ends if _parts_sentences(nlp, text, end)), None)
        if place is None:
            break
        found.append(place)
        start = place
    return found


def _parts_sentences(nlp: Language, text: str, match: re.Match[str]) -> bool:
    """Return whether a sentence ends there, and the tokenizer cuts both sides as if alone."""
    place = match.end()
    # Without the words that the window breaks.
    left = text[max(0, place - _BESIDE) : place].lstrip().partition(" ")[2]
    right = text[place : place + _BESIDE].rpartition(" ")[0]
    alone = [t.text for t in nlp.tokenizer(left)], [t.text for t in nlp.tokenizer(right)]
    together = [t.text for t in nlp.tokenizer(left + right)]
    words = [word for word in alone[0] if not word.isspace()]
    is_end = text[match.start()] not in _MARKS or words[-1:] in ([mark] for mark in _MARKS)
    return is_end and together == alone[0] + alone[1]
