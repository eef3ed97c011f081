"""Where a date begins and ends: with its whole words and within its line, without its neighbours.

A recogniser takes what stands beside a date into it: the hour or the amount behind it (May 8 pm,
Dec 5 cm), the end of the sentence before it, the noun that its days count.
"""

from __future__ import annotations

import re

from ..text.mentions import is_word
from ..text.tokens import Tokens
from .amounts import UNITS
from .tables import FOLLOWING, expanded, pattern, words
from .undated import BESIDE, amount_or_hour, is_small_word
from .words import builtin_lexicon, kinds

# At the start of a line: the number of an item, and the first cell of a row.
NUMBER_OF_ITEM = re.compile(r"\d{1,2}[.)](?:\s|\Z)|\d{1,6}[,;|\t](?=\S)")
_NO_NOUNS = frozenset(
    "MONTH DAY ORDINAL YEAR DECADE RELATIVE AMOUNT SEASON IN_TIME DATE_UNIT TIME_UNIT DAYPART "
    "NUM".split()
)
_BULLETS = frozenset("- – — • *".split())
_BEFORE_DAYS = frozenset("on since until till by from before after between at in".split())
# A fraction at the end of a sentence, and one behind a full date.
_SENTENCE_END = re.compile(
    rf"\d\d?/\d\d?\.\s+(?=[^\n]{{0,20}}(?:{expanded('MONTH')}|\d{{4}}|\d/\d\d?/\d\d))", re.A | re.I
)
_BEHIND_YEAR = re.compile(
    r"[^\n]{0,40}(?:(?:[/.-]\d\d|\d{4}),? \d\d?/\d\d?|"
    r"\d[/-]\d\d?[/-]\d\d(?:\d\d)?,? [0-2]\d[0-5]\d)",
    re.A,
)
# A month and its year before a value, and a day before a pressure.
_BEFORE_VALUES = re.compile(
    rf"{expanded('MONTH')}-\d\d(?= (?!(?:19|20)\d\d\b)\d)|"
    r"\d\d?/\d\d?(?=,? \d{2,3}/\d{2,3}(?![/\d]))",
    re.A | re.I,
)
# An amount that begins a part of a sentence: 12 May, 21 to 23 minutes.
_COUNTING = re.compile(
    rf"\d{{1,3}}(?:\s?(?:to|[-–])\s?\d{{1,3}})?\s?(?:{expanded('COUNTED')}|(?:{UNITS})[²³]?(?!\w))"
)
_SHORT_HOUR = re.compile(r"\d{1,2}(?:[:.]\d\d)?[ap]", re.I)
_HOUR_BEHIND = re.compile(rf"{_SHORT_HOUR.pattern}|0\d[0-5]\d", re.I | re.A)
# Hours of a day of the week: Mon/Wed 9-11, and not Fri 4-6 March.
_HOURS = re.compile(
    r"\d{1,2}(?:[.:]\d\d)?[ap]?\s?(?:[-–]|to)\s?\d{1,2}(?:[.:]\d\d)?(?:[ap](?:\.?m)?)?"
    r"(?![\w/]|\.\d)"
    rf"(?!\s(?:of\s)?{expanded('MONTH')}\b)",
    re.I,
)
_ORDERS = frozenset("first second third fourth fifth last next other".split())
_BESIDE_DATES = words("BESIDE_DATES")


def _is_no_day(tokens: Tokens, i: int, end: int) -> bool:
    """Return whether a number that a date may end with is an hour or an amount: Mon/Wed 9-11, 12
    May, 86 m³."""
    value, before = amount_or_hour(tokens, i), tokens.texts[i - 1]
    if value is not None and value.end() >= len(tokens.between(i, end)):
        return True
    beside = tokens.between_with_blank(i, i + BESIDE)
    if "WEEKDAY" in kinds(before):
        return _HOURS.match(beside) is not None
    return before == "," and _COUNTING.match(beside) is not None


def _without_order(tokens: Tokens, start: int, end: int) -> int:
    """Return the start of a date without an order and its "from": the first from 18 December."""
    i = start + (tokens.lowers[start] == "the")
    is_order = tokens.lowers[i + 1 : i + 2] == ["from"] and tokens.lowers[i] in _ORDERS
    return i + 2 if is_order and i + 2 < end else start


def _with_weekdays(tokens: Tokens, start: int) -> int:
    """Return the start of a date with two weekdays before its days: Sat/Sun 22/23 July."""
    before = tokens.texts[max(start - 3, 0) : start]
    are_two = len(before) == 3 and before[1] in ("/", "-", "–", "&")
    is_day = tokens.texts[start][0].isdigit()
    return start - 3 * (
        are_two and is_day and all("WEEKDAY" in kinds(day) for day in (before[0], before[2]))
    )


