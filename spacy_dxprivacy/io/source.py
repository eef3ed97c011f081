"""The bytes of an input: all of them, or line by line as they come."""

from __future__ import annotations

import select
import sys
from collections.abc import Iterator
from itertools import count
from typing import IO

from .files.limits import MB, MOST_RECORD


def has_arrived(handle: IO[bytes]) -> bool:
    """Return whether more can be read without waiting: always of a file, not always of a pipe."""
    try:
        number = handle.fileno()
    except (OSError, ValueError):  # in memory
        return True
    if sys.platform == "win32":  # select takes sockets alone, so every line of stdin by itself
        return number != sys.stdin.fileno()
    return bool(select.select([number], [], [], 0)[0])


def decode(raw: bytes) -> str:
    """Return UTF-8 as text; other bytes become surrogates, which records.checked refuses."""
    return raw.decode("utf-8-sig", "surrogateescape")


def numbered_lines(handle: IO[bytes]) -> Iterator[tuple[int, bytes, int]]:
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


def whole(handle: IO[bytes], most: int) -> bytes:
    """Return all of a file, or a little more than `most` bytes."""
    parts: list[bytes] = []
    size = 0
    while size <= most and (part := handle.read(MB)):  # read(most) would ask for them at once
        parts.append(part)
        size += len(part)
    return b"".join(parts)
