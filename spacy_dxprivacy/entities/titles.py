"""Tell titles from names, where a word is a title in one language and a name in another.

The titles of TITLE in data/entities/words.txt are hardly ever names. Others are: Pa Santigie, Datu
Isidro, Don Eusebio. The words beside one decide.
"""

from __future__ import annotations

import re

from .tables import PERSON_WORDS, listed_of, words
from .words import ALSO_FIRST, builtin_lexicon, is_name, is_only_ordinary, is_ordinary, kinds

_ALSO_TITLES, _SPANISH_TITLES = words("ALSO_TITLES"), words("SPANISH_TITLES")
_WITH_STOP = words("TITLES_WITH_STOP")
_KINDS_OF_TITLES = _ALSO_TITLES | _SPANISH_TITLES | _WITH_STOP
TITLES_BEHIND, _BESIDE_SENDERS = words("TITLES_BEHIND"), words("BESIDE_SENDERS")
_DESCRIBING = frozenset("dear little old poor young".split())
_GRADES = words("GRADES")
_GIVEN = {"SURE_FIRST", "UNKNOWN"}
PART_OF_NAME = re.compile(r"[^\s,;]+")
MIN_BEHIND = 4  # letters of a title with a capital behind a name


def is_also_title(word: str, behind: str) -> bool:
    """Return whether a word that may be a name is the title of what stands behind it: with a full
    stop (Ing. Ada Lind), or before a name that is given or in no list, and of a name before that
    alone: Bi Rukia Omar, Pa Santigie."""
    lower, names = word.lower().rstrip("."), behind.split()
    if not word.istitle() or not names or lower not in _KINDS_OF_TITLES:
        return False
    if names[0] == "." or word.endswith("."):
        return lower in _WITH_STOP
    first = names[0].rstrip(".,;:!?)")
    if lower in _SPANISH_TITLES:
        return _is_romance(first)
    if lower not in _ALSO_TITLES or not first.istitle() or _GIVEN.isdisjoint(kinds(first)):
        return False
    if "surname" in builtin_lexicon().of(word.rstrip(".")):
        return False  # Sheikh Tauqeer, whose family name it may be
    is_alone = len(names) < 2 or first != names[0] or not names[1][:1].isupper()
    return is_alone or not is_name(word)


def is_describing(word: str, before: str, after: str) -> bool:
    """Return whether a word describes the person whose given name stands behind it, within a
    sentence: we saw Young Sipho."""
    is_within = word.istitle() and before.islower()
    return is_within and word.lower() in _DESCRIBING and "SURE_FIRST" in kinds(after)


def _is_romance(word: str) -> bool:
    """Return whether a word is a given name of Spanish or Italian, and of English not."""
    groups = ("male", "female")
    given = {
        name for language in ("es", "it") for group in groups for name in listed_of(language, group)
    }
    return word in given and not any(word in listed_of("en", group) for group in groups)


def is_title_behind(word: str, before: str) -> bool:
    """Return whether a word is the title of the name before it (Ganesh dai, Ayşe Hanım), or a grade
    in capitals: Hale SpR. With one capital, a listed name or town is no title."""
    if is_grade(word):
        return before[:1].isupper()
    if word.lower() not in TITLES_BEHIND or not before[:1].isupper():
        return False
    return word.islower() or (len(word) >= MIN_BEHIND and not builtin_lexicon().of(word))


def is_grade(word: str) -> bool:
    """Return whether a word is the grade of a doctor or nurse in capitals: SpR, FY2."""
    return word.lower() in _GRADES and not word.islower() and (len(word) < 3 or not word.istitle())


def place_of_name(text: str) -> tuple[int, int]:
    """Return the place, in characters, of the name of someone who is listed or writes a line,
    without the titles, roles and ordinary words with which a contact is saved (Midwife |Yaaba|,
    |Shaji| Driver, |Marek| Groundworks), if some word of it is a name or in no list."""
    places = [match.span() for match in PART_OF_NAME.finditer(text)]
    start, end = _named_part([text[first:last].strip(".") for first, last in places])
    return places[start][0], places[end - 1][1]


def _named_part(sender: list[str]) -> tuple[int, int]:
    start, end = 0, len(sender)
    while end - start > 1 and _is_role_before(sender[start], sender[start + 1]):
        start += 1
    has_name = not is_only_ordinary(sender[start])
    while end - start > 1 and (
        _is_role_behind(sender[end - 1], sender[end - 2])
        or (has_name and is_only_ordinary(sender[end - 1]))  # Marites Night Team
    ):
        end -= 1
    may_name = any(
        is_name(word) or word in ALSO_FIRST or not is_ordinary(word.lower())
        for word in sender[start:end]
    )
    return (start, end) if may_name else (0, len(sender))


def _is_role_before(word: str, after: str) -> bool:
    if is_name(word):
        return False
    return word.lower().rstrip(".") in PERSON_WORDS or is_also_title(word, after)


def _is_role_behind(word: str, before: str) -> bool:
    lower = word.lower()
    if is_title_behind(word, before):
        return True
    return lower in PERSON_WORDS | _BESIDE_SENDERS and not is_name(word)
