"""Dates in text: read from a mention, and written again in one form for each layout.

The layout of a mention is what no change of its value could change: which parts there are and in
what order, the separators, the case, how many digits a year has. Nothing else shapes the output:
no zero is copied, for 10 to 12 would not show it, and no short name of a month, for "May" is both.
So two texts that differ in their values alone are written by the same rules.

The table "written dates" of data/entities/forms.txt pairs each pattern of English with the name of
its reader here, and calendars.DateWords those of other languages (5. März 2023, 1er mars, 5 de
marzo de 2023). A reader turns a match into a piece, which can write itself again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache

from ..tables import LANGUAGES, DateWords, date_words, forms, pattern, words

SEASONS = "winter spring summer fall".split()
ROMAN = "i ii iii iv v vi vii viii ix x xi xii".split()
COUNTED = "first second third fourth".split()
HOURS = "twelve one two three four five six seven eight nine ten eleven".split()
TOP_AGE = 90  # and more: ages above 89 are released as this one
_BESIDE, _NUMBERS, _UNITS = words("BESIDE_DATES"), words("NUMBERS"), words("UNITS")
_DETERMINERS = words("DETERMINERS")
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_SAME_AGE = re.compile(rf"\A({TOP_AGE})\D+{TOP_AGE}\Z")
_COUNT = re.compile(r"\d{1,3}(?:\.\d)?", re.ASCII)


class NoDate(ValueError):
    """A date that does not exist, or that cannot be moved. It holds no text."""


class OtherOrder(NoDate):
    """A date that only the other order of day and month could read."""


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
    """A unit of the calendar. length: days on the average. index: of (year, month). middle: (year,
    month) in the middle of an index."""

    length: float
    index: Callable[[int, int], int]
    middle: Callable[[int], tuple[int, int]]

    def of(self, calendar: Calendar, number: int) -> int:
        """Return the index that a day is in. Raises NoDate where days that come again in the
        calendar do not always have the same place in it."""
        if self is WEEK and calendar is GREGORIAN:
            return (number + 5) // 7  # January 3, 2000 is a Monday
        if self is WEEK or (self is DECADE and calendar is COMMON):
            raise NoDate
        year, month, _ = calendar.date(number)
        return self.index(year, month)


WEEK = Unit(7.0, lambda y, m: 0, lambda i: (0, 0))
MONTH = Unit(30.4375, lambda y, m: 12 * y + m - 1, lambda i: (i // 12, i % 12 + 1))
QUARTER = Unit(91.3125, lambda y, m: 4 * y + (m - 1) // 3, lambda i: (i // 4, i % 4 * 3 + 2))
# Winter is December, January and February.
SEASON = Unit(91.3125, lambda y, m: (12 * y + m) // 3, lambda i: (i // 4, i % 4 * 3 + 1))
HALF = Unit(182.625, lambda y, m: 2 * y + m // 7, lambda i: (i // 2, i % 2 * 6 + 4))
YEAR = Unit(365.25, lambda y, m: y, lambda i: (i, 7))
DECADE = Unit(3652.5, lambda y, m: y // 10, lambda i: (10 * i + 5, 1))


@dataclass
class Day:
    """A day as it is written; None is a missing part. number: set by the timeline."""

    year: int | None
    month: int | None
    day: int
    calendar: Calendar = COMMON
    number: int = 0


@dataclass
class Days:
    """A day, or the first and the last day of a range. anchor: its first day, set by the timeline.
    instead: writes a shift in place of a date that implies an age over 89."""

    days: list[Day]
    write: Callable[[list[YMD]], str]
    anchor: Anchor | None = None
    replacement: Callable[[int], str] | None = None


@dataclass
class Period:
    """A week, month, ... or decade. calendar: by the digits of its year. anchor: the day that it
    goes with. instead: see Days."""

    unit: Unit
    index: int
    calendar: Calendar
    write: Callable[[int], str]
    is_holiday: bool = False
    anchor: Anchor | None = None
    replacement: Callable[[int], str] | None = None


@dataclass
class Loose:
    """A day of the week or a time, which moves by the shift of (days, hours) alone."""

    write: Callable[[int, int], str]


@dataclass
class Constant:
    """A replacement that does not depend on the shift."""

    text: str
    is_holiday: bool = False


Piece = Days | Period | Loose | Constant | str  # text between the others
Match = re.Match[str]


@dataclass(frozen=True)
class DateContext:
    """What is public about a mention. order: "mdy", "dmy", or "" where numeric dates of the
    document contradict it. before: the words before it, in lower case. language: of the document,
    and for a reader that of the form."""

    order: str
    before: tuple[str, ...] = ()
    language: str = "en"

    @property
    def names(self) -> DateWords:
        """The words for dates of the language."""
        return date_words(self.language)


Reader = Callable[[Match, DateContext], Piece]
Form = tuple[re.Pattern[str], Reader, str]  # and its language


def read_in(text: str, context: DateContext) -> list[Piece]:
    """Read a mention in the language of the document or else its own. Raises NoDate."""
    for language in dict.fromkeys((context.language, *LANGUAGES, "en")):
        try:
            return read(text, context, forms_in(language), date_words(language).beside)
        except OtherOrder:
            raise
        except NoDate:
            continue
    raise NoDate


def read(
    text: str, context: DateContext, forms: Sequence[Form], beside: frozenset[str]
) -> list[Piece]:
    """Read a mention. Raises NoDate for what is neither a date nor relative to one. beside: further
    words that may stay."""
    pieces: list[Piece] = []
    start = place = 0
    while place < len(text):
        fit = _match(text, place, forms)
        if fit is None:
            place += 1
            continue
        match, reader, language = fit
        pieces += [text[start:place], reader(match, replace(context, language=language))]
        start = place = match.end()
    pieces.append(text[start:])
    words = [word for piece in pieces if isinstance(piece, str) for word in _WORD.findall(piece)]
    words = [word for word in words if word.lower() not in beside]
    if not _is_relative(words, any(isinstance(piece, Days | Period | Loose) for piece in pieces)):
        raise NoDate
    holidays = [piece for piece in pieces if getattr(piece, "is_holiday", False)]
    if holidays and any(isinstance(piece, Days | Loose) for piece in pieces):
        # Its date or day of the week would tell which one it was. A bracket stays closed.
        return [holidays[0], " (then" * (text.count("(") > text.count(")"))]
    return pieces


def _match(text: str, place: int, forms: Sequence[Form]) -> tuple[Match, Reader, str] | None:
    """Match the first form that fits here, unless it is within a longer word."""
    before = text[place - 1 : place]
    if before.isalnum() or before == "_":
        # The time of an ISO 8601 date begins: 2020-01-05T14:05.
        if not (before in "tT" and text[max(place - 2, 0) : place - 1].isdigit()):
            return None
    for form, reader, language in forms:
        match = form.match(text, place)
        after = text[match.end() : match.end() + 1] if match else ""
        goes_on = after in "TtZz" and text[match.end() - 1].isdigit() if match else False
        if match and match.end() > place and (goes_on or not after.isalnum()):
            return match, reader, language
    return None


def _is_relative(words: Sequence[str], dated: bool) -> bool:
    """Return whether all of these words may stay: listed words, and numbers beside a unit, or, if
    they are written as words, without a date."""
    split = [re.split(r"[-']", word.lower().replace("’", "'")) for word in words]
    parts = [part for pieces in split for part in pieces if part not in ("", "s")]
    undated = [part for part in parts if part not in _BESIDE]
    if any(part in _UNITS for part in parts):
        undated = [part for part in undated if part not in _NUMBERS and not _COUNT.fullmatch(part)]
    elif not dated:
        undated = [part for part in undated if part not in _NUMBERS]
    return not undated


def cased(name: str, model: str) -> str:
    """Return the name in the case of the model."""
    if len(model) > 1 and model.isupper():
        return name.upper()
    return name.lower() if model.islower() else name


def ordinal(number: int, model: str | None) -> str:
    """Return 21st for 21 and "th"; the number alone without a model."""
    if not model:
        return str(number)
    ends = {1: "st", 2: "nd", 3: "rd"}
    end = "th" if 10 < number % 100 < 14 else ends.get(number % 10, "th")
    return str(number) + (end.upper() if model.isupper() else end)


def put(m: Match, /, **values: str | int) -> str:
    """Replace the groups of a match that matched. An integer is a year, written with as many digits
    as it has there."""
    text, place = "", m.start()
    for start, name in sorted((m.start(name), name) for name in values):
        if start >= 0:
            value = values[name]
            value = value if isinstance(value, str) else _year_as(value, m[name])
            text += m.string[place:start] + value
            place = m.end(name)
    return text + m.string[place : m.end()]


def _year_as(year: int, model: str) -> str:
    if len(model) != 4:
        return f"{model[:-2]}{year % 100:02d}"
    if not 1 <= year <= 9999:
        raise NoDate
    return f"{year:04d}"


def _year(text: str | None) -> tuple[int | None, Calendar]:
    if text is None:
        return None, COMMON
    digits = text.strip("'’")
    return (int(digits), GREGORIAN) if len(digits) == 4 else (2000 + int(digits), CENTURY)


def _month_as(number: int, m: Match, context: DateContext) -> str:
    """In full; three letters where it is joined to its numbers, as in 31-JAN-2020."""
    name, joint = context.names.months[number - 1].capitalize(), m["g"]
    joined = joint is not None and not re.search(r"\s", joint)
    return cased(name[:3] if joined else name, m["m"])


def _day_as(number: int, m: Match, context: DateContext) -> str:
    return "1er" if number == 1 and context.language == "fr" else ordinal(number, m["th"])


# -- readers: days -----------------------------------------------------------------------------


def _day_of(day: str, month: int | None, year: str | None) -> Day:
    number, calendar = _year(year)
    return Day(number, month, int(day), calendar)


def _one_day(day: Day, write: Callable[[int, int, int], str]) -> Days:
    return Days([day], lambda days: write(*days[0]))


def _named_day(m: Match, context: DateContext) -> Days:
    """March 5, 2019; 5th of March; 31-JAN-2020; 5. März 2023, 1er mars."""
    return _one_day(
        _day_of(m["n"], context.names.number(m["m"]), m["y"]),
        lambda y, month, d: put(m, m=_month_as(month, m, context), d=_day_as(d, m, context), y=y),
    )


def _local_range(m: Match, context: DateContext) -> Days:
    """5. bis 9. März 2023, du 5 au 9 mars: the months of both ends are written."""
    month = context.names.number(m["m"])
    first_month = context.names.number(m["m1"]) if m["m1"] else month
    ends = [_day_of(m["n"], first_month, None), _day_of(m["n2"], month, m["y"])]

    def write(days: list[YMD]) -> str:
        (_, mo, d), (y, mo2, d2) = days
        text = _day_as(d, m, context) + m["dot"]
        if mo != mo2 or m["m1"]:
            text += (m["j1"] or " ") + _month_as(mo, m, context)
        written = put(m, n2=_day_as(d2, m, context), m=_month_as(mo2, m, context), y=y)
        return text + m["to"] + written[m.start("n2") - m.start() :]

    return Days(ends, write)


def _named_range(m: Match, context: DateContext) -> Days:
    """March 5 to 9, 2021; 28 March - 2 April 2021; Dec 30, 2020 - Jan 3, 2021. What both ends share
    is written once, and a dash has blanks where it is not between two numbers."""
    first_month, last_month = m["m"] or m["m2"], m["m2"] or m["m"]
    number = context.names.number
    ends = [
        _day_of(m["n"], number(first_month), m["y"]),
        _day_of(m["n2"], number(last_month), m["y2"]),
    ]
    year, month_first = m["y2"] or m["y"], m.start("m") == m.start()
    comma = (m["c2"] or m["c"] or " ") if month_first else " "

    def write(days: list[YMD]) -> str:
        (y, mo, _), (y2, mo2, _) = days
        months = context.names.months[mo - 1], context.names.months[mo2 - 1]
        names = [cased(month.capitalize(), first_month) for month in months]
        numbers = [ordinal(day, m["th"]) for *_, day in days]
        years = [comma + _year_as(number, year) if year else "" for number in (y, y2)]
        pairs = zip(names, numbers, strict=True)
        texts = [f"{name} {day}" if month_first else f"{day} {name}" for name, day in pairs]
        is_one_month, dash = (y, mo) == (y2, mo2), m["to"].strip()
        if is_one_month:
            texts[month_first] = numbers[month_first]
        to = m["to"] if dash.isalpha() else dash if is_one_month else f" {dash} "
        return texts[0] + years[0] * (y != y2) + to + texts[1] + years[1]

    return Days(ends, write)


def _iso(m: Match, context: DateContext) -> Days:
    """2019-03-05, 20190305."""
    day = _day_of(m["d"], int(m["m"]), m["y"])
    return _one_day(day, lambda y, month, d: put(m, y=y, m=f"{month:02d}", d=f"{d:02d}"))


def _numeric(m: Match, context: DateContext) -> Days:
    """3/4/2019, 3/4, 5/12-5/14/2021: two digits each where a year has four."""
    order = "dmy" if m["s"] == "." else context.order
    groups = [("a", "b", "y"), ("a2", "b2", "y2")][: 2 if m["a2"] else 1]
    wide = 2 if len(m["y2"] or m["y"] or "") == 4 else 1
    ends = []
    for a, b, y in groups:
        month, day = (int(m[a]), int(m[b])) if order == "mdy" else (int(m[b]), int(m[a]))
        if order and 1 <= day <= 12 < month <= 31:
            raise OtherOrder
        if not order or not (1 <= month <= 12 and 1 <= day <= 31):
            raise NoDate
        ends.append(_day_of(str(day), month, m[y]))

    def write(days: list[YMD]) -> str:
        groups_drawn: dict[str, str | int] = {}
        for (a, b, y), (year, month, day) in zip(groups, days, strict=True):
            pair = (month, day) if order == "mdy" else (day, month)
            groups_drawn |= {a: f"{pair[0]:0{wide}d}", b: f"{pair[1]:0{wide}d}", y: year}
        return put(m, **groups_drawn)

    return Days(ends, write)


def _roman(m: Match, context: DateContext) -> Days:
    """3.IX.1988: the month as a Roman number."""
    month = ROMAN.index(m["m"].lower()) + 1
    return _one_day(
        _day_of(m["n"], month, m["y"]),
        lambda y, mo, d: put(m, d=str(d), m=cased(ROMAN[mo - 1].upper(), m["m"]), y=y),
    )


def _nth(m: Match, context: DateContext) -> Days:
    """The 12th, of a month that is not named."""
    if not 1 <= int(m["n"]) <= 31:
        raise NoDate
    return _one_day(_day_of(m["n"], None, None), lambda y, month, d: ordinal(d, m["th"]))


# -- readers: weeks, months, ..., decades ------------------------------------------------------


def _period(unit: Unit, year: str | None, month: int, write: Callable[[int], str]) -> Period:
    number, calendar = _year(year)
    if not 1 <= month <= 12:
        raise NoDate
    return Period(unit, unit.index(number or COMMON.first, month), calendar, write)


def _month(m: Match, context: DateContext) -> Period:
    """March, March 2019, Mar-2019, 03/2019, 2019-03, marzo de 2023."""
    numeric = m["m"].isdigit()

    def write(index: int) -> str:
        month = index % 12 + 1
        return put(m, m=f"{month:02d}" if numeric else _month_as(month, m, context), y=index // 12)

    number = int(m["m"]) if numeric else context.names.number(m["m"])
    return _period(MONTH, m["y"], number, write)


def _season(m: Match, context: DateContext) -> Period:
    """Winter, winter of 2020, winter 2019-2020: that of 2020."""
    year = m["y"]
    if year and m["z"]:
        year = year[: len(year) - len(m["z"])] + m["z"]
    name = m["n"].lower().replace("autumn", "fall")

    def write(index: int) -> str:
        moved = cased(SEASONS[index % 4].capitalize(), m["n"])
        return moved + (m["c"] + _year_as(index // 4, m["y"]) if m["y"] else "")

    return _period(SEASON, year, 3 * SEASONS.index(name) + 1, write)


def _quarter(m: Match, context: DateContext) -> Period:
    """Q3 2020, 3Q20, 2020 Q3, H1 2020, third quarter of 2020."""
    unit, count_of_year = (HALF, 2) if m["q"][0] in "hH" else (QUARTER, 4)
    word = m["n"].isalpha()
    count = COUNTED.index(m["n"].lower()) + 1 if word else int(m["n"])
    if count > count_of_year:
        raise NoDate

    def write(index: int) -> str:
        count_written = (
            cased(COUNTED[index % count_of_year], m["n"])
            if word
            else str(index % count_of_year + 1)
        )
        return put(m, n=count_written, y=index // count_of_year)

    return _period(unit, m["y"], (count - 1) * (12 // count_of_year) + 1, write)


def _week(m: Match, context: DateContext) -> Period:
    """Week 32 of 2020, 2020-W32: as ISO 8601 counts them."""
    try:
        start = date.fromisocalendar(int(m["y"]), int(m["n"]), 1)
    except ValueError:
        raise NoDate from None

    def write(index: int) -> str:
        moved = date(*GREGORIAN.date(7 * index - 5)).isocalendar()
        wide = 2 if m.start("y") == m.start() else 1
        return put(m, n=f"{moved.week:0{wide}d}", y=moved.year)

    index = WEEK.of(GREGORIAN, (start - date(2000, 1, 1)).days)
    return Period(WEEK, index, GREGORIAN, write)


def _years(m: Match, context: DateContext) -> Period:
    """2019, '98, FY2020, 2019/20 of a fiscal year: by the year that it ends in."""
    if m["z"] and int(m["y"].strip("'’")) % 100 != (int(m["z"]) - 1) % 100:
        raise NoDate
    return _period(YEAR, m["y"], 1, lambda index: put(m, y=index, z=index + 1))


