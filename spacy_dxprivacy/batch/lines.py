"""The lines of a binary file, within limits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Protocol

from ..files.limits import MB, MOST_RECORD


class Readable(Protocol):
    """A binary file, or a Source."""

    def read(self, size: int = -1, /) -> bytes:
        """Some bytes; b"" at the end."""
        ...

    def readline(self, size: int = -1, /) -> bytes:
        """A line, or `size` bytes of it; b"" at the end."""
        ...


def numbered_lines(handle: Readable) -> Iterator[tuple[int, bytes, int]]:
    """Number, bytes and size of each line; the bytes of one that is too long are not kept, nor
    ever in memory as a whole. Of a line that was given, nothing is held here."""
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
    """All of a file, or a little more than `most` bytes; read(most) would ask for them at once."""
    parts: list[bytes] = []
    size = 0
    while size <= most and (part := handle.read(MB)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def decode(raw: bytes) -> str:
    """Bytes that are not UTF-8 become surrogates: checked_record refuses them where they matter."""
    return raw.decode("utf-8-sig", "surrogateescape")
