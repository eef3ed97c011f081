"""Surrogates of mail addresses and user names made of persons' names, and of names by a key.

"jdoe", "john.doe7" and "doe.j@..." become those of the person's surrogate: with a key wherever
public lists recognise a name in them, otherwise if the document names the person.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from ..tables import listed_of
from ..words import builtin_lexicon
from .base import Draws, Scope, Stream, digits, pick
from .name_forms import DrawnName, family_of, fold, name_classes, user_words

DOMAINS = ("example.com", "example.org", "example.net")
PEOPLE = "persons"  # key in Draws.memory: user_words of persons, indexed by each of these words
PLAIN = 0.5  # a word above this Lexicon.plainness is more often something else than a name
OF_PERSONS = (
    "which mail addresses and user names are made of a name of a person of the document (with a "
    "key of any name), and of which parts of it"
)
_PIECE = re.compile(r"[^\W\d_]+|\d+|[\W_]+")
_GLUED = re.compile(r"\A(?:van(?:der|den|de)?|von(?:der)?|dela|del|della)(?=[a-z]{4})")


def firsts_of(language: str, gender: str) -> tuple[str, ...]:
    """Return the first names of a language and a gender; all of them if gender is ""."""
    if gender:
        return listed_of(language, gender)
    return listed_of(language, "female") + listed_of(language, "male")


def keyed_name(
    scope: Scope, draws: Draws, first_name: str, last: str, gender: str = ""
) -> DrawnName:
    """Return the surrogate of a given and a family name by the key, each part drawn separately."""
    first_name, last = fold(first_name), family_of(last)
    language = scope.language(draws)
    firsts = firsts_of(language, gender)
    stream = scope.stream(draws, "initial", first_name[:1])
    initial = pick(firsts_of(language, ""), stream)[0]
    alike = tuple(first for first in firsts if first[0] == initial) or firsts
    stream = scope.stream(draws, "given name", first_name)
    surname = pick(listed_of(language, "surnames"), scope.stream(draws, "family name", last))
    first = pick(alike, stream)
    return first, first, surname


def contact_of_person(text: str, draws: Draws, scope: Scope) -> str | None:
    """Return the surrogate of a mail address or user name; None if it names no person."""
    local, at, domain = text.strip().partition("@") if text[:1] != "@" else (text.strip(), "", "")
    people: dict[str, list[dict[str, str]]] = draws.memory.get(PEOPLE, {})  # type: ignore[assignment]
    raw = [piece.casefold() for piece in _PIECE.findall(local) if piece.isalpha()]
    words = [fold(piece) for piece in raw]
    longest = max(words, key=len, default="")
    becomes = next((person for person in people.get(longest, ()) if _names(person, words)), {})
    guess = guessed(raw) if not becomes and scope.key is not None else None
    if guess is not None:
        last = guess[1] if name_classes(guess[1]) else _GLUED.sub("", guess[1])
        name = keyed_name(scope, draws, guess[0], last)
        becomes = user_words(fold(guess[0]), fold(guess[1]), name)
    if not _names(becomes, words):
        return None

    def draw_once(kind: str, identity: str, draw: Callable[[Stream], str]) -> str:
        key = kind, scope, text.strip().casefold()  # the same address has one surrogate
        stream = partial(scope.stream, draws, kind, identity)
        return str(scope.draw_once(draws.memory, key, lambda: draw(stream())))

    count = sum(map(str.isdigit, local))
    numbers = iter(draw_once("digits", local.casefold(), lambda stream: digits(count, stream)))
    written = ""
    for piece in _PIECE.findall(local):
        if piece.isdigit():
            written += "".join(next(numbers) for _ in piece)
        elif piece.isalpha():
            word = becomes[fold(piece)]
            title = word.title() if piece[0].isupper() else word
            written += word.upper() if piece.isupper() else title
        else:
            written += piece
    if not at:
        return written
    return f"{written}@{draw_once('domain', domain.casefold(), partial(pick, DOMAINS))}"


def _names(person: Mapping[str, str], words: Sequence[str]) -> bool:
    """Return whether all words are user words of the person, and one has three letters or more."""
    return any(len(word) > 2 for word in words) and all(word in person for word in words)


def guessed(words: Sequence[str]) -> tuple[str, str] | None:
    """Return the (given, family) name that public lists recognise in a user name, or None."""
    if len(words) == 1:
        return None if _is_plain(words[0]) else next(_splits(words[0]), None)
    if len(words) != 2:
        return None
    first, last = words
    short = min(len(first), len(last)) == 1
    names = [word for word in words if name_classes(word) and (short or not _is_plain(word))]
    if not names and not (name_classes(first) and name_classes(last)):
        return None
    inverted = name_classes(first) == {"surname"} and name_classes(last) == {"first_name"}
    return (last, first) if inverted or len(last) == 1 else (first, last)


def _splits(word: str) -> Iterator[tuple[str, str]]:
    """Yield (given, family) readings of a word, likeliest first: doe, john, johndoe, jdoe, doej."""
    classes = name_classes(word)
    if classes:
        yield ("", word) if "first_name" not in classes else (word, "")
    for i in range(3, len(word) - 2):
        if "first_name" in name_classes(word[:i]) and "surname" in name_classes(word[i:]):
            yield word[:i], word[i:]
    if "surname" in name_classes(word[1:]):
        yield word[0], word[1:]
    if "surname" in name_classes(word[:-1]):
        yield word[-1], word[:-1]


def _is_plain(word: str) -> bool:
    return builtin_lexicon().plainness(word.capitalize()) > PLAIN
