"""Which mentions of a document name one person, and how each is written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .lists import listed

TITLES = frozenset(
    "mr mrs ms miss mx mister dr doctor prof professor rev reverend sir madam lord lady capt "
    "captain lt col gen sgt cpl pvt maj hon judge justice senator sen rep governor gov president "
    "officer detective sheriff pastor rabbi imam sister brother nurse aunt uncle señor señora "
    "monsieur madame herr frau".split()
)
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
    titled: bool = False


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
    titled = bool(title) or _word(before) in TITLES
    return Form(title, _parts(words), suffix, owner, inverted, _case(bare), titled)


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
    return text.strip(" .,").casefold()


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

    @property
    def identity(self) -> str:
        """The most complete name."""
        return f"{self.given} {self.last}".strip()

    def is_last(self, part: str) -> bool:
        """Whether a single name is the family name."""
        return bool(self.last) and _word(part) != self.given

    def fits(self, form: Form) -> bool:
        """Whether a mention may be of this person: no part of it says otherwise."""
        names = [_word(part) for part in form.parts]
        if not names:
            return not self.identity
        if len(names) == 1:
            return bool(names[0]) and (names[0] == self.given or _one_last(names[0], self.last))
        return _one_last(names[-1], self.last) and _alike(names[0], self.given)


def _one_last(one: str, other: str) -> bool:
    """Whether two family names are the same, particles aside."""
    short, long = sorted((one, other), key=len)
    return one == other or (bool(short) and long.endswith(f" {short}"))


def _alike(one: str, other: str) -> bool:
    short = one if len(one) < len(other) else other
    return one == other or (is_initial(short) and one[:1] == other[:1])


def persons(forms: Sequence[Form]) -> list[Person]:
    """The person of each mention. The most complete mentions are read first; a single name is of
    the first person that has it."""
    order = sorted(range(len(forms)), key=lambda i: -_weight(forms[i]))
    known: list[Person] = []
    of: dict[int, Person] = {}
    for i in order:
        person = next((p for p in known if p.fits(forms[i])), None)
        if person is None:
            person = _new(len(known), forms[i])
            known.append(person)
        of[i] = person
    return [of[i] for i in range(len(forms))]


def _weight(form: Form) -> int:
    return sum(2 - is_initial(part) for part in form.parts)


def _new(number: int, form: Form) -> Person:
    names = [_word(part) for part in form.parts]
    if len(names) > 1:
        return Person(number, names[0], names[-1])
    single = names[0] if names else ""
    family = form.titled or " " in single or single.title() in listed("surnames")
    if family and (form.titled or not _is_first(single)):
        return Person(number, "", single)
    return Person(number, single, "")


def _is_first(word: str) -> bool:
    return word.title() in listed("female") or word.title() in listed("male")
