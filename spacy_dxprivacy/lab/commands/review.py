"""`python -m spacy dx review ...`: a release for human reviewers, and their answers."""

from __future__ import annotations

from pathlib import Path

import typer

from ...cli import DxCommand, options
from ...cli.terminal import mistakes_in_a_line, settings_that_fail
from . import described

review_app = typer.Typer(
    name="review", no_args_is_help=True, add_completion=False, rich_markup_mode=None,
    help="Hand a release to human reviewers, and read their answers.",
)  # fmt: skip


@review_app.command("export", cls=DxCommand)
@described("review export")
def review_export_cli(
    release: Path, tasks: Path, to: str, field: str = "text", force: options.Force = False
) -> None:
    """Write a task for each document: the released text, and the spans of a .spacy release.

    Example: python -m spacy dx review export clean.jsonl tasks.jsonl --to prodigy
    """
    from ..review import export_tasks

    with mistakes_in_a_line("review export"), settings_that_fail():
        export_tasks(release, tasks, to, field, bool(force))


@review_app.command("import", cls=DxCommand)
@described("review import")
def review_import_cli(
    reviewed: Path, out: Path, from_: str, force: options.Force = False
) -> None:  # fmt: skip
    """Write the id, text, answer and marked spans of each document.

    The exit status is 1 where a document was rejected or a span was marked, and 0 otherwise.

    Example: python -m spacy dx review import reviewed.jsonl answers.jsonl --from prodigy
    """
    from ..review import ANSWERS, MARKED, import_answers

    with mistakes_in_a_line("review import"), settings_that_fail():
        counts = import_answers(reviewed, out, from_, bool(force))
    typer.echo(", ".join(f"{counts[name]} {name}" for name in (*reversed(ANSWERS), MARKED)))
    raise typer.Exit(int(counts["reject"] + counts[MARKED] > 0))
