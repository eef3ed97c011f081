"""A release cut into passages to be written anew, and what of each has to stay."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

FIGURES = re.compile(r"\d+")
_STAYS = re.compile(r"\d(?:[\d.,:/-]*\d)?|\[[A-Z][A-Z _]*\]")  # numbers, and [REDACTED]
_LINES = re.compile(r"\s*\n\s*")
_SENTENCES = re.compile(r"(?<=[.!?])\s+")
_BLANKS = re.compile(r"\s+")
_WORDS = re.compile(r"\w+")
FEWEST = 4  # words: what has less is no sentence, and stays


@dataclass(frozen=True)
class Released:
    """A text that was released. fixed: where in it stands what has to stay, such as stand-ins:
    (start, end) in characters, in their order."""

    text: str
    fixed: Sequence[tuple[int, int]] = ()

    @property
    def stays(self) -> list[tuple[int, int]]:
        """Those, with all numbers and [REDACTED]."""
        found = sorted([*self.fixed, *(match.span() for match in _STAYS.finditer(self.text))])
        joined: list[tuple[int, int]] = []
        for start, end in found:
            if joined and start < joined[-1][1]:
                joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
            else:
                joined.append((start, end))
        return joined


@dataclass(frozen=True)
class Passage:
    """A part of a text, from start to end. values: what of it stays, as it stands there."""

    start: int
    end: int
    text: str
    values: Sequence[str]

    @property
    def is_asked(self) -> bool:
        """Whether there is something to write anew."""
        return len(_WORDS.findall(self.text)) >= FEWEST

    def keeps(self, answer: str) -> bool:
        """Whether all that stays is in an answer, as often as here, and no other number."""
        for value in set(self.values):
            pattern = _pattern(value)
            if len(pattern.findall(answer)) < len(pattern.findall(self.text)):
                return False
        return not Counter(FIGURES.findall(answer)) - Counter(FIGURES.findall(self.text))


def _pattern(value: str) -> re.Pattern[str]:
    """The value, not as a part of a longer word or number; a sentence may begin with it."""
    first, rest = re.escape(value[0]), r"\s+".join(map(re.escape, value[1:].split(" ")))
    if value[0].islower():
        first = f"[{first}{re.escape(value[0].upper())}]"
    before, after = (r"\d" if one.isdigit() else r"\w" for one in (value[0], value[-1]))
    return re.compile(f"(?<!{before}){first}{rest}(?!{after})")


def passages(text: Released, fits: Callable[[str], bool]) -> list[Passage]:
    """The lines of a text; those that do not fit by sentences, as many together as do, and those of
    them that do not by words. What stays is never cut. Blanks round them belong to none."""
    stays = text.stays
    cuts = [cut for cut in _cuts(text.text, fits) if not _is_inside(cut, stays)]
    found = []
    for (_, start), (end, _) in pairwise([(0, 0), *cuts, (len(text.text), len(text.text))]):
        part = text.text[start:end]
        begin = start + len(part) - len(part.lstrip())
        stop = begin + len(part.strip())
        values = [text.text[a:b] for a, b in stays if begin <= a and b <= stop]
        found.append(Passage(begin, stop, text.text[begin:stop], values))
    return [one for one in found if one.text]


def _is_inside(cut: tuple[int, int], stays: Sequence[tuple[int, int]]) -> bool:
    return any(start < cut[1] and cut[0] < end for start, end in stays)


def _cuts(text: str, fits: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """The blanks between passages, (start, end), in their order."""
    for start, end, after in _parts(text, 0, len(text), _LINES):
        yield from _finer(text, start, end, fits, [_SENTENCES, _BLANKS])
        if after > end:
            yield end, after


def _finer(
    text: str, start: int, end: int, fits: Callable[[str], bool], by: Sequence[re.Pattern[str]]
) -> Iterator[tuple[int, int]]:
    if not by or fits(text[start:end]):
        return
    begin, last = start, None  # of the passage in the making; the blank before its last part
    for a, b, after in _parts(text, start, end, by[0]):
        if last is not None and not fits(text[begin:b]):
            yield last
            begin = a
        if not fits(text[a:b]):
            yield from _finer(text, a, b, fits, by[1:])
        last = (b, after)


def _parts(
    text: str, start: int, end: int, between: re.Pattern[str]
) -> Iterator[tuple[int, int, int]]:
    """What stands between blanks of a kind: where it starts and ends, and where the next starts."""
    for match in between.finditer(text, start, end):
        yield start, match.start(), match.end()
        start = match.end()
    yield start, end, end


def joined(text: str, parts: Sequence[tuple[Passage, str]]) -> str:
    """The text, with other words in the place of some of its passages."""
    found, place = "", 0
    for passage, new in parts:
        found += text[place : passage.start] + new
        place = passage.end
    return found + text[place:]
