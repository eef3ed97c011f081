"""Read text files in other encodings, or with lone carriage returns, as lines of UTF-8.

An encoding that is not given is detected: UTF-8 if all bytes are, else one of CANDIDATES by
charset-normalizer. These are the encodings of the languages that the package covers.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable
from typing import IO, NamedTuple

from ..errors import UsageError
from .limits import BLOCK_BYTES

SAMPLE = BLOCK_BYTES  # bytes by which an encoding is detected
CANDIDATES = ["cp1252", "cp850", "mac_roman"]  # the common ones first
WIDE = ["utf_16", "utf_32"]
WITHOUT_MARK = ["utf_16_le", "utf_16_be", "utf_32_le", "utf_32_be"]  # their ASCII has null bytes
UTF8 = "utf-8"


class TextInput(NamedTuple):
    """A file as UTF-8: a binary stream, and the encoding of the file."""

    handle: IO[bytes]
    encoding: str


def normal_name(encoding: str) -> str:
    """Return the normal name of a text encoding. Raise UsageError for an unknown one."""
    try:
        name = codecs.lookup(encoding).name
        " ".encode(name)  # codecs such as base64 do not encode text
    except (LookupError, ValueError):
        raise UsageError(f"`encoding`: Python has no text encoding {encoding!r}.") from None
    return name


def as_utf8(handle: IO[bytes], encoding: str | None = None) -> TextInput:
    """Return a file as a stream of UTF-8 whose lines end in a line feed.

    Invalid bytes stay invalid, so that the records that hold them fail.

    Args:
        handle: A file, or stdin, at its start.
        encoding: Of the file; None detects it. Of stdin, the bytes in its buffer are looked at.

    Raises:
        UsageError: If the bytes are in no known encoding.
    """
    if handle.seekable():
        start = handle.tell()
        head = handle.read(SAMPLE)
        handle.seek(start)
        found = encoding or encoding_of(iter(lambda: handle.read(BLOCK_BYTES), b""))
        handle.seek(start)
    else:
        peek = getattr(handle, "peek", None)
        head = peek(SAMPLE) if peek is not None else b""
        found = encoding or encoding_of([head])
    sample = head.decode(found, "ignore")
    lone_returns = "\r" in sample and "\n" not in sample
    if found == UTF8 and not lone_returns:
        return TextInput(handle, found)
    stream: io.RawIOBase = _Recoded(handle, found, lone_returns)
    return TextInput(io.BufferedReader(stream), found)


def encoding_of(blocks: Iterable[bytes]) -> str:
    """Return UTF-8 if all blocks are in it, else the encoding of the first that is not.

    Raises:
        UsageError: If that is in no known encoding.
    """
    decoder = codecs.getincrementaldecoder(UTF8)()
    for block in blocks:
        if b"\0" in block and (wide := _guess(block[:SAMPLE], WIDE + WITHOUT_MARK)):
            return wide
        try:
            decoder.decode(block)
        except UnicodeDecodeError as error:
            start = max(0, error.start - SAMPLE // 2) & ~3  # on a border of wide characters
            if found := _guess(block[start : start + SAMPLE], CANDIDATES + WIDE):
                return found
            raise UsageError("it is in no encoding that is known: give its `encoding`.") from None
    return UTF8


def _guess(sample: bytes, candidates: list[str]) -> str | None:
    import charset_normalizer

    matches = charset_normalizer.from_bytes(sample, cp_isolation=candidates)
    # Of encodings that read as well as each other, the first: a pound sign alone decides little.
    ranked = [(round(m.chaos, 1), candidates.index(m.encoding), m.encoding) for m in matches]
    return normal_name(min(ranked)[-1]) if ranked else None


class _Recoded(io.RawIOBase):
    """A stream in UTF-8 of a stream in another encoding."""

    def __init__(self, handle: IO[bytes], encoding: str, lone_returns: bool) -> None:
        self._handle, self._lone_returns = handle, lone_returns
        self._decoder = codecs.getincrementaldecoder(encoding)("surrogateescape")
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        while not self._rest:
            raw = self._handle.read(min(BLOCK_BYTES, max(1, len(buffer))))
            text = self._decoder.decode(raw, final=not raw)
            if self._lone_returns:
                text = text.replace("\r", "\n")
            self._rest = memoryview(text.encode(UTF8, "surrogateescape"))
            if not raw:
                break
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size
