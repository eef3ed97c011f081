"""Blocks of bytes out of a plain file, a gzip file or one member of a zip archive."""

from __future__ import annotations

import gzip
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any, NoReturn

from ...errors import DxError
from ...files.limits import TooLarge, check_ratio, regular

BLOCK = 1 << 22  # bytes; large enough to hide the cost of a call, small beside any matrix
MAX_RATIO = 1032  # the most that deflate can expand a byte to (RFC 1951: 258 bytes from two bits)
SHOWN = 40  # characters of a word that a message may show
NUMBER_LIKE = re.compile(rb"[-+]?\d[-+0-9.,_eExX]{0,39}|[-+]?(nan|inf|infinity)", re.IGNORECASE)

Progress = Callable[[int, int], object]
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


def described(raw: bytes) -> str:
    """What stands where a number should: itself if it is like one, else only how long it is. The
    file may be a text that was taken for vectors, and its words are nobody's business."""
    return shown(raw) if NUMBER_LIKE.fullmatch(raw) else f"{len(raw)} other characters"


def shown(raw: bytes) -> str:
    """At most 40 characters of a word or number, quoted, with control characters escaped."""
    text = raw[: 4 * SHOWN].decode("utf-8", "backslashreplace")
    return repr(text) if len(text) <= SHOWN else repr(text[:SHOWN]) + "..."


@dataclass(eq=False, repr=False)
class Source:
    """An opened vectors file.

    name: for messages; `archive.zip!member` for a member of an archive.
    bound: no more than this many bytes can come out of it.
    place: how far the reader got ("line 12"), kept up to date by the reader.
    """

    name: str
    bound: int
    stream: Any
    done: Callable[[], int]
    total: int
    progress: Progress | None = None
    place: str = "the beginning"
    packed: Callable[[], int] | None = None  # bytes that were unpacked so far
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
            if self.progress is not None:
                self.progress(self.done(), self.total)
            if not pieces:
                break
            self._refuse_bombs(size)
            yield b"".join(pieces)
            pieces.clear()
        if fault is not None:
            self._damaged(fault)

    def _refuse_bombs(self, size: int) -> None:
        self.given += size
        if self.packed is None:
            return
        try:
            check_ratio(self.name, self.packed(), self.given)
        except TooLarge as error:
            raise VectorFileError(str(error)) from None

    def _damaged(self, fault: Exception) -> NoReturn:
        kind = "cut off" if isinstance(fault, EOFError) else "damaged"
        reason = str(fault) or type(fault).__name__
        try:
            self.fail(f"after {self.place}", f"the file is {kind} ({reason})")
        except VectorFileError as error:
            raise error from fault


@contextmanager
def open_source(path: str | Path, progress: Progress | None = None) -> Iterator[Source]:
    """Open a vectors file; what it is, is found out from its first bytes."""
    file, member = _split_member(path)
    with open(regular(file), "rb") as raw:
        if not raw.peek(4).startswith((b"PK\3\4", b"PK\5\6")):
            if member is not None:
                raise VectorFileError(f"{file}: expected a zip archive with a member {member!r}")
            size = os.fstat(raw.fileno()).st_size
            stream, bound = _unzipped(raw, size)
            packed = None if stream is raw else raw.tell
            yield Source(str(file), bound, stream, raw.tell, size, progress, packed=packed)
            return
        with _archive(raw, file) as archive:
            info = _choose(archive, file, member)
            with _member(archive, info, file) as inner:
                stream, bound = _unzipped(inner, info.file_size)
                name = f"{file}!{info.filename}"
                # Of a member that is gzip again, its own packing counts.
                packed = inner.tell if stream is not inner else lambda: info.compress_size
                yield Source(
                    name, bound, stream, inner.tell, info.file_size, progress, packed=packed
                )


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


def _archive(raw: IO[bytes], file: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(raw)
    except _DAMAGE as error:
        raise VectorFileError(f"{file}: the zip archive is cut off or damaged ({error})") from error


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, file: Path) -> Any:
    try:
        stream: Any = archive.open(info)
        stream.peek(1)
        return stream
    except _DAMAGE as error:
        name = f"{file}!{info.filename}"
        raise VectorFileError(f"{name}: the member cannot be opened ({error})") from error


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
