"""A grammar of dates: a mention is read by written forms, and written again in the same forms.

A form is a regular expression whose groups are fields (day, month, year, hour), and the name of a
reader here. The table "written dates" of data/entities/forms.txt has those of English, and
tables.DateWords those of other languages (5. März 2023, 1er mars, 5 de marzo de 2023). A reader
turns a match into a piece, which writes each field again by FIELDS.

The layout of a mention is what no change of its value could change: which parts there are and in
what order, the separators, the case, how many digits a year has. Nothing else shapes the output:
no zero is copied, for 10 to 12 would not show it, and no short name of a month, for "May" is both.
So two texts that differ in their values alone are written by the same rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, partial

from ..tables import LANGUAGES, DateWords, date_words, forms, pattern, words
from .calendar import (
    CENTURY,
    COMMON,
    DECADE,
    GREGORIAN,
    HALF,
    MONTH,
    QUARTER,
    SEASON,
    WEEK,
    YEAR,
    YMD,
    Anchor,
    Calendar,
    Day,
    NoDate,
    Unit,
)

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


class OtherOrder(NoDate):
    """A date that only the other order of day and month could read."""


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


# -- fields: each is read from a group of a form, and written in its place ----------------------


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


def _read_year(text: str | None) -> tuple[int | None, Calendar]:
    if text is None:
        return None, COMMON
    digits = text.strip("'’")
    return (int(digits), GREGORIAN) if len(digits) == 4 else (2000 + int(digits), CENTURY)


def _write_year(year: int, model: str, m: Match, context: DateContext) -> str:
    """With as many digits as there."""
    if len(model) != 4:
        return f"{model[:-2]}{year % 100:02d}"
    if not 1 <= year <= 9999:
        raise NoDate
    return f"{year:04d}"


def _read_month(text: str, context: DateContext) -> int:
    name = text.lower().rstrip(".")
    if text.isdigit() or name in ROMAN:
        return int(text) if text.isdigit() else ROMAN.index(name) + 1
    return context.names.spellings[name]


def _write_month(month: int, model: str, m: Match, context: DateContext) -> str:
    """A name in full; in three letters where it is joined to its numbers, as in 31-JAN-2020."""
    if model.isdigit():
        return f"{month:02d}"
    if model.lower() in ROMAN:
        return cased(ROMAN[month - 1].upper(), model)
    name, joint = context.names.months[month - 1].capitalize(), m["g"]
    is_joined = joint is not None and not re.search(r"\s", joint)
    return cased(name[:3] if is_joined else name, model)


def _read_day(text: str) -> int:
    day = int(re.split(r"\D", text)[0])
    if not 1 <= day <= 31:
        raise NoDate
    return day


def _write_day(day: int, model: str, m: Match, context: DateContext) -> str:
    if context.language == "en":
        return ordinal(day, model.lstrip("0123456789"))
    return "1er" if day == 1 and context.language == "fr" else str(day)


def _write_number(number: int, model: str, m: Match, context: DateContext) -> str:
    """A day or a month in digits: two where a year has four."""
    return f"{number:0{2 if len(m['y2'] or m['y'] or '') == 4 else 1}d}"


def _read_count(text: str) -> int:
    name = text.lower().replace("autumn", "fall")
    names = SEASONS if name in SEASONS else COUNTED
    return int(text) if text.isdigit() else names.index(name) + 1


def _write_count(count: int, model: str, m: Match, context: DateContext) -> str:
    if model.isdigit():
        return str(count)
    is_counted = model.lower() in COUNTED
    return cased(COUNTED[count - 1] if is_counted else SEASONS[count - 1].capitalize(), model)


FIELDS: dict[str, Callable[[int, str, Match, DateContext], str]] = {
    "y": _write_year, "z": _write_year, "m": _write_month, "d": _write_day,
    "a": _write_number, "b": _write_number, "n": _write_count,
}  # fmt: skip


def put(m: Match, context: DateContext, /, **values: str | int) -> str:
    """Replace the groups of a match that matched. An integer is written by its field."""
    text, place = "", m.start()
    for start, group in sorted((m.start(group), group) for group in values):
        if start >= 0:
            value = values[group]
            if isinstance(value, int):
                value = FIELDS[group[0]](value, m[group], m, context)
            text += m.string[place:start] + value
            place = m.end(group)
    return text + m.string[place : m.end()]


# -- readers: days -----------------------------------------------------------------------------


def _day(m: Match, context: DateContext) -> Days:
    """March 5, 2019; 5th of March; 31-JAN-2020; 3.IX.1988; 5. März 2023, 1er mars; the 12th."""
    year, calendar = _read_year(m["y"])
    month = _read_month(m["m"], context) if m["m"] else None
    day = Day(year, month, _read_day(m["d"]), calendar)

    def write(days: list[YMD]) -> str:
        y, mo, d = days[0]
        return put(m, context, m=mo, d=d, y=y)

    return Days([day], write)


def _numeric(m: Match, context: DateContext) -> Days:
    """2019-03-05, 20190305, 3/4/2019, 3/4, 5/12-5/14/2021."""
    year_first = m.start("y") == m.start()
    order = "mdy" if year_first else "dmy" if m["s"] == "." else context.order
    month_of, day_of = ("a", "b") if order == "mdy" else ("b", "a")
    ends = ["", "2"] if m["a2"] else [""]
    numbered = []
    for end in ends:
        month, day = int(m[month_of + end]), int(m[day_of + end])
        if order and not year_first and 1 <= day <= 12 < month <= 31:
            raise OtherOrder
        if not order or not (1 <= month <= 12 and 1 <= day <= 31):
            raise NoDate
        year, calendar = _read_year(m["y" + end])
        numbered.append(Day(year, month, day, calendar))

    def write(days: list[YMD]) -> str:
        values: dict[str, str | int] = {}
        for end, (y, mo, d) in zip(ends, days, strict=True):
            values |= {"y" + end: y, month_of + end: mo, day_of + end: d}
        return put(m, context, **values)

    return Days(numbered, write)


def _range(m: Match, context: DateContext) -> Days:
    """March 5 to 9, 2021; 28 March - 2 April 2021; Dec 30, 2020 - Jan 3, 2021; 5. bis 9. März."""
    months = m["m"] or m["m2"], m["m2"] or m["m"]
    ends = []
    for month, end in zip(months, ("", "2"), strict=True):
        year, calendar = _read_year(m["y" + end])
        ends.append(Day(year, _read_month(month, context), _read_day(m["d" + end]), calendar))
    write = _write_range if context.language == "en" else _write_local_range
    return Days(ends, lambda days: write(days, months[0], m, context))


def _write_range(days: list[YMD], month: str, m: Match, context: DateContext) -> str:
    """What both ends share is written once, and a dash has blanks where it is not between two
    numbers."""
    (y, mo, d), (y2, mo2, d2) = days
    year, month_first = m["y2"] or m["y"], m.start("m") == m.start()
    comma = (m["c2"] or m["c"] or " ") if month_first else " "
    names = [_write_month(number, month, m, context) for number in (mo, mo2)]
    numbers = [_write_day(day, m["d"], m, context) for day in (d, d2)]
    years = [comma + _write_year(y, year, m, context) if year else "" for y in (y, y2)]
    pairs = zip(names, numbers, strict=True)
    texts = [f"{name} {day}" if month_first else f"{day} {name}" for name, day in pairs]
    is_one_month, dash = (y, mo) == (y2, mo2), m["to"].strip()
    if is_one_month:
        texts[month_first] = numbers[month_first]
    to = m["to"] if dash.isalpha() else dash if is_one_month else f" {dash} "
    return texts[0] + years[0] * (y != y2) + to + texts[1] + years[1]


def _write_local_range(days: list[YMD], month: str, m: Match, context: DateContext) -> str:
    """5. bis 9. März 2023, du 5 au 9 mars. The months of both ends are written if they differ."""
    (_, mo, d), (y2, mo2, d2) = days
    first = _write_day(d, m["d"], m, context) + m["dot"]
    if mo != mo2 or m["m"]:
        first += (m["j"] or " ") + _write_month(mo, month, m, context)
    return first + put(m, context, d2=d2, m2=mo2, y2=y2)[m.start("to") - m.start() :]


# -- readers: weeks, months, ..., decades ------------------------------------------------------


def _period(unit: Unit, m: Match, context: DateContext) -> Period:
    """March 2019, 03/2019, marzo de 2023, Q3 2020, third quarter, 2019, FY2019/20 and winter
    2019-2020 (by the year that they end in), the 1990s."""
    text, until, place = m["y"], (m["x"] or "-")[1:], m["m"] or m["n"]
    year, calendar = _read_year(text[: len(text) - len(until)] + until if text else None)
    if m["q"] and m["q"][0] in "hH":
        unit = HALF
    count = 1 if not place else _read_month(place, context) if m["m"] else _read_count(place)
    if not 1 <= count <= max(1, 12 // unit.months):
        raise NoDate
    index = (12 * (year or COMMON.first) + (count - 1) * unit.months) // unit.months

    def write(index: int) -> str:
        year, months = divmod(index * unit.months, 12)
        count = months // unit.months + 1
        return put(m, context, y=year, z=year + 1, m=count, n=count, x="")

    return Period(unit, index, calendar, write)


def _year(m: Match, context: DateContext) -> Period:
    if m["z"] and int(m["y"].strip("'’")) % 100 != (int(m["z"]) - 1) % 100:
        raise NoDate
    return _period(YEAR, m, context)


def _decade(m: Match, context: DateContext) -> Piece:
    """The 1990s, the 90s; an age in "her 90s" stays."""
    if len(m["y"]) == 2 and context.before[-1:] in [("her",), ("his",), ("their",), ("my",)]:
        return m[0]
    return _period(DECADE, m, context)


def _week(m: Match, context: DateContext) -> Period:
    """Week 32 of 2020, 2020-W32: as ISO 8601 counts them."""
    try:
        start = date.fromisocalendar(int(m["y"]), int(m["n"]), 1)
    except ValueError:
        raise NoDate from None

    def write(index: int) -> str:
        moved = date(*GREGORIAN.date(7 * index - 5)).isocalendar()
        wide = 2 if m.start("y") == m.start() else 1
        return put(m, context, n=f"{moved.week:0{wide}d}", y=moved.year)

    index = WEEK.index(GREGORIAN, (start - date(2000, 1, 1)).days)
    return Period(WEEK, index, GREGORIAN, write)


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
        return put(m, context, w=cased(names[(number + days) % 7].capitalize()[:length], m["w"]))

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
            return put(m, context, h=f"{moved:02d}")
        return put(
            m, context, h=str(moved % 12 or 12), half=cased("P" if moved >= 12 else "A", m["half"])
        )

    return Loose(write)


def _spoken_hour(m: Match, context: DateContext) -> Loose:
    """Nine o'clock, half past nine: of 12 hours, written as a word or a number."""
    word = m["h"].isalpha()
    hour = HOURS.index(m["h"].lower()) if word else int(m["h"])
    if hour > 12:
        raise NoDate
    names = [cased(name.capitalize(), m["h"]) for name in HOURS] if word else [12, *range(1, 12)]
    return Loose(lambda _, hours: put(m, context, h=str(names[(hour + hours) % 12])))


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
        return Constant(put(m, context, n=age) if old else m[0])
    if number.lower().endswith("arian"):
        return Constant(put(m, context, n=cased("Nonagenarian", number)))
    return Constant(put(m, context, n=cased("Ninetieth" if m["th"] else "Ninety", number)))


