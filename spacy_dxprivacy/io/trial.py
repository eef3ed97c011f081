"""What `dx sanitize` shows without writing anything: the first documents before and after, and what
a run would do."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from spacy.language import Language

from ..config import FileConfig
from .build import the_sanitizer
from .formats import WITH_FIELDS
from .jobs import Job, opened
from .record import Record
from .run import Seen
from .stream import outcomes
from .tally import Tally

SAMPLE, SAMPLE_CHARACTERS = 200, 200_000  # what is sanitised of a file, and forgotten


@dataclass(frozen=True)
class Preview:
    """One document, before and after. why: the reason where it could not be sanitised."""

    number: int
    before: str = field(default="", repr=False)
    after: str = field(default="", repr=False)
    why: str = ""


def previews(nlp: Language, job: Job, files: FileConfig, most: int) -> Iterator[Preview]:
    """Yield the first documents of a file, at most so many. Nothing is written."""
    with opened(job, files) as given:
        records = list(islice(given.records(), most))
    for record, outcome in outcomes(nlp, records, batch_size=most):
        if isinstance(outcome, str):
            yield Preview(record.number, why=outcome)
            continue
        pairs = zip(record.words or (), record.spaces or (), strict=True)
        text = record.text or "".join(word + " " * space for word, space in pairs)
        yield Preview(record.number, text, outcome.text)


@dataclass(frozen=True)
class Outlook:
    """What a run would do with one file. clear: what the receipt says of fields. tally: of the
    first records. records: how many were looked at, bytes: of how many of `size`."""

    job: Job
    clear: list[str]
    tally: Tally
    records: int
    bytes: int
    size: int

    @property
    def whole(self) -> bool:
        """Whether all of the file was looked at."""
        return self.bytes >= self.size > 0

    @property
    def expected(self) -> float | None:
        """Seconds for all of it; None where its size is not known."""
        if not self.size or not self.bytes:
            return None
        return self.tally.seconds * max(1.0, self.size / self.bytes)


def outlook(nlp: Language, job: Job, files: FileConfig) -> Outlook:
    """Sanitise the first records of a file, and throw away what comes out. Raise UsageError as
    sanitize does."""
    tally, seen = Tally(the_sanitizer(nlp).terms), Seen(files)
    with opened(job, files) as given:
        found = list(_sample(given.records(seen.add)))
    start = time.perf_counter()
    for record, outcome in outcomes(nlp, found, batch_size=128):
        seen.add_record(record)
        if isinstance(outcome, str):
            tally.failed.append([record.number])
        else:
            tally.add(outcome.receipt)
    tally.seconds = time.perf_counter() - start
    job = given.job
    clear = seen.in_clear() if {job.read_as, job.write_as} <= WITH_FIELDS else []
    records = len({record.number for record in found})
    return Outlook(job, clear, tally, records, sum(record.size for record in found), job.size)


def _sample(records: Iterator[Record]) -> Iterator[Record]:
    characters = 0
    for record in islice(records, SAMPLE):
        yield record
        characters += record.length
        if characters > SAMPLE_CHARACTERS:
            return
