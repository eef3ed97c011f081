"""Parses the form in which a mention writes a person's name, writes surrogates in that form, and
groups the mentions of a document by person."""

from __future__ import annotations

import gzip
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product

from ..about import DATA
from ..entities.tables import NAMES, is_first_name, listed, listed_of, sections, words
from ..entities.words import builtin_lexicon
from ..text.mentions import MIN_GLUED_LETTERS, QUOTES
from .base import Mention

TITLES, PARTICLES = words("NAME_TITLES"), words("NAME_PARTICLES")
KIN = words("KIN_TITLES")
_GENDER_LINKS, _GENDER_ENDS = words("GENDER_LINKS"), words("GENDER_ENDS")
# Roles tell persons of one surname apart: mentions with different roles are of different persons.
_ROLES = {
    "man": "mr mister sir herr senor monsieur".split(),
    "woman": "mrs ms miss madam lady frau senora madame".split(),
    "doctor": "dr doctor prof professor md phd do mbbs frcs mrcs frcp mrcp frca dds".split(),
}
ROLE = {word: role for role, titles in _ROLES.items() for word in titles}
GENERATIONS = frozenset("jr sr ii iii iv".split())
SUFFIXES = GENERATIONS | words("AFTER_NAMES")
_IRISH = frozenset({"Ó", "ó", "O’", "O'"})  # particles that look like initials
ALSO_GIVEN = frozenset("al ben".split())  # particles that are given names at the beginning
# A possessive ending, or the full stop of "Jan." and "Jr.", which may end a sentence.
_OWNER = re.compile(r"(['’]s?|(?<=[^\W\d_]{2})\.)$")
_INITIAL = re.compile(r"[^\W\d_]\.?|(?:[^\W\d_]\.)+")
_DIGRAPHS = re.compile("([aou])e")
_PRONOUN = re.compile(r"\w+|[.!?\n]")
_PRONOUNS = frozenset("he himself she herself elle él ella hij".split())
_WORD_OR_MARK = re.compile(r"\w+(?:[.-]\w+)*\.?|[^\w\s]")
_MARKS = frozenset(",:'’(*")  # that may stand between a word for kin and a name
# Kim Lee (her husband); Kim Lee, wife of Jo; Kim Lee is a woman of 62.
_IN_BRACKETS = re.compile(r"\s*\((?:\w+\s)?([\w-]+)\)")
_KIN_OF = re.compile(r"\s*,\s*(?:\w+\s)?([\w-]+)\s(?:of|von|der|des|de|du|di|della|van)\b")
_IS_A = re.compile(
    r"\s*(?:,|is|was|ist|war|est|était|es|era|è)\s(?:an?|eine?|une?|una|uno|een)((?:\s[\w-]+){1,5})"
)
_HANDLE = re.compile(r"(\w{2,})\.\w{2,}|\S*[@\d_]\S*")
_OTHER_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "æ": "a", "œ": "o", "ı": "i", "ß": "ss"}
)

DrawnName = tuple[str, str, str]  # first, middle, family


@dataclass(frozen=True)
class Form:
    """The form of a mention. title: titles as written. parts: names, the family name with its
    particles last if there are two or more. owner: possessive ending or full stop. inverted:
    "Lopez, Maria". names: parts in lower case, without accents. titles: title words before the
    name. roles: roles that titles and suffix show. generation: "jr", "sr" and the like, or "".
    glued: whether it is initials without blanks."""

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
    names = _initials(parts[0]) if size == 1 else _parts(parts[:size])
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


def _parts(names: list[str]) -> tuple[str, ...]:
    """Join the family name with its particles. A particle at the beginning may be a given name, as
    in "Ben Okafor" and "Della Wright"."""
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
        for name in short.split():
            full_of[bare_word(name)] |= {full, bare_word(name)}
    return {name: frozenset(full) for name, full in full_of.items()}


def full_names(name: str) -> frozenset[str]:
    """Return a name with the given names that it may be a short form of."""
    return _short_names().get(name, frozenset({name}))


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


