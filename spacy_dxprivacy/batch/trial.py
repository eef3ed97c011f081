"""What `dx sanitize` shows without writing anything: the first documents before and after, what a
run would do, and whether its output can be read."""

from __future__ import annotations

import difflib
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from spacy.language import Language

from ..config import FileConfig
from ..pipeline.component import DxSanitizer
from ..priors.pairs import frequency_of
from ..randomness import Rng
from ..space import Space
from .build import the_sanitizer
from .formats import WITH_FIELDS, read
from .jobs import Job, opened, opened_first
from .record import Look, Record
from .run import Seen, first_checked
from .stream import outcomes
from .tally import Tally
from .writing import names_of_entry

_PIECES = re.compile(r"\w+|[^\w\s]|\s+")
Pieces = list[tuple[str, bool]]  # of a text, and whether each is in this one alone
SAMPLE, SAMPLE_CHARACTERS = 200, 200_000  # what is sanitised of a file, and forgotten


# -- before and after ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Preview:
    """One document. before and after: its words and what is between them, and whether each was
    changed. why: the reason where it could not be sanitised."""

    number: int
    before: Pieces = field(repr=False)
    after: Pieces = field(repr=False)
    why: str = ""


def previews(nlp: Language, job: Job, files: FileConfig, most: int) -> Iterator[Preview]:
    """Yield the first documents of a file, at most so many. Nothing is written."""
    job, files = opened_first(job, files)
    with opened(job) as handle:
        records = list(islice(first_checked(read(handle, job.read_as, files)), most))
    for record, outcome in outcomes(nlp, records, batch_size=most):
        if isinstance(outcome, str):
            yield Preview(record.number, [], [], outcome)
            continue
        text = record.text
        if record.words is not None:
            spaces = record.spaces or []
            text = "".join(w + " " * s for w, s in zip(record.words, spaces, strict=True))
        yield Preview(record.number, *compared(text, outcome.text))


def compared(before: str, after: str) -> tuple[Pieces, Pieces]:
    """Return the pieces of two texts, and whether each is only in its own. White space is in both:
    to look for what matches it takes the time of all else together, many times over."""
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


# -- what a run would do ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Outlook:
    """Of one file. records: how many were looked at, bytes: of how many of `size`. known and words:
    of these records. seconds: what they took. failed: how many of them cannot be sanitised."""

    job: Job
    clear: list[str]
    records: int
    bytes: int
    size: int
    words: int
    known: int
    seconds: float
    failed: int

    @property
    def whole(self) -> bool:
        """Whether all of the file was looked at."""
        return self.bytes >= self.size > 0

    @property
    def expected(self) -> float | None:
        """Seconds for all of it; None where its size is not known."""
        if not self.size or not self.bytes:
            return None
        return self.seconds * max(1.0, self.size / self.bytes)


def outlook(nlp: Language, job: Job, files: FileConfig) -> Outlook:
    """Sanitise the first records of a file, and throw away what comes out. Raise UsageError as
    sanitize does."""
    job, files = opened_first(job, files)
    tally, seen = Tally(the_sanitizer(nlp).terms), Seen(files)

    def on_head(names: list[str], look: Look) -> None:
        seen.add(names)

    with opened(job) as handle:
        found = list(_sample(first_checked(read(handle, job.read_as, files, on_head))))
    for record in found:
        seen.add(names_of_entry(record))
    start = time.perf_counter()
    failed = 0
    for _, outcome in outcomes(nlp, found, batch_size=128):
        if isinstance(outcome, str):
            failed += 1
        else:
            tally.add(outcome.receipt)
    c = tally.counts
    return Outlook(
        job,
        seen.in_clear() if {job.read_as, job.write_as} <= WITH_FIELDS else [],
        len({record.number for record in found}),
        sum(record.size for record in found),
        job.size,
        c["perturbed"] + c["unknown"],
        c["perturbed"],
        time.perf_counter() - start,
        failed,
    )


def _sample(records: Iterator[Record]) -> Iterator[Record]:
    characters = 0
    for record in islice(records, SAMPLE):
        yield record
        characters += record.length
        if characters > SAMPLE_CHARACTERS:
            return


# -- whether the output can be read ----------------------------------------------------------------

# Written for this; nobody's text.
SENTENCES = """
She was seen at the hospital in the morning and went home after two hours .
The house near the river was sold last year , and a family with a small dog lives there now .
I called the office twice this week , but nobody could tell me when the letter was sent .
He has had a cough for ten days and does not sleep well at night .
We would like to thank the school for all that it has done for our children .
The new system does not start when the door is open , and the light stays red .
My mother says that the food was good and that the people were very kind to her .
They will meet in the city on Friday to talk about the money and the plan .
"""
REPEATS = 4
LEAST_HELD = 0.8  # of these words: else the space is of another language, which is not judged here
MOST_NATS = 1.5  # how much rarer words may come out than they went in, on the average


@dataclass(frozen=True)
class Reading:
    """nats: by how much the words that come out are rarer in English than those that went in, in
    natural logarithms, on the average. rare: the share of words that the built-in space lacks."""

    nats: float
    rare: float

    @property
    def is_hard(self) -> bool:
        """Whether what comes out is far from readable."""
        return self.nats > MOST_NATS


def reading(sanitizer: DxSanitizer) -> Reading | None:
    """Return how the fitted mechanism of a sanitizer writes English. None where its space is of
    another language, or the built-in one, for which figures are in the docs."""
    space, builtin = sanitizer.space, Space.builtin()
    if space.digest == builtin.digest:
        return None
    words = SENTENCES.split()
    rows = np.array([space.find(word) for word in words])
    starts = np.array([i == 0 or words[i - 1] == "." for i in range(len(words))])
    if (rows >= 0).mean() < LEAST_HELD:
        return None
    sentences = np.cumsum(starts)[rows >= 0]
    starts, rows = np.diff(sentences, prepend=0) > 0, rows[rows >= 0]
    mechanism = sanitizer.mechanism
    together = bool(getattr(mechanism, "draws_together", False))
    how: dict[str, Any] = {"starts": np.tile(starts, REPEATS)} if together else {}
    drawn = mechanism.sample(np.tile(rows, REPEATS), Rng(), **how).rows
    surprise = -np.log(frequency_of(space))
    lacking = np.array([builtin.find(space.words[row]) < 0 for row in drawn])
    return Reading(float(surprise[drawn].mean() - surprise[rows].mean()), float(lacking.mean()))