def _decade(m: Match, context: DateContext) -> Piece:
    """The 1990s, the 90s; an age in "her 90s" stays."""
    if len(m["y"]) == 2 and context.before[-1:] in [("her",), ("his",), ("their",), ("my",)]:
        return m[0]
    return _period(DECADE, m["y"], 1, lambda index: put(m, y=10 * index))


# -- readers: days of the week, times, ages, holidays ------------------------------------------


def _weekday(m: Match, context: DateContext) -> Piece:
    """Monday, Mon., Montag. Within the name of a feast or of another thing ("Super Bowl |Sunday") a
    moved one would tell the shift modulo 7."""
    phrase = " ".join((*context.before, m.string[: m.end()].lower()))
    if pattern("FEAST_END").search(phrase):
        raise NoDate
    if pattern("WEEKDAY_PHRASE_END").search(phrase):
        return Constant(m[0])
    names, text = context.names.weekdays, m["w"].lower()
    number = next(i for i, name in enumerate(names) if name[:3] == text[:3])
    length = None if text == names[number] else 3

    def write(days: int, hours: int) -> str:
        return put(m, w=cased(names[(number + days) % 7].capitalize()[:length], m["w"]))

    return Loose(write)


def _clock(m: Match, context: DateContext) -> Loose:
    """Of 24 hours: 09:05, 14 Uhr. With a half of the day: 9:05 am. The half is a part of the value,
    as the hour is; what it is written with is the layout."""
    hour, half = int(m["h"]), (m["half"] or "").lower()
    if hour > 24 or (half and not 1 <= hour <= 12):
        raise NoDate
    day = hour % 12 + 12 * (half == "p") if half else hour

    def write(days: int, hours: int) -> str:
        moved = (day + hours) % 24
        if not half:
            return put(m, h=f"{moved:02d}")
        return put(m, h=str(moved % 12 or 12), half=cased("P" if moved >= 12 else "A", m["half"]))

    return Loose(write)


