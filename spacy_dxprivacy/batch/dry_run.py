"""What a run would read and write, how many words the space holds, and how long it would take."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from spacy.language import Language

from .build import the_sanitizer
from .fields import Fields
from .jobs import WITH_FIELDS, Job, opened_first
from .record import Look, Record
from .records import read
from .run import Seen, first_checked, opened
from .stream import outcomes
from .tally import Tally
from .writers import names_of_entry

SAMPLE, SAMPLE_CHARACTERS = 200, 200_000  # what is sanitised of a file, and forgotten


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


def outlooks(nlp: Language, jobs: list[Job], fields: Fields) -> Iterator[Outlook]:
    """One for each job. Its first records are sanitised, and what comes out is thrown away. Raises
    UsageError as sanitize does."""
    for job in jobs:
        yield _outlook(nlp, job, fields)


def _outlook(nlp: Language, job: Job, fields: Fields) -> Outlook:
    job, fields = opened_first(job, fields)
    tally, seen = Tally(the_sanitizer(nlp).terms), Seen(fields)

    def on_head(names: list[str], look: Look) -> None:
        seen.add(names)

    with opened(job) as handle:
        found = list(_sample(first_checked(read(handle, job.read_as, fields, on_head))))
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
