"""Reads the names of a document: the form of each mention, and the person that it is of."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from ..entities.foreign import is_of_family
from ..entities.tables import words
from ..text.mentions import MIN_GLUED_LETTERS, QUOTES
from .base import Mention
from .name_forms import (
    KIN,
    PARTICLES,
    TITLES,
    Form,
    Person,
    are_alike,
    bare_word,
    family_of,
    fold,
    form_of,
    has_gender,
    is_family,
    is_initial,
    last_word,
    name_classes,
    persons,
    user_words,
)
from .name_genders import gender_of_pronoun, gender_words, genders_beside
from .unified_names import unify

_HANDLE = re.compile(r"(\w{2,})\.\w{2,}|\S*[@\d_]\S*")
# Words that join two persons.
_JOINING = frozenset("and & und et y e en".split())
MAX_BETWEEN = 6  # words and marks before a second person: 's mother
_BETWEEN = re.compile(r"[^\W\d_]+|[^\w\s]")
_WORD = re.compile(r"[^\W\d_]+")
_ROLE_OF = {"male": "man", "female": "woman"}


def read_names(
    mentions: Sequence[Mention], language: str = "en"
) -> tuple[list[Form], list[Person | None]]:
    """Return the form and the person of each mention: None for a mail address or user name.

    Args:
        mentions: The mentions of a document.
        language: Language of the document.
    """
    forms = _owned([_titled(form_of(m.text, m.before), m, language) for m in mentions])
    apart = _joined(mentions, forms, language)
    every = unify([*forms, *_names_with_nicknames(mentions, forms)], apart)
    full = every[len(forms) :]
    forms = _with_initials(every[: len(forms)], full)
    genders = genders_beside(mentions, forms, language)
    forms = [_of_gender(form, gender) for form, gender in zip(forms, genders, strict=True)]
    glued = _glued_names(forms)
    pairs = zip(mentions, forms, strict=True)
    named = [i for i, pair in enumerate(pairs) if not _is_user_name(pair[0].text, pair[1], glued)]
    of_named = {i: place for place, i in enumerate(named)}
    apart = {
        of_named[i]: [of_named[other] for other in others if other in of_named]
        for i, others in apart.items()
        if i in of_named
    }
    of = dict(zip(named, persons([*(forms[i] for i in named), *full], apart), strict=False))
    for i, person in of.items():
        gender = genders[i] or gender_of_pronoun(mentions[i].tail, language)
        person.genders.update(filter(None, [gender]))
    _share_genders({person.number: person for person in of.values()}.values())
    return forms, [of.get(i) for i in range(len(mentions))]


def _titled(form: Form, mention: Mention, language: str) -> Form:
    """Return the form of one name with the title of another language before it that says that it is
    a family name: Abel of Rechtsanwalt Abel."""
    before = mention.lead.split()[-1:]
    if language == "en" or len(form.names) != 1 or not any(map(is_of_family, before)):
        return form
    return replace(form, titles=form.titles.union(map(bare_word, before)))


def _share_genders(people: Collection[Person]) -> None:
    """Add the gender that is shown of a given name to persons of that name of whom none is: Blythe
    Delaney of the sister Blythe Russell."""
    shown: dict[str, set[str]] = defaultdict(set)
    for person in people:
        shown[person.first] |= person.genders
    for person in people:
        if not person.genders and len(shown[person.first]) == 1:
            person.genders |= shown[person.first]


def _of_gender(form: Form, gender: str) -> Form:
    """Return a form with the role of a man or a woman, if words beside the name show it."""
    return replace(form, roles=form.roles | {_ROLE_OF[gender]}) if gender else form


def first_families(forms: Sequence[Form]) -> set[str]:
    """Return the first family names of persons with two, in lower case, in a Spanish document:
    zabaleta of Fermín Zabaleta Ochoa; not José of María José Ochoa."""
    names = {form.names[-2] for form in forms if len(form.names) > 2 and not form.inverted}
    return {name for name in names if _is_first_family(name)}


def _is_first_family(name: str) -> bool:
    is_listed = name in _spanish_families() or is_family(name)
    return not is_initial(name) and (is_listed or not has_gender(name))


@cache
def _spanish_families() -> frozenset[str]:
    """Return frequent family names of Spanish, of which some are given names, without accents."""
    return frozenset(map(bare_word, words("SURE_SURNAMES es", "foreign")))


def _joined(
    mentions: Sequence[Mention], forms: Sequence[Form], language: str
) -> dict[int, list[int]]:
    """Map mentions to those of other persons, although their names are alike: Bob Hale and (his
    brother) Robert Hale, Mia Hale's mother Maria Hale, Rosa Ruiz and Rosa Ruiz Gil."""
    apart: dict[int, list[int]] = defaultdict(list)
    kin = gender_words(language)
    for i in range(len(forms) - 1):
        one, other = forms[i].names, forms[i + 1].names
        are_full = min(len(one), len(other)) > 1
        is_apart = one and other and one[0] != other[0] and are_alike(one[0], other[0])
        if one == other or not (are_full or is_apart):
            continue
        if _joins(mentions[i].tail, kin, are_full=are_full):
            apart[i].append(i + 1)
            apart[i + 1].append(i)
    return apart