def _spoken_hour(m: Match, context: DateContext) -> Loose:
    """Nine o'clock, half past nine: of 12 hours, written as a word or a number."""
    word = m["h"].isalpha()
    hour = HOURS.index(m["h"].lower()) if word else int(m["h"])
    if hour > 12:
        raise NoDate
    names = [cased(name.capitalize(), m["h"]) for name in HOURS] if word else [12, *range(1, 12)]
    return Loose(lambda _, hours: put(m, h=str(names[(hour + hours) % 12])))


def _noon(m: Match, context: DateContext) -> Loose:
    noon = 0 if m[0].lower() == "midnight" else 12
    names = [f"{hour or 12} {half}" for half in ("am", "pm") for hour in range(12)]
    return Loose(lambda _, hours: names[(noon + hours) % 24])


def capped(ages: str) -> str:
    """Return one or two ages, 90 in place of those above 89; one where both are."""
    return _SAME_AGE.sub(r"\1", re.sub(r"\d+", lambda m: str(min(int(m[0]), TOP_AGE)), ages))


def _age(m: Match, context: DateContext) -> Constant:
    """As it is up to 89. Also 93rd birthday, ninety-three, nonagenarian."""
    number = m["n"]
    if number[0].isdigit():
        old = max(map(int, re.findall(r"\d+", number))) > TOP_AGE
        age = ordinal(TOP_AGE, m["th"]) if m["th"] else capped(number)
        return Constant(put(m, n=age) if old else m[0])
    if number.lower().endswith("arian"):
        return Constant(put(m, n=cased("Nonagenarian", number)))
    return Constant(put(m, n=cased("Ninetieth" if m["th"] else "Ninety", number)))


