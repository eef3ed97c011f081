"""Parses the form in which a mention writes a person's name, writes surrogates in that form, and
groups the mentions of a document by person."""

from __future__ import annotations

import gzip
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import product
from types import MappingProxyType

from ..about import DATA
from ..entities.tables import NAMES, is_first_name, listed, listed_of, words
from ..entities.words import builtin_lexicon

TITLES, PARTICLES = words("NAME_TITLES"), words("NAME_PARTICLES")
KIN = words("KIN_TITLES")
# Roles tell persons of one surname apart: mentions with different roles are of different persons.
_ROLES = {
    "man": "mr mister sir herr senor monsieur".split(),
    "woman": "mrs ms miss madam lady frau senora madame".split(),
    "doctor": "dr doctor prof professor md phd do mbbs frcs mrcs frcp mrcp frca dds".split(),
}
ROLE = {word: role for role, titles in _ROLES.items() for word in titles}
GENERATIONS = frozenset("jr sr ii iii iv".split())
SUFFIXES = GENERATIONS | words("AFTER_NAMES") | words("GRADES")
_IRISH = frozenset({"Ó", "ó", "O’", "O'"})  # particles that look like initials
ALSO_GIVEN = frozenset("al ben".split())  # particles that are given names at the beginning
# A possessive ending, or the full stop of "Jan." and "Jr.", which may end a sentence.
_OWNER = re.compile(r"(['’]s?|(?<=[^\W\d_]{2})\.)$")
_INITIAL = re.compile(r"[^\W\d_]\.?|(?:[^\W\d_]\.)+")
_DIGRAPHS = re.compile("([aou])e")
_HYPHEN = re.compile(r"[ -]")
_SHORT_END = re.compile(r"(?:ie|ey|y|i)\Z")  # of Lizzie, Vicky and Nicki
_APOSTROPHES = str.maketrans("’‘ʼ`", "''''")
_OTHER_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "a", "œ": "o", "ı": "i", "ß": "ss"}
)

MIN_BEGINNING = 3  # letters of the beginning of a given name that is short for it
MIN_REST = 2  # further letters of that name, so that Paula and Anna are not Paul and Ann
NONE: Mapping[int, Collection[int]] = MappingProxyType({})
NO_FAMILIES: Mapping[str, str] = MappingProxyType({})

DrawnName = tuple[str, str, str]  # first, middle, family


@dataclass(frozen=True)
class Form:
    """The form of a mention. title: titles as written. parts: names, the family name with its
    particles last if there are two or more. owner: possessive ending or full stop. inverted:
    "Lopez, Maria". names: parts in lower case, without accents, or the person's names in full where
    the document has them. titles: title words before the name. roles: roles that titles, suffix and
    kin show. generation: "jr", "sr" and the like, or "". glued: whether it is initials without
    blanks. particles: initials of particles before that of the family name. mark: mark after an
    inverted family name."""

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
    glued: bool = False
    particles: str = ""
    mark: str = ","


def form_of(text: str, before: str = "") -> Form:
    """Parse a mention. before: the word before it."""
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
    size = len(parts)
    while size > 1 and bare_word(parts[size - 1]) in SUFFIXES:
        size -= 1
    ends, suffix = [bare_word(part) for part in parts[size:]], " ".join(parts[size:])
    family = len(head.split()) - len(ends) if inverted else 1
    names = _initials(parts[0]) if size == 1 else _parts(parts[:size], family)
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
        roles=frozenset(ROLE[word] for word in (*titles, *ends) if word in ROLE),
        generation=next((end for end in ends if end in GENERATIONS), ""),
        glued=size == 1 < len(names),
    )


def _initials(part: str) -> tuple[str, ...]:
    """Return the initials of a name that is written by initials alone: ("J.", "K.") for J.K."""
    initials = tuple(re.findall(r"[^\W\d_]\.", part))
    return initials if len(initials) > 1 and "".join(initials) == part else (part,)


def _parts(names: list[str], family: int) -> tuple[str, ...]:
    """Join the family name with its particles, and the words before a comma. A particle at the
    beginning may be a given name, as in "Ben Okafor" and "Della Wright".

    Args:
        names: The names, of which the family name is last.
        family: Number of words of the family name.
    """
    if family > 1 and TITLES.isdisjoint(map(bare_word, names[-family:])):
        return (*names[:-family], " ".join(names[-family:]))
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
    """Return the particles at the beginning of a family name, as written: "van der "."""
    names = part.split(" ")
    count = 0
    while count < len(names) - 1 and (
        names[count] in _IRISH or bare_word(names[count]) in PARTICLES
    ):
        count += 1
    return "".join(f"{name} " for name in names[:count])


