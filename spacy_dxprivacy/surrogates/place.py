r"""Places, street addresses and organisations, in the language of the text (dx.Place.v1,
dx.Address.v1, dx.Organisation.v1).

Place         a city becomes a city of the United States (uniform over 1,024, with its state), a
              state becomes the state of such a city, a country a country (uniform over 105), and a
              postal code a code of such a state, or in the form of its country (postcodes). Visible
              are whether a mention is a city, a state, a country or a postal code, with its form,
              and which mentions of a document are the same
Address       a house number (uniform from 1 to 9999), a street (uniform over 188 names and 8
              kinds), a unit (uniform from 1 to 99, after its word), a city with its state, and a
              postal code of that state, or in the form of its country. Visible is which of these
              parts a mention has, this form, and the word of a unit (flat) or a corner
Organisation  a family name (uniform over 1,024) with a street name (over 188) and the kind that the
              mention names (Hospital, University, Bank), which stays visible, else with one of
              eight forms of companies
Languages     The above holds for English. In other languages: a town (uniform over about 100), a
              country (about 60), a postal code (in the form of its country); a street (about 60), a
              house number (1 to 199), a town and a postal code, which need not be the town's; a
              family name with the kind that the mention names (Klinik, Banca), else with one of
              six forms of companies. The language is visible
Guarantee     epsilon 0 for the drawn text
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from ..entities.tables import (
    COMPANY_ENDS,
    HOUSES,
    STATES,
    STREET_KINDS,
    ZIP_HEADS,
    cities,
    listed,
    listed_of,
)
from ..privacy.randomness import below
from ..registries import registry
from . import postcodes
from .base import LANGUAGE, Draws, Independent, Mention, Scope, Stream, digits, draw_from

LONG_CODE = 10  # characters of a postal code of the United States with its last four digits
_US_CODE = re.compile(r"\d{5}(?:-\d{4})?", re.ASCII)
_NAMES = {name.casefold(): short for short, name in STATES.items()}
_COUNTRIES = {name.casefold() for name in (*listed("countries"), *listed("other_countries"))}
_STATE_OF = {city.casefold(): state for city, state in cities()}
_ZIP = re.compile(r"(?<!\d)\d{5}(?:-\d{4})?(?!\d)\s*$", re.ASCII)
_UNIT = re.compile(
    r"\b(?P<word>(?:(?:apt|apartment|flat|unit|suite|ste|room|rm|floor|fl)(?![a-z])|#)\.?\s*#?\s*)\w+",
    re.I,
)
_CORNER = re.compile(r"((?:the )?corner of )(.+?)( and )(.+)", re.I | re.S)
_NUMBER = re.compile(r"^\s*\d[\w/-]*")
_BOX = re.compile(r"^\s*p\.?\s?o\.?\s*box\b", re.I)
_STATES = re.compile(r"\b(?:" + "|".join([*STATES, *map(re.escape, STATES.values())]) + r")\s*$")

_STREET_WORDS = frozenset(
    "street st avenue ave road rd lane ln drive dr court ct place pl way boulevard blvd".split()
)
_LINE_END = re.compile(r"([,\n])")
_BREAK = re.compile(r"\s*[,\n]\s*")

Home = tuple[str, str]  # a city and the short name of its state


class _ByLanguage(Independent):
    """Draws a text for each identity, in the language of the document."""

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """Return a text for each mention, in its case."""
        drawn: dict[str, str] = {}
        texts: list[str | None] = []
        for text in (mention.text for mention in mentions):
            identity = " ".join(text.casefold().split())
            draw = partial(self._draw, text, identity, len(drawn), draws)
            texts.append(like_case(self.scope.draw_once(drawn, identity, draw), text))
        return texts

    def _draw(self, text: str, identity: str, number: int, draws: Draws) -> str:
        """Draw a surrogate. number: how many identities of the document come before this one."""
        raise NotImplementedError

    def _town(self, draws: Draws, number: int, stream: Stream) -> str:
        """Draw a town. With reach "document", all surrogates of a document share its n-th town."""
        town = draw_from(listed_of(self.scope.language(draws), "towns"), stream)
        shared = self.scope.reach == "document"
        return str(draws.memory.setdefault(("town", number), town)) if shared else town


class Place(_ByLanguage):
    """Draws cities, states, countries and postal codes; see the module docstring."""

    name = "dx.Place.v1"
    chance = 1 / 50  # for a state; 1/100 for a country, 1/1,024 for a city
    adjacent = "places of one kind"
    notes = (
        "Unchanged with probability 1/1024 for a city, about 1/20 for a state, 1/100 for a country."
    )
    traits: ClassVar[tuple[str, ...]] = (
        "whether a place is a city, a state (abbreviated or not), a country or a postal code (in "
        "which form of a country), as public lists read it, and whether it is in capitals (of more "
        "than three letters) or small letters",
        LANGUAGE,
    )

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """Return a place for each mention; in English the first city lies in the first state."""
        if self.scope.language(draws) != "en":
            return super().replace(mentions, draws)
        drawn: dict[str, dict[str, str]] = {}
        texts: list[str | None] = []
        city = ""
        for mention in mentions:
            head, _, tail = mention.text.partition(",")
            in_two = bool(tail.strip()) and kind_of_place(tail, after_city=True) in (
                "state",
                "short",
            )
            beside = city if mention.before == "," else ""
            city = self._english(head if in_two else mention.text, draws, drawn, beside)
            state = self._english(tail.strip(), draws, drawn, city) if in_two else ""
            texts.append(f"{city}, {state}" if in_two else city)
        return texts

    def _english(self, text: str, draws: Draws, drawn: dict[str, dict[str, str]], city: str) -> str:
        """Draw a place. city: the surrogate of the city before it, or ""."""
        kind, identity = kind_of_place(text, after_city=bool(city)), text.strip().casefold()
        shared, state = kind, None
        if kind in ("short", "state"):
            identity = _NAMES.get(identity, identity).casefold()
            shared, state = "state", _STATE_OF.get(city.casefold())
        of_kind = drawn.setdefault(shared, {})
        draw = partial(self._draw_english, shared, identity, len(of_kind), draws)
        place = self.scope.draw_once(of_kind, identity, lambda: state or draw())
        if kind == "short":
            return place
        return like_case(STATES[place] if kind == "state" else place, text)

    def _draw_english(self, kind: str, identity: str, number: int, draws: Draws) -> str:
        stream = self.scope.stream(draws, kind, identity)
        if kind == "country":
            return draw_from(listed("countries"), stream)
        home = (
            home_of(draws, number)
            if self.scope.reach == "document"
            else draw_from(cities(), stream)
        )
        if kind == "zip":
            return zip_code(identity, home, stream)
        return home[1] if kind == "state" else home[0]

    def _draw(self, text: str, identity: str, number: int, draws: Draws) -> str:
        countries = listed_of(self.scope.language(draws), "countries")
        is_country = identity in map(str.casefold, countries)
        kind = "country" if is_country else kind_of_place(text)
        stream = self.scope.stream(draws, kind, identity)
        if kind == "zip":
            return postcodes.like(text, self.scope.language(draws), stream)
        return (
            draw_from(countries, stream) if kind == "country" else self._town(draws, number, stream)
        )


@registry.dx_surrogates("dx.Place.v1")
def make_place(scope: str = "document", key: str | None = None) -> Place:
    """Make surrogates of cities, states, countries and postal codes.

    Args:
        scope: "mention", "document" (the same original has one surrogate), or "corpus".
        key: Path of the key file, required with scope "corpus".
    """
    return Place(Scope(scope, key))


def kind_of_place(text: str, *, after_city: bool = False) -> str:
    """Return "zip", "short" (TX), "state", "country" or "city". New York may be either."""
    bare = text.strip()
    if postcodes.is_code(bare):
        return "zip"
    if bare in STATES:
        return "short"
    if bare.casefold() in _NAMES and (after_city or bare.casefold() != "new york"):
        return "state"
    return "country" if bare.casefold().removeprefix("the ") in _COUNTRIES else "city"


def home_of(draws: Draws, number: int) -> Home:
    """Return the n-th drawn city of a document, with its state; all its surrogates share it."""
    home = draws.memory.get(("home", number)) or draw_from(cities(), draws.rng)
    draws.memory["home", number] = home
    return home  # type: ignore[return-value]


def zip_code(text: str, home: Home, stream: Stream) -> str:
    """Draw a postal code in the form of a text: of the home's state, or of another country."""
    if _US_CODE.fullmatch(text.strip()):
        return postal_code(home, stream, long=len(text.strip()) >= LONG_CODE)
    return postcodes.like(text, "en", stream)


