"""Dates as they are written: read in a mention, and written again in one form for each layout.

The layout of a mention is what no change of its value could change: which parts there are and in
what order, the separators, the case, how many digits a year has. Nothing else shapes what comes
out: no zero is copied, for 10 to 12 would not show it, and no short name of a month, for "May" is
both. So two texts that differ in their values alone are written by the same rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from ..entities.dates import HOLIDAY, ORDINAL_END, SEASON, TO, WEEKDAY
from ..entities.dates import MONTH as _M

MONTHS = (
    "January February March April May June July August September October November December".split()
)
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
SEASONS = "winter spring summer fall".split()
COUNTED = "first second third fourth".split()
HOURS = "twelve one two three four five six seven eight nine ten eleven".split()
TOP_AGE = 90  # and more: ages above 89 are released as this one
# Words that may stand beside dates, and stay: they are relative, or say nothing of when.
RELATIVE = frozenset(
    "a about after afternoon ago all almost an and annual annually another any approximately "
    "around as at back bi-weekly biweekly before beginning between bi but by couple couples "
    "current daily dawn day days decade decades due during each earlier early either end ending "
    "entire evening evenings every few fiscal following for former from half hour hourly hours "
    "in it just last late later latter least less many mid middle minute "
    "minutes moment month monthly months more morning mornings most much nearly next night "
    "nightly nights now o'clock of off on once only or other over "
    "overnight part past period point previous prior quarter quarterly recent recently same "
    "seconds several shortly since some soon "
    "still than that the then these this those through "
    "throughout time times to today tomorrow tonight until up upcoming "
    "week weekday weekdays weekend weekends weekly weeks well while within year yearly years "
    "yesterday yet old aged age am pm till s hrs hr min mins sec secs yr yrs wk wks mo mos "
    "birthday birthdays bday fortnight semester century centuries am. pm. ad bc est "
    "edt pst pdt cst cdt utc gmt y o yo y.o t".split()
)
# Beside a date that moves they may be a part of it: they stay where a unit says what they count.
NUMBERS = frozenset(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety "
    "hundred first second third fourth".split()
)
DETERMINERS = frozenset(
    "the this that last next past previous coming every each my our your his her its their 's ’s "
    "a an no any some first".split()
)
UNITS = frozenset(
    "day days week weeks month months hour hours minute minutes second seconds year years hr hrs "
    "min mins sec secs yr yrs wk wks mo mos decade decades night nights century centuries quarter "
    "weekend weekends quarters".split()
)
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_DIGITS = re.compile(r"\d+", re.ASCII)
_BLANK = re.compile(r"\s")
_COUNT = re.compile(r"\d{1,3}(?:\.\d)?", re.ASCII)


class NoDate(ValueError):
    """A date that there is not, or that cannot be moved. It holds no text."""


class OtherOrder(NoDate):
    """A date that only the other order of day and month could read."""


# -- calendars ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Calendar:
    """Days in a row, as they are counted where so many digits of the year are seen. After `years`
    years, which have so many `days`, the same dates come again; `first` is such a year.

    GREGORIAN: all four digits. CENTURY: two digits; 99 comes before 00, which has a leap day.
    COMMON: none; all years have 365 days.
    """

    years: int
    days: int
    first: int

    def number(self, year: int, month: int, day: int) -> int:
        """Of days since January 1 of `first`. Raises NoDate for a day that there is not."""
        if self == COMMON and (month, day) == (2, 29):
            month, day = 3, 1
        cycle, rest = divmod(year - self.first, self.years)
        try:
            since = date(self.first + rest, month, day) - date(self.first, 1, 1)
        except ValueError:
            raise NoDate from None
        return cycle * self.days + since.days

    def date(self, number: int) -> tuple[int, int, int]:
        """(year, month, day). Raises NoDate for a day beyond the calendar."""
        cycle, rest = divmod(number, self.days)
        found = date(self.first, 1, 1) + timedelta(rest)
        year = found.year + cycle * self.years
        if self == GREGORIAN and not 1 <= year <= 9999:
            raise NoDate
        return year, found.month, found.day


GREGORIAN = Calendar(400, 146_097, 2000)
CENTURY = Calendar(4, 1461, 2000)
COMMON = Calendar(1, 365, 2001)


@dataclass(frozen=True)
class Unit:
    """A stretch of the calendar, by index. index: of (year, month). length: days on the average.
    middle: (year, month) in the middle of one."""

    name: str
    length: float
    index: Callable[[int, int], int]
    middle: Callable[[int], tuple[int, int]]

    def of(self, calendar: Calendar, number: int) -> int:
        """The index of the one that a day is in. Raises NoDate where days that come again in the
        calendar do not always have the same place in it."""
        if self is WEEK and calendar is GREGORIAN:
            return (number + 5) // 7  # January 3, 2000 is a Monday
        if self is WEEK or (self is DECADE and calendar is COMMON):
            raise NoDate
        year, month, _ = calendar.date(number)
        return self.index(year, month)


WEEK = Unit("week", 7.0, lambda y, m: 0, lambda i: (0, 0))
MONTH = Unit("month", 30.4375, lambda y, m: 12 * y + m - 1, lambda i: (i // 12, i % 12 + 1))
QUARTER = Unit(
    "quarter", 91.3125, lambda y, m: 4 * y + (m - 1) // 3, lambda i: (i // 4, i % 4 * 3 + 2)
)
SEASON_OF = Unit(  # winter is December, January and February
    "season", 91.3125, lambda y, m: (12 * y + m) // 3, lambda i: (i // 4, i % 4 * 3 + 1)
)
HALF = Unit("half", 182.625, lambda y, m: 2 * y + m // 7, lambda i: (i // 2, i % 2 * 6 + 4))
YEAR = Unit("year", 365.25, lambda y, m: y, lambda i: (i, 7))
DECADE = Unit("decade", 3652.5, lambda y, m: y // 10, lambda i: (10 * i + 5, 1))


# -- what a mention is made of --------------------------------------------------------------------

YMD = tuple[int, int, int]


@dataclass
class Day:
    """A day as it is written: what is missing is None. number: as the timeline reads it."""

    year: int | None
    month: int | None
    day: int
    calendar: Calendar = COMMON
    number: int = 0


@dataclass
class Days:
    """One day, or the first and the last one of a range."""

    points: list[Day]
    write: Callable[[list[YMD]], str]


@dataclass
class Period:
    """A week, month, ..., decade, and how another one is written in its place. calendar: by how
    many digits its year is shown with."""

    unit: Unit
    index: int
    calendar: Calendar
    write: Callable[[int], str]
    is_holiday: bool = False


@dataclass
class Loose:
    """What moves by the shift alone: days of the week, and times by the hours."""

    write: Callable[[int, int], str]


@dataclass
class Constant:
    """What is replaced by the same text whatever the shift."""

    text: str
    is_holiday: bool = False


Piece = Days | Period | Loose | Constant | str
Match = re.Match[str]


@dataclass(frozen=True)
class Beside:
    """What is public about a mention. order: "mdy", "dmy", or "" where numeric dates of the
    document contradict it. before: the words before it, in small letters."""

    order: str
    before: tuple[str, ...] = ()


Reader = Callable[[Match, Beside], Piece]


def read(text: str, beside: Beside) -> list[Piece]:
    """The mention in pieces; str is what stays. Raises NoDate for what is neither a date nor
    relative to one."""
    pieces: list[Piece] = []
    place = 0
    for match, reader in _matches(text):
        pieces += [text[place : match.start()], reader(match, beside)]
        place = match.end()
    pieces.append(text[place:])
    words = [word for piece in pieces if isinstance(piece, str) for word in _WORD.findall(piece)]
    dated = any(isinstance(piece, Days | Period | Loose) for piece in pieces)
    if not is_relative(words, dated):
        raise NoDate
    holidays = [piece for piece in pieces if getattr(piece, "is_holiday", False)]
    if holidays and any(isinstance(piece, Days | Loose) for piece in pieces):
        # Its date or day of the week would tell which one it was. A bracket stays closed.
        return [holidays[0], " (then" * (text.count("(") > text.count(")"))]
    return pieces


def _matches(text: str) -> Iterator[tuple[Match, Reader]]:
    place = 0
    while place < len(text):
        before = text[place - 1 : place]
        found = None
        if not (before.isalnum() or before == "_") or _after_day(text, place):
            found = next(filter(None, (_at(form, text, place) for form in FORMS)), None)
        if found is None:
            place += 1
            continue
        yield found
        place = found[0].end()


def _after_day(text: str, place: int) -> bool:
    """Whether the time of an ISO 8601 date begins: 2020-01-05T14:05."""
    return text[place - 1] in "tT" and text[max(place - 2, 0) : place - 1].isdigit()


def _at(form: tuple[re.Pattern[str], Reader], text: str, place: int) -> tuple[Match, Reader] | None:
    found = form[0].match(text, place)
    after = text[found.end() : found.end() + 1] if found else ""
    if found is None or (after.isalnum() and after not in "TtZz"):
        return None
    return (found, form[1]) if found.end() > place else None


def is_relative(words: Sequence[str], dated: bool) -> bool:
    """Whether all of them may stay: words of the list, and numbers where there is a unit, or, if
    they are written as words, no date beside them."""
    split = [re.split(r"[-']", word.lower().replace("’", "'")) for word in words]
    parts = [part for some in split for part in some if part not in ("", "s")]
    others = [part for part in parts if part not in RELATIVE]
    if any(part in UNITS for part in parts):
        others = [part for part in others if part not in NUMBERS and not _COUNT.fullmatch(part)]
    elif not dated:
        others = [part for part in others if part not in NUMBERS]
    return not others


# -- writing --------------------------------------------------------------------------------------


def cased(name: str, model: str) -> str:
    """In the case of the model."""
    if len(model) > 1 and model.isupper():
        return name.upper()
    return name.lower() if model.islower() else name


def ordinal(day: int, model: str | None) -> str:
    """21 and "th" -> 21st"""
    if not model:
        return str(day)
    ends = {1: "st", 2: "nd", 3: "rd"}
    end = "th" if 10 < day % 100 < 14 else ends.get(day % 10, "th")
    return str(day) + (end.upper() if model.isupper() else end)


def _put(m: Match, /, **new: str) -> str:
    """What was found, with other texts for some of its groups."""
    text, place = "", m.start()
    for start, name in sorted((m.start(name), name) for name in new):
        text += m.string[place:start] + new[name]
        place = m.end(name)
    return text + m.string[place : m.end()]


def _month_of(text: str) -> int:
    """mar., MARCH -> 3"""
    return next(i for i, name in enumerate(MONTHS, 1) if name[:3].lower() == text[:3].lower())


def _month_as(number: int, m: Match) -> str:
    """In full; three letters where it is joined to its numbers, as in 31-JAN-2020."""
    name, joint = MONTHS[number - 1], m["g"]
    return cased(name if joint is None or _BLANK.search(joint) else name[:3], m["m"])


def _year(text: str | None) -> tuple[int | None, Calendar]:
    if text is None:
        return None, COMMON
    digits = text.strip("'’")
    return (int(digits), GREGORIAN) if len(digits) == 4 else (2000 + int(digits), CENTURY)


def _year_as(year: int, model: str) -> str:
    if len(model) != 4:
        return f"{model[:-2]}{year % 100:02d}"
    if not 1 <= year <= 9999:
        raise NoDate
    return f"{year:04d}"


def _day(day: str, month: str | int | None, year: str | None) -> Day:
    number, calendar = _year(year)
    return Day(number, _month_of(month) if isinstance(month, str) else month, int(day), calendar)


# -- days -----------------------------------------------------------------------------------------


def _named_day(m: Match, beside: Beside) -> Days:
    """March 5, 2019; 5th of March; 31-JAN-2020."""

    def write(days: list[YMD]) -> str:
        year, month, day = days[0]
        new = {"m": _month_as(month, m), "d": ordinal(day, m["th"])}
        return _put(m, **new, **({"y": _year_as(year, m["y"])} if m["y"] else {}))

    return Days([_day(m["n"], m["m"], m["y"])], write)


def _named_range(m: Match, beside: Beside) -> Days:
    """March 5 to 9, 2021; 28 March - 2 April 2021; Dec 30, 2020 - Jan 3, 2021. What both ends share
    is written once, and a dash has blanks where it is not between two numbers."""
    first_month, last_month = m["m"] or m["m2"], m["m2"] or m["m"]
    points = [_day(m["n"], first_month, m["y"]), _day(m["n2"], last_month, m["y2"])]
    year, month_first = m["y2"] or m["y"], m.start("m") == m.start()
    comma = (m["c2"] or m["c"] or " ") if month_first else " "

    def write(days: list[YMD]) -> str:
        (y, mo, _), (y2, mo2, _) = days
        names = [cased(MONTHS[mo - 1], first_month), cased(MONTHS[mo2 - 1], first_month)]
        numbers = [ordinal(day, m["th"]) for *_, day in days]
        years = [comma + _year_as(one, year) if year else "" for one in (y, y2)]
        same, pairs = (y, mo) == (y2, mo2), zip(names, numbers, strict=True)
        texts = [f"{name} {day}" if month_first else f"{day} {name}" for name, day in pairs]
        if same:
            texts[month_first] = numbers[month_first]
        dash = m["to"].strip()
        to = m["to"] if dash.isalpha() else dash if same else f" {dash} "
        return texts[0] + years[0] * (y != y2) + to + texts[1] + years[1]

    return Days(points, write)


def _iso(m: Match, beside: Beside) -> Days:
    """2019-03-05, 20190305."""

    def write(days: list[YMD]) -> str:
        year, month, day = days[0]
        return _put(m, y=_year_as(year, m["y"]), m=f"{month:02d}", d=f"{day:02d}")

    return Days([_day(m["d"], int(m["m"]), m["y"])], write)


def _numeric(m: Match, beside: Beside) -> Days:
    """3/4/2019, 3/4, 5/12-5/14/2021: two digits each where a year has four."""
    order = "dmy" if m["s"] == "." else beside.order
    points = [_in_order(m["a"], m["b"], m["y"], order)]
    groups = [("a", "b", "y")]
    if m["a2"]:
        points.append(_in_order(m["a2"], m["b2"], m["y2"], order))
        groups.append(("a2", "b2", "y2"))
    year = m["y2"] or m["y"] or ""
    wide = 2 if len(year) == 4 else 1

    def write(days: list[YMD]) -> str:
        new: dict[str, str] = {}
        for (a, b, y), (number, month, day) in zip(groups, days, strict=True):
            pair = (month, day) if order == "mdy" else (day, month)
            new |= {a: f"{pair[0]:0{wide}d}", b: f"{pair[1]:0{wide}d}"}
            new |= {y: _year_as(number, m[y])} if m[y] else {}
        return _put(m, **new)

    return Days(points, write)


def _in_order(one: str, two: str, year: str | None, order: str) -> Day:
    month, day = (int(one), int(two)) if order == "mdy" else (int(two), int(one))
    if 1 <= day <= 12 < month <= 31 and year:
        raise OtherOrder
    if not order or not (1 <= month <= 12 and 1 <= day <= 31):
        raise NoDate
    return _day(str(day), month, year)


def _nth(m: Match, beside: Beside) -> Days:
    """The 12th, of a month that is not named."""
    if not 1 <= int(m["n"]) <= 31:
        raise NoDate
    return Days([_day(m["n"], None, None)], lambda days: ordinal(days[0][2], m["th"]))


# -- weeks, months, ..., decades ------------------------------------------------------------------


def _period(unit: Unit, year: str | None, month: int, write: Callable[[int], str]) -> Period:
    number, calendar = _year(year)
    if not 1 <= month <= 12:
        raise NoDate
    return Period(unit, unit.index(number or COMMON.first, month), calendar, write)


def _with_year(m: Match, year: int, /, **new: str) -> str:
    return _put(m, **new, **({"y": _year_as(year, m["y"])} if m["y"] else {}))


def _month(m: Match, beside: Beside) -> Period:
    """March, March 2019, Mar-2019, 03/2019, 2019-03."""
    numeric = m["m"].isdigit()

    def write(index: int) -> str:
        number = index % 12 + 1
        name = f"{number:02d}" if numeric else _month_as(number, m)
        return _with_year(m, index // 12, m=name)

    return _period(MONTH, m["y"], int(m["m"]) if numeric else _month_of(m["m"]), write)


def _season(m: Match, beside: Beside) -> Period:
    """Winter, winter of 2020, winter 2019-2020: that of 2020."""
    year = m["y"]
    if year and m["z"]:
        year = year[: len(year) - len(m["z"])] + m["z"]
    name = m["n"].lower().replace("autumn", "fall")

    def write(index: int) -> str:
        new = cased(SEASONS[index % 4].capitalize(), m["n"])
        return new + (m["c"] + _year_as(index // 4, m["y"]) if m["y"] else "")

    return _period(SEASON_OF, year, 3 * SEASONS.index(name) + 1, write)


def _quarter(m: Match, beside: Beside) -> Period:
    """Q3 2020, 3Q20, 2020 Q3, H1 2020, third quarter of 2020."""
    unit, most = (HALF, 2) if m["q"][0] in "hH" else (QUARTER, 4)
    word = m["n"].isalpha()
    count = COUNTED.index(m["n"].lower()) + 1 if word else int(m["n"])
    if count > most:
        raise NoDate

    def write(index: int) -> str:
        new = cased(COUNTED[index % most], m["n"]) if word else str(index % most + 1)
        return _with_year(m, index // most, n=new)

    return _period(unit, m["y"], (count - 1) * (12 // most) + 1, write)


def _week(m: Match, beside: Beside) -> Period:
    """Week 32 of 2020, 2020-W32: as ISO 8601 counts them."""
    try:
        start = date.fromisocalendar(int(m["y"]), int(m["n"]), 1)
    except ValueError:
        raise NoDate from None

    def write(index: int) -> str:
        year, month, day = GREGORIAN.date(7 * index - 5)
        new = date(year, month, day).isocalendar()
        wide = 2 if m.start("y") == m.start() else 1
        return _put(m, n=f"{new.week:0{wide}d}", y=_year_as(new.year, m["y"]))

    index = WEEK.of(GREGORIAN, (start - date(2000, 1, 1)).days)
    return Period(WEEK, index, GREGORIAN, write)


def _years(m: Match, beside: Beside) -> Period:
    """2019, '98, FY2020, 2019/20 of a fiscal year: by the year that it ends in."""
    year = m["y"]
    more = m["z"] or ""
    if more and int(year.strip("'’")) % 100 != (int(more) - 1) % 100:
        raise NoDate

    def write(index: int) -> str:
        return _put(
            m, y=_year_as(index, year), **({"z": _year_as(index + 1, more)} if more else {})
        )

    return _period(YEAR, year, 1, write)


