"""Whether it is "a" or "an", by the sound that a word begins with: a short list of public rules."""

from __future__ import annotations

import re
import unicodedata

ARTICLES = ("a", "an")
LONGEST = 5  # letters that are said one by one; longer words are shouted

_ALWAYS_A = frozenset("bcdfgjklmnpqrstvwxyz")  # whatever comes after them
_SILENT_H = re.compile(r"hour|honest|honou?r|heir")
# "you" and "won": university, user, urine, European, one; but not uninsured, usher, urgent.
_CONSONANT = re.compile(
    r"uni(?!n|m|dent|ss)|us(?:[aeu]|ing|ur)|ut(?:e|i|o|ah)|ur(?:[aeio](?!n[- ])|ol)|ubi|uvu|uga|uk|"
    r"eu|ew|one(?:s|self)?$|one-|once"
)
_LETTERS_WITH_VOWEL = frozenset("aefhilmnorsx")  # as their names begin: em, ar, ex
_SPOKEN = frozenset(
    ["fema", "hippa", "hipaa", "lan", "laser", "lasik", "nafta", "nasa", "nasdaq", "nato", "radar",
     "ram", "rem", "rom", "sars", "sat", "scuba", "sim", "sids", "sonar"]
)  # fmt: skip
_SIGNED = re.compile(r"[-+.]+\d", re.ASCII)
_TEENS = re.compile(r"(?:11|18)(?:,\d{3})*(?:\.|$)|(?:11|18)\d\d$", re.ASCII)


def article_before(word: str) -> str | None:
    """ "a" or "an"; None before what has no sound, such as a comma."""
    simple = len(word) > 1 and word.isascii() and word.isalpha() and word.islower()
    return "a" if simple and word[0] in _ALWAYS_A else _before_any(word)


def _before_any(word: str) -> str | None:
    if _SIGNED.match(word):
        return "a"  # minus, plus, point
    first = re.search(r"\w.*", word)
    if first is None:
        return None
    return "an" if _begins_with_vowel(first.group()) else "a"


def _begins_with_vowel(word: str) -> bool:
    if word[0].isdigit():
        return word[0] == "8" or _TEENS.match(word) is not None
    part = re.split(r"[-'\u2019./]", word)[0]
    if _is_spelled_out(part):
        return part[0].lower() in _LETTERS_WITH_VOWEL
    lower = _plain(word.lower())
    if lower[0] == "h":
        return _SILENT_H.match(lower) is not None
    return lower[0] in "aeiou" and _CONSONANT.match(lower) is None


def _is_spelled_out(part: str) -> bool:
    """Letters that are said one by one: X, MRI, HIVs."""
    stem = part.removesuffix("s")
    if len(part) == 1 or not 1 < len(stem) <= LONGEST:
        return len(part) == 1
    return stem.isupper() and stem.lower() not in _SPOKEN


def _plain(word: str) -> str:
    """Without accents."""
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
