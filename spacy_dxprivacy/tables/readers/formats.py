"""GloVe text (no header), word2vec or fastText text (header "n d"), and word2vec binary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

import numpy as np

from .source import (
    MAX_DIMENSIONS,
    MAX_WORD,
    Duplicates,
    Floats2d,
    Header,
    Source,
    Table,
    check_header,
    described,
)

# -- lines of text ---------------------------------------------------------------------------------


MAX_LINE = 1 << 21  # bytes; MAX_DIMENSIONS numbers of 25 characters fit
_KINDS = {
    b"\x93NUMPY": "a NumPy array",
    b"\x80": "a pickle; gensim writes vectors with save_word2vec_format",
    b"\xba\x16\x4f\x2f": "a fastText model; its vectors are in the .vec file",
    b"\x89HDF": "an HDF5 file",
    b"BZh": "bzip2; decompress it first",
    b"\xfd7zXZ": "xz; decompress it first",
    b"7z\xbc\xaf": "7-Zip; decompress it first",
    b"\xff\xfe": "UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "UTF-16 text; save it as UTF-8",
    b"version https://git-lfs": "a Git LFS pointer; fetch the file itself",
    b"<!": "a web page, perhaps a failed download",
    b"<html": "a web page, perhaps a failed download",
    b"{": "JSON",
}


def read_text(
    source: Source,
    blocks: Iterator[bytes],
    header: Header | None,
    limit: int | None,
    duplicates: Duplicates,
) -> Table:
    """Read lines `word number ... number`, d numbers each, d from the header or from line 1."""
    if header is not None:
        # the fewest bytes of a row: a letter, d times a space and a digit, the newline
        check_header(source, header, 2 * header.d + 2)
    reader = _TextReader(source, header)
    table: Table | None = None
    for lines in reader.batches(blocks):
        if table is None:
            d = header.d if header else reader.dimensions(lines[0])
            table = Table(source, d, header.n if header else None, limit, duplicates)
        reader.consume(lines, table)
        if table.finished:
            break
    if table is None:
        reader.fail(reader.line, "expected a word followed by numbers, found nothing")
    return table


class _TextReader:
    """Cuts blocks into lines and lines into words and numbers; knows the line number."""

    def __init__(self, source: Source, header: Header | None) -> None:
        self.source, self.header = source, header
        self.line = 2 if header else 1  # the number of the next line
        self.blank = 0  # empty lines not yet known to be the end of the file
        self.head = b""

    def fail(self, line: int, message: str) -> NoReturn:
        self.source.fail(f"line {line}", message)

    def batches(self, blocks: Iterator[bytes]) -> Iterator[list[bytes]]:
        """Whole lines without trailing spaces, a block at a time, less empty lines at the end."""
        skip = self.header.length if self.header else 0
        carry = b""
        for block in blocks:
            self.head = self.head or block[:1024]
            lines = (carry + block[skip:]).split(b"\n")
            carry, skip = lines.pop(), 0
            yield from self._cleaned(lines)
            if len(carry) > MAX_LINE:
                self.fail(self.line + self.blank, self._too_long())
        if carry and self.line == 1 and self.header is None:
            self.dimensions(carry)  # counted on this line, so it has to be whole
            self.fail(1, "expected a newline at the end of the only line: the file may be cut off")
        yield from self._cleaned([carry] if carry else [])

    def _too_long(self) -> str:
        return (
            f"expected lines of at most {MAX_LINE} bytes, found more{_brackets(_kind(self.head))}"
        )

    def _cleaned(self, lines: list[bytes]) -> Iterator[list[bytes]]:
        lines = [line.rstrip(b" \r") for line in lines]
        kept = len(lines)
        while kept and not lines[kept - 1]:
            kept -= 1
        if kept and self.blank:
            self.fail(self.line, "expected a word and its numbers, found an empty line")
        self.blank += len(lines) - kept
        if kept:
            yield lines[:kept]

    def dimensions(self, line: bytes) -> int:
        """The number of numbers at the end of the first line of a file without a header."""
        fields = line.split(b" ")
        d = 0
        while d < len(fields) - 1 and _is_number(fields[-1 - d]):
            d += 1
        if not 1 <= d <= MAX_DIMENSIONS:
            kind = _kind(self.head) or f"{len(fields)} fields, the last {described(fields[-1])}"
            expected = f"a word and 1 to {MAX_DIMENSIONS} numbers, separated by single spaces"
            self.fail(self.line, f"expected {expected}; found {kind}")
        return d

    def consume(self, lines: list[bytes], table: Table) -> None:
        """Add lines to the table, no more of them than its limit asks for."""
        start = 0
        while start < len(lines) and not table.finished:
            self._refuse_surplus(table, len(lines) - start)
            part = lines[start : start + table.room] if table.room is not None else lines[start:]
            words, X = self._parse(part, table.d)
            first = self.line
            table.append(words, X, lambda i: f"line {first + i}")  # noqa: B023
            start += len(part)
            self.line += len(part)
            self.source.place = f"line {self.line - 1}"

    def _refuse_surplus(self, table: Table, more: int) -> None:
        if table.n is not None and table.rows + more > table.n:
            surplus = self.line + table.n - table.rows
            if table.room is None or table.rows + table.room >= table.n:
                said = f"the header says {table.n} words"
                self.fail(surplus, f"expected the end, as {said}, found more")

    def _parse(self, lines: list[bytes], d: int) -> tuple[list[bytes], Floats2d]:
        """Words and float32 (k, d). The quick way first; line by line where anything is odd."""
        parts = [line.partition(b" ") for line in lines]
        tails = [tail for _, _, tail in parts]
        try:
            if all(tails) and (X := _numbers(tails)).shape == (len(lines), d):
                return [word for word, _, _ in parts], X
        except ValueError:
            pass
        pairs = [self._split(line, self.line + i, d) for i, line in enumerate(lines)]
        tails = [tail for _, tail in pairs]
        try:
            return [word for word, _ in pairs], _numbers(tails).reshape(len(lines), d)
        except ValueError:
            self._blame(tails)

    def _split(self, line: bytes, number: int, d: int) -> tuple[bytes, bytes]:
        """The word and the rest with its d numbers, cut from the right.

        GloVe 840B has words with spaces in them (". . ."). They are accepted in files without a
        header, where no part after the first is empty or a number: else the row is ragged.
        """
        if b"\0" in line:
            self.fail(number, f"expected text, found a NUL byte{_brackets(_kind(self.head))}")
        if not line:
            self.fail(number, "expected a word and its numbers, found an empty line")
        fields = line.rsplit(b" ", d)
        inner = fields[0].split(b" ")[1:]
        odd = self.header is not None or any(not part or _is_number(part) for part in inner)
        if len(fields) <= d or (inner and odd):
            since = "the header" if self.header else "line 1"
            found = f"{line.count(b' ')} fields after a word"
            self.fail(number, f"expected {d} numbers, as in {since}, found {found}")
        return fields[0], line[len(fields[0]) + 1 :]

    def _blame(self, tails: list[bytes]) -> NoReturn:
        """Say which number of which line the parser does not take."""
        for i, tail in enumerate(tails):
            for j, field in enumerate(tail.split(b" ")):
                if not _parses(field):
                    self.fail(
                        self.line + i,
                        f"expected a number as number {j + 1}, found {described(field)}",
                    )
        self.fail(self.line, f"expected rows of numbers in the {len(tails)} lines from here")


def _numbers(tails: list[bytes]) -> Floats2d:
    """Parse rows of numbers, in C; raises ValueError for anything that is not a number."""
    return np.loadtxt(tails, dtype=np.float32, comments=None, delimiter=" ", ndmin=2)


def _parses(field: bytes) -> bool:
    try:
        return _numbers([field]).shape == (1, 1) if field.strip() else False
    except ValueError:
        return False


def _is_number(field: bytes) -> bool:
    """Quicker than _parses for one field; Python's own extra, `1_000`, is not a number here."""
    try:
        float(field)
    except ValueError:
        return False
    return b"_" not in field