def _decade(m: Match, beside: Beside) -> Piece:
    """The 1990s, the 90s; an age in "her 90s" stays."""
    if len(m["y"]) == 2 and beside.before[-1:] in [("her",), ("his",), ("their",), ("my",)]:
        return m[0]

    def write(index: int) -> str:
        return _put(m, y=_year_as(10 * index, m["y"]))

    return _period(DECADE, m["y"], 1, write)


# -- days of the week, times, ages, holidays ------------------------------------------------------


def _weekday(m: Match, beside: Beside) -> Loose:
    number = next(i for i, name in enumerate(WEEKDAYS) if name[:3].lower() == m["w"][:3].lower())
    short = not m["w"].lower().endswith("day")

    def write(days: int, hours: int) -> str:
        name = WEEKDAYS[(number + days) % 7]
        return _put(m, w=cased(name[:3] if short else name, m["w"]))

    return Loose(write)


def _clock(m: Match, beside: Beside) -> Loose:
    """Of 24 hours: 09:05. With a half of the day: 9:05 am. The half is as much a part of the value
    as the hour is, and what it is written with is the layout."""
    hour, half = int(m["h"]), (m["half"] or "").lower()
    if hour > 24 or (half and not 1 <= hour <= 12):
        raise NoDate
    day = hour % 12 + 12 * (half == "p") if half else hour

    def write(days: int, hours: int) -> str:
        new = (day + hours) % 24
        if not half:
            return _put(m, h=f"{new:02d}")
        return _put(m, h=str(new % 12 or 12), half=cased("P" if new >= 12 else "A", m["half"]))

    return Loose(write)


