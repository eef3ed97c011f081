"""Atomic output: files and folders that appear under their names when they are complete."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from ..errors import UsageError

# Whether files are opened relative to an open folder, which a link cannot replace meanwhile.
_BY_HANDLE = {os.open, os.mkdir, os.rename, os.unlink} <= os.supports_dir_fd


class Output:
    """Context manager: a binary file that is moved to `path` at the end; None for stdout.

    It is written under a hidden name in the same folder, which is deleted if the block raises
    (Ctrl-C included, at any step) or after discard(). Without `force`, `path` must not exist.

    Args:
        path: The file.
        force: Whether to replace an existing file.
        root: A folder above the file. Below it, a symbolic link raises UsageError.
        private: Whether only the owner can read the file.
    """

    handle: IO[bytes]

    def __init__(
        self,
        path: Path | None,
        *,
        force: bool = False,
        root: Path | None = None,
        private: bool = False,
    ) -> None:
        self.path, self.force, self.root = path, force, root
        self._mode = 0o600 if private else 0o666  # less the umask
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
        check_new(self.path, force=self.force, root=self.root)
        self._folder = _open_folder(self.path.parent, self.root)
        self._hidden = f"{_hidden_name()}.tmp"
        at = self._at(self._hidden)
        # Before the file is made: a signal may come between two steps of a `with`, too.
        self._remove = weakref.finalize(self, _remove, at, self._folder)
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            # tempfile would set mode 600, which the output would keep.
            self.handle = os.fdopen(os.open(at, flags, self._mode, dir_fd=self._folder), "wb")
        except BaseException:
            self._remove()
            raise
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
                check_new(self.path, force=self.force, root=self.root)
                self.on_complete(self._hidden)
                hidden, final, folder = self._at(self._hidden), self._at(), self._folder
                os.replace(hidden, final, src_dir_fd=folder, dst_dir_fd=folder)
        finally:
            # Closing flushes the buffer, which fails again on a full disk.
            with suppress(OSError):
                self.handle.close()
            self._remove()

    def _at(self, name: str = "") -> str:
        """Return a file of the folder as the system calls take it, by default the output."""
        path = Path(str(self.path))
        path = path.with_name(name) if name else path
        return str(path) if self._folder is None else path.name


def _hidden_name() -> str:
    """Return a name that is random: the output's own may identify a person."""
    return f".dx-{secrets.token_hex(8)}"


def _remove(hidden: str, folder: int | None) -> None:
    """Delete a hidden file, if it is there, and close its folder."""
    with suppress(FileNotFoundError):
        os.unlink(hidden, dir_fd=folder)
    _close(folder)


def _open_folder(folder: Path, root: Path | None) -> int | None:
    """Make a folder, and return its handle; None where the system has none.

    No link below `root` is followed. Raise UsageError if there is one.
    """
    if not _BY_HANDLE:
        folder.mkdir(parents=True, exist_ok=True)
        return None
    top = folder if root is None else root
    top.mkdir(parents=True, exist_ok=True)
    handle, way = os.open(top, os.O_RDONLY | os.O_DIRECTORY), top
    for name in folder.relative_to(top).parts:
        above, way = handle, way / name
        try:
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=above)
            handle = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=above)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR) and way.is_symlink():
                raise _is_link(way) from None
            raise
        finally:
            _close(above)
    return handle


def _close(handle: int | None) -> None:
    if handle is not None:
        os.close(handle)


def _is_link(path: Path) -> UsageError:
    return UsageError(f"{path}: is a symbolic link, and no output is written through it.")


def write_bytes(path: Path, data: bytes, *, force: bool = False, private: bool = False) -> None:
    """Write a file atomically. Raise UsageError if it exists, unless `force`."""
    with Output(path, force=force, private=private) as output:
        output.handle.write(data)


def check_new(path: Path, *, force: bool, root: Path | None = None) -> None:
    """Raise UsageError if the path exists, unless it is a file and `force` is set.

    root: a folder above the path, below which a symbolic link raises UsageError, too.
    """
    way = root
    for name in () if way is None else path.relative_to(way).parts:
        way = Path(str(way)) / name
        if way.is_symlink():
            raise _is_link(way)
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
    temporary = path.parent / _hidden_name()
    try:
        temporary.mkdir(mode=0o700)
        yield temporary
        os.chmod(temporary, 0o755)
        if path.exists():
            shutil.rmtree(path)
        os.replace(temporary, path)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
