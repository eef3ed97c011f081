"""Numbers days and longer units of time, so that a date shift is an addition. How many digits of
its year the text shows decides the calendar of a date.

A shift is a number of hours. A day moves by the midnights within the shift, counted from the hour
of its time: 23:50 plus one hour is on the next day, 09:00 plus one hour is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from typing import ClassVar, NamedTuple


class NoDate(ValueError):
    """Raised for a date that does not exist or cannot be moved. It holds no text."""


YMD = tuple[int, int, int]
DAY_HOURS = 24


def days_moved(hour: int | None, shift: int) -> int:
    """Return by how many days a day with a time of this hour moves in a shift of hours; a day
    without a time counts from midnight."""
    return ((hour or 0) + shift) // DAY_HOURS


@dataclass(frozen=True)
class Calendar:
    """Numbers days. Its dates repeat in cycles of `years` years, which have `days` days; `first` is
    the first year of a cycle.

    GREGORIAN: years of four digits. CENTURY: two digits; 99 comes before 00, which has a leap day.
    COMMON: dates without a year; all years have 365 days.
    """

    years: int
    days: int
    first: int

    def number(self, year: int, month: int, day: int) -> int:
        """Return the days since January 1 of `first`. Raise NoDate if the day does not exist."""
        if self.years == 1 and (month, day) == (2, 29):
            month, day = 3, 1
        cycle, year_of_cycle = divmod(year - self.first, self.years)
        try:
            since = date(self.first + year_of_cycle, month, day) - date(self.first, 1, 1)
        except ValueError:
            raise NoDate from None
        return cycle * self.days + since.days

    def date(self, number: int) -> YMD:
        """Return (year, month, day). Raise NoDate for a day beyond the calendar."""
        cycle, days_in_cycle = divmod(number, self.days)
        moved = date(self.first, 1, 1) + timedelta(days_in_cycle)
        year = moved.year + cycle * self.years
        if self.years == 400 and not 1 <= year <= 9999:
            raise NoDate
        return year, moved.month, moved.day


GREGORIAN = Calendar(400, 146_097, 2000)
CENTURY = Calendar(4, 1461, 2000)
COMMON = Calendar(1, 365, 2001)


class Anchor(NamedTuple):
    """A day that others are counted from. hour: that of its time, see Days."""

    calendar: Calendar
    number: int
    hour: int = 0

    def moved(self, shift: int) -> int:
        """Return the number of the day after a shift of hours."""
        return self.number + days_moved(self.hour, shift)


def read_year(text: str | None) -> tuple[int | None, Calendar]:
    """Return a year of two or four digits and its calendar. Raise NoDate for the year 0000."""
    if text is None:
        return None, COMMON
    digits = text.strip("'’")
    if len(digits) != 4:
        return 2000 + int(digits), CENTURY
    if int(digits) == 0:
        raise NoDate
    return int(digits), GREGORIAN


@dataclass(frozen=True)
class Unit:
    """A unit of time. months: its length; 0 for WEEK. late: how many months it begins before the
    year that it is named after: winter is December, January and February."""

    months: int
    late: int = 0

    @property
    def length(self) -> float:
        """Average length in days."""
        return 30.4375 * self.months or 7.0

    def is_in(self, calendar: Calendar) -> bool:
        """Return whether a day has the same place in its unit in every cycle of the calendar."""
        return calendar is GREGORIAN or not (
            self is WEEK or (self is DECADE and calendar is COMMON)
        )

    def index(self, calendar: Calendar, number: int) -> int:
        """Return the index of the unit that contains a day. Raise NoDate unless is_in holds."""
        if not self.is_in(calendar):
            raise NoDate
        if self is WEEK:
            return (number + 5) // 7  # January 3, 2000 is a Monday
        year, month, _ = calendar.date(number)
        return (12 * year + month - 1 + self.late) // self.months

    def middle(self, index: int) -> tuple[int, int]:
        """Return the (year, month) in the middle of the unit with this index."""
        year, month = divmod(self.months * index + self.months // 2 - self.late, 12)
        return year, month + 1


WEEK, MONTH, DECADE = Unit(0), Unit(1), Unit(120)
UNITS = {
    "week": WEEK,
    "month": MONTH,
    "quarter": Unit(3),
    "season": Unit(3, late=1),
    "half": Unit(6),
    "year": Unit(12),
    "decade": DECADE,
}


@dataclass
class Day:
    """A day as the text writes it; a missing part is None. number: set by number_days."""

    year: int | None
    month: int | None
    day: int
    calendar: Calendar = COMMON
    number: int = 0


def number_days(days: list[Day], neighbour: Anchor | None) -> Anchor:
    """Number a day, both ends of a range or a list of days, and return the anchor of the first day.
    A day without a year is the one nearest to the neighbour; one with others follows the day before
    it, or precedes the day after it, unless both are of one month. Raise NoDate."""
    first = days[0]
    known = [day.year is not None for day in days]
    for day in days:
        if day.year is not None:
            day.number = day.calendar.number(day.year, day.month or 1, day.day)
    if not any(known):
        if neighbour is None:
            first.number = COMMON.number(COMMON.first, first.month or 1, first.day)
        else:
            _number(first, neighbour, lambda number: abs(number - neighbour.number))
        known[0] = True
    start = known.index(True)
    for i in reversed(range(start)):
        _number_beside(days[i], days[i + 1], -1)
    for i in range(start + 1, len(days)):
        if not known[i]:
            _number_beside(days[i], days[i - 1], 1)
    return Anchor(first.calendar, first.number)


def _number_beside(day: Day, other: Day, sign: int) -> None:
    """Number a day without a year by the next one before it (sign 1) or after it (-1)."""
    number, is_one_month = other.number, day.month == other.month is not None
    _number(
        day,
        Anchor(other.calendar, number),
        lambda n: abs(n - number) if is_one_month else sign * (n - number) % 10**7,
    )


def _number(day: Day, neighbour: Anchor, distance: Callable[[int], int]) -> None:
    """Number a day without a year (or month) as the candidate at the least distance."""
    calendar, number, _ = neighbour
    year, month, _ = calendar.date(number)
    months = [(year + i, day.month or 0) for i in range(-8, 9)]
    if day.month is None:
        months = [MONTH.middle(12 * year + month - 1 + i) for i in range(-2, 3)]
    numbers = []
    for y, m in months:
        try:
            numbers.append(calendar.number(y, m, day.day))
        except NoDate:
            continue
    if not numbers:
        raise NoDate
    day.calendar, day.number = calendar, min(numbers, key=lambda n: (distance(n), n))


Line = tuple[Calendar, bool]


@dataclass
class Days:
    """A day, the first and the last day of a range, or a list of days. write: writes moved days in
    the form of the text. anchor: the first day, set by the timeline. hour: the hour of the time
    that the text gives for the day, set by the timeline."""

    days: list[Day]
    write: Callable[[list[YMD]], str]
    anchor: Anchor | None = None
    hour: int | None = None

    length: ClassVar[float] = 2

    @property
    def has_year(self) -> bool:
        """Whether the text names a year."""
        return any(day.year is not None for day in self.days)

    @property
    def line(self) -> Line:
        """The calendar, and whether the text shows all digits of the year. The days between two
        dates with the same line can be counted."""
        return self.days[0].calendar, self.days[-1].calendar is GREGORIAN

    @property
    def span(self) -> tuple[float | Fraction, float | Fraction]:
        """The numbers of the first and the last day, with the hour as a part of a day."""
        part = Fraction(self.hour or 0, DAY_HOURS)
        return self.days[0].number + part, self.days[-1].number + part

    def end(self, shift: int) -> YMD:
        """Return the last day after a shift of hours."""
        last = self.days[-1]
        return last.calendar.date(last.number + days_moved(self.hour, shift))

    def moved(self, shift: int) -> str:
        """Return the text after a shift of hours."""
        first, days = self.days[0], days_moved(self.hour, shift)
        if self.anchor is None and first.month is None:
            return self.write([(0, 1, (day.day - 1 + days) % 31 + 1) for day in self.days])
        return self.write([day.calendar.date(day.number + days) for day in self.days])


@dataclass
class Period:
    """A week, month, ... or decade. calendar: follows from the digits of its year. anchor: the day
    whose shift moves the period, set by the timeline."""

    unit: Unit
    index: int
    calendar: Calendar
    write: Callable[[int], str]
    anchor: Anchor | None = None

    @property
    def length(self) -> float:
        """Average length in days."""
        return self.unit.length

    @property
    def has_year(self) -> bool:
        """Whether the text names a year, and the anchor's calendar can place the unit."""
        if self.calendar is COMMON or self.anchor is None:
            return False
        return self.unit.is_in(self.anchor[0])

    @property
    def line(self) -> Line:
        """The calendar of the anchor, and whether the text shows all digits of the year."""
        return self._anchor[0], self.calendar is GREGORIAN

    @property
    def span(self) -> tuple[float | Fraction, float | Fraction]:
        """The number of a day near the middle of the period, twice."""
        calendar, number, hour = self._anchor
        periods = self.index - self.unit.index(calendar, number)
        middle = number + hour / DAY_HOURS + self.length * periods
        return middle, middle

    def end(self, shift: int) -> YMD:
        """Return a day near the middle of the period after a shift of hours."""
        if self.unit is WEEK:
            moved = self._anchor.moved(shift) - self._anchor.number
            return self._anchor.calendar.date(int(self.span[1]) + moved)
        return *self.unit.middle(self._moved_index(shift)), 2

    def moved(self, shift: int) -> str:
        """Return the text after a shift of hours."""
        return self.write(self._moved_index(shift))

    @property
    def _anchor(self) -> Anchor:
        if self.anchor is None:
            raise NoDate
        return self.anchor

    def _moved_index(self, shift: int) -> int:
        anchor, index = self._anchor, self.unit.index
        moved = index(anchor.calendar, anchor.moved(shift))
        return self.index + moved - index(anchor.calendar, anchor.number)


@dataclass
class Weekday:
    """A day of the week. write: writes the weekday a number of days later. hour: see Days. number:
    from 0 for Monday."""

    write: Callable[[int], str]
    hour: int | None = None
    number: int = 0

    def moved(self, shift: int) -> str:
        """Return the text after a shift of hours."""
        return self.write(days_moved(self.hour, shift))


@dataclass
class Clock:
    """A time of day. write: writes an hour, 0 to 23. text: as written."""

    hour: int
    write: Callable[[int], str]
    text: str

    def moved(self, shift: int) -> str:
        """Return the text after a shift of hours."""
        return self.write((self.hour + shift) % DAY_HOURS)


@dataclass
class Loose:
    """An hour of twelve (nine o'clock), or a year that the last date decides. moved: the text after
    a shift of hours. text: as written."""

    moved: Callable[[int], str]
    text: str = ""
