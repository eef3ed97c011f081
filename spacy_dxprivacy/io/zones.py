"""Records in a memory zone: drawn in batches, and one by one if a batch fails.

A long text is drawn in parts, as documents of their own that make one again. A part ends with a
sentence or a paragraph, and nothing looks beyond that: not the tokenizer (it is asked), not a
mechanism that draws sentences (it gets the start of each, and no document), not the spelling. So
the output has the distribution that it would have as a whole, and its receipt is that of the
whole; memory holds a part at a time.
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
from .build import the_sanitizer
from .records import Failed, Input, Record, Released, Result, Text, chunks, doc_of

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

Drawn = tuple[str, Receipt, Doc | None]  # of a text


def in_zone(
    nlp: Language, records: list[Input], *, batch_size: int, with_docs: bool = False
) -> Iterator[Result]:
    """Yield the results of records in a memory zone; long texts are drawn in parts."""
    inputs = [
        (record, text) for record in records if isinstance(record, Record) for text in record.texts
    ]
    drawn = _drawn(nlp, inputs, batch_size, with_docs)
    for record in records:
        if isinstance(record, Failed):
            yield record
        else:
            yield _result(record, [next(drawn) for _ in record.texts], with_docs)
    next(drawn, None)  # ends the last zone


def _result(record: Record, drawn: list[Drawn | Failed], with_docs: bool) -> Result:
    released = list[Drawn]()
    for outcome in drawn:
        if isinstance(outcome, Failed):
            return outcome
        released.append(outcome)
    docs = [doc for _, _, doc in released if doc is not None] if with_docs else []
    return Released(record, [text for text, _, _ in released], [r for _, r, _ in released], docs)


def _drawn(
    nlp: Language, inputs: list[tuple[Record, Text]], batch_size: int, with_docs: bool
) -> Iterator[Drawn | Failed]:
    by_length = groupby(inputs, lambda pair: not with_docs and is_cut(nlp, pair[1]))
    for is_long, pairs in by_length:
        if is_long:
            for record, text in pairs:
                yield _in_parts(nlp, record, str(text), batch_size)
        else:
            yield from _at_once(nlp, list(pairs), batch_size)


def _at_once(
    nlp: Language, inputs: list[tuple[Record, Text]], batch_size: int
) -> Iterator[Drawn | Failed]:
    with zone(nlp):
        done = 0
        while done < len(inputs):
            try:
                places = range(done, len(inputs))
                pairs = ((doc_of(nlp, inputs[i][1], inputs[i][0].data), i) for i in places)
                docs = nlp.pipe(pairs, as_tuples=True, batch_size=batch_size)
                for place, (doc, number) in zip(places, docs, strict=True):
                    if number != place:  # the fields of a record would go to another
                        raise DxError(
                            "The pipeline changed the order of documents. Check its components."
                        )
                    yield _checked(doc)
                    done += 1
            except Exception:
                # Whatever it was, it comes again for the record it belongs to. The others of the
                # batch are drawn anew: nobody saw their noise.
                batch = inputs[done : done + batch_size]
                yield from (_alone(nlp, record, text) for record, text in batch)
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


def _alone(nlp: Language, record: Record, text: Text) -> Drawn | Failed:
    if isinstance(text, str) and len(text) > nlp.max_length:
        why = f"it is longer than the {nlp.max_length:,} characters that the pipeline takes."
        return Failed(record.number, why, record.size)
    try:
        return _checked(nlp(doc_of(nlp, text, record.data)))
    except DxError as error:
        return Failed(record.number, str(error), record.size)
    except Exception as error:
        why = f"sanitising failed with {type(error).__name__}."
        return Failed(record.number, why, record.size)


def _checked(doc: Doc) -> Drawn:
    assert_sanitized(doc)
    return doc.text, get_receipt(doc) or Receipt(), doc


# -- long texts ------------------------------------------------------------------------------------


def is_cut(nlp: Language, text: Text) -> bool:
    """Return whether a text is drawn in parts.

    It is long, and the pipeline has nothing but a sanitizer that draws words or sentences apart.
    """
    if not isinstance(text, str) or not LONG <= len(text) <= nlp.max_length:
        return False
    pipes = [pipe for _, pipe in nlp.pipeline]
    return len(pipes) == 1 and isinstance(pipes[0], DxSanitizer) and pipes[0].settings.takes_parts


def _in_parts(nlp: Language, record: Record, text: str, batch_size: int) -> Drawn | Failed:
    with zone(nlp):
        places = places_of(nlp, text)
    if not places:
        (outcome,) = _at_once(nlp, [(record, text)], batch_size)
        return outcome
    drawn: list[str] = []
    count = Count()
    parts = (Record(record.number, [part]) for part in parts_of(text, places))
    for chunk in chunks(parts, characters=ZONE_CHARACTERS, most=ZONE_DOCUMENTS):
        inputs = [(part, part.texts[0]) for part in chunk if isinstance(part, Record)]
        for outcome in _at_once(nlp, inputs, batch_size):
            if isinstance(outcome, Failed):
                return Failed(record.number, outcome.why, record.size)
            part, receipt, _ = outcome
            drawn.append(part)
            count += receipt.count
    count = replace(count, documents=1, most_draws=count.draws)
    return "".join(drawn), the_sanitizer(nlp).terms.receipt(count), None


def parts_of(text: str, places: Iterable[int]) -> Iterator[str]:
    """Yield the parts between these places."""
    start = 0
    for place in [*places, len(text)]:
        yield text[start:place]
        start = place


def places_of(nlp: Language, text: str) -> list[int]:
    """Return where to cut a text. Call it in a memory zone: it reads some words."""
    places, start = list[int](), 0
    while start + 2 * PART < len(text):
        ends = islice(_ENDS.finditer(text, start + PART), MOST_TRIES)
        place = next((end.end() for end in ends if _parts_sentences(nlp, text, end)), None)
        if place is None:
            break
        places.append(place)
        start = place
    return places


def _parts_sentences(nlp: Language, text: str, match: re.Match[str]) -> bool:
    """Return whether a sentence ends there, and the tokenizer cuts both sides as if alone."""
    place = match.end()
    # Without the words that the window breaks.
    before = text[max(0, place - _BESIDE) : place].lstrip().partition(" ")[2]
    after = text[place : place + _BESIDE].rpartition(" ")[0]
    alone = [t.text for t in nlp.tokenizer(before)], [t.text for t in nlp.tokenizer(after)]
    together = [t.text for t in nlp.tokenizer(before + after)]
    words = [word for word in alone[0] if not word.isspace()]
    is_end = text[match.start()] not in _MARKS or words[-1:] in ([mark] for mark in _MARKS)
    return is_end and together == alone[0] + alone[1]
