"""Values, which are no names, dates or addresses: amounts with units, scales, votes and code.

Rules and the network guess by the words beside a number, and so take Gbit for a person in "1.2
Gbit/s", and "90 cm wide" for an address. What the form of a number says is surer than such a guess.
The form of a code is judged where it is read (NUMBER_FORM in data/entities/forms.txt): a code after
a word that says so stays a code, whatever its form.
"""

from __future__ import annotations

import re

from spacy.tokens import Doc

from ..text.mentions import Entity, is_word
from .tables import FOLLOWING, expanded, pattern, words
from .words import kinds

_NAMED = frozenset({"PERSON", "GPE", "ORG"})
_PLACED = _NAMED | {"ADDRESS"}
_DATED = frozenset({"DATE", "TIME"})
MAX_UNIT = 6  # letters of a unit, such as Mbit
_UNITS = "|".join(sorted(map(re.escape, FOLLOWING["UNIT"]), key=len, reverse=True))
_AMOUNT = rf"[+−-]?\d+(?:[.,]\d+)*\s?(?:%|(?:{_UNITS})(?!\w))"
_OF_VALUES = re.compile(rf"{expanded('JOINED')}(?:\s?[/x×–-]\s?{expanded('JOINED')})*", re.I)
# An abbreviation and its value (ST +3 mm), an amount and what it measures (90 cm wide).
_WITH_AMOUNT = re.compile(rf"[A-Z][A-Za-z]{{0,4}}\s[<>=~±]?\s?{_AMOUNT}")
_MEASURED = re.compile(rf"(?:{expanded('JOINED')}|{_AMOUNT})(?:\s[a-z]+)*")
_SETTING = re.compile(r"[a-z_.]+=-?\d[\d.]*[a-z]{0,3}")
_TWO_LETTERS = re.compile(r"[^\W\d_]{2}|[^\W\d_]\.")
# Calls and list items: t(212, 12]-[15.
_CALL = re.compile(r"[A-Za-z]{1,3}[(\[]\d{1,6}|\d+\]\s?[-–,]\s?\[\d+")
_GROUP = re.compile(r"[a-z]{2,}-\d{1,4}s?")  # under-16s
_NUMBERED = re.compile(r"[A-Z]\d{1,2}(?:\+\d{1,2})?")  # G2 P1
_SIGNS = frozenset("+ - − < > = ~ ± @ ≤ ≥".split())
MAX_ABBREVIATION = 5  # letters
MAX_COUNT = 3  # digits of a number of things that is no identifier
# Votes and scores, which are no day and month: 11-4-2, 3-2.
_VOTES = re.compile(r"\d{1,2}(?:\s?[-–]\s?\d{1,2}){0,1}\s?[-–]\s?\d", re.A)
_HALVES = frozenset("am pm a.m p.m a.m. p.m.".split())
_PER_CENT = re.compile(r"\s?\d{1,3}(?:[.,]\d+)?\s?%")
_BESIDE_DATES, _ABBREVIATIONS = words("BESIDE_DATES"), words("ABBREVIATIONS", "terms")


def is_value(doc: Doc, entity: Entity) -> bool:
    """Return whether a name, a place, a date or an identifier is a value, or a part of one."""
    label, start, end = entity
    if label in _DATED:
        return _is_undated(doc, start, end)
    if label not in _PLACED:
        return label == "ID" and _is_count(doc, start, end)
    text = doc[start:end].text.rstrip(".")
    if any(map(str.isdigit, text)):
        if label == "ADDRESS" and (are_values(text) or _is_in_row(doc, start, end)):
            return True
        return _is_amount(text) or (label in _NAMED and _is_number(text))
    return end - start == 1 and label in _NAMED and (_is_unit(doc, start) or _has_value(doc, start))


def _is_count(doc: Doc, start: int, end: int) -> bool:
    """Return whether a number counts what stands behind it: no 500 errors, in case 300 more."""
    number = doc[start]
    if end - start > 1 or not number.is_digit or len(number) > MAX_COUNT:
        return False
    return pattern("COUNTED").match(doc[end : end + 1].text) is not None


