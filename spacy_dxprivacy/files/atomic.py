"""Atomic output: files and folders that appear under their names when they are complete."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from ..errors import UsageError


class Output:
    """Context manager: a binary file that is moved to `path` at the end; None for stdout.

    It is written under a hidden name in the same folder, which is deleted if the block raises
    (Ctrl-C included) or after discard(). Without `force`, `path` must not exist.
    """

    handle: IO[bytes]

    def __init__(self, path: Path | None, *, force: bool = False) -> None:
        self.path, self.force = path, force
        # Called with the hidden name, after the file is on disk and before it is moved.
        self.on_complete: Callable[[str], None] = lambda hidden: None
        self._discarded = False

    def discard(self) -> None:
        """Delete the hidden file at the end of the block instead of moving it."""
        self._discarded = True

    def __enter__(self) -> Output:
        if self.path is None:
            self.handle = sys.stdout.buffer
            return self
        check_new(self.path, force=self.force)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # The name is random because the output's name may identify a person. tempfile would set
        # mode 600, which the output would keep.
        self._hidden = self.path.parent / f".dx-{secrets.token_hex(8)}.tmp"
        self.handle = open(self._hidden, "xb")
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        if self.path is None:
            if kind is None:
                self.handle.flush()
            return
        try:
            if kind is None and not self._discarded:
                self.handle.flush()
                os.fsync(self.handle.fileno())
                self.handle.close()
                check_new(self.path, force=self.force)
                self.on_complete(self._hidden.name)
                os.replace(self._hidden, self.path)
        finally:
            # Closing flushes the buffer, which fails again on a full disk.
            with suppress(OSError):
                self.handle.close()
            self._hidden.unlink(missing_ok=True)


def write_bytes(path: Path, data: bytes, *, force: bool = False) -> None:
    """Write a file atomically. Raise UsageError if it exists, unless `force`."""
    with Output(path, force=force) as output:
        output.handle.write(data)


def check_new(path: Path, *, force: bool) -> None:
    """Raise UsageError if the path exists, unless it is a file and `force` is set."""
    if path.exists() and not path.is_file():
        raise UsageError(f"{path}: is not a regular file, and is not replaced.")
    if path.exists() and not force:
        raise UsageError(f"{path}: exists already. `force` overwrites it.")


def check_replaceable(path: Path, file: str, what: str, *, force: bool) -> None:
    """Raise UsageError unless the path is free or, with `force`, a folder that holds this file."""
    if path.exists() and not (path / file).is_file():
        raise UsageError(f"{path}: is not a {what}, and is not replaced.")
    if path.exists() and not force:
        raise UsageError(f"{path}: exists already. `force` replaces it.")


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Yield an empty folder that replaces `path` at the end of the block.

    If the block raises, the folder is deleted, and `path` is unchanged.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(dir=path.parent, prefix=".dx-"))
    try:
        yield temporary
        os.chmod(temporary, 0o755)
        if path.exists():
            shutil.rmtree(path)
        os.replace(temporary, path)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
