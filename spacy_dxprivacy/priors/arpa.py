"""ARPA files: n-grams with back-off weights, as SRILM, KenLM, CMU Sphinx and others write them.

Paper  Katz 1987, "Estimation of probabilities from sparse data"; the format: SRILM, ngram-format(5)
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from ..arrays import Bools1d, Floats1d, Ints1d, Ints2d
from ..errors import DxError, Errors
from ..tables.readers.source import Source, open_source

MOST_NGRAMS = 40_000_000  # of one length
WORDS = 2**30  # more than words: contexts and words make one number
AT_ONCE = 2**15  # lines
LONGEST_LINE = 1 << 16
ROUNDING = 1e-4  # of log10 in a published file
LN10 = float(np.log(10.0))
SPECIAL = ("<s>", "</s>", "<unk>", "<UNK>")


@dataclass(frozen=True, eq=False, repr=False)
class Level:
    """The m n-grams of one length, by rising context and word. contexts: int64 (m,), which n-gram
    of the level before they begin with. words: int64 (m,), their last word. logs, backs: float64
    (m,), natural logarithms of the probability and of the back-off weight; nan where none stands.
    """

    contexts: Ints1d
    words: Ints1d
    logs: Floats1d
    backs: Floats1d

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def keys(self) -> Ints1d:
        """(m,), rising: the context and the word as one number."""
        return self.contexts * WORDS + self.words


@dataclass(frozen=True, eq=False, repr=False)
class Arpa:
    """words: in the order of the file. levels: the n-grams of length 1, 2, ..."""

    words: list[str]
    levels: list[Level]

    @cached_property
    def said(self) -> Bools1d:
        """(V,): which of them are words, not marks."""
        return np.array([word not in SPECIAL for word in self.words])

    @cached_property
    def follows(self) -> Bools1d:
        """(V,): all but <s>, which never follows anything."""
        return np.array([word != "<s>" for word in self.words])

    def find(self, history: list[int]) -> int:
        """The place of an n-gram on its level, -1 where it is not listed."""
        return int(self.places(np.array([history], dtype=np.int64))[0])

    def places(self, grams: Ints2d) -> Ints1d:
        """grams: int64 (m, length) -> (m,), the place of each on its level, -1 where not listed."""
        nodes = grams[:, 0]
        for depth in range(1, grams.shape[1]):
            listed = self.levels[depth].keys
            if not len(listed):
                return np.full(len(grams), -1)
            keys = nodes * WORDS + grams[:, depth]
            at = np.minimum(np.searchsorted(listed, keys), len(listed) - 1)
            nodes = np.where((listed[at] == keys) & (nodes >= 0), at, -1)
        return nodes

    def after(self, depth: int, context: int) -> slice:
        """Which n-grams of length depth + 1 begin with this one."""
        ends = np.searchsorted(self.levels[depth].contexts, [context, context + 1])
        return slice(int(ends[0]), int(ends[1]))


@dataclass(eq=False, repr=False)
class _Part:
    """One section while it is read."""

    length: int
    announced: int
    contexts: array[int] = field(default_factory=lambda: array("q"))
    words: array[int] = field(default_factory=lambda: array("q"))
    logs: array[float] = field(default_factory=lambda: array("d"))
    backs: array[float] = field(default_factory=lambda: array("d"))


def read_arpa(path: Path, order: int) -> Arpa:
    """n-grams of at most `order` words; what comes after them is not read. Plain or .gz.

    Raises DxError in one sentence for a file that is missing, cut, damaged, of another encoding or
    format, too large, or whose n-grams cannot be: see check below.
    """
    try:
        with open_source(path) as source:
            return _Reader(path, order).read(source)
    except (FileNotFoundError, IsADirectoryError):
        hint = "dx.Ngrams.v1 takes an ARPA file, plain or packed by gzip."
        raise DxError(Errors.DX026.format(path=path, hint=hint)) from None


def bad(path: Path, why: str) -> DxError:
    return DxError(Errors.DX062.format(path=path, why=why))


def _sound(backs: Floats1d) -> bool:
    """Whether weights are numbers that can be; nan stands for none."""
    return not (np.isinf(backs) | (backs > 99)).any()


class _Reader:
    def __init__(self, path: Path, order: int) -> None:
        self.path, self.order = path, order
        self.counts: dict[int, int] = {}
        self.index: dict[bytes, int] = {}
        self.levels: list[Level] = []
        self.number = 0  # lines read
        self.at = 0  # the line that is looked at

    def read(self, source: Source) -> Arpa:
        lines = self._lines(source)
        self._header(lines)
        for length in range(1, min(self.order, max(self.counts)) + 1):
            self.levels.append(self._level(self._section(length, lines)))
        return Arpa(self._words(), self.levels)

    def _lines(self, source: Source) -> Iterator[bytes]:
        rest = b""
        for block in source.blocks():
            *lines, rest = (rest + block).split(b"\n")
            if len(rest) > LONGEST_LINE:
                raise bad(self.path, f"line {self.number + len(lines) + 1} is too long")
            for line in lines:
                self.number += 1
                source.place = f"line {self.number}"
                yield line
        self.number += 1
        yield rest

    def _header(self, lines: Iterator[bytes]) -> None:
        if not any(line.strip() == b"\\data\\" for line in lines):
            raise bad(self.path, "it has no section \\data\\")
        for line in lines:
            parts = line.replace(b"=", b" ").split()
            if len(parts) == 3 and parts[0] == b"ngram":
                self.at = self.number
                self._count(parts[1], parts[2])
            elif line.startswith(b"\\"):
                self._expect(1, line)
                break
        if not self.counts:
            raise bad(self.path, "its section \\data\\ names no n-grams")
        if set(self.counts) != set(range(1, max(self.counts) + 1)):
            raise bad(self.path, "its section \\data\\ leaves a length of n-grams out")

    def _count(self, length: bytes, count: bytes) -> None:
        try:
            self.counts[int(length)] = int(count)
        except ValueError:
            raise self._bad_line("does not say how many n-grams there are") from None
        if int(count) > MOST_NGRAMS and int(length) <= self.order:
            raise bad(self.path, f"it has more than {MOST_NGRAMS:,} n-grams of one length")

    def _expect(self, length: int, line: bytes) -> None:
        if line.strip() != b"\\%d-grams:" % length:
            raise bad(self.path, f"its section of {length}-grams is missing")

    def _section(self, length: int, lines: Iterator[bytes]) -> _Part:
        part, some = _Part(length, self.counts[length]), list[bytes]()
        for line in lines:
            ends = line.startswith(b"\\") and len(line.split()) == 1
            if not ends:
                some.append(line)
            if ends or len(some) == AT_ONCE:
                self._add(part, some)
                some = []
            if ends:
                self._close(part, line)
                return part
        self._add(part, [])
        raise bad(self.path, f"it is cut off among its {length}-grams (line {self.number})")

    def _close(self, part: _Part, line: bytes) -> None:
        if len(part.logs) != part.announced:
            given = f"{len(part.logs):,} {part.length}-grams and announces {part.announced:,}"
            raise bad(self.path, f"it is cut or damaged: it has {given}")
        if part.length == max(self.counts):
            if line.strip() != b"\\end\\":
                raise bad(self.path, "it does not end with \\end\\")
        else:
            self._expect(part.length + 1, line)

    def _add(self, part: _Part, lines: list[bytes]) -> None:
        """All at once where they are as they should be, else one by one up to the first fault."""
        if part.length == 1 or not self._add_quickly(part, lines):
            first = self.number - len(lines)
            for number, line in enumerate(lines, start=first):
                self.at = number
                if line.strip():
                    self._add_line(part, line.split())
        if len(part.logs) > part.announced:
            raise bad(self.path, f"it has more {part.length}-grams than it announces")

    def _add_quickly(self, part: _Part, lines: list[bytes]) -> bool:
        length, cells = part.length, [c for c in map(bytes.split, lines) if c]
        if not {len(c) for c in cells} <= {length + 1, length + 2}:
            return False
        try:
            logs = np.array([float(c[0]) for c in cells])
            backs = [float(c[length + 1]) if len(c) > length + 1 else np.nan for c in cells]
            grams = np.array([[self.index[w] for w in c[1 : length + 1]] for c in cells])
        except (ValueError, KeyError):
            return False
        if not len(cells):
            return True
        contexts = Arpa([], self.levels).places(grams[:, :-1])
        if not ((logs <= ROUNDING).all() and (contexts >= 0).all() and _sound(np.array(backs))):
            return False
        part.contexts.frombytes(contexts.astype(np.int64).tobytes())
        part.words.frombytes(grams[:, -1].astype(np.int64).tobytes())
        part.logs.frombytes((np.minimum(logs, 0.0) * LN10).tobytes())
        part.backs.frombytes((np.array(backs) * LN10).tobytes())
        return True

    def _add_line(self, part: _Part, cells: list[bytes]) -> None:
        length = part.length
        if len(cells) not in (length + 1, length + 2):
            raise self._bad_line(f"is not a {length}-gram with its probability")
        try:
            log = float(cells[0])
            back = float(cells[length + 1]) if len(cells) > length + 1 else np.nan
        except ValueError:
            raise self._bad_line("has no number where one should be") from None
        if not log <= ROUNDING:
            raise self._bad_line(f"gives a probability above 1 (log10 {log:g})")
        if not _sound(np.array([back])):
            raise self._bad_line("has a back-off weight out of range")
        if length == 1 and self.index.setdefault(cells[1], len(part.logs)) != len(part.logs):
            raise self._bad_line("holds a word that came before")
        ids = [self._word(word) for word in cells[1 : length + 1]]
        part.contexts.append(0 if length == 1 else self._context(ids[:-1]))
        part.words.append(ids[-1])
        part.logs.append(min(log, 0.0) * LN10)
        part.backs.append(back * LN10)

    def _word(self, word: bytes) -> int:
        found = self.index.get(word, -1)
        if found < 0:
            raise self._bad_line("has a word that is not among the 1-grams")
        return found

    def _context(self, ids: list[int]) -> int:
        found = Arpa([], self.levels).find(ids)
        if found < 0:
            raise self._bad_line("begins with words that are not listed as an n-gram")
        return found

    def _level(self, part: _Part) -> Level:
        columns = [np.array(c) for c in (part.contexts, part.words, part.logs, part.backs)]
        order = np.lexsort((columns[1], columns[0])) if part.length > 1 else slice(None)
        level = Level(*(column[order] for column in columns))
        if part.length > 1:
            self._check(level, part.length)
        return level

    def _check(self, level: Level, length: int) -> None:
        same = (np.diff(level.contexts) == 0) & (np.diff(level.words) == 0)
        if same.any():
            raise bad(self.path, f"{int(same.sum()):,} of its {length}-grams come twice")
        if len(level) and np.isnan(self.levels[-1].backs[level.contexts]).all():
            raise bad(self.path, f"its {length - 1}-grams have no back-off weights")

    def _words(self) -> list[str]:
        try:
            return [word.decode("utf-8") for word in self.index]
        except UnicodeDecodeError:
            raise bad(self.path, "its words are not UTF-8") from None

    def _bad_line(self, what: str) -> DxError:
        return bad(self.path, f"line {self.at} {what}")
