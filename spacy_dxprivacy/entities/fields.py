"""Numbers and names of accounts beside the word that says what they are, as in forms and tables."""
# A form is a line, however long.
# ruff: noqa: E501

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from .addresses import BLANKS, Span

_STROKES = {"／": "/", "－": "-", "．": ".", "：": ":", "，": ","}
_FOREIGN = re.compile(rf"[^\D0-9]|[{''.join(_STROKES)}]")
_KEYS = (
    r"mrn|ssn|ein|tin|nino|nhs|npi|dea|vin|imei|hicn|mbi|pesel|cpf|cnpj|aadhaar|pan|"
    r"(?:social security|medical record|health insurance|insurance|passport|licen[cs]e|driver'?s licen[cs]e|"
    r"account|acct|member|patient|customer|client|employee|student|case|claim|policy|invoice|order|ticket|"
    r"reference|ref|chart|encounter|visit|record|file|booking|tracking|serial|device|tax|national|voter|"
    r"plate|registration|certificate|confirmation|group|subscriber|prescription|rx|accession|specimen|badge)"
    r"(?: (?:no|nr|num|number|id|code|identifier))?|id(?: (?:no|number|card))?|no|nr"
)  # fmt: skip
_CODE = r"(?=[\w./-]{0,60}\d[\w./-]{0,60}\d)[a-z]{0,5}[-/ ]?\d[\w]*(?:[-./][\w]+)*|(?=[a-z-]{0,60}\d)[a-z\d]+(?:-[a-z\d]+)+"
_USER = r"user ?name|user id|userid|user|login|handle|screen ?name|nickname|nick|skype|twitter|instagram|telegram|snapchat|github|discord"
_FORMS = (
    rf"\b(?:{_KEYS})\b\.?{BLANKS}(?:[:#=]|is|was|->){BLANKS}#?{BLANKS}({_CODE})",
    rf"\b(?:mrn|ssn|{_KEYS.split('|(?:')[0]})\b[ \t#]{{0,40}}({_CODE})",
    rf"\b(?:{_USER})\b{BLANKS}[:=]{BLANKS}(\S{{2,40}}?)(?=[,;.]?(?:\s|\Z))",
    rf"\b(?:{_USER})[ \t]+((?=[\w.-]*\d)[a-z][\w.-]{{2,30}}\w)(?![\w@])",
    r"(?<![\w@./])(@[a-z_][\w.]{1,30}\w)(?![\w@])",
)


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    return re.compile("|".join(_FORMS))


def codes(text: str) -> Iterator[Span]:
    """(start, end) of each number or user name that a key, a colon or an @ stands before."""
    for match in _pattern().finditer(lowered(text)):
        yield match.span(match.lastindex or 0)


def plain_digits(text: str) -> str:
    """Digits and strokes of all scripts as those of ASCII, each where it was."""
    return text if text.isascii() else _FOREIGN.sub(_plain, text)


def _plain(found: re.Match[str]) -> str:
    letter = found[0]
    return _STROKES.get(letter) or str(unicodedata.digit(letter))


def lowered(text: str) -> str:
    """In small letters, each where it was: those that would become two stay as they are. Without
    capitals a search is twice as fast as one that ignores case."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
