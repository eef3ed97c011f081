r"""ARPA files of words, pairs and triples with back-off, as SRILM, KenLM and others write them.

    p(y | x) = given, where the pair is listed;  b(x) p(y)  where not
    p(z | x, y) = given, where the triple is listed;  b(x, y) p(z | y)  where not

As a chain: T[x, y] = b(x) p(y) + delta[x, y], with delta what listed pairs have beyond their
back-off; contexts (x, y) of triples are states of their own (contexts.py). Where an n-gram is
listed with less than its back-off, the back-off counts. Sentences end by p(</s> | x); words that a
space cannot hold (<s>, <unk>) never come out.

Papers  Katz 1987, "Estimation of probabilities from sparse data"; Chen and Goodman 1999; the
        format: SRILM, ngram-format(5)
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Floats1d, Ints1d
from ..errors import DxError, Errors
from ..io.files.limits import NotAFile, read_lines
from .chain import PairModel, chain_of, joint, shares_of
from .contexts import BEGIN, Contexts, cells_of, with_contexts

MOST_NGRAMS = 40_000_000  # of one length
LONGEST_LINE = 1 << 16
ROUNDING = 1e-4  # of log10 in a published file
TOLERANCE = 0.05  # of sums that should be 1, for the same reason
MOST_CONTEXTS = 50_000  # of triples: those of the most gain
LEAST = 1e-12  # of a word, so that float32 can hold it
LN10 = float(np.log(10.0))
SPECIAL = ("<s>", "</s>", "<unk>", "<UNK>")


@dataclass(frozen=True, eq=False, repr=False)
class Longer:
    """m n-grams of two or three words, by rising context and word."""

    contexts: Ints1d  # numbers of words, or of pairs
    words: Ints1d
    logs: Floats1d  # natural logarithms
    backs: Floats1d  # of back-off weights; nan where there is none

    @cached_property
    def back(self) -> Floats1d:
        """float64 (m,): back-off weights; 1 where there is none."""
        return np.where(np.isnan(self.backs), 1.0, np.exp(self.backs))


@dataclass(frozen=True, eq=False, repr=False)
class Arpa:
    """The n-grams of a file, in its order."""

    words: list[str]
    logs: Floats1d  # float64 (V,), natural logarithms
    backs: Floats1d  # of back-off weights; nan where there is none
    pairs: Longer | None = None
    triples: Longer | None = None

    @cached_property
    def p(self) -> Floats1d:
        """float64 (V,): the unigram probability of each word."""
        p: Floats1d = np.exp(self.logs)
        return p

    @cached_property
    def back(self) -> Floats1d:
        """float64 (V,): back-off weights; 1 where there is none, as the format has it."""
        return np.where(np.isnan(self.backs) | (self.pairs is None), 1.0, np.exp(self.backs))


# -- reading -------------------------------------------------------------------------------------


def read_arpa(path: Path, order: int) -> Arpa:
    """Read words, pairs where order is at least 2, and triples where it is 3, of a plain or .gz
    file.

    Raises DxError for a file that is missing, cut, damaged, of another encoding or format, too
    large, without n-grams of this order, or whose probabilities do not add up.
    """
    try:
        arpa = _Reader(path, order).read()
    except NotAFile:
        raise
    except (FileNotFoundError, IsADirectoryError):
        hint = "dx.Ngrams.v1 takes an ARPA file, plain or packed by gzip."
        raise DxError(Errors.DX026.format(path=path, hint=hint)) from None
    except (EOFError, OSError, zlib.error):
        raise _bad(path, "it is cut off or damaged") from None
    _check_sums(arpa, path)
    for length, found in ((2, arpa.pairs), (3, arpa.triples)):
        if order >= length and found is None:
            raise _bad(path, f"it has no {length}-grams, and order = {order}")
    return arpa


def _bad(path: Path, why: str) -> DxError:
    return DxError(Errors.DX062.format(path=path, why=why))


class _Section:
    """The n-grams of one length while they are read."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.contexts, self.words = array("q"), array("q")
        self.logs, self.backs = array("d"), array("d")  # log10


