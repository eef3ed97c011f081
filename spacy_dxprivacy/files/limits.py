"""Read files that may be damaged, modified or malicious, within limits: JSON, arrays, streams, and
msgpack and DocBin (.spacy).

spaCy reads both of these with srsly.msgpack_loads. It passes every map to decoders that any
installed package may register, and allocates lists by the length in their header before it reads
the items. This module uses msgpack's Unpacker with limits, without decoders, and unpickles nothing.
"""

from __future__ import annotations

import errno
import hashlib
import json
import select
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import IO, Any

import msgpack
import numpy as np
from numpy.typing import NDArray
from spacy.attrs import ORTH
from spacy.strings import get_string_id

from ..errors import DxError, Errors

MB = 2**20
BLOCK_BYTES = 2**16
MAX_RECORD = 256 * MB  # bytes of a document: a line of .jsonl, a field of .csv, a .txt file
MAX_JSON = 64 * MB  # of files that describe a space, a graph or an index, and of receipts
MAX_CONFIG = 4 * MB
MAX_DEPTH = 200  # nested lists in JSON and msgpack
# Above this size, a compressed file may decompress to at most MAX_RATIO times its size.
# Vectors and documents have ratios of 2 to 10, zip bombs of 1000.
RATIO_CHECKED_FROM = 64 * MB
MAX_RATIO = 200
ENCRYPTED = b"\xd0\xcf\x11\xe0"  # first bytes of encrypted office files, and of those before 2007


class TooLarge(DxError):
    """A file exceeds a limit."""


def too_large(what: str, size: int, limit: int) -> TooLarge:
    """Return the error for a size above a limit, both in bytes."""
    actual = f"{size / MB:,.1f} MB"
    return TooLarge(Errors.DX095.format(what=what, most=f"{limit / MB:,.0f} MB", given=actual))


class NotAFile(OSError):
    """A path is a pipe, a socket or a device. Reading it could block forever."""


def regular(path: Path) -> Path:
    """Return the path if it is a file or a folder. Raise NotAFile, or OSError if it is missing."""
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise NotAFile(errno.EINVAL, "is a pipe or a device, not a file", str(path))
    return path


def check_size(path: Path, limit: int) -> None:
    """Raise TooLarge for a file of more than `limit` bytes; NotAFile and OSError as `regular`."""
    size = regular(path).stat().st_size
    if size > limit:
        raise too_large(path.name, size, limit)


def check_ratio(what: str, packed: int, unpacked: int) -> None:
    """Raise TooLarge if `packed` bytes decompress to suspiciously many `unpacked` bytes."""
    if unpacked > RATIO_CHECKED_FROM and unpacked > MAX_RATIO * packed:
        raise TooLarge(Errors.DX096.format(what=what, most=MAX_RATIO))


def inflate(blocks: Iterable[bytes], what: str) -> Iterator[bytes]:
    """Decompress zlib. Raise TooLarge for a bomb, zlib.error for damage, EOFError if cut off."""
    stream, taken, unpacked = zlib.decompressobj(), 0, 0
    for block in blocks:
        taken += len(block)
        while block:
            if stream.eof:
                raise zlib.error("bytes after the end")
            out = stream.decompress(block, BLOCK_BYTES)
            block = stream.unconsumed_tail or stream.unused_data
            unpacked += len(out)
            check_ratio(what, taken, unpacked)
            yield out
    if taken and not stream.eof:
        raise EOFError


def read_json(path: Path) -> Any:
    """Return the JSON in a file. Raise TooLarge, OSError, or ValueError if it is no JSON."""
    check_size(path, MAX_JSON)
    return parse_json(path.read_bytes())


def parse_json(raw: bytes | str) -> Any:
    """Parse JSON. Raise ValueError, also if it is nested too deeply."""
    try:
        return json.loads(raw)
    except RecursionError:
        raise ValueError("nested too deep") from None


