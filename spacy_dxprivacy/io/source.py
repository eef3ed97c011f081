"""Read the bytes of an input, as a whole or line by line."""

from __future__ import annotations

import select
import sys
from collections.abc import Iterator
from itertools import count
from typing import IO

from .files.limits import MAX_RECORD, MB


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
