"""Read published word vectors: words and a float32 matrix, or an error that says where and why.

GloVe text (no header), word2vec or fastText text (header "n d"), and word2vec binary: each is cut
into rows of a word and its numbers, and the checks are the same for all.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from .packed import Source, VectorFileError, open_source

__all__ = ["Duplicates", "VectorFileError", "read_vectors"]

BLOCK = 1 << 22  # bytes; large enough to hide the cost of a call, small beside any matrix
MAX_DIMENSIONS = 1 << 16  # a header that asks for more is damaged; published ones have 25 to 4,096
MAX_WORD = 4096  # bytes; GloVe stops at 1,000, so a longer "word" is misread data
MAX_LINE = 1 << 21  # bytes; MAX_DIMENSIONS numbers of 25 characters fit
_BOM = b"\xef\xbb\xbf"
_WORD = re.compile(rb"[^\0\t\n]{1,%d}" % MAX_WORD)
_HEADER = re.compile(rb"([+-]?\d+)[ \t]+([+-]?\d+)[ \t]*(?:\r?\n|\Z)")

Floats2d = NDArray[np.float32]
Duplicates = Literal["error", "first"]
Row = tuple[bytes, bytes]  # a word, and its numbers as they stand in the file


class _Form(NamedTuple):
    """d: numbers a word. n: words that a header promises. binary: records, and no lines."""

    d: int
    n: int | None = None
    binary: bool = False

    def numbers(self, some: list[bytes]) -> Floats2d:
        """Return the numbers of k rows, float32 (k, d). Raises ValueError for any others."""
        if self.binary:
            return np.frombuffer(b"".join(some), dtype="<f4").reshape(-1, self.d)
        return np.loadtxt(some, dtype=np.float32, comments=None, delimiter=" ", ndmin=2)


def read_vectors(
    path: str | os.PathLike[str],
    *,
    max_words: int | None = None,
    duplicates: Duplicates = "error",
) -> tuple[list[str], Floats2d]:
    """Read a vectors file.

    The format is found from the content; each may be plain, in gzip, or in a zip archive. An
    archive with several files needs the name of one: `glove.6B.zip!glove.6B.50d.txt`.

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
        n unique words in file order, and their vectors, float32 (n, d), C-contiguous.

    Raises:
        VectorFileError: The file is not right in every row read; names the line (text) or the
            record (binary).
        ValueError: A wrong argument.
        OSError: As open does.
    """
    if max_words is not None and max_words < 1:
        raise ValueError(f"max_words: expected a whole number of at least 1 or None, {max_words!r}")
    if duplicates not in ("error", "first"):
        raise ValueError(f"duplicates: expected 'error' or 'first', {duplicates!r}")
    with open_source(Path(path)) as source:
        file = io.BufferedReader(source, BLOCK)
        form = _begin(file, source)
        rows = (_records if form.binary else _lines)(file, source, form.d)
        table = _Table(source, form, duplicates)
        with tqdm(total=source.total, unit="B", unit_scale=True, disable=None, leave=False) as bar:
            at_once = max(1, BLOCK // (8 * form.d))
            left = max_words
            while left != 0 and (some := list(islice(rows, min(at_once, left or at_once)))):
                table.append(some)
                left = None if max_words is None else max_words - len(table.words)
                bar.update(source.done() - bar.n)
        if form.n is not None and table.rows < form.n and left != 0:
            source.fail_after(f"the header says {form.n} words, found {table.rows}")
        return table.words, np.concatenate(table.vectors)


def _begin(file: io.BufferedReader[Any], source: Source) -> _Form:
    """Find the format, and read up to the first row."""
    head = file.peek(BLOCK)
    if head.startswith(_BOM):
        head = head[file.readinto(bytearray(len(_BOM))) :]
    line, newline, body = head.partition(b"\n")
    header = _HEADER.match(line + newline)
    if header is None:
        source.number = 0
        d = _dimensions(line.rstrip(b" \r"))
        if not newline:
            source.fail_at(1, "expected a newline: the file is empty, cut off, or no table")
    else:
        n, d = int(header[1]), int(header[2])
        source.number = 1
        file.read(header.end())
    if not 1 <= d <= MAX_DIMENSIONS or (header is not None and n < 1):
        limits = f"1 to {MAX_DIMENSIONS} numbers"
        source.fail_at(1, f"expected a word and {limits}, or a header, both separated by spaces")
    if header is None:
        return _Form(d)
    # Text has numbers in the next line; what stands between spaces of records is mostly none.
    fields = body.partition(b"\n")[0].split()[1:]
    text = not body.strip() or (fields and 2 * sum(map(_is_number, fields)) >= len(fields))
    if not text:
        source.unit, source.number = "record", 0
    return _Form(d, n, not text)


class _Table:
    """Collects rows; memory grows with what was read, never with what was promised."""

    def __init__(self, source: Source, form: _Form, duplicates: Duplicates) -> None:
        self.source, self.form, self.duplicates = source, form, duplicates
        self.words: list[str] = []
        self.vectors: list[Floats2d] = []
        self.rows = 0  # that were read, duplicates that were dropped included
        self._seen: set[str] = set()

    def append(self, some: list[Row]) -> None:
        """Check and add the rows that were read last."""
        first = self.source.number - len(some) + 1  # the line or record of the first of them
        fail = self.source.fail_at
        if self.form.n is not None and self.rows + len(some) > self.form.n:
            why = f"expected the end, as the header says {self.form.n} words, found more"
            fail(first + self.form.n - self.rows, why)
        X = self._numbers([numbers for _, numbers in some], first)
        kept = []
        for i, (raw, _) in enumerate(some):
            if not _WORD.fullmatch(raw):
                fail(first + i, f"expected a word of 1 to {MAX_WORD} bytes without tab or NUL")
            word = raw.decode("utf-8", "backslashreplace")
            if word not in self._seen:
                self._seen.add(word)
                self.words.append(word)
                kept.append(i)
            elif self.duplicates == "error":
                fail(first + i, "a duplicate word (duplicates='first' keeps the first row)")
        self.vectors.append(X if len(kept) == len(some) else X[kept])
        self.rows += len(some)

    def _numbers(self, some: list[bytes], first: int) -> Floats2d:
        why = f"expected {self.form.d} finite float32 numbers"
        try:
            X = self.form.numbers(some)
        except ValueError:
            for i, numbers in enumerate(some):
                if not all(map(_is_number, numbers.split(b" "))):
                    self.source.fail_at(first + i, why)
            self.source.fail_at(first, f"{why} in the {len(some)} rows from here")
        finite = np.isfinite(X).all(axis=1)
        if not finite.all():
            self.source.fail_at(first + int(np.argmin(finite)), why)
        return X


def _is_number(field: bytes) -> bool:
    """Python's own extra, `1_000`, is not a number here."""
    try:
        float(field)
    except ValueError:
        return False
    return b"_" not in field


