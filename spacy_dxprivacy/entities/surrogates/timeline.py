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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

from ..tables import pattern
from .base import Mention
from .dates import (
    CENTURY,
    COMMON,
    DECADE,
    GREGORIAN,
    MONTH,
    TOP_AGE,
    Anchor,
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
_TOKEN = re.compile(r"\w[\w.'’-]*|\S")


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
        self._place_days()
        self._anchor_periods()
        self._replace_old()

    def move(self, days: int, hours: int) -> list[str | None]:
        """Write each mention again; [DATE] where it cannot be moved, None where nothing moves."""
        texts: list[str | None] = []
        for mention, pieces in zip(self._mentions, self._pieces, strict=True):
            try:
                text = "".join(_moved(piece, days, hours) for piece in pieces) or HIDDEN
            except NoDate:
                text = HIDDEN
            stays = bool(pieces) and all(isinstance(piece, str | Constant) for piece in pieces)
            texts.append(None if stays and text == mention.text else text)
        return texts

    # -- where each date is on the line --------------------------------------------------------

    def _numbered(self) -> Iterator[tuple[int, Piece]]:
        """(place in the text, piece)."""
        return enumerate(piece for pieces in self._pieces for piece in pieces)

    def _place_days(self) -> None:
        """First the days with a year, then those without one beside them, then days of a month that
        is not named."""
        self._place(lambda piece: any(p.year is not None for p in piece.points), [])
        self._place(lambda piece: piece.points[0].month is not None, self._placed())
        self._place(lambda piece: True, self._placed() or self._finest_period())

    def _place(self, chosen: Callable[[Days], bool], near: list[tuple[int, Anchor]]) -> None:
        """A mention with a day that there is not loses its pieces."""
        at = -1
        for i, pieces in enumerate(self._pieces):
            for piece in pieces:
                at += 1
                if isinstance(piece, Days) and piece.anchor is None and chosen(piece):
                    anchor = _nearest(at, near)
                    try:
                        if anchor or piece.points[0].month is not None:
                            piece.anchor = _anchored(piece.points, anchor)
                    except NoDate:
                        self._pieces[i] = [Constant(HIDDEN), *[""] * (len(pieces) - 1)]

    def _placed(self) -> list[tuple[int, Anchor]]:
        """(place in the text, where it is) of the days that were placed so far."""
        days = [(at, piece) for at, piece in self._numbered() if isinstance(piece, Days)]
        return [(at, piece.anchor) for at, piece in days if piece.anchor is not None]

    def _finest_period(self) -> list[tuple[int, Anchor]]:
        """Its middle, where a document names no day."""
        periods = [(at, p) for at, p in self._numbered() if isinstance(p, Period)]
        if not periods:
            return []
        at, finest = min(periods, key=lambda one: one[1].unit.length)
        if finest.unit.length == 7:
            return [(at, (finest.calendar, 7 * finest.index - 2))]  # Thursday
        day = 15 if finest.unit is MONTH else 2
        number = finest.calendar.number(*finest.unit.middle(finest.index), day)
        return [(at, (finest.calendar, number))]

    def _anchor_periods(self) -> None:
        days = self._placed() or self._finest_period()
        for at, piece in self._numbered():
            if isinstance(piece, Period):
                piece.anchor = _nearest(at, days)

    # -- dates that imply an age over 89 -------------------------------------------------------

    def _replace_old(self) -> None:
        """Each date 90 years or more before the last one of the document, and a date of birth that
        is so long ago."""
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
                one.piece.instead = last.ninety_years_before
            elif one.is_birth and _is_long_ago(one, others):
                today = f"{date.today().year - TOP_AGE} or earlier"
                shown = HIDDEN if others or not one.is_whole else today
                one.piece.instead = partial(_always, shown)

    def _dated(self) -> Iterator[_Dated]:
        """The pieces that name their year."""
        for mention, pieces in zip(self._mentions, self._pieces, strict=True):
            is_birth = mention.label.upper() == "DOB" or bool(
                pattern("BIRTH_BEFORE").search(_lead(mention))
            )
            for piece in pieces:
                if isinstance(piece, Days) and any(p.year is not None for p in piece.points):
                    first, last = piece.points[0], piece.points[-1]
                    yield _Dated(piece, first.calendar, first.number, last.number, 2, is_birth)
                elif isinstance(piece, Period) and piece.calendar is not COMMON and piece.anchor:
                    calendar, number = piece.anchor
                    try:
                        away = piece.index - piece.unit.of(calendar, number)
                    except NoDate:
                        continue  # it becomes [DATE]
                    since, length = number + piece.unit.length * away, piece.unit.length
                    yield _Dated(piece, calendar, since, since, length, is_birth)


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

    @property
    def day_of_century(self) -> int:
        """Its day among those of two digits of the year."""
        if isinstance(self.piece, Period):
            (year, month), day = self.piece.unit.middle(self.piece.index), 2
        else:
            point = self.piece.points[-1]
            year, month, day = point.calendar.date(point.number)
        return CENTURY.number(2000 + year % 100, month, day)

    def ninety_years_before(self, days: int) -> str:
        """The year that somebody of 90 was born in, or an earlier one, after a shift."""
        if isinstance(self.piece, Days):
            point = self.piece.points[-1]
            year = point.calendar.date(point.number + days)[0]
        else:
            year = self.piece.unit.middle(_moved_index(self.piece, days))[0]
        return f"{year - TOP_AGE} or earlier"


def _is_long_ago(birth: _Dated, others: list[_Dated]) -> bool:
    """Whether a birth is 90 years before another date, one of which shows two digits of its year;
    or before today, where the document has no other date."""
    today = date.today()
    if not others and birth.is_whole:
        return (today - date(2000, 1, 1)).days - birth.since + birth.length >= TOP_DAYS
    days = [
        other.day_of_century
        for other in others
        if not (birth.is_whole and other.line == birth.line)
    ]
    if not others:
        days = [CENTURY.number(2000 + today.year % 100, today.month, min(today.day, 28))]
    born = birth.day_of_century
    return any((day - born) % _HUNDRED_YEARS + birth.length >= TOP_DAYS for day in days)


def _always(text: str, days: int) -> str:
    return text


def _read(mention: Mention, order: str) -> list[Piece] | None:
    """In pieces; none where it cannot be read, None where it could be in the other order."""
    lead = _lead(mention)
    age = pattern("AGE_ALONE").fullmatch(mention.text)
    if age and (mention.label.upper() == "AGE" or pattern("AGE_BEFORE").search(lead)):
        number, unit = age.groups()
        return [Constant((str(min(int(number), TOP_AGE)) if number.isdigit() else "ninety") + unit)]
    try:
        return read(mention.text, Beside(order, tuple(_TOKEN.findall(lead))))
    except OtherOrder:
        return None if order else []
    except NoDate:
        return []


def _lead(mention: Mention) -> str:
    """What stands before it, in small letters."""
    return (mention.lead or mention.before).lower()


def _moved(piece: Piece, days: int, hours: int) -> str:
    if isinstance(piece, str | Constant):
        return piece if isinstance(piece, str) else piece.text
    if isinstance(piece, Loose):
        return piece.write(days, hours)
    if piece.instead is not None:
        return piece.instead(days)
    if isinstance(piece, Period):
        return piece.write(_moved_index(piece, days))
    if piece.anchor is None and piece.points[0].month is None:
        return piece.write([(0, 1, (piece.points[0].day - 1 + days) % 31 + 1)])
    return piece.write([point.calendar.date(point.number + days) for point in piece.points])


def _moved_index(piece: Period, days: int) -> int:
    if piece.anchor is None:
        raise NoDate
    calendar, number = piece.anchor
    unit = piece.unit
    return piece.index + unit.of(calendar, number + days) - unit.of(calendar, number)


def _nearest(at: int, placed: list[tuple[int, Anchor]]) -> Anchor | None:
    """The last one before a place in the text, or the first one after it."""
    before = bisect_left(placed, at, key=lambda one: one[0])
    return placed[max(before - 1, 0)][1] if placed else None


def _anchored(points: list[Day], near: Anchor | None) -> Anchor:
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
    numbers = []
    for y, m in months:
        try:
            numbers.append(calendar.number(y, m, day.day))
        except NoDate:
            continue
    if not numbers:
        raise NoDate
    day.calendar, day.number = calendar, min(numbers, key=lambda n: (far(n), n))
