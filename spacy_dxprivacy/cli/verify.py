"""`python -m spacy dx verify`: files that were downloaded are the ones that were meant.

`spacy project assets` only warns of a wrong checksum and goes on, so this is a step of its own.
"""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm
from typer import Argument

from ..errors import DxError, Errors, UsageError
from .mistakes import mistakes_in_a_line

BLOCK = 2**20  # bytes read at once
LINE = re.compile(r"([0-9a-fA-F]{64}) [ *](.+)")

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
        good, new = verify(folder, listed)
    for path in good:
        typer.echo(f"{path}: as listed in {listed}.", err=True)
    for path in new:
        typer.echo(f"{path}: not listed; trusted on first use, and added to {listed}.", err=True)
    if not good and not new:
        typer.echo(f"{folder}: holds no file to verify.", err=True)


def verify(folder: Path, listed: Path) -> tuple[list[Path], list[Path]]:
    """The files that are as listed, and those that were added to the list.

    Raises DxError for the first that differs; nothing is added then. Raises UsageError where the
    list cannot be read.
    """
    known = read_list(listed)
    paths = sorted(p for p in folder.glob("*") if p.is_file() and not p.name.startswith("."))
    found = {path: digest_of(path) for path in paths}
    for path, digest in found.items():
        if known.get(path.name, digest) != digest:
            message = Errors.DX088.format(path=path, found=digest, expected=known[path.name])
            raise DxError(message)
    new = [path for path in paths if path.name not in known]
    if new:
        text = listed.read_text(encoding="utf8") if listed.exists() else ""
        text += "" if text.endswith("\n") or not text else "\n"
        text += "".join(f"{found[path]}  {path.name}\n" for path in new)
        listed.write_text(text, encoding="utf8")
    return [path for path in paths if path.name in known], new


def read_list(path: Path) -> dict[str, str]:
    """The digest of each name; {} where there is no such file. Lines that begin with "#" and blank
    ones do not count. Raises UsageError for any other line that is none of sha256sum's."""
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf8").splitlines()
    matches = [LINE.fullmatch(line) for line in lines if line.strip() and line[0] != "#"]
    if not all(matches):
        raise UsageError(f"{path}: is not a list as sha256sum writes it.")
    return {match[2]: match[1].lower() for match in matches if match}


def digest_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal. Shows its progress on a terminal."""
    digest = hashlib.sha256()
    size = path.stat().st_size
    bar = tqdm(desc=path.name, total=size, unit="B", unit_scale=True, leave=False, disable=None,
               file=sys.stderr, delay=0.5)  # fmt: skip
    with path.open("rb") as file, bar:
        while block := file.read(BLOCK):
            digest.update(block)
            bar.update(len(block))
    return digest.hexdigest()
