"""How a mention writes a person's name, and which mentions of a document are of one person."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from ..tables import is_first_name, listed, words
from ..words import builtin_lexicon

TITLES, PARTICLES = words("NAME_TITLES"), words("NAME_PARTICLES")
KIN = words("KIN_TITLES")
GENDER = dict.fromkeys(words("MALE_WORDS"), "male") | dict.fromkeys(words("FEMALE_WORDS"), "female")
# Titles and suffixes that not all persons of one surname have. Who has one is not who has another.
_ROLES = {
    "man": "mr mister sir herr senor monsieur".split(),
    "woman": "mrs ms miss madam lady frau senora madame".split(),
    "doctor": "dr doctor prof professor md phd do".split(),
}
ROLE = {word: role for role, titles in _ROLES.items() for word in titles}
GENERATIONS = frozenset("jr sr ii iii iv".split())
SUFFIXES = GENERATIONS | frozenset("esq md phd do rn".split())
_IRISH = frozenset({"Ó", "ó", "O’", "O'"})  # particles, though they look like an initial
ALSO_GIVEN = frozenset("al ben".split())  # given names, where nothing stands before them
# A possessive, or the stop of "Jan." and "Jr.", which may end a sentence.
_OWNER = re.compile(r"(['’]s?|(?<=[^\W\d_]{2})\.)$")
_INITIAL = re.compile(r"[^\W\d_]\.?|(?:[^\W\d_]\.)+")
_DIGRAPHS = re.compile("([aou])e")
_OTHER_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "æ": "a", "œ": "o", "ı": "i", "ß": "ss"}
)


@dataclass(frozen=True)
class Form:
    """How a mention is written. title: as it stands there. parts: names, the family name last where
    there are two or more; its particles belong to it. inverted: "Lopez, Maria". names: the parts in
    lower case, without accents. titles: before the name. roles: that titles and suffix say.
    generation: "jr", "sr" and the like, or ""."""

    title: str
    parts: tuple[str, ...]
    suffix: str
    owner: str
    inverted: bool
    case: str
    names: tuple[str, ...]
    titles: frozenset[str]
    roles: frozenset[str]
    generation: str


def form_of(text: str, before: str = "") -> Form:
    """Parse a mention; before is the word before it."""
    ending = _OWNER.search(text.strip())
    owner = ending[1] if ending else ""
    bare = text.strip()[: -len(owner)] if owner else text.strip()
    head, comma, tail = bare.partition(",")
    inverted = bool(comma) and bool(tail.strip()) and bare_word(tail) not in SUFFIXES
    parts = (tail.split() + head.split()) if inverted else bare.replace(",", " ").split()
    count = 0
    while count < len(parts) - 1 and bare_word(parts[count]) in TITLES:
        count += 1
    title, parts = parts[:count], parts[count:]
    suffix = parts.pop() if len(parts) > 1 and bare_word(parts[-1]) in SUFFIXES else ""
    names, end = _parts(parts), bare_word(suffix)
    titles = TITLES.intersection(map(bare_word, (*title, before)))
    return Form(
        title=" ".join(title),
        parts=names,
        suffix=suffix,
        owner=owner,
        inverted=inverted,
        case=_case(bare),
        names=tuple(map(bare_word, names)),
        titles=titles,
        roles=frozenset(ROLE[word] for word in (*titles, end) if word in ROLE),
        generation=end if end in GENERATIONS else "",
    )


def _parts(names: list[str]) -> tuple[str, ...]:
    """Join the family name with its particles. A particle at the beginning may be a given name:
    "Ben Okafor", "Della Wright"."""
    for place, name in enumerate(names[:-1]):
        word = bare_word(name)
        is_given = place == 0 and name[:1].isupper() and (word in ALSO_GIVEN or is_first_name(word))
        particle = name in _IRISH or (
            word in PARTICLES and not (len(word) == 1 and name[1:] == ".")
        )
        if particle and not is_given:
            return (*names[:place], " ".join(names[place:]))
    return tuple(names)


def particles_of(part: str) -> str:
    """Return the particles that a family name begins with, as they are written: "van der "."""
    names = part.split(" ")
    count = 0
    while count < len(names) - 1 and (
        names[count] in _IRISH or bare_word(names[count]) in PARTICLES
    ):
        count += 1
    return "".join(f"{name} " for name in names[:count])


def is_particle(text: str) -> bool:
    """Return whether a text is made of particles in small letters alone."""
    return all(word in PARTICLES for word in text.split())


@cache
def _short_names() -> dict[str, frozenset[str]]:
    """Return the given names that each name may be short for, itself among them, in lower case."""
    full_of: dict[str, set[str]] = defaultdict(set)
    for line in listed("short_names"):
        full, _, short = line.lower().partition(": ")
        for name in short.split():
            full_of[bare_word(name)] |= {full, bare_word(name)}
    return {name: frozenset(full) for name, full in full_of.items()}


def full_names(name: str) -> frozenset[str]:
    """Return the given names that a name may be a short form of, and itself."""
    return _short_names().get(name, frozenset({name}))


def _case(text: str) -> str:
    letters = [c for c in text if c.isalpha()]
    if text.upper() == text.lower():
        return "title"  # of a script without capitals
    if len(letters) > 1 and text.upper() == text:
        return "upper"
    return "lower" if text.lower() == text and letters else "title"


def bare_word(text: str) -> str:
    """In lower case, without the accents of Latin, Greek and Cyrillic: María is Maria."""
    bare = text.strip(" .,").casefold()
    if bare.isascii():
        return bare
    parts = (c for c in unicodedata.normalize("NFD", bare) if not "\u0300" <= c <= "\u036f")
    return unicodedata.normalize("NFC", "".join(parts))


def is_initial(part: str) -> bool:
    """Return whether a part is "M", "M." or "J.R."."""
    return _INITIAL.fullmatch(part) is not None


def fold(word: str) -> str:
    """Return a name as a mail address has it: Müller and Mueller are one, O'Brien and obrien."""
    bare = other_letters(bare_word(word))
    is_letter = str.islower if bare.isascii() else str.isalpha
    return _DIGRAPHS.sub(r"\1", "".join(filter(is_letter, bare)))


