r"""Names of persons, part by part (dx.Name.v2), and mail addresses and user names made of them.

Probability  without a key that of dx.Name.v1, over the names of the language of the document. With
             a key a given name has one surrogate and a family name another, uniform over keys:
             first its initial, as "J. Doe" tells no more of John, then a name with that initial
Contacts     "jdoe", "john.doe7" and "doe.j@..." become those of the surrogate: with a key wherever
             public lists read a name in them, else where the document names the person
Guarantee    epsilon 0 for what is drawn. In plaintext is what dx.Name.v1 shows, the language, and
             with a key, which documents mention one given name, one initial or one family name
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

from ...registries import registry
from ...validate import one_of
from ..tables import NAMES
from ..words import builtin_lexicon
from .base import LANGUAGE, Draws, Independent, Mention, Scope, Stream, digits, pick, registered
from .codes import DOMAINS, Contact, Digits, kind_of
from .lists import listed_of
from .name import (
    TITLES,
    DrawnName,
    Form,
    Name,
    Person,
    bare_word,
    firsts_of,
    form_of,
    last_word,
    persons,
)

LEAST = {"firsts": 199, "one gender": 76, "surnames": 250}  # of any language
_PIECE = re.compile(r"[^\W\d_]+|\d+|[\W_]+")
_HANDLE = re.compile(r"(\w{2,})\.\w{2,}|\S*[@\d_]\S*")
_GLUED = re.compile(r"\A(?:van(?:der|den|de)?|von(?:der)?|dela|del|della)(?=[a-z]{4})")
_OTHER_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "a", "œ": "o", "ı": "i"})
_DIGRAPHS = re.compile("([aou])e")
PLAIN = 0.5  # of Lexicon.plainness: the word is more often something else than a name


@dataclass(frozen=True)
class NameParts(Name):
    """See make_name_parts."""

    name = "dx.Name.v2"

    @property
    def in_clear(self) -> tuple[str, ...]:
        """What of a mention is visible, for the receipt."""
        parts = "which documents mention the same given name, initial or family name (by design)"
        return (*super().in_clear, LANGUAGE, *([parts] if self.scope.key else ()))

    @property
    def chance(self) -> float:
        """Of either part of a name, in the language with the fewest names."""
        firsts = LEAST["one gender" if self.gender == "same" else "firsts"]
        return 1 / firsts + 1 / LEAST["surnames"]

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """Return parts of one name for each person of the document."""
        forms = [form_of(mention.text, mention.before) for mention in mentions]
        pairs = {
            (fold(form.names[0]), family_of(form.names[-1])) for form in forms if form.names[1:]
        }
        glued = {word for pair in pairs for word in Known(*pair, ("", "", "")).joined()}
        is_handle = [
            _is_user_name(mention.text, form, glued)
            for mention, form in zip(mentions, forms, strict=True)
        ]
        named = [form for form, handle in zip(forms, is_handle, strict=True) if not handle]
        found = persons(named, is_family)
        texts, drawn = self._written(named, found, draws)
        by_number = {person.number: person for person in found}
        people: dict[str, list[Known]] = defaultdict(list)
        for number, one in by_number.items():
            person = Known(fold(one.given), family_of(one.last), drawn[number], fold(one.last))
            for word in person.words():
                people[word].append(person)
        draws.memory[PEOPLE] = people
        rest = iter(texts)
        return [
            self._contact(mention, draws) if handle else next(rest)
            for mention, handle in zip(mentions, is_handle, strict=True)
        ]

    def _language(self, draws: Draws) -> str:
        return self.scope.language(draws)

    def _middles(self, form: Form, draws: Draws) -> list[str]:
        """Draw middle names by the key: the first of two family names may stand alone."""
        middles = form.names[1:-1] if self.scope.key else ()
        return [keyed_name(self.scope, draws, (part, ""))[0] for part in middles]

    def _contact(self, mention: Mention, draws: Draws) -> str | None:
        """Draw a user name; where it names nobody, a contact, or a name for letters alone."""
        if (made := contact_of_person(mention.text, draws, self.scope)) is not None:
            return made
        if not mention.text.isalpha():
            return Contact(self.scope).replace([mention], draws)[0]
        person = Person(0, fold(mention.text))
        return self._draw(person, draws, set())[0].lower()

    def _draw(self, person: Person, draws: Draws, taken: set[str]) -> DrawnName:
        """Draw a first, a middle and a family name."""
        if self.scope.key is None:
            return super()._draw(person, draws, taken)
        gender = self._gender(person, self._language(draws))
        return keyed_name(self.scope, draws, (person.given, person.last), gender)


PEOPLE = "persons of dx.Name.v2"  # in the memory of a document, by each word of a user name


@registry.dx_surrogates("dx.Name.v2")
def make_name_parts(
    form: bool = True, gender: str = "any", scope: str = "document", key: str | None = None
) -> NameParts:
    """Make a surrogate for names of persons, in the language of the document, part by part.

    Args:
        form: Write the surrogate as the mention was (Ms. Lopez, M. Lopez, Maria). Without it every
            mention becomes a first and a family name.
        gender: "any", or "same" to copy that of first names which the lists hold.
        scope: "mention", "document", or "corpus".
        key: File of the key, with scope "corpus".
    """
    return NameParts(Scope(scope, key), bool(form), one_of("gender", gender, ("any", "same")))


def keyed_name(scope: Scope, draws: Draws, name: tuple[str, str], gender: str = "") -> DrawnName:
    """Return the surrogate of (given, family) by the key, each part by itself."""
    given, last = fold(name[0]), family_of(name[1])
    language = scope.language(draws)
    firsts = firsts_of(language, gender)
    stream = scope.stream(draws, "initial", given[:1])
    initial = pick(firsts_of(language, ""), stream)[0]
    alike = tuple(first for first in firsts if first[0] == initial) or firsts
    stream = scope.stream(draws, "given name", given)
    surname = pick(listed_of(language, "surnames"), scope.stream(draws, "family name", last))
    first = pick(alike, stream)
    return first, first, surname


def fold(word: str) -> str:
    """Return a name as a mail address has it: Müller and Mueller are one, O'Brien and obrien."""
    bare = bare_word(word).replace("ß", "ss").translate(_OTHER_LETTERS)
    is_letter = str.islower if bare.isascii() else str.isalpha
    return _DIGRAPHS.sub(r"\1", "".join(filter(is_letter, bare)))


