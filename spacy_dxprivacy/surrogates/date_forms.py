"""Dates as they are written: found in a mention, moved, and written alike again.

All of it goes by public patterns. What cannot be read as a date, or as words that are relative to
one, is for the caller to hide.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

MONTHS = (
    "January February March April May June July August September October November December".split()
)
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_MONTH_OF = {name[:3].lower(): number for number, name in enumerate(MONTHS, 1)}
_DAY_OF = {name[:3].lower(): number for number, name in enumerate(WEEKDAYS)}
_M = (
    r"(?:jan(?:uary|\.)?|feb(?:ruary|\.)?|mar(?:ch|\.)?|apr(?:il|\.)?|may|june?|july?|"
    r"aug(?:ust|\.)?|sept?(?:ember|\.)?|oct(?:ober|\.)?|nov(?:ember|\.)?|dec(?:ember|\.)?)"
)
_W = (
    r"(?:mon(?:day)?|tue(?:sday|s)?|wed(?:nesday)?|thu(?:rsday|rs|r)?|fri(?:day)?|sat(?:urday)?|"
    r"sun(?:day)?)"
)
_TH = r"(?:st|nd|rd|th)"
_Y = r"(?:1[5-9]\d\d|20\d\d)"
FIXED = {
    "christmas eve": (12, 24), "christmas day": (12, 25), "christmas": (12, 25),
    "xmas": (12, 25), "halloween": (10, 31), "new year's eve": (12, 31),
    "new year's day": (1, 1), "new years day": (1, 1), "new year's": (1, 1),
    "valentine's day": (2, 14), "independence day": (7, 4), "juneteenth": (6, 19),
    "veterans day": (11, 11),
}  # fmt: skip
# Words that may stand beside dates, and stay: they are relative, or say nothing of when.
RELATIVE = frozenset(
    "a about after afternoon ago all almost an and annual annually another any approximately "
    "around as at back bi-weekly biweekly before beginning between bi but by couple couples "
    "current daily dawn day days decade decades due during each earlier early eight eighteen "
    "eighty either eleven end ending entire evening evenings every few fifteen fifty first five "
    "fiscal following for former forty four fourteen fourth from half hour hourly hours hundred "
    "in it just last late later latter least less many mid middle midnight midday minute "
    "minutes moment month monthly months more morning mornings most much nearly next night "
    "nightly nights nine nineteen noon now o'clock of off on once one only or other over "
    "overnight part past period point previous prior quarter quarterly recent recently same "
    "second seconds seven seventeen seventy several shortly since six sixteen sixty some soon "
    "still ten than that the then these third thirteen thirty this those three through "
    "throughout time times to today tomorrow tonight twelve twenty twice two until up upcoming "
    "week weekday weekdays weekend weekends weekly weeks well while within year yearly years "
    "yesterday yet old aged age am pm till s hrs hr min mins sec secs yr yrs wk wks mo mos "
    "fortnight semester century centuries am. pm. spring summer autumn fall winter ad bc est "
    "edt pst pdt cst cdt utc gmt y o yo y.o".split()
)
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_COUNT = re.compile(r"\d{1,3}(?:\.\d)?", re.ASCII)
# A number beside one of them counts something, and is no date.
UNITS = frozenset(
    "day days week weeks month months hour hours minute minutes second seconds year years hr hrs "
    "min mins sec secs yr yrs wk wks mo mos decade decades night nights century centuries".split()
)
TOP_AGE = 90  # and more: ages above 89 are told as this one
_PIVOT = 40  # "40" is 2040, "41" is 1941
_LEAP = 2024


class NoDate(ValueError):
    """A date that there is not, or that cannot be moved. It holds no text."""


@dataclass(frozen=True)
class Mover:
    """Moves what one document says of time.

    days: of the shift. hours: of times of the day. order: "mdy" or "dmy", how 03/04/2019 is read;
    where only the other can be, it is that. year: of dates that name none.
    """

    days: int
    hours: int
    order: str
    year: int

    def move(self, text: str) -> str | None:
        """The mention, moved; None where nothing in it moves. Raises NoDate for what is neither a
        date nor relative to one."""
        kept, written, place = [], [], 0
        for start, end, write, found in _pieces(text):
            kept.append(text[place:start])
            written += [text[place:start], write(self, found)]
            place = end
        kept.append(text[place:])
        if not _is_relative([word for part in kept for word in _WORD.findall(part)]):
            raise NoDate
        return "".join([*written, text[place:]]) if written else None

    def on(self, year: int, month: int, day: int) -> date:
        """The day, moved. Raises NoDate for one that there is not, or beyond the calendar."""
        try:
            return date(year, month, day) + timedelta(days=self.days)
        except (ValueError, OverflowError):
            raise NoDate from None

    def without_year(self, month: int, day: int) -> date:
        """A day of the year of the document."""
        leap = (month, day) == (2, 29)
        return self.on(_LEAP if leap else self.year, month, day)


Writer = Callable[[Mover, re.Match[str]], str]


def _pieces(text: str) -> Iterator[tuple[int, int, Writer, re.Match[str]]]:
    """(start, end, how it is moved, what was found) of all that is a date or a time."""
    place = 0
    while place < len(text):
        found = None
        if not place or not (text[place - 1].isalnum() or text[place - 1] == "_"):
            found = next(filter(None, (_at(form, text, place) for form in FORMS)), None)
        if found is None:
            place += 1
            continue
        yield found
        place = found[1]


def _at(
    form: tuple[re.Pattern[str], Writer], text: str, place: int
) -> tuple[int, int, Writer, re.Match[str]] | None:
    found = form[0].match(text, place)
    if found is None or text[found.end() : found.end() + 1].isalnum():
        return None
    return found.start(), found.end(), form[1], found


def _is_relative(words: list[str]) -> bool:
    """Whether all of them may stay: words of the list, and numbers where there is a unit."""
    split = [re.split(r"[-']", word.lower().replace("’", "'")) for word in words]
    parts = [part for some in split for part in some if part not in ("", "s")]
    others = [part for part in parts if part not in RELATIVE]
    has_unit = any(part in UNITS for part in parts)
    return not others or (has_unit and all(map(_COUNT.fullmatch, others)))


# -- how each form is written again --------------------------------------------------------------


def _padded(number: int, wide: bool) -> str:
    return f"{number:02d}" if wide else str(number)


def _wide(*parts: str) -> bool:
    return any(part.startswith("0") for part in parts)


def _iso(mover: Mover, m: re.Match[str]) -> str:
    new = mover.on(int(m["y"]), int(m["m"]), int(m["d"]))
    wide = _wide(m["m"], m["d"]) or (len(m["m"]) == len(m["d"]) == 2)
    return m["s"].join([f"{new.year:04d}", _padded(new.month, wide), _padded(new.day, wide)])


def _packed(mover: Mover, m: re.Match[str]) -> str:
    new = mover.on(int(m["y"]), int(m["m"]), int(m["d"]))
    return f"{new.year:04d}{new.month:02d}{new.day:02d}"


def _read_pair(mover: Mover, one: int, two: int) -> tuple[int, int, bool]:
    """(month, day, whether the month comes first)"""
    first = mover.order == "mdy"
    if (one if first else two) > 12:
        first = not first
    return (one, two, True) if first else (two, one, False)


def _century(text: str) -> int:
    year = int(text)
    return year if len(text) == 4 else year + (2000 if year <= _PIVOT else 1900)


def _numeric(mover: Mover, m: re.Match[str]) -> str:
    month, day, first = _read_pair(mover, int(m["a"]), int(m["b"]))
    new = mover.on(_century(m["y"]), month, day)
    wide = _wide(m["a"], m["b"])
    pair = [_padded(new.month, wide), _padded(new.day, wide)]
    year = f"{new.year:04d}" if len(m["y"]) == 4 else f"{new.year % 100:02d}"
    return m["s"].join([*(pair if first else reversed(pair)), year])


def _pair(mover: Mover, m: re.Match[str]) -> str:
    month, day, first = _read_pair(mover, int(m["a"]), int(m["b"]))
    new, wide = mover.without_year(month, day), _wide(m["a"], m["b"])
    pair = [_padded(new.month, wide), _padded(new.day, wide)]
    return m["s"].join(pair if first else reversed(pair))


def month_of(text: str) -> int:
    """mar., MARCH -> 3"""
    return _MONTH_OF[text[:3].lower()]


def _month_like(number: int, model: str) -> str:
    """The name of a month, as long and in the case of another. "May" may be either: it is taken for
    a whole name."""
    name = MONTHS[number - 1]
    bare = model.rstrip(".")
    if len(bare) < len(MONTHS[month_of(model) - 1]):
        name = "Sept" if len(bare) == 4 and number == 9 else name[:3]
        name += "." * (model.endswith(".") and number != 5)
    return _cased(name, model)


def _cased(name: str, model: str) -> str:
    if len(model) > 1 and model.isupper():
        return name.upper()
    return name.lower() if model.islower() else name


def _ordinal(day: int, model: str | None) -> str:
    if not model:
        return ""
    ends = {1: "st", 2: "nd", 3: "rd"}
    end = "th" if 10 < day % 100 < 14 else ends.get(day % 10, "th")
    return end.upper() if model.isupper() else end


def _moved_day(mover: Mover, m: re.Match[str], day: str) -> date:
    month = month_of(m["m"])
    if m["y"]:
        return mover.on(_century(m["y"].strip("'’")), month, int(day))
    return mover.without_year(month, int(day))


def _year_like(year: int, model: str) -> str:
    if len(model) == 4:
        return f"{year:04d}"
    return f"{model[:-2]}{year % 100:02d}"


def _month_day(mover: Mover, m: re.Match[str]) -> str:
    new, wide = _moved_day(mover, m, m["d"]), _wide(m["d"])
    text = f"{_month_like(new.month, m['m'])}{m['g']}{_padded(new.day, wide)}"
    text += _ordinal(new.day, m["th"])
    if m["e"]:
        last = _moved_day(mover, m, m["e"])
        month = "" if last.month == new.month else _month_like(last.month, m["m"]) + " "
        text += f"{m['to']}{month}{_padded(last.day, wide)}{_ordinal(last.day, m['eth'])}"
        new = last
    return text + (m["c"] + _year_like(new.year, m["y"]) if m["y"] else "")


def _day_month(mover: Mover, m: re.Match[str]) -> str:
    new = _moved_day(mover, m, m["d"])
    text = _padded(new.day, _wide(m["d"])) + _ordinal(new.day, m["th"])
    text += m["g"] + _month_like(new.month, m["m"])
    return text + (m["c"] + _year_like(new.year, m["y"]) if m["y"] else "")


def _month_year(mover: Mover, m: re.Match[str]) -> str:
    new = mover.on(_century(m["y"].strip("'’")), month_of(m["m"]), 15)
    return _month_like(new.month, m["m"]) + m["c"] + _year_like(new.year, m["y"])


def _numeric_month(mover: Mover, m: re.Match[str]) -> str:
    new = mover.on(int(m["y"]), int(m["m"]), 15)
    return f"{_padded(new.month, len(m['m']) == 2)}{m['s']}{new.year:04d}"


def _year_month(mover: Mover, m: re.Match[str]) -> str:
    new = mover.on(int(m["y"]), int(m["m"]), 15)
    return f"{new.year:04d}{m['s']}{new.month:02d}"


def _year(mover: Mover, m: re.Match[str]) -> str:
    text = m[0].lstrip("'’")
    return _year_like(mover.on(_century(text), 7, 2).year, m[0])


def _decade(mover: Mover, m: re.Match[str]) -> str:
    year = _century(m["y"] if len(m["y"]) == 4 else "19" + m["y"])
    new = mover.on(year + 5, 1, 1).year // 10 * 10
    return (f"{new:04d}" if len(m["y"]) == 4 else f"{new % 100:02d}") + m["s"]


def _month(mover: Mover, m: re.Match[str]) -> str:
    return _month_like(mover.on(mover.year, month_of(m[0]), 15).month, m[0])


def _weekday(mover: Mover, m: re.Match[str]) -> str:
    name = WEEKDAYS[(_DAY_OF[m["w"][:3].lower()] + mover.days) % 7]
    short = not m["w"].lower().endswith("day")
    return _cased(name[:3] if short else name, m["w"]) + m["s"] + (m["dot"] or "")


def _holiday(mover: Mover, m: re.Match[str]) -> str:
    new = mover.without_year(*FIXED[m[0].lower().replace("’", "'")])
    return f"{MONTHS[new.month - 1]} {new.day}"


def _nth(mover: Mover, m: re.Match[str]) -> str:
    """A day of a month that is not named: one of 31 days is taken for it."""
    new = mover.on(mover.year, 1, int(m["d"])).day
    return f"{new}{_ordinal(new, m['th'])}"


def _clock(mover: Mover, m: re.Match[str]) -> str:
    hour, half = int(m["h"]), (m["x"] or "").strip().lower()[:1]
    if hour > 24 or (half in ("a", "p") and not 1 <= hour <= 12):
        raise NoDate
    day = (hour % 12 + 12 * (half == "p") if half in ("a", "p") else hour) + mover.hours
    if not half or half == "o":
        top = 12 if half == "o" else 24
        hours = _padded((day % top) or (12 if top == 12 else 0), _wide(m["h"]) or not half)
        return hours + (m["m"] or "") + (m["x"] or "")
    mark = m["x"].replace("a" if half == "a" else "p", "p" if day % 24 >= 12 else "a")
    mark = mark.replace("A" if half == "a" else "P", "P" if day % 24 >= 12 else "A")
    return _padded(day % 12 or 12, _wide(m["h"])) + (m["m"] or "") + mark


def _age(mover: Mover, m: re.Match[str]) -> str:
    return (m["before"] or "") + str(min(int(m["n"]), TOP_AGE)) + (m["after"] or "")


def _form(pattern: str, writer: Writer) -> tuple[re.Pattern[str], Writer]:
    return re.compile(pattern, re.I | re.ASCII), writer


_YEAR = rf"(?P<y>{_Y}|['’]\d\d)"
_DAY = rf"(?P<d>[0-3]?\d)(?P<th>{_TH})?"
# The first that matches at a place is taken.
FORMS: tuple[tuple[re.Pattern[str], Writer], ...] = (
    _form(r"(?P<before>age[ds]?:?\s+)(?P<n>\d{1,3})(?P<after>)", _age),
    _form(
        r"(?P<before>)(?P<n>\d{1,3})(?P<after>[-\s]*(?:years?[-\s]+old|yrs?[-\s]+old|"
        r"year-olds?|yo|y/o|y\.o\.|years?\s+of\s+age))",
        _age,
    ),
    _form(r"(?P<y>\d{4})(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})", _iso),
    _form(r"(?P<a>\d{1,2})(?P<s>[-/.])(?P<b>\d{1,2})(?P=s)(?P<y>\d{4}|\d{2})", _numeric),
    _form(r"(?P<y>(?:1[89]|20)\d\d)(?P<m>[01]\d)(?P<d>[0-3]\d)", _packed),
    _form(
        rf"(?P<m>{_M})(?P<g>\s*){_DAY}(?:(?P<to>\s?[-–]\s?)(?P<e>[0-3]?\d)(?P<eth>{_TH})?)?"
        rf"(?:(?P<c>,?\s+|,){_YEAR})?(?!\d)",
        _month_day,
    ),
    _form(rf"{_DAY}(?P<g>[-\s]+(?:of\s+)?|(?<=\d))(?P<m>{_M})(?:(?P<c>,?[-\s]*){_YEAR})?",
          _day_month),
    _form(rf"(?P<m>{_M})(?P<c>,?\s+(?:of\s+)?|-){_YEAR}", _month_year),
    _form(rf"(?P<m>0?[1-9]|1[0-2])(?P<s>[-/.])(?P<y>{_Y})", _numeric_month),
    _form(rf"(?P<y>{_Y})(?P<s>[-/])(?P<m>0[1-9]|1[0-2])", _year_month),
    _form(r"(?P<a>[0-3]?\d)(?P<s>/)(?P<b>[0-3]?\d)", _pair),
    _form(r"(?P<h>[0-2]?\d)(?P<m>:[0-5]\d(?::[0-5]\d)?)?(?P<x>\s?[ap]\.?m\.?|\s?o'clock)", _clock),
    _form(r"(?P<h>[0-2]?\d)(?P<m>:[0-5]\d(?::[0-5]\d)?)(?P<x>)", _clock),
    _form(r"(?P<y>1[5-9]\d0|20\d0|\d0)(?P<s>['’]?s)", _decade),
    _form(rf"['’]\d\d|{_Y}", _year),
    _form("|".join(name.replace("'", "['’]") for name in FIXED), _holiday),
    _form(rf"(?P<w>{_W})(?P<s>s?)(?P<dot>\.)?", _weekday),
    _form(_M, _month),
    _form(rf"(?P<d>[0-3]?\d)(?P<th>{_TH})", _nth),
)  # fmt: skip
