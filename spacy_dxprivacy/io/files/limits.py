"""How much is read of a file that may be damaged, changed, or made to do harm."""

from __future__ import annotations

import errno
import hashlib
import json
import stat
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import DxError, Errors

MB = 2**20
BLOCK = 2**16
MOST_RECORD = 256 * MB  # bytes of a document: a line of .jsonl, a field of .csv, a .txt file
MOST_JSON = 64 * MB  # of the files that describe a space, a graph, an index, a receipt
MOST_CONFIG = 4 * MB
DEEPEST = 200  # lists within lists, of JSON and msgpack
# Compressed files: so much may come out of any; beyond it, so many times their size. Vectors and
# documents are compressed to a half or a tenth; bombs to a thousandth.
FREE = 64 * MB
MOST_RATIO = 200


class TooLarge(DxError):
    """A file beyond these limits."""


def too_large(what: str, size: int, most: int) -> TooLarge:
    """Return the error for a size, in bytes."""
    actual = f"{size / MB:,.1f} MB"
    return TooLarge(Errors.DX095.format(what=what, most=f"{most / MB:,.0f} MB", given=actual))


class NotAFile(OSError):
    """A pipe, a socket or a device: whoever reads one may wait for ever."""


def regular(path: Path) -> Path:
    """Return the path of a file or a folder. Raise NotAFile, and OSError as stat does."""
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise NotAFile(errno.EINVAL, "is a pipe or a device, not a file", str(path))
    return path


def check_size(path: Path, most: int) -> None:
    """Raise TooLarge for more bytes; NotAFile, and OSError as stat does."""
    size = regular(path).stat().st_size
    if size > most:
        raise too_large(path.name, size, most)


def check_ratio(what: str, packed: int, unpacked: int) -> None:
    """Raise TooLarge if so many bytes out of so few are no honest compression."""
    if unpacked > FREE and unpacked > MOST_RATIO * packed:
        raise TooLarge(Errors.DX096.format(what=what, most=MOST_RATIO))


def inflated(blocks: Iterable[bytes], what: str) -> Iterator[bytes]:
    """Decompress zlib. Raise TooLarge for a bomb, zlib.error for damage, EOFError if it is cut."""
    stream, taken, unpacked = zlib.decompressobj(), 0, 0
    for block in blocks:
        taken += len(block)
        while block:
            if stream.eof:
                raise zlib.error("bytes after the end")
            out = stream.decompress(block, BLOCK)
            block = stream.unconsumed_tail or stream.unused_data
            unpacked += len(out)
            check_ratio(what, taken, unpacked)
            yield out
    if taken and not stream.eof:
        raise EOFError


def read_json(path: Path) -> Any:
    """Return the JSON in a file. Raise TooLarge, ValueError for what is no JSON, and OSError."""
    check_size(path, MOST_JSON)
    return parse_json(path.read_bytes())


def parse_json(raw: bytes | str) -> Any:
    """Return a value of JSON. Raise ValueError, also for what is nested too deep."""
    try:
        return json.loads(raw)
    except RecursionError:
        raise ValueError("nested too deep") from None


def read_array(path: Path) -> np.ndarray[Any, Any]:
    """Return a .npy file, mapped into memory: a header that promises too much costs nothing.

    Raise ValueError for objects, which would be unpickled, and for archives.
    """
    try:
        array = np.load(regular(path), mmap_mode="r", allow_pickle=False)
    except EOFError:
        raise ValueError("an empty file") from None
    if not isinstance(array, np.ndarray):
        array.close()
        raise ValueError("an archive of arrays, not an array")
    return array


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
