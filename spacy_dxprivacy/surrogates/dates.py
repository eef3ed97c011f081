"""A grammar of dates: it parses a mention by written forms and writes it again in the same forms.

A form is a regular expression whose groups are fields (day, month, year, hour), with the name of a
reader in this module. The table "written dates" of data/entities/forms.txt has the English forms,
and tables.DateWords has those of other languages (5. März 2023, 1er mars, 5 de marzo de 2023). A
reader turns a match into a piece, which writes each field again by FIELDS.

The layout of a mention is everything that does not depend on its value: its parts and their order,
the separators, the case, and the number of digits of a year. Nothing else decides the form of the
output. Zeros are not copied, since 10 to 12 have none, nor is a month's short name, since "May" is
short and full at once. So two texts that differ only in their values are written by the same rules.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, partial
from itertools import pairwise
from typing import Any

from ..entities.tables import (
    LANGUAGES,
    TOP_AGE,
    DateWords,
    date_words,
    expanded,
    forms,
    pattern,
    words,
)
from ..text.language import ORDERS
from .calendar import (
    DAY_HOURS,
    GREGORIAN,
    UNITS,
    YMD,
    Clock,
    Day,
    Days,
    Loose,
    NoDate,
    Period,
    Weekday,
    read_year,
)
from .number_words import (
    ORDINALS,
    day_of,
    is_short_year,
    short_year_in_words,
    year_in_words,
    year_of,
)

# Words for the numbers from 1 on, in the case in which they are written.
SEASONS = "Winter Spring Summer Fall".split()
ROMAN = "I II III IV V VI VII VIII IX X XI XII".split()
COUNTED = "first second third fourth".split()
HOURS = "One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve".split()
WORDS_BESIDE = 2  # that say what the years beside them are of
_OF_YEARS = frozenset(
    "academic budget campaign championship cup edition financial fiscal fy league school season "
    "seasons tax term winter year years".split()
)
ENDS = ("", "2")  # suffixes of the field names of both days of a range
WORDS_BEFORE_YEAR = 8  # of which one says that a number in words is a year
_BEFORE_SHORT_YEARS = frozenset(
    "in since till until from of say think guess reckon believe suppose".split()
)
MOST_YEARS = 10  # of a season or a school year: 2019/20, and not 2019-13
_BESIDE, _NUMBERS, _UNITS = words("BESIDE_DATES"), words("NUMBERS"), words("UNITS")
_DETERMINERS = words("DETERMINERS")
_WISHES = frozenset("happy merry blessed joyous".split())
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_SAME_AGE = re.compile(rf"\A({TOP_AGE})\D+{TOP_AGE}\Z")
# No form begins or ends within a longer word, except the time of 2020-01-05T14:05Z. None begins
# within a decimal number: 28.8 years. The time of 20230314235012 begins behind eight digits.
_BEGIN = re.compile(r"(?:(?<!\w)(?<!\d\.)|(?<=\d[tT])|(?<=(?<!\d)\d{8})|(?<=(?<!\d)\d{8}_))(?=\S)")
_END = r"(?:(?![^\W_])|(?<=\d)(?=[tTzZ])|(?<=(?<!\d)\d{8})(?=\d{4}(?:\d\d)?(?!\d)))"
# The days before the last of a list of numbers (3, 10 and 17/06/2024), and what joins them.
_NUMBERED = re.compile(rf"(\d\d?)({expanded('DAY_JOINT')})")
_ORDER = re.compile(expanded("DAY_WORDS"))
_MONTH_AND_YEAR = re.compile(r"(?:0[1-9]|1[0-2])/\d\d", re.ASCII)
_DAY_BEHIND = re.compile(r"\d\d?[/-]\d\d?", re.ASCII)
_EXPIRY = frozenset("bbe exp expiry".split())
_COUNT = re.compile(r"\d{1,3}(?:\.\d)?", re.ASCII)


class OtherOrder(NoDate):
    """Raised for a date that exists only in another order of day, month and year."""


Piece = Days | Period | Weekday | Clock | Loose | str
# A function that matches the form at a place of a text, the name of its reader, and its language.
Form = tuple[Callable[[str, int], re.Match[str] | None], str, str]
Beside = tuple[Sequence[str], Sequence[str]]  # words before and after a mention


@dataclass
class Written:
    """The match of a form, whose fields can be read and written again; a missing field is None.

    kind: name of the reader. language: language of the form. order: one of ORDERS, or "" if the
    document's numeric dates fit none. before, after: words beside the mention, in lower case.
    """

    match: re.Match[str]
    kind: str
    language: str
    order: str
    before: Sequence[str]
    after: Sequence[str] = ()

    def __post_init__(self) -> None:
        self._fields = self.match.groupdict()

    def __getitem__(self, field: str) -> Any:
        value = self._fields.get(field)
        if value is not None and field[0] == "y" and value[0].isalpha():
            return str(year_of(value))
        return value

    @property
    def names(self) -> DateWords:
        """The date words of the language."""
        return date_words(self.language)

    @property
    def text(self) -> str:
        """The matched text."""
        return self.match[0]

    def begins_with(self, field: str) -> bool:
        """Return whether the matched text begins with this field."""
        return self[field] is not None and self.match.start(field) == self.match.start()

    def put(self, /, **values: str | int) -> str:
        """Return the matched text with new values in its fields. FIELDS writes integers."""
        match, text, place = self.match, "", self.match.start()
        starts = ((match.start(field), field) for field in values if self[field] is not None)
        for start, field in sorted(starts):
            value = values[field]
            if isinstance(value, int):
                value = FIELDS[field[0]](value, match[field], self)
            text += match.string[place:start] + value
            place = match.end(field)
        return text + match.string[place : match.end()]


def read(
    text: str,
    order: str,
    language: str,
    before: Sequence[str] = (),
    after: Sequence[str] = (),
    *,
    is_time: bool = False,
) -> list[Piece]:
    """Parse a mention in the language of the document or, failing that, in others; see Written.
    Raise NoDate for a mention that is neither a date nor relative to a date.

    is_time: Whether the label says that it is a time of day, as which 09.30 and 0930 are read."""
    for tried in dict.fromkeys((language, *LANGUAGES, "en")):
        try:
            return _read_in(forms_in(tried, is_time), tried, text, order, (before, after))
        except OtherOrder:
            raise
        except NoDate:
            continue
    raise NoDate


def _read_in(
    forms: Sequence[Form], language: str, text: str, order: str, beside: Beside
) -> list[Piece]:
    pieces, holidays, between = list[Piece](), list[Piece](), list[str]()
    place = 0
    while written := _next_form(forms, text, place, order, beside):
        between.append(text[place : written.match.start()])
        pieces += [between[-1], READERS[written.kind](written)]
        holidays += pieces[-1:] * (written.kind == "holiday")
        place = written.match.end()
    between.append(text[place:])
    pieces += between[-1:]
    words = [word for part in between for word in _WORD.findall(part)]
    words = [word for word in words if word.lower() not in date_words(language).beside]
    if words and not _is_relative(words, not all(isinstance(piece, str) for piece in pieces)):
        raise NoDate
    if holidays and any(isinstance(piece, Days | Weekday | Clock | Loose) for piece in pieces):
        # A date or day of the week would reveal which holiday it was. A bracket must stay closed.
        return [holidays[0], " (then" * (text.count("(") > text.count(")"))]
    return pieces


def _next_form(
    forms: Sequence[Form], text: str, place: int, order: str, beside: Beside
) -> Written | None:
    """Return the first match at or after a place; of several forms, the first in the table."""
    for begin in _BEGIN.finditer(text, place):
        start = begin.start()
        for match_form, kind, form_language in forms:
            if match := match_form(text, start):
                return Written(match, kind, form_language, order, *beside)
    return None


def _is_relative(words: Sequence[str], dated: bool) -> bool:
    """Return whether all of these words may stay: listed words, numbers beside a unit, an order of
    it (the ninth week), and numbers in words if the mention has no date."""
    split = [re.split(r"[-']", word.lower().replace("’", "'")) for word in words]
    parts = [part for pieces in split for part in pieces if part not in ("", "s")]
    undated = [
        part
        for part, after in pairwise([*parts, ""])
        if part not in _BESIDE and not (after in _UNITS and _ORDER.fullmatch(part))
    ]
    if any(part in _UNITS for part in parts):
        undated = [part for part in undated if part not in _NUMBERS and not _COUNT.fullmatch(part)]
    elif not dated:
        undated = [part for part in undated if part not in _NUMBERS]
    return not undated


# -- fields: each is read from a group of a form, and written in its place ----------------------


def match_case(name: str, model: str) -> str:
    """Return the name in the case of the model."""
    if len(model) > 1 and model.isupper():
        return name.upper()
    return name.lower() if model.islower() else name


def ordinal(number: int, model: str | None) -> str:
    """Return an ordinal, such as 21st for 21 and "th"; without a model, the number."""
    if not model:
        return str(number)
    ends = {1: "st", 2: "nd", 3: "rd"}
    end = "th" if 10 < number % 100 < 14 else ends.get(number % 10, "th")
    return str(number) + (end.upper() if model.isupper() else end)


def _write_year(year: int, model: str, m: Written) -> str:
    """Write a year with as many digits as the model has."""
    is_spoken = model[0].isalpha()
    if len(model) != 4 and not is_spoken:
        return f"{model[:-2]}{year % 100:02d}"
    if is_spoken and is_short_year(model):
        return match_case(short_year_in_words(year), model)
    if not (1000 if is_spoken else 1) <= year <= 9999:
        raise NoDate
    return match_case(year_in_words(year), model) if is_spoken else f"{year:04d}"


@cache
def _names_of(language: str) -> dict[str, tuple[int, list[str]]]:
    """Map each word to the number that it names, and to the list of names that it is from."""
    months = [name.capitalize() for name in date_words(language).months]
    numbers = {"autumn": (4, SEASONS)}
    for names in (SEASONS, ROMAN, COUNTED, HOURS):
        numbers |= {name.lower(): (i, names) for i, name in enumerate(names, 1)}
    return numbers | {name: (i, months) for name, i in date_words(language).spellings.items()}


def _read_number(text: str, m: Written) -> int:
    """Read a number in digits or as a name: March, IX, third, winter, nine."""
    return int(text) if text.isdigit() else _names_of(m.language)[text.lower().rstrip(".")][0]


def _write_name(number: int, model: str, m: Written) -> str:
    """Write a number in digits, two for a month, or as a full name; a month that is joined to its
    numbers has three letters, as in 31-JAN-2020."""
    if model.isdigit():
        return f"{number:0{2 if m['m'] else 1}d}"
    names, joint = _names_of(m.language)[model.lower().rstrip(".")][1], m["g"]
    name = names[(number - 1) % len(names)]
    is_joined = joint is not None and not re.search(r"\s", joint)
    return match_case(name[:3] if is_joined else name, model)


def _read_day(text: str) -> int:
    if text[0].isalpha():
        return day_of(text)
    day = int(re.split(r"\D", text)[0])
    if not 1 <= day <= 31:
        raise NoDate
    return day


def _write_day(day: int, model: str, m: Written) -> str:
    if model[:1].isalpha():
        return match_case(ORDINALS[day - 1], model)
    if m.language == "en":
        return ordinal(day, model.lstrip("0123456789"))
    return "1er" if day == 1 and m.language == "fr" else str(day)


def _write_number(number: int, model: str, m: Written) -> str:
    """Write a day or a month in digits: two if the year has four, or where the form always has two
    (12 03 64, and 15-03 in English)."""
    year = m["y2"] or m["y"] or ""
    is_dashed = m["s"] == "-" and not year and m.language == "en"
    return f"{number:0{2 if len(year) == 4 or m['s'] == ' ' or is_dashed else 1}d}"


FIELDS: dict[str, Callable[[int, str, Written], str]] = {
    "y": _write_year, "z": _write_year, "m": _write_name, "n": _write_name, "h": _write_name,
    "d": _write_day, "a": _write_number, "b": _write_number,
}  # fmt: skip


# -- readers: days -----------------------------------------------------------------------------


def _days(m: Written) -> Days | Period:
    """Read March 5, 2019; 5th of March; 31-JAN-2020; 3.IX.1988; 5. März 2023, 1er mars; the 12th;
    2019-03-05, 20190305, 3/4/2019, 3/4, 5/12-5/14/2021; exp 04/27, a month."""
    if _expires(m):
        return _expiry(m)
    ends = [end for end in ENDS if m["d" + end] or m["a" + end]]
    return Days([_read_end(m, end) for end in ends], partial(_write_days, m))


def _expires(m: Written) -> bool:
    """Return whether two numbers of two digits, the first a month, stand behind the word for the
    end of a product's life."""
    is_short = _MONTH_AND_YEAR.fullmatch(m.text) is not None
    words = [word for word in m.before[-2:] if word[0].isalpha()]
    return is_short and bool(words) and words[-1].rstrip(".") in _EXPIRY


