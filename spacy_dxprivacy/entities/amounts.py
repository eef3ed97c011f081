"""Numbers with blanks or marks between them that are amounts, and no telephone number.

A range, a large amount in groups of digits, a series, times of day and scores have the form of a
telephone number: 1000 1200 1400, 12 345 678, 0345-0350.
"""

from __future__ import annotations

import re
from itertools import pairwise

from .tables import FOLLOWING, expanded, pattern

UNITS = "|".join(sorted(map(re.escape, FOLLOWING["UNIT"]), key=len, reverse=True))
# Numbers of several parts: scores and decimals in a row, and large amounts.
MARKS = re.compile(r"[-–. ]")
_SCORES = re.compile(
    r"\d\d?-\d\d?(?: \d\d?-\d\d?)+(?: \d\d?)?|\d{1,3}\.\d\d(?: \d{1,3}\.\d\d)+(?: \d{1,3})?"
)
_CLOCKS = re.compile(r"\d{1,3}\.\d{1,2}(?:\s?[-–/ ]\s?\d{1,3}\.\d{1,2})+(?:[-– ]\d{1,3})?")
_ITEM = re.compile(r"\((?:(?P<year>(?:1[89]|20)\d\d)|[1-9]\d{1,4})\) ?", re.A)
_OF_CODE = re.compile(r"(?:\bCode|§|\b[Ss]ections?|\bC\.?F\.?R\.?|\bU\.?S\.?C\.?|\bStat\.) \Z")
_FROM_GROUPED = re.compile(r"\d[ .]\d{3} (?:to|[-–]) \Z")  # from 2 340 118 to |12 345 678
_HOURS_OF_DAY = re.compile(r"(?:[01]\d|2[0-3])[0-5][05] ?[-–] ?(?:[01]\d|2[0-3])[0-5][05]", re.A)
_CALLED = re.compile(rf"\b(?:{expanded('CALL_WORD')}|dial|whatsapp|number|no|contact)s?\b", re.I)
MIN_PHONE = 8  # digits of a telephone number with the code of its country
_GROUPED = re.compile(r"\d{1,3}(?:[ .]\d{3}){2,}(?:[.,]\d\d)?|\d{1,2}(?: \d\d)+ \d{3}")
# So no telephone number is written: 12 345 678, and lakhs (45 00 000).
_SURELY_GROUPED = re.compile(r"\d{1,2}(?P<mark>[ .])\d{3}(?P=mark)\d{3}|\d{1,2}(?: \d\d)+ 000")
_HOW_MANY = re.compile(
    r"\b(?:of|than|about|around|only|over|nearly|almost|some|reached|exceed(?:s|ed)?|claimed|paid|"
    r"spent|earned|sold|made|owe[sd]?|cost|RCW|(?:rose|fell|grew|came|amounts?|amounted) (?:by|to)"
    r")\s\Z"
)
_ROUND_RANGE = re.compile(r"\d{1,3}(?:[ .]\d{3})+\s?[-–]\s?\d{1,3}(?:[ .]\d{3})*(?<=00)")
_AFTER_AMOUNT = re.compile(rf" ?(?:{expanded('CURRENCY')}|{expanded('COINS')}|{UNITS})(?!\w)", re.I)
LEAD = 24  # characters beside numbers that say what they are
ROUND, MOST_SHARE = 50, 50  # ends of a range are round, or a fiftieth apart
LARGEST_STEP = 20  # of a series of numbers that are not round: 12 34 56 78 is none


def are_amounts(text: str, start: int, end: int) -> bool:
    """Return whether numbers with blanks or marks between them, in characters, are a range, a large
    amount, a series, times or scores, and no telephone number."""
    number = text[start:end]
    if number.startswith("000") and text[max(start - 2, 0) : start][:1].isdigit():
        return True  # the rest of 2 000 000
    if number[0] == "+":
        return count_digits(number) < MIN_PHONE or are_amounts(text, start + 1, end)
    if (item := _ITEM.match(number)) is not None:  # (1999) 12345, (12) 1200-1500
        return item["year"] is not None or are_amounts(text, start + item.end(), end)
    if _SCORES.fullmatch(number) or _CLOCKS.fullmatch(number) or _are_hours(number, text):
        return True
    parts = MARKS.split(number)
    if number[0] == "0" or not all(map(str.isdigit, parts)):
        return False
    before, after = text[max(start - LEAD, 0) : start], text[end : end + LEAD]
    if _GROUPED.fullmatch(number) and _is_grouped_amount(number, before, after):
        return True
    if _ROUND_RANGE.fullmatch(number):
        return True
    values = [*map(int, parts)]
    if len(values) < 2:
        return False
    if len(values) == 2:
        return _is_range(parts, values, before, after)
    return _is_series(values) or (len(values) > 2 and _AFTER_AMOUNT.match(after) is not None)


def _is_grouped_amount(number: str, before: str, after: str) -> bool:
    """Return whether a number in groups is an amount: beside money; round; or as no telephone
    number is written and behind a word for how many, for a policy may have it too."""
    if (
        pattern("BEFORE_AMOUNT").search(before)
        or _FROM_GROUPED.search(before)
        or _AFTER_AMOUNT.match(after)
    ):
        return True
    is_amount = _SURELY_GROUPED.fullmatch(number) is not None and _HOW_MANY.search(before)
    return bool(is_amount or number.endswith("000")) and _CALLED.search(before) is None


def _are_hours(number: str, text: str) -> bool:
    """Return whether a number is of two times of a day (0345-0350), or of two days in a text that
    has other such hours: N = 2145-0745 beside L = 1430-2200."""
    if _HOURS_OF_DAY.fullmatch(number) is None:
        return False
    others = (hours[0] for hours in _HOURS_OF_DAY.finditer(text))
    return any(hours[:4] < hours[-4:] for hours in (number, *others))


def count_digits(text: str) -> int:
    return sum(map(str.isdigit, text))


def _is_range(parts: list[str], values: list[int], before: str, after: str) -> bool:
    low, high = values
    if _OF_CODE.search(before):  # the number of a section: Code 1798.100
        return True
    if not 0 <= len(parts[1]) - len(parts[0]) <= 1 or low >= high:
        return False
    if low % ROUND == high % ROUND == 0 or (high - low) * MOST_SHARE <= low:
        return True
    if high > 2 * low:
        return False
    if pattern("BEFORE_RANGE").search(before):
        return True
    return pattern("COUNTED").match(after.lstrip(" ")) is not None


def _is_series(values: list[int]) -> bool:
    """Return whether numbers grow or fall by the same amount: 36-38-40-42, 1000 1200 1400."""
    steps = {b - a for a, b in pairwise(values)}
    step = abs(min(steps))
    if steps == {0}:
        return True  # 255 255 255
    is_round = all(value % 10 == 0 for value in values)
    if len(values) > 2 and all(value % ROUND == 0 for value in values):
        return True  # 1200-800-600
    low, high = min(values), max(values)
    if len(values) > 2 and low >= 100 and high - low <= low // 10:
        return True  # 410 420 400 430
    return len(steps) == 1 and step > 0 and (is_round or (len(values) > 3 and step <= LARGEST_STEP))
