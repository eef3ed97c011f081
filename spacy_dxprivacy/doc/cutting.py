"""Texts as tokens, where what stands between blanks is cut by the tokenizer only once.

In a memory zone spaCy's tokenizer keeps nothing, and reads each word anew with its expressions.
Here the tokens of a piece (what stands between blanks, with the blank after it) are kept as long as
the zone lasts, and those of public words longer: of the space's words in their order, the more of
them the longer the texts were, whatever stood in these. No vocabulary learns a word. What comes out
is what the tokenizer gives for the whole text: it looks no further than a piece, but for special
cases with symbols, and a text in which two pieces might make one of these is cut whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import LOWER, NORM, ORTH, SPACY
from spacy.language import Language
from spacy.tokens import Doc

from ..arrays import Bools1d, Ids1d, Ints1d, blocks
from .tokens import tokenized

MOST_PIECES = 2**16  # of one zone; some 20 MB
MOST_PUBLIC = 2**15  # pieces that are kept for ever; some 10 MB
# Tokens after which all public pieces are cut: as the square, since it pays where texts are long.
ALL_PUBLIC_AFTER = 3 * 2**18
PUBLIC_AT_ONCE = 256  # a few milliseconds
AT_ONCE = 2**12  # pieces that are cut together, with a token between two of them
_PIECES = re.compile(r"\S+ ?|\s+")
_BETWEEN = "\n"
_LONG = 257  # characters: from here on a piece may take long to be cut


@dataclass(frozen=True, eq=False, repr=False)
class Cut:
    """The t tokens of a text. words: object (t,). spaces: bool (t,), whether a blank follows. mask:
    bool (t,), those that are selected. ids: uint64 (t, 3), as the space is asked by them."""

    words: NDArray[np.object_]
    spaces: Bools1d
    mask: Bools1d
    ids: Ids1d

    def __len__(self) -> int:
        return len(self.words)

    @classmethod
    def of(cls, doc: Doc, mask: Bools1d) -> Cut:
        """The tokens of a Doc."""
        told: Any = doc.to_array([ORTH, NORM, LOWER, SPACY])
        told = told.reshape(len(doc), 4)
        strings, words = doc.vocab.strings, np.empty(len(doc), dtype=object)
        words[:] = [strings[orth] for orth in told[:, 0].tolist()]
        return cls(words, told[:, 3].astype(bool), mask, told[:, :3])

    @classmethod
    def joined(cls, cuts: Sequence[Cut]) -> Cut:
        """The tokens of texts, of one at least, one after another."""
        parts = zip(*((cut.words, cut.spaces, cut.mask, cut.ids) for cut in cuts), strict=True)
        return cls(*map(np.concatenate, parts))

    def at(self, places: Ints1d | Bools1d | slice) -> Cut:
        """The tokens at some places."""
        return Cut(self.words[places], self.spaces[places], self.mask[places], self.ids[places])


class Cutter:
    """Cuts texts by the tokenizer of a pipeline. Use it in memory zones, and call `forget` before
    each of them ends.

    select: bool (tokens,) for a Doc, by its words alone. public: words that anybody knows, the most
    frequent first.
    """

    def __init__(
        self, nlp: Language, select: Callable[[Doc], Bools1d], public: Sequence[str] = ()
    ) -> None:
        self.nlp = nlp
        self.select = select
        self._public = islice(pieces_of(public), MOST_PUBLIC)
        self._seams = Seams(nlp.tokenizer)
        self._table = _Table()
        self._kept = 0  # the first pieces of the table are public
        self._tokens = self._asked = 0

    def cut(self, texts: Sequence[str]) -> list[Cut]:
        """The tokens of each text. Raises ValueError for one that is longer than nlp.max_length."""
        if any(len(text) > self.nlp.max_length for text in texts):
            raise ValueError("a text is too long")
        if len(self._table) > MOST_PIECES + self._kept:
            self.forget()
        pieces = [_PIECES.findall(text) for text in texts]
        self._learn(set(chain.from_iterable(pieces)))
        return self._put_together(texts, pieces)

    def warm_up(self) -> None:
        """Cut the public pieces that are due by the length of the texts so far. Call it before
        anything else of a zone."""
        due = MOST_PUBLIC * self._tokens**2 // ALL_PUBLIC_AFTER**2 - self._asked
        if due >= PUBLIC_AT_ONCE and self._asked < MOST_PUBLIC:
            self.know(due)

    def know(self, count: int) -> None:
        """Cut the next public pieces, so many of them. As warm_up, before all else of a zone."""
        self._learn(set(islice(self._public, count)))
        self._kept, self._asked = len(self._table), self._asked + count

    def forget(self) -> None:
        """Everything but public words: a memory zone ends."""
        self._table.shorten(self._kept)

    def _learn(self, pieces: set[str]) -> None:
        new = pieces - self._table.numbers.keys()
        alone = {p for p in new if len(p) >= _LONG or p.isspace() or not self._seams.apart}
        together = list(new - alone)
        for some in blocks(len(together), AT_ONCE):
            self._add(together[some], self.nlp.tokenizer(_BETWEEN.join(together[some])))
        for piece in alone:
            self._add([piece], tokenized(self.nlp, piece))

    def _add(self, pieces: list[str], doc: Doc) -> None:
        """doc: their tokens, and one of _BETWEEN between two of them."""
        cut = Cut.of(doc, self.select(doc))
        between = (cut.words == _BETWEEN) if len(pieces) > 1 else np.zeros(len(doc), dtype=bool)
        sizes = np.bincount(np.cumsum(between)[~between], minlength=len(pieces))
        self._table.add(pieces, sizes, cut.at(~between), self._seams)

    def _put_together(self, texts: Sequence[str], pieces: list[list[str]]) -> list[Cut]:
        table = self._table
        counts = np.array([len(some) for some in pieces], dtype=np.int64)
        every = map(table.numbers.__getitem__, chain.from_iterable(pieces))
        numbers = np.fromiter(every, np.int64, counts.sum())
        tokens = table.tokens.at(table.places_of(numbers))
        self._tokens += len(tokens)
        before = np.concatenate([[0], np.cumsum(table.sizes[numbers])])
        ends = before[np.cumsum(counts)].tolist()
        parts = zip([0, *ends], ends, strict=False)
        cuts = [tokens.at(slice(start, end)) for start, end in parts]
        for which in self._cut_whole(numbers, counts):
            doc = tokenized(self.nlp, texts[which])
            cuts[which] = Cut.of(doc, self.select(doc))
        return cuts

    def _cut_whole(self, numbers: Ints1d, counts: Ints1d) -> set[int]:
        """The texts in which the ends of two pieces may be one special case, or a piece is long."""
        table = self._table
        near = table.may_begin[numbers[:-1]] & table.may_end[numbers[1:]]
        of_text = np.repeat(np.arange(len(counts)), counts)
        near &= of_text[:-1] == of_text[1:]
        places = np.flatnonzero(near) + 1
        sides = table.last[numbers[places - 1]], table.first[numbers[places]]
        places = places[self._seams.may_cross(*sides)]
        ends = np.cumsum(counts)
        edges = (ends - counts)[of_text[places]], ends[of_text[places]]
        tokens = table.beside(numbers[places - 1], numbers[places])
        seams = zip(places.tolist(), *(e.tolist() for e in edges), *tokens, strict=True)
        crossed = [self._is_seam(numbers, *seam) for seam in seams]
        return set(of_text[table.long[numbers]].tolist()) | set(of_text[places[crossed]].tolist())

    def _is_seam(
        self, numbers: Ints1d, place: int, start: int, end: int, last: str, first: str
    ) -> bool:
        """place: of the piece after the seam, which is between these two tokens; its text goes from
        start to end."""
        if not self._seams.may_join(last, first):
            return False
        most, text_of = self._seams.most, self._table.text_of
        left = text_of(numbers[max(start, place - most) : place])
        return self._seams.crossed(left, text_of(numbers[place : min(end, place + most)]))


class Seams:
    """The special cases of a tokenizer that it looks for after it has cut: they may be of several
    tokens, which might stand in two pieces. most: characters of the longest. parts: of one.
    begin: those with more to their right; end: with more to their left. made: the tokens that come
    of them, which were others when they were looked for. apart: whether none reaches over
    _BETWEEN."""

    def __init__(self, tokenizer: Any) -> None:
        rules = [rule for rule in tokenizer.rules if _is_sought(tokenizer, rule)]
        spans = [(rule, i, j) for rule in rules for j in range(1, len(rule) + 1) for i in range(j)]
        self.rules, self.most = set(rules), max(map(len, rules), default=0)
        self.parts = {rule[i:j] for rule, i, j in spans}
        self._halves: dict[str, list[tuple[str, str]]] = {}
        for part, i in [(rule, i) for rule in rules for i in range(1, len(rule))]:
            self._halves.setdefault(part[i - 1 : i + 1], []).append((part[:i], part[i:]))
        sides = (np.array([ord(p[i]) for p in self._halves], dtype=np.int64) for i in (0, 1))
        self._pairs = _codes(*sides)
        specs = [spec for rule in rules for spec in tokenizer.rules[rule]]
        self.made = {text for spec in specs for text in spec.values() if isinstance(text, str)}
        self.begin = {rule[i:j] for rule, i, j in spans if j < len(rule)}
        self.end = {rule[i:j] for rule, i, j in spans if i}
        self.apart = all(_BETWEEN not in rule or rule.isspace() for rule in tokenizer.rules)

    def may_begin(self, last: str) -> bool:
        """Whether one may begin with this token, or in it, and go on in the next piece."""
        return last in self.begin or last in self.made

    def may_end(self, first: str) -> bool:
        """Whether one may come from the piece before, and end with this token or in it."""
        return first in self.end or first in self.made

    def may_cross(self, last: Ints1d, first: Ints1d) -> Bools1d:
        """bool (k,): whether two characters, by their code points, stand side by side in one."""
        found: Bools1d = np.isin(_codes(last, first), self._pairs)
        return found

    def may_join(self, last: str, first: str) -> bool:
        """Whether one may have a part of the text up to the end of one token, and of what follows
        from the beginning of the next one on."""
        if not {last, first} & self.made:
            return last + first in self.parts
        return any(
            (last.endswith(left) or left.endswith(last))
            and (first.startswith(right) or right.startswith(first))
            for left, right in self._halves.get(last[-1] + first[0], ())
        )

    def crossed(self, left: str, right: str) -> bool:
        """Whether one of them begins in one text, without its blanks, and ends in the other."""
        sizes = range(1, self.most)
        ends = [left[-size:] for size in sizes if size <= len(left)]
        return any(end + right[:size] in self.rules for end in ends for size in sizes)


def _codes(left: Ints1d, right: Ints1d) -> Ints1d:
    """(k,): two code points as one number."""
    codes: Ints1d = (left << 32) | right
    return codes


def _is_sought(tokenizer: Any, rule: str) -> bool:
    found = (tokenizer.find_prefix, tokenizer.find_infix, tokenizer.find_suffix)
    return not tokenizer.faster_heuristics or " " in rule or any(find(rule) for find in found)


class _Column:
    """An array that grows at its end, and forgets what is taken off there."""

    def __init__(self, kind: Any, *width: int) -> None:
        self._data = np.zeros((1024, *width), dtype=kind)
        self.size = 0

    @property
    def values(self) -> Any:
        return self._data[: self.size]

    def add(self, values: Any) -> None:
        """More of them, after all others."""
        end = self.size + len(values)
        if end > len(self._data):
            grown = np.zeros((2 * end, *self._data.shape[1:]), dtype=self._data.dtype)
            grown[: self.size] = self.values
            self._data = grown
        self._data[self.size : end] = values
        self.size = end

    def shorten(self, size: int) -> None:
        """Only the first ones stay."""
        self._data[size : self.size] = 0
        self.size = size


class _Table:
    """Pieces by their numbers, and the tokens of all of them one after another.

    firsts, sizes: int64 (pieces,), where the tokens of a piece begin and how many there are.
    may_begin: bool (pieces,), whether a special case may begin with its last token and go on; and
    may_end: whether one may end with its first. long: bool (pieces,), those that are not cut alone.
    last, first: int64 (pieces,), the code points of the last character and of the first.
    """

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self._pieces = tuple(
            _Column(kind) for kind in (np.int64, np.int64, bool, bool, bool, np.int64, np.int64)
        )
        self._tokens = tuple(
            _Column(*kind) for kind in ((object,), (bool,), (bool,), (np.uint64, 3))
        )
        self._look()

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def tokens(self) -> Cut:
        return Cut(*(column.values for column in self._tokens))

    def add(self, pieces: list[str], sizes: Ints1d, tokens: Cut, seams: Seams) -> None:
        """Pieces that are not there, with their tokens, so many of each."""
        firsts = np.cumsum(sizes) - sizes
        lasts = tokens.words[firsts + sizes - 1].tolist()
        heads = tokens.words[firsts].tolist()
        begin, end = map(seams.may_begin, lasts), map(seams.may_end, heads)
        long = [len(piece) >= _LONG for piece in pieces]
        sides = [ord(word[-1]) for word in lasts], [ord(word[0]) for word in heads]
        self.numbers.update(zip(pieces, range(len(self), len(self) + len(pieces)), strict=True))
        told = (firsts + self._tokens[0].size, sizes, list(begin), list(end), long, *sides)
        for column, values in zip(self._pieces, told, strict=True):
            column.add(values)
        more = (tokens.words, tokens.spaces, tokens.mask, tokens.ids)
        for column, values in zip(self._tokens, more, strict=True):
            column.add(values)
        self._look()

    def shorten(self, count: int) -> None:
        """Only the first pieces stay."""
        while len(self.numbers) > count:
            self.numbers.popitem()  # the last one
        tokens = int(self.sizes[:count].sum())
        for columns, size in ((self._pieces, count), (self._tokens, tokens)):
            for column in columns:
                column.shorten(size)
        self._look()

    def _look(self) -> None:
        found: Any = [column.values for column in self._pieces]
        self.firsts, self.sizes, self.may_begin, self.may_end, self.long = found[:5]
        self.last, self.first = found[5:]

    def places_of(self, numbers: Ints1d) -> Ints1d:
        """The places of the tokens of some pieces, one after another."""
        firsts, sizes = self.firsts[numbers], self.sizes[numbers]
        skipped = firsts - (np.cumsum(sizes) - sizes)
        places: Ints1d = np.repeat(skipped, sizes) + np.arange(sizes.sum())
        return places

    def beside(self, left: Ints1d, right: Ints1d) -> tuple[list[str], list[str]]:
        """The last token of each of some pieces, and the first of those that come next."""
        words = self.tokens.words
        lasts = words[self.firsts[left] + self.sizes[left] - 1]
        return lasts.tolist(), words[self.firsts[right]].tolist()

    def text_of(self, numbers: Ints1d) -> str:
        """The tokens of some pieces, without a blank between them."""
        return "".join(self.tokens.words[self.places_of(numbers)].tolist())


def pieces_of(public: Sequence[str]) -> Iterator[str]:
    """Words as they stand in a sentence; the frequent ones also before a comma, at its end and at
    its beginning."""
    for i in range(0, len(public), 2):
        yield from (f"{word} " for word in public[i : i + 2])
        word = public[i // 2]
        yield from (f"{word}, ", f"{word}. ", f"{word[:1].upper()}{word[1:]} ")
