"""Read published word vectors: words and a float32 matrix, or an error that says where and why.

GloVe text (no header), word2vec or fastText text (header "n d"), and word2vec binary: each format
is cut into rows, and `Table` makes the checks that all of them share.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from .packed import Source, VectorFileError, open_source

__all__ = ["Duplicates", "VectorFileError", "read_vectors"]

BLOCK = 1 << 22  # bytes; large enough to hide the cost of a call, small beside any matrix
MAX_DIMENSIONS = 1 << 16  # a header that asks for more is damaged; published ones have 25 to 4,096
MAX_WORD = 4096  # bytes; GloVe stops at 1,000, so a longer "word" is misread data
MAX_LINE = 1 << 21  # bytes; MAX_DIMENSIONS numbers of 25 characters fit
SHOWN = 40  # characters of a word that a message may show
NUMBER_LIKE = re.compile(rb"[-+]?\d[-+0-9.,_eExX]{0,39}|[-+]?(nan|inf|infinity)", re.IGNORECASE)
_BOM = b"\xef\xbb\xbf"
_WRONG = re.compile(rb"[\0\t\n]")
_HEADER = re.compile(rb"([+-]?\d+)[ \t]+([+-]?\d+)[ \t]*(?:\r?\n|\Z)")
_CONTROL = frozenset(range(32)) - frozenset(b"\t\n\r")
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

Floats2d = NDArray[np.float32]
Duplicates = Literal["error", "first"]
Place = Callable[[int], str]  # of row i of some rows
Rows: TypeAlias = "tuple[list[bytes], Floats2d, Place]"


def read_vectors(
    path: str | os.PathLike[str],
    *,
    max_words: int | None = None,
    duplicates: Duplicates = "error",
) -> tuple[list[str], Floats2d]:
    """Read a vectors file.

    The format is found from the content; each may be plain, in gzip, or in a zip archive. An
    archive with several vectors files needs the name of one: `glove.6B.zip!glove.6B.50d.txt`.

    A first line of two whole numbers is a header. Lines may end in spaces and in CRLF, and the last
    newline may be missing. Words are UTF-8; a byte that is not stays visible as \\xNN, so that
    two different words of the file never become one. A file without a header cannot tell that whole
    rows at its end are missing.

    Args:
        path: The file, or `archive.zip!member`.
        max_words: Stop after this many words (files are sorted by frequency). What follows is not
            looked at, nor checked.
        duplicates: "error", or "first" to keep the first row of a word and drop the others. Some
            published files need it: GloVe 840B has been reported to hold a damaged word twice
            (clulab/eidos issue 388).

    Returns:
        n unique words in file order, and their vectors, float32 (n, d), C-contiguous. Memory: 9/8
        of the matrix at most while it grows, and a few blocks of 4 MiB.

    Raises:
        VectorFileError: The file is not right in every row read; names the line (text) or the
            record and byte offset (binary).
        ValueError: A wrong argument.
        OSError: As open does.
    """
    if max_words is not None and max_words < 1:
        raise ValueError(f"max_words: expected a whole number of at least 1 or None, {max_words!r}")
    if duplicates not in ("error", "first"):
        raise ValueError(f"duplicates: expected 'error' or 'first', {duplicates!r}")
    with open_source(Path(path)) as source:
        file = io.BufferedReader(source, BLOCK)
        head = file.peek(BLOCK)
        if head.startswith(_BOM):
            head = head[file.readinto(bytearray(len(_BOM))) :]
        if not head:
            source.fail("line 1", "expected words and vectors, the file is empty")
        match = _HEADER.match(head[:256])
        header = None if match is None else _Header(int(match[1]), int(match[2]), match.end())
        table = Table(source, None if header is None else header.n, max_words, duplicates)
        if header is not None:
            _check_header(source, header)
            file.read(header.length)
        rows: Iterator[Rows] = _Lines(source, header, head).rows(file, table)
        if header is not None and _looks_binary(head, header):
            rows = _records(source, header, file, table)
        with tqdm(total=source.total, unit="B", unit_scale=True, disable=None, leave=False) as bar:
            for some in rows:
                table.append(*some)
                bar.update(source.done() - bar.n)
        return table.finish()


class _Header(NamedTuple):
    """The first line of the word2vec formats: n words, d numbers each; length in bytes."""

    n: int
    d: int
    length: int


def _check_header(source: Source, header: _Header) -> None:
    n, d, _ = header
    if n < 1 or not 1 <= d <= MAX_DIMENSIONS:
        limits = f"at least 1 word and 1 to {MAX_DIMENSIONS} numbers a word"
        source.fail("line 1", f"wrong header: expected {limits}, found '{n} {d}'")


def _looks_binary(head: bytes, header: _Header) -> bool:
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


class Table:
    """Collects rows; memory grows with what was read, never with what was promised.

    n: rows that a header promises. limit: words that are wanted.
    """

    def __init__(
        self, source: Source, n: int | None, limit: int | None, duplicates: Duplicates
    ) -> None:
        self.source, self.n, self.limit, self.duplicates = source, n, limit, duplicates
        self.words: list[str] = []
        self.rows = 0  # that were read, duplicates that were dropped included
        self._seen: set[str] = set()
        self._matrix: Floats2d = np.empty((0, 0), dtype=np.float32)

    @property
    def complete(self) -> bool:
        """Whether all rows that a header promises are there."""
        return self.n is not None and self.rows >= self.n

    @property
    def full(self) -> bool:
        """Whether all words that are wanted are there."""
        return self.limit is not None and len(self.words) >= self.limit

    @property
    def wanted(self) -> int | None:
        """The most rows that are read next; None for any number."""
        left = [] if self.limit is None else [self.limit - len(self.words)]
        left += [] if self.n is None else [self.n - self.rows]
        return min(left, default=None)

    def append(self, raw: list[bytes], X: Floats2d, place: Place) -> None:
        """Add k > 0 words and their (k, d) vectors; place(i) says where row i of them stands."""
        self._check(raw, X, place)
        words = [word.decode("utf-8", "backslashreplace") for word in raw]
        self.rows += len(words)
        new = []
        for i, word in enumerate(words):
            if word not in self._seen:
                self._seen.add(word)
                new.append(i)
            elif self.duplicates == "error":
                hint = "(duplicates='first' keeps the first row)"
                self.source.fail(place(i), f"duplicate word {_shown(raw[i])} {hint}")
        if len(new) < len(words):
            words, X = [words[i] for i in new], X[new]
        used, self.words = len(self.words), self.words + words
        self._reserve(len(self.words), X.shape[1])
        self._matrix[used : len(self.words)] = X

    def finish(self) -> tuple[list[str], Floats2d]:
        """Check the header's count; return the words and the matrix, float32 (n, d)."""
        if self.n is not None and self.rows < self.n and not self.full:
            lack = f"the header says {self.n} words, found {self.rows}"
            self.source.fail(f"after {self.source.place}", f"the file ends: {lack}")
        self._matrix.resize((len(self.words), self._matrix.shape[1]), refcheck=False)
        return self.words, self._matrix

    def _check(self, raw: list[bytes], X: Floats2d, place: Place) -> None:
        """Published words hold no white space but the spaces of GloVe: the rest is misread data."""
        sizes = list(map(len, raw))
        if not min(sizes) or max(sizes) > MAX_WORD or _WRONG.search(b" ".join(raw)):
            odd = (i for i, w in enumerate(raw) if not 0 < len(w) <= MAX_WORD or _WRONG.search(w))
            i = next(odd)
            fault = f"expected a word without tab, newline or NUL byte, found {_shown(raw[i])}"
            if not raw[i]:
                fault = "expected a word before the numbers, found none"
            elif len(raw[i]) > MAX_WORD:
                fault = f"expected a word of at most {MAX_WORD} bytes, found {len(raw[i])}"
            self.source.fail(place(i), fault)
        finite = np.isfinite(X)
        if not finite.all():
            i, j = np.argwhere(~finite)[0]
            found = f"found {X[i, j]} as number {j + 1} of {X.shape[1]} of word {_shown(raw[i])}"
            self.source.fail(place(int(i)), f"expected finite float32 numbers, {found}")

    def _reserve(self, rows: int, d: int) -> None:
        """Make space for this many rows: in place, and by an eighth, so the peak is 9/8 of it."""
        have = len(self._matrix)
        if rows <= have:
            return
        size = max(rows, have + have // 8)
        if self.n is not None:
            size = min(size, max(rows, self.n))
        try:
            self._matrix.resize((size, d), refcheck=False)
        except MemoryError as error:
            raise MemoryError(f"{size} x {d} float32 vectors of {self.source.name}") from error


def _described(raw: bytes) -> str:
    # Else only how long it is: the file may be a text, and no message shows words of texts.
    return _shown(raw) if NUMBER_LIKE.fullmatch(raw) else f"{len(raw)} other characters"


def _shown(raw: bytes) -> str:
    """At most 40 characters of a word or number, quoted, with control characters escaped."""
    text = raw[: 4 * SHOWN].decode("utf-8", "backslashreplace")
    return repr(text) if len(text) <= SHOWN else repr(text[:SHOWN]) + "..."


def _is_number(field: bytes) -> bool:
    """Python's own extra, `1_000`, is not a number here."""
    try:
        float(field)
    except ValueError:
        return False
    return b"_" not in field


class _Lines:
    """Lines `word number ... number`, d numbers each, d from the header or from line 1."""

    def __init__(self, source: Source, header: _Header | None, head: bytes) -> None:
        self.source, self.header = source, header
        self.d = 0 if header is None else header.d
        self.line = 1 if header is None else 2  # the number of the next line
        self.is_one = b"\n" not in head
        # What a file that is no text of vectors seems to be, from its first bytes; or nothing.
        other = "binary data" if b"\0" in head[:1024] else ""
        self.kind = next((kind for magic, kind in _KINDS.items() if head.startswith(magic)), other)
        self.hint = f" ({self.kind})" if self.kind else ""

    def fail(self, line: int, message: str) -> NoReturn:
        self.source.fail(f"line {line}", message)

    def rows(self, file: BinaryIO, table: Table) -> Iterator[Rows]:
        """Yield rows, as many at once as the table wants."""
        for lines in self._blocks(file):
            while lines and not table.full and not table.complete:
                part = lines[: table.wanted]
                self.d = self.d or self._dimensions(part[0])
                words, X = self._parse(part)
                first, lines = self.line, lines[len(part) :]
                self.line += len(part)
                yield words, X, partial(_line_place, first)
            if lines and table.complete:
                why = f"expected the end, as the header says {table.n} words, found more"
                self.fail(self.line, why)
            if table.full and not table.complete:
                return
        if not table.words:
            self.fail(self.line, "expected a word followed by numbers, found nothing")

    def _blocks(self, file: BinaryIO) -> Iterator[list[bytes]]:
        """Yield lines of about BLOCK bytes together, without the empty ones at the end."""
        lines: list[bytes] = []
        size = blank = 0
        for number, raw in enumerate(iter(partial(file.readline, MAX_LINE + 1), b""), self.line):
            if len(raw) > MAX_LINE:
                fault = f"expected lines of at most {MAX_LINE} bytes, found more{self.hint}"
                self.fail(number, fault)
            line = raw.rstrip(b" \r\n")
            blank = blank or (0 if line else number)
            if line and blank:
                self.fail(blank, "expected a word and its numbers, found an empty line")
            if self.header is None and self.is_one and line:
                self._dimensions(line)  # counted on this line, so it has to be whole
                why = "expected a newline at the end of the only line: the file may be cut off"
                self.fail(1, why)
            if line:
                lines.append(line)
                size += len(line)
                self.source.place = f"line {number}"
            if size >= BLOCK:
                yield lines
                lines, size = [], 0
        yield lines

    def _dimensions(self, line: bytes) -> int:
        """The number of numbers at the end of the first line of a file without a header."""
        fields = line.split(b" ")
        d = 0
        while d < len(fields) - 1 and _is_number(fields[-1 - d]):
            d += 1
        if not 1 <= d <= MAX_DIMENSIONS:
            kind = self.kind or f"{len(fields)} fields, the last {_described(fields[-1])}"
            expected = f"a word and 1 to {MAX_DIMENSIONS} numbers, separated by single spaces"
            self.fail(self.line, f"expected {expected}; found {kind}")
        return d

    def _parse(self, lines: list[bytes]) -> tuple[list[bytes], Floats2d]:
        """Words and float32 (k, d). The quick way first; line by line where anything is odd."""
        parts = [line.partition(b" ") for line in lines]
        tails = [tail for _, _, tail in parts]
        try:
            if all(tails) and (X := _numbers(tails)).shape == (len(lines), self.d):
                return [word for word, _, _ in parts], X
        except ValueError:
            pass
        pairs = [self._split(line, self.line + i) for i, line in enumerate(lines)]
        tails = [tail for _, tail in pairs]
        try:
            return [word for word, _ in pairs], _numbers(tails).reshape(len(lines), self.d)
        except ValueError:
            for i, tail in enumerate(tails):
                for j, field in enumerate(tail.split(b" ")):
                    if not _is_number(field):
                        fault = f"expected a number as number {j + 1}, found {_described(field)}"
                        self.fail(self.line + i, fault)
        self.fail(self.line, f"expected rows of numbers in the {len(tails)} lines from here")

    def _split(self, line: bytes, number: int) -> tuple[bytes, bytes]:
        """The word and the rest with its d numbers, cut from the right.

        GloVe 840B has words with spaces in them (". . ."). They are accepted in files without a
        header, where no part after the first is empty or a number: else the row is ragged.
        """
        if b"\0" in line:
            self.fail(number, f"expected text, found a NUL byte{self.hint}")
        if not line:
            self.fail(number, "expected a word and its numbers, found an empty line")
        fields = line.rsplit(b" ", self.d)
        inner = fields[0].split(b" ")[1:]
        odd = self.header is not None or any(not part or _is_number(part) for part in inner)
        if len(fields) <= self.d or (inner and odd):
            since = "the header" if self.header else "line 1"
            found = f"{line.count(b' ')} fields after a word"
            self.fail(number, f"expected {self.d} numbers, as in {since}, found {found}")
        return fields[0], line[len(fields[0]) + 1 :]


def _line_place(first: int, i: int) -> str:
    return f"line {first + i}"


def _numbers(tails: list[bytes]) -> Floats2d:
    return np.loadtxt(tails, dtype=np.float32, comments=None, delimiter=" ", ndmin=2)


def _records(
    source: Source, header: _Header, file: io.BufferedReader[Any], table: Table
) -> Iterator[Rows]:
    """Yield words, each with a space and d float32; word2vec.c writes a newline before a word."""
    data, number = b"", 1
    base = header.length  # offset in the (decompressed) file of the first byte of data
    promised = f"{header.n} records of {header.d} numbers"
    while not table.full and not table.complete:
        words, X, starts, end = _cut(data, header.d, table.wanted)
        if words:
            first, begin = number, base
            number, base, data = number + len(words), base + end, data[end:]
            source.place = f"record {number - 1} (byte {base})"
            places = [f"record {first + i} (byte {begin + at})" for i, at in enumerate(starts)]
            yield words, X, places.__getitem__
            continue
        place = f"record {number} (byte {base})"
        if b" " not in data[: MAX_WORD + 1] and len(data) > MAX_WORD:
            fault = f"a space after a word of at most {MAX_WORD} bytes"
            source.fail(place, f"expected {fault}, found {_described(data)}")
        block = file.read1(BLOCK)
        if not block and data:
            there = f"{len(data)} bytes of the record are there"
            source.fail(place, f"the file is cut off: {there}, the header says {promised}")
        if not block:
            return
        data += block
    while table.complete and (data := data or file.read1(BLOCK)):
        if data.strip(b"\r\n"):
            fault = f"expected the end after {promised}, as the header says, found more"
            source.fail(f"byte {base}", fault)
        base, data = base + len(data), b""


def _cut(data: bytes, d: int, most: int | None) -> tuple[list[bytes], Floats2d, list[int], int]:
    """Return whole records: words, vectors, where each begins, and where the last one ends."""
    words: list[bytes] = []
    vectors: list[bytes] = []
    starts: list[int] = []
    at = 0
    while most is None or len(words) < most:
        start = at + 1 if data[at : at + 1] == b"\n" else at
        space = data.find(b" ", start, start + MAX_WORD + 1)
        end = space + 1 + 4 * d
        if space < 0 or end > len(data):
            break
        words.append(data[start:space])
        vectors.append(data[space + 1 : end])
        starts.append(start)
        at = end
    X = np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(words), d)
    return words, X, starts, at
