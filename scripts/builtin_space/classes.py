"""The classes of a word, one bit each, and the words that each class holds."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from builtin_space import authored, sources
from builtin_space.sources import City, Names

if TYPE_CHECKING:
    from builtin_space.vocabulary import Word

CLASS_NAMES = (
    "first_name first_name_female first_name_male surname title "
    "city country state region nationality religion language "
    "month weekday day_part direction year number ordinal letter unit abbreviation symbol "
    "pronoun possessive determiner preposition conjunction auxiliary modal negation wh_word "
    "adverb_particle adverb_function interjection "
    "acronym proper noun verb adjective adverb "
    "plural past past_participle gerund third_person comparative superlative"
).split()

CLOSED = frozenset(
    "pronoun possessive determiner preposition conjunction auxiliary modal negation wh_word "
    "adverb_particle adverb_function interjection".split()
)

NAMES = ("first_name_female", "first_name_male", "surname")

# word -> fine group ("month/month", "city/EU/FR") -> how many people bear or live in it;
# ALWAYS for a listed word
Members = dict[str, dict[str, float]]
ALWAYS = math.inf
US_PEOPLE = 3e8
WORD_OF_CITY = 0.05  # of a city's people count for each word of a name of several

YEARS = range(1900, 2036)
ROUND = [*range(150, 550, 50), 600, 700, 750, 800, 900, *range(1000, 3500, 500)]
ROUND += [4000, 5000, 10000, 100000]


def collect(names: Names, cities: list[City]) -> Members:
    """Every word of a list, with its fine groups; ``group.split("/")[0]`` is its class."""
    members: Members = defaultdict(dict)
    for file in ("closed_classes.txt", "place_words.txt"):
        for group, words in authored.read_groups(file).items():
            for word in words:
                members[word][group] = ALWAYS
    _add_names(names, members)
    _add_places(cities, members)
    _add_numbers(members)
    return members


def _add_names(names: Names, members: Members) -> None:
    for kind, table in zip(NAMES, (names.female, names.male, names.surname), strict=True):
        for name, share in table.items():
            regions = sorted(names.regions.get(name) or {"other"})
            people = max(share, 1e-7) * US_PEOPLE / (1 if kind == "surname" else 2)
            for region in regions:
                members[name][f"{kind}/{region}"] = people / len(regions)


def _add_places(cities: list[City], members: Members) -> None:
    for city in cities:
        parts = name_parts(city.name)
        people = city.population * (1.0 if len(parts) == 1 else WORD_OF_CITY)
        for part in parts:
            group = f"city/{city.continent}/{city.country}"
            members[part][group] = members[part].get(group, 0.0) + people
    for name, continent in sources.read_countries().values():
        for part in name_parts(name):
            members[part][f"country/{continent}"] = 5e7
    for name in sources.read_states():
        for part in name_parts(name):
            members[part]["state/US"] = 1e7


def name_parts(name: str) -> list[str]:
    """Words of a place name as a tokenizer meets them: 'Buenos Aires' -> Buenos, Aires."""
    small = {"and", "of", "the", "de", "del", "la", "las", "el", "los", "al", "an", "der", "am"}
    found = [w for w in re.split(r"[\s\-'’.,()]+", name) if len(w) > 1 and w.lower() not in small]
    return [w for w in found if w[0].isupper() and sources.is_latin(w)]


def _add_numbers(members: Members) -> None:
    for number in [*range(101), *ROUND]:
        members[str(number)]["number/digits"] = ALWAYS
    for number in (1000, 1500, 2000, 2500, 3000, 4000, 5000, 10000, 100000, 1000000):
        members[f"{number:,}"]["number/digits"] = ALWAYS
    for half in range(1, 20):
        members[f"{half}.5"]["number/decimal"] = ALWAYS
        members[f"0.{half}"]["number/decimal"] = ALWAYS
    for year in YEARS:
        members[str(year)][f"year/{year // 10}"] = ALWAYS
    for decade in range(1920, 2030, 10):
        members[f"{decade}s"]["year/decade"] = ALWAYS
        members[f"{decade % 100:02d}s"]["year/decade"] = ALWAYS
    for number in range(1, 32):
        members[f"{number}{_suffix(number)}"]["ordinal/digits"] = ALWAYS
    for letter in "BCDEFGHJKLMNOPQRSTUVWXYZ":
        members[letter]["letter/capital"] = ALWAYS
        members[letter.lower()]["letter/small"] = ALWAYS


def _suffix(number: int) -> str:
    if number in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def shares(people: dict[str, float]) -> dict[str, float]:
    """Weights in (0, 1] of a word's groups: 1 for listed ones, the rest by their people.

    Next to a listed group ("May" is a month) names and places have little weight.
    """
    listed = {group: 1.0 for group, count in people.items() if count == ALWAYS}
    counted = {group: count for group, count in people.items() if count != ALWAYS}
    total = sum(counted.values())
    room = 0.3 if listed else 1.0
    found = {group: room * count / total for group, count in counted.items()}
    return listed | {group: share for group, share in found.items() if share >= 0.01}


def group_anchors(words: Sequence[Word]) -> dict[str, list[str]]:
    """Fine group -> nodes that its pseudo-node leads to: anchors of its class, wider groups."""
    coarse = authored.read_anchors("class_anchors.txt")
    groups = sorted({group for word in words for group in word.groups})
    return {g: ["w:" + a for a in coarse[g.split("/")[0]]] + _wider(g) for g in groups}


def _wider(group: str) -> list[str]:
    parts = group.split("/")
    return ["g:" + "/".join(parts[:depth]) for depth in range(1, len(parts))]


def bits(names: set[str]) -> int:
    """Bit mask of class names."""
    return sum(1 << CLASS_NAMES.index(name) for name in sorted(names))


def class_array(classes: list[set[str]]) -> NDArray[np.uint64]:
    return np.array([bits(names) for names in classes], dtype=np.uint64)
