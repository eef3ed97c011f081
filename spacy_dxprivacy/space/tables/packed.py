"""Read bytes from a plain file, a gzip file or one member of a zip archive."""

from __future__ import annotations

import gzip
import io
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from ...errors import DxError
from ...io.files.limits import TooLarge, check_ratio, regular

# What gzip and zipfile raise for files that are damaged (zipfile: seek to a place before the file,
# undecodable names), need a password or use an unknown compression (RuntimeError).
_DAMAGE = (
    EOFError, OSError, ValueError, LookupError, RuntimeError, struct.error, zlib.error,
    zipfile.BadZipFile,
)  # fmt: skip


class VectorFileError(DxError):
    """A vectors file that cannot be used; the message names the file, the place and the fault.

    It is one line: the name of a member of a damaged archive may hold anything.
    """

    def __init__(self, message: str) -> None:
        super().__init__("".join(c if c.isprintable() else "?" for c in message))


class Source(io.RawIOBase):
    """An opened file, decompressed.

    name: for messages; `archive.zip!member` for a member of an archive.
    unit, number: how far the reader got, such as line 12, kept up to date by the reader.
    done: how many bytes, of `total`, were read so far. packed: how many of them were compressed.
    """

    def __init__(
        self, name: str, stream: Any, total: int, done: Callable[[], int], packed: Callable[[], int]
    ) -> None:
        super().__init__()
        self.name, self.stream, self.total = name, stream, total
        self.done, self.packed = done, packed
        self.unit, self.number, self._given = "line", 0, 0

    def fail_at(self, number: int, message: str) -> NoReturn:
        """Raise VectorFileError with file, place and fault."""
        raise VectorFileError(f"{self.name}, {self.unit} {number}: {message}")

    def fail_after(self, message: str) -> NoReturn:
        """Raise it for what ends too early."""
        place = f"after {self.unit} {self.number}"
        raise VectorFileError(f"{self.name}, {place}: the file ends or is damaged: {message}")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer. What was read before a damaged place still comes, so that the reader can
        name the line.

        Raises:
            VectorFileError: The file is damaged, cut off, or expands too much.
        """
        size, view = 0, memoryview(buffer).cast("B")
        try:
            while size < len(view) and (piece := self.stream.read1(len(view) - size)):
                view[size : size + len(piece)] = piece
                size += len(piece)
        except _DAMAGE as error:
            if not size:
                self.fail_after(str(error) or type(error).__name__)
        self._given += size
        if packed := self.packed():
            try:
                check_ratio(self.name, packed, self._given)
            except TooLarge as error:
                raise VectorFileError(str(error)) from None
        return size


@contextmanager
def open_source(path: Path) -> Iterator[Source]:
    """Open a file; its first bytes tell what it is. `archive.zip!member` names a member."""
    file, member = path, None
    archive_name, mark, inside = str(path).partition(".zip!")
    if mark and not file.exists():
        file, member = Path(archive_name + ".zip"), Path(inside).as_posix()
    with open(regular(file), "rb") as raw:
        if member is None and not raw.peek(4).startswith((b"PK\3\4", b"PK\5\6")):
            size, stream = os.fstat(raw.fileno()).st_size, _unzipped(raw)
            packed = (lambda: 0) if stream is raw else raw.tell
            yield Source(str(file), stream, size, raw.tell, packed)
            return
        info, inner = _member(raw, file, member)
        with inner:
            stream = _unzipped(inner)
            # Of a member that is gzip again, its own compression counts.
            packed = inner.tell if stream is not inner else lambda: info.compress_size
            yield Source(f"{file}!{info.filename}", stream, info.file_size, inner.tell, packed)


def _unzipped(stream: Any) -> Any:
    """The stream, through gzip where its content says so."""
    is_gzip = stream.peek(2)[:2] == b"\x1f\x8b"
    return gzip.GzipFile(fileobj=stream, mode="rb") if is_gzip else stream


def _member(raw: Any, file: Path, member: str | None) -> tuple[zipfile.ZipInfo, Any]:
    """Open the named member of an archive, or the only one."""
    try:
        archive = zipfile.ZipFile(raw)
        infos = [info for info in archive.infolist() if not info.filename.endswith("/")]
        found = [info for info in infos if member in (None, info.filename)]
        if len(found) == 1:
            inner: Any = archive.open(found[0])
            inner.peek(1)  # damage may show there
            return found[0], inner
    except _DAMAGE as error:
        raise VectorFileError(f"{file}: the zip archive is damaged ({error})") from error
    names = ", ".join(sorted({info.filename for info in infos})) or "no files"
    expected = "one vectors file" if member is None else f"a member {member!r}"
    hint = f"Name one, as in '{file}!member'"
    raise VectorFileError(f"{file}: expected {expected}, the archive holds: {names}. {hint}")
