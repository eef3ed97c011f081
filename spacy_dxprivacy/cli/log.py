"""`--log FILE`: what was done and what went wrong, a line each, with the time. No document text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import TextIO

from ..errors import UsageError

_open: list[TextIO] = []  # that of the command which runs


@contextmanager
def logging_to(path: Path | None) -> Iterator[None]:
    """What is said in this block goes to the end of the file as well. Raises UsageError where it
    cannot be written."""
    if path is None:
        yield
        return
    try:
        handle = path.open("a", encoding="utf8")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}.") from None
    with handle:
        _open.append(handle)
        try:
            yield
        finally:
            _open.remove(handle)


def write(line: str) -> None:
    """A line of the log, where there is one. A log that cannot be written stops nothing."""
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    for handle in _open:
        try:
            handle.write(f"{now} {line}\n")
            handle.flush()
        except OSError:
            pass