def _extent_in_lines(tokens: Tokens, start: int, end: int) -> tuple[int, int]:
    """Return the extent of a date without a number on the line above it (Meeting 27), without that
    of an item or a row on the next line or of a sentence or an item that begins there (From
    3 May), and without what stands below a blank line."""
    for i in range(start + 1, end):
        lines = tokens.texts[i - 1].count("\n")
        if lines and i == start + 2 and tokens.texts[start].isdigit():
            return i, end
        if lines > 1 or (lines and NUMBER_OF_ITEM.match(tokens.text, tokens.doc[i].idx)):
            return start, i - 1
        text = tokens.texts[i]
        if lines and (text in _BULLETS or (text.istitle() and text.lower() in _BEFORE_DAYS)):
            return start, i - 1
    return start, end


def _without_nouns(tokens: Tokens, start: int, end: int) -> int:
    """Return the start of a date without the nouns before its weekday (theatre Wednesday 8/3/23),
    and without what was done last: last used 3 May."""
    if tokens.lowers[start] in ("last", "next") and end - start > 2:
        done = tokens.texts[start + 1]
        if done.islower() and "verb" in builtin_lexicon().of(done) and not _NO_NOUNS & kinds(done):
            return start + 2
    for i in range(start, end):
        text = tokens.texts[i]
        if "WEEKDAY" in kinds(text):
            is_feast = pattern("HOLIDAY").match(tokens.between(start, end).lower()) is not None
            return start if is_feast else i
        if not is_small_word(text) or text in _BESIDE_DATES or _NO_NOUNS & kinds(text):
            break
    return start


def _without_fractions(tokens: Tokens, start: int, end: int) -> tuple[int, int]:
    """Return the extent of a date without a fraction that ends the sentence before it (GCS 3/15. 5
    May), and without one behind its year: 14/03/2023 4/5 power."""
    if end - start < 2:
        return start, end
    if _SENTENCE_END.match(tokens.between(start, end)):
        start += 2
    is_behind_year = _BEHIND_YEAR.fullmatch(tokens.between(start, end)) is not None
    return start, end - is_behind_year


def _without_values(tokens: Tokens, start: int, end: int) -> int:
    """Return the end of a date before the value behind a month and its year (Jan-23 120), and
    before the pressure behind a day: on 12/3, 130/85."""
    last = _BEFORE_VALUES.match(tokens.between(start, end)) if end - start > 1 else None
    if last is None:
        return end
    size = len(last[0])
    return next(i for i in range(start + 1, end + 1) if len(tokens.between(start, i)) >= size)


def _without_short_hours(tokens: Tokens, start: int, end: int) -> tuple[int, int]:
    """Return the extent of a date without an hour with the letter of its half at one of its ends
    (7a Tues, Fri 8 May 6:30p), or of four digits that are no year behind it: 29 Sep 0640."""
    if end - start > 1 and _SHORT_HOUR.fullmatch(tokens.texts[start]):
        start += 1
    return start, end - (
        end - start > 1 and _HOUR_BEHIND.fullmatch(tokens.texts[end - 1]) is not None
    )


def _ends_with_order(tokens: Tokens, start: int, end: int) -> bool:
    """Return whether the order of a thing stands behind a date: on Tuesday the first full load."""
    if end - start < 3 or tokens.lowers[end - 1] not in _ORDERS or tokens.lowers[end - 2] != "the":
        return False
    after = tokens.between(end, end + 1)
    return after.islower() and not {"noun", "adjective"}.isdisjoint(builtin_lexicon().of(after))


def _with_whole_words(tokens: Tokens, start: int, end: int) -> tuple[int, int]:
    """Return the extent of a date with the parts of its first and its last word that a tokenizer
    cuts off, as it takes wed for we'd."""
    texts = tokens.texts

    def are_joined(i: int) -> bool:
        is_word = 0 <= i < len(texts) - 1 and texts[i].isalpha() and texts[i + 1].isalpha()
        return is_word and not tokens.doc[i].whitespace_

    while are_joined(start - 1):
        start -= 1
    while are_joined(end - 1):
        end += 1
    return start, end


def extent_of_date(tokens: Tokens, start: int, end: int) -> tuple[int, int]:
    """Return the extent of a date with all of its first word, within its lines, without the hour or
    the amount behind it (May 8 pm, Dec 5 cm), without what belongs to another clause, and
    without the noun that its days count: 28 days holiday."""
    doc, texts = tokens.doc, tokens.texts
    start, end = _extent_in_lines(tokens, _without_order(tokens, start, end), end)
    start = _with_weekdays(tokens, start)
    start, end = _with_whole_words(tokens, start, end)
    start, end = _without_fractions(tokens, _without_nouns(tokens, start, end), end)
    start, end = _without_short_hours(tokens, start, _without_values(tokens, start, end))
    for i in range(start + 1, end):
        if texts[i][0].isdigit() and _is_no_day(tokens, i, end):
            return start, i
    if _ends_with_order(tokens, start, end):
        end -= 2
    counts = end - start > 2 and tokens.lowers[start + 1] in FOLLOWING["DATE_UNIT"]
    if counts and doc[start].like_num:
        for i in range(start + 2, end):
            text = texts[i]
            if text.islower() and text.isalpha() and text not in _BESIDE_DATES:
                return (start, i) if is_word(text) else (start, end)
            if not text.islower():
                break
    return start, end
