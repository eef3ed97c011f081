"""`python -m spacy dx verify`: files that were downloaded are the ones that were meant.

`spacy project assets` only warns of a wrong checksum and goes on, so this is a step of its own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument

from ..files.digests import digest_of, verify
from .bars import bytes_bar
from .mistakes import mistakes_in_a_line

# fmt: off
Folder = Annotated[Path, Argument(
    metavar="FOLDER", show_default=False, help="Where the files are; those that are not there yet "
    "are no mistake",
)]
Listed = Annotated[Path, Argument(
    metavar="LIST", show_default=False, help="Their digests, as sha256sum writes them. A file that "
    "is not on it is trusted on first use: its digest is added, and a later change is refused",
)]
# fmt: on


def verify_cli(folder: Folder, listed: Listed) -> None:
    """Compare the SHA-256 of files with a list, and stop where one differs.

    Example: python -m spacy dx verify assets configs/assets.sha256
    """
    with mistakes_in_a_line("verify"):
        good, new = verify(folder, listed, digest=_with_bar)
    for path in good:
        typer.echo(f"{path}: as listed in {listed}.", err=True)
    for path in new:
        typer.echo(f"{path}: not listed; trusted on first use, and added to {listed}.", err=True)
    if not good and not new:
        typer.echo(f"{folder}: holds no file to verify.", err=True)


def _with_bar(path: Path) -> str:
    with bytes_bar(path.stat().st_size, desc=path.name, delay=0.5) as bar:
        return digest_of(path, on_bytes=bar.update)