def postal_code(home: Home, stream: Stream, *, long: bool) -> str:
    """Draw a postal code of the home's state, with four more digits if `long`."""
    code = draw_from(ZIP_HEADS[home[1]], stream) + digits(3, stream)
    return f"{code}-{digits(4, stream)}" if long else code


def like_case(text: str, model: str) -> str:
    """Return the text in upper (lower) case if the whole model is in upper (lower) case."""
    if len(model) > 3 and model.isupper():
        return text.upper()
    return text.lower() if model.islower() else text


class Address(_ByLanguage):
    """Draws street addresses; see the module docstring."""

    name = "dx.Address.v1"
    chance = 1 / 50  # for a mention that is only a state
    adjacent = "addresses with the same parts"
    traits: ClassVar[tuple[str, ...]] = (
        "which parts an address has, as public lists read them: house number or box, street, unit "
        "with its word (flat), corner, city, state (abbreviated or not), postal code (in which "
        "form of a country), where its lines end, and whether it is in capitals of more than three "
        "letters",
        LANGUAGE,
    )

    def _draw(self, text: str, identity: str, number: int, draws: Draws) -> str:
        """Draw the parts that the text has: a street, a house number, a postal code, a town."""
        stream, language = self.scope.stream(draws, "address", identity), self.scope.language(draws)
        if language == "en":
            shared = self.scope.reach == "document"
            return draw_address(
                text, home_of(draws, number) if shared else draw_from(cities(), stream), stream
            )
        town, breaks = self._town(draws, number, stream), _BREAK.split(text.strip())
        codes = [code for code in map(postcodes.code_in, breaks) if code]
        code = codes[-1][0].strip() if codes else ""
        code = text.strip() if postcodes.is_code(text) else code
        head, _, tail = text.rpartition(code) if code else (text, "", "")
        parts = []
        if head.strip(" ,\n"):
            street = draw_from(listed_of(language, "streets"), stream)
            if any(map(str.isdigit, head)):
                house = str(1 + below(199, stream))
                street = f"{house} {street}" if language == "fr" else f"{street} {house}"
            parts.append(street)
        has_town = len(_BREAK.split(head.strip())) > 1 and not head.rstrip()[-1:].isdigit()
        if code:
            new_code = postcodes.like(code, language, stream)
            is_first = tail[:1] == " " and bool(tail.strip(" ,\n"))
            before = [town] * (has_town and not is_first)
            parts.append(" ".join([*before, new_code, *[town] * is_first]))
        elif has_town:
            parts.append(town)
        return ", ".join(parts) or town


