"""Extend numbers over what continues them: 3782-|822463|-10005, |HL/CB/2231|-4, |A123| BCD.

A form of an identifier or a telephone number may end within it. A further group of digits or
capitals behind one blank, hyphen, dot or stroke belongs to the number, unless it is a word, an
amount with its unit, a time or a date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..text.mentions import is_word
from .tables import FOLLOWING, expanded, words

MAX_PHONE = 11  # digits that need no further group behind a blank
MAX_DIGITS = 34  # of any number
_ABBREVIATIONS = words("ABBREVIATIONS", "terms")
_CURRENCIES = frozenset(expanded("CURRENCY").upper().split("|"))
_UNITS = "|".join(sorted(map(re.escape, FOLLOWING["UNIT"]), key=len, reverse=True))
_JOINED = re.compile(
    r"[-–/](?:\d{1,12}[A-Za-z]?|(?P<letters>[A-Z]{1,4})\d{0,8})(?!\w|[.,:]\d)|\.\d{1,6}(?![\w.,:/-])"
)
_BEFORE = re.compile(r"(?<![\w.,:/$£€%+-])(?:\d{1,12}|[A-Z]{1,4})[-/]\Z")
_GROUP = re.compile(
    r" (?P<digits>\d{1,12})(?![\w%°]|[.,:/–-] ?\d|['’]s| (?:to|[–x×-]) ?\d)"
    rf"(?! ?(?i:{_UNITS}|[ap]\.m\.|{expanded('MONTH')}|{expanded('COUNTED')})(?!\w))",
)
_GROUP_BEFORE = re.compile(r"(?<![\w.,:/$£€%+-])\d{2,6} \Z")
_PLATE, _PLATE_END = re.compile(r"[A-Z]{1,2}\d{1,4}"), re.compile(r" ([A-Z]{3})(?![\w-]| [A-Z]{2})")
_OPEN_GROUPS = re.compile(r"\d{6,12}")
_AFTER_GROUP = re.compile(
    r"[^\w\s]|\s*\Z|\s*\n| (?:[^a-z]|(?!of\b)[a-z]{1,2}\b|(?:and|but|for|has|the|was|were|with)\b)"
)
_TWO_GROUPS, _ANOTHER = re.compile(r"\d \d"), re.compile(r" [+(]?\d")
_YEAR = re.compile(r"(?:19|20)\d\d")
_RUNS = re.compile(r"[A-ZÄÖÜ]+|\d+|[^A-ZÄÖÜ\d]+")
_CAPITALS, _DIGITS = re.compile(r"[A-ZÄÖÜ]"), re.compile(r"\d")
_JOINT = r"(?:,? (?:and|or|&|und|oder|et|ou|y|e|o|en|of) |, )"
MAX_SIBLING, MAX_RUN = 16, 4  # characters of a code of a list, and of a part that may be shorter


def whole_number(text: str, label: str, start: int, end: int) -> tuple[int, int]:
    """Return the extent of an identifier or a telephone number, in characters, with the groups that
    continue it on both sides."""
    before = _BEFORE.search(text, max(start - 14, 0), start)
    if before and not _is_word(before[0][:-1]):
        start = before.start()
    first = end
    while _count(text, start, end) < MAX_DIGITS and (after := _next(text, label, start, end)):
        end = after
    if first < end and _OPEN_GROUPS.fullmatch(text, start, first):
        while group := _GROUP_BEFORE.search(text, max(start - 8, 0), start):
            start = group.start()
    return start, end


def siblings(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the extents of the codes that a list has behind a code, in characters, each with its
    capitals, digits and marks: HH AB 123 und |HH XY 1234, |HH CD 7. A code of digits has none."""
    code = text[start:end]
    if not (_CAPITALS.search(code) and _DIGITS.search(code)) or len(code) > MAX_SIBLING:
        return
    form = "".join(map(_alike, _RUNS.findall(code)))
    while sibling := re.compile(rf"{_JOINT}(?P<code>{form})(?!\w|[-.,/]\w)").match(text, end):
        yield sibling.span("code")
        end = sibling.end()


def _alike(run: str) -> str:
    """Return the pattern of a run of capitals, digits or marks, which may be longer or shorter in
    another code."""
    if not run.isalnum():
        return re.escape(run)
    kind = r"\d" if run.isdigit() else "[A-ZÄÖÜ]"
    return rf"{kind}{{1,4}}" if len(run) <= MAX_RUN else rf"{kind}{{{len(run)}}}"


def _next(text: str, label: str, start: int, end: int) -> int:
    """Return the end of the group that continues a number; 0 if none does."""
    joined = _JOINED.match(text, end)
    if joined is not None and not _is_word(joined["letters"] or ""):
        return joined.end()
    if text[end : end + 1] != " ":
        return 0
    plate = _PLATE_END.match(text, end) if _PLATE.fullmatch(text, start, end) else None
    if plate is not None and not _is_word(plate[1]):
        return plate.end()
    group = _GROUP.match(text, end)
    return group.end() if group and _belongs(text, label, start, end, group) else 0


def _belongs(text: str, label: str, start: int, end: int, group: re.Match[str]) -> bool:
    """Return whether digits behind a blank continue a number: one of several groups, or of six
    digits at least, where no word follows that they may count."""
    number, size = text[start:end], len(group["digits"])
    is_grouped = _TWO_GROUPS.search(number) is not None
    if label == "PHONE" or not is_grouped:  # no two numbers, and no row of numbers
        if size < 2 or _ANOTHER.match(text, group.end()):
            return False
    if label == "PHONE" and _count(text, start, end) >= MAX_PHONE:
        return False
    if _YEAR.fullmatch(group["digits"]) and number.count(" ") < 2:
        return False
    if not is_grouped and not _OPEN_GROUPS.fullmatch(number):
        return False
    return _AFTER_GROUP.match(text, group.end()) is not None


def _count(text: str, start: int, end: int) -> int:
    return sum(map(str.isdigit, text[start:end]))


def _is_word(letters: str) -> bool:
    """Return whether capitals are a word, an abbreviation or a currency rather than a group."""
    if letters in _ABBREVIATIONS or letters in _CURRENCIES:
        return True
    return len(letters) > 1 and letters.isalpha() and is_word(letters.lower())