def _expiry(m: Written) -> Period:
    year, calendar = read_year(m["b"])
    index = 12 * (year or 0) + int(m["a"]) - 1

    def write(index: int) -> str:
        return m.put(a=f"{index % 12 + 1:02d}", b=f"{index // 12 % 100:02d}")

    return Period(UNITS["month"], index, calendar, write)


def _numbered(m: Written) -> Days:
    """Read 12-14/06/2024; 3, 10 and 17/06/2024; 06/12-14/2024. Such a list shows the order."""
    if m.order == ("dmy" if m.begins_with("m") else "mdy"):
        raise OtherOrder
    items = [*_NUMBERED.finditer(m["l"])]
    year, calendar = read_year(m["y"])
    texts = [*(item[1] for item in items), m["d"]]
    if int(m["m"]) not in range(1, 13):
        raise NoDate
    days = [Day(year, int(m["m"]), _read_day(text), calendar) for text in texts]
    return Days(days, partial(_write_numbered, m, [item[2] for item in items]))


def _write_numbered(m: Written, joints: Sequence[str], days: list[YMD]) -> str:
    """Write days whose month and year, if they are one, stand once."""
    month_first, text, before = m.begins_with("m"), "", (0, 0)
    for (year, month, day), joint, after in zip(
        days, [*joints, ""], [*days[1:], None], strict=True
    ):
        first, second = (f"{n:0{2 if len(m['y']) == 4 else 1}d}" for n in (day, month))
        if month_first and before != (year, month):
            first = f"{second}/{first}"
        if after is None or after[:2] != (year, month):
            first += ("/" if month_first else f"/{second}/") + _write_year(year, m["y"], m)
        text, before = text + first + joint, (year, month)
    return text


