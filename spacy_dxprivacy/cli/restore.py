"""`dx restore`: replace surrogates with their originals."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from ..entities.surrogates.restoring import TableRestorer
from ..entities.surrogates.table import read_table
from ..errors import UsageError
from ..io.files.atomic import write_bytes
from ..io.files.keys import read_key
from ..io.files.limits import MAX_RECORD, check_size
from . import options
from .terminal import usage_errors


def restore_cli(
    answer: Annotated[Path, Argument(
        metavar="ANSWER", show_default=False,
        help="Text that mentions surrogates, such as a model's answer",
    )],
    output: Annotated[Path | None, Argument(
        metavar="OUTPUT", show_default=False, help="File to write; stdout if left out"
    )] = None,
    table: Annotated[Path, Option(
        "--table", help="Table of surrogates that `dx sanitize` wrote"
    )] = Path("table.dx"),
    table_key: Annotated[Path, Option("--table-key", help="Key file of the table")] = Path(
        "table.key"
    ),
    force: options.Force = False,
) -> None:  # fmt: skip
    """Replace the surrogates in an answer with their originals.

    Bare numbers, dates without a year, and other text that may not be a surrogate stay unchanged,
    and so do surrogates in web addresses, HTML and link targets. They are listed by label and line.

    Example: python -m spacy dx restore answer.txt --table ~/keys/table.dx --table-key ~/keys/a.key
    """
    with usage_errors():
        saved = read_table(table, read_key(table_key))
        try:
            check_size(answer, MAX_RECORD)
            text = answer.read_bytes().decode("utf8")
        except OSError as error:
            raise UsageError(f"{answer}: {error.strerror}.") from None
        except UnicodeDecodeError:
            raise UsageError(f"{answer}: is not UTF-8.") from None
    restorer = TableRestorer(saved)
    restored = restorer.restore(text)
    if output is None:
        typer.echo(restored, nl=False)
    else:
        write_bytes(output, restored.encode(), force=force)
    typer.echo(f"{restorer.restored} restored.", err=True)
    for label, lines_by_label in groupby(sorted(restorer.left), key=lambda pair: pair[0]):
        lines = [line for _, line in lines_by_label]
        listed = ", ".join(map(str, dict.fromkeys(lines)))
        why = "may not be a surrogate, or have several originals, and stay unchanged"
        typer.echo(f"{len(lines)} of {label} {why}: line {listed}.", err=True)
