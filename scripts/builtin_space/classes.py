"""The classes of a word, one bit each, and the words that each class holds."""

from __future__ import annotations

import re
from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from builtin_space import authored, sources
from builtin_space.sources import City, Names

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

Members = dict[str, set[str]]  # word -> fine groups ("month/month", "city/EU/FR")

YEARS = range(1900, 2036)
ROUND = (150, 200, 250, 300, 350, 400, 450, 500, 600, 700, 750, 800, 900, 1000, 1500, 2000, 2500)
ROUND += (3000, 4000, 5000, 10000, 100000)


def collect(names: Names, cities: list[City]) -> Members:
    """Every word of a list, with its fine groups; ``group.split("/")[0]`` is its class."""
    members: Members = defaultdict(set)
    for file in ("closed_classes.txt", "place_words.txt"):
        for group, words in authored.read_groups(file).items():
            for word in words:
                members[word].add(group)
    _add_names(names, members)
    _add_places(cities, members)
    _add_numbers(members)
    return members


def _add_names(names: Names, members: Members) -> None:
    tables = {
        "first_name_female": names.female,
        "first_name_male": names.male,
        "surname": names.surname,
    }
    for kind, table in tables.items():
        for name in table:
            regions = names.regions.get(name) or {"other"}
            members[name] |= {f"{kind}/{region}" for region in regions}


def _add_places(cities: list[City], members: Members) -> None:
    for city in cities:
        for part in name_parts(city.name):
            members[part].add(f"city/{city.continent}/{city.country}")
    for name, continent in sources.read_countries().values():
        for part in name_parts(name):
            members[part].add(f"country/{continent}")
    for name in sources.read_states():
        for part in name_parts(name):
            members[part].add("state/US")


def name_parts(name: str) -> list[str]:
    """Words of a place name as a tokenizer meets them: 'Buenos Aires' -> Buenos, Aires."""
    small = {"and", "of", "the", "de", "del", "la", "las", "el", "los", "al", "an", "der", "am"}
    found = [w for w in re.split(r"[\s\-'’.,()]+", name) if len(w) > 1 and w.lower() not in small]
    return [w for w in found if w[0].isupper() and sources.is_latin(w)]


def _add_numbers(members: Members) -> None:
    for number in [*range(101), *ROUND]:
        members[str(number)].add("number/digits")
    for number in (1000, 1500, 2000, 2500, 3000, 4000, 5000, 10000, 100000, 1000000):
        members[f"{number:,}"].add("number/digits")
    for half in range(1, 20):
        members[f"{half}.5"].add("number/decimal")
        members[f"0.{half}"].add("number/decimal")
    for year in YEARS:
        members[str(year)].add(f"year/{year // 10}")
    for decade in range(1920, 2030, 10):
        members[f"{decade}s"].add("year/decade")
        members[f"{decade % 100:02d}s"].add("year/decade")
    for number in range(1, 32):
        members[f"{number}{_suffix(number)}"].add("ordinal/digits")
    for letter in "BCDEFGHJKLMNOPQRSTUVWXYZ":
        members[letter].add("letter/capital")
        members[letter.lower()].add("letter/small")


def _suffix(number: int) -> str:
    if number in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def bits(names: set[str]) -> int:
    """Bit mask of class names."""
    return sum(1 << CLASS_NAMES.index(name) for name in sorted(names))


def class_array(classes: list[set[str]]) -> NDArray[np.uint64]:
    return np.array([bits(names) for names in classes], dtype=np.uint64)
