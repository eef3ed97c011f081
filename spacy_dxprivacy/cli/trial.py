"""`run.preview` and `run.dry_run` of `dx sanitize`: what would be done; nothing is written."""

from __future__ import annotations

import typer
from spacy.language import Language

from ..config import FileConfig
from ..integrations.front.diff import diff
from ..io.build import the_sanitizer
from ..io.formats import WITH_FIELDS
from ..io.jobs import Job
from ..io.tally import many
from ..io.trial import Outlook, Preview, outlook
from .terminal import with_options


def print_preview(preview: Preview) -> None:
    """Print one document before and after, what was changed in colour, or between marks."""
    shown = with_options(preview.why) if preview.why else diff(preview.before, preview.after)
    typer.echo(f"--- {preview.number}\n{shown}")


def print_dry_run(nlp: Language, jobs: list[Job], files: FileConfig, setup: float) -> None:
    """Print a few lines a file, and what holds for all. setup: seconds."""
    terms = the_sanitizer(nlp).terms
    seconds: float | None = setup
    for job in jobs:
        found = outlook(nlp, job, files)
        typer.echo("\n".join(_lines(found, files)))
        known = seconds is not None and found.expected is not None
        seconds = seconds + found.expected if known else None  # type: ignore[operator]
    told = "as long as it comes" if seconds is None else _time(seconds)
    typer.echo(
        f"Mechanism: {terms.mechanism}, {terms.guarantee.epsilon:.6g} {terms.guarantee.unit}\n"
        f"Time: {told}, {_time(setup)} of it to set up, in one process\nNothing was written."
    )


def _lines(outlook: Outlook, files: FileConfig) -> list[str]:
    job = outlook.job
    target = "stdout" if job.target is None else str(job.target)
    most = "" if outlook.whole else "the first "
    rows = [f"{job.name} ({job.read_as}) -> {target} ({job.write_as}{job.pack and '.' + job.pack})"]
    if job.read_as in WITH_FIELDS:
        rows.append(f"  Sanitised: {', '.join(files.field)}")
        rows.append(f"  In clear: {'; '.join(outlook.clear) or 'no other field'}")
    c = outlook.tally.counts
    words = c["perturbed"] + c["unknown"]
    share = 1.0 - outlook.tally.share_not_held
    held = f"{share:.1%} of {many(words, 'word')} are in the space"
    rows.append(f"  Words: {held}, in {most}{many(outlook.records, 'record')}")
    if outlook.tally.failures:
        rows.append(f"  Would fail: {outlook.tally.failures:,} of these records")
    return rows


def _time(seconds: float) -> str:
    if seconds < 120:
        return f"about {max(seconds, 1):.0f} s"
    return f"about {seconds / 60:.0f} min" if seconds < 3600 else f"about {seconds / 3600:.1f} h"
