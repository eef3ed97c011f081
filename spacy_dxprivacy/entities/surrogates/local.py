r"""Places, addresses and organisations in the language of the text (dx.Place.v2, dx.Address.v2,
dx.Organisation.v2). In English they are those of version 1.

Place         a town (uniform over about 100 of the language), a country (about 60), a postal code
              (digits and letters anew)
Address       a street (uniform over about 60), a house number (1 to 199), a town and a postal code,
              whichever of them the mention has. The code need not be one of the town
Organisation  a family name with the kind that the mention says (Klinik, Université, Banca), else
              with one of six forms of companies
Guarantee     epsilon 0 for what is drawn. In plaintext is what version 1 shows, and the language
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import ClassVar

from .base import Draws, Mention, Stream, below, pick, registered
from .codes import redrawn
from .lists import listed_of
from .name_parts import LANGUAGE
from .place import Address, Organisation, Place, kind_of_place, like_case

_CODE = re.compile(r"\b(?:[A-Z]{1,2}-)?(?:\d{5}|\d{4}(?: ?[A-Z]{2})?)\b(?!.*\d)")
_BREAK = re.compile(r"\s*[,\n]\s*")


def _alike(
    texts: Sequence[str], draw: Callable[[str, int], str], *, apart: bool
) -> list[str | None]:
    """Draw once for each different text, or with `apart` for each; in the case of each text."""
    known: dict[str, str] = {}
    drawn: list[str | None] = []
    for text in texts:
        identity = " ".join(text.casefold().split())
        if apart or identity not in known:
            known[identity] = draw(text, len(known))
        drawn.append(like_case(known[identity], text))
    return drawn


def _town(draws: Draws, language: str, number: int, stream: Stream, *, shared: bool) -> str:
    """Draw a town; without a key the n-th one of the document, for all surrogates of it."""
    towns = listed_of(language, "towns")
    if not shared:
        return pick(towns, stream)
    return str(draws.memory.setdefault(("town", number), pick(towns, stream)))


@registered
class LocalPlace(Place):
    """Towns, countries and postal codes; see the module."""

    name = "dx.Place.v2"
    traits: ClassVar[tuple[str, ...]] = (*Place.traits, LANGUAGE)

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """Return as many places."""
        language = self.scope.language(draws)
        if language == "en":
            return super().replace(mentions, draws)
        countries = {name.casefold() for name in listed_of(language, "countries")}

        def draw(text: str, number: int) -> str:
            identity = " ".join(text.casefold().split())
            kind = "country" if identity in countries else kind_of_place(text)
            stream = self.scope.stream(draws, kind, identity)
            if kind == "zip":
                return redrawn(text.strip().upper(), stream)
            if kind == "country":
                return pick(listed_of(language, "countries"), stream)
            return _town(draws, language, number, stream, shared=self.scope.reach == "document")

        apart = self.scope.reach == "mention"
        return _alike([mention.text for mention in mentions], draw, apart=apart)


@registered
class LocalAddress(Address):
    """Street addresses; see the module."""

    name = "dx.Address.v2"
    traits: ClassVar[tuple[str, ...]] = (*Address.traits, LANGUAGE)

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """Return as many addresses, with the parts that each has."""
        language = self.scope.language(draws)
        if language == "en":
            return super().replace(mentions, draws)

        def draw(text: str, number: int) -> str:
            stream = self.scope.stream(draws, "address", " ".join(text.casefold().split()))
            shared = self.scope.reach == "document"
            town = _town(draws, language, number, stream, shared=shared)
            return _written(text, town, language, stream)

        apart = self.scope.reach == "mention"
        return _alike([mention.text for mention in mentions], draw, apart=apart)


def _written(text: str, town: str, language: str, stream: Stream) -> str:
    """Draw an address with the parts of a text: a street, its number, a code, a town."""
    code = _CODE.search(text)
    head = text[: code.start()] if code else text
    tail = text[code.end() :] if code else ""
    parts = []
    if head.strip(" ,\n"):
        street = pick(listed_of(language, "streets"), stream)
        if any(map(str.isdigit, head)):
            number = str(1 + below(199, stream))
            street = f"{number} {street}" if language == "fr" else f"{street} {number}"
        parts.append(street)
    if code:
        new = redrawn(code[0], stream)
        parts.append(f"{new} {town}" if tail.strip(" ,\n") else new)
    elif len(_BREAK.split(head.strip())) > 1 and not head.rstrip()[-1:].isdigit():
        parts.append(town)
    return ", ".join(parts) or town


@registered
class LocalOrganisation(Organisation):
    """Names of organisations; see the module."""

    name = "dx.Organisation.v2"
    chance = 1 / 250
    traits: ClassVar[tuple[str, ...]] = (*Organisation.traits, LANGUAGE)

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """Return as many names, of the kinds that the mentions say."""
        language = self.scope.language(draws)
        if language == "en":
            return super().replace(mentions, draws)
        kinds = [house.split(":") for house in listed_of(language, "houses")]

        def draw(text: str, number: int) -> str:
            identity = " ".join(text.casefold().split())
            stream = self.scope.stream(draws, "organisation", identity)
            family = pick(listed_of(language, "surnames"), stream)
            end = pick(listed_of(language, "ends"), stream)
            kind = next((kind for word, kind in kinds if word in identity), None)
            return f"{kind} {family}" if kind else f"{family} {end}"

        apart = self.scope.reach == "mention"
        return _alike([mention.text for mention in mentions], draw, apart=apart)
