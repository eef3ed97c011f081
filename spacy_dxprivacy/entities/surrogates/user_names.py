"""Mail addresses and user names made of names of persons, and the key's surrogate of each name.

"jdoe", "john.doe7" and "doe.j@..." become those of the surrogate: with a key wherever public lists
read a name in them, else where the document names the person.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from ..tables import NAMES, listed_of
from ..words import builtin_lexicon
from .base import Draws, Scope, Stream, digits, pick
from .name_forms import bare_word, family_of, fold, other_letters

DrawnName = tuple[str, str, str]  # first, middle, family
DOMAINS = ("example.com", "example.org", "example.net")
PEOPLE = "persons"  # in the memory of a document, by each word of a user name
PLAIN = 0.5  # of Lexicon.plainness: the word is more often something else than a name
OF_PERSONS = (
    "which mail addresses and user names are made of a name of a person of the document (with a "
    "key of any name), and of which parts of it"
)
_PIECE = re.compile(r"[^\W\d_]+|\d+|[\W_]+")
_GLUED = re.compile(r"\A(?:van(?:der|den|de)?|von(?:der)?|dela|del|della)(?=[a-z]{4})")


def firsts_of(language: str, gender: str) -> tuple[str, ...]:
    """Return the first names of a language, of a gender or, without one, all."""
    if gender:
        return listed_of(language, gender)
    return listed_of(language, "female") + listed_of(language, "male")


def keyed_name(scope: Scope, draws: Draws, given: str, last: str, gender: str = "") -> DrawnName:
    """Return the surrogate of a given and a family name by the key, each part by itself."""
    given, last = fold(given), family_of(last)
    language = scope.language(draws)
    firsts = firsts_of(language, gender)
    stream = scope.stream(draws, "initial", given[:1])
    initial = pick(firsts_of(language, ""), stream)[0]
    alike = tuple(first for first in firsts if first[0] == initial) or firsts
    stream = scope.stream(draws, "given name", given)
    surname = pick(listed_of(language, "surnames"), scope.stream(draws, "family name", last))
    first = pick(alike, stream)
    return first, first, surname


@dataclass(frozen=True)
class Known:
    """A person. given, last: folded; new: the drawn name; whole: the family name with particles."""

    given: str
    last: str
    new: DrawnName = field(repr=False)
    whole: str = ""

    def joined(self) -> dict[str, str]:
        """Return {jdoe: mmiller}: both names or an initial, in one word."""
        first, last = _plain(self.new[0]), _plain(self.new[2])
        firsts = {self.given: first, self.given[:1]: first[:1]}
        lasts = {self.last: last, self.whole: last, self.last[:1]: last[:1]}
        found = {}
        for one, new_one in firsts.items():
            for other, new_other in lasts.items():
                if one and other and len(one) + len(other) > 2:
                    found[one + other] = new_one + new_other
                    found[other + one] = new_other + new_one
        return found

    def words(self) -> dict[str, str]:
        """Return what each word of a user name of the person becomes."""
        first, last = _plain(self.new[0]), _plain(self.new[2])
        found = {self.given: first, self.last: last, self.whole: last, **self.joined()}
        found |= {self.last[:1]: last[:1], self.given[:1]: first[:1]}
        return {old: new for old, new in found.items() if old}


def _plain(name: str) -> str:
    return re.sub(r"[^a-z]", "", other_letters(bare_word(name)))


def contact_of_person(text: str, draws: Draws, scope: Scope) -> str | None:
    """Return the mail address or user name of a surrogate; None for one that names nobody."""
    local, at, domain = text.strip().partition("@") if text[:1] != "@" else (text.strip(), "", "")
    known: dict[str, list[Known]] = draws.memory.get(PEOPLE, {})  # type: ignore[assignment]
    raw = [piece.casefold() for piece in _PIECE.findall(local) if piece.isalpha()]
    words = [fold(piece) for piece in raw]
    longest = max(words, key=len, default="")
    person = next((one for one in known.get(longest, ()) if _names(one, words)), None)
    guess = guessed(raw) if person is None and scope.key is not None else None
    if guess is not None:
        last = guess[1] if name_classes(guess[1]) else _GLUED.sub("", guess[1])
        new = keyed_name(scope, draws, guess[0], last)
        person = Known(fold(guess[0]), fold(guess[1]), new)
    if person is None or not _names(person, words):
        return None

    def once(kind: str, identity: str, draw: Callable[[Stream], str]) -> str:
        key = kind, scope, text.strip().casefold()  # the same address has one surrogate
        if scope.reach == "mention" or key not in draws.memory:
            draws.memory[key] = draw(scope.stream(draws, kind, identity))
        return str(draws.memory[key])

    count = sum(map(str.isdigit, local))
    numbers = iter(once("digits", local.casefold(), lambda stream: digits(count, stream)))
    becomes, written = person.words(), ""
    for piece in _PIECE.findall(local):
        if piece.isdigit():
            written += "".join(next(numbers) for _ in piece)
        elif piece.isalpha():
            word = becomes[fold(piece)]
            written += (
                word.upper() if piece.isupper() else word.title() if piece[0].isupper() else word
            )
        else:
            written += piece
    if not at:
        return written
    return f"{written}@{once('domain', domain.casefold(), partial(pick, DOMAINS))}"


def _names(person: Known, words: Sequence[str]) -> bool:
    """Return whether all words are of the person, and one of them is a name."""
    known = person.words()
    return all(word in known for word in words) and any(len(word) > 2 for word in words)


def guessed(words: Sequence[str]) -> tuple[str, str] | None:
    """Return the (given, family) name that public lists read in a user name, or None."""
    if len(words) == 1:
        return None if _is_plain(words[0]) else next(_splits(words[0]), None)
    if len(words) != 2:
        return None
    one, other = words
    short = min(len(one), len(other)) == 1
    names = [word for word in words if name_classes(word) and (short or not _is_plain(word))]
    if not names and not (name_classes(one) and name_classes(other)):
        return None
    inverted = name_classes(one) == {"surname"} and name_classes(other) == {"first_name"}
    return (other, one) if inverted or len(other) == 1 else (one, other)


def _splits(word: str) -> Iterator[tuple[str, str]]:
    """Yield readings of one word, the likeliest first: doe, john, johndoe, jdoe, doej."""
    whole = name_classes(word)
    if whole:
        yield ("", word) if "first_name" not in whole else (word, "")
    for i in range(3, len(word) - 2):
        if "first_name" in name_classes(word[:i]) and "surname" in name_classes(word[i:]):
            yield word[:i], word[i:]
    if "surname" in name_classes(word[1:]):
        yield word[0], word[1:]
    if "surname" in name_classes(word[:-1]):
        yield word[-1], word[:-1]


def name_classes(word: str) -> frozenset[str]:
    """Return "first_name" and "surname", as public lists have them."""
    if len(word) < 3:
        return frozenset()
    lexicon = builtin_lexicon()
    return lexicon.of(word.capitalize()) & NAMES or lexicon.of(fold(word).capitalize()) & NAMES


def _is_plain(word: str) -> bool:
    return builtin_lexicon().plainness(word.capitalize()) > PLAIN
