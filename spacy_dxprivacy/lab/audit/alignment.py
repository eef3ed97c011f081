"""Align a release of entity mode with its original: what stays, and what stands in its place.

The recognised mentions of the original match nothing. All other tokens are the same on both sides,
unless something was replaced that the audit does not recognise, or added.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import NamedTuple

TOKEN = re.compile(r"\w+|[^\w\s]")
MIN_RUN = 4  # equal tokens after which both sides are aligned again, or all to the next mention
MAX_GAP = 400  # tokens of both sides in a gap


class Span(NamedTuple):
    """A mention in an original, in characters."""

    label: str
    start: int
    end: int


class _Token(NamedTuple):
    text: str  # "" for a mention
    start: int
    end: int
    span: int = -1  # number of the mention


@dataclass
class Gap:
    """A place where both sides differ.

    old, new: its characters in the original and in the release. spans: numbers of the mentions.
    """

    old: tuple[int, int]
    new: tuple[int, int]
    spans: list[int] = field(default_factory=list)


@dataclass
class Alignment:
    """kept: characters of unchanged tokens in the release, in order. gaps: what is between."""

    kept: list[tuple[int, int]] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)

    def keeps(self, start: int, end: int) -> bool:
        """Return whether a place of the release has an unchanged token."""
        after = bisect_left(self.kept, (end, end))
        return after > 0 and self.kept[after - 1][1] > start

    def gap_at(self, start: int, end: int) -> Gap | None:
        """Return the gap that holds a place of the release."""
        after = bisect_left(self.gaps, end, key=lambda gap: gap.new[0])
        before = self.gaps[:after][-1:]
        return next((gap for gap in before if gap.new[1] > start), None)


def align(old: str, new: str, spans: Sequence[Span]) -> Alignment:
    """Align a text with its release. spans: the mentions of the original, in order."""
    a, b = _tokens(old, spans), _tokens(new, ())
    aligned, i, j = Alignment(), 0, 0
    while i < len(a) or j < len(b):
        if i < len(a) and j < len(b) and a[i].text == b[j].text:
            aligned.kept.append((b[j].start, b[j].end))
            i, j = i + 1, j + 1
            continue
        di, dj = _resync(a, b, i, j)
        _refine(aligned, a[i : i + di], b[j : j + dj])
        i, j = i + di, j + dj
    return aligned


def _refine(aligned: Alignment, a: Sequence[_Token], b: Sequence[_Token]) -> None:
    """Add a gap, or gaps and the equal tokens between them."""
    # No name is equal to the text of a mention, which is "".
    matcher = SequenceMatcher(None, [t.text for t in a], [t.text for t in b], autojunk=False)
    codes = matcher.get_opcodes() if len(a) + len(b) <= MAX_GAP else []
    for kind, i, k, j, m in codes or [("replace", 0, len(a), 0, len(b))]:
        if kind == "equal":
            aligned.kept += [(token.start, token.end) for token in b[j:m]]
            continue
        gap = Gap(_place(a, i, k - i), _place(b, j, m - j))
        gap.spans = [token.span for token in a[i:k] if token.span >= 0]
        aligned.gaps.append(gap)


def _tokens(text: str, spans: Sequence[Span]) -> list[_Token]:
    tokens, end = list[_Token](), 0
    for number, span in enumerate(spans):
        tokens += [_Token(m[0], *m.span()) for m in TOKEN.finditer(text, end, span.start)]
        tokens.append(_Token("", span.start, span.end, number))
        end = span.end
    return [*tokens, *(_Token(m[0], *m.span()) for m in TOKEN.finditer(text, end))]


def _place(tokens: Sequence[_Token], first: int, count: int) -> tuple[int, int]:
    """Return the characters of some tokens; an empty place for none."""
    if count:
        return tokens[first].start, tokens[first + count - 1].end
    at = tokens[first].start if first < len(tokens) else tokens[-1].end if tokens else 0
    return at, at


def _resync(a: Sequence[_Token], b: Sequence[_Token], i: int, j: int) -> tuple[int, int]:
    """Return the numbers of tokens to skip until both sides are equal again; all if never."""
    left, right = len(a) - i, len(b) - j
    for total in range(1, min(MAX_GAP, left + right) + 1):
        for di in range(max(0, total - right), min(total, left) + 1):
            if _is_equal(a, b, i + di, j + total - di):
                return di, total - di
    return left, right


def _is_equal(a: Sequence[_Token], b: Sequence[_Token], i: int, j: int) -> bool:
    if i == len(a) or j == len(b):
        return i == len(a) and j == len(b)
    run = 0
    while run < MIN_RUN and i + run < len(a) and a[i + run].text:
        if j + run >= len(b) or a[i + run].text != b[j + run].text:
            return False
        run += 1
    return run > 0
