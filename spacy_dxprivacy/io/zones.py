"""Sanitise records in a memory zone: in batches, or one by one if a batch fails.

A long text is sanitised in parts, as separate documents that are joined again. A part ends with a
sentence or a paragraph. No component looks beyond that: not the tokenizer (both sides are tested),
not a mechanism that samples sentences, not the spelling. So output and receipt have the same
distribution as for the whole text, and memory holds one part at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby, islice

from spacy.language import Language
from spacy.tokens import Doc

from ..errors import DxError
from ..pipeline.component import DxSanitizer
from ..pipeline.count import Count
from ..pipeline.receipt import Receipt, assert_sanitized, get_receipt
from ..text.tokens import MANY_WORDS, trim_vocab
from .build import get_sanitizer
from .records import Failed, Input, Record, Released, Result, Text, chunks, nlp_input

# Limits of a zone. The vocabulary grows by the words of a zone, and shrinks again after it.
ZONE_DOCUMENTS = 2**14
ZONE_CHARACTERS = 2**22

LONG = 2**20  # characters from which a text is split
PART = 2**18  # characters of a part, without the rest of its last sentence
# Matches are bounded in length, so that a search is fast in any text.
_ENDS = re.compile(r"(?:[.!?]\s{1,8}|\n[^\S\n]{0,8}\n)(?=\S)")
_BESIDE = 256  # characters on each side of a split point that are tokenized to test it
MAX_TRIES = 2**10  # candidate split points per part
_MARKS = {".", "!", "?"}

Sanitized = tuple[str, Receipt, Doc | None]  # a sanitised text, its receipt and its Doc


def sanitize_in_zone(
    nlp: Language, records: list[Input], *, batch_size: int, with_docs: bool = False
) -> Iterator[Result]:
    """Yield the results of records, sanitised in memory zones, long texts in parts."""
    inputs = [
        (record, text) for record in records if isinstance(record, Record) for text in record.texts
    ]
    drawn = _sanitize_texts(nlp, inputs, batch_size, with_docs)
    for record in records:
        if isinstance(record, Failed):
            yield record
        else:
            yield _combine(record, [next(drawn) for _ in record.texts], with_docs)
    next(drawn, None)  # close the last zone


def _combine(record: Record, drawn: list[Sanitized | Failed], with_docs: bool) -> Result:
    released = list[Sanitized]()
    for outcome in drawn:
        if isinstance(outcome, Failed):
            return outcome
        released.append(outcome)
    docs = [doc for _, _, doc in released if doc is not None] if with_docs else []
    return Released(record, [text for text, _, _ in released], [r for _, r, _ in released], docs)


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


def _sanitize_single(nlp: Language, record: Record, text: Text) -> Sanitized | Failed:
    if isinstance(text, str) and len(text) > nlp.max_length:
        why = f"it is longer than the {nlp.max_length:,} characters that the pipeline takes."
        return Failed(record.number, why, record.size)
    try:
        return _check_output(nlp(nlp_input(nlp, text, record.data)))
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

    It must be long, and the only component a sanitizer that treats sentences independently.
    """
    if not isinstance(text, str) or not LONG <= len(text) <= nlp.max_length:
        return False
    pipes = [pipe for _, pipe in nlp.pipeline]
    return len(pipes) == 1 and isinstance(pipes[0], DxSanitizer) and pipes[0].settings.takes_parts


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
    return "".join(drawn), get_sanitizer(nlp).terms.receipt(count), None


def split_at(text: str, places: Iterable[int]) -> Iterator[str]:
    """Split a text at these places."""
    start = 0
    for place in [*places, len(text)]:
        yield text[start:place]
        start = place


def split_points(nlp: Language, text: str) -> list[int]:
    """Return the places to split a text at. Call in a memory zone, because it tokenizes."""
    places, start = list[int](), 0
    while start + 2 * PART < len(text):
        ends = islice(_ENDS.finditer(text, start + PART), MAX_TRIES)
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
    before = text[max(0, place - _BESIDE) : place].lstrip().partition(" ")[2]
    after = text[place : place + _BESIDE].rpartition(" ")[0]
    alone = [t.text for t in nlp.tokenizer(before)], [t.text for t in nlp.tokenizer(after)]
    together = [t.text for t in nlp.tokenizer(before + after)]
    words = [word for word in alone[0] if not word.isspace()]
    is_end = text[match.start()] not in _MARKS or words[-1:] in ([mark] for mark in _MARKS)
    return is_end and together == alone[0] + alone[1]