def other_letters(word: str) -> str:
    """Write letters that are no Latin letter with an accent, as æ, in plain ones."""
    return word.translate(_OTHER_LETTERS)


def in_plain_letters(name: str) -> str:
    """Return the Latin letters of a name, in lower case and without accents."""
    return re.sub(r"[^a-z]", "", other_letters(bare_word(name)))


def family_of(last: str) -> str:
    """Return what all forms of a family name share: its last word."""
    return fold(last_word(last))


def is_family(name: str) -> bool:
    """Return whether public lists have a name for a family name alone."""
    return (
        "surname" in (classes := builtin_lexicon().of(name.title())) and "first_name" not in classes
    )


@dataclass
class Person:
    """What a document says of a person's name, in lower case. number: in the order of the most
    complete mentions."""

    number: int
    first: str = ""
    last: str = ""
    generation: str = ""
    roles: set[str] = field(default_factory=set)

    @property
    def identity(self) -> str:
        """The most complete name."""
        return " ".join(filter(None, (self.first, self.last, self.generation)))

    def fits(self, form: Form) -> bool:
        """Return whether a mention may be of this person: no part of it contradicts that."""
        names = form.names
        if self.generation and form.generation not in ("", self.generation):
            return False
        if not names:
            return not self.identity
        # Family names are the same, particles and the first of two names aside.
        short, long = sorted((names[-1], self.last), key=len)
        same_last = short == long or (bool(short) and long.endswith((f" {short}", f"-{short}")))
        if len(names) > 1:
            last_initial = is_initial(names[-1]) and self.last.startswith(names[-1][0])
            short, long = sorted((self.first, names[0]), key=len)
            initial = is_initial(short) and short[:1] == long[:1] and not last_initial
            return (same_last or last_initial) and (initial or self.is_called(names[0]))
        return bool(names[0]) and (
            self.is_called(names[0]) or (same_last and self._has_role(form.roles))
        )

    def is_called(self, name: str) -> bool:
        """Return whether a given name is that of the person, or one is short for the other."""
        return bool(name) and not full_names(self.first).isdisjoint(full_names(name))

    def _has_role(self, roles: frozenset[str]) -> bool:
        """Whether a title may be the person's: nobody is a doctor whom no mention calls one."""
        if self.first and "doctor" in roles and not self.roles:
            return False
        return not (self.roles and roles) or bool(self.roles & roles)


def persons(forms: Sequence[Form], is_family: Callable[[str], bool] | None = None) -> list[Person]:
    """Return the person of each mention. The most complete mentions are read first, doctors last of
    those that are as complete; a single name is of the first person that has it.

    Persons are indexed by all that a mention of them may say: a text with thousands of names is not
    compared with each of them. is_family: whether a single name without a title is a family name.
    """
    under: dict[tuple[str, ...], dict[int, Person]] = defaultdict(dict)
    of: dict[int, Person] = {}
    count = 0

    def order(i: int) -> tuple[int, bool, bool]:
        complete = 2 * sum(2 - is_initial(part) for part in forms[i].parts)
        untitled = is_family is not None and not forms[i].titles
        return -complete - bool(forms[i].generation), untitled, "doctor" in forms[i].roles

    for i in sorted(range(len(forms)), key=order):
        form = forms[i]
        candidates = (person for key in _keys_of_form(form) for person in under[key].values())
        person = next((p for p in candidates if p.fits(form)), None)
        if person is None:
            person = _person_of(
                count, form, is_family or (lambda name: name.title() in listed("surnames"))
            )
            count += 1
        person.roles |= form.roles
        person.generation = person.generation or form.generation
        for key in _keys_of_person(person):
            under[key][person.number] = person
        of[i] = person
    return [of[i] for i in range(len(forms))]


def _keys_of_form(form: Form) -> Iterator[tuple[str, ...]]:
    """Yield the keys of persons that the mention may fit; one of the same title comes first."""
    names = form.names or ("",)
    last = last_word(names[-1])
    if len(names) == 1:
        yield from ((last, role) for role in sorted(form.roles))
        yield from ((full,) for full in sorted(full_names(last)))
    elif is_initial(names[0]):
        yield names[0][0], "*", last
    else:
        for full in sorted(full_names(names[0])):
            yield full, "", last
            if is_initial(names[-1]):
                yield full, "*", names[-1][0]
        yield names[0][:1], "", last


def _keys_of_person(person: Person) -> Iterator[tuple[str, ...]]:
    last = last_word(person.last)
    for single in {last, *map(last_word, full_names(person.first))}:
        yield (single,)
        yield from ((single, role) for role in person.roles)
    for full in full_names(person.first):
        yield full, "", last
        yield full, "*", last[:1]
    yield person.first[:1], "*", last


def last_word(name: str) -> str:
    """Return the last word of a name, which all forms of it share."""
    return re.split(r"[ -]", name)[-1]


def _person_of(number: int, form: Form, is_family: Callable[[str], bool]) -> Person:
    names = form.names
    if len(names) > 1:
        return Person(number, names[0], names[-1])
    single = names[0] if names else ""
    if form.titles - KIN or ((" " in single or is_family(single)) and not is_first_name(single)):
        return Person(number, "", single)
    return Person(number, single, "")