def _kind(head: bytes) -> str:
    """What a file that is no text of vectors seems to be, from its first bytes; or nothing."""
    other = "binary data" if b"\0" in head else ""
    return next((kind for magic, kind in _KINDS.items() if head.startswith(magic)), other)


def _brackets(kind: str) -> str:
    return f" ({kind})" if kind else ""


# -- binary records --------------------------------------------------------------------------------


_CONTROL = frozenset(range(32)) - frozenset(b"\t\n\r")


def looks_binary(head: bytes, header: Header) -> bool:
    """Whether binary records or lines of text follow the header.

    Text, if the next line has d fields that are mostly numbers; else binary, if what stands where
    the first vector should be holds control characters, is not UTF-8, or shows no number.
    """
    body = head[header.length :]
    fields = body.partition(b"\n")[0].split()[1:]
    mostly_numbers = 2 * sum(map(_is_float, fields)) >= len(fields)
    if not body.strip() or (len(fields) >= header.d and mostly_numbers):
        return False
    _, space, rest = body.partition(b" ")
    sample = (rest if space else body)[: 4 * max(header.d, 1)]
    try:
        sample.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data":
            return True
    return not (_CONTROL.isdisjoint(sample) and any(map(_is_float, sample.split())))


def read_binary(
    source: Source,
    blocks: Iterator[bytes],
    header: Header,
    limit: int | None,
    duplicates: Duplicates,
) -> Table:
    """Read the records. A newline before a word belongs to the format (word2vec.c writes one)."""
    # the fewest bytes of a record: a letter, a space, the numbers
    check_header(source, header, 4 * header.d + 2)
    table = Table(source, header.d, header.n, limit, duplicates)
    reader = _BinaryReader(source, header)
    for block in blocks:
        reader.feed(block)
        while reader.step(table):
            pass
        if table.finished:
            return table
    reader.end(table)
    return table


