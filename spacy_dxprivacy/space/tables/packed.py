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
from pathlib import Path, PurePosixPath
from typing import Any, NoReturn

from ...errors import DxError
from ...io.files.limits import TooLarge, check_ratio, regular

# What gzip and zipfile raise for files that are damaged (zipfile: seek to a place before the file,
# undecodable names), need a password or use an unknown compression (RuntimeError).
_DAMAGE = (
    EOFError,
    OSError,
    ValueError,
    LookupError,
    RuntimeError,
    struct.error,
    zlib.error,
    zipfile.BadZipFile,
)
_NOT_VECTORS = {".json", ".md", ".html", ".pdf", ".rst", ".py"}
_NOTES = {"readme", "license", "licence", "notice", "copying"}


class VectorFileError(DxError):
    """A vectors file that cannot be used; the message names the file, the place and the fault.

    It is one line: the name of a member of a damaged archive may hold anything.
    """

    def __init__(self, message: str) -> None:
        super().__init__("".join(c if c.isprintable() else "?" for c in message))


class Source(io.RawIOBase):
    """An opened file, decompressed.

    name: for messages; `archive.zip!member` for a member of an archive.
    place: how far the reader got ("line 12"), kept up to date by the reader.
    done: how many bytes, of `total`, were read so far. packed: how many of them were compressed.
    """

    def __init__(
        self, name: str, stream: Any, total: int, done: Callable[[], int], packed: Callable[[], int]
    ) -> None:
        super().__init__()
        self.name, self.stream, self.total = name, stream, total
        self.done, self.packed = done, packed
        self.place, self._given = "the beginning", 0

    def fail(self, place: str, message: str) -> NoReturn:
        """Raise VectorFileError with file, place and fault."""
        raise VectorFileError(f"{self.name}, {place}: {message}")

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
                kind = "cut off" if isinstance(error, EOFError) else "damaged"
                reason = str(error) or type(error).__name__
                self.fail(f"after {self.place}", f"the file is {kind} ({reason})")
        self._given += size
        if packed := self.packed():
            try:
                check_ratio(self.name, packed, self._given)
            except TooLarge as error:
                raise VectorFileError(str(error)) from None
        return size


@contextmanager
def open_source(path: str | Path) -> Iterator[Source]:
    """Open a file; its first bytes tell what it is. `archive.zip!member` names a member."""
    file, member = Path(path), None
    archive_name, mark, inside = str(path).partition(".zip!")
    if mark and not file.exists():
        file, member = Path(archive_name + ".zip"), Path(inside).as_posix()
    with open(regular(file), "rb") as raw:
        if not raw.peek(4).startswith((b"PK\3\4", b"PK\5\6")):
            if member is not None:
                raise VectorFileError(f"{file}: expected a zip archive with a member {member!r}")
            size, stream = os.fstat(raw.fileno()).st_size, _unzipped(raw)
            packed = (lambda: 0) if stream is raw else raw.tell
            yield Source(str(file), stream, size, raw.tell, packed)
            return
        with _opened(
            lambda: zipfile.ZipFile(raw), f"{file}: the zip archive is damaged"
        ) as archive:
            info = _choose(archive, file, member)
            name = f"{file}!{info.filename}"

            def begun() -> Any:
                stream: Any = archive.open(info)
                stream.peek(1)  # damage may show there
                return stream

            with _opened(begun, f"{name}: it cannot be opened") as inner:
                stream = _unzipped(inner)
                # Of a member that is gzip again, its own compression counts.
                packed = inner.tell if stream is not inner else lambda: info.compress_size
                yield Source(name, stream, info.file_size, inner.tell, packed)


def _unzipped(stream: Any) -> Any:
    """The stream, through gzip where its content says so."""
    is_gzip = stream.peek(2)[:2] == b"\x1f\x8b"
    return gzip.GzipFile(fileobj=stream, mode="rb") if is_gzip else stream


def _opened(open_it: Callable[[], Any], fault: str) -> Any:
    try:
        return open_it()
    except _DAMAGE as error:
        raise VectorFileError(f"{fault} ({error})") from error


def _choose(archive: zipfile.ZipFile, file: Path, member: str | None) -> zipfile.ZipInfo:
    """The named member, or the only one that can be a vectors file."""
    infos = [info for info in archive.infolist() if not info.filename.endswith("/")]
    found = [info for info in infos if info.filename == member]
    if member is None:
        for info in infos:
            path = PurePosixPath(info.filename)
            hidden = "__MACOSX" in path.parts or path.name.startswith(".")
            if not (hidden or path.suffix.lower() in _NOT_VECTORS or path.stem.lower() in _NOTES):
                found.append(info)
    if len(found) == 1:
        return found[0]
    names = ", ".join(sorted({info.filename for info in infos})) or "no files"
    if member is not None:
        raise VectorFileError(f"{file}: expected one member {member!r}, the archive holds: {names}")
    raise VectorFileError(
        f"{file}: expected one vectors file in the archive, found {len(found)}: {names}. "
        f"Name one, as in '{file}!member'"
    )
