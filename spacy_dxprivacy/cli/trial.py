"""`run.preview` and `run.dry_run` of `dx sanitize`: what a run would do; nothing is written."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import islice

import typer
from spacy.language import Language

from ..config import FileConfig, RunConfig
from ..io.build import the_sanitizer
from ..io.formats import WITH_FIELDS
from ..io.jobs import Job, opened
from ..io.languages import with_language
from ..io.record import Record, fields_of
from ..io.run import unmodified
from ..io.stream import outcomes
from ..io.tally import Tally, many
from .terminal import with_options

SAMPLE, SAMPLE_CHARACTERS = 200, 200_000  # what is sanitised of a file, and forgotten


def print_previews(nlp: Language, job: Job, files: FileConfig, run: RunConfig) -> None:
    """Print the first documents before and after."""
    with opened(job, files) as given:
        read = islice(given.records(), run.preview)
        records = list(with_language(nlp, read, run))
    for record, outcome in outcomes(nlp, records, batch_size=run.preview):
        if isinstance(outcome, str):
            shown = with_options(outcome)
        else:
            tokens = zip(record.words or (), record.spaces or (), strict=True)
            before = record.text or "".join(word + " " * space for word, space in tokens)
            shown = f"- {_printable(before)}\n+ {_printable(outcome.text)}"
        typer.echo(f"--- {record.number}\n{shown}")


def _printable(text: str) -> str:
    # Control characters move the cursor, and worse.
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)


def print_dry_run(nlp: Language, jobs: list[Job], files: FileConfig, setup: float) -> None:
    """Print what a run would do, by the first records of each file; `setup` is in seconds."""
    terms = the_sanitizer(nlp).terms
    seconds: float | None = setup
    for job in jobs:
        expected = _print_file(nlp, job, files)
        seconds = None if seconds is None or expected is None else seconds + expected
    duration = "unknown for a stream" if seconds is None else _time(seconds)
    typer.echo(
        f"Mechanism: {terms.mechanism}, {terms.guarantee.epsilon:.6g} {terms.guarantee.unit}\n"
        f"Time: {duration}, {_time(setup)} of it to set up, in one process\nNothing was written."
    )


def _print_file(nlp: Language, job: Job, files: FileConfig) -> float | None:
    """Return the seconds that the file would take, if its size is known."""
    tally, fields = Tally(the_sanitizer(nlp).terms), dict[str, None]()
    with opened(job, files) as given:
        records = list(_sample(given.records(lambda names: fields.update(dict.fromkeys(names)))))
    start = time.perf_counter()
    for record, outcome in outcomes(nlp, records, batch_size=128):
        fields.update(dict.fromkeys(fields_of(record)))
        if isinstance(outcome, str):
            tally.failed.append([record.number])
        else:
            tally.add(outcome.receipt)
    seconds = time.perf_counter() - start
    read = sum(record.size for record in records)
    target = "stdout" if job.target is None else str(job.target)
    typer.echo(f"{job.name} ({job.read_as}) -> {target} ({job.write_as})")
    if job.read_as in WITH_FIELDS:
        clear = unmodified(files, fields) if job.write_as in WITH_FIELDS else []
        typer.echo(f"  Sanitised: {', '.join(files.field)}")
        typer.echo(f"  Unmodified: {'; '.join(clear) or 'no other field'}")
    words = many(tally.counts["perturbed"] + tally.counts["unknown"], "word")
    most = "" if read >= job.size > 0 else "the first "
    looked_at = many(len({record.number for record in records}), "record")
    share = f"{1.0 - tally.share_not_held:.1%} of {words} are in the space"
    typer.echo(f"  Words: {share}, in {most}{looked_at}")
    if tally.failures:
        typer.echo(f"  Would fail: {tally.failures:,} of these records")
    return seconds * max(1.0, job.size / read) if job.size and read else None


def _sample(records: Iterator[Record]) -> Iterator[Record]:
    characters = 0
    for record in islice(records, SAMPLE):
        yield record
        characters += record.length
        if characters > SAMPLE_CHARACTERS:
            return


def _time(seconds: float) -> str:
    if seconds < 120:
        return f"about {max(seconds, 1):.0f} s"
    return f"about {seconds / 60:.0f} min" if seconds < 3600 else f"about {seconds / 3600:.1f} h"
