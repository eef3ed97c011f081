"""Days with full stops in a diary or a log of work: Mon 3.6., by 14.6.

Two numbers with a full stop between them are mostly a decimal, a time of day or a section. They are
a day beside a weekday where they have a full stop behind each (Mon 3.6.) and head a line or end no
sentence, or where at least three lines begin with such numbers. Where a document has one, those
behind a word as "by" are days, too: one that stayed would show the shift. What stands beside the
numbers decides; their values only say whether they may be days of a month, and follow each other
from line to line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .tables import FOLLOWING, expanded

MAX_DAY, MAX_MONTH = 31, 12
LAST_HOUR, MIN_MINUTES = 23, 10  # of a time of day, whose minutes have two digits
MIN_LINES = 3  # that begin with days, if these have no weekday or no full stop behind the month
MAX_LEAD = 24  # characters before a day that say what it is
_NUMBERS = re.compile(r"(?<![\w.,:/$€£#+*=<>§%])(\d{1,2})\.(\d{1,2})(\.?)(?![\w%°]|[.,:/]\d)", re.A)
_ORDINAL = re.compile(r"(?<![\w/.-])(\d{1,2})(?:st|nd|rd|th)(?=[:.,] ?| ?[–—-])", re.A)
_WEEKDAY = expanded("WEEKDAY")
_LINE = re.compile(r"(?:\A|\n)[ \t>*#|•–—-]{0,9}\Z")
_BEHIND_WEEKDAY = re.compile(rf"(?<!\w)({_WEEKDAY})\.?,?[ \t]{{1,3}}(?:the )?\Z")
_BEFORE_WEEKDAY = re.compile(rf",?[ \t]{{1,3}}\(?({_WEEKDAY})(?!\w)")
_CUED = re.compile(r"\b(?:on|by|until|till|before|after|since|from|due|booked|ordered|back) ?\Z")
_OF_WEEK = re.compile(
    r"\b(?:[Ww]/[ceCE]|[Ww]eek (?:beginning|commencing|ending|of)):? ?(?:the )?\Z"
)
_JOINT = re.compile(r"\s?(?:[-–—/,&]|to|and|or|until|till)\s?(?:the )?")
_WITHIN = re.compile(r"[ \t]+[a-zß-ÿ(&+–—-]|[,;:)–—-]")
_GOES_ON = re.compile(rf"{_WITHIN.pattern}|[ \t]*(?:\n|\Z)")
_MEASURED = re.compile(rf"[ \t]?(?:(?:{expanded('MEASURED')}|{expanded('COUNTED')})(?!\w)|[x×/])")
_UNIT = re.compile(rf" ?(?:{'|'.join(map(re.escape, FOLLOWING['UNIT']))})(?!\w)")


@dataclass(frozen=True)
class _Day:
    """Two numbers that may be a day and its month, in characters.

    start, end: with the weekday beside them. weekday: its first letters in small letters, or "".
    is_head: whether they begin a line. closes: whether a full stop stands behind both.
    """

    start: int
    end: int
    day: int
    month: int
    weekday: str
    is_head: bool
    closes: bool

    @property
    def exists(self) -> bool:
        """Whether the month has as many days."""
        return 1 <= self.month <= MAX_MONTH and 1 <= self.day <= MAX_DAY


def pointed_days(text: str, lower: str) -> Iterator[tuple[int, int]]:
    """Yield the days of a diary with full stops, each with the weekday beside it, in characters.

    Args:
        text: The text.
        lower: The text in small letters.
    """
    found = [_read(lower, match) for match in _NUMBERS.finditer(lower)] if "." in lower else []
    sure = {day.start for day in _days_of_lines([day for day in found if day.is_head])}
    sure |= {day.start for day in found if _is_within_sentence(text, day)}
    if not sure:
        return
    reached = -1  # where the last day ends
    for day in found:
        is_next = reached >= 0 and _JOINT.fullmatch(lower, reached, day.start) is not None
        if day.start in sure or (day.exists and _is_day(text, lower, day, is_next=is_next)):
            reached = day.end
            yield day.start, day.end


def ordinals_of_lines(lower: str) -> Iterator[tuple[int, int]]:
    """Yield the days of a diary that are orders, in characters: at least three lines that begin
    with later and later days (3rd: rain), and not with the first, as a list of winners does.

    lower: The text in small letters.
    """
    found = [
        (int(match[1]), match.span())
        for match in _ORDINAL.finditer(lower)
        if _LINE.search(lower[max(match.start() - MAX_LEAD, 0) : match.start()])
    ]
    days = [day for day, _ in found]
    is_diary = len(days) >= MIN_LINES and min(days) > 1 and max(days) <= MAX_DAY
    if is_diary and all(a < b for a, b in pairwise(days)):
        yield from (span for _, span in found)


def _read(lower: str, match: re.Match[str]) -> _Day:
    start, end = match.span()
    low = max(start - MAX_LEAD, 0)
    weekday = _BEHIND_WEEKDAY.search(lower[low:start])
    if weekday is not None:
        start = low + weekday.start()
    elif match[3] and (weekday := _BEFORE_WEEKDAY.match(lower, end)) is not None:
        end = weekday.end(1)
    is_head = _LINE.search(lower[max(start - MAX_LEAD, 0) : start]) is not None
    is_head = is_head and not (match[3] == "" and _UNIT.match(lower, end))
    named = weekday[1][:3] if weekday else ""
    return _Day(start, end, int(match[1]), int(match[2]), named, is_head, bool(match[3]))


def _is_within_sentence(text: str, day: _Day) -> bool:
    """Return whether a full stop behind a month, which is no minute, ends no sentence, beside a
    weekday (on Tue 4.6. we met), or whether a day begins or ends its week: w/c 3.6."""
    if not (day.closes and day.exists and _is_no_clock(day)):
        return False
    is_of_week = _OF_WEEK.search(text, max(day.start - MAX_LEAD, 0), day.start) is not None
    return is_of_week or (bool(day.weekday) and _WITHIN.match(text, day.end) is not None)


def _is_no_clock(day: _Day) -> bool:
    return day.month < MIN_MINUTES or day.day > LAST_HOUR


def _days_of_lines(heads: Sequence[_Day]) -> Sequence[_Day]:
    """Return the days that begin lines: beside a weekday, or at least three with a full stop."""
    named = [day for day in heads if day.weekday]
    closed = [day for day in named if day.closes]
    if named and all(day.exists for day in named) and _are_in_order(named):
        pairs = [*pairwise(named)]
        is_long = len(named) >= MIN_LINES or all(map(_is_no_clock, named))
        is_list = is_long and all(_is_on_its_day(*pair) for pair in pairs)
        is_list &= any(one.month == other.month for one, other in pairs)
        if closed or is_list:
            return named if is_list else closed
        return ()
    bare = [day for day in heads if day.closes and not day.weekday]
    is_diary = len(bare) >= MIN_LINES and all(day.exists for day in bare) and _are_in_order(bare)
    return bare if is_diary and not _are_sections(bare) else ()


def _are_in_order(days: Sequence[_Day]) -> bool:
    """Return whether no day is before the one above it, unless a year begins, or none behind it."""
    dates = [(day.month, day.day) for day in days]
    is_up = all(a <= b or a[0] - b[0] == MAX_MONTH - 1 for a, b in pairwise(dates))
    return is_up or all(a >= b for a, b in pairwise(dates))


def _is_on_its_day(one: _Day, other: _Day) -> bool:
    """Return whether the weekdays of two days are as far apart as these, if of one month."""
    names = "mon tue wed thu fri sat sun".split()
    apart = names.index(other.weekday) - names.index(one.weekday)
    return one.month != other.month or (other.day - one.day - apart) % 7 == 0


def _are_sections(days: Sequence[_Day]) -> bool:
    """Return whether all days may be numbers of sections, each behind the one above it: 4.1., 4.2.,
    5.1."""
    return all(
        (b.day == a.day and b.month > a.month) or (b.day > a.day and b.month == 1)
        for a, b in pairwise(days)
    )


def _is_day(text: str, lower: str, day: _Day, *, is_next: bool) -> bool:
    """Return whether numbers that begin no line are a day, in a document that has such days: beside
    a weekday, behind a word as "by", or behind another one."""
    if _MEASURED.match(lower, day.end):
        return False
    if day.weekday:
        return day.closes or _is_no_clock(day)
    if not day.closes:
        return False
    is_cued = _CUED.search(lower[max(day.start - MAX_LEAD, 0) : day.start]) is not None
    return is_cued or (is_next and _GOES_ON.match(text, day.end) is not None)