def _joins(text: str, kin: Collection[str], *, are_full: bool) -> bool:
    """Return whether a text between two names shows that they are of two persons."""
    marks = [mark for mark in _BETWEEN.findall(text.lower()) if mark != ","]
    if not marks:
        return are_full and "," in text
    last = marks[-1]
    is_kin = (
        len(marks) < MAX_BETWEEN and last in kin and last not in TITLES - KIN and "." not in marks
    )
    return is_kin or (marks[0] in _JOINING and len(marks) == 1)


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
    """Return the forms with JK as the initials J and K, where the document names a John Kelly, and
    with YLG as Y, G and a particle's L, where it names a Yann Le Goff.

    further: Full names whose parts are mentions."""
    if not any(len(form.parts) == 1 and form.parts[0].isupper() for form in forms):
        return forms
    full = {form.names: None for form in (*forms, *further) if len(form.names) > 1}
    initials: dict[str, _Initials] = {}
    for names in reversed(full):
        initials |= _initials_of(names)

    def spelt(form: Form) -> Form:
        text = form.parts[0] if len(form.parts) == 1 else ""
        if text not in initials or not text.isalpha():
            return form
        letters = initials[text]
        return replace(
            form,
            parts=letters.parts,
            names=letters.names,
            glued=True,
            particles=letters.particles,
        )

    return [spelt(form) for form in forms]


class _Initials(NamedTuple):
    """The initials of a name as parts and names of a Form, and those of particles."""

    parts: tuple[str, ...]
    names: tuple[str, ...]
    particles: str = ""


def _initials_of(names: Sequence[str]) -> dict[str, _Initials]:
    """Return the initials of a full name by how they may be written: YG, YL and YLG of Yann Le
    Goff, PO, PN and PON of Padraig O'Neill."""
    family = _WORD.findall(names[-1]) or [names[-1]]
    first, last = [name[:1] for name in names[:-1]], last_word(names[-1])[:1]
    inner = [word[0] for word in family[:-1]]
    is_inner = all(word in PARTICLES for word in family[:-1])
    written = {}
    for end, particles in ((inner, inner * is_inner), ([], [])):
        letters = "".join((*first, *end, family[-1][0])).upper()
        parts = tuple("".join((*first, family[-1][0])).upper())
        written[letters] = _Initials(parts, (*first, last), "".join(particles).upper())
    letters = "".join((*first, names[-1][:1])).upper()
    return {letters: _Initials(tuple(letters), (*first, last))} | written


def _without_s(form: Form) -> Form:
    parts = (*form.parts[:-1], form.parts[-1][:-1])
    names = (*form.names[:-1], form.names[-1][:-1])
    return replace(form, parts=parts, names=names, owner=f"s{form.owner}")


def _glued_names(forms: Sequence[Form]) -> set[str]:
    """Return the words that join two names of a person, or an initial and a name: jdoe. Only single
    names are looked up in them."""
    if all(len(form.names) != 1 for form in forms):
        return set()
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
