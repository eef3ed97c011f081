"""Blocks of bytes of a plain file, a gzip file or one member of a zip archive."""

from __future__ import annotations

import gzip
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any, NoReturn

from ...errors import DxError
from ...io.files.limits import TooLarge, check_ratio, regular

BLOCK = 1 << 22  # bytes; large enough to hide the cost of a call, small beside any matrix
MAX_RATIO = 1032  # the most that deflate can expand a byte to (RFC 1951: 258 bytes from two bits)

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
    """A vectors file that cannot be used; the message names the file, the place and the fault, in
    one line: the name of a member of a damaged archive may hold anything."""

    def __init__(self, message: str) -> None:
        super().__init__("".join(c if c.isprintable() else "?" for c in message))


@dataclass(eq=False, repr=False)
class Source:
    """An opened file.

    name: for messages; `archive.zip!member` for a member of an archive.
    bound: no more than this many bytes can come out of it.
    place: how far the reader got ("line 12"), kept up to date by the reader.
    done: how many bytes, of `total`, were read so far. packed: how many were unpacked; 0 for none.
    """

    name: str
    bound: int
    stream: Any
    total: int
    done: Callable[[], int]
    packed: Callable[[], int]
    place: str = "the beginning"
    given: int = 0

    def fail(self, place: str, message: str) -> NoReturn:
        """Raises VectorFileError with file, place and fault."""
        raise VectorFileError(f"{self.name}, {place}: {message}")

    def blocks(self) -> Iterator[bytes]:
        """Yields blocks of about BLOCK bytes. What was read before a damaged place still comes,
        so that the reader can say on which line the damage is. Raises VectorFileError."""
        pieces: list[bytes] = []
        fault: Exception | None = None
        while fault is None:
            size = 0
            try:
                while size < BLOCK and (piece := self.stream.read1(BLOCK - size)):
                    pieces.append(piece)
                    size += len(piece)
            except _DAMAGE as error:
                fault = error
            if not pieces:
                break
            self.given += size
            if packed := self.packed():
                self._refuse_bombs(packed)
            yield b"".join(pieces)
            pieces.clear()
        if fault is not None:
            kind = "cut off" if isinstance(fault, EOFError) else "damaged"
            reason = str(fault) or type(fault).__name__
            self.fail(f"after {self.place}", f"the file is {kind} ({reason})")

    def _refuse_bombs(self, packed: int) -> None:
        try:
            check_ratio(self.name, packed, self.given)
        except TooLarge as error:
            raise VectorFileError(str(error)) from None


@contextmanager
def open_source(path: str | Path) -> Iterator[Source]:
    """Open a file; what it is, is found out from its first bytes."""
    file, member = _split_member(path)
    with open(regular(file), "rb") as raw:
        if not raw.peek(4).startswith((b"PK\3\4", b"PK\5\6")):
            if member is not None:
                raise VectorFileError(f"{file}: expected a zip archive with a member {member!r}")
            size = os.fstat(raw.fileno()).st_size
            stream, bound = _unzipped(raw, size)
            packed = (lambda: 0) if stream is raw else raw.tell
            yield Source(str(file), bound, stream, size, raw.tell, packed)
            return
        with _opened(
            lambda: zipfile.ZipFile(raw), f"{file}: the zip archive is damaged"
        ) as archive:
            info = _choose(archive, file, member)
            name = f"{file}!{info.filename}"
            with _opened(lambda: _begun(archive, info), f"{name}: it cannot be opened") as inner:
                stream, bound = _unzipped(inner, info.file_size)
                # Of a member that is gzip again, its own packing counts.
                packed = inner.tell if stream is not inner else lambda: info.compress_size
                yield Source(name, bound, stream, info.file_size, inner.tell, packed)


def _split_member(path: str | Path) -> tuple[Path, str | None]:
    whole = Path(path)
    archive, mark, member = str(path).partition(".zip!")
    if not mark or whole.exists():
        return whole, None
    return Path(archive + ".zip"), Path(member).as_posix()


def _unzipped(stream: Any, size: int) -> tuple[Any, int]:
    """The stream, through gzip where its content says so, and the most bytes it can give."""
    if stream.peek(2)[:2] == b"\x1f\x8b":
        return gzip.GzipFile(fileobj=stream, mode="rb"), size * MAX_RATIO
    return stream, size


def _opened(open_it: Callable[[], Any], fault: str) -> Any:
    try:
        return open_it()
    except _DAMAGE as error:
        raise VectorFileError(f"{fault} ({error})") from error


def _begun(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    """The member, of which a first byte was read: damage may show there."""
    stream: Any = archive.open(info)
    stream.peek(1)
    return stream  # type: ignore[no-any-return]


def _choose(archive: zipfile.ZipFile, file: Path, member: str | None) -> zipfile.ZipInfo:
    """The named member, or the only one that can be a vectors file."""
    infos = [info for info in archive.infolist() if not info.filename.endswith("/")]
    found = [info for info in infos if info.filename == member]
    if member is None:
        found = [info for info in infos if _may_hold_vectors(info.filename)]
    if len(found) == 1:
        return found[0]
    names = ", ".join(sorted({info.filename for info in infos})) or "no files"
    if member is not None:
        raise VectorFileError(f"{file}: expected one member {member!r}, the archive holds: {names}")
    raise VectorFileError(
        f"{file}: expected one vectors file in the archive, found {len(found)}: {names}. "
        f"Name one, as in '{file}!member'"
    )


def _may_hold_vectors(name: str) -> bool:
    path = PurePosixPath(name)
    hidden = "__MACOSX" in path.parts or path.name.startswith(".")
    note = path.suffix.lower() in _NOT_VECTORS or path.stem.lower() in _NOTES
    return not hidden and not note