def _spoken_hour(m: Match, beside: Beside) -> Loose:
    """Nine o'clock, half past nine: of 12 hours, written as a word or a number."""
    word = m["h"].isalpha()
    hour = HOURS.index(m["h"].lower()) if word else int(m["h"])
    if hour > 12:
        raise NoDate

    def write(days: int, hours: int) -> str:
        new = (hour + hours) % 12
        return _put(m, h=cased(HOURS[new].capitalize(), m["h"]) if word else str(new or 12))

    return Loose(write)


def _noon(m: Match, beside: Beside) -> Loose:
    """As an hour before or after it is written."""
    hour = 0 if m[0].lower() == "midnight" else 12

    def write(days: int, hours: int) -> str:
        new = (hour + hours) % 24
        return f"{new % 12 or 12} {'pm' if new >= 12 else 'am'}"

    return Loose(write)


def _age(m: Match, beside: Beside) -> Constant:
    """As it is up to 89. Also 93rd birthday, ninety-three, nonagenarian."""
    number = m["n"]
    if number[0].isdigit():
        top = ordinal(TOP_AGE, m["th"])
        return Constant(_put(m, n=top) if int(_DIGITS.findall(number)[0]) >= TOP_AGE else m[0])
    if number.lower().endswith("arian"):
        return Constant(_put(m, n=cased("Nonagenarian", number)))
    return Constant(_put(m, n=cased("Ninetieth" if m["th"] else "Ninety", number)))