def is_particle(text: str) -> bool:
    """Return whether a text consists of particles in lower case."""
    return all(word in PARTICLES for word in text.split())


@cache
def _short_names() -> dict[str, frozenset[str]]:
    """Map each short name to the given names that it may be short for and itself, in lower case."""
    full_of: dict[str, set[str]] = defaultdict(set)
    for line in listed("short_names"):
        full, _, short = line.lower().partition(": ")
        full = bare_word(full)
        for name in short.split():
            full_of[bare_word(name)] |= {full, bare_word(name)}
    return {name: frozenset(full) for name, full in full_of.items()}


def full_names(name: str) -> frozenset[str]:
    """Return a name with the given names that it may be a short form of."""
    return _short_names().get(name, frozenset({name}))


def are_alike(one: str, other: str) -> bool:
    """Return whether two given names may be of one person: they are equal, one is short for the
    other, or both are short for a third and one begins with the other: Liz and Lizzie. Liz and Beth
    are two persons."""
    full, other_full = full_names(one), full_names(other)
    if one in other_full or other in full:
        return True
    short, long = sorted((_SHORT_END.sub("", one), _SHORT_END.sub("", other)), key=len)
    return bool(short) and long.startswith(short) and not full.isdisjoint(other_full)


def whole_name(name: str) -> str:
    """Return the only given name that begins with a listed short form, such as Trevor for Trev, or
    else the name. A name that public lists have as a given name stays."""
    full = [one for one in full_names(name) if one != name]
    is_short = len(full) == 1 and full[0].startswith(name) and len(name) >= MIN_BEGINNING
    return full[0] if is_short and not has_gender(name) else name


@cache
def _listed_genders(language: str) -> dict[str, str]:
    """Map folded given names to the gender for which the lists of a language, or else those of many
    languages, hold them; to "" for both."""
    genders = dict[str, str]()
    for line in gzip.decompress((DATA / "genders.txt.gz").read_bytes()).decode().split("\n"):
        gender, _, names = line.partition(": ")
        genders |= dict.fromkeys(names.split(), gender)
    women, men = ({fold(name) for name in listed_of(language, g)} for g in ("female", "male"))
    genders |= dict.fromkeys(women, "female") | dict.fromkeys(men, "male")
    return genders | dict.fromkeys(women & men, "")


def listed_gender(name: str, language: str) -> str:
    """Return the gender for which public lists hold a given name, or a name that it is short for.

    Args:
        name: A given name, in any case.
        language: The language whose lists count before that of many languages.

    Returns:
        "female" or "male"; "" if the lists do not have the name, or have it for both.
    """
    genders = _listed_genders(language)
    if (own := genders.get(fold(name))) is not None:
        return own
    full = {genders.get(fold(full), "") for full in full_names(bare_word(name))}
    return next(iter(full - {""})) if len(full - {""}) == 1 else ""


def has_gender(name: str) -> bool:
    """Return whether the public lists of many languages hold a given name."""
    return fold(name) in _listed_genders("en")


def _case(text: str) -> str:
    letters = [c for c in text if c.isalpha()]
    if text.upper() == text.lower():
        return "title"  # a script without capitals
    if len(letters) > 1 and text.upper() == text:
        return "upper"
    return "lower" if text.lower() == text and letters else "title"


def bare_word(text: str) -> str:
    """Return a word in lower case without Latin, Greek and Cyrillic accents: maria for María."""
    bare = text.strip(" .,").casefold().translate(_APOSTROPHES)
    if bare.isascii():
        return bare
    parts = (c for c in unicodedata.normalize("NFD", bare) if not "\u0300" <= c <= "\u036f")
    return unicodedata.normalize("NFC", "".join(parts))


def is_initial(part: str) -> bool:
    """Return whether a part is an initial, such as "M", "M." or "J.R."."""
    return _INITIAL.fullmatch(part) is not None


def fold(word: str) -> str:
    """Return a name as mail addresses write it: Müller equals Mueller, O'Brien equals obrien."""
    bare = other_letters(bare_word(word))
    is_letter = str.islower if bare.isascii() else str.isalpha
    return _DIGRAPHS.sub(r"\1", "".join(filter(is_letter, bare)))


def other_letters(word: str) -> str:
    """Replace letters that are not accented Latin letters, such as æ, by plain letters."""
    return word.translate(_OTHER_LETTERS)