def read_array(path: Path) -> np.ndarray[Any, Any]:
    """Map a .npy file into memory, so that a wrong size in its header allocates nothing.

    Raise ValueError for arrays of objects, which would be unpickled, and for .npz archives.
    """
    try:
        array = np.load(regular(path), mmap_mode="r", allow_pickle=False)
    except EOFError:
        raise ValueError("an empty file") from None
    if not isinstance(array, np.ndarray):
        array.close()
        raise ValueError("an archive of arrays, not an array")
    return array


# -- streams ---------------------------------------------------------------------------------------


def has_arrived(handle: IO[bytes]) -> bool:
    """Return whether more can be read without waiting: True for files, not always for pipes."""
    try:
        number = handle.fileno()
    except (OSError, ValueError):  # in memory
        return True
    if sys.platform == "win32":  # select takes sockets only there, so stdin is never ready
        return number != sys.stdin.fileno()
    return bool(select.select([number], [], [], 0)[0])


def decode(raw: bytes) -> str:
    """Decode UTF-8. Invalid bytes become surrogates, which records.make_record rejects."""
    return raw.decode("utf-8-sig", "surrogateescape")


def numbered_lines(handle: IO[bytes]) -> Iterator[tuple[int, bytes, int]]:
    """Yield number (from 1), bytes and size of each line; b"" for a line that is too long.

    A line that is too long is never in memory as a whole. The generator holds no line that it has
    yielded.
    """
    for number in count(1):
        raw = handle.readline(MAX_RECORD + 1)
        if not raw:
            return
        size, part = len(raw), raw
        while size > MAX_RECORD and part and not part.endswith(b"\n"):
            part = handle.readline(MB)
            size += len(part)
        lines = [raw if size <= MAX_RECORD else b""]
        del raw, part
        yield number, lines.pop(), size


def read_all(handle: IO[bytes], limit: int) -> bytes:
    """Read a file, but stop a little above `limit` bytes."""
    parts: list[bytes] = []
    size = 0
    while size <= limit and (part := handle.read(MB)):  # read(limit) may allocate limit bytes
        parts.append(part)
        size += len(part)
    return b"".join(parts)


# -- digests ---------------------------------------------------------------------------------------

MAX_HASHED = 128 * MB  # of files that are hashed at each load, in a tenth of a second


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal. Raise OSError if it cannot be read."""
    digest = hashlib.sha256()
    with regular(path).open("rb") as file:
        while block := file.read(MB):
            digest.update(block)
    return digest.hexdigest()


def file_digests(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the digests of the files with these names that exist, by name."""
    paths = [folder / name for name in sorted(names)]
    return {path.name: digest_of(path) for path in paths if path.exists()}


def check_digests(
    folder: Path, seal: Mapping[str, str] | None, names: Iterable[str], limit: int
) -> None:
    """Raise ValueError if a file with one of these names was changed, removed or added.

    Files above `limit` bytes are not read. If `seal` is None, nothing is checked.
    """
    for name in names if seal is not None else ():
        path, expected = folder / name, (seal or {}).get(name)
        if path.exists() != (expected is not None):
            raise ValueError("a file that is gone, or was added")
        if expected is not None and path.stat().st_size <= limit and digest_of(path) != expected:
            raise ValueError("a file that was changed")


# -- msgpack and DocBin ----------------------------------------------------------------------------

MAX_DOCBIN = 1024 * MB  # on disk
MAX_INFLATED = 4096 * MB  # decompressed


class BadPacked(DxError):
    """Bytes are not valid msgpack, or not a valid DocBin."""


def _bad_packed(why: str) -> BadPacked:
    return BadPacked(Errors.DX097.format(why=why))