def _holiday(m: Match, context: DateContext) -> Piece:
    """The same words for all: which one it is would tell the shift."""
    if context.language != "en":
        return Constant(context.names.holiday, is_holiday=True)
    inside = _WORD.findall(m.string[max(m.start() - 20, 0) : m.start()])[-1:]
    lead = (inside or [*context.before[-1:], ""])[0].lower()
    article = "" if lead in _DETERMINERS else "A " if lead in (".", "!", "?") else "a "
    text, (number, calendar) = f"{article}holiday", _year(m["y"])
    if number is None:
        return Constant(text, is_holiday=True)
    return Period(YEAR, number, calendar, lambda i: f"{text} in {_year_as(i, m['y'])}", True)


READERS: dict[str, Reader] = {
    "age": _age, "clock": _clock, "decade": _decade, "holiday": _holiday, "iso": _iso,
    "local_range": _local_range, "month": _month, "named_day": _named_day,
    "named_range": _named_range, "noon": _noon, "nth": _nth, "numeric": _numeric,
    "quarter": _quarter, "roman": _roman, "season": _season, "spoken_hour": _spoken_hour,
    "week": _week, "weekday": _weekday, "years": _years,
    "count": lambda m, context: Constant(m[0]),  # the 3rd week, the 20th century
}  # fmt: skip


@cache
def forms_in(language: str) -> tuple[Form, ...]:
    """Compile the forms of a language and then those of English; the first that matches is taken.
    Groups that a form lacks are None."""
    english = language == "en"
    asked = "y g th z c half to a2 b2 y2 n2 m2 c2".split()
    compiled: list[Form] = []
    for name, form in forms("written dates") if english else date_words(language).patterns():
        lacks = "".join(f"(?P<{group}>(?!))?" for group in asked if f"(?P<{group}>" not in form)
        flags = re.I | re.ASCII if english else re.I
        compiled.append((re.compile(form + lacks, flags), READERS[name], language))
    return tuple(compiled) if english else (*compiled, *forms_in("en"))
