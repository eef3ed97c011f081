"""GloVe text (no header) and word2vec or fastText text (header "n d")."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

import numpy as np

from .source import Source, described
from .table import MAX_DIMENSIONS, Duplicates, Floats2d, Header, Table, check_header

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