def in_plain_letters(name: str) -> str:
    """Return the Latin letters of a name, in lower case, without accents."""
    return re.sub(r"[^a-z]", "", other_letters(bare_word(name)))


def family_of(last: str) -> str:
    """Return the last word of a family name, folded, which all forms of the name share."""
    return fold(last_word(last))


def is_family(name: str) -> bool:
    """Return whether public lists have a name only as a family name."""
    return builtin_lexicon().of(name.title()) & NAMES == {"surname"}


@dataclass
class Person:
    """A person as a document names them, in lower case. number: persons with more complete mentions
    come first. genders: genders that the words beside mentions show. called: given names that
    mentions have, the first and its short forms. families: family names that mentions have, the
    last and double names with it."""

    number: int
    first: str = ""
    last: str = ""
    generation: str = ""
    roles: set[str] = field(default_factory=set)
    genders: set[str] = field(default_factory=set)
    called: set[str] = field(default_factory=set)
    families: set[str] = field(default_factory=set)
    middle: str = ""

    @property
    def gender(self) -> str:
        """The only gender that words beside mentions show, or ""."""
        return next(iter(self.genders)) if len(self.genders) == 1 else ""

    def fits(self, form: Form) -> bool:
        """Return whether a mention may be of this person, since no part of it contradicts that."""
        names = form.names
        if self.generation and form.generation not in ("", self.generation):
            return False
        if not names:
            return not (self.first or self.last or self.generation)
        same_last = any(_is_same_family(names[-1], own) for own in self.families or {self.last})
        if len(names) > 1:
            starts = {self.last[:1], last_word(self.last)[:1]}
            last_initial = is_initial(names[-1]) and names[-1][0] in starts
            short, long = sorted((self.first, names[0]), key=len)
            initial = is_initial(short) and short[:1] == long[:1]
            if initial and last_initial:  # J.K. of John Kelly
                return all(map(is_initial, names))
            return (same_last or last_initial) and (initial or self.is_called(names[0]))
        return bool(names[0]) and (
            self.is_called(names[0]) or (same_last and self._has_role(form.roles))
        )

    def is_called(self, name: str) -> bool:
        """Return whether a given name is the person's, or the names may be short for each other."""
        return bool(name) and any(are_alike(name, own) for own in self.called or {self.first})

    def take(self, form: Form) -> None:
        """Add what a mention of this person shows. The full given name is before its short form."""
        self.roles |= form.roles
        self.generation = self.generation or form.generation
        given = form.names[0] if form.names else ""
        if len(form.names) > 1 and not is_initial(form.names[-1]):
            self.families.add(form.names[-1])
        if len(form.names) == 3 and not (self.middle or is_initial(form.names[1])):
            self.middle = form.names[1]
        is_given = len(form.names) > 1 or (self.first and self.is_called(given))
        if given and is_given and not is_initial(given):
            self.called.add(given)
            if self.first != given and given in full_names(self.first):
                self.first = given

    def _has_role(self, roles: frozenset[str]) -> bool:
        """Return whether roles may be the person's; a given name without a role is no doctor's."""
        if self.first and "doctor" in roles and not self.roles:
            return False
        return not (self.roles and roles) or bool(self.roles & roles)


def _is_same_family(one: str, other: str) -> bool:
    """Return whether family names differ only in particles, or in one of two names."""
    short, long = sorted((one, other), key=len)
    if short == long or not short:
        return short == long
    return long.endswith((f" {short}", f"-{short}")) or long.startswith(f"{short}-")


def persons(forms: Sequence[Form], apart: Mapping[int, Collection[int]] = NONE) -> list[Person]:
    """Return the person of each mention. More complete mentions are read first, and among equally
    complete ones doctors last; a single name belongs to the first person that has it, and to one
    with a short form of it only if none has it.

    Persons are indexed by the keys of all mentions that may fit them, so that a mention in a text
    with thousands of names is not compared with each person.

    Args:
        forms: The forms of the mentions.
        apart: Mentions that are of other persons than a mention.
    """
    under: dict[tuple[str, ...], dict[int, Person]] = defaultdict(dict)
    of: dict[int, Person] = {}
    count = 0

    def order(i: int) -> tuple[int, bool, bool]:
        complete = 2 * sum(2 - is_initial(part) for part in forms[i].parts)
        is_doctor = "doctor" in forms[i].roles
        return -complete - bool(forms[i].generation), not forms[i].titles, is_doctor

    for i in sorted(range(len(forms)), key=order):
        form, others = forms[i], {id(of.get(other)) for other in apart.get(i, ())}
        candidates = (person for key in _keys_of_form(form) for person in under[key].values())
        person = next((p for p in candidates if id(p) not in others and p.fits(form)), None)
        if person is None:
            person = _person_of(count, form)
            count += 1
        person.take(form)
        for key in _keys_of_person(person):
            under[key][person.number] = person
        of[i] = person
    return [of[i] for i in range(len(forms))]


