"""`dx key` and `dx restore`: secret keys, and the originals in the place of their surrogates."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from ..entities.surrogates.table import read_table
from ..errors import UsageError
from ..io.files.atomic import write_bytes
from ..io.files.keys import make_key, read_key
from ..io.files.limits import MOST_RECORD, check_size
from . import options
from .terminal import mistakes_in_a_line, settings_that_fail


# fmt: off
def key_cli(path: Annotated[Path, Argument(
    metavar="FILE", show_default=False, help="A new file, for you alone (mode 600). Keep it away "
    "from what is released",
)]) -> None:
    # fmt: on
    """Make a secret key: for surrogates that are the same in every document, and for tables.

    Example: python -m spacy dx key ~/keys/study.key
    """
    with mistakes_in_a_line("key"), settings_that_fail():
        make_key(path)
    typer.echo(f"{path}: a new key. Who has it can tell who stands for whom.", err=True)


# fmt: off
def restore_cli(
    answer: Annotated[Path, Argument(
        metavar="ANSWER", show_default=False, help="A text in which surrogates are named",
    )],
    output: Annotated[Path | None, Argument(
        metavar="OUTPUT", show_default=False, help="Where it goes; stdout if left out",
    )] = None,
    table: Annotated[Path, Option(help="What run.table of `dx sanitize` wrote")] = Path("table.dx"),
    table_key: Annotated[Path, Option(help="The file of the key that made it")] = Path("table.key"),
    force: options.Force = False,
) -> None:
    # fmt: on
    """Put the originals back into an answer, in the place of their surrogates.

    Bare numbers, dates without a year, and all else that an answer may have of its own stay, and
    are listed by label and line.

    Example: python -m spacy dx restore answer.txt --table ~/keys/table.dx --table-key ~/keys/a.key
    """
    with mistakes_in_a_line("restore"):
        with settings_that_fail():
            saved = read_table(table, read_key(table_key))
            try:
                check_size(answer, MOST_RECORD)
                text = answer.read_bytes().decode("utf8")
            except OSError as error:
                raise UsageError(f"{answer}: {error.strerror}.") from None
            except UnicodeDecodeError:
                raise UsageError(f"{answer}: is not UTF-8.") from None
        restored = saved.restore(text)
        if output is None:
            typer.echo(restored.text, nl=False)
        else:
            write_bytes(output, restored.text.encode(), force=force)
    typer.echo(f"{restored.restored} put back.", err=True)
    for label, left in groupby(sorted(restored.left), key=lambda one: one[0]):
        lines = [line for _, line in left]
        where = ", ".join(map(str, dict.fromkeys(lines)))
        why = "may be something else, or stand for several, and stay"
        typer.echo(f"{len(lines)} of {label} {why}: line {where}.", err=True)
