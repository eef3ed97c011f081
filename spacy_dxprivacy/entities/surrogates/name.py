r"""Names of persons, drawn independently of those that they stand for (dx.Name.v1).

Law         a first name and a family name, uniform over 1,024 each (frequent in the census of the
            United States of 1990, and no plain words, places, peoples or brands), without those
            among the words that the document releases unmodified; no two persons that the document
            names apart share either, as long as there are enough. With scope "corpus" they are
            uniform over keys: two persons share one by chance, and any may be in the document
Guarantee   epsilon 0 for what is drawn: it does not depend on the original. In clear are which
            mentions of a document are of one person and, with form, how each is written
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...privacy.guarantee import Guarantee
from ...registries import registry
from ...validate import one_of
from ..tables import words
from .base import Draws, Independent, Mention, Scope, Stream, pick
from .lists import is_first_name, listed

GENDERS = ("any", "same")
FORM = (
    "how a name is written: how many parts, initials, title, suffix, possessive, case, and whether "
    "public lists read one part as a given or a family name"
)
GENDER = "the gender of first names that the lists hold"
TITLES, PARTICLES = words("NAME_TITLES"), words("NAME_PARTICLES")
# Titles and suffixes that not all persons of one surname have. Who has one is not who has another.
_ROLES = {
    "man": "mr mister sir herr senor monsieur".split(),
    "woman": "mrs ms miss madam lady frau senora madame".split(),
    "doctor": "dr doctor prof professor md phd do".split(),
}
ROLE = {word: role for role, titles in _ROLES.items() for word in titles}
GENERATIONS = frozenset("jr sr ii iii iv".split())
SUFFIXES = GENERATIONS | frozenset("esq md phd do rn".split())
ALSO_GIVEN = frozenset("al ben".split())  # given names, where nothing stands before them
_OWNER = re.compile(r"(['’]s?)$")
_INITIAL = re.compile(r"[^\W\d_]\.?|(?:[^\W\d_]\.)+")


# -- the surrogate -----------------------------------------------------------------------------


@registry.dx_surrogates("dx.Name.v1")
def make_name(
    form: bool = False, gender: str = "any", scope: str = "document", key: str | None = None
) -> Name:
    """form: write the surrogate as the mention was (Ms. Lopez, M. Lopez, Maria); without it every
    mention becomes a first and a family name. gender: "any", or "same" to copy that of first names
    which the lists hold. scope: "mention", "document", or "corpus" with the file of a key."""
    return Name(Scope(scope, key), bool(form), one_of("gender", gender, GENDERS))


@dataclass(frozen=True)
class Drawn:
    """A name that was drawn."""

    first: str
    middle: str
    last: str


@dataclass(frozen=True)
class Name(Independent):
    """See make_name."""

    form: bool
    gender: str

    name = "dx.Name.v1"
    adjacent = "names"

    @property
    def in_clear(self) -> tuple[str, ...]:
        """What of a mention is visible, for the receipt."""
        return self.scope.in_clear + (FORM,) * self.form + (GENDER,) * (self.gender == "same")

    @property
    def chance(self) -> float:
        """Of either part of a name: two names of 1,024, or of 512 with gender "same"."""
        firsts = 512 if self.gender == "same" else 1024
        return 1 / firsts + 1 / len(listed("surnames"))

    @property
    def guarantee(self) -> Guarantee:
        """Of what is drawn, given what is in clear."""
        notes = "A part of a name may come out as it was with a probability of "
        return self._promise(f"{notes}{self.chance:.4f}.")

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """One name for each person of the document, in parts."""
        forms = [form_of(mention.text, mention.before) for mention in mentions]
        them = persons(forms)
        if self.scope.reach == "mention":
            names = [self._draw(person, draws.fresh(), set(draws.plain)) for person in them]
        else:
            drawn = self._of_document(them, draws)
            names = [drawn[person.number] for person in them]
        if not self.form:
            return [f"{name.first} {name.last}" for name in names]
        return [_write(*parts) for parts in zip(forms, names, them, strict=True)]

    def _of_document(self, them: list[Person], draws: Draws) -> dict[int, Drawn]:
        taken = set(draws.plain)
        drawn: dict[int, Drawn] = {}
        for person in them:
            if person.number not in drawn:
                stream = self.scope.stream(draws, "name", person.identity)
                name = self._draw(person, stream, set() if self.scope.key else taken)
                taken |= {name.first, name.last}
                drawn[person.number] = name
        return drawn

    def _draw(self, person: Person, stream: Stream, taken: set[str]) -> Drawn:
        firsts = self._firsts(person)
        first = _free(firsts, stream, taken)
        last = _free(listed("surnames"), stream, taken | {first})
        return Drawn(first, _free(firsts, stream, {first, last}), last)

    def _firsts(self, person: Person) -> tuple[str, ...]:
        known = [which for which in ("female", "male") if person.given.title() in listed(which)]
        if self.gender == "same" and len(known) == 1:
            return listed(known[0])
        return listed("female") + listed("male")


def _free(names: tuple[str, ...], stream: Stream, taken: set[str]) -> str:
    """One that nobody has, uniformly; any one where all are taken."""
    if taken.issuperset(names):
        return pick(names, stream)
    while (name := pick(names, stream)) in taken:
        pass
    return name


def _write(form: Form, name: Drawn, person: Person) -> str:
    """The surrogate, written as the mention was."""
    given = [name.first, *[name.middle] * (len(form.parts) - 2)]
    drawn = [*given, name.last]
    if len(form.parts) < 2:
        drawn = [name.last if person.is_last("".join(form.parts)) else name.first]
    pairs = zip(form.parts or ("",), drawn, strict=True)
    new = [f"{part[0]}." if is_initial(old) else part for old, part in pairs]
    text = f"{new[-1]}, {' '.join(new[:-1])}" if form.inverted and new[1:] else " ".join(new)
    text = " ".join(filter(None, [form.title, text, form.suffix])) + form.owner
    return {"upper": text.upper(), "lower": text.lower()}.get(form.case, text)


# -- how a mention is written ------------------------------------------------------------------


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
    parts = (tail.split() + head.split()) if inverted else bare.replace(",", " ").split()
    count = 0
    while count < len(parts) - 1 and _word(parts[count]) in TITLES:
        count += 1
    title, parts = parts[:count], parts[count:]
    suffix = parts.pop() if len(parts) > 1 and _word(parts[-1]) in SUFFIXES else ""
    titles = TITLES.intersection(map(_word, (*title, before)))
    return Form(" ".join(title), _parts(parts), suffix, owner, inverted, _case(bare), titles)


def _parts(names: list[str]) -> tuple[str, ...]:
    """Given names one by one, then the family name with its particles. A particle at the beginning
    may be a given name: "Ben Okafor", "Della Wright"."""
    for place, name in enumerate(names[:-1]):
        word = _word(name)
        given = place == 0 and name[:1].isupper() and (word in ALSO_GIVEN or is_first_name(word))
        if word in PARTICLES and not given:
            return (*names[:place], " ".join(names[place:]))
    return tuple(names)


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


# -- which mentions are of one person ----------------------------------------------------------


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
        family = _one_last(names[0], self.last) and same_role
        return bool(names[0]) and (names[0] == self.given or family)


def _one_last(one: str, other: str) -> bool:
    """Whether two family names are the same, particles and the first of two names aside."""
    short, long = sorted((one, other), key=len)
    return one == other or (bool(short) and long.endswith((f" {short}", f"-{short}")))


def _alike(one: str, other: str) -> bool:
    short = one if len(one) < len(other) else other
    return one == other or (is_initial(short) and one[:1] == other[:1])


def persons(forms: Sequence[Form]) -> list[Person]:
    """The person of each mention. The most complete mentions are read first, doctors last of those
    that are as complete; a single name is of the first person that has it.

    Persons are kept under all that a mention of them may say: a text with thousands of names is not
    compared with each of them.
    """
    under: dict[tuple[str, ...], dict[int, Person]] = defaultdict(dict)
    of: dict[int, Person] = {}
    count = 0
    order = range(len(forms))
    for i in sorted(order, key=lambda i: (-_weight(forms[i]), "doctor" in forms[i].roles)):
        form = forms[i]
        near = (person for key in _sought(form) for person in under[key].values())
        person = next((p for p in near if p.fits(form)), None)
        if person is None:
            person = _new(count, form)
            count += 1
        person.roles |= form.roles
        person.generation = person.generation or form.generation
        for key in _keys(person):
            under[key][person.number] = person
        of[i] = person
    return [of[i] for i in order]


def _weight(form: Form) -> int:
    return 2 * sum(2 - is_initial(part) for part in form.parts) + bool(form.generation)


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


def _new(number: int, form: Form) -> Person:
    names = form.names
    if len(names) > 1:
        return Person(number, names[0], names[-1])
    single = names[0] if names else ""
    family = form.titles or " " in single or single.title() in listed("surnames")
    if family and (form.titles or not is_first_name(single)):
        return Person(number, "", single)
    return Person(number, single, "")
