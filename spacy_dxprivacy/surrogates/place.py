r"""Cities, states, countries and postal codes that fit each other (dx.Place.v1).

Law         for each city of a document a city of the United States (uniform over 1,024, with its
            state), for each state that of such a city, for each country another one (uniform over
            100), for each postal code one of such a state
Guarantee   epsilon 0 for what is drawn. In clear is whether a mention is a city, a state, a country
            or a postal code, and which mentions of a document are the same
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..guarantee import Guarantee
from ..registries import registry
from .base import Mention, Scope, independent
from .lists import COUNTRIES, OTHER_COUNTRIES, STATES, cities, state_name, zip_heads
from .streams import Draws, Stream, digits, pick

IN_CLEAR = (
    "whether a place is a city, a state (abbreviated or not), a country or a postal code (long or "
    "not), as public lists read it, and whether it is in capitals (of more than three"
    " letters) or small letters",
)
LONG_CODE = 10  # characters of one of the United States with its last four digits
# Of the United States, Britain, Canada, the Netherlands, and others in digits.
_CODE = re.compile(
    r"(?ai:\d{5}(?:-\d{4})?|[a-z]{1,2}\d[a-z\d]?\s?\d[a-z]{2}|[a-z]\d[a-z]\s?\d[a-z]\d|"
    r"\d{4}\s?[a-z]{2}|[a-z]{0,2}-?\d{4,6})"
)
_NAMES = {state_name(short).casefold(): short for short in STATES}
_COUNTRIES = {name.casefold() for name in COUNTRIES} | OTHER_COUNTRIES
_STATE_OF = {city.casefold(): state for city, state in cities()}
Home = tuple[str, str]


@registry.dx_surrogates("dx.Place.v1")
def make_place(scope: str = "document", key: str | None = None) -> Place:
    """scope: "mention", "document" (the same place has the same stand-in), or "corpus" with the
    file of a key."""
    return Place(Scope(scope, key))


@dataclass(frozen=True)
class Place:
    """See make_place."""

    scope: Scope

    name = "dx.Place.v1"
    way = "drawn"
    chance = 1 / 50  # of a state; 1/100 of a country, 1/1,024 of a city

    @property
    def in_clear(self) -> tuple[str, ...]:
        """What of a mention is visible, for the receipt."""
        return self.scope.in_clear + IN_CLEAR

    @property
    def guarantee(self) -> Guarantee:
        """Of what is drawn, given what is in clear."""
        notes = "A city stays with a probability of 1/1024, a state of about 1/20, a country 1/100."
        return independent("places of one kind", self.scope, notes)

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """As many places; the first city of a document lies in its first state."""
        known: dict[str, dict[str, str]] = {}
        drawn: list[str | None] = []
        city = None
        for mention in mentions:
            head, _, tail = mention.text.partition(",")
            in_two = bool(tail.strip()) and kind_of_place(tail) in ("state", "short")
            beside = city if mention.before == "," else None
            city = self._one(head if in_two else mention.text, draws, known, beside)
            both = f"{city}, {self._one(tail.strip(), draws, known, city)}" if in_two else city
            drawn.append(both)
        return drawn

    def _one(
        self, text: str, draws: Draws, known: dict[str, dict[str, str]], city: str | None
    ) -> str:
        """city: what stands for the city that the place stands beside."""
        kind, bare = kind_of_place(text), text.strip().casefold()
        identity = _NAMES.get(bare, bare).casefold() if kind in ("state", "short") else bare
        shared = "state" if kind == "short" else kind
        alike = known.setdefault(shared, {})
        if identity not in alike or self.scope.reach == "mention":
            home = _STATE_OF.get((city or "").casefold()) if shared == "state" else None
            alike[identity] = home or self._draw(shared, identity, len(alike), draws)
        drawn = alike[identity]
        if shared == "state":
            drawn = drawn if kind == "short" else state_name(drawn)
        return like_case(drawn, text) if kind != "short" else drawn

    def _draw(self, kind: str, identity: str, number: int, draws: Draws) -> str:
        if kind == "country":
            return pick(COUNTRIES, self.scope.stream(draws, "country", identity))
        if self.scope.reach == "document":
            home, stream = home_of(draws, number), draws.fresh()
        else:
            stream = self.scope.stream(draws, kind, identity)
            home = pick(cities(), stream)
        if kind == "zip":
            return postal_code(home, stream, long=len(identity) >= LONG_CODE)
        return home[1] if kind == "state" else home[0]


def kind_of_place(text: str) -> str:
    """ "zip", "short" (TX), "state", "country" or "city"."""
    bare = text.strip()
    if _CODE.fullmatch(bare):
        return "zip"
    if bare in STATES:
        return "short"
    if bare.casefold() in _NAMES and bare.casefold() != "new york":
        return "state"
    return "country" if bare.casefold().removeprefix("the ") in _COUNTRIES else "city"


def home_of(draws: Draws, number: int) -> Home:
    """The city and the state that stand for the n-th of a document, for all stand-ins of it."""
    known = draws.memory.setdefault("homes", {})
    if not isinstance(known, dict):
        known = {}
    if number not in known:
        known[number] = pick(cities(), draws.fresh())
    home: Home = known[number]
    return home


def postal_code(home: Home, stream: Stream, *, long: bool) -> str:
    """One of the state, with four more digits if it is long."""
    code = pick(zip_heads(home[1]), stream) + digits(3, stream)
    return f"{code}-{digits(4, stream)}" if long else code


def like_case(text: str, model: str) -> str:
    """In capitals or small letters where all of the model is."""
    if len(model) > 3 and model.isupper():
        return text.upper()
    return text.lower() if model.islower() else text