def _keys_of_form(form: Form) -> Iterator[tuple[str, ...]]:
    """Yield the keys of persons that a mention may fit; those with its very name come first, and
    among them those with its role."""
    names = form.names or ("",)
    lasts = last_words(names[-1])
    if len(names) == 1:
        for last in lasts:
            yield from ((last, "is", role) for role in sorted(form.roles))
            yield last, "is"
        yield from ((last, role) for last in lasts for role in sorted(form.roles))
        yield from ((full,) for full in sorted(full_names(lasts[0])))
    elif is_initial(names[0]):
        for last in lasts:
            yield names[0][0], "*", last[:1] if is_initial(names[-1]) else last
    else:
        for full in sorted(full_names(names[0])):
            yield from ((full, "", last) for last in lasts)
            if is_initial(names[-1]):
                yield full, "*", names[-1][0]
        yield from ((names[0][:1], "", last) for last in lasts)


def _keys_of_person(person: Person) -> Iterator[tuple[str, ...]]:
    lasts = sorted({word for name in (person.last, *person.families) for word in last_words(name)})
    called = {person.first, *person.called}
    full = {name for one in called for name in full_names(one)}
    for exact in {*lasts, *map(last_word, called)}:
        yield exact, "is"
        yield from ((exact, "is", role) for role in person.roles)
    for single in {*lasts, *map(last_word, full)}:
        yield (single,)
        yield from ((single, role) for role in person.roles)
    for last in lasts:
        for name in full:
            yield name, "", last
            yield name, "*", last[:1]
        yield person.first[:1], "*", last
        yield person.first[:1], "*", last[:1]


def last_word(name: str) -> str:
    """Return the last word of a name, which all forms of the name share."""
    return _HYPHEN.split(name)[-1]


def last_words(name: str) -> list[str]:
    """Return the last word of a name, and before a hyphen or in two family names each word."""
    if " " not in name and "-" not in name:
        return [name]
    *words, last = _HYPHEN.split(name)
    return [last, *(word for word in words if word not in PARTICLES)]


def _person_of(number: int, form: Form) -> Person:
    names = form.names
    if len(names) > 1:
        return Person(number, names[0], names[-1])
    single = names[0] if names else ""
    if form.titles - KIN or ((" " in single or is_family(single)) and not is_first_name(single)):
        return Person(number, "", single)
    return Person(number, single, "")


def name_classes(word: str) -> frozenset[str]:
    """Return the classes of a word in public lists, among "first_name" and "surname"."""
    if len(word) < 3:
        return frozenset()
    lexicon = builtin_lexicon()
    return lexicon.of(word.capitalize()) & NAMES or lexicon.of(fold(word).capitalize()) & NAMES


def write(
    form: Form,
    name: DrawnName,
    person: Person,
    middles: Sequence[str],
    families: Mapping[str, str] = NO_FAMILIES,
) -> str:
    """Write the surrogate in the form of the mention. middles: names for the parts between the
    first and the last; if empty, all of them become the drawn middle name. families: surrogates of
    first family names of persons with two, by their bare words."""
    first, middle, last = name
    drawn = [first, *(middles or [middle] * (len(form.parts) - 2)), last]
    if len(form.parts) < 2:
        is_last = person.last and not person.is_called((form.names or ("",))[0])
        drawn = [last if is_last else first]
    if families and form.parts:
        start = len(form.parts) > 1  # the first of several parts is a given name
        new = (_with_first(*pair, families) for pair in zip(form.parts, drawn, strict=True))
        drawn = drawn[:start] + [*new][start:]
    pairs = zip(form.parts or ("",), drawn, strict=True)
    written = [
        part[0] + "." * (not form.glued or "." in old)
        if is_initial(old)
        else particles_of(old) + part
        for old, part in pairs
    ]
    if form.glued:
        text = f"{''.join(written[:-1])}{form.particles}{written[-1]}"
    elif form.inverted and written[1:]:
        text = f"{written[-1]}{form.mark} {' '.join(written[:-1])}"
    else:
        text = " ".join(written)
    text = " ".join(filter(None, [form.title, text, form.suffix])) + form.owner
    return {"upper": text.upper(), "lower": text.lower()}.get(form.case, text)


