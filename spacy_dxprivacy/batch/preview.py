"""The first documents, before and after: for the eyes of who holds the originals."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from spacy.language import Language

from .fields import Fields
from .jobs import Job, opened_first
from .record import Record
from .records import read
from .run import first_checked, opened
from .stream import outcomes

_PIECES = re.compile(r"\w+|[^\w\s]|\s+")


@dataclass(frozen=True)
class Preview:
    """One document. before and after: its words and what is between them, and whether each was
    changed. why: the reason where it could not be sanitised."""

    number: int
    before: list[tuple[str, bool]] = field(repr=False)
    after: list[tuple[str, bool]] = field(repr=False)
    why: str = ""


def previews(nlp: Language, job: Job, fields: Fields, most: int) -> Iterator[Preview]:
    """The first documents of a file, at most so many. Nothing is written."""
    job, fields = opened_first(job, fields)
    with opened(job) as handle:
        records = list(islice(first_checked(read(handle, job.read_as, fields)), most))
    for record, outcome in outcomes(nlp, records, batch_size=most):
        if isinstance(outcome, str):
            yield Preview(record.number, [], [], outcome)
        else:
            yield Preview(record.number, *compared(_text(record), outcome.text))


def _text(record: Record) -> str:
    if record.words is None:
        return record.text
    spaces = record.spaces or []
    return "".join(w + " " * s for w, s in zip(record.words, spaces, strict=True))


def compared(before: str, after: str) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]:
    """The pieces of two texts, and whether each is only in its own. White space is in both: to look
    for what matches it takes the time of all else together, many times over."""
    one, other = _PIECES.findall(before), _PIECES.findall(after)
    words = [[i for i, piece in enumerate(some) if not piece.isspace()] for some in (one, other)]
    matcher = difflib.SequenceMatcher(
        None, [one[i] for i in words[0]], [other[i] for i in words[1]], autojunk=False
    )
    left, right = set(words[0]), set(words[1])
    for block in matcher.get_matching_blocks():
        left -= set(words[0][block.a : block.a + block.size])
        right -= set(words[1][block.b : block.b + block.size])
    return [(p, i in left) for i, p in enumerate(one)], [
        (p, i in right) for i, p in enumerate(other)
    ]
