"""`python -m spacy dx experiment`: the experiments of the papers, on any space."""

from __future__ import annotations

import inspect
import time
from dataclasses import Field, fields, replace
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import typer
from typer import Argument, Option

from ...cli import options
from ...cli.terminal import mistakes_in_a_line, progress, setting_up, settings_that_fail
from ...errors import UsageError
from ...io.code import import_code
from ...registries import RETIRED, retired
from ...space.sources import BUILTIN
from ...validate import between, one_of, positive
from ..experiments import EXPERIMENTS, Options
from ..mechanisms import load_space, parse_epsilons
from ..results import Result, check_out, plain, text_table

ALL = "all"
MOST_ROWS, MOST_COLUMNS = 24, 10  # of a table that is printed
FORMATS = ("svg", "png")
ASKED = [one for one in fields(Options) if one.metadata]
# fmt: off
Name = Annotated[str, Argument(
    metavar="NAME", show_default=False, help=", ".join([*EXPERIMENTS, ALL]),
)]
Out = Annotated[Path, Option("--out", "-o", help="Folder for NAME.csv and NAME.svg")]
Epsilon = Annotated[str | None, Option(
    "--epsilon", "-e", help="Values of epsilon: LOW:HIGH:STEPS, or a list 1,2,5",
)]
Format = Annotated[str, Option("--format", help="Format of the figure: svg or png")]
Quick = Annotated[bool, Option(
    "--quick", help="Use fewer words, draws and epsilons, for a quick look",
)]
# fmt: on


def _checked(one: Field[Any], value: Any) -> Any:
    """Raise DxError or UsageError for a value that the option does not take."""
    check, name = one.metadata, (one.metadata["flags"] or f"--{one.name}").split()[0]
    if "one_of" in check:
        return one_of(name, value, check["one_of"])
    if "above" in check:
        return positive(name, value)
    if "between" in check:
        return between(name, value, *check["between"])
    if isinstance(value, Path) and not value.is_file():
        raise UsageError(f"{value}: no such file.")
    return tuple(value) if isinstance(value, list) else value


def _with_options(command: Any) -> Any:
    """The command with an option for each field of Options, None if not given, in place of
    **asked."""
    parameters = list(inspect.signature(command, eval_str=True).parameters.values())
    first = [one for one in parameters if one.kind is not one.VAR_KEYWORD]
    every, kinds = first[:3], get_type_hints(Options)
    for one in ASKED:
        kind = kinds[one.name]
        simple = next((part for part in get_args(kind) if part in (int, float, str, Path)), kind)
        if simple is str and kind not in (str, str | None):
            simple = list[str]
        flags = (one.metadata["flags"] or f"--{one.name.replace('_', '-')}").split()
        given = Option(*flags, help=one.metadata["help"], min=one.metadata.get("least"))
        annotation: Any = Annotated[simple | None, given]
        keyword = inspect.Parameter.KEYWORD_ONLY
        every.append(inspect.Parameter(one.name, keyword, default=None, annotation=annotation))
    every += [one.replace(kind=one.KEYWORD_ONLY) for one in first[3:]]

    @wraps(command)
    def wrapped(**given: Any) -> None:
        command(**given)

    wrapped.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {one.name: one.annotation for one in every}
    return wrapped


@_with_options
def experiment_cli(
    name: Name,
    space: options.SpaceName = BUILTIN,
    out: Out = Path("experiments"),
    epsilon: Epsilon = None,
    format: Format = "svg",
    quick: Quick = False,
    code: options.Code = None,
    force: options.Force = False,
    **asked: Any,
) -> None:
    """Reproduce an experiment of the papers: a table and a figure.

    Release no output: some of its mechanisms give no privacy, and the noise is seeded. `tasks` is
    resumed where it was interrupted, by the same command.

    Example: python -m spacy dx experiment outputs --out experiments
    """
    with mistakes_in_a_line("experiment"):
        with setting_up(), settings_that_fail():
            import_code(code)
            if f"dx experiment {name}" in RETIRED:
                raise UsageError(str(retired(f"dx experiment {name}")))
            if name not in (*EXPERIMENTS, ALL):
                known = ", ".join([*EXPERIMENTS, ALL])
                raise UsageError(f"no experiment {name!r}. Choose from: {known}.")
            # Without labels of the user there is no task.
            every = [each for each in EXPERIMENTS if each != "tasks" or asked["label"]]
            names = every if name == ALL else [name]
            check_out(out, names, one_of("the format of the figure", format, FORMATS), force=force)
            given = {
                one.name: _checked(one, asked[one.name])
                for one in ASKED
                if asked[one.name] is not None
            }
            if epsilon is not None:
                given["epsilons"] = tuple(parse_epsilons(epsilon))
            table = load_space(space)
        for each in names:
            start = time.perf_counter()
            with settings_that_fail():
                settings = EXPERIMENTS[each].defaults
                if quick:
                    settings = replace(
                        settings,
                        words=min(settings.words, 60),
                        draws=min(settings.draws, 10),
                        steps=3,
                        documents=min(settings.documents, 60),
                        max_words=min(settings.max_words or 2000, 2000),
                    )
                unfinished = out / f"{each}.unfinished.json"
                settings = replace(settings, **given, progress=progress, unfinished=unfinished)
                result = EXPERIMENTS[each].run(table, settings)
            result.write(out, each, format, force=force)
            unfinished.unlink(missing_ok=True)
            _print(each, result)
            seconds = time.perf_counter() - start
            typer.echo(
                f"{out / each}.csv and the figure beside it, in {seconds:.0f} s.\n", err=True
            )


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
