"""The dates of one document on one line of days, and the line written again at another place.

`Timeline.move(days, hours)` is a function of the shift alone, so a test can write down what comes
out for every shift. It depends on a day by the sum of its number and the shift, and on nothing else
that differs between documents whose dates are so many days apart: the rest is the layout, and how
far the dates are from each other. Between two days that is in days. A week, month, ... or decade is
so many weeks, months, ... from the day that it goes with: the last one before it in the text, or
else the first one after it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

from .base import Mention
from .date_forms import (
    CENTURY,
    COMMON,
    DECADE,
    GREGORIAN,
    MONTH,
    NINETY,
    TOP_AGE,
    Beside,
    Calendar,
    Constant,
    Day,
    Days,
    Loose,
    NoDate,
    OtherOrder,
    Period,
    Piece,
    read,
)

HIDDEN = "[DATE]"
# Ninety years have so many days or more: one or two of them may lack a leap day. A period is taken
# to be one of its lengths longer ago than it may be, and a day two days.
TOP_DAYS = 32_871 + 2
_HUNDRED_YEARS = 36_525
_BIRTH = re.compile(
    r"(?:\bborn|\bbirth|\bd\.?o\.?b|\bbirth-?da(?:te|y)|\bb)\b[\s:.#=(]*"
    r"(?:(?:on|in|is|was|the|of|date|about|around|circa|year)\b[\s:]*){0,3}\Z"
)
_AGED = re.compile(
    r"(?:\bage[ds]?(?:\s+of)?|\bturn(?:s|ed|ing)?|\b(?:he|she|i|who|patient)\s?(?:is|was|am|['’][sm]))"
    r"[\s:]*\Z"
)
_AGE = re.compile(rf"(\d{{1,3}}|{NINETY})((?:[-\s]years?)?)", re.I | re.ASCII)
_TOKEN = re.compile(r"\w[\w.'’-]*|\S")

Anchor = tuple[Calendar, int]


@dataclass(frozen=True)
class _Dated:
    """A piece that names its year. since: its day, or one about the middle of it; last: that of its
    end. Both are so many days from the day that it goes with. length: how long it may be."""

    piece: Days | Period
    calendar: Calendar
    since: float
    last: float
    length: float
    is_birth: bool

    @property
    def line(self) -> tuple[Calendar, bool]:
        """Days between two dates of the same one can be counted."""
        return self.calendar, self.is_whole

    @property
    def is_whole(self) -> bool:
        """Whether all digits of its year are seen."""
        own = self.piece.points[-1] if isinstance(self.piece, Days) else self.piece
        return own.calendar is GREGORIAN


class Timeline:
    """What a document says of time.

    Args:
        mentions: In the order of the text.
        order: "mdy" or "dmy", how 03/04/2019 is read. Where a document has a date that only the
            other order could read, none of its dates of that form is read.
    """

    def __init__(self, mentions: Sequence[Mention], order: str) -> None:
        self._mentions = mentions
        found = [_read(mention, order) for mention in mentions]
        if None in found:
            found = [_read(mention, "") for mention in mentions]
        # A mention without pieces is one that cannot be moved.
        self._pieces = [pieces or [] for pieces in found]
        self._anchors: dict[int, Anchor] = {}
        self._place_days()
        self._anchor_periods()
        self._old = dict(self._find_old())

    def move(self, days: int, hours: int) -> list[str | None]:
        """Write each mention again; [DATE] where it cannot be moved, None where nothing moves."""
        texts: list[str | None] = []
        for mention, pieces in zip(self._mentions, self._pieces, strict=True):
            try:
                text = "".join(self._moved(piece, days, hours) for piece in pieces) or HIDDEN
            except NoDate:
                text = HIDDEN
            stays = bool(pieces) and all(isinstance(piece, str | Constant) for piece in pieces)
            texts.append(None if stays and text == mention.text else text)
        return texts

    def _moved(self, piece: Piece, days: int, hours: int) -> str:
        if isinstance(piece, str):
            return piece
        if isinstance(piece, Constant):
            return piece.text
        if isinstance(piece, Loose):
            return piece.write(days, hours)
        if id(piece) in self._old:
            return self._old[id(piece)](days)
        if isinstance(piece, Period):
            return piece.write(self._moved_index(piece, days))
        points = piece.points
        if points[0].month is None and id(piece) not in self._anchors:
            return piece.write([(0, 1, (points[0].day - 1 + days) % 31 + 1)])
        return piece.write([point.calendar.date(point.number + days) for point in points])

    def _moved_index(self, piece: Period, days: int) -> int:
        calendar, number = self._anchors[id(piece)]
        unit = piece.unit
        return piece.index + unit.of(calendar, number + days) - unit.of(calendar, number)

    def _all(self) -> list[Piece]:
        return [piece for pieces in self._pieces for piece in pieces]

    # -- where each date is on the line -----------------------------------------------------------

    def _place_days(self) -> None:
        """First the days with a year, then those without one beside them, then days of a month that
        is not named. A mention with a day that there is not loses its pieces."""
        self._place(lambda piece: any(p.year is not None for p in piece.points), [])
        full = self._placed()
        self._place(lambda piece: piece.points[0].month is not None, full)
        self._place(lambda piece: True, self._placed() or self._finest_period())

    def _place(self, chosen: Callable[[Days], bool], near: list[tuple[int, Anchor]]) -> None:
        at = -1
        for i, pieces in enumerate(self._pieces):
            for piece in pieces:
                at += 1
                if isinstance(piece, Days) and id(piece) not in self._anchors and chosen(piece):
                    anchor = _nearest(at, near)
                    try:
                        if anchor or piece.points[0].month is not None:
                            self._anchors[id(piece)] = _placed(piece.points, anchor)
                    except NoDate:
                        self._pieces[i] = [Constant(HIDDEN), *[""] * (len(pieces) - 1)]

    def _placed(self) -> list[tuple[int, Anchor]]:
        """(place in the text, where it is) of the days that were placed so far."""
        return [
            (at, self._anchors[id(piece)])
            for at, piece in enumerate(self._all())
            if isinstance(piece, Days) and id(piece) in self._anchors
        ]

    def _finest_period(self) -> list[tuple[int, Anchor]]:
        """Its middle, where a document names no day."""
        periods = [(at, p) for at, p in enumerate(self._all()) if isinstance(p, Period)]
        if not periods:
            return []
        at, finest = min(periods, key=lambda one: one[1].unit.length)
        return [(at, (finest.calendar, _middle(finest, finest.calendar)))]

    def _anchor_periods(self) -> None:
        days = self._placed() or self._finest_period()
        for at, piece in enumerate(self._all()):
            if isinstance(piece, Period):
                anchor = _nearest(at, days)
                if anchor is not None:
                    self._anchors[id(piece)] = anchor

    # -- dates that imply an age over 89 ----------------------------------------------------------

    def _find_old(self) -> Iterable[tuple[int, Callable[[int], str]]]:
        """What takes the place of each date 90 years or more before the last one of the document,
        and of a date of birth that is so long ago."""
        dated = list(self._dated())
        latest: dict[tuple[Calendar, bool], _Dated] = {}
        for one in dated:
            if one.last >= latest.setdefault(one.line, one).last:
                latest[one.line] = one
        others = [one for one in dated if not one.is_birth]
        for one in dated:
            last = latest[one.line]
            if isinstance(one.piece, Period) and one.piece.unit is DECADE and not one.is_birth:
                continue
            if one.is_whole and last.last - one.since + max(one.length, last.length) >= TOP_DAYS:
                yield id(one.piece), partial(self._before, last)
            elif one.is_birth and _is_long_ago(one, others):
                today = f"{date.today().year - TOP_AGE} or earlier"
                shown = HIDDEN if others or not one.is_whole else today
                yield id(one.piece), partial(_always, shown)

    def _dated(self) -> Iterable[_Dated]:
        for mention, pieces in zip(self._mentions, self._pieces, strict=True):
            is_birth = mention.label.upper() == "DOB" or bool(_BIRTH.search(_lead(mention)))
            for piece in pieces:
                if isinstance(piece, Days) and any(p.year is not None for p in piece.points):
                    first, last = piece.points[0], piece.points[-1]
                    yield _Dated(piece, first.calendar, first.number, last.number, 2, is_birth)
                elif isinstance(piece, Period) and piece.calendar is not COMMON:
                    try:
                        since = self._about(piece)
                    except NoDate:
                        continue  # it becomes [DATE]
                    calendar = self._anchors[id(piece)][0]
                    yield _Dated(piece, calendar, since, since, piece.unit.length, is_birth)

    def _about(self, piece: Period) -> float:
        calendar, number = self._anchors[id(piece)]
        return number + piece.unit.length * (piece.index - piece.unit.of(calendar, number))

    def _before(self, latest: _Dated, days: int) -> str:
        """The year that somebody of 90 was born in, or an earlier one."""
        if isinstance(latest.piece, Days):
            point = latest.piece.points[-1]
            year = point.calendar.date(point.number + days)[0]
        else:
            year = latest.piece.unit.middle(self._moved_index(latest.piece, days))[0]
        return f"{year - TOP_AGE} or earlier"


def _read(mention: Mention, order: str) -> list[Piece] | None:
    """In pieces; none where it cannot be read, None where it could be in the other order."""
    lead = _lead(mention)
    age = _AGE.fullmatch(mention.text)
    if age and (mention.label.upper() == "AGE" or _AGED.search(lead)):
        number, unit = age.groups()
        if number.isdigit():
            return [Constant(str(min(int(number), TOP_AGE)) + unit)]
        return [Constant("ninety" + unit)]
    try:
        return read(mention.text, Beside(order, tuple(_TOKEN.findall(lead))))
    except OtherOrder:
        return None if order else []
    except NoDate:
        return []


def _always(text: str, days: int) -> str:
    return text


def _lead(mention: Mention) -> str:
    """What stands before it, in small letters."""
    return (mention.lead or mention.before).lower()


def _nearest(at: int, placed: list[tuple[int, Anchor]]) -> Anchor | None:
    """The last one before a place in the text, or the first one after it."""
    before = bisect_left(placed, at, key=lambda one: one[0])
    return placed[max(before - 1, 0)][1] if placed else None


def _placed(points: list[Day], near: Anchor | None) -> Anchor:
    """Number the days of a piece. Without a year a day is the nearest one to another; the end of a
    range comes after its beginning. Raises NoDate."""
    first, last = points[0], points[-1]
    for point in points:
        if point.year is not None:
            point.number = point.calendar.number(point.year, point.month or 1, point.day)
    if first.year is None and last.year is None:
        if near is None:
            first.number = COMMON.number(COMMON.first, first.month or 1, first.day)
        else:
            _set(first, near, lambda number: abs(number - near[1]))
    elif first.year is None:
        _set(first, (last.calendar, last.number), lambda number: (last.number - number) % 10**7)
    if last.year is None and last is not first:
        _set(last, (first.calendar, first.number), lambda number: (number - first.number) % 10**7)
    return first.calendar, first.number


def _set(day: Day, near: Anchor, far: Callable[[int], int]) -> None:
    """Number a day that may be of any year (or month) as the one that is the least far."""
    calendar, number = near
    year, month, _ = calendar.date(number)
    if day.month is None:
        months = [MONTH.middle(MONTH.index(year, month) + i) for i in range(-2, 3)]
    else:
        months = [(year + i, day.month) for i in range(-8, 9)]
    numbers = [n for y, m in months if (n := _number(calendar, y, m, day.day)) is not None]
    if not numbers:
        raise NoDate
    day.calendar, day.number = calendar, min(numbers, key=lambda n: (far(n), n))


def _number(calendar: Calendar, year: int, month: int, day: int) -> int | None:
    try:
        return calendar.number(year, month, day)
    except NoDate:
        return None


def _middle(piece: Period, calendar: Calendar) -> int:
    """A day in it."""
    if piece.unit.length == 7:
        return 7 * piece.index - 2  # Thursday
    return calendar.number(*piece.unit.middle(piece.index), 15 if piece.unit is MONTH else 2)


def _is_long_ago(birth: _Dated, others: list[_Dated]) -> bool:
    """Whether a birth is 90 years before another date, one of which shows two digits of its year;
    or before today, where the document has no other date."""
    if not others and birth.is_whole:
        today = (date.today() - date(2000, 1, 1)).days
        return today - birth.since + birth.length >= TOP_DAYS
    days = [
        _of_century(other) for other in others if not (birth.is_whole and other.line == birth.line)
    ]
    if not others:
        now = date.today()
        days = [CENTURY.number(2000 + now.year % 100, now.month, min(now.day, 28))]
    born = _of_century(birth)
    return any((day - born) % _HUNDRED_YEARS + birth.length >= TOP_DAYS for day in days)


def _of_century(one: _Dated) -> int:
    """Its day among those of two digits of the year."""
    if isinstance(one.piece, Period):
        year, month = one.piece.unit.middle(one.piece.index)
        return CENTURY.number(2000 + year % 100, month, 2)
    point = one.piece.points[-1]
    year, month, day = point.calendar.date(point.number)
    return CENTURY.number(2000 + year % 100, month, day)
