"""Find the weekdays, months and seasons that say when something recurs: Sat 10-4, each spring.

A range that begins with a Monday and ends with a day from Thursday on is a working week. It is of
every week, and tells no date: moved by days it would be absurd (Thursday to Monday). So it stays,
and so do the other weekdays of its line.

In a line with a date all weekdays move. Beside a moved date, a weekday that stayed would tell the
shift modulo 7: who reads "closed Friday 7 June" knows by how many days the 7th of June has moved to
be a Friday. What decides is the layout of the line, never which day a date is.

A season recurs behind "each", beside another season (spring and autumn), before what is of a season
(winter tyres), and in a plan of a year, which has three of them. It tells no date either.

Two months without a year are those of each year where a word before them says what recurs (open
April to October), or the price of a time or a thing behind them (May–Sept: £90 per night). In a
line with a year, or with a word for what someone did or had, they move like other dates.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from .tables import LANGUAGES, date_words, expanded, words

_ALL = ("en", *LANGUAGES)
MONDAY, THURSDAY = 0, 3
_JOINT = (
    r"(?:(?<!\w{5})\.)?(?:\s?[-–—]\s?(?:to\s?-\s?)?|\s(?:to|through|thru|until|till|bis|au|al?|tot(?:\sen\smet)?|"
    r"t/m|fino\sal?|hasta(?:\sel)?)\s)"
)
# Words that may be in a mention with weekdays; any other word says more than when they recur.
_BESIDE = frozenset(
    "a al alle and au bis du each el et every from jeden la le les lo los met on or por t till "
    "through thru to tot und until y afternoon afternoons evening evenings morning mornings night "
    "nights".split()
)
_NO_YEAR = r"(?!,?\s(?:of\s)?(?:(?:19|20)\d\d|['’]\d\d)|-\w)"
# Not of one year: this winter, late summer.
_OF_ONE_YEAR = (
    r"(?<!this\s)(?<!next\s)(?<!last\s)(?<!past\s)(?<!that\s)(?<!coming\s)(?<!previous\s)"
    r"(?<!following\s)(?<!same\s)"
)
_SEASON = r"(?:spring|summer|autumn|(?<=the\s)fall|(?<=in\s)fall|winter)"
_EACH_SEASON = re.compile(
    rf"\b(?:each|every|most|all)\s(?:{_SEASON}|fall)s?\b{_NO_YEAR}|\b(?:summers|winters|autumns)\b|"
    rf"{_OF_ONE_YEAR}\b{_SEASON}(?:\s?/\s?|\s?[-–]\s?|\s(?:and|or|to|&)\s(?:in\s)?(?:the\s)?)"
    rf"(?:{_SEASON}|fall)\b{_NO_YEAR}|"
    rf"{_OF_ONE_YEAR}\b(?:{_SEASON}|fall)\s(?:{'|'.join(sorted(words('OF_SEASONS')))})\b"
)
_BARE_SEASON = re.compile(rf"{_OF_ONE_YEAR}\b{_SEASON}\b{_NO_YEAR}")
MIN_SEASONS, PLAN = 3, 160  # different ones of a plan of a year, and characters between them
_OTHERS = {1: ("tues",), 2: ("weds",), 3: ("thur", "thurs")}  # weekdays in short
_WORD = re.compile(r"[^\W\d_]+")
_MONTHS = re.compile(
    rf"(?<![\w/])(?=[adfjmnos]){expanded('MONTH')}(?!\w)\.?"
    rf"(?:\s?[-–—]\s?|\s(?:to|till|until|through|thru)\s){expanded('MONTH')}(?!\w)"
    r"(?!\.?\s?['’]?\d|,\s?(?:19|20)\d\d)\.?",
    re.I,
)
_RECURRING = re.compile(
    r"\b(?:open(?:s|ing)?|closed|closes|closing|runs?|running|sow(?:ing|n)?|plant(?:ing|ed)?|prune[sd]?|"
    r"harvest(?:s|ed|ing)?|flower(?:s|ing)?|bloom(?:s|ing)?|fruit(?:s|ing)?|ripe|breed(?:s|ing)?|"
    r"nest(?:s|ing)?|spawn(?:s|ing)?|migrat\w{1,4}|hibernat\w{1,4}|seasons?|seasonal|peak|off-peak|"
    r"winter|summer|timetable|hours|tariff|available|lit|heated|heating|fishing|hunting|shooting|"
    r"grazing)(?:,| is| are| from| between| usually| mainly)?[ \t:(–—-]{1,4}\Z",
    re.I,
)
_PRICED = re.compile(
    rf"\)?[ \t]?[:,–—-]?[ \t](?:[A-Z]{{0,3}}[{expanded('SIGN')}] ?\d[\d.,]*|"
    rf"\d[\d.,]* ?(?:{expanded('COINS')}|{expanded('CURRENCY')}))"
    r" ?(?:per|an?|each|pp|p\.p\.|/) ?[a-z]"
)
# Of what someone had or did at a time, and of a year.
_OF_SOMEONE = re.compile(
    r"\b(?:cover|stay(?:s|ed)?|locum|contract|placement|salar(?:y|ies)|wages?|pay|paid|pays|earn\w{0,3}|"
    r"income|benefits?|pension|arrears|owe[ds]?|owing|he|she|i|they|we|his|her|my|their|worked|lived|"
    r"employed|tenan(?:t|cy|ts)|19\d\d|20\d\d)\b",
    re.I,
)
BESIDE = 40  # characters before months that say what recurs in them


def recurring_lines(text: str) -> list[tuple[int, int]]:
    """Return the lines, in characters and in order, in which weekdays say when something recurs:
    those with a working week and without a date."""
    lines = list[tuple[int, int]]()
    for match in _week().finditer(text):
        if not lines or match.start() > lines[-1][1]:
            lines.append(_line_at(text, match.start()))
    return [line for line in lines if _date().search(text, *line) is None]


def recurring_seasons(text: str) -> list[tuple[int, int]]:
    """Return the places, in characters and in order, of the seasons that recur."""
    lower = text.lower()
    if len(lower) != len(text):
        return []
    spans = [match.span() for match in _EACH_SEASON.finditer(lower)]
    bare = [*_BARE_SEASON.finditer(lower)]
    for match in bare:
        near = [m for m in bare if abs(m.start() - match.start()) <= PLAN]
        if len({m[0] for m in near}) >= MIN_SEASONS:
            spans.append(match.span())
    return sorted(spans)


def recurring_months(text: str) -> list[tuple[int, int]]:
    """Return the months, in characters and in order, between which something recurs each year."""
    return [match.span() for match in _MONTHS.finditer(text) if _is_of_each_year(text, match)]


def _is_of_each_year(text: str, match: re.Match[str]) -> bool:
    start, end = match.span()
    first, last = _line_at(text, start)
    if _OF_SOMEONE.search(text, first, last) or _date().search(text, first, last):
        return False
    before = text[max(start - BESIDE, first) : start]
    return _RECURRING.search(before) is not None or _PRICED.match(text, end) is not None


def are_weekdays(text: str) -> bool:
    """Return whether a mention is of weekdays alone: Fri, Mon-Fri, every Saturday."""
    named = [word.lower() for word in _WORD.findall(text)]
    days = _weekdays()
    return not any(map(str.isdigit, text)) and all(w in days or w in _BESIDE for w in named)


def _line_at(text: str, place: int) -> tuple[int, int]:
    end = text.find("\n", place)
    return text.rfind("\n", 0, place) + 1, len(text) if end < 0 else end


def _names(number: int) -> set[str]:
    """Return the names of a weekday in all languages, in full and in short, in small letters."""
    names = set(_OTHERS.get(number, ()))
    for language in _ALL:
        known = date_words(language)
        full = known.weekdays[number]
        bare = "".join(
            c for c in unicodedata.normalize("NFD", full) if not unicodedata.combining(c)
        )
        names |= {full, bare, full[: known.size_of_short], bare[: known.size_of_short]}
        names |= {f"{name}s" for name in (full, bare) if not name.endswith("s")}
    return names


@cache
def _weekdays() -> frozenset[str]:
    return frozenset(name for number in range(7) for name in _names(number))


@cache
def _week() -> re.Pattern[str]:
    first = "|".join(sorted(_names(MONDAY), key=len, reverse=True))
    last = {name for number in range(THURSDAY, 7) for name in _names(number)}
    ends = "|".join(sorted(last, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?=[ml])(?:{first}){_JOINT}(?:{ends})(?!\w)", re.I)


@cache
def _date() -> re.Pattern[str]:
    """Return the pattern of a day, with its month or as an order, of what may be one, and of the
    week that weekdays are of: last week."""
    spelled = {name for language in _ALL for name in date_words(language).spellings}
    months = "|".join(sorted(spelled, key=len, reverse=True))
    day = r"\d{1,2}(?:st|nd|rd|th|er|[.eº°ª])?"
    relative = (
        r"\b(?:last|this|next|past|that)\s(?:week|month|year)|\b(?:(?:letzte|nächste|vorige)[rn]?\swoche|"
        r"semaine\s(?:dernière|prochaine)|semana\s(?:pasada|próxima)|(?:vorige|afgelopen|volgende)\sweek|"
        r"settimana\s(?:scorsa|prossima))\b"
    )
    spoken = rf"(?:{expanded('DAY_WORDS')})"
    either, dashed = expanded("EITHER"), expanded("EITHER_DASHED")
    return re.compile(
        rf"(?<!\d){day}\s?(?:(?:of|de|van|di)\s)?(?:{months})(?![^\W\d_])|"
        rf"(?<![^\W\d_])(?:{months})\.?[\s-]?(?:the\s)?\d|(?<!\d)\d{{1,2}}(?:st|nd|rd|th)(?!\w)|"
        rf"\b{spoken}\s(?:(?:day\s)?of\s)?(?:{months})\b|\b(?:{months})\s(?:the\s)?{spoken}\b|"
        rf"(?<![\d/]){either}(?![/\d])|(?<!\d){dashed}(?=,?\s(?:at\s)?\d\d?:\d\d)|"
        r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}|(?<![\d.])\d{1,2}\.\d{1,2}\.(?!\d)|"
        rf"{relative}|"
        r"(?<!\d)(?:19|20)\d{6}(?!\d)|(?<!\d)(?:1[3-9]|2\d|3[01])-(?:0?[1-9]|1[0-2])(?!\d)",
        re.I,
    )
