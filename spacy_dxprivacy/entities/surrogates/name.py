r"""Names of persons, drawn independently of the originals (dx.Name.v1).

Probability  a first name and a family name, uniform over 1,024 each (frequent in the census of the
             United States of 1990, and no plain words, places, peoples or brands), without those
             among the words that the document releases unmodified; no two persons that the document
             names apart share either, as long as there are enough. With scope "corpus" they are
             uniform over keys: two persons share one by chance, and any may be in the document
Guarantee    epsilon 0 for what is drawn: it does not depend on the original. In plaintext are which
             mentions of a document are of one person and, with form, how each is written
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from ...registries import registry
from ...validate import one_of
from ..tables import words
from .base import Draws, Independent, Mention, Scope, Stream, pick
from .lists import is_first_name, listed, listed_of

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
DrawnName = tuple[str, str, str]  # first, middle, family
_OWNER = re.compile(r"(['’]s?)$")
_INITIAL = re.compile(r"[^\W\d_]\.?|(?:[^\W\d_]\.)+")


@registry.dx_surrogates("dx.Name.v1")
def make_name(
    form: bool = False, gender: str = "any", scope: str = "document", key: str | None = None
) -> Name:
    """Make a surrogate for names of persons.

    Args:
        form: Write the surrogate as the mention was (Ms. Lopez, M. Lopez, Maria). Without it every
            mention becomes a first and a family name.
        gender: "any", or "same" to copy that of first names which the lists hold.
        scope: "mention", "document", or "corpus".
        key: File of the key, with scope "corpus".
    """
    return Name(Scope(scope, key), bool(form), one_of("gender", gender, ("any", "same")))


@dataclass(frozen=True)
class Name(Independent):
    """See make_name."""

    form: bool
    gender: str

    name = "dx.Name.v1"
    adjacent = "names"

    @property
    def traits(self) -> tuple[str, ...]:  # type: ignore[override]
        """What of a mention is visible beside what its scope shows."""
        return (FORM,) * self.form + (GENDER,) * (self.gender == "same")

    @property
    def chance(self) -> float:
        """Of either part of a name: two names of 1,024, or of 512 with gender "same"."""
        firsts = 512 if self.gender == "same" else 1024
        return 1 / firsts + 1 / len(listed("surnames"))

    @property
    def notes(self) -> str:  # type: ignore[override]
        """Of the guarantee."""
        return f"A part of a name is unchanged with a probability of {self.chance:.4f}."

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """Return parts of one name for each person of the document."""
        forms = [form_of(mention.text, mention.before) for mention in mentions]
        return [*self._written(forms, persons(forms), draws)[0]]

    def _written(
        self, forms: Sequence[Form], people: Sequence[Person], draws: Draws
    ) -> tuple[list[str], dict[int, DrawnName]]:
        """Return the surrogate of each form, and the name drawn for each person by its number."""
        taken = set() if self.scope.key else set(draws.plain)
        drawn: dict[int, DrawnName] = {}
        texts = []
        for form, person in zip(forms, people, strict=True):
            if self.scope.reach == "mention" or person.number not in drawn:
                drawn[person.number] = self._draw(person, draws, taken)
                if self.scope.reach == "document":
                    taken.update(drawn[person.number][::2])
            name = drawn[person.number]
            text = write(form, name, person, self._middles(form, draws))
            texts.append(text if self.form else f"{name[0]} {name[2]}")
        return texts, drawn

    def _draw(self, person: Person, draws: Draws, taken: set[str]) -> DrawnName:
        """Draw a first, a middle and a family name."""
        stream, language = self.scope.stream(draws, "name", person.identity), self._language(draws)
        firsts = firsts_of(language, self._gender(person, language))
        first = free(firsts, stream, taken)
        last = free(listed_of(language, "surnames"), stream, taken | {first})
        return first, free(firsts, stream, {first, last}), last

    def _gender(self, person: Person, language: str) -> str:
        """Return the list that alone holds the given name, if its gender is copied; else ""."""
        given = person.given.title()
        known = [which for which in ("female", "male") if given in listed_of(language, which)]
        return known[0] if self.gender == "same" and len(known) == 1 else ""

    def _language(self, draws: Draws) -> str:
        return "en"

    def _middles(self, form: Form, draws: Draws) -> list[str]:
        """Draw what stands between the first and the family name; [] for the one of the person."""
        return []


def firsts_of(language: str, gender: str) -> tuple[str, ...]:
    """Return the first names of a language, of a gender or, without one, all."""
    if gender:
        return listed_of(language, gender)
    return listed_of(language, "female") + listed_of(language, "male")


def free(names: tuple[str, ...], stream: Stream, taken: set[str]) -> str:
    """Draw a name that nobody has, uniformly; any one where all are taken."""
    if taken.issuperset(names):
        return pick(names, stream)
    while (name := pick(names, stream)) in taken:
        pass
    return name


def write(form: Form, name: DrawnName, person: Person, middles: Sequence[str] | None = None) -> str:
    """Write the surrogate as the mention was. middles: of its parts between the first and last."""
    first, middle, last = name
    drawn = [first, *(middles or [middle] * (len(form.parts) - 2)), last]
    if len(form.parts) < 2:
        is_last = person.last and (form.names or ("",))[0] != person.given
        drawn = [last if is_last else first]
    pairs = zip(form.parts or ("",), drawn, strict=True)
    new = [f"{part[0]}." if is_initial(old) else part for old, part in pairs]
    text = f"{new[-1]}, {' '.join(new[:-1])}" if form.inverted and new[1:] else " ".join(new)
    text = " ".join(filter(None, [form.title, text, form.suffix])) + form.owner
    return {"upper": text.upper(), "lower": text.lower()}.get(form.case, text)


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
    found = _OWNER.search(text.strip())
    owner = found[1] if found else ""
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
        given = place == 0 and name[:1].isupper() and (word in ALSO_GIVEN or is_first_name(word))
        if word in PARTICLES and not given and not (len(word) == 1 and name.endswith(".")):
            return (*names[:place], " ".join(names[place:]))
    return tuple(names)


def _case(text: str) -> str:
    letters = [c for c in text if c.isalpha()]
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


@dataclass
class Person:
    """What a document says of a person's name, in lower case. number: in the order of the most
    complete mentions."""

    number: int
    given: str = ""
    last: str = ""
    generation: str = ""
    roles: set[str] = field(default_factory=set)

    @property
    def identity(self) -> str:
        """The most complete name."""
        return " ".join(filter(None, (self.given, self.last, self.generation)))

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
            short, long = sorted((self.given, names[0]), key=len)
            initial = is_initial(short) and short[:1] == long[:1]
            return same_last and (short == long or initial)
        same_role = not (self.roles and form.roles) or bool(self.roles & form.roles)
        return bool(names[0]) and (names[0] == self.given or (same_last and same_role))


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
        near = (person for key in _keys_of_form(form) for person in under[key].values())
        person = next((p for p in near if p.fits(form)), None)
        if person is None:
            person = _new(
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
        yield (last,)
    elif is_initial(names[0]):
        yield names[0][0], "*", last
    else:
        yield names[0], "", last
        yield names[0][:1], "", last


def _keys_of_person(person: Person) -> Iterator[tuple[str, ...]]:
    last = last_word(person.last)
    for single in {last, last_word(person.given)}:
        yield (single,)
        yield from ((single, role) for role in person.roles)
    yield person.given, "", last
    yield person.given[:1], "*", last


def last_word(name: str) -> str:
    """Return the last word of a name, which all forms of it share."""
    return re.split(r"[ -]", name)[-1]


def _new(number: int, form: Form, is_family: Callable[[str], bool]) -> Person:
    names = form.names
    if len(names) > 1:
        return Person(number, names[0], names[-1])
    single = names[0] if names else ""
    if form.titles or ((" " in single or is_family(single)) and not is_first_name(single)):
        return Person(number, "", single)
    return Person(number, single, "")