def _case(text: str) -> str:
    letters = [c for c in text if c.isalpha()]
    if text.upper() == text.lower():
        return "title"  # a script without capitals
    if len(letters) > 1 and text.upper() == text:
        return "upper"
    return "lower" if text.lower() == text and letters else "title"


def bare_word(text: str) -> str:
    """Return a word in lower case without Latin, Greek and Cyrillic accents: maria for María."""
    bare = text.strip(" .,").casefold()
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
    come first. genders: genders that the words beside mentions show."""

    number: int
    first: str = ""
    last: str = ""
    generation: str = ""
    roles: set[str] = field(default_factory=set)
    genders: set[str] = field(default_factory=set)

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
        # Family names are equal if they differ only in particles or the first of two names.
        short, long = sorted((names[-1], self.last), key=len)
        same_last = short == long or (bool(short) and long.endswith((f" {short}", f"-{short}")))
        if len(names) > 1:
            last_initial = is_initial(names[-1]) and self.last.startswith(names[-1][0])
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
        return bool(name) and not full_names(self.first).isdisjoint(full_names(name))

    def _has_role(self, roles: frozenset[str]) -> bool:
        """Return whether roles may be the person's; a given name without a role is no doctor's."""
        if self.first and "doctor" in roles and not self.roles:
            return False
        return not (self.roles and roles) or bool(self.roles & roles)


def read_names(
    mentions: Sequence[Mention], language: str = "en"
) -> tuple[list[Form], list[Person | None]]:
    """Return the form and the person of each mention: None for a mail address or user name.

    Args:
        mentions: The mentions of a document.
        language: Language of the document.
    """
    forms = _owned([form_of(m.text, m.before) for m in mentions])
    full = [*_names_with_nicknames(mentions, forms)]
    forms = _with_initials(forms, full)
    glued = _glued_names(forms)
    pairs = zip(mentions, forms, strict=True)
    named = [i for i, pair in enumerate(pairs) if not _is_user_name(pair[0].text, pair[1], glued)]
    of = dict(zip(named, persons([*(forms[i] for i in named), *full]), strict=False))
    for i, person in of.items():
        person.genders.update(filter(None, [shown_gender(mentions[i], forms[i], language)]))
    return forms, [of.get(i) for i in range(len(mentions))]


def _owned(forms: list[Form]) -> list[Form]:
    """Return the forms with an s as a possessive ending, where the document has the name without it
    and no full name with it: Habermehls of Anna Habermehl."""
    full = {name for form in forms if len(form.names) > 1 for name in form.names}
    names = {name for form in forms for name in form.names}

    def is_owned(form: Form) -> bool:
        if not form.names or form.owner.endswith("s") or form.parts[-1][-1:] != "s":
            return False
        last = form.names[-1]
        is_full = last in full and len(form.names) == 1
        return len(last) > MIN_GLUED_LETTERS and last[:-1] in names and not is_full

    return [_without_s(form) if is_owned(form) else form for form in forms]


def _names_with_nicknames(mentions: Sequence[Mention], forms: list[Form]) -> Iterator[Form]:
    """Yield the full names of John "Jack" Kelly, whose parts are three mentions: with the given
    name, and with the nickname."""
    tails = [mention.tail.strip() for mention in mentions]
    for i in range(len(forms) - 2):
        if tails[i] in QUOTES and tails[i + 1] in QUOTES and len(forms[i + 1].names) == 1:
            family = forms[i + 2]
            for given in forms[i : i + 2]:
                parts, names = given.parts[:1] + family.parts, given.names[:1] + family.names
                yield replace(given, parts=parts, names=names)


def _with_initials(forms: list[Form], further: list[Form]) -> list[Form]:
    """Return the forms with JK as the initials J and K, where the document names a John Kelly.

    further: Full names whose parts are mentions."""
    full = (form.names for form in (*forms, *further) if len(form.names) > 1)
    initials = {"".join(name[:1] for name in names).upper() for names in full}
    return [
        replace(form, parts=(*form.parts[0],), names=(*form.names[0],), glued=True)
        if len(form.parts) == 1 and form.parts[0] in initials and form.parts[0].isalpha()
        else form
        for form in forms
    ]


def _without_s(form: Form) -> Form:
    parts = (*form.parts[:-1], form.parts[-1][:-1])
    names = (*form.names[:-1], form.names[-1][:-1])
    return replace(form, parts=parts, names=names, owner=f"s{form.owner}")


def persons(forms: Sequence[Form]) -> list[Person]:
    """Return the person of each mention. More complete mentions are read first, and among equally
    complete ones doctors last; a single name belongs to the first person that has it.

    Persons are indexed by the keys of all mentions that may fit them, so that a mention in a text
    with thousands of names is not compared with each person.
    """
    under: dict[tuple[str, ...], dict[int, Person]] = defaultdict(dict)
    of: dict[int, Person] = {}
    count = 0

    def order(i: int) -> tuple[int, bool, bool]:
        complete = 2 * sum(2 - is_initial(part) for part in forms[i].parts)
        is_doctor = "doctor" in forms[i].roles
        return -complete - bool(forms[i].generation), not forms[i].titles, is_doctor

    for i in sorted(range(len(forms)), key=order):
        form = forms[i]
        candidates = (person for key in _keys_of_form(form) for person in under[key].values())
        person = next((p for p in candidates if p.fits(form)), None)
        if person is None:
            person = _person_of(count, form)
            count += 1
        person.roles |= form.roles
        person.generation = person.generation or form.generation
        for key in _keys_of_person(person):
            under[key][person.number] = person
        of[i] = person
    return [of[i] for i in range(len(forms))]


def _keys_of_form(form: Form) -> Iterator[tuple[str, ...]]:
    """Yield the keys of persons that a mention may fit; those with its role come first."""
    names = form.names or ("",)
    last = last_word(names[-1])
    if len(names) == 1:
        yield from ((last, role) for role in sorted(form.roles))
        yield from ((full,) for full in sorted(full_names(last)))
    elif is_initial(names[0]):
        yield names[0][0], "*", names[-1][0] if is_initial(names[-1]) else last
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
    yield person.first[:1], "*", last[:1]


def last_word(name: str) -> str:
    """Return the last word of a name, which all forms of the name share."""
    return re.split(r"[ -]", name)[-1]


def _person_of(number: int, form: Form) -> Person:
    names = form.names
    if len(names) > 1:
        return Person(number, names[0], names[-1])
    single = names[0] if names else ""
    if form.titles - KIN or ((" " in single or is_family(single)) and not is_first_name(single)):
        return Person(number, "", single)
    return Person(number, single, "")


@cache
def _gender_words(language: str) -> dict[str, str]:
    """Map titles, words for kin and pronouns of all languages and of one to their gender."""
    genders = dict[str, str]()
    for line in sections("words")["GENDERS"]:
        kind, _, listed_words = line.partition(": ")
        gender, _, of_language = kind.partition(" ")
        if of_language in ("", language):
            genders |= dict.fromkeys(listed_words.split(), gender)
    plain = {bare_word(word): gender for word, gender in genders.items() if "." not in word}
    return plain | genders


def shown_gender(mention: Mention, form: Form, language: str = "en") -> str:
    """Return "male" or "female" if titles, words for kin or pronouns beside a name show it.

    Args:
        mention: The mention and its context.
        form: The form of the mention.
        language: Language of the document, whose words for kin are read.
    """
    genders = _gender_words(language)
    before = f"{mention.lead or mention.before} {form.title}"
    return (
        _gender_before(before, genders)
        or _gender_after(mention.tail, genders)
        or _gender_of_pronoun(mention.tail, genders)
    )


def _gender_before(text: str, genders: Mapping[str, str]) -> str:
    """Return the gender that the words right before a name show: Herrn Prof. Dr.; her husband, ."""
    for word in reversed(_WORD_OR_MARK.findall(text.lower())):
        dotted = word if word.endswith(".") else f"{word}."
        # A full stop ends a sentence, except after an abbreviation.
        if (gender := genders.get(word) or genders.get(dotted)) is not None:
            return gender
        is_title = dotted[:-1] in TITLES or dotted in _foreign_titles()
        if not (is_title or word in _MARKS or word in _GENDER_LINKS):
            break
    return ""


@cache
def _foreign_titles() -> frozenset[str]:
    """Return titles of other languages, in lower case, some with a full stop."""
    return words("TITLES", "foreign")


def _gender_after(text: str, genders: Mapping[str, str]) -> str:
    """Return the gender that an apposition or a predicate shows: (his wife); is a woman of 62."""
    text = text.lower()
    for pattern in (_IN_BRACKETS, _KIN_OF):
        if (match := pattern.match(text)) and match[1] in genders:
            return genders[match[1]]
    match = _IS_A.match(text)
    for word in match[1].split() if match else ():
        if word in _GENDER_ENDS:
            return ""
        if word in genders:
            return genders[word]
    return ""


def _gender_of_pronoun(text: str, genders: Mapping[str, str]) -> str:
    """Return the gender of "he" or "she" in the sentence, or at the beginning of the next one."""
    ended = False
    for word in _PRONOUN.findall(text.lower()):
        if word in _PRONOUNS and word in genders:
            return genders[word]
        if ended:
            break
        ended = word in ".!?\n"
    return ""


def _glued_names(forms: Sequence[Form]) -> set[str]:
    """Return the words that join two names of a person, or an initial and a name: jdoe."""
    full = {(fold(form.names[0]), family_of(form.names[-1])) for form in forms if form.names[1:]}
    glued = set[str]()
    for first, last in full:
        glued |= user_words(first, last, ("", "", "")).keys() - {first, last, first[:1], last[:1]}
    return glued


def _is_user_name(text: str, form: Form, glued: Collection[str]) -> bool:
    """Return whether a mention of a person is a mail address or a user name: it has their marks,
    joins names of the document, or is in lower case and in no list of names."""
    handle = _HANDLE.fullmatch(text)
    if handle and (handle[1] is None or (text.islower() and handle[1] not in TITLES)):
        return True
    if len(form.names) != 1:
        return False
    word = form.parts[0]
    return fold(word) in glued or (word.islower() and word.isalpha() and not name_classes(word))


def name_classes(word: str) -> frozenset[str]:
    """Return the classes of a word in public lists, among "first_name" and "surname"."""
    if len(word) < 3:
        return frozenset()
    lexicon = builtin_lexicon()
    return lexicon.of(word.capitalize()) & NAMES or lexicon.of(fold(word).capitalize()) & NAMES


def write(form: Form, name: DrawnName, person: Person, middles: Sequence[str]) -> str:
    """Write the surrogate in the form of the mention. middles: names for the parts between the
    first and the last; if empty, all of them become the drawn middle name."""
    first, middle, last = name
    drawn = [first, *(middles or [middle] * (len(form.parts) - 2)), last]
    if len(form.parts) < 2:
        is_last = person.last and not person.is_called((form.names or ("",))[0])
        drawn = [last if is_last else first]
    pairs = zip(form.parts or ("",), drawn, strict=True)
    written = [
        part[0] + "." * (not form.glued or "." in old)
        if is_initial(old)
        else particles_of(old) + part
        for old, part in pairs
    ]
    joint = "" if form.glued else " "
    text = (
        f"{written[-1]}, {' '.join(written[:-1])}"
        if form.inverted and written[1:]
        else joint.join(written)
    )
    text = " ".join(filter(None, [form.title, text, form.suffix])) + form.owner
    return {"upper": text.upper(), "lower": text.lower()}.get(form.case, text)


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


def user_names_of(
    persons: Sequence[Person | None], drawn: Mapping[int, DrawnName]
) -> dict[str, list[dict[str, str]]]:
    """Index the user_words of each person by each of these words. drawn: names by Person.number."""
    by_word: dict[str, list[dict[str, str]]] = defaultdict(list)
    for number, person in {person.number: person for person in persons if person}.items():
        first, last = fold(person.first), family_of(person.last)
        becomes = user_words(first, last, drawn[number], fold(person.last))
        for word in becomes:
            by_word[word].append(becomes)
    return by_word
