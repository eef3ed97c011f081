"""`python -m spacy dx experiment`: mechanisms side by side, on texts of the package or of yours."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from ...cli import options
from ...cli.terminal import mistakes_in_a_line, progress, setting_up, settings_that_fail
from ...errors import UsageError
from ...io.code import import_code
from ...registries import RETIRED, retired
from ...space.sources import BUILTIN
from ...validate import between, one_of
from ..experiments import EXPERIMENTS, Options
from ..mechanisms import load_space, parse_epsilons
from ..results import Result, check_out, plain, text_table

MOST_ROWS, MOST_COLUMNS = 24, 10  # of a table that is printed
FORMATS = ("svg", "png")
# fmt: off
Name = Annotated[str, Argument(
    metavar="NAME", show_default=False, help=", ".join(EXPERIMENTS),
)]
Out = Annotated[Path, Option("--out", "-o", help="Folder for NAME.csv and NAME.svg")]
Epsilon = Annotated[str | None, Option(
    "--epsilon", "-e", help="Values of epsilon: LOW:HIGH:STEPS, or a list 1,2,5",
)]
Steps = Annotated[int, Option(
    "--epsilons", min=2, help="frontier: most epsilons to try for a peer, without --epsilon",
)]
Mechanisms = Annotated[list[str] | None, Option(
    "--mechanism", "-m", help="Only this mechanism; a wrong name lists them all",
)]
Text = Annotated[Path | None, Option(
    "--text", help="Your texts, a .csv, .tsv or .jsonl file",
)]
Label = Annotated[str | None, Option("--label", help="tasks: field with the class of a text")]
Author = Annotated[str | None, Option("--author", help="tasks: field with the author of a text")]
Documents = Annotated[int | None, Option("--documents", min=10, help="Number of texts")]
Words = Annotated[int, Option("--words", "-w", min=2, help="tasks: most words to attack")]
At = Annotated[float, Option("--at", help="frontier: compare at this top-1 recovery rate")]
Model = Annotated[str, Option(
    "--model", help="frontier: causal language model for editor and attacker",
)]
Prompt = Annotated[str, Option(
    "--prompt", help="frontier: public prompt for the language model",
)]
Format = Annotated[str, Option("--format", help="Format of the figure: svg or png")]
# fmt: on


def experiment_cli(
    name: Name,
    space: options.SpaceName = BUILTIN,
    max_words: options.MaxWords = None,
    out: Out = Path("experiments"),
    epsilon: Epsilon = None,
    steps: Steps = 3,
    mechanism: Mechanisms = None,
    text: Text = None,
    field: options.Field = "text",
    label: Label = None,
    author: Author = None,
    documents: Documents = None,
    words: Words = 1000,
    at: At = 0.6,
    model: Model = "",
    prompt: Prompt = "",
    format: Format = "svg",
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
            if f"dx experiment {name}" in RETIRED:
                raise UsageError(str(retired(f"dx experiment {name}")))
            if name not in EXPERIMENTS:
                known = ", ".join(EXPERIMENTS)
                raise UsageError(f"no experiment {name!r}. Choose from: {known}.")
            check_out(out, [name], one_of("the format of the figure", format, FORMATS), force=force)
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
                documents=documents or EXPERIMENTS[name].documents,
                words=words,
                steps=steps,
                at=between("--at", at, 0.0, 1.0),
                model=model,
                prompt=prompt,
                progress=progress,
                unfinished=unfinished,
            )
            table = load_space(space, max_words)
        start = time.perf_counter()
        with settings_that_fail():
            result = EXPERIMENTS[name].run(table, given)
        result.write(out, name, format, force=force)
        unfinished.unlink(missing_ok=True)
        _print(name, result)
        seconds = time.perf_counter() - start
        typer.echo(f"{out / name}.csv and the figure beside it, in {seconds:.0f} s.\n", err=True)


def _print(name: str, result: Result) -> None:
    """As much of the table as is read easily; all of it is in the file."""
    typer.secho(f"{name}: {EXPERIMENTS[name].about}", bold=True)
    rows = result.rows if result.shown is None else result.shown
    columns = [name for name in rows[0] if not name.endswith((" low", " high"))][:MOST_COLUMNS]
    every = -(-len(rows) // MOST_ROWS)
    lines = [[plain(row[column], 4) for column in columns] for row in rows[::every]]
    typer.echo(text_table(columns, lines))
    if every > 1:
        typer.echo(f"(every {every}th row of {len(rows)})")
    for note in [*result.notes, f"after {EXPERIMENTS[name].paper}"]:
        typer.echo(f"- {note}")
