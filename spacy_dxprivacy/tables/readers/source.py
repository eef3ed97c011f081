"""Blocks of bytes of a vectors file, and the words and the matrix that grow from them.

`Source` is a plain file, a gzip file or one member of a zip archive; `Table` makes every check that
all formats share.
"""

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
from typing import IO, Any, Literal, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

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


# -- the rows while they grow ----------------------------------------------------------------------


MAX_DIMENSIONS = 1 << 16  # a header that asks for more is damaged; published ones have 25 to 4,096
MAX_WORD = 4096  # bytes; GloVe stops at 1,000, so a longer "word" is misread data

Floats2d = NDArray[np.float32]
Duplicates = Literal["error", "first"]
Place = Callable[[int], str]
_WRONG = re.compile(rb"[\0\t\n]")
_HEADER = re.compile(rb"([+-]?\d+)[ \t]+([+-]?\d+)[ \t]*(?:\r?\n|\Z)")


class Header(NamedTuple):
    """The first line of the word2vec formats: n words, d numbers each; length in bytes."""

    n: int
    d: int
    length: int


def find_header(head: bytes) -> Header | None:
    """The header, where the first line is two whole numbers and nothing else."""
    match = _HEADER.match(head[:256])
    if match is None:
        return None
    return Header(int(match[1]), int(match[2]), match.end())


def check_header(source: Source, header: Header, row_bytes: int) -> None:
    """Refuse sizes far beyond the file. A smaller lack shows at the row that is short or missing.

    row_bytes: the fewest bytes that one row of the format takes.
    """
    n, d, length = header
    need = length + n * row_bytes
    if n < 1 or not 1 <= d <= MAX_DIMENSIONS:
        limits = f"at least 1 word and 1 to {MAX_DIMENSIONS} numbers a word"
        source.fail("line 1", f"wrong header: expected {limits}, found '{n} {d}'")
    if need > 2 * source.bound + 1024:
        holds = f"the file holds at most {source.bound}"
        source.fail("line 1", f"wrong header: '{n} {d}' needs {need} bytes or more, {holds}")


class Table:
    """Collects rows block by block; memory grows with what was read, never with what was promised.

    words: the words kept so far, unique, in file order.
    rows: rows read so far, duplicates that were dropped included.
    """

    def __init__(
        self, source: Source, d: int, n: int | None, limit: int | None, duplicates: Duplicates
    ) -> None:
        self.source, self.d, self.n = source, d, n
        self.duplicates = duplicates
        self.limit = limit
        self.words: list[str] = []
        self.rows = 0
        self._seen: set[str] = set()
        self._matrix: Floats2d = np.empty((0, d), dtype=np.float32)

    @property
    def room(self) -> int | None:
        """How many more rows may be read, None for no limit."""
        return None if self.limit is None else self.limit - len(self.words)

    @property
    def finished(self) -> bool:
        """True once the limit is reached, and nothing is left that a header promises to check."""
        return self.room == 0 and not (self.n is not None and self.rows >= self.n)

    def append(self, raw: list[bytes], X: Floats2d, place: Place) -> None:
        """Add k > 0 words and their (k, d) vectors; place(i) says where row i of them stands."""
        self._check_words(raw, place)
        self._check_finite(raw, X, place)
        words = [word.decode("utf-8", "backslashreplace") for word in raw]
        self.rows += len(words)
        before = len(self._seen)
        self._seen.update(words)
        if len(self._seen) != before + len(words):
            words, X = self._unique(words, raw, X, place)
        used = len(self.words)
        self._reserve(used + len(words))
        self._matrix[used : used + len(words)] = X
        self.words += words

    def finish(self) -> tuple[list[str], Floats2d]:
        """Check the header's count; return the words and the matrix, float32 (n, d)."""
        if not self.words:
            self.source.fail("line 1", "expected words and vectors, found none")
        if self.n is not None and self.rows < self.n and self.room != 0:
            self.source.fail(
                f"after {self.source.place}",
                f"the file ends: the header says {self.n} words, found {self.rows}",
            )
        self._matrix.resize((len(self.words), self.d), refcheck=False)
        return self.words, self._matrix

    def _check_words(self, raw: list[bytes], place: Place) -> None:
        """Published words hold no white space but the spaces of GloVe: the rest is misread data."""
        joined = b" ".join(raw)
        if min(map(len, raw)) and max(map(len, raw)) <= MAX_WORD and not _WRONG.search(joined):
            return
        for i, word in enumerate(raw):
            if not word:
                self.source.fail(place(i), "expected a word before the numbers, found none")
            if len(word) > MAX_WORD:
                fault = f"expected a word of at most {MAX_WORD} bytes, found {len(word)}"
                self.source.fail(place(i), f"{fault}: {shown(word)}")
            if _WRONG.search(word):
                fault = "expected a word without tab, newline or NUL byte, found"
                self.source.fail(place(i), f"{fault} {shown(word)}")

    def _check_finite(self, raw: list[bytes], X: Floats2d, place: Place) -> None:
        finite = np.isfinite(X)
        if finite.all():
            return
        i, j = np.argwhere(~finite)[0]
        self.source.fail(
            place(int(i)),
            f"expected finite float32 numbers, found {X[i, j]} as number {j + 1} of {self.d} "
            f"of word {shown(raw[i])}",
        )

    def _unique(
        self, words: list[str], raw: list[bytes], X: Floats2d, place: Place
    ) -> tuple[list[str], Floats2d]:
        """The first row of each word. Only called when a word comes twice."""
        known = set(self.words)
        keep = []
        for i, word in enumerate(words):
            if word not in known:
                known.add(word)
                keep.append(i)
            elif self.duplicates == "error":
                self.source.fail(
                    place(i),
                    f"duplicate word {shown(raw[i])} (duplicates='first' keeps the first row)",
                )
        return [words[i] for i in keep], X[keep]

    def _reserve(self, rows: int) -> None:
        """Room for this many rows. In place, and by an eighth, so the peak is 9/8 of the matrix."""
        have = len(self._matrix)
        if rows <= have:
            return
        room = max(rows, have + have // 8)
        if self.n is not None:
            room = min(room, max(rows, self.n))
        try:
            self._matrix.resize((room, self.d), refcheck=False)
        except MemoryError as error:
            raise MemoryError(f"{room} x {self.d} float32 vectors of {self.source.name}") from error
