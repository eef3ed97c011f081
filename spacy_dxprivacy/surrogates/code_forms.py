"""Codes of which a part says what they are: addresses of machines, coordinates, codes of countries.

What is kept is a fact about the form of a code, as the country of a telephone number is: the port
and the length of the prefix of a machine's address, the directions of coordinates, and the letters
of the country in a code of a bank, a tax number or a number of registered mail.
"""

from __future__ import annotations

import re

from ..entities.tables import expanded, words
from ..privacy.randomness import below
from .base import Stream, digits

_REST = {
    "ip": re.compile(r"[:/]\d{1,5}\Z", re.A),
    "ipv6": re.compile(r"(?:%[\w.-]{1,16})?(?:/\d{1,3})?\Z", re.A),
}
_DEGREES = rf"(?:{expanded('DEGREES')}) ?"
_DIRECTED = re.compile(rf"(?P<lat>{_DEGREES}[NS])(?P<between>,? ?)(?P<lon>{_DEGREES}[EW])", re.A)
_DECIMALS = re.compile(
    r"(?P<lat>[-+−]?\d{1,3}\.\d{3,})"
    r"(?P<between>°?(?: ?[NS])?[,;]?\s{0,3}(?:lon(?:g(?:itude)?)?[:= ]{1,3})?)"
    r"(?P<lon>[-+−]?\d{1,3}\.\d{3,})°?(?: ?[EW])?",
    re.A | re.I,
)
_NUMBERS = re.compile(r"\d+", re.A)
MAX_LATITUDE, MAX_LONGITUDE, SIXTY = 90, 180, 60
# Of registered mail (UPU S10), with the weights of its check digit; of banks (ISO 9362); of taxes.
_MAIL = re.compile(r"(?P<kind>[A-Z]{2})(?P<number>[ \d]{9,12})(?P<keep> ?[A-Z]{2})", re.A)
_WEIGHTS = (8, 6, 4, 2, 3, 5, 9, 7)
_BANK = re.compile(
    r"(?P<bank>[A-Z]{4})(?P<keep>[A-Z]{2})(?P<place>[A-Z\d]{2}(?:[A-Z\d]{3})?)", re.A
)
_TAX = re.compile(
    r"(?P<keep>AT|BE|BG|CY|CZ|DE|DK|EE|EL|ES|FI|FR|GB|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK|"
    r"XI)(?P<number>[ -]?U?(?=(?:[ -]?[A-Z\d]){8,12}\Z)(?=(?:[ -]?[A-Z]?\d){7})[A-Z\d -]+)",
    re.A,
)


def parts_of_machine(kind: str, text: str) -> tuple[str, str]:
    """Return the address of a machine, and its port, its prefix or its zone: 192.0.2.1, :8080.
    kind: "ip" or "ipv6"; any other kind of contact has no such part."""
    rest = _REST[kind].search(text) if kind in _REST else None
    return (text[: rest.start()], text[rest.start() :]) if rest else (text, "")


def coordinates(text: str, stream: Stream) -> str | None:
    """Draw coordinates of the same form: with their directions and signs, degrees below 90 and 180,
    minutes and seconds below 60. None for any other text."""
    found = _DIRECTED.fullmatch(text) or _DECIMALS.fullmatch(text)
    if found is None:
        return None
    latitude, longitude = found["lat"], found["lon"]
    is_east = float(_NUMBERS.findall(latitude)[0]) > MAX_LATITUDE  # east before north
    drawn = _angle(latitude, MAX_LONGITUDE if is_east else MAX_LATITUDE, stream)
    after = text[found.end("lon") :]
    return drawn + found["between"] + _angle(longitude, MAX_LONGITUDE, stream) + after


def _angle(text: str, most: int, stream: Stream) -> str:
    """Draw the numbers of an angle: degrees below `most`, minutes, seconds, decimals."""
    written, end = "", 0
    for i, match in enumerate(_NUMBERS.finditer(text)):
        is_behind_point = text[match.start() - 1 : match.start()] == "."
        drawn = (
            digits(len(match[0]), stream)
            if is_behind_point
            else _number(match[0], SIXTY if i else most, stream)
        )
        written, end = written + text[end : match.start()] + drawn, match.end()
    return written + text[end:]


def _number(text: str, most: int, stream: Stream) -> str:
    """Draw a number of as many digits below `most`; it begins with a zero if the text does."""
    size = len(text)
    least = 10 ** (size - 1) if size > 1 and text[0] != "0" else 0
    limit = min(10 ** (size - (size > 1 and text[0] == "0")), most)
    return f"{least + below(max(limit - least, 1), stream):0{size}d}"


def kept_country(text: str) -> tuple[int, int] | None:
    """Return the extent of the letters of a country in a code of a bank, of registered mail or of
    a tax: DEUT|DE|FF, RB123456785|GB|, |FR| 40 303265045. None for other codes."""
    for form in (_MAIL, _BANK, _TAX):
        match = form.fullmatch(text)
        if match and match["keep"].strip() in words("COUNTRY_CODES"):
            return match.span("keep")
    return None


def with_check_digit(drawn: str, text: str) -> str:
    """Return a drawn number of registered mail, with a valid check digit if that of the text is."""
    if not (_MAIL.fullmatch(text) and _has_check(text)):
        return drawn
    places = [i for i, c in enumerate(drawn) if c.isdigit()]
    return f"{drawn[: places[-1]]}{_check(drawn)}{drawn[places[-1] + 1 :]}"


def _has_check(text: str) -> bool:
    return [c for c in text if c.isdigit()][-1] == str(_check(text))


def _check(text: str) -> int:
    """Return the check digit of the first eight digits."""
    numbers = [int(c) for c in text if c.isdigit()][: len(_WEIGHTS)]
    rest = 11 - sum(map(int.__mul__, numbers, _WEIGHTS)) % 11
    return {10: 0, 11: 5}.get(rest, rest)
