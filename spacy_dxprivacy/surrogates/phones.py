"""Telephone numbers that belong to nobody, in the country of the original.

A number with the code of a country, or with a 0 in a text of its language, becomes one that the
regulator of the country keeps for films and examples (data/surrogates/phones.txt). Of countries
without such numbers the code stays, and 00 follows it, with which no number of a country begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from ..entities.tables import listed
from .base import Stream, digits

# Codes of countries but 1, which has numbers of its own for examples (555-01xx).
_CODES = (
    r"7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|"
    r"(?:2[1-689]|3[578]|42|5[09]|6[7-9]|8[0578]|9[679])\d"
)
_CODE = re.compile(rf"[\s(]*(?:\+|00)[\s(]*(?P<code>{_CODES})(?P<zero>[\s.-]*\(0\))?")
_TRUNK = re.compile(r"[\s(]*0(?=[\s()./-]*[1-9])")
_OF_LANGUAGE = {"en": "44", "fr": "33", "de": "49"}  # whose numbers without a code are told apart
_EXTENSION = re.compile(r"\s*(?:x|ext\.?|#)\s*\d*\Z", re.I)
LENGTHS = {"44": (9, 10), "33": (9, 9), "49": (8, 12), "61": (9, 9)}  # digits of `Number.own`
OTHER_LENGTHS = 5, 12


@dataclass(frozen=True)
class Number:
    """A telephone number: the digits before its own ("44", "0"), its country, and its own digits.

    extension: How many digits follow.
    """

    prefix: str
    country: str
    own: str
    extension: int


def number_in(text: str, language: str) -> Number | None:
    """Return the number that a text is; None if its country is unknown.

    Args:
        text: A telephone number as written.
        language: Language of the text, which tells the country of "0171 2345678".
    """
    cut = _EXTENSION.search(text)
    main = text[: cut.start()] if cut else text
    coded = _CODE.match(main)
    national = None if coded else _TRUNK.match(main)
    country = coded["code"] if coded else _OF_LANGUAGE.get(language, "") if national else ""
    start = coded or national
    if start is None or not country:
        return None
    prefix, own = _digits(start[0]), _digits(main[start.end() :])
    least, most = LENGTHS.get(country, OTHER_LENGTHS)
    if not least <= len(own) <= most:
        return None
    return Number(prefix, country, own, len(_digits(text)) - len(prefix + own))


def reserved(number: Number, stream: Stream) -> str:
    """Draw a number of the country that nobody has: its own digits and an extension."""
    head = next(head for start, head in _heads(number.country) if number.own.startswith(start))
    return head + digits(len(number.own) - len(head) + number.extension, stream)


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


@cache
def _heads(country: str) -> tuple[tuple[str, str], ...]:
    return tuple(_rows(country))


def _rows(country: str) -> Iterator[tuple[str, str]]:
    for line in listed("phones"):
        code, _, rest = line.partition(" ")
        if code in (country, "*"):
            start, head = rest.split()
            yield start.replace("*", ""), head
