"""Names of months and days, and forms of dates, in the languages of data/entities/calendars.txt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from .tables import sections

LANGUAGES = ("de", "fr", "es", "nl", "it")
DAY = r"(?:0?[1-9]|[12]\d|3[01])(?!\d)"
MARK = r"(?:er|[eº°ª]|ste)?(?!\w)"  # 1er, 5e, 5º
YEAR = r"(?:(?:1[5-9]|20)\d\d|['’]\d\d)(?!\d)"


@dataclass(frozen=True)
class DateWords:
    """The words for dates of a language, in small letters.

    spellings: each name of a month -> its number. beside: words that may stand beside a date. The
    others are regular expressions, as the file has them.
    """

    months: tuple[str, ...]
    spellings: dict[str, int]
    weekdays: tuple[str, ...]
    beside: frozenset[str]
    holiday: str
    earlier: str
    join: str = ""
    to: str = ""
    age: str = ""
    hour: str = ""
    holidays: str = ""

    def number(self, month: str) -> int:
        """Return the number of a month, from 1."""
        return self.spellings[month.lower().rstrip(".")]

    def patterns(self) -> list[tuple[str, str]]:
        """Return (kind, regular expression) of each form, the longest first; not of English."""
        names = "|".join(sorted(self.spellings, key=len, reverse=True))
        month = rf"(?:{names})(?!\w)\.?"
        join = rf"\s(?:(?:{self.join})\s)?"
        gap, hour = rf"(?:\.\s?|{join})", rf"(?:{self.hour})"
        year = rf"(?:,?{join}(?P<y>{YEAR}))?"
        day = rf"(?P<d>(?P<n>{DAY}){MARK})"
        return [
            (
                "local_range",
                rf"(?P<n>{DAY}){MARK}(?P<dot>\.?)(?:(?P<j1>\s?(?:(?:{self.join})\s)?)(?P<m1>{month}))?"
                rf"(?P<to>\s?[-–—/]\s?|\s(?:{self.to})\s)(?P<n2>{DAY}){MARK}"
                rf"(?P<j>{gap})(?P<m>{month}){year}",
            ),
            ("named_day", rf"{day}{gap}(?P<m>{month}){year}"),
            ("month", rf"(?P<m>{month}){year}"),
            ("weekday", rf"(?P<w>{'|'.join(self.weekdays)})(?!\w)"),
            ("age", rf"(?P<n>\d{{1,3}})(?:\s?(?:{self.age}))(?!\w)"),
            ("clock", rf"(?P<h>\d\d?)(?:[.:]\d\d\s?{hour}|\s?{hour}(?:\s?\d\d)?)(?!\w)"),
            ("holiday", rf"(?:{self.holidays})(?!\w)"),
        ]


@cache
def date_words(language: str) -> DateWords:
    """Return the words for dates of English or one of LANGUAGES."""
    rows = dict(line.split(": ", 1) for line in sections("calendars")[language])
    months = tuple(rows.pop("months").split("|"))
    others = (spelling.split("=") for spelling in rows.pop("spellings").split("|"))
    spellings = {name: i for i, name in enumerate(months, 1)}
    spellings |= {name: int(number) for name, number in others}
    weekdays = tuple(rows.pop("weekdays").split("|"))
    beside = frozenset(rows.pop("beside").split())
    return DateWords(months, spellings, weekdays, beside, **rows)
