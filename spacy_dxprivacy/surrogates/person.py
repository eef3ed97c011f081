"""Which mentions of a document name one person, and how each is written."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .lists import listed

TITLES = frozenset(
    "mr mrs ms miss mx mister dr doctor prof professor rev reverend sir madam lord lady capt "
    "captain lt col gen sgt cpl pvt maj hon judge justice senator sen rep governor gov president "
    "officer detective sheriff pastor rabbi imam sister brother nurse aunt uncle senor senora "
    "monsieur madame herr frau".split()
)
# Titles and suffixes that not all persons of one surname have. Who has one is not who has another.
_ROLES = {
    "man": "mr mister sir herr senor monsieur".split(),
    "woman": "mrs ms miss madam lady frau senora madame".split(),
    "doctor": "dr doctor prof professor md phd do".split(),
}
ROLE = {word: role for role, words in _ROLES.items() for word in words}
GENERATIONS = frozenset("jr sr ii iii iv".split())
PARTICLES = frozenset(
    "de del della di da do dos das du la le las los van von der den ter ten bin bint ibn al el ben "
    "abu y af av st mac mc dela".split()
)
ALSO_GIVEN = frozenset("al ben".split())  # given names, where nothing stands before them
SUFFIXES = frozenset("jr sr ii iii iv esq md phd do rn".split())
_OWNER = re.compile(r"(['’]s?)$")
_INITIAL = re.compile(r"[^\W\d_]\.?|(?:[^\W\d_]\.)+")


@dataclass(frozen=True)
class Form:
    """How a mention is written. title: as it stands there. parts: names, the family name last where
    there are two or more; its particles belong to it. inverted: "Lopez, Maria"."""

    title: str
    parts: tuple[str, ...]
    suffix: str
    owner: str
    inverted: bool
    case: str
    titles: frozenset[str] = frozenset()

    @property
    def names(self) -> list[str]:
        """The parts in small letters, without accents."""
        return [_word(part) for part in self.parts]

    @property
    def roles(self) -> set[str]:
        """What titles and suffix say of who it is."""
        return {ROLE[word] for word in (*self.titles, _word(self.suffix)) if word in ROLE}

    @property
    def generation(self) -> str:
        """ "jr", "sr" and the like, or nothing."""
        word = _word(self.suffix)
        return word if word in GENERATIONS else ""


def form_of(text: str, before: str = "") -> Form:
    """The form of a mention; anything can be read as one. before: the word before it."""
    found = _OWNER.search(text.strip())
    owner = found[1] if found else ""
    bare = text.strip()[: -len(owner)] if owner else text.strip()
    head, comma, tail = bare.partition(",")
    inverted = bool(comma) and bool(tail.strip()) and _word(tail) not in SUFFIXES
    words = (tail.split() + head.split()) if inverted else bare.replace(",", " ").split()
    title, words = _titles(words)
    suffix = words.pop() if len(words) > 1 and _word(words[-1]) in SUFFIXES else ""
    titles = TITLES.intersection(map(_word, (*title.split(), before)))
    return Form(title, _parts(words), suffix, owner, inverted, _case(bare), titles)


def _titles(words: list[str]) -> tuple[str, list[str]]:
    count = 0
    while count < len(words) - 1 and _word(words[count]) in TITLES:
        count += 1
    return " ".join(words[:count]), words[count:]


def _parts(words: list[str]) -> tuple[str, ...]:
    """Given names one by one, then the family name with its particles."""
    for place, word in enumerate(words):
        if place < len(words) - 1 and _word(word) in PARTICLES and not _leads(words, place):
            return (*words[:place], " ".join(words[place:]))
    return tuple(words)


def _leads(words: list[str], place: int) -> bool:
    """Whether a particle is a given name here: "Ben Okafor", "Della Wright"."""
    word = _word(words[0])
    given = word in ALSO_GIVEN or _is_first(word)
    return place == 0 and words[0][:1].isupper() and given


def _case(text: str) -> str:
    letters = [c for c in text if c.isalpha()]
    if len(letters) > 1 and text.upper() == text:
        return "upper"
    return "lower" if text.lower() == text and letters else "title"


def _word(text: str) -> str:
    """In small letters, without the accents of Latin, Greek and Cyrillic: María is Maria."""
    bare = text.strip(" .,").casefold()
    if bare.isascii():
        return bare
    parts = (c for c in unicodedata.normalize("NFD", bare) if not "\u0300" <= c <= "\u036f")
    return unicodedata.normalize("NFC", "".join(parts))


def is_initial(part: str) -> bool:
    """ "M", "M.", "J.R." """
    return _INITIAL.fullmatch(part) is not None


@dataclass
class Person:
    """What a document says of somebody's name, in small letters. number: which one it is, counted
    by the most complete mentions."""

    number: int
    given: str = ""
    last: str = ""
    generation: str = ""
    roles: set[str] = field(default_factory=set)

    @property
    def identity(self) -> str:
        """The most complete name."""
        return " ".join(filter(None, (self.given, self.last, self.generation)))

    def is_last(self, part: str) -> bool:
        """Whether a single name is the family name."""
        return bool(self.last) and _word(part) != self.given

    def fits(self, form: Form) -> bool:
        """Whether a mention may be of this person: no part of it says otherwise."""
        names = form.names
        if self.generation and form.generation not in ("", self.generation):
            return False
        if not names:
            return not self.identity
        if len(names) > 1:
            return _one_last(names[-1], self.last) and _alike(names[0], self.given)
        same_role = not (self.roles and form.roles) or bool(self.roles & form.roles)
        return bool(names[0]) and (
            names[0] == self.given or (_one_last(names[0], self.last) and same_role)
        )


def _one_last(one: str, other: str) -> bool:
    """Whether two family names are the same, particles and the first of two names aside."""
    short, long = sorted((one, other), key=len)
    return one == other or (bool(short) and long.endswith((f" {short}", f"-{short}")))


def _alike(one: str, other: str) -> bool:
    short = one if len(one) < len(other) else other
    return one == other or (is_initial(short) and one[:1] == other[:1])


def persons(forms: Sequence[Form]) -> list[Person]:
    """The person of each mention. The most complete mentions are read first, doctors last of those
    that are as complete; a single name is of the first person that has it."""
    order = sorted(
        range(len(forms)), key=lambda i: (-_weight(forms[i]), "doctor" in forms[i].roles)
    )
    known = _Known()
    of = {i: known.person(forms[i]) for i in order}
    return [of[i] for i in range(len(forms))]


class _Known:
    """The persons of a document, under all that a mention of them may say: a text with thousands
    of names is not compared with each of them."""

    def __init__(self) -> None:
        self._under: dict[tuple[str, ...], dict[int, Person]] = defaultdict(dict)
        self._count = 0

    def person(self, form: Form) -> Person:
        """The one that the mention fits, or a new one."""
        near = (person for key in _sought(form) for person in self._under[key].values())
        person = next((p for p in near if p.fits(form)), None)
        if person is None:
            person = _new(self._count, form)
            self._count += 1
        person.roles |= form.roles
        person.generation = person.generation or form.generation
        for key in _keys(person):
            self._under[key][person.number] = person
        return person


def _sought(form: Form) -> Iterator[tuple[str, ...]]:
    """Where a person that the mention fits may be; one of the same title comes first."""
    names = form.names or [""]
    last = _tail(names[-1])
    if len(names) == 1:
        yield from ((last, role) for role in sorted(form.roles))
        yield (last,)
    elif is_initial(names[0]):
        yield names[0][0], "*", last
    else:
        yield names[0], "", last
        yield names[0][:1], "", last


def _keys(person: Person) -> Iterator[tuple[str, ...]]:
    last = _tail(person.last)
    for single in {last, _tail(person.given)}:
        yield (single,)
        yield from ((single, role) for role in person.roles)
    yield person.given, "", last
    yield person.given[:1], "*", last


def _tail(name: str) -> str:
    """The last word of a name, which all forms of it share."""
    return re.split(r"[ -]", name)[-1]


def _weight(form: Form) -> int:
    return 2 * sum(2 - is_initial(part) for part in form.parts) + bool(form.generation)


def _new(number: int, form: Form) -> Person:
    names = form.names
    if len(names) > 1:
        return Person(number, names[0], names[-1])
    single = names[0] if names else ""
    family = form.titles or " " in single or single.title() in listed("surnames")
    if family and (form.titles or not _is_first(single)):
        return Person(number, "", single)
    return Person(number, single, "")


def _is_first(word: str) -> bool:
    return word.title() in listed("female") or word.title() in listed("male")
