"""The bytes of an input as UTF-8: decoded, and line by line as they come."""

from __future__ import annotations

import codecs
import os
import select
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, count
from typing import IO

from ..errors import UsageError
from .files.limits import BLOCK, MB, MOST_RECORD

# Longer marks first, as the one of UTF-32 begins with the one of UTF-16.
BOMS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
Blocks = Iterator[bytes]


class Source:
    """A binary file over blocks of bytes, that tells whether its next line has arrived."""

    def __init__(
        self,
        blocks: Blocks,  # b"": nothing has arrived yet
        ready: Callable[[], bool] = lambda: True,
        close: Callable[[], None] = lambda: None,
        file: IO[bytes] | None = None,  # of the blocks, for a format that reads it by places
    ) -> None:
        self._blocks, self._can_be_read, self.close, self.file = blocks, ready, close, file
        self._block, self._at = b"", 0

    def _fill(self) -> bool:
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
        """Return the next bytes until there are enough, or no more; they are read again later."""
        seen = self._block[self._at :]
        while not enough(seen) and (block := next(self._blocks, None)) is not None:
            seen += block
        self._block, self._at = seen, 0
        return seen

    def read(self, size: int = -1) -> bytes:
        """Return at most `size` bytes, all that is left for -1, b"" at the end."""
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
        remaining = sys.maxsize if size < 0 else size
        while remaining and self._fill():
            end = self._block.find(b"\n", self._at) + 1 or len(self._block)
            parts.append(self.read(min(end - self._at, remaining)))
            remaining -= len(parts[-1])
            if parts[-1].endswith(b"\n"):
                break
        return b"".join(parts)


Readable = Source | IO[bytes]


def source_of_stdin(*, text: bool = True) -> Source:
    """Return standard input, decoded if it is text."""
    handle = sys.stdin.buffer
    try:
        number = handle.fileno()
    except (OSError, ValueError):  # not a file: within a test
        blocks = iter(lambda: handle.read(BLOCK), b"")
        return Source(_decoded(blocks, text))

    def is_readable() -> bool:
        # Windows: select takes sockets alone, so every line by itself
        return sys.platform != "win32" and bool(select.select([number], [], [], 0)[0])

    blocks = iter(lambda: os.read(number, BLOCK), b"")
    return Source(_decoded(blocks, text), is_readable)


def source_of_text(text: str) -> Source:
    """Return a text as an input."""
    return Source(iter([text.encode("utf-8", "surrogateescape")]))


def source_of_file(handle: IO[bytes], *, text: bool) -> Source:
    """Return an open file as an input; it is read when it is needed."""
    blocks = _decoded(iter(lambda: handle.read(BLOCK), b""), text)
    return Source(blocks, close=handle.close, file=handle)


def _head_of(blocks: Blocks, marks: Iterable[bytes]) -> tuple[bytes, Blocks]:
    """Return as many bytes as may make one of the marks, and all blocks: nobody waits for more."""
    head = b""
    for block in blocks:
        head += block
        if not any(mark.startswith(head) and mark != head for mark in marks):
            break
    return head, chain([head], blocks)


def _decoded(blocks: Blocks, text: bool) -> Blocks:
    """Yield UTF-8 without a byte-order mark.

    Without a mark bytes stay as they are: records that are not UTF-8 say so.
    """
    if not text:
        yield from blocks
        return
    head, blocks = _head_of(blocks, BOMS)
    mark = max((mark for mark in BOMS if head.startswith(mark)), key=len, default=b"")
    encoding = BOMS.get(mark, "utf-8")
    if encoding == "utf-8":
        yield next(blocks, b"").removeprefix(codecs.BOM_UTF8)
        yield from blocks
        return
    try:
        for out in codecs.iterdecode(filter(None, blocks), encoding):
            yield out.encode("utf-8", "surrogatepass")  # a record that holds half of a pair says so
    except UnicodeError:
        raise UsageError(f"it is not {encoding}, as its byte-order mark says.") from None


def decode(raw: bytes) -> str:
    """Return UTF-8 as text; other bytes become surrogates, which records.checked refuses."""
    return raw.decode("utf-8-sig", "surrogateescape")


def numbered_lines(handle: Readable) -> Iterator[tuple[int, bytes, int]]:
    """Yield number, bytes and size of each line.

    A line that is too long comes as b"", and is never in memory as a whole. Of a line that was
    given, nothing is held here.
    """
    for number in count(1):
        raw = handle.readline(MOST_RECORD + 1)
        if not raw:
            return
        size, part = len(raw), raw
        while size > MOST_RECORD and part and not part.endswith(b"\n"):
            part = handle.readline(MB)
            size += len(part)
        lines = [raw if size <= MOST_RECORD else b""]
        del raw, part
        yield number, lines.pop(), size


def whole(handle: Readable, most: int) -> bytes:
    """Return all of a file, or a little more than `most` bytes."""
    parts: list[bytes] = []
    size = 0
    while size <= most and (part := handle.read(MB)):  # read(most) would ask for them at once
        parts.append(part)
        size += len(part)
    return b"".join(parts)
