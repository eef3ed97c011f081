"""`dx sanitize --dry-run`: what would be done, and how long it takes."""

from __future__ import annotations

import typer
from spacy.language import Language

from ..batch.build import the_sanitizer
from ..batch.formats import WITH_FIELDS
from ..batch.jobs import Job
from ..batch.tally import many
from ..batch.trial import Outlook, outlook
from ..config import FileConfig

HOUR = 3600


def print_dry_run(nlp: Language, jobs: list[Job], files: FileConfig, setup: float) -> None:
    """A few lines a file, and what holds for all. setup: seconds."""
    terms = the_sanitizer(nlp).terms
    seconds, sizes = 0.0, True
    for job in jobs:
        found = outlook(nlp, job, files)
        for line in _lines(found, files):
            typer.echo(line)
        seconds += found.expected or 0.0
        sizes = sizes and found.expected is not None
    typer.echo(
        f"Mechanism: {terms.mechanism}, {terms.guarantee.epsilon:.6g} {terms.guarantee.unit}"
    )
    told = _time(setup + seconds) if sizes else "as long as it comes"
    typer.echo(f"Time: {told}, {_time(setup)} of it to set up, in one process")
    typer.echo("Nothing was written.")


def _lines(outlook: Outlook, files: FileConfig) -> list[str]:
    job = outlook.job
    target = "stdout" if job.target is None else str(job.target)
    most = "" if outlook.whole else "the first "
    rows = [f"{job.name} ({job.read_as}) -> {target} ({job.write_as}{job.pack and '.' + job.pack})"]
    if job.read_as in WITH_FIELDS:
        rows.append(f"  Sanitised: {', '.join(files.field)}")
        rows.append(f"  In clear: {'; '.join(outlook.clear) or 'no other field'}")
    share = outlook.known / outlook.words if outlook.words else 1.0
    held = f"{share:.1%} of {many(outlook.words, 'word')} are in the space"
    rows.append(f"  Words: {held}, in {most}{many(outlook.records, 'record')}")
    if outlook.failed:
        rows.append(f"  Would fail: {outlook.failed:,} of these records")
    return rows


def _time(seconds: float) -> str:
    if seconds < 120:
        return f"about {max(seconds, 1):.0f} s"
    return f"about {seconds / 60:.0f} min" if seconds < HOUR else f"about {seconds / HOUR:.1f} h"
