r"""Street addresses with their city, state and postal code (dx.Address.v1).

Law         a house number (uniform from 1 to 9999), a street (uniform over 200 names and 8 kinds),
            a city of the United States with its state and a postal code of that state
Guarantee   epsilon 0 for what is drawn. In clear is which of these parts a mention has
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..guarantee import Guarantee
from ..registries import registry
from .base import Mention, Scope, independent
from .lists import STATES, STREET_KINDS, STREETS, cities, state_name
from .place import LONG_CODE, Home, home_of, kind_of_place, like_case, postal_code
from .streams import Draws, Stream, below, digits, pick

IN_CLEAR = (
    "which parts an address has, as public lists read them: house number or box, street, unit, "
    "city, state (abbreviated or not), postal code (long or not), and whether it is in"
    " capitals of more than three letters",
)
_ZIP = re.compile(r"(?<!\d)\d{5}(?:-\d{4})?(?!\d)\s*$", re.ASCII)
_UNIT = re.compile(r"\b(?:apt|apartment|unit|suite|ste|room|rm|floor|fl|#)\.?\s*#?\s*\w+", re.I)
_NUMBER = re.compile(r"^\s*\d[\w/-]*")
_BOX = re.compile(r"^\s*p\.?\s?o\.?\s*box\b", re.I)
_STATES = re.compile(
    r"\b(?:" + "|".join([*STATES, *(re.escape(state_name(s)) for s in STATES)]) + r")\s*$"
)


@registry.dx_surrogates("dx.Address.v1")
def make_address(scope: str = "document", key: str | None = None) -> Address:
    """scope: "mention", "document" (the same address has the same stand-in), or "corpus" with the
    file of a key."""
    return Address(Scope(scope, key))


@dataclass(frozen=True)
class Address:
    """See make_address."""

    scope: Scope

    name = "dx.Address.v1"
    way = "drawn"
    chance = 1 / 50  # of a mention that is a state alone

    @property
    def in_clear(self) -> tuple[str, ...]:
        """What of a mention is visible, for the receipt."""
        return self.scope.in_clear + IN_CLEAR

    @property
    def guarantee(self) -> Guarantee:
        """Of what is drawn, given what is in clear."""
        return independent("addresses with the same parts", self.scope)

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """As many addresses, with the parts that each has."""
        order = list(dict.fromkeys(_identity(mention) for mention in mentions))
        places = {identity: number for number, identity in enumerate(order)}
        known: dict[str, str] = {}
        drawn: list[str | None] = []
        for mention in mentions:
            identity = _identity(mention)
            if self.scope.reach == "mention" or identity not in known:
                known[identity] = self._one(mention.text, identity, places[identity], draws)
            drawn.append(known[identity])
        return drawn

    def _one(self, text: str, identity: str, number: int, draws: Draws) -> str:
        stream = self.scope.stream(draws, "address", identity)
        shared = self.scope.reach == "document"
        home = home_of(draws, number) if shared else pick(cities(), stream)
        return like_case(written(text, home, stream), text)


def _identity(mention: Mention) -> str:
    return " ".join(mention.text.casefold().split())


def written(text: str, home: Home, stream: Stream) -> str:
    """An address with the parts of a text. Nothing of the text is in it but commas."""
    if kind_of_place(text) == "zip":
        return postal_code(home, stream, long=len(text.strip()) >= LONG_CODE)
    code, text = _cut(_ZIP, text)
    state, text = _cut(_STATES, text.rstrip(" ,"))
    unit, text = _cut(_UNIT, text)
    parts = [part.strip() for part in text.split(",") if part.strip(" .")]
    lines = [_line(part, home, stream, first=not i) for i, part in enumerate(parts)]
    if unit:
        lines[1:1] = [f"Apt {1 + below(99, stream)}"]
    ends = [home[1] if len(state.strip()) == 2 else state_name(home[1])] if state else []
    ends += [postal_code(home, stream, long="-" in code)] if code else []
    return ", ".join([*lines, " ".join(ends)] if ends else lines) or home[0]


def _cut(pattern: re.Pattern[str], text: str) -> tuple[str, str]:
    """What is found, and the text without it."""
    found = pattern.search(text)
    if found is None:
        return "", text
    return found[0], text[: found.start()] + text[found.end() :]


def _line(part: str, home: Home, stream: Stream, *, first: bool) -> str:
    """A street where it begins with a number or is the first part of several words, else a city."""
    number = _NUMBER.match(part)
    if _BOX.match(part):
        return f"PO Box {1 + below(9, stream)}{digits(3, stream)}"
    if number is None and (not first or kind_of_place(part) == "country" or _is_city(part)):
        return home[0]
    street = f"{pick(STREETS, stream)} {pick(STREET_KINDS, stream)}"
    if number is None:
        return street
    return f"{1 + below(9999, stream)} {street}"


def _is_city(part: str) -> bool:
    return part.casefold() in {city.casefold() for city, _ in cities()}