def _holiday(m: Match, context: DateContext) -> Piece:
    """The same words for all: which one it is would tell the shift."""
    if context.language != "en":
        return Constant(context.names.holiday, is_holiday=True)
    inside = _WORD.findall(m.string[max(m.start() - 20, 0) : m.start()])[-1:]
    lead = (inside or [*context.before[-1:], ""])[0].lower()
    article = "" if lead in _DETERMINERS else "A " if lead in (".", "!", "?") else "a "
    text, (number, calendar) = f"{article}holiday", _read_year(m["y"])
    if number is None:
        return Constant(text, is_holiday=True)

    def write(year: int) -> str:
        return f"{text} in {_write_year(year, m['y'], m, context)}"

    return Period(YEAR, number, calendar, write, is_holiday=True)


READERS: dict[str, Reader] = {
    "age": _age, "clock": _clock, "day": _day, "decade": _decade, "holiday": _holiday,
    "month": partial(_period, MONTH), "noon": _noon, "numeric": _numeric,
    "quarter": partial(_period, QUARTER), "range": _range, "season": partial(_period, SEASON),
    "spoken_hour": _spoken_hour, "week": _week, "weekday": _weekday, "year": _year,
    "count": lambda m, context: Constant(m[0]),  # the 3rd week, the 20th century
}  # fmt: skip
GROUPS = "y y2 z x c c2 m m2 d2 a2 n g q s th to half".split()


@cache
def forms_in(language: str) -> tuple[Form, ...]:
    """Compile the forms of a language and then those of English; the first that matches is taken.
    Groups that a form lacks are None."""
    english = language == "en"
    compiled: list[Form] = []
    for name, form in forms("written dates") if english else date_words(language).patterns():
        lacks = "".join(f"(?P<{group}>(?!))?" for group in GROUPS if f"(?P<{group}>" not in form)
        flags = re.I | re.ASCII if english else re.I
        compiled.append((re.compile(form + lacks, flags), READERS[name], language))
    return tuple(compiled) if english else (*compiled, *forms_in("en"))