class _BinaryReader:
    """Cuts a growing buffer into records; knows the record number and the byte offset."""

    def __init__(self, source: Source, header: Header) -> None:
        self.source, self.header = source, header
        self.data = b""
        self.base = 0  # offset in the (decompressed) file of the first byte of data
        self.skip = header.length

    def feed(self, block: bytes) -> None:
        self.data += block
        if self.skip:
            self._drop(self.skip)
            self.skip = 0

    def _drop(self, size: int) -> None:
        self.data = self.data[size:]
        self.base += size

    def step(self, table: Table) -> bool:
        """Add the whole records in the buffer; True while the table wants more of what is there."""
        left = self.header.n - table.rows
        records = left if table.room is None else min(left, table.room)
        if records == 0:
            self._refuse_surplus()
            return False
        words, X, starts, size = self._records(records, table.rows + 1)
        if not words:
            return False
        first, base = table.rows + 1, self.base
        table.append(words, X, lambda i: f"record {first + i} (byte {base + starts[i]})")
        self._drop(size)
        self.source.place = f"record {table.rows} (byte {self.base})"
        return table.room != 0

    def _records(self, most: int, number: int) -> tuple[list[bytes], Floats2d, list[int], int]:
        """Up to `most` records: words, float32 (k, d), offsets in the buffer, bytes used."""
        data, width, at = self.data, 4 * self.header.d, 0
        words: list[bytes] = []
        vectors: list[bytes] = []
        starts: list[int] = []
        while len(words) < most:
            start = at + 1 if data[at : at + 1] == b"\n" else at
            space = data.find(b" ", start, start + MAX_WORD + 1)
            if space < 0 and len(data) - start > MAX_WORD:
                place = f"record {number + len(words)} (byte {self.base + start})"
                fault = f"a space after a word of at most {MAX_WORD} bytes"
                self.source.fail(place, f"expected {fault}, found {described(data[start:])}")
            end = space + 1 + width
            if space < 0 or end > len(data):
                break
            words.append(data[start:space])
            vectors.append(data[space + 1 : end])
            starts.append(start)
            at = end
        X = np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(words), self.header.d)
        return words, X, starts, at

    def _refuse_surplus(self) -> None:
        if self.data.strip(b"\r\n"):
            self.source.fail(
                f"byte {self.base}",
                f"expected the end after {self.header.n} records of {self.header.d} numbers, "
                f"as the header says, found more",
            )
        self._drop(len(self.data))

    def end(self, table: Table) -> None:
        """At the end of the file: nothing may be left over, and no record cut off."""
        if table.rows == self.header.n:
            self._refuse_surplus()
        elif self.data and table.room != 0:
            self.source.fail(
                f"record {table.rows + 1} (byte {self.base})",
                f"the file is cut off: {len(self.data)} bytes of the record are there, "
                f"the header says {self.header.n} records of {self.header.d} numbers",
            )


def _is_float(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
