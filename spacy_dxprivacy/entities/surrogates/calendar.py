"""Days and longer units of time by their numbers, in calendars of as many digits of a year as are
seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta


class NoDate(ValueError):
    """A date that does not exist, or that cannot be moved. It holds no text."""


YMD = tuple[int, int, int]


@dataclass(frozen=True)
class Calendar:
    """Numbers of days, by how many digits of the year are seen. After `years` years, which have so
    many `days`, the same dates come again; `first` is such a year.

    GREGORIAN: all four digits. CENTURY: two digits; 99 comes before 00, which has a leap day.
    COMMON: none; all years have 365 days.
    """

    years: int
    days: int
    first: int

    def number(self, year: int, month: int, day: int) -> int:
        """Return the days since January 1 of `first`. Raises NoDate if the day does not exist."""
        if self.years == 1 and (month, day) == (2, 29):
            month, day = 3, 1
        cycle, year_of_cycle = divmod(year - self.first, self.years)
        try:
            since = date(self.first + year_of_cycle, month, day) - date(self.first, 1, 1)
        except ValueError:
            raise NoDate from None
        return cycle * self.days + since.days

    def date(self, number: int) -> YMD:
        """Return (year, month, day). Raises NoDate for a day beyond the calendar."""
        cycle, days_in_cycle = divmod(number, self.days)
        moved = date(self.first, 1, 1) + timedelta(days_in_cycle)
        year = moved.year + cycle * self.years
        if self.years == 400 and not 1 <= year <= 9999:
            raise NoDate
        return year, moved.month, moved.day


GREGORIAN = Calendar(400, 146_097, 2000)
CENTURY = Calendar(4, 1461, 2000)
COMMON = Calendar(1, 365, 2001)
Anchor = tuple[Calendar, int]  # a day, by its number


@dataclass(frozen=True)
class Unit:
    """A unit of so many months; WEEK has none. late: by how many months it begins before the year
    that it is named after: winter is December, January and February."""

    months: int
    late: int = 0

    @property
    def length(self) -> float:
        """Days on the average."""
        return 30.4375 * self.months or 7.0

    def index(self, calendar: Calendar, number: int) -> int:
        """Return the index of the unit that a day is in. Raises NoDate where days that come again
        in the calendar do not always have the same place in it."""
        if self is WEEK and calendar is GREGORIAN:
            return (number + 5) // 7  # January 3, 2000 is a Monday
        if self is WEEK or (self is DECADE and calendar is COMMON):
            raise NoDate
        year, month, _ = calendar.date(number)
        return (12 * year + month - 1 + self.late) // self.months

    def middle(self, index: int) -> tuple[int, int]:
        """Return the (year, month) in the middle of a unit."""
        year, month = divmod(self.months * index + self.months // 2 - self.late, 12)
        return year, month + 1


WEEK, MONTH, QUARTER, HALF, YEAR, DECADE = map(Unit, (0, 1, 3, 6, 12, 120))
SEASON = Unit(3, late=1)


@dataclass
class Day:
    """A day as it is written; None is a missing part. number: set by number_days."""

    year: int | None
    month: int | None
    day: int
    calendar: Calendar = COMMON
    number: int = 0


def number_days(days: list[Day], neighbour: Anchor | None) -> Anchor:
    """Number a day, or the two ends of a range. Without a year a day is the nearest one to the
    neighbour; the end of a range comes after its beginning. Raises NoDate."""
    first, last = days[0], days[-1]
    for day in days:
        if day.year is not None:
            day.number = day.calendar.number(day.year, day.month or 1, day.day)
    if first.year is None and last.year is None:
        if neighbour is None:
            first.number = COMMON.number(COMMON.first, first.month or 1, first.day)
        else:
            _number(first, neighbour, lambda number: abs(number - neighbour[1]))
    elif first.year is None:
        _number(first, (last.calendar, last.number), lambda n: (last.number - n) % 10**7)
    if last.year is None and last is not first:
        _number(last, (first.calendar, first.number), lambda n: (n - first.number) % 10**7)
    return first.calendar, first.number


def _number(day: Day, neighbour: Anchor, distance: Callable[[int], int]) -> None:
    """Number a day that may be of any year (or month) as the one at the least distance."""
    calendar, number = neighbour
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
