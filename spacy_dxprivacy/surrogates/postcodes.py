"""Postal codes in the form of their country: LS1 4AB becomes one of Britain, 1017 AB one of the
Netherlands. Digits and letters are drawn anew, uniformly over those that the country writes there
(data/surrogates/postcodes.txt); the drawn code may exist.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from ..entities.tables import listed
from ..privacy.randomness import below
from .base import Stream, digits, draw_from

_FORMS = {
    "gb": r"[a-z]{1,2}\d[a-z\d]?\s?\d[abd-hjlnp-uw-z]{2}",
    "ca": r"[abceghj-nprstvxy]\d[a-z][ -]?\d[a-z]\d",
    "ie": r"[ac-fhknprtv-y]\d[\dw]\s?(?=[\da-z]{0,3}[a-z])[\dac-fhknprtv-y]{4}",
    "nl": r"(?:nl-)?\d{4}\s?[a-z]{2}",
    "other": r"(?:[a-z]{1,2}-)?(?:\d{4,6}(?:-\d{3,4})?|\d{3} \d\d|\d\d-\d{3})",
}
_ANY = "|".join(f"(?P<{country}>{form})" for country, form in _FORMS.items())
_CODE = re.compile(rf"(?ai:{_ANY})")
# In an address: codes of letters and digits at the end of a part, others before a town.
_LETTERED = "|".join(_FORMS[country] for country in ("gb", "ca", "ie"))
_NUMBERED = r"(?:(?:[A-Z]{1,2}-)?(?:\d{5}|\d{4}(?:\s?[A-Z]{2})?)|\d{3} \d\d|\d\d-\d{3})"
_LAST = re.compile(
    rf"(?ai:(?<![\w-])(?:{_LETTERED}|(?<=\b[a-z]{{2}} )\d{{5}}(?:-\d{{4}})?)(?=\s*\Z))"
)
_FIRST = re.compile(rf"(?a:\A\s*{_NUMBERED}(?=\s+[^\W\d_][^\d]*\Z))")
INWARD, IRISH = "ABDEFGHJLNPQRSTUWXYZ", "ACDEFHKNPRTVWXY0123456789"
CANADIAN = "ABCEGHJKLMNPRSTVWXYZ"  # after the first letter


def is_code(text: str) -> bool:
    """Return whether a text is a postal code of a country whose form is known."""
    return _CODE.fullmatch(text.strip()) is not None


def code_in(part: str) -> re.Match[str] | None:
    """Return the postal code of a part of an address: "Leeds LS1 4AB", "1017 AB Amsterdam"."""
    return _LAST.search(part) or _FIRST.match(part)


def like(code: str, language: str, stream: Stream) -> str:
    """Draw a postal code in the form of another one, in capitals.

    Args:
        code: A text for which `is_code` is true.
        language: Language of the text, which tells the country of five digits.
        stream: Source of randomness.
    """
    code = code.strip().upper()
    match = _CODE.fullmatch(code)
    draw = _DRAWS.get(match.lastgroup or "") if match else None
    return draw(code, stream) if draw else _numbered(code, language, stream)


def province(code: str) -> str:
    """Return the province of a Canadian postal code: ON for K1A 0B1; "" for any other code."""
    is_canadian = re.fullmatch(_FORMS["ca"], code, re.I) is not None
    return _table("ca").get(code[:1], "") if is_canadian else ""


@cache
def _table(country: str) -> dict[str, str]:
    """Return what codes of a country may begin with: letters (with the province that they are of),
    or all pairs of digits from 01 to this one."""
    rows = {line.split()[0]: line.split()[1:] for line in listed("postcodes")}
    pairs = (item.partition(":") for item in rows.get(country, ()))
    return {start: value for start, _, value in pairs}


def _british(code: str, stream: Stream) -> str:
    outward, inward = code[:-3].rstrip(), code[-3:]
    gap = code[len(outward) : -3]
    size = 1 + outward[1].isalpha()
    area = draw_from([area for area in _table("gb") if len(area) == size], stream)
    district = str(1 + below(9, stream))
    for c in outward[size + 1 :]:
        district += draw_from("ABCDEFGH", stream) if c.isalpha() else digits(1, stream)
    unit = "".join(draw_from(INWARD, stream) for _ in inward[1:])
    return f"{area}{district}{gap}{digits(1, stream)}{unit}"


def _canadian(code: str, stream: Stream) -> str:
    letters = [draw_from(list(_table("ca")), stream)]
    letters += [draw_from(CANADIAN, stream) for _ in range(2)]
    first, second, third = letters
    a, b, c = (digits(1, stream) for _ in range(3))
    return f"{first}{a}{second}{code[3:-3]}{b}{third}{c}"


def _irish(code: str, stream: Stream) -> str:
    first = draw_from(list(_table("ie")), stream)
    unit = draw_from("ACDEFHKNPRTVWXY", stream)
    unit += "".join(draw_from(IRISH, stream) for _ in range(3))
    return f"{first}{digits(2, stream)}{code[3:-4]}{unit}"


def _numbered(code: str, language: str, stream: Stream) -> str:
    """Draw the digits and the letters after them anew; the letters before them are of a country."""
    head, dash, rest = code.rpartition("-") if code[:1].isalpha() else ("", "", code)
    pairs = int(next(iter(_table(language)), "99"))
    if len(rest) == 5 and rest.isdigit() and not head:
        return f"{1 + below(pairs, stream):02d}{digits(3, stream)}"
    drawn = [digits(1, stream) if c.isdigit() else c for c in rest]
    drawn = [draw_from(INWARD, stream) if c.isalpha() else c for c in drawn]
    drawn[0] = str(1 + below(9, stream))
    return f"{head}{dash}{''.join(drawn)}"


_DRAWS: dict[str, Callable[[str, Stream], str]] = {
    "gb": _british,
    "ca": _canadian,
    "ie": _irish,
}
