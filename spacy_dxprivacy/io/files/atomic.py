"""Files that appear when they are complete, and not before."""

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

from ...errors import UsageError


class Output:
    """A binary file for a `with` block, moved to `path` at its end; None stands for stdout.

    It is written under a hidden name in the same folder. An exception in the block, Ctrl-C
    included, leaves nothing behind, and so does discard(). Without `force`, `path` has to be new.
    """

    handle: IO[bytes]

    def __init__(self, path: Path | None, *, force: bool = False) -> None:
        self.path, self.force = path, force
        # Called with the hidden name, when all is on the disk and the file has not moved yet.
        self.on_complete: Callable[[str], None] = lambda hidden: None
        self._discarded = False

    def discard(self) -> None:
        """Drop what is written when the block ends, and put nothing in its place."""
        self._discarded = True

    def __enter__(self) -> Output:
        if self.path is None:
            self.handle = sys.stdout.buffer
            return self
        check_new(self.path, force=self.force)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # The name is random: that of the output may say whom it is about. tempfile would make the
        # file readable for its owner alone, and it would stay so.
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
            # Closing writes what is left in the buffer, and a full disk refuses that again.
            with suppress(OSError):
                self.handle.close()
            self._hidden.unlink(missing_ok=True)


def write_bytes(path: Path, data: bytes, *, force: bool = False) -> None:
    """Write all of it or nothing."""
    with Output(path, force=force) as output:
        output.handle.write(data)


def check_new(path: Path, *, force: bool) -> None:
    """Raise UsageError if the path cannot be a new file, or replace one with `force`."""
    if path.exists() and not path.is_file():
        raise UsageError(f"{path}: is not a regular file, and is not replaced.")
    if path.exists() and not force:
        raise UsageError(f"{path}: exists already. `force` overwrites it.")


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Give an empty folder to write into, that replaces `path` at the end of the block.

    An exception in the block leaves nothing behind, and `path` as it was.
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