def _count(m: Match, beside: Beside) -> Constant:
    """The 3rd week, the 20th century: it counts."""
    return Constant(m[0])


def _holiday(m: Match, beside: Beside) -> Piece:
    """The same words for all: which one it is would tell the shift."""
    lead = (
        _WORD.findall(m.string[max(m.start() - 20, 0) : m.start()])[-1:]
        or [*beside.before[-1:], ""]
    )[0].lower()
    article = "" if lead in DETERMINERS else "A " if lead in (".", "!", "?") else "a "
    if not m["y"]:
        return Constant(f"{article}holiday", is_holiday=True)

    def write(index: int) -> str:
        return f"{article}holiday in {_year_as(index, m['y'])}"

    number, calendar = _year(m["y"])
    return Period(YEAR, number or 0, calendar, write, is_holiday=True)


_D = rf"(?P<d>(?P<n>[0-3]?\d)(?P<th>{ORDINAL_END})?)(?!\d)"
_D2 = rf"(?P<n2>[0-3]?\d)(?:{ORDINAL_END})?(?!\d)"
_Y = r"(?P<y>\d{4}|['’]\d\d)(?!\d)"
_Y2 = _Y.replace("<y>", "<y2>")
_MM = rf"(?P<m>{_M}\.?)"
_MM2 = _MM.replace("<m>", "<m2>")
_OF = r"\s+(?:of\s+)?"
_NUM = r"(?P<a>\d{1,2})(?P<s>[-/.])(?P<b>\d{1,2})"
_HALF = r"(?P<half>[ap])(?=\.?m\b)\.?m(?:\.(?!\w))?"
_HOUR_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
NINETY = (
    r"(?:ninety(?:[-\s]\w{3,5})?|(?:one|a)\shundred(?:\sand)?(?:[-\s]"
    rf"(?:{_HOUR_WORDS}))?)"
)
_OLD = r"[-\s]*(?:years?[-\s]+olds?|yrs?[-\s]+old|y/?o|y\.\s?o\.?|y\s/\so\.?|years?\s+of\s+age)"