def _glog(m: Written) -> Days:
    """Read E0314, the kind of a line of a log and its day, in two digits each."""
    day = Day(None, int(m["m"]), _read_day(m["d"]), read_year(None)[1])
    return Days([day], lambda days: m.put(m=f"{days[0][1]:02d}", d=f"{days[0][2]:02d}"))


def _list(m: Written) -> Days:
    """Read March 5 to 9, 2021; 28 March - 2 April; 3, 4 and 7-9 May; Fri 4 and Sat 5 June; the 3rd,
    5th and 9th; 3., 4. und 5. April; lun. 3 et mar. 4 juin. A day is of the month that is named
    nearest before it, if months come first, or else after it; and of its year."""
    item = pattern("LISTED") if m.language == "en" else m.names.day_of_list
    items = [*item.finditer(m.match.string, *m.match.span())]
    days = [_day_of_list(item, m) for item in items]
    backwards = pairwise(days[::-1])
    for known, day in [*pairwise(days), *backwards] if items[0]["m"] else backwards:
        day.month = day.month or known.month
        if day.year is None and day.month == known.month:
            day.year, day.calendar = known.year, known.calendar
    return Days(days, _WrittenList(m, items, days).write)


def _day_of_list(item: re.Match[str], m: Written) -> Day:
    year, calendar = read_year(item["y"])
    name = item["m"] or item["m2"]
    return Day(year, _read_number(name, m) if name else None, _read_day(item["d"]), calendar)