class _Reader:
    def __init__(self, path: Path, order: int) -> None:
        self.path, self.order = path, order
        self.counts: dict[int, int] = {}
        self.index: dict[bytes, int] = {}
        self.number = 0  # of the line
        self.lines = self._lines()

    def read(self) -> Arpa:
        self._header()
        one = self._section(1)
        logs, backs = np.array(one.logs) * LN10, np.array(one.backs) * LN10
        pairs = triples = None
        if self.order > 1 and 2 in self.counts:
            pairs = self._longer(self._section(2), backs)
        if pairs is not None and self.order > 2 and 3 in self.counts:
            section, keys = self._section(3), pairs.contexts * len(logs) + pairs.words
            wanted = np.array(section.contexts, dtype=np.int64)
            at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            if not len(keys) or (keys[at] != wanted).any():
                raise _bad(self.path, "some of its 3-grams begin with no 2-gram of it")
            triples = self._longer(section, pairs.backs, at)
        try:
            words = [word.decode("utf-8") for word in self.index]
        except UnicodeDecodeError:
            raise _bad(self.path, "its words are not UTF-8") from None
        return Arpa(words, logs, backs, pairs, triples)

    def _lines(self) -> Iterator[bytes]:
        for line in read_lines(self.path, LONGEST_LINE):
            self.number += 1
            if len(line) > LONGEST_LINE:
                raise self._bad_line("is too long")
            yield line

    def _header(self) -> None:
        if not any(line.strip() == b"\\data\\" for line in self.lines):
            raise _bad(self.path, "it has no section \\data\\")
        for line in self.lines:
            parts = line.replace(b"=", b" ").split()
            if len(parts) == 3 and parts[0] == b"ngram":
                self._count(parts[1], parts[2])
            elif line.startswith(b"\\"):
                self._expect(1, line)
                break
        if not self.counts:
            raise _bad(self.path, "its section \\data\\ names no n-grams")
        if set(self.counts) != set(range(1, max(self.counts) + 1)):
            raise _bad(self.path, "its section \\data\\ lacks an order of n-grams")

    def _count(self, length: bytes, count: bytes) -> None:
        try:
            self.counts[int(length)] = int(count)
        except ValueError:
            raise self._bad_line("does not say how many n-grams there are") from None
        if int(count) > MOST_NGRAMS and int(length) <= self.order:
            raise _bad(self.path, f"it has more than {MOST_NGRAMS:,} n-grams of one order")

    def _expect(self, length: int, line: bytes) -> None:
        if line.strip() != b"\\%d-grams:" % length:
            raise _bad(self.path, f"its section of {length}-grams is missing")

    def _section(self, length: int) -> _Section:
        """Read the n-grams of a length, and the line that ends them."""
        section = _Section(length)
        for line in self.lines:
            cells = line.split()
            if len(cells) == 1 and line.startswith(b"\\"):
                self._close(section, line)
                return section
            try:
                if cells:
                    self._add(section, cells)
            except DxError:
                if line.endswith(b"\n"):
                    raise
                # A line that is wrong and the last one was cut.
        raise _bad(self.path, f"it is cut off among its {length}-grams (line {self.number})")

    def _close(self, section: _Section, line: bytes) -> None:
        if len(section.logs) != (announced := self.counts[section.length]):
            given = f"{len(section.logs):,} {section.length}-grams and announces"
            raise _bad(self.path, f"it is cut off or damaged: it has {given} {announced:,}")
        if section.length < max(self.counts):
            self._expect(section.length + 1, line)
        elif line.strip() != b"\\end\\":
            raise _bad(self.path, "it does not end with \\end\\")

    def _add(self, section: _Section, cells: list[bytes]) -> None:
        length, place = section.length, len(section.logs)
        if not length + 1 <= len(cells) <= length + 2:
            raise self._bad_line(f"is not a {length}-gram with its probability")
        if place == self.counts[length]:
            raise _bad(self.path, f"it has more {length}-grams than it announces")
        try:
            log = float(cells[0])
            back = float(cells[length + 1]) if len(cells) > length + 1 else np.nan
        except ValueError:
            raise self._bad_line("lacks a number") from None
        if not log <= ROUNDING:
            raise self._bad_line(f"gives a probability above 1 (log10 {log:g})")
        if back > 99 or back == -np.inf:
            raise self._bad_line("has a back-off weight out of range")
        if length == 1 and self.index.setdefault(cells[1], place) != place:
            raise self._bad_line("repeats a word")
        try:
            context = self.index[cells[1]]
            if length == 3:
                context = context * len(self.index) + self.index[cells[2]]
            section.contexts.append(context)
            section.words.append(self.index[cells[length]])
        except KeyError:
            raise self._bad_line("has a word that is not among the 1-grams") from None
        section.logs.append(min(log, 0.0))
        section.backs.append(back)

    def _longer(self, section: _Section, backs: Floats1d, contexts: Ints1d | None = None) -> Longer:
        length, words = section.length, np.array(section.words, dtype=np.int64)
        contexts = np.array(section.contexts, dtype=np.int64) if contexts is None else contexts
        order = np.lexsort((words, contexts))
        contexts, words = contexts[order], words[order]
        same = (np.diff(contexts) == 0) & (np.diff(words) == 0)
        if same.any():
            raise _bad(self.path, f"{int(same.sum()):,} of its {length}-grams are repeated")
        if len(words) and np.isnan(backs[contexts]).all():
            raise _bad(self.path, f"its {length - 1}-grams have no back-off weights")
        logs, own = np.array(section.logs)[order], np.array(section.backs)[order]
        return Longer(contexts, words, logs * LN10, own * LN10)

    def _bad_line(self, what: str) -> DxError:
        return _bad(self.path, f"line {self.number} {what}")