def _form(pattern: str, reader: Reader) -> tuple[re.Pattern[str], Reader]:
    """Groups that a reader asks for and the pattern lacks are none."""
    asked = "y g th z c half to a2 b2 y2 n2 m2 c2".split()
    lacks = [group for group in asked if f"(?P<{group}>" not in pattern]
    return re.compile(pattern + "".join(f"(?P<{g}>(?!))?" for g in lacks), re.I | re.ASCII), reader


# The first that matches at a place is taken.
FORMS: tuple[tuple[re.Pattern[str], Reader], ...] = (
    _form(rf"age[ds]?:?\s+(?P<n>\d{{1,3}}|{NINETY})", _age),
    _form(rf"(?P<n>\d{{1,3}}|{NINETY}){_OLD}", _age),
    _form(r"(?P<n>\d{1,3})[mf]\b", _age),
    _form(rf"(?P<n>\d{{1,3}}(?P<th>{ORDINAL_END}))(?=\sb(?:irth)?day)", _age),
    _form(r"(?P<n>(?P<th>ninetieth|ninety[-\s]\w{5,7}|(?:one\s)?hundredth))(?=\sbirthday)", _age),
    _form(r"(?P<n>(?:non|cent)agenarian|centenarian)s?", _age),
    _form(r"\d{1,3}(?:st|nd|rd|th)[-\s](?:week|day|month|quarter|year|centur)\w*", _count),
    _form(rf"{HOLIDAY}(?:\sweekend)?(?:,?{_OF}{_Y})?", _holiday),
    _form(r"(?P<y>\d{4})(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})", _iso),
    _form(
        rf"{_NUM}(?:(?P=s)(?P<y>\d{{4}}|\d\d))?(?P<to>{TO})(?P<a2>\d{{1,2}})(?P=s)(?P<b2>\d{{1,2}})"
        r"(?:(?P=s)(?P<y2>\d{4}|\d\d))?(?![-/\d])",
        _numeric,
    ),
    _form(rf"{_NUM}(?P=s)(?P<y>\d{{4}}|\d\d)", _numeric),
    _form(r"(?P<y>\d{4})(?P<m>[01]\d)(?P<d>[0-3]\d)", _iso),
    _form(
        rf"{_MM}\s*{_D}(?:(?P<c>,?\s+|,){_Y})?(?P<to>{TO})(?:(?P<m2>{_M}\.?)\s*)?{_D2}"
        rf"(?:(?P<c2>,?\s+|,){_Y2})?",
        _named_range,
    ),
    _form(
        rf"{_D}(?:{_OF}{_MM}(?:,?\s+{_Y})?)?(?P<to>{TO})(?P<n2>[0-3]?\d)(?:{ORDINAL_END})?{_OF}"
        rf"{_MM2}(?:,?\s+{_Y2})?",
        _named_range,
    ),
    _form(rf"{_MM}(?P<g>\s*|[-/.]|\sthe\s){_D}(?:(?:,?{_OF}|,|[-/.]){_Y})?", _named_day),
    _form(rf"{_D}(?P<g>[-/.]|){_MM}(?:[-/.]?(?P<y>\d{{4}}|\d\d)(?!\d))?", _named_day),
    _form(rf"{_D}(?P<g>{_OF}){_MM}(?:,?{_OF}{_Y})?", _named_day),
    _form(rf"{_MM}(?P<g>,?{_OF}|[-/.]){_Y}", _month),
    _form(r"(?P<m>0?[1-9]|1[0-2])[-/.](?P<y>\d{4})(?!\d)", _month),
    _form(r"(?P<y>\d{4})-?w(?P<n>\d\d)", _week),
    _form(r"(?:week|wk|w|cw|kw)\s?(?P<n>\d\d?)(?:\s(?:of|in)|,|/)?\s?(?P<y>\d{4})", _week),
    _form(r"(?P<y>\d{4})[\s-]?(?P<q>[qh])(?P<n>[1-4])", _quarter),
    _form(r"(?P<q>[qh])(?P<n>[1-4])(?:[\s/'’-]{0,2}(?:of\s)?(?P<y>\d{4}|\d\d))?", _quarter),
    _form(r"(?P<n>[1-4])(?P<q>q)(?:[\s/'’-]{0,2}(?:of\s)?(?P<y>\d{4}|\d\d))?", _quarter),
    _form(rf"(?P<n>{'|'.join(COUNTED)})\s(?P<q>quarter|half)(?:,?{_OF}{_Y})?", _quarter),
    _form(rf"(?P<n>{SEASON})(?:(?P<c>,?{_OF}){_Y}(?:[-/–](?P<z>\d{{4}}|\d\d))?)?", _season),
    _form(
        r"(?:fy|fiscal(?:\syear)?)\s?(?P<y>\d{4}|['’]?\d\d)(?:[-/](?P<z>\d{4}|\d\d))?(?!\d)",
        _years,
    ),
    _form(r"(?P<y>\d{4})[-/](?P<m>\d\d)(?!\d)", _month),
    _form(r"(?P<a>\d{1,2})(?P<s>/)(?P<b>\d{1,2})", _numeric),
    _form(
        rf"(?P<h>[01]?\d|2[0-4])(?:[:.][0-5]\d(?::[0-5]\d)?)?\s?{_HALF}",
        _clock,
    ),
    _form(
        r"(?P<h>[0-2]?\d):[0-5]\d(?::[0-5]\d(?:\.\d+)?(?:\s?[+-]\d\d:?\d\d(?![:\d]))?)?z?",
        _clock,
    ),
    _form(r"(?P<h>[0-2]\d)[0-5]\d\s?(?:h|hrs|hours)\b", _clock),
    _form(rf"(?P<h>\d\d?|{_HOUR_WORDS})\so['’]clock", _spoken_hour),
    _form(rf"(?:half\spast|quarter\s(?:to|past))\s(?P<h>{_HOUR_WORDS})", _spoken_hour),
    _form(r"noon|midday|midnight", _noon),
    _form(r"(?P<y>\d{3}0|['’]?\d0)['’]?s", _decade),
    _form(r"(?P<y>\d{4}|['’]\d\d)(?!\d)", _years),
    _form(rf"(?P<w>{WEEKDAY})s?\.?", _weekday),
    _form(_MM, _month),
    _form(rf"(?P<d>(?P<n>[0-3]?\d)(?P<th>{ORDINAL_END}))", _nth),
)
