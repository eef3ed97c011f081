"""Which word became which: the tokens of a text beside those of its sanitised version.

A sanitizer keeps the number of tokens, but a text that was written down and tokenised again may be
cut in other places. So tokens are matched between blanks, which are seldom touched, where that
works, and by their likeness where it does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

from spacy.tokens import Doc

NONE = -1


class Token(NamedTuple):
    """text; blank: what follows it, "" or " "; word: neither punctuation nor white space; norm: the
    form by which a space is asked where it lacks the text."""

    text: str
    blank: str
    word: bool
    norm: str = ""


@dataclass(frozen=True)
class Pair:
    """A document before and after. partners[i]: the token of `after` in the place of before[i], or
    NONE. label: its class, where it has one."""

    before: list[Token]
    after: list[Token]
    partners: list[int]
    label: str | None = None

    @property
    def texts(self) -> tuple[str, str]:
        """The text before, and after."""
        return text_of(self.before), text_of(self.after)

    @property
    def aligned(self) -> bool:
        """Whether each token has one partner."""
        return self.partners == list(range(len(self.after)))

    def words(self) -> Iterator[tuple[str, str]]:
        """Every word of the original, and what stands in its place ("" for nothing)."""
        for token, partner in zip(self.before, self.partners, strict=True):
            if token.word:
                yield token.text, "" if partner == NONE else self.after[partner].text

    def kept(self) -> tuple[int, int]:
        """How many words are as they were, and how many there are."""
        same = [is_same(old, new) for old, new in self.words()]
        return sum(same), len(same)

    def changes(self) -> tuple[list[bool], list[bool]]:
        """Whether each token of `before` was changed, and each of `after`."""
        old = [
            p == NONE or not is_same(token.text, self.after[p].text)
            for token, p in zip(self.before, self.partners, strict=True)
        ]
        unchanged = {p for p, changed in zip(self.partners, old, strict=True) if not changed}
        return old, [i not in unchanged for i in range(len(self.after))]


def is_same(old: str, new: str) -> bool:
    """Capitals do not count: a sanitizer sets them from the new sentence."""
    return old.lower() == new.lower()


def text_of(tokens: Sequence[Token]) -> str:
    """Tokens and their white space, joined."""
    return "".join(token.text + token.blank for token in tokens)


def tokens_of(doc: Doc) -> list[Token]:
    """The tokens of a Doc; a word is what is neither punctuation nor white space."""
    return [Token(t.text, t.whitespace_, not (t.is_punct or t.is_space), t.norm_) for t in doc]


def make_pair(
    before: Doc, after: Doc, *, tokens_are_given: bool = False, label: str | None = None
) -> Pair:
    """tokens_are_given: they come from the sanitizer, and were not cut anew."""
    old, new = tokens_of(before), tokens_of(after)
    if tokens_are_given and len(old) == len(new):
        return Pair(old, new, list(range(len(old))), label)
    return Pair(old, new, _partners(old, new), label)


def _partners(old: list[Token], new: list[Token]) -> list[int]:
    groups, others = _groups(old), _groups(new)
    if len(groups) != len(others):
        if len(old) == len(new):
            return list(range(len(old)))
        groups, others = [range(len(old))], [range(len(new))]
    partners = [NONE] * len(old)
    for mine, theirs in zip(groups, others, strict=True):
        for i, j in _matched(old, new, mine, theirs):
            partners[i] = j
    return partners


def _groups(tokens: list[Token]) -> list[range]:
    """The places of tokens that have no blank between them."""
    ends = [i + 1 for i, token in enumerate(tokens) if token.blank or token.text.isspace()]
    edges = list(dict.fromkeys([0, *ends, len(tokens)]))
    return [range(start, end) for start, end in pairwise(edges)]


def _matched(
    old: list[Token], new: list[Token], mine: range, theirs: range
) -> Iterator[tuple[int, int]]:
    if len(mine) == len(theirs):
        yield from zip(mine, theirs, strict=True)
        return
    matcher = SequenceMatcher(
        None, [old[i].text.lower() for i in mine], [new[j].text.lower() for j in theirs]
    )
    for _, start, end, other, stop in matcher.get_opcodes():
        yield from zip(mine[start:end], theirs[other:stop], strict=False)