def _read_end(m: Written, end: str) -> Day:
    """Read the day whose field names have this suffix, an item of ENDS."""
    if not m["a" + end]:
        year, calendar = read_year(m["y" + end])
        name = m["m" + end] or m["m"] or m["m2"]
        month = _read_number(name, m) if name else None
        return Day(year, month, _read_day(m["d" + end]), calendar)
    order = _order(m, end)
    y, month, day = (m[field + end] for field in _fields(order))
    if order and _exists(month, day):
        year, calendar = read_year(y)
        return Day(year, int(month), int(day), calendar)
    fixed = m.begins_with("y") or m["s"] == "."
    others = (_order(m, end, other) for other in ORDERS)
    if order and not fixed and any(_exists(*_month_and_day(m, end, other)) for other in others):
        raise OtherOrder
    raise NoDate


def _month_and_day(m: Written, end: str, order: str) -> tuple[str, str]:
    _, month, day = (m[field + end] for field in _fields(order))
    return month, day


def _exists(month: str, day: str) -> bool:
    return 1 <= int(month) <= 12 and 1 <= int(day) <= 31


def _order(m: Written, end: str, order: str | None = None) -> str:
    """Return the order of a day's numbers: fixed in 2019-03-05 and 5.3.2019, else the document's.
    Year first, as in 19/03/05, needs a year of two digits: other dates are then as in ISO 8601
    without their year (03/05), or begin with the day (05/03/2019)."""
    if m.begins_with("y") or m["s"] == ".":
        return "mdy" if m.begins_with("y") else "dmy"
    order = m.order if order is None else order
    if order != "ymd":
        return order
    digits = len(m["y" + end] or "")
    return "ymd" if digits == 2 else "dmy" if digits or len(m["y2"] or "") == 4 else "mdy"


