"""The SHA-256 of files, and of the files of a saved folder, to check that they are unchanged."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from .limits import MB, regular

SMALL = 128 * MB  # what is read through whenever it is loaded; it takes a tenth of a second


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal. Raise OSError as reading does."""
    digest = hashlib.sha256()
    with regular(path).open("rb") as file:
        while block := file.read(MB):
            digest.update(block)
    return digest.hexdigest()


def sealed(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the digest of each file of these names that is there."""
    paths = [folder / name for name in sorted(names)]
    return {path.name: digest_of(path) for path in paths if path.exists()}


def check_sealed(
    folder: Path, seal: Mapping[str, str] | None, names: Iterable[str], most: int
) -> None:
    """Raise ValueError if one of the files of these names was changed, removed or added.

    Files larger than `most` bytes are not read. A folder that was saved without a seal passes.
    """
    for name in names if seal is not None else ():
        path, expected = folder / name, (seal or {}).get(name)
        if path.exists() != (expected is not None):
            raise ValueError("a file that is gone, or was added")
        if expected is not None and path.stat().st_size <= most and digest_of(path) != expected:
            raise ValueError("a file that was changed")