@registry.dx_surrogates("dx.Address.v1")
def make_address(scope: str = "document", key: str | None = None) -> Address:
    """Make surrogates of street addresses.

    Args:
        scope: "mention", "document" (the same original has one surrogate), or "corpus".
        key: Path of the key file, required with scope "corpus".
    """
    return Address(Scope(scope, key))


def draw_address(text: str, home: Home, stream: Stream) -> str:
    """Draw an address with the parts of a text. It copies only commas, line breaks, and the words
    of units (flat) and corners."""
    if kind_of_place(text) == "zip":
        return zip_code(text, home, stream)
    if (corner := _CORNER.fullmatch(text)) is not None:
        first, second = (draw_address(corner[i], home, stream) for i in (2, 4))
        return f"{corner[1]}{first}{corner[3]}{second}"
    code, text = _cut(_ZIP, text)
    state, text = _cut(_STATES, text.rstrip(" ,"))
    at = 0 if _UNIT.match(text) else 1
    unit, text = _cut(_UNIT, text)
    parts, gaps = _parts(text)
    lines = [_line(part, home, stream, first=not i) for i, part in enumerate(parts)]
    if unit:
        word = _UNIT.sub(r"\g<word>", unit)
        lines[at:at], gaps[at:at] = [f"{word}{1 + below(99, stream)}"], [", "]
    ends = [home[1] if len(state.strip()) == 2 else STATES[home[1]]] if state else []
    ends += [postal_code(home, stream, long="-" in code)] if code else []
    lines += [" ".join(ends)] if ends else []
    pairs = zip(lines, [*gaps, ", ", ", "], strict=False)
    return "".join(gap * (i > 0) + line for i, (line, gap) in enumerate(pairs)) or home[0]


def _parts(text: str) -> tuple[list[str], list[str]]:
    """Return the parts of an address, and the gap before each part: as many line breaks as the text
    has there, else a comma."""
    parts, gaps, gap = [], [], ""
    for i, part in enumerate(_LINE_END.split(text)):
        if i % 2:
            gap += part
        elif part.strip(" ."):
            parts.append(part.strip())
            gaps.append("\n" * gap.count("\n") or ", ")
            gap = ""
    return parts, gaps


