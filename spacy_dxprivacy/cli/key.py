"""`dx key` and `dx restore`: secret keys, and the originals in the place of their surrogates."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import typer

from ..entities.surrogates.table import read_table
from ..errors import UsageError
from ..io.files.atomic import write_bytes
from ..io.files.keys import make_key, read_key
from ..io.files.limits import MOST_RECORD, check_size
from . import options
from .terminal import mistakes_in_a_line, settings_that_fail


@options.described("key")
def key_cli(path: Path) -> None:
    """Create a secret key.

    It makes surrogates consistent over documents, encrypts their table and signs releases. Keep it
    in another folder than what you release.

    Example: python -m spacy dx key ~/keys/study.key
    """
    with mistakes_in_a_line("key"), settings_that_fail():
        make_key(path)
    typer.echo(f"{path}: new key. Anyone who has it can link surrogates to originals.", err=True)


@options.described("restore")
def restore_cli(
    answer: Path,
    output: Path | None = None,
    table: Path = Path("table.dx"),
    table_key: Path = Path("table.key"),
    force: options.Force = False,
) -> None:
    """Replace the surrogates in an answer with their originals.

    Bare numbers, dates without a year, and whatever else may not be a surrogate stay unchanged;
    they are listed by label and line.

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
    typer.echo(f"{restored.restored} restored.", err=True)
    for label, left in groupby(sorted(restored.left), key=lambda one: one[0]):
        lines = [line for _, line in left]
        where = ", ".join(map(str, dict.fromkeys(lines)))
        why = "may not be a surrogate, or have several originals, and stay unchanged"
        typer.echo(f"{len(lines)} of {label} {why}: line {where}.", err=True)
