"""The bytes of an input as UTF-8: decompressed, decoded, and line by line as they come."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import select
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, count
from pathlib import Path
from typing import IO, Any

from ..errors import UsageError
from ..registries import retired
from .files.limits import MB, MOST_RECORD, TooLarge, check_ratio

BLOCK = 2**16
# By how a file begins: the longer ones first, as that of UTF-32 begins with that of UTF-16.
BOMS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
GZIP = b"\x1f\x8b"
Blocks = Iterator[bytes]


class Source:
    """A binary file over blocks of bytes, that tells whether its next line has come already.

    blocks: what comes, b"" for nothing yet. ready: whether more can be had without waiting.
    close: called at the end of a `with` block.
    """

    def __init__(
        self,
        blocks: Blocks,
        ready: Callable[[], bool] = lambda: True,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        self._blocks = blocks
        self._can_be_read = ready
        self._close = close
        self._block, self._at = b"", 0

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def _fill(self) -> bool:
        """Whether there is something in the block."""
        while self._at >= len(self._block):
            block = next(self._blocks, None)
            if block is None:
                return False
            self._block, self._at = block, 0
        return True

    def ready(self) -> bool:
        """Return whether a line can be read without waiting for it."""
        return self._block.find(b"\n", self._at) >= 0 or self._can_be_read()

    def peek(self, enough: Callable[[bytes], bool]) -> bytes:
        """Return what comes next, until there is enough of it, or no more."""
        seen = self._block[self._at :]
        while not enough(seen) and (block := next(self._blocks, None)) is not None:
            seen += block
        self._block, self._at = seen, 0
        return seen

    def read(self, size: int = -1) -> bytes:
        """Return some bytes, at most `size` of them; b"" at the end. All that is left for -1."""
        if size < 0:
            return b"".join(iter(lambda: self.read(BLOCK), b""))
        if not self._fill():
            return b""
        part = self._block[self._at : self._at + size]
        self._at += len(part)
        return part

    def readline(self, size: int = -1) -> bytes:
        """Return a line with its end, or `size` bytes of it; b"" at the end."""
        parts: list[bytes] = []
        left = sys.maxsize if size < 0 else size
        while left and self._fill():
            end = self._block.find(b"\n", self._at) + 1 or len(self._block)
            part = self.read(min(end - self._at, left))
            parts.append(part)
            left -= len(part)
            if part.endswith(b"\n"):
                break
        return b"".join(parts)


Readable = Source | IO[bytes]


def source_of_stdin(encoding: str | None, *, text: bool = True) -> Source:
    """Return standard input, decompressed where it is gzip. text: whether it is to be decoded."""
    handle = sys.stdin.buffer
    try:
        number = handle.fileno()
    except (OSError, ValueError):  # not a file: within a test
        blocks = iter(lambda: handle.read(BLOCK), b"")
        return Source(_decoded(_gunzipped(blocks), encoding, text))

    def is_readable() -> bool:
        # Windows: select takes sockets alone, so every line by itself
        return sys.platform != "win32" and bool(select.select([number], [], [], 0)[0])

    blocks = iter(lambda: os.read(number, BLOCK), b"")
    return Source(_decoded(_gunzipped(blocks), encoding, text), is_readable)


def source_of_text(text: str) -> Source:
    """Return a text as an input."""
    return Source(iter([text.encode("utf-8", "surrogateescape")]))


def source_of_file(handle: IO[bytes], packed: str, encoding: str | None, *, text: bool) -> Source:
    """Return an open file as an input. packed: "gz", or "". Its bytes are read when they are
    needed, and what is wrong with them is raised then."""
    blocks = iter(lambda: handle.read(BLOCK), b"")
    return Source(
        _decoded(_gunzip(blocks) if packed else blocks, encoding, text), close=handle.close
    )


def pack_of(path: Path) -> str:
    """Return "gz" or "", by how the name ends. Raise UsageError for a .zst file of records."""
    name = path.suffix.lower()
    if name == ".zst" and path.with_suffix("").suffix:
        raise UsageError(f"{path}: {retired('.zst')}")
    return "gz" if name == ".gz" else ""


def ending(path: Path) -> str:
    """Return ".jsonl" of "a.jsonl" and of "a.JSONL.gz"."""
    return (path.with_suffix("") if pack_of(path) else path).suffix.lower()


def gunzip(raw: bytes) -> bytes:
    """Decompress all of a file. Raise UsageError for what is no gzip, cut, or a bomb."""
    return b"".join(_gunzip(iter([raw])))


def check_encoding(encoding: str | None) -> None:
    """Raise UsageError for an encoding that Python does not know."""
    try:
        if encoding is not None and not codecs.lookup(encoding)._is_text_encoding:
            raise LookupError
    except LookupError:
        known = "utf-8, utf-16, latin-1, cp1252, mac-roman, shift_jis"
        raise UsageError(f"no `encoding` {encoding!r}: there are {known} and others.") from None


# -- gzip ------------------------------------------------------------------------------------------


def _gunzipped(blocks: Blocks) -> Blocks:
    """The same where the first bytes are none of gzip."""
    head, blocks = _head_of(blocks, [GZIP])
    yield from _gunzip(blocks) if head.startswith(GZIP) else blocks


def _head_of(blocks: Blocks, marks: Iterable[bytes]) -> tuple[bytes, Blocks]:
    """The first bytes, as many as may make one of the marks, and all blocks. Nobody waits for
    more than that."""
    head = b""
    for block in blocks:
        head += block
        if not any(mark.startswith(head) and mark != head for mark in marks):
            break
    return head, chain([head], blocks)


class _Compressed(Source):
    """As GzipFile reads it: as many bytes as it asks for, which are counted."""

    taken = 0

    def read(self, size: int = -1) -> bytes:
        data = super().read(size)
        while data and len(data) < size and (more := super().read(size - len(data))):
            data += more
        self.taken += len(data)
        return data


def _gunzip(blocks: Blocks) -> Blocks:
    compressed, given = _Compressed(blocks), 0
    whole: Any = compressed
    with gzip.GzipFile(fileobj=whole, mode="rb") as file:
        try:
            while out := file.read1(BLOCK):
                given += len(out)
                check_ratio("its .gz", compressed.taken, given)
                yield out
        except TooLarge as error:
            raise UsageError(str(error)) from None
        except EOFError:
            raise UsageError("its .gz ends too early: it was cut.") from None
        except (gzip.BadGzipFile, zlib.error):
            raise UsageError("it is not .gz, or it is damaged.") from None


class Packing(io.RawIOBase):
    """Bytes into a file, compressed by gzip. finish() writes the end, and leaves the file open:
    what ends before that is seen to be cut."""

    def __init__(self, handle: IO[bytes]) -> None:
        super().__init__()
        self.handle = handle
        self._packer = zlib.compressobj(wbits=31)  # without a name or a time, as gzip would write

    def write(self, data: Any) -> int:
        """Write all of it."""
        self.handle.write(self._packer.compress(data))
        return len(data)

    def finish(self) -> None:
        """Write what is left."""
        self.handle.write(self._packer.flush())


# -- decoding and lines ----------------------------------------------------------------------------


def _decoded(blocks: Blocks, encoding: str | None, text: bool) -> Blocks:
    """UTF-8 without a byte-order mark. Without an `encoding` or a mark, bytes stay as they are:
    records that are not UTF-8 say so themselves."""
    if not text:
        yield from blocks
        return
    head, blocks = _head_of(blocks, BOMS)
    mark = max((mark for mark in BOMS if head.startswith(mark)), key=len, default=b"")
    found = BOMS.get(mark, encoding)
    if found is None or (found == "utf-8" and encoding is None):
        yield next(blocks, b"").removeprefix(codecs.BOM_UTF8)
        yield from blocks
    else:
        yield from _recoded(blocks, "utf-8-sig" if found == "utf-8" else found)


def _recoded(blocks: Blocks, encoding: str) -> Blocks:
    decoder = codecs.getincrementaldecoder(encoding)()
    done = 0
    for block in chain((block for block in blocks if block), [b""]):
        try:
            # Lone surrogates stay: a record that holds one says so. b"" at the end: a decoder is
            # told that it is, and says what is cut.
            out = decoder.decode(block, not block).encode("utf-8", "surrogatepass")
        except UnicodeError as error:
            where = done + getattr(error, "start", 0)
            why = f"its bytes are not {encoding}, from about byte {where + 1:,} on."
            raise UsageError(f"{why} `encoding` names another one.") from None
        done += len(block)
        yield out


def decode(raw: bytes) -> str:
    """Return UTF-8 as text; other bytes become surrogates, which checked_record refuses."""
    return raw.decode("utf-8-sig", "surrogateescape")


def numbered_lines(handle: Readable) -> Iterator[tuple[int, bytes, int]]:
    """Yield number, bytes and size of each line.

    The bytes of a line that is too long are not given, and are never in memory as a whole. Of a
    line that was given, nothing is held here.
    """
    for number in count(1):
        found = [_line(handle)]
        if not found[0][1]:
            return
        yield number, *found.pop()


def _line(handle: Readable) -> tuple[bytes, int]:
    """The next one and its size, 0 at the end."""
    raw = handle.readline(MOST_RECORD + 1)
    size, part = len(raw), raw
    while size > MOST_RECORD and part and not part.endswith(b"\n"):
        part = handle.readline(MB)
        size += len(part)
    return raw if size <= MOST_RECORD else b"", size


def whole(handle: Readable, most: int) -> bytes:
    """Return all of a file, or a little more than `most` bytes."""
    parts: list[bytes] = []
    size = 0
    while size <= most and (part := handle.read(MB)):  # read(most) would ask for them at once
        parts.append(part)
        size += len(part)
    return b"".join(parts)
