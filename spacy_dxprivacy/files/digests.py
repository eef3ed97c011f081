"""Files that were downloaded are the ones that were meant: their SHA-256 beside a list of them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import DxError, Errors, UsageError
from .limits import regular

BLOCK = 2**20  # bytes read at once
LINE = re.compile(r"([0-9a-fA-F]{64}) [ *](.+)")
Digest = Callable[[Path], str]


def digest_of(path: Path, *, on_bytes: Callable[[int], Any] | None = None) -> str:
    """The SHA-256 of a file, in hexadecimal. on_bytes: called with how many more were read. Raises
    OSError as reading does."""
    digest = hashlib.sha256()
    with regular(path).open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
            if on_bytes is not None:
                on_bytes(len(block))
    return digest.hexdigest()


def verify(
    folder: Path, listed: Path, *, digest: Digest = digest_of
) -> tuple[list[Path], list[Path]]:
    """The files that are as listed, and those that were added to the list. digest: of a file.

    Raises DxError for the first that differs; nothing is added then. Raises UsageError where the
    list cannot be read.
    """
    known = read_list(listed)
    paths = sorted(p for p in folder.glob("*") if p.is_file() and not p.name.startswith("."))
    found = {path: digest(path) for path in paths}
    for path, now in found.items():
        if known.get(path.name, now) != now:
            message = Errors.DX088.format(path=path, found=now, expected=known[path.name])
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