def _dimensions(line: bytes) -> int:
    """Return the number of numbers at the end of a line."""
    fields = line.split(b" ")
    d = 0
    while d < len(fields) - 1 and _is_number(fields[-1 - d]):
        d += 1
    return d


def _lines(file: BinaryIO, source: Source, d: int) -> Iterator[Row]:
    """Yield the rows of lines `word number ... number`."""
    blank = False
    for raw in iter(partial(file.readline, MAX_LINE + 1), b""):
        line = raw.rstrip(b" \r\n")
        if blank and line:
            source.fail_at(source.number + 1, "expected a word and its numbers, not an empty line")
        blank = not line
        if line:
            row = _split(line, d)
            if row is None or len(raw) > MAX_LINE:
                source.fail_at(source.number + 1, f"expected a word and {d} numbers")
            source.number += 1
            yield row


def _split(line: bytes, d: int) -> Row | None:
    """Cut the d numbers off a line; None where it has no such.

    GloVe 840B has words with spaces in them (". . ."). They are accepted where no part after the
    first is empty or a number: else the row is ragged.
    """
    if line.count(b" ") == d:
        word, _, numbers = line.partition(b" ")
        return word, numbers
    word = line.rsplit(b" ", d)[0]
    inner = word.split(b" ")[1:]
    if not inner or any(not part or _is_number(part) for part in inner):
        return None
    return word, line[len(word) + 1 :]


def _records(file: BinaryIO, source: Source, d: int) -> Iterator[Row]:
    """Yield words, each with a space and d float32; word2vec.c writes a newline before a word."""
    data, at = b"", 0
    while True:
        start = at + (data[at : at + 1] == b"\n")
        space = data.find(b" ", start, start + MAX_WORD + 1)
        end = space + 1 + 4 * d
        if space >= 0 and end <= len(data):
            source.number += 1
            yield data[start:space], data[space + 1 : end]
            at = end
            continue
        if space < 0 and len(data) - start > MAX_WORD:
            source.fail_at(source.number + 1, f"expected a space after {MAX_WORD} bytes at most")
        data, more, at = data[at:], file.read(BLOCK), 0
        if not more and data.strip(b"\r\n"):
            source.fail_at(source.number + 1, f"the file is cut off after {len(data)} bytes of it")
        if not more:
            return
        data += more