def _check_sums(arpa: Arpa, path: Path) -> None:
    """Raise DxError where probabilities do not add up, and say by how much."""
    follows = np.array([word != "<s>" for word in arpa.words])  # <s> never follows anything
    p = np.where(follows, arpa.p, 0.0)
    if abs(p.sum() - 1) > TOLERANCE:
        raise _bad(path, f"the probabilities of its words add up to {p.sum():.4g}, not to 1")
    pairs, triples = arpa.pairs, arpa.triples
    if pairs is not None:
        _check_contexts(path, 1, _sums(pairs, follows, arpa.back, float(p.sum()), p[pairs.words]))
    if pairs is not None and triples is not None:
        lower = Three(arpa, pairs, triples).after_pairs() * follows[triples.words]
        _check_contexts(path, 2, _sums(triples, follows, pairs.back, 1.0, lower))


def _sums(some: Longer, follows: Any, back: Floats1d, total: float, lower: Floats1d) -> Floats1d:
    """Return the sums of what follows the contexts of n-grams. lower: (m,), by back-off but for its
    weight; total: of all words."""
    C = len(back)
    listed: Any = np.bincount(some.contexts, np.exp(some.logs) * follows[some.words], C)
    by_back_off = total - np.bincount(some.contexts, lower, C)
    sums: Floats1d = listed + back * by_back_off
    return sums[np.unique(some.contexts)]


def _check_contexts(path: Path, length: int, sums: Floats1d) -> None:
    off = np.abs(sums - 1)
    if off.max(initial=0) > TOLERANCE:
        many, worst = int((off > TOLERANCE).sum()), sums[off.argmax()]
        why = f"the probabilities after {many:,} of {len(sums):,} contexts of length {length}"
        raise _bad(path, f"{why} do not add up to 1 (the worst to {worst:.4g})")


# -- as a language model -------------------------------------------------------------------------


def model_of(arpa: Arpa, name: str) -> PairModel:
    """Return words, pairs and triples as a language model; unigrams where there are no pairs."""
    from scipy.sparse import diags_array

    spoken = np.array([word not in SPECIAL for word in arpa.words])
    number, beyond = {word: i for i, word in enumerate(arpa.words)}, beyond_back_off(arpa)
    u, end, begin = np.maximum(arpa.p[spoken], LEAST), number.get("</s>"), number.get("<s>")
    stop = np.ones(len(u))  # a file that has no ends says nothing of lengths
    if end is not None:
        stop = (arpa.back * arpa.p[end] + beyond[:, [end]].toarray().reshape(-1))[spoken]
    first = u  # the unigrams where the file does not say how sentences begin
    if begin is not None:
        first = beyond[[begin]].toarray().reshape(-1)[spoken] + arpa.back[begin] * u
    delta, back, ends, sums = joint(beyond[spoken][:, spoken], stop, u, arpa.back[spoken])
    stays = shares_of(sums)
    fields: dict[str, Any] = {
        "begin": first if first.sum() > 0 else u, "alone": u / stays, "end": ends, "back": back,
        "u": u, "delta": delta, "emit": diags_array(stays).tocsr(),
    }  # fmt: skip
    if arpa.pairs is not None and arpa.triples is not None:
        three = Three(arpa, arpa.pairs, arpa.triples)
        fields = with_contexts(fields, contexts_of(three, spoken, stop, sums, (begin, end)))
    words = [w for w, s in zip(arpa.words, spoken, strict=True) if s]
    return PairModel(words, chain_of(**fields), name)