def are_values(text: str) -> bool:
    """Return whether the words between numbers are abbreviations: HR 132 RR, 88 BP 120."""
    letters = [part for part in text.split() if part.isalpha()]
    return bool(letters) and _ABBREVIATIONS.issuperset(letters)


def _is_in_row(doc: Doc, start: int, end: int) -> bool:
    """Return whether a letter with a number is one of several, as in G2 P1."""
    beside = doc[start:end].text, doc[end : end + 1].text
    return all(_NUMBERED.fullmatch(text) for text in beside)


def _has_value(doc: Doc, i: int) -> bool:
    """Return whether a sign and a value follow an abbreviation: CPI + 1%."""
    sign, value = doc[i + 1 : i + 2].text, doc[i + 2 : i + 3].text
    is_short = doc[i].is_upper and len(doc[i]) <= MAX_ABBREVIATION
    return is_short and sign in _SIGNS and value[:1].isdigit()


def _is_amount(text: str) -> bool:
    """Return whether a text is an amount with its unit, and small words that it measures."""
    if _OF_VALUES.fullmatch(text) or _WITH_AMOUNT.fullmatch(text):
        return True
    return _MEASURED.fullmatch(text) is not None


def _is_number(text: str) -> bool:
    """Return whether a text with a digit has no two letters side by side, sets a number, or is a
    group by age."""
    if _TWO_LETTERS.search(text) is None or _SETTING.fullmatch(text):
        return True
    return _GROUP.fullmatch(text) is not None and is_word(text.partition("-")[0])


def _is_unit(doc: Doc, i: int) -> bool:
    """Return whether a word is the unit of a rate: 1.2 Gbit/s."""
    before, after = doc[i - 1 : i].text, doc[i + 1 : i + 2].text
    if not (i and before[-1:].isdigit() and after == "/" and len(doc[i]) <= MAX_UNIT):
        return False
    return not doc[i].whitespace_ and len(doc[i + 2 : i + 3].text) in (1, 2, 3)


def _is_undated(doc: Doc, start: int, end: int) -> bool:
    """Return whether a date is a part of code, a vote without a word before it that makes it a
    date, or the rate APR."""
    text = doc[start:end].text
    if _CALL.fullmatch(text):
        return True
    if _VOTES.fullmatch(text):
        return pattern("BEFORE_DATE").search(doc[max(start - 3, 0) : start].text_with_ws) is None
    if end - start > 1 or not (text.isupper() and "MONTH" in kinds(text)):
        return False
    before = doc[start - 1 : start].text
    return before == "%" or _PER_CENT.match(doc[end : end + 3].text) is not None


def extent_of_name(doc: Doc, start: int, end: int) -> tuple[int, int]:
    """Return the extent of a name without the letter of a number before it: 12-B. Visibility."""
    before = doc[max(start - 2, 0) : start]
    joined = before.text[-1:] == "-" and before.text[-2:-1].isdigit()
    if not joined or before.text_with_ws[-1:] == " " or len(doc[start].text.rstrip(".")) > 1:
        return start, end
    rest = doc[start + 1 : end]
    return (start + 1, end) if any(not is_word(token.lower_) for token in rest) else (end, end)


def extent_of_date(doc: Doc, start: int, end: int) -> tuple[int, int]:
    """Return the extent of a date with all of its first word, without the hour behind it, and
    without the noun that its days count: 28 days holiday."""
    while start and doc[start].is_alpha and doc[start - 1].text.isalpha():
        if doc[start - 1].whitespace_:
            break
        start -= 1  # a tokenizer takes wed for we'd
    is_hour = end < len(doc) and doc[end].lower_ in _HALVES and len(doc[end - 1]) < 3
    if is_hour and doc[end - 1].is_digit and end - start > 1:
        return start, end - 1
    if end - start > 2 and doc[start].like_num and doc[start + 1].lower_ in FOLLOWING["DATE_UNIT"]:
        for i in range(start + 2, end):
            if doc[i].is_lower and doc[i].is_alpha and doc[i].text not in _BESIDE_DATES:
                return (start, i) if is_word(doc[i].text) else (start, end)
            if not doc[i].is_lower:
                break
    return start, end
