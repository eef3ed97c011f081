"""The words and the matrix while they grow: every check that all formats share."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .source import Source, shown

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