def _with_first(old: str, new: str, families: Mapping[str, str]) -> str:
    """Return the surrogate of a family name, of two names with that of the first before it."""
    words = bare_word(old).split()
    if not words or words[0] not in families:
        return new
    first = families[words[0]]
    return f"{first} {new}" if words[1:] else first


def user_words(
    first: str, last: str, surrogate: DrawnName, with_particles: str = ""
) -> dict[str, str]:
    """Map each word of the person's user names to its surrogate: john to mary, jdoe to mmiller.

    Args:
        first: The given name, folded.
        last: The last word of the family name, folded.
        surrogate: The drawn name.
        with_particles: The whole family name, folded.
    """
    new_first, new_last = map(in_plain_letters, surrogate[::2])
    initials = {last[:1]: new_last[:1], first[:1]: new_first[:1]}
    firsts = {first: new_first, first[:1]: new_first[:1]}
    lasts = {last: new_last, with_particles: new_last, last[:1]: new_last[:1]}
    becomes = {first: new_first, last: new_last, with_particles: new_last}
    for (name, new_name), (family, new_family) in product(firsts.items(), lasts.items()):
        if name and family and len(name) + len(family) > 2:
            # Joined names are folded again: aerwin is a mail address of A. Erwin.
            becomes[fold(name + family)] = new_name + new_family
            becomes[fold(family + name)] = new_family + new_name
    return {old: word for old, word in (becomes | initials).items() if old}


@dataclass
class UserNames:
    """The words of user names of persons. drawn: surrogates by Person.number."""

    persons: Sequence[Person | None]
    drawn: Mapping[int, DrawnName]

    @cached_property
    def by_word(self) -> Mapping[str, Sequence[Mapping[str, str]]]:
        """The user_words of each person by each of these words; those with short forms and parts of
        the names come last. Most documents have no user name to ask for them."""
        by_word: dict[str, list[Mapping[str, str]]] = defaultdict(list)
        looser = list[Mapping[str, str]]()
        for person in {person.number: person for person in self.persons if person}.values():
            first, last, name = (
                fold(person.first),
                family_of(person.last),
                self.drawn[person.number],
            )
            becomes = user_words(first, last, name, fold(person.last))
            looser.append(_other_user_words(person, name) | becomes)
            for word in becomes:
                by_word[word].append(becomes)
        for words_of_person in looser:
            for word in words_of_person:
                by_word[word].append(words_of_person)
        return by_word


def _other_user_words(person: Person, surrogate: DrawnName) -> dict[str, str]:
    """Map further words of a person's user names to those of the surrogate: short forms and the
    beginnings of the given name, two given names, one of two family names."""
    first, last, middle = fold(person.first), family_of(person.last), fold(person.middle)
    new_first, new_middle, new_last = map(in_plain_letters, surrogate)
    beginnings = (first[:size] for size in range(MIN_BEGINNING, len(first) - MIN_REST + 1))
    becomes = {begin: new_first for begin in beginnings if not has_gender(begin)}
    for name in _all_forms(person):
        becomes |= {name: new_first, name + last: new_first + new_last}
    for family in (
        person.families | {person.middle} if is_family(person.middle) else person.families
    ):
        words = map(fold, last_words(family)) if " " in family or "-" in family else (fold(family),)
        for word in (fold(family), *words):
            becomes |= {word: new_last, first + word: new_first + new_last}
            becomes[first[:1] + word] = new_first[:1] + new_last
    initials = [word[0] for word in _HYPHEN.split(person.first) if word]
    if len(initials) > 1:
        becomes["".join(initials)] = new_first[:1]
    if first and middle and not is_family(person.middle) and new_middle != new_first:
        becomes[first + middle] = new_first + new_middle
        becomes[middle] = new_middle
        becomes[first[:1] + middle[:1]] = new_first[:1] + new_middle[:1]
    return {old: word for old, word in becomes.items() if len(old) > 1}


def _all_forms(person: Person) -> set[str]:
    """Return the given name of a person, its short forms and what they are short for, folded."""
    names = {person.first, *person.called}
    full = {name for one in names for name in full_names(one)}
    return {fold(name) for name in full.union(*(_short_forms().get(one, ()) for one in names))}


@cache
def _short_forms() -> dict[str, frozenset[str]]:
    """Map each given name to its short forms, in lower case."""
    short_of: dict[str, set[str]] = defaultdict(set)
    for short, full in _short_names().items():
        for name in full:
            short_of[name].add(short)
    return {name: frozenset(short) for name, short in short_of.items()}