def _fields(order: str) -> str:
    """Return the fields of year, month and day, in this order, for an order of numbers."""
    return {"mdy": "yab", "ymd": "aby"}.get(order, "yba")


def _write_days(m: Written, days: list[YMD]) -> str:
    values: dict[str, str | int] = {}
    for end, (y, month, d) in zip(ENDS, days, strict=False):
        order = _order(m, end)
        numbers: dict[str, str | int] = dict(zip(_fields(order), (y, month, d), strict=True))
        if order == "ymd":
            numbers = {field: f"{int(value) % 100:02d}" for field, value in numbers.items()}
        fields = {**numbers, "m": month, "d": d}
        values |= {field + end: value for field, value in fields.items()}
    return m.put(**values)


@dataclass
class _WrittenList:
    """A list of days, which writes a month or a year that days in a row share once."""

    m: Written
    items: list[re.Match[str]]
    days: list[Day]

    def __post_init__(self) -> None:
        self._of_month = next((item for item in self.items if item["m"] or item["m2"]), None)
        self._of_year = next((item for item in self.items if item["y"]), None)

    def write(self, moved: list[YMD]) -> str:
        """Return the text of moved days."""
        text, end, string = "", self.m.match.start(), self.m.match.string
        for i, item in enumerate(self.items):
            before, after = moved[i - 1] if i else None, moved[i + 1] if moved[i + 1 :] else None
            joint = string[end : item.start()]
            if joint and joint.strip() in "-–—/":
                is_one_month = before is not None and before[:2] == moved[i][:2]
                joint = joint.strip() if is_one_month else f" {joint.strip()} "
            text += joint + self._weekday(i, moved[i]) + self._day(item, before, moved[i], after)
            end = item.end()
        return text + string[end : self.m.match.end()]

    def _weekday(self, i: int, day: YMD) -> str:
        item, known = self.items[i], self.days[i]
        if item["w"] is None:
            return ""
        moved = known.calendar.number(*day) - known.number
        rest = item.string[item.end("w") : item.start("m" if item["m"] else "d")]
        return _write_weekday(item["w"], moved, self.m) + rest

    def _repeats(self, item: re.Match[str]) -> bool:
        """Whether a day shows its month also before another day of the month; not in English."""
        return item["m2"] is not None and self.m.language != "en"

    def _day(self, item: re.Match[str], before: YMD | None, day: YMD, after: YMD | None) -> str:
        text = _write_day(day[2], item["d"], self.m) + item["dot"]
        if (shown := self._of_month) is not None:
            month = _write_name(day[1], shown["m"] or shown["m2"], self.m)
            if shown["m"] and (before is None or before[:2] != day[:2]):
                text = f"{month} {text}"
            elif shown["m2"] and (self._repeats(item) or after is None or after[:2] != day[:2]):
                text += (item["of"] or shown["of"]) + month
        if (dated := self._of_year) is not None and (after is None or after[0] != day[0]):
            text += dated["c"] + _write_year(day[0], dated["y"], self.m)
        return text


