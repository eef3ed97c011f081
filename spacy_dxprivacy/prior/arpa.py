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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Floats1d, Ints1d
from ..errors import DxError, Errors
from ..io.files.limits import NotAFile, read_lines
from .chain import PairModel, chain_of, joint, shares_of
from .contexts import BEGIN, Contexts, cells_of, found_in, with_contexts

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
        arpa = _read(path, order)
    except NotAFile:
        raise
    except (FileNotFoundError, IsADirectoryError):
        hint = "dx.Ngrams.v1 takes an ARPA file, plain or packed by gzip."
        raise DxError(Errors.DX026.format(path=path, hint=hint)) from None
    except (EOFError, OSError, zlib.error):
        raise _bad(path, "it is cut off or damaged") from None
    except UnicodeDecodeError:
        raise _bad(path, "its words are not UTF-8") from None
    _check_sums(arpa, path)
    return arpa


def _bad(path: Path, why: str) -> DxError:
    return DxError(Errors.DX062.format(path=path, why=why))


def _read(path: Path, order: int) -> Arpa:
    lines = enumerate(read_lines(path, LONGEST_LINE), 1)
    counts = _counts(path, lines)
    for length in range(1, order + 1):
        if length not in counts:
            raise _bad(path, f"it has no {length}-grams, and order = {order}")
        if counts[length] > MOST_NGRAMS:
            raise _bad(path, f"it has more than {MOST_NGRAMS:,} n-grams of one order")
    index: dict[bytes, int] = {}
    one = _section(path, lines, index, counts, 1)
    if len(index) < len(one.logs):
        raise _bad(path, "it repeats a word")
    pairs = triples = None
    if order > 1:
        pairs = _longer(path, _section(path, lines, index, counts, 2), one.backs)
    if pairs is not None and order > 2:
        some, keys = _section(path, lines, index, counts, 3), pairs.contexts * len(index)
        at = found_in(keys + pairs.words, some.contexts)
        if (at < 0).any():
            raise _bad(path, "some of its 3-grams begin with no 2-gram of it")
        triples = _longer(path, replace(some, contexts=at), pairs.backs)
    return Arpa([word.decode("utf-8") for word in index], one.logs, one.backs, pairs, triples)


def _counts(path: Path, lines: Iterator[tuple[int, bytes]]) -> dict[int, int]:
    """Read how many n-grams of each length there are, and the line that begins the words."""
    counts: dict[int, int] = {}
    if not any(line.strip() == b"\\data\\" for _, line in lines):
        raise _bad(path, "it has no section \\data\\")
    for number, line in lines:
        parts = line.replace(b"=", b" ").split()
        if line.startswith(b"\\"):
            _expect(path, 1, line)
            break
        if len(parts) == 3 and parts[0] == b"ngram":
            try:
                counts[int(parts[1])] = int(parts[2])
            except ValueError:
                raise _bad(path, f"line {number} does not say how many n-grams it has") from None
    return counts


def _expect(path: Path, length: int, line: bytes) -> None:
    if line.strip() != b"\\%d-grams:" % length:
        raise _bad(path, f"its section of {length}-grams is missing")


def _section(
    path: Path,
    lines: Iterator[tuple[int, bytes]],
    index: dict[bytes, int],
    counts: Mapping[int, int],
    length: int,
) -> Longer:
    """Read the n-grams of a length, in the order of the file, and the line that ends them."""
    contexts, words = array("q"), array("q")
    logs, backs = array("d"), array("d")
    line = b""
    for number, line in lines:
        cells = line.split()
        if line.startswith(b"\\") and len(cells) == 1:
            break
        if not cells:
            continue
        if length == 1 and len(cells) > 1:
            index.setdefault(cells[1], len(logs))
        try:
            context, word, log, back = _ngram(cells, index, length)
        except (ValueError, KeyError):
            why = f"is cut off, or is no {length}-gram of its words with its probability"
            raise _bad(path, f"line {number} {why}") from None
        if not log <= ROUNDING or back > 99 or back == -np.inf:
            raise _bad(path, f"line {number} has a probability above 1 or a weight out of range")
        if len(logs) == counts[length]:
            raise _bad(path, f"it has more {length}-grams than it announces")
        contexts.append(context)
        words.append(word)
        logs.append(min(log, 0.0))
        backs.append(back)
    _check_end(path, counts, length, len(logs), line)
    both = (np.array(contexts, dtype=np.int64), np.array(words, dtype=np.int64))
    return Longer(*both, np.array(logs) * LN10, np.array(backs) * LN10)


def _ngram(
    cells: list[bytes], index: Mapping[bytes, int], length: int
) -> tuple[int, int, float, float]:
    """Return the context, the word, log10 of the probability, and that of the back-off weight."""
    if not length + 1 <= len(cells) <= length + 2:
        raise ValueError("another number of cells")
    back = float(cells[length + 1]) if len(cells) > length + 1 else np.nan
    context = 0
    for word in cells[1:length]:
        context = context * len(index) + index[word]
    return context, index[cells[length]], float(cells[0]), back


def _check_end(path: Path, counts: Mapping[int, int], length: int, found: int, line: bytes) -> None:
    """Raise DxError unless a section is whole, given the line behind it."""
    if not line.startswith(b"\\"):
        raise _bad(path, f"it is cut off among its {length}-grams")
    if found != (announced := counts[length]):
        given = f"{found:,} {length}-grams and announces {announced:,}"
        raise _bad(path, f"it is cut off or damaged: it has {given}")
    if length + 1 in counts:
        _expect(path, length + 1, line)
    elif line.strip() != b"\\end\\":
        raise _bad(path, "it does not end with \\end\\")


def _longer(path: Path, some: Longer, backs: Floats1d) -> Longer:
    """Return n-grams in order, given the back-off weights of their contexts."""
    order = np.lexsort((some.words, some.contexts))
    numbers = some.contexts[order], some.words[order]
    found = Longer(*numbers, some.logs[order], some.backs[order])
    if ((np.diff(found.contexts) == 0) & (np.diff(found.words) == 0)).any():
        raise _bad(path, "some of its n-grams are repeated")
    if len(order) and np.isnan(backs[found.contexts]).all():
        raise _bad(path, "the n-grams that others begin with have no back-off weights")
    return found


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
