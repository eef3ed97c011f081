"""The bytes of an input as UTF-8: unpacked, decoded, and line by line as they come."""

from __future__ import annotations

import codecs
import io
import os
import select
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from ..errors import Errors, UsageError
from ..files.limits import TooLarge, check_ratio

BLOCK = 2**16
PART = 2**10  # bytes that are unpacked at a time
# By how a file begins: the longer ones first, as that of UTF-32 begins with that of UTF-16.
BOMS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
PACKED = {b"\x1f\x8b": "gz", b"\x28\xb5\x2f\xfd": "zst"}


class Source:
    """What readers read from: peek, read and readline over blocks of bytes.

    blocks: what comes, b"" for nothing yet. ready: whether more can be had without waiting.
    close: called at the end of a `with` block.
    """

    def __init__(
        self,
        blocks: Iterator[bytes],
        ready: Callable[[], bool] = lambda: True,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        self._blocks = blocks
        self._can_be_read = ready
        self._close = close
        self._block, self._at = b"", 0

    def __enter__(self) -> Source:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self._close()

    def _fill(self) -> bool:
        """Whether there is something in the block."""
        while self._at >= len(self._block):
            block = next(self._blocks, None)
            if block is None:
                return False
            self._block, self._at = block, 0
        return True

    def ready(self) -> bool:
        """Whether a line can be read without waiting for it."""
        return self._block.find(b"\n", self._at) >= 0 or self._can_be_read()

    def peek(self, enough: Callable[[bytes], bool]) -> bytes:
        """What comes next, until there is enough of it, or no more."""
        seen = self._block[self._at :]
        while not enough(seen):
            block = next(self._blocks, None)
            if block is None:
                break
            seen += block
        self._block, self._at = seen, 0
        return seen

    def read(self, size: int = -1) -> bytes:
        """Some bytes, at most `size` of them; b"" at the end. All that is left for -1."""
        if size < 0:
            return b"".join(iter(lambda: self.read(BLOCK), b""))
        if not self._fill():
            return b""
        part = self._block[self._at : self._at + size]
        self._at += len(part)
        return part

    def readline(self, size: int = -1) -> bytes:
        """A line with its end, or `size` bytes of it; b"" at the end."""
        parts: list[bytes] = []
        left = sys.maxsize if size < 0 else size
        while left and self._fill():
            end = self._block.find(b"\n", self._at) + 1 or len(self._block)
            part = self._block[self._at : min(end, self._at + left)]
            parts.append(part)
            self._at += len(part)
            left -= len(part)
            if part.endswith(b"\n"):
                break
        return b"".join(parts)


def source_of_stdin(encoding: str | None, *, text: bool = True) -> Source:
    """Standard input, unpacked where it is packed. text: whether it is to be decoded."""
    handle = sys.stdin.buffer
    try:
        number = handle.fileno()
    except (OSError, ValueError):  # not a file: within a test
        blocks = iter(lambda: handle.read(BLOCK), b"")
        return Source(_decoded(_unpacked(blocks, None), encoding, text))
    return Source(
        _decoded(_unpacked(iter(lambda: os.read(number, BLOCK), b""), None), encoding, text),
        lambda: _is_readable(number),
    )


def source_of_text(text: str) -> Source:
    """A text as an input."""
    return Source(iter([text.encode("utf-8", "surrogateescape")]))


def source_of_file(handle: IO[bytes], packed: str, encoding: str | None, *, text: bool) -> Source:
    """An open file. packed: "gz" or "zst", or "". Its bytes are asked for when they are needed, so
    what is wrong with them is said then."""
    blocks = iter(lambda: handle.read(BLOCK), b"")
    return Source(_decoded(_unpacked(blocks, packed), encoding, text), close=handle.close)


def pack_of(path: Path) -> str:
    """ "gz" or "zst", by how the name ends, or ""."""
    ending = path.suffix.lower().lstrip(".")
    return ending if ending in PACKED.values() else ""


def ending(path: Path) -> str:
    """ ".jsonl" of "a.jsonl" and of "a.JSONL.gz"."""
    return (path.with_suffix("") if pack_of(path) else path).suffix.lower()


def unpacked(raw: bytes, packed: str) -> bytes:
    """packed: "gz" or "zst". Raises UsageError for bytes that are neither, cut, or a bomb."""
    return b"".join(_unpack(iter([raw]), packed))


def check_encoding(encoding: str | None) -> None:
    """Raises UsageError for one that Python does not know."""
    try:
        if encoding is not None and not codecs.lookup(encoding)._is_text_encoding:
            raise LookupError
    except LookupError:
        known = "utf-8, utf-16, latin-1, cp1252, mac-roman, shift_jis"
        raise UsageError(f"no `encoding` {encoding!r}: there are {known} and others.") from None


def _is_readable(number: int) -> bool:
    if sys.platform == "win32":  # select takes sockets alone: every line by itself
        return False
    return bool(select.select([number], [], [], 0)[0])


# -- unpacking -------------------------------------------------------------------------------------


def _unpacked(blocks: Iterator[bytes], packed: str | None) -> Iterator[bytes]:
    """packed: None where the first bytes say it."""
    head = b""
    for block in blocks:
        head += block
        if packed is not None or not _may_begin(head, PACKED):
            break
    kind = packed if packed is not None else _kind_of(head)
    if not kind:
        yield head
        yield from blocks
        return
    yield from _unpack(_chained(head, blocks), kind)


def _may_begin(head: bytes, marks: Iterable[bytes]) -> bool:
    """Whether more bytes may make a mark of it. Nobody waits for more than that."""
    return any(mark.startswith(head) and mark != head for mark in marks)


def _chained(head: bytes, blocks: Iterator[bytes]) -> Iterator[bytes]:
    yield head
    yield from blocks


def _kind_of(head: bytes) -> str:
    return next((kind for magic, kind in PACKED.items() if head.startswith(magic)), "")


def _unpack(blocks: Iterator[bytes], kind: str) -> Iterator[bytes]:
    """All members of a packed stream, one after another."""
    new, wrong = _unpacker(kind)
    member: Any = None
    taken = given = 0
    for block in _in_parts(blocks):
        taken += len(block)
        while block:
            member = member or new()
            try:
                out = member.decompress(block)
            except wrong:
                raise UsageError(f"it is not .{kind}, or it is damaged.") from None
            block = member.unused_data if member.eof else b""
            member = None if member.eof else member
            given += len(out)
            _check_ratio(kind, taken, given)
            yield out
    if member is not None:
        raise UsageError(f"its .{kind} ends too early: it was cut.")


def _in_parts(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Few bytes at a time: of zstandard, 4 of them may stand for 128 kB."""
    for block in blocks:
        yield from (block[i : i + PART] for i in range(0, len(block), PART))


def _check_ratio(kind: str, taken: int, given: int) -> None:
    try:
        check_ratio(f"its .{kind}", taken, given)
    except TooLarge as error:
        raise UsageError(str(error)) from None


def _unpacker(kind: str) -> tuple[Callable[[], Any], type[Exception]]:
    if kind == "gz":
        return lambda: zlib.decompressobj(31), zlib.error
    zstandard = need_zstandard()
    return lambda: zstandard.ZstdDecompressor().decompressobj(), zstandard.ZstdError


def need_zstandard() -> Any:
    """The package. Raises UsageError with the extra that brings it."""
    try:
        import zstandard
    except ImportError:
        missing = Errors.DX074.format(what=".zst", package="zstandard", extra="zst")
        raise UsageError(missing) from None
    return zstandard


# -- decoding --------------------------------------------------------------------------------------


def _decoded(blocks: Iterator[bytes], encoding: str | None, text: bool) -> Iterator[bytes]:
    """UTF-8 without a mark. Without an `encoding` or a mark, bytes stay as they are: records that
    are not UTF-8 say so themselves."""
    if not text:
        yield from blocks
        return
    head = b""
    for block in blocks:
        head += block
        if not _may_begin(head, BOMS):
            break
    mark = max((mark for mark in BOMS if head.startswith(mark)), key=len, default=b"")
    found = BOMS.get(mark, encoding)
    rest = _chained(head, blocks)
    if found is None or (found == "utf-8" and encoding is None):
        yield head.removeprefix(codecs.BOM_UTF8)
        yield from blocks
        return
    yield from _recoded(rest, "utf-8-sig" if found == "utf-8" else found)


def _recoded(blocks: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    done = 0
    for block in _chained_end(blocks):
        try:
            # Lone surrogates stay: a record that holds one says so.
            out = decoder.decode(block, not block).encode("utf-8", "surrogatepass")
        except UnicodeError as error:
            where = done + getattr(error, "start", 0)
            why = f"its bytes are not {encoding}, from about byte {where + 1:,} on."
            raise UsageError(f"{why} `encoding` names another one.") from None
        done += len(block)
        yield out


def _chained_end(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """b"" at the end: a decoder is told so, and says what is cut."""
    for block in blocks:
        if block:
            yield block
    yield b""


class Packing(io.RawIOBase):
    """Bytes into a file, packed. finish() writes the end, and leaves the file open."""

    def __init__(self, handle: IO[bytes], kind: str) -> None:
        super().__init__()
        self.handle = handle
        self._packer: Any = (
            zlib.compressobj(wbits=31)  # without a name or a time, as gzip would write
            if kind == "gz"
            else need_zstandard().ZstdCompressor().compressobj()
        )

    def write(self, data: Any) -> int:
        """All of it."""
        self.handle.write(self._packer.compress(data))
        return len(data)

    def finish(self) -> None:
        """Writes what is left."""
        self.handle.write(self._packer.flush())
