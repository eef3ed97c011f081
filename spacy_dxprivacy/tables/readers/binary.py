"""The word2vec binary format: a text header "n d", then n times a word, a space, d float32."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .source import Source, described
from .table import MAX_WORD, Duplicates, Floats2d, Header, Table, check_header

_CONTROL = frozenset(range(32)) - frozenset(b"\t\n\r")


def looks_binary(head: bytes, header: Header) -> bool:
    """Whether binary records or lines of text follow the header.

    Text, if the next line has d fields that are mostly numbers; else binary, if what stands where
    the first vector should be holds control characters, is not UTF-8, or shows no number.
    """
    body = head[header.length :]
    fields = body.partition(b"\n")[0].split()[1:]
    mostly_numbers = 2 * sum(map(_is_number, fields)) >= len(fields)
    if not body.strip() or (len(fields) >= header.d and mostly_numbers):
        return False
    _, space, rest = body.partition(b" ")
    sample = (rest if space else body)[: 4 * max(header.d, 1)]
    try:
        sample.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data":
            return True
    return not (_CONTROL.isdisjoint(sample) and any(map(_is_number, sample.split())))


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


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