def unpack(data: bytes, *, use_list: bool = True) -> Any:
    """Return the value that msgpack data encode. Raise BadPacked. Memory: at most 60 x data.

    Timestamps are the only extension type accepted. use_list=False returns arrays as tuples, which
    can be keys of maps.
    """

    def refuse(code: int, data: bytes) -> None:
        raise ValueError("an extension type")

    try:
        unpacker = msgpack.Unpacker(max_buffer_size=len(data) or 1)
        unpacker.feed(data)
        unpacker.skip()  # checks that all items are there, without allocating them
        if unpacker.tell() != len(data):
            raise ValueError("more than one value")
        return msgpack.unpackb(
            data, raw=False, strict_map_key=False, use_list=use_list, ext_hook=refuse
        )
    except Exception as error:  # msgpack raises many types; messages may quote the data
        raise _bad_packed(type(error).__name__) from None


@dataclass
class DocBinContent:
    """The content of a DocBin."""

    words: NDArray[np.uint64]  # ids of the words of all documents, shape (n,)
    spaces: NDArray[np.bool_]  # whether a space follows each word, shape (n,)
    ends: list[int]  # index in words after the last word of each document
    strings: dict[int, str] = field(repr=False)  # by id
    unknown: set[int]  # numbers of documents without known spaces
    user_data: list[bytes | None] = field(repr=False)  # of each document, as msgpack
    annotations: list[Any] = field(repr=False)  # "cats" and "span_groups"; None if missing

    def __len__(self) -> int:
        return len(self.ends)

    def documents(self) -> Iterator[tuple[list[str], list[bool]]]:
        """Yield words and spaces of each document. Raise BadPacked for a word without a string."""
        start = 0
        for number, end in enumerate(self.ends):
            try:
                words = [self.strings[word] for word in self.words[start:end].tolist()]
            except KeyError:
                raise _bad_packed("a word that its table of strings does not contain") from None
            has_spaces = number not in self.unknown
            yield words, self.spaces[start:end].tolist() if has_spaces else [True] * len(words)
            start = end


def read_docbin(raw: bytes) -> DocBinContent:
    """Return the content of a .spacy file. Raise BadPacked, or TooLarge for a zip bomb."""
    if len(raw) > MAX_DOCBIN:
        raise too_large("the .spacy file", len(raw), MAX_DOCBIN)
    try:
        parts, size = list[bytes](), 0
        blocks = (raw[i : i + BLOCK_BYTES] for i in range(0, len(raw), BLOCK_BYTES))
        for data in inflate(blocks, "the .spacy file"):
            parts.append(data)
            size += len(data)
            if size > MAX_INFLATED:
                raise too_large("what a .spacy file holds", size, MAX_INFLATED)
        return _parse_docbin(unpack(b"".join(parts)))
    except DxError:
        raise
    except Exception as error:  # from msgpack, zlib or numpy
        raise _bad_packed(type(error).__name__) from None


def _parse_docbin(parts: dict[str, Any]) -> DocBinContent:
    attrs = [int(attr) for attr in parts["attrs"]]
    tokens = np.frombuffer(parts["tokens"], dtype="<u8").reshape(-1, len(attrs))
    spaces = np.frombuffer(parts["spaces"], dtype=np.uint8) != 0
    lengths = np.frombuffer(parts["lengths"], dtype="<i4").astype(np.int64)
    n = len(lengths)
    flags, user_data = parts.get("flags", []), parts.get("user_data", [])
    fit = lengths.sum() == len(tokens) == len(spaces) and not (lengths < 0).any()
    if not fit or len(flags) not in (0, n) or len(user_data) not in (0, n):
        raise ValueError("parts that do not fit together")
    return DocBinContent(
        words=tokens[:, attrs.index(ORTH)],
        spaces=spaces,
        ends=np.cumsum(lengths).tolist(),
        strings={0: "", **{get_string_id(string): string for string in parts["strings"]}},
        unknown={i for i, flag in enumerate(flags) if flag.get("has_unknown_spaces")},
        user_data=[None if data is None else bytes(data) for data in user_data] or [None] * n,
        annotations=[parts.get("cats"), parts.get("span_groups")],
    )
