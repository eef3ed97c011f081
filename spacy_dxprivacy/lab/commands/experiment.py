"""`python -m spacy dx experiment`: mechanisms side by side, on texts of the package or of yours."""

from __future__ import annotations

from pathlib import Path

import typer

from ...cli import options
from ...cli.terminal import mistakes_in_a_line, progress, setting_up, settings_that_fail
from ...errors import UsageError
from ...io.code import import_code
from ...space.sources import BUILTIN
from ...validate import between, one_of
from ..experiments import EXPERIMENTS, Options
from ..mechanisms import load_space, parse_epsilons
from ..results import Result, check_out, plain, text_table
from . import described

MOST_ROWS, MOST_COLUMNS = 24, 10  # of a table that is printed


@described("experiment")
def experiment_cli(
    name: str,
    space: str = BUILTIN,
    max_words: int | None = None,
    out: Path = Path("experiments"),
    epsilon: str | None = None,
    mechanism: list[str] | None = None,
    text: Path | None = None,
    field: str = "text",
    label: str | None = None,
    author: str | None = None,
    documents: int | None = None,
    words: int = 1000,
    at: float = 0.6,
    model: str = "",
    prompt: str = "",
    format: str = "svg",
    code: options.Code = None,
    force: options.Force = False,
) -> None:
    """Compare mechanisms: a table and a figure.

    Release no output: some of its mechanisms give no privacy, and the noise is seeded. `tasks` is
    resumed where it was interrupted, by the same command.

    Example: python -m spacy dx experiment frontier --out experiments
    """
    with mistakes_in_a_line("experiment"):
        with setting_up(), settings_that_fail():
            import_code(code)
            one_of("NAME", name, tuple(EXPERIMENTS))
            check_out(out, [name], format, force=force)
            if text is not None and not text.is_file():
                raise UsageError(f"{text}: no such file.")
            unfinished = out / f"{name}.unfinished.json"
            given = Options(
                mechanisms=tuple(mechanism or ()),
                epsilons=tuple(parse_epsilons(epsilon)) if epsilon is not None else (),
                text=text,
                field=field,
                label=label,
                author=author,
                documents=documents or EXPERIMENTS[name].DOCUMENTS,
                words=words,
                at=between("--at", at, 0.0, 1.0),
                model=model,
                prompt=prompt,
                progress=progress,
                unfinished=unfinished,
            )
            table = load_space(space, max_words)
        with settings_that_fail():
            result = EXPERIMENTS[name].run(table, given)
        result.write(out, name, format, force=force)
        unfinished.unlink(missing_ok=True)
        _print(name, result)
        typer.echo(f"{out / name}.csv and the figure beside it.\n", err=True)


def _print(name: str, result: Result) -> None:
    """As much of the table as is read easily; all of it is in the file."""
    typer.secho(f"{name}: {EXPERIMENTS[name].ABOUT}", bold=True)
    rows = result.rows if result.shown is None else result.shown
    columns = [name for name in rows[0] if not name.endswith((" low", " high"))][:MOST_COLUMNS]
    every = -(-len(rows) // MOST_ROWS)
    lines = [[plain(row[column], 4) for column in columns] for row in rows[::every]]
    typer.echo(text_table(columns, lines))
    if every > 1:
        typer.echo(f"(every {every}th row of {len(rows)})")
    for note in [*result.notes, f"after {EXPERIMENTS[name].PAPER}"]:
        typer.echo(f"- {note}")