def family_of(last: str) -> str:
    """Return what all forms of a family name share: its last word."""
    return fold(last_word(last))


def is_family(name: str) -> bool:
    """Return whether public lists have a name for a family name alone."""
    return "surname" in (found := builtin_lexicon().of(name.title())) and "first_name" not in found


def _is_user_name(text: str, form: Form, glued: Collection[str]) -> bool:
    """Return whether a mention of a person is a mail address or a user name: by its marks, of a
    person of the document, or unlike any name."""
    found = _HANDLE.fullmatch(text)
    if found and (found[1] is None or (text.islower() and found[1] not in TITLES)):
        return True
    if len(form.names) != 1:
        return False
    word = form.parts[0]
    return fold(word) in glued or (word.islower() and word.isalpha() and not _classes(word))


# -- mail addresses and user names -----------------------------------------------------------------


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
    return re.sub(r"[^a-z]", "", bare_word(name).replace("ß", "ss").translate(_OTHER_LETTERS))


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
        last = guess[1] if _classes(guess[1]) else _GLUED.sub("", guess[1])
        new = keyed_name(scope, draws, (guess[0], last))
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
    names = [word for word in words if _classes(word) and (short or not _is_plain(word))]
    if not names and not (_classes(one) and _classes(other)):
        return None
    second = len(other) == 1 or (_classes(one) == {"surname"} and _classes(other) == {"first_name"})
    return (other, one) if second else (one, other)


def _splits(word: str) -> Iterator[tuple[str, str]]:
    """Yield readings of one word, the likeliest first: doe, john, johndoe, jdoe, doej."""
    whole = _classes(word)
    if whole:
        yield ("", word) if "first_name" not in whole else (word, "")
    for i in range(3, len(word) - 2):
        if "first_name" in _classes(word[:i]) and "surname" in _classes(word[i:]):
            yield word[:i], word[i:]
    if "surname" in _classes(word[1:]):
        yield word[0], word[1:]
    if "surname" in _classes(word[:-1]):
        yield word[-1], word[:-1]


def _classes(word: str) -> frozenset[str]:
    """Return "first_name" and "surname", as public lists have them."""
    if len(word) < 3:
        return frozenset()
    lexicon = builtin_lexicon()
    return lexicon.of(word.capitalize()) & NAMES or lexicon.of(fold(word).capitalize()) & NAMES


def _is_plain(word: str) -> bool:
    return builtin_lexicon().plainness(word.capitalize()) > PLAIN


OF_PERSONS = (
    "which mail addresses and user names are made of a name of a person of the document (with a "
    "key of any name), and of which parts of it"
)


class _OfPersons(Independent):
    """Mail addresses and user names of the surrogates of persons, besides those of version 1.

    kinds: of what may be one, as codes.kind_of has them; None for all.
    """

    kinds: ClassVar[tuple[str, ...] | None] = None

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """Return as many contacts or codes of the same kinds."""
        drawn: list[str | None] = super().replace(mentions, draws)  # type: ignore[misc]
        for i, text in enumerate(mention.text for mention in mentions):
            if self.kinds is None or kind_of(text) in self.kinds:
                drawn[i] = contact_of_person(text, draws, self.scope) or drawn[i]
        return drawn


@registered
class PersonContact(_OfPersons, Contact):
    """Contacts, and mail addresses and user names of the surrogates of persons."""

    name = "dx.Contact.v2"
    kinds = ("mail", "user")
    traits: ClassVar[tuple[str, ...]] = (*Contact.traits, OF_PERSONS)

    def _identity(self, text: str, kind: str) -> str:
        bare = "".join(filter(str.isdigit, text))[-10:] if kind == "phone" else ""
        return bare or super()._identity(text, kind)


@registered
class PersonDigits(_OfPersons, Digits):
    """Codes, and user names of the surrogates of persons."""

    name = "dx.Digits.v2"
    traits: ClassVar[tuple[str, ...]] = (*Digits.traits, OF_PERSONS)
