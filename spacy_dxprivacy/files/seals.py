"""The files of a saved folder are those that were saved: their SHA-256 in one of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from .digests import digest_of
from .limits import MB

SMALL = 128 * MB  # what is read through whenever it is loaded; it takes a tenth of a second


def sealed(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """The digest of each file of these names that is there."""
    paths = [folder / name for name in sorted(names)]
    return {path.name: digest_of(path) for path in paths if path.exists()}


def check_sealed(
    folder: Path, seal: Mapping[str, str] | None, names: Iterable[str], most: int
) -> None:
    """Raises ValueError where one of the files of these names is another one, is gone, or was
    added. Larger ones than `most` bytes are not read. seal: None for folders saved without."""
    if seal is None:
        return
    for name in names:
        path, expected = folder / name, seal.get(name)
        if path.exists() != (expected is not None):
            raise ValueError("a file that is gone, or was added")
        if expected is not None and path.stat().st_size <= most and digest_of(path) != expected:
            raise ValueError("a file that was changed")