# -- readers: weeks, months, ..., decades ------------------------------------------------------


def _month(m: Written) -> Period | Weekday:
    """Read March 2019, 03/2019, marzo de 2023, the two years of a season; and before a day of two
    numbers a weekday in short that may be a month: Italian mar 4/4."""
    short = m.text.lower().rstrip(".")
    beside = "".join(m.after[:3]).lstrip(".")
    if short in m.names.short.split("|") and _DAY_BEHIND.match(beside):
        number = _number_of_weekday(short, m)
        return Weekday(lambda days: m.put(m=_write_weekday(m["m"], days, m)), number=number)
    return _period(m)


def _period(m: Written) -> Period:
    """Read March 2019, 03/2019, marzo de 2023, Q3 2020, third quarter, 2019, the 1990s; 2019/20,
    1999/2000 and FY2019/20, whose years move together; winter 2019-2020, as winter 2020; 2011-12
    beside a word for a season, as its two years."""
    if m.kind == "month" and _are_years(m):
        return _season(m)
    text, last = m["y"], (m["x"] or "")[1:]
    year, calendar = read_year(text and text[: len(text) - len(last)] + last)
    later = (int(m["z"]) - (year or 0)) % 100 if m["z"] else 0  # years to the second
    if later > MOST_YEARS:
        raise NoDate
    unit = UNITS["half" if m["q"] and m["q"][0] in "hH" else m.kind]
    count = _read_number(m["m"] or m["n"] or "1", m)
    if not 1 <= count <= max(1, 12 // unit.months):
        raise NoDate
    index = (12 * (year or 0) + (count - 1) * unit.months) // unit.months

    def write(index: int) -> str:
        year, months = divmod(index * unit.months, 12)
        count = months // unit.months + 1
        return m.put(y=year, z=year + later, m=count, n=count, x="")

    return Period(unit, index, calendar, write)


def _short_year(m: Written) -> Piece:
    """Read sixty-one as a year where it is the whole mention and words before it say so (back in
    sixty-one), and not as an age or a count, which stays."""
    is_whole = m.match[0] == m.match.string.strip()
    is_dated = not _BEFORE_SHORT_YEARS.isdisjoint(m.before[-WORDS_BEFORE_YEAR:])
    return _period(replace(m, kind="year")) if is_whole and is_dated else m.text


def _are_years(m: Written) -> bool:
    """Return whether a year and a number after it, which may be a month, are those of a season, a
    school year or a fiscal year: the season 2011-12, the 2009-10 league."""
    if not m.begins_with("y") or int(m["m"]) != (int(m["y"]) + 1) % 100:
        return False
    return not _OF_YEARS.isdisjoint((*m.before[-WORDS_BESIDE:], *m.after[:WORDS_BESIDE]))


def _season(m: Written) -> Period:
    def write(year: int) -> str:
        return m.put(y=year, m=f"{(year + 1) % 100:02d}")

    year, calendar = read_year(m["y"])
    return Period(UNITS["year"], year or 0, calendar, write)


def _decade(m: Written) -> Period | str:
    """Read the 1990s, the 90s. An age stays: in her late 50s. Raise NoDate for "in her 90s"."""
    phrase = " ".join((*m.before, m.match.string[: m.match.start()].lower()))
    if len(m["y"]) == 2 and pattern("LIFE_BEFORE").search(phrase):
        if int(m["y"]) < TOP_AGE:
            return m.text
        raise NoDate
    return _period(m)


def _week(m: Written) -> Period:
    """Read week 32 of 2020, 2020-W32, as ISO 8601 counts weeks."""
    try:
        start = date.fromisocalendar(int(m["y"]), int(m["n"]), 1)
    except ValueError:
        raise NoDate from None

    def write(index: int) -> str:
        moved = date(*GREGORIAN.date(7 * index - 5)).isocalendar()
        wide = 2 if m.begins_with("y") else 1
        return m.put(n=f"{moved.week:0{wide}d}", y=moved.year)

    index = UNITS["week"].index(GREGORIAN, (start - date(2000, 1, 1)).days)
    return Period(UNITS["week"], index, GREGORIAN, write)


def _iso_day(m: Written) -> Days:
    """Read 2020-W32-5 and 2020W325, a day of a week as ISO 8601 counts them."""
    try:
        start = date.fromisocalendar(int(m["y"]), int(m["n"]), int(m["w"]))
    except ValueError:
        raise NoDate from None

    def write(days: list[YMD]) -> str:
        moved = date(*days[0]).isocalendar()
        return m.put(y=f"{moved.year:04d}", n=f"{moved.week:02d}", w=str(moved.weekday))

    return Days([Day(start.year, start.month, start.day, GREGORIAN)], write)


# -- readers: days of the week, times, ages, holidays ------------------------------------------


def _weekday(m: Written) -> Piece:
    """Read Monday, Mon., Montag. A day of the week in the name of a feast or of another thing
    ("Super Bowl |Sunday") does not move, since the moved day would reveal the shift modulo 7."""
    phrase = " ".join((*m.before, m.match.string[: m.match.end()].lower()))
    if pattern("FEAST_END").search(phrase):
        raise NoDate
    if pattern("WEEKDAY_PHRASE_END").search(phrase):
        return m.text
    number = _number_of_weekday(m["w"], m)
    return Weekday(lambda days: m.put(w=_write_weekday(m["w"], days, m)), number=number)


def _write_weekday(name: str, days: int, m: Written) -> str:
    """Write the weekday a number of days after another one."""
    names, number = m.names.weekdays, _number_of_weekday(name, m)
    is_full = _without_accents(name.lower()) == _without_accents(names[number])
    length = None if is_full else m.names.size_of_short
    return match_case(names[(number + days) % 7].capitalize()[:length], name)


def _number_of_weekday(name: str, m: Written) -> int:
    size, bare = m.names.size_of_short, _without_accents(name.lower())
    short = [_without_accents(known)[:size] for known in m.names.weekdays]
    return short.index(bare[:size])


def _without_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


def _clock(m: Written) -> Clock | Loose:
    """Read 09:05, 14 Uhr; nine o'clock, half past nine; 9:05 am. The half of the day is a part of
    the value, like the hour; how the text writes it is a part of the layout."""
    hour, half = _read_number(m["h"], m), (m["half"] or "").lower()
    spoken = m.kind == "spoken_hour"
    if hour > (12 if spoken else DAY_HOURS) or (half and not 1 <= hour <= 12):
        raise NoDate
    if half:
        hour = hour % 12 + 12 * (half == "p")

    def write(moved: int) -> str:
        if not (spoken or half):
            return m.put(h=f"{moved:02d}")
        return m.put(
            h=moved % 12 or 12, half=match_case("P" if moved >= 12 else "A", m["half"] or "")
        )

    # The half of the day of nine o'clock is not known, so it cannot be the time of a date.
    if spoken:
        return Loose(lambda shift: write((hour + shift) % 12), m.text)
    return Clock(hour, write, m.text)


def _hours(m: Written) -> Clock:
    """Read 7-9 pm, 9.15 to 9.45 a.m.: the half of the day is that of both times, or the first is in
    the other half (11-2 pm). It is one time, whose end moves with it."""
    low, high, half = int(m["h"]), int(m["h2"]), m["half"].lower()
    last = high % 12 + 12 * (half == "p")
    length = (high - low) % 12 or 12 * (m["n2"] <= m["n"])
    blank = m.match.string[m.match.end("n2") : m.match.start("half")]
    rest = m.match.string[m.match.end("half") : m.match.end()]

    def write(moved: int) -> str:
        first, second = (
            match_case("P" if hour % DAY_HOURS >= 12 else "A", m["half"])
            for hour in (moved, moved + length)
        )
        minutes = m["n"] + f"{blank}{first}{rest}" * (first != second)
        hours = (str(hour % 12 or 12) for hour in (moved, moved + length))
        return m.put(**dict(zip(("h", "h2"), hours, strict=True)), n=minutes, half=second)

    return Clock((last - length) % DAY_HOURS, write, m.text)


def _noon(m: Written) -> Clock:
    """Read noon, 12 midnight, 12:00 noon."""
    minutes = m["n"] or ""
    names = [f"{hour or 12}{minutes} {half}" for half in ("am", "pm") for hour in range(12)]
    return Clock(0 if m["noon"].lower() == "midnight" else 12, names.__getitem__, m.text)


def cap_ages(ages: str) -> str:
    """Return one or two ages with 90 for each age above 89; a single 90 if both are above 89."""
    return _SAME_AGE.sub(r"\1", re.sub(r"\d+", lambda m: str(min(int(m[0]), TOP_AGE)), ages))


def _age(m: Written) -> str:
    """Write an age, 90 if it is above 89; also 93rd birthday, ninety-three, nonagenarian."""
    number = m["n"]
    if number[0].isdigit():
        old = max(map(int, re.findall(r"\d+", number))) > TOP_AGE
        age = ordinal(TOP_AGE, m["th"]) if m["th"] else cap_ages(number)
        return m.put(n=age) if old else m.text
    ninety = "Ninetieth" if m["th"] else "Ninety"
    return m.put(
        n=match_case("Nonagenarian" if number.lower().endswith("arian") else ninety, number)
    )


def _holiday(m: Written) -> Piece:
    """Return the same words for every holiday: which holiday it is would reveal the shift. A wish
    becomes "Happy holidays"."""
    if m.language != "en":
        return m.names.holiday
    start = m.match.start()
    inside = _WORD.findall(m.match.string[max(start - 20, 0) : start])[-1:]
    lead = (inside or [*m.before[-1:], ""])[0].lower()
    article = "" if lead in _DETERMINERS else "A " if lead in (".", "!", "?") else "a "
    text, (number, calendar) = f"{article}holiday", read_year(m["y"])
    if number is None:
        return "holidays" if lead in _WISHES else text

    def write(year: int) -> str:
        return f"{text} in {_write_year(year, m['y'], m)}"

    return Period(UNITS["year"], number, calendar, write)


READERS: dict[str, Callable[[Written], Piece]] = {
    **dict.fromkeys(UNITS, _period), "month": _month, "week": _week, "iso_day": _iso_day,
    "decade": _decade, "short_year": _short_year,
    "day": _days, "numeric": _days, "list": _list, "weekday": _weekday,
    "numbered": _numbered, "glog": _glog,
    "clock": _clock, "spoken_hour": _clock, "hours": _hours, "noon": _noon,
    "age": _age, "holiday": _holiday,
    "count": lambda m: m.text,  # the 3rd week, the 20th century
}  # fmt: skip


@cache
def forms_in(language: str, is_time: bool = False) -> tuple[Form, ...]:
    """Compile the forms of a language, then those of English, in order of precedence; those of a
    mention that is a time of day first."""
    rows, ascii_alone = date_words(language).patterns(), ""
    if language == "en":
        rows, ascii_alone = forms("written times") * is_time + forms("written dates"), "a"
    compiled = tuple(
        (re.compile(rf"(?{ascii_alone}:{form}){_END}", re.I).match, kind, language)
        for kind, form in rows
    )
    return compiled if ascii_alone else (*compiled, *forms_in("en", is_time))
