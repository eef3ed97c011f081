"""Find what goes on after the end of a line: numbers, dates and addresses, in all languages.

Two lines are read as one, with the forms of `phrases` and `foreign`. An entity counts if it has
words of both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ..text.lines import LINE_END, joint_of
from ..text.mentions import Entity
from ..text.tokens import Tokens
from .dates import NUMBER_OF_ITEM
from .foreign import addresses_in, any_day, begins_with_label, dates_in, numbers_with_keys
from .phrases import addresses, field_codes, in_tokens, numbers_in
from .tables import DAY, YEAR, date_words, expanded

BESIDE = 60  # characters on each side of the end of a line that are read together
NEAR = 24  # characters beside it, of which one is a digit
_QUOTE = " \t>|#*/-"
_ENDS, _BEGINS = re.compile(rf"\d[^\n]{{0,{NEAR}}}\Z"), re.compile(rf"[^\n]{{0,{NEAR}}}?\d")
# The time or the day at which a line of a chat or a log was written, or the machine that it is of.
_STAMP = re.compile(
    r"(?:\d{1,2}:\d\d(?!\d)|\d{4}([-/.])\d\d\1\d\d(?!\d)|\d{1,2}/\d{1,2}/(?:\d\d){1,2}(?!\d)|"
    r"(?:0?[1-9]|[12]\d|3[01])([-.])(?:0?[1-9]|1[0-2])\2"
    r"(?:(?:19|20)\d\d(?!\d)|\d\d,? \d{1,2}:\d\d)|"
    r"\d{1,2}[-/ ][A-Z][a-z]{2}[-/ ]\d{4}|\d{8}T\d{4}|\d{1,3}(?:\.\d{1,3}){3}(?![.\d])|"
    r"(?:[\da-fA-F]{1,4}:){2,7}[\da-fA-F:]{1,9}(?=\s))"
)
_ROW_END, _ROW_START = (
    re.compile(r"[,;\t|][$£€¥₹]?\d[\d.]*\Z"),
    re.compile(r"\w[^,;\t|\n]{0,30}[,;\t|]\S"),
)
_CALL = re.compile(rf"(?:{expanded('CALL_WORD')})\b[.:]? ?[+(\d]", re.I)  # Tel 090-55 01 42
_HAS_WORDS = re.compile(r"[^\W\d_]{2}")
_MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,4}\.[^\W\d_]{2,63}(?![\w.-]*@)")
_HANDLES = re.compile(
    r"(?:^@\w.*\n(?:.*\n){0,3}?){2}", re.M
)  # lines of a chat, which begin with them
# Of an address of mail that a program cut at its sign, or with a soft break.
_CUT = re.compile(r"\w@\Z|[\w@.-]=\Z")


def match_wrapped(tokens: Tokens, language: str) -> set[Entity]:
    """Return the entities that begin on one line and end on the next."""
    text = tokens.text
    if "\n" not in text:
        return set()
    return {in_tokens(tokens.doc, *entity) for entity in _wrapped(text, language)}


def _wrapped(text: str, language: str) -> Iterator[Entity]:
    """Yield the entities, in characters."""
    are_handles = "\n@" in text and _HANDLES.search(text) is not None
    for match in LINE_END.finditer(text):
        begin = max(text.rfind("\n", 0, match.start()) + 1, match.start() - BESIDE)
        before = text[begin : match.start()]
        begin += len(before) - len(before.lstrip(_QUOTE))
        before = text[begin : match.start()]
        after = text[match.end() : match.end() + BESIDE].partition("\n")[0]
        is_mail = after.startswith("@") or _CUT.search(before)
        is_number = _ENDS.search(before) or _BEGINS.match(after)
        if not ((is_mail or is_number) and _HAS_WORDS.search(before)):
            continue
        before, joint = joint_of(before, after)
        size, line = len(before), f"{before}{joint}{after}"
        for label, start, end in _read(line, language):
            if start < size < end - len(joint):
                if label == "EMAIL" and are_handles and after.startswith("@"):
                    continue
                if _begins_new(label, before, after, language):
                    continue
                if label == "ADDRESS" and _is_below_heading(line[start:size], after):
                    continue  # a heading above it
                yield Entity(label, begin + start, match.end() + end - size - len(joint))


def _begins_new(label: str, before: str, after: str, language: str) -> bool:
    """Return whether a line begins something else: a date below one, an item or a sentence, the
    stamp of a log, a label (PLZ: 45127 / Ort: Essen), or a second number in a column, as those of
    houses."""
    if label == "DATE":
        return _ends_with_date(before, language) or _is_new_item(before, after)
    if label != "EMAIL" and (_STAMP.match(after) or _counts_on(before, after)):
        return True
    if _ROW_END.search(before) and _ROW_START.match(after):
        return True  # the next row of a table
    is_in_column = before[-1:].isdigit() and after[:1].isdigit()
    if label != "ADDRESS":
        return False
    return is_in_column or begins_with_label(after) or _CALL.match(after) is not None


def _is_below_heading(before: str, after: str) -> bool:
    """Return whether a whole address begins with a line, and what is before it has no number."""
    if any(map(str.isdigit, before)):
        return False
    return any(start == 0 for start, _ in addresses(after))


def _counts_on(before: str, after: str) -> bool:
    """Return whether two lines begin with numbers of a list: 1. Ada Lind (2104) / 2. Bo."""
    one, other = NUMBER_OF_ITEM.match(before), NUMBER_OF_ITEM.match(after)
    if one is None or other is None:
        return False
    return int(one[0].rstrip(" .),;|\t")) + 1 == int(other[0].rstrip(" .),;|\t"))


def _is_new_item(before: str, after: str) -> bool:
    """Return whether a line begins with the number of an item, or a sentence ends with a month
    before it: "It resumes in May." before "5. Planning"."""
    return NUMBER_OF_ITEM.match(after) is not None or _month_ends(before)


def _month_ends(line: str) -> bool:
    *_, last = line.rsplit(None, 1) or [""]
    return last.endswith(".") and last[:-1].lower() in date_words("en").months


def _ends_with_date(line: str, language: str) -> bool:
    """Return whether a whole date ends with a line: "Intern, March 5." before "Julio"."""
    size = len(line.rstrip(" \t.,"))
    return any(label == "DATE" and end >= size for label, _, end in _read(line, language))


def _read(line: str, language: str) -> Iterator[Entity]:
    """Yield the numbers, dates and addresses of a line, in characters."""
    if "@" in line:
        yield from (Entity("EMAIL", *match.span()) for match in _MAIL.finditer(line))
    if language != "en":
        yield from (*dates_in(line, language), *numbers_with_keys(line), *addresses_in(line))
        return
    yield from (*numbers_in(line), *field_codes(line))
    yield from (Entity("ADDRESS", *span) for span in addresses(line))
    for form in (_day(), any_day()):  # a short text may be mistaken for English
        yield from (Entity("DATE", *match.span()) for match in form.finditer(line))


@cache
def _day() -> re.Pattern[str]:
    months = "|".join(sorted(date_words("en").spellings, key=len, reverse=True))
    day = rf"{DAY}(?:st|nd|rd|th)?(?!\w|[:.]\d)"
    return re.compile(
        rf"(?<![\w.])(?:{day} (?:of )?(?:{months})(?!\w)\.?|(?:{months})\.? {day})(?:,? {YEAR})?|"
        rf"(?<!\w)(?:{months})\.?,? {YEAR}",
        re.I,
    )