def _cut(pattern: re.Pattern[str], text: str) -> tuple[str, str]:
    """Return the match ("" if there is none), and the text without it."""
    match = pattern.search(text)
    if match is None:
        return "", text
    return match[0], text[: match.start()] + text[match.end() :]


def _line(part: str, home: Home, stream: Stream, *, first: bool) -> str:
    """Draw a PO box; a postal code with a city beside it; a street for a numbered part, or a first
    part that is no city; or a city."""
    if _BOX.match(part):
        return f"PO Box {1 + below(9, stream)}{digits(3, stream)}"
    code = postcodes.code_in(part)
    if code and _STREET_WORDS.isdisjoint(part.casefold().replace(".", "").split()):
        return _coded_city(part, code, home, stream)
    is_city = kind_of_place(part) == "country" or part.casefold() in _STATE_OF
    if not _NUMBER.match(part) and (not first or is_city):
        return home[0]
    street = f"{draw_from(listed('streets'), stream)} {draw_from(STREET_KINDS, stream)}"
    return f"{1 + below(9999, stream)} {street}" if _NUMBER.match(part) else street


def _coded_city(part: str, code: re.Match[str], home: Home, stream: Stream) -> str:
    """Draw a postal code with the city, or the province, before or after it."""
    before, after = part[: code.start()].strip(), part[code.end() :].strip()
    new = postcodes.like(code[0], "en", stream)
    is_province = len(before) == 2 and before.isupper()
    city = postcodes.province(new) or home[1] if is_province else home[0]
    return " ".join(filter(None, [before and city, new, after and home[0]]))


# The same firm is written with and without its legal form: Hartwell Limited, Hartwell Ltd.
_LEGAL = re.compile(
    r"(?:,? (?:ltd|limited|inc|incorporated|corp|corporation|co|company|llc|llp|plc|pty)\b\.?)+$"
)


class Organisation(_ByLanguage):
    """Draws names of organisations; see the module docstring."""

    name = "dx.Organisation.v1"
    chance = 1 / 250
    adjacent = "organisations of one kind"
    traits: ClassVar[tuple[str, ...]] = (
        "which kind of organisation each is, where its name says so (hospital, school, bank), and "
        "whether it is possessive, ends in a full stop, or is in capitals of more than "
        "three letters",
        LANGUAGE,
    )

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """Return a name for each mention, of the kind that the mention names."""
        if self.scope.language(draws) != "en":
            return super().replace(mentions, draws)
        drawn: dict[str, list[str]] = {}
        names: list[str | None] = []
        for text in (mention.text for mention in mentions):
            bare = " ".join(text.casefold().split())
            identity = _LEGAL.sub("", bare.removeprefix("the ").removesuffix("'s"))
            family, street, end = self.scope.draw_once(
                drawn, identity, partial(self._english_words, identity, draws)
            )
            words = text.casefold().replace(".", " ").replace(",", " ").split()
            kind = next((HOUSES[word] for word in words if word in HOUSES), None)
            owner = "'s" if text.rstrip().endswith(("'s", "’s")) else ""
            name = f"{family} {street} {kind}" if kind else f"{family} {end}"
            # The full stop of "Ltd." may end a sentence.
            stop = "." * (text.rstrip().endswith(".") and not name.endswith("."))
            names.append(like_case(name + owner + stop, text))
        return names

    def _english_words(self, identity: str, draws: Draws) -> list[str]:
        stream = self.scope.stream(draws, "organisation", identity)
        return [
            draw_from(names, stream)
            for names in (listed("surnames"), listed("streets"), COMPANY_ENDS)
        ]

    def _draw(self, text: str, identity: str, number: int, draws: Draws) -> str:
        """Draw a name of the kind that the mention names."""
        language = self.scope.language(draws)
        stream = self.scope.stream(draws, "organisation", identity)
        family, end = (
            draw_from(listed_of(language, name), stream) for name in ("surnames", "ends")
        )
        houses = (house.split(":") for house in listed_of(language, "houses"))
        kind = next((kind for word, kind in houses if word in identity), None)
        return f"{kind} {family}" if kind else f"{family} {end}"


@registry.dx_surrogates("dx.Organisation.v1")
def make_organisation(scope: str = "document", key: str | None = None) -> Organisation:
    """Make surrogates of names of organisations.

    Args:
        scope: "mention", "document" (the same original has one surrogate), or "corpus".
        key: Path of the key file, required with scope "corpus".
    """
    return Organisation(Scope(scope, key))
