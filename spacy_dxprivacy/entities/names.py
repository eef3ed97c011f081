"""The list of names and cities that words are looked up in: see NOTICE."""

from __future__ import annotations

import gzip
import re
from functools import lru_cache
from pathlib import Path

FILE = Path(__file__).resolve().parent.parent / "data" / "names.txt.gz"
KINDS = {"f": "first_name", "s": "surname", "c": "city"}
SURNAME = frozenset({"surname"})
# What surnames of many languages end in, and hardly any other word does.
_ENDING = re.compile(
    r".{2}(?:[oe]v(?:a|á|ich|ić|ic|na)|enko|[oe]wsk[ia]|[oe]wicz|czyk|i[nń]sk[iay]|[sš]kov[aá]|sson|"
    r"ssen|d[oó]ttir|opoulo[su]|[aí]kis|idis|escu|eanu|shvili|adze|[ai]kyan|oğlu|oglu|inen|"
    r"quist|kvist|str[oö]m|gaard|rsen|nsen|stein|bergen?|bauer|mann|[oe]vsk[yi]|ulis|aitis|auskas)",
    re.IGNORECASE,
)


@lru_cache(maxsize=1)
def listed_names() -> dict[str, frozenset[str]]:
    """Word in small letters -> the classes that it belongs to: first_name, surname, city."""
    sets: dict[str, frozenset[str]] = {}
    found = {}
    for line in gzip.decompress(FILE.read_bytes()).decode("utf8").split("\n"):
        letters, _, word = line.partition(" ")
        if letters not in sets:
            sets[letters] = frozenset(KINDS[letter] for letter in letters)
        found[word] = sets[letters]
    return found


def by_ending(word: str) -> frozenset[str] | None:
    """The class of a word that no list holds: a surname, if it ends as surnames do."""
    return SURNAME if _ENDING.fullmatch(word) else None