def beyond_back_off(arpa: Arpa) -> Any:
    """Return the probabilities of pairs beyond their back-off, csr float64 (V, V), not negative."""
    from scipy.sparse import csr_array

    shape, pairs = (len(arpa.words), len(arpa.words)), arpa.pairs
    if pairs is None:
        return csr_array(shape)
    extra = np.exp(pairs.logs) - arpa.back[pairs.contexts] * arpa.p[pairs.words]
    return csr_array((np.maximum(extra, 0.0), (pairs.contexts, pairs.words)), shape=shape)


class Three(NamedTuple):
    """A file with triples."""

    arpa: Arpa
    pairs: Longer
    triples: Longer

    def after_pairs(self) -> Floats1d:
        """Return p(z | y) of each triple (x, y, z), float64 (m,)."""
        y, z = self.pairs.words[self.triples.contexts], self.triples.words
        return self.arpa.back[y] * self.arpa.p[z] + cells_of(beyond_back_off(self.arpa), y, z)


def contexts_of(
    three: Three, spoken: Any, stop: Floats1d, sums: Floats1d, marks: tuple[int | None, int | None]
) -> Contexts:
    """Return the contexts of triples, at most MOST_CONTEXTS: those of the most gain, by how often
    they come and how far they are from their pairs (Kullback and Leibler).

    Args:
        three: The file, of V words.
        spoken: bool (V,), the K types.
        stop: (K,), the probability that a sentence ends after each.
        sums: (K,), see chain.joint.
        marks: The numbers of <s> and </s>, None where they are not.
    """
    from scipy.sparse import csr_array

    arpa, pairs, triples = three
    of_word = np.where(spoken, np.cumsum(spoken) - 1, BEGIN)
    m, p, lower = len(pairs.words), np.exp(triples.logs), three.after_pairs()
    c, z = triples.contexts, triples.words
    gain = np.bincount(c, p * np.log(p / np.maximum(lower, LEAST)), m)
    gain += np.maximum(1 - np.bincount(c, p, m), 0) * np.log(np.maximum(pairs.back, LEAST))
    begin, end = (-1 if mark is None else mark for mark in marks)
    often = arpa.p.copy()
    if begin >= 0:  # as often as sentences end
        often[begin] = arpa.p[end] if end >= 0 else 1.0
    worth = often[pairs.contexts] * np.exp(pairs.logs) * gain
    there = np.bincount(c, minlength=m) > 0
    there &= (spoken[pairs.contexts] | (pairs.contexts == begin)) & spoken[pairs.words]
    best = np.argsort(np.where(there, -worth, np.inf), kind="stable")
    chosen = np.sort(best[: min(MOST_CONTEXTS, int(there.sum()))])

    at = np.full(m, -1)
    at[chosen] = np.arange(len(chosen))
    y, back = of_word[pairs.words[chosen]], pairs.back[chosen]
    extra = np.maximum(p - pairs.back[c] * lower, 0.0)
    ends, stops = (at[c] >= 0) & (z == end), stop[y]
    if end >= 0:
        stops = back * stops + np.bincount(at[c[ends]], extra[ends], len(chosen))
    some = (at[c] >= 0) & spoken[z]
    cells = extra[some] / sums[y[at[c[some]]]], (at[c[some]], of_word[z[some]])
    more = csr_array(cells, shape=(len(chosen), len(sums)))
    return Contexts(of_word[pairs.contexts[chosen]], y, back, stops / sums[y], more)
