"""Reads the names of a document in view of each other: a family name first, one of two family
names, the beginning of a given name and a misspelling get the names by which the person is called
in full."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import replace

from .name_forms import (
    KIN,
    MIN_BEGINNING,
    MIN_REST,
    PARTICLES,
    Form,
    fold,
    full_names,
    has_gender,
    is_family,
    is_initial,
    name_classes,
)

MIN_CAPITALS = 3  # letters of a family name in capitals before a given name
MAX_LONGER = 8  # names that begin alike of which one may be a person's
MIN_MISSPELT = 5  # letters of a name that may have one wrong
MIN_LISTED = 7  # letters of a misspelt given name that public lists have

_SPELT = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")  # a name of letters, O'Hara
_MARKED = re.compile(r"['’-]|[aou]e")  # what fold removes
Names = tuple[str, ...]


def unify(forms: Sequence[Form], apart: Container[int] = ()) -> list[Form]:
    """Return the forms of a document with names by which other mentions of the person are found.

    Args:
        forms: The form of each mention.
        apart: Mentions that the text joins to another person of a like name, which stay.
    """
    unified = list(forms)
    if not any(len(form.names) > 1 for form in unified):
        return unified
    unified = _in_order(unified)
    for step in (_spelt_once, _with_whole_family, _well_spelt, _with_whole_given_name):
        after = step(unified)
        if after is not unified:
            pairs = zip(unified, after, strict=True)
            unified = [old if i in apart else new for i, (old, new) in enumerate(pairs)]
    return unified


def _full(forms: Iterable[Form]) -> list[Names]:
    """Return the names of mentions of two parts or more, without initials."""
    return [
        form.names for form in forms if len(form.names) > 1 and not any(map(is_initial, form.names))
    ]


def _givenness(name: str) -> int:
    """Return 1 for a name that public lists have only as a given name, -1 only as a family name."""
    classes = name_classes(name.partition("-")[0]) or name_classes(name)
    return ("first_name" in classes) - ("surname" in classes)


# -- a family name first ---------------------------------------------------------------------------


def _in_order(forms: list[Form]) -> list[Form]:
    """Return the forms with the given name first: KERBRAT Jean-Pierre, and Dupuis Jean where the
    document has Jean Dupuis."""
    place: dict[Names, int] = {}
    for i, form in enumerate(forms):
        place.setdefault(form.names, i)
    return [_turned(form, _family_size(form, place)) for form in forms]


def _family_size(form: Form, place: dict[Names, int]) -> int:
    """Return how many parts at the beginning of a name are the family name; 0 for none."""
    names = form.names
    if len(names) < 2 or form.inverted or any(map(is_initial, names)):
        return 0
    capitals = _leading_capitals(form)
    if capitals and _givenness(names[0]) < 1:
        return capitals
    for size in range(1, len(names)):
        other = (*names[size:], *names[:size])
        if other in place and other != names:
            ahead = _givenness(other[0]) - _givenness(names[0])
            is_unlisted = not any(map(name_classes, names))
            if ahead > 0 or (ahead == 0 and is_unlisted and place[other] < place[names]):
                return size
    return 0


def _leading_capitals(form: Form) -> int:
    """Return the number of parts in capitals before others that are not; 0 if all or none are."""
    size = 0
    while size < len(form.parts) and form.parts[size].isupper():
        size += 1
    rest = form.parts[size:]
    is_first = size and rest and len(form.parts[0]) >= MIN_CAPITALS
    return size if is_first and not any(map(str.isupper, rest)) else 0


def _turned(form: Form, size: int) -> Form:
    """Return a form whose family name is its first parts, with the given names first."""
    if not size:
        return form
    parts, names = ((*some[size:], " ".join(some[:size])) for some in (form.parts, form.names))
    return replace(form, parts=parts, names=names, inverted=True, mark="")


# -- two family names ------------------------------------------------------------------------------


def _with_whole_family(forms: list[Form]) -> list[Form]:
    """Return the forms with the last family name, where the document has a person with two: Rosa
    Martinez and Sra. Martinez of Rosa Martinez Lopez; and Mary Ann of Mary Ann Evans."""
    triples = {triple for names in _full(forms) if (triple := _triple(names))}
    if not triples:
        return forms
    of_pair, of_family, of_middle = (defaultdict[Names, set[Names]](set) for _ in range(3))
    for first, middle, last in triples:
        of_pair[first, middle].add((first, last))
        of_family[middle, last].add((first, last))
        of_middle[middle,].add((first, last))
    others = {name[-1] for name in _full(forms) if name not in of_pair}
    roles = defaultdict[Names, set[str]](set)
    for form in forms:
        if triple := _triple(form.names):
            roles[triple[0], triple[-1]] |= form.roles

    def whole(form: Form) -> Form:
        names = form.names
        if form.inverted:
            return form
        if (person := _only(form, of_pair, roles)) is not None:
            is_given = _givenness(names[1]) > 0
            return _joined(form, names[0]) if is_given else replace(form, names=person)
        if not (names and is_family(names[0])):
            return form
        if (person := _only(form, of_family, roles)) is not None:
            return _joined(form, person[-1])
        person = None if names[0] in others else _only(form, of_middle, roles)
        return form if person is None else replace(form, names=person[-1:])

    return [whole(form) for form in forms]


def _only(
    form: Form, people: Mapping[Names, Collection[Names]], roles: Mapping[Names, Collection[str]]
) -> Names | None:
    """Return the only person whom a mention may be of, by names and by roles."""
    if len(people.get(form.names, ())) != 1:
        return None
    (person,) = people[form.names]
    own = roles.get(person, ())
    is_other = form.roles.isdisjoint(own) if own else "doctor" in form.roles
    return None if form.roles and is_other else person


def _triple(names: Names) -> Names:
    """Return a given name and two further names; () for fewer or more."""
    if not 2 <= len(names) <= 3 or len(names) + names[-1].count(" ") != 3:
        return ()
    words = tuple(word for name in names for word in name.split() if word not in PARTICLES)
    return words if len(words) == 3 else ()


def _joined(form: Form, name: str) -> Form:
    """Return a form as one part, which has a name."""
    return replace(form, parts=(" ".join(form.parts),), names=(name,))


# -- spellings ----------------------------------------------------------------------------------


def _spelt_once(forms: list[Form]) -> list[Form]:
    """Return the forms with one spelling of names that differ in marks: O'Hara and OHara."""
    spelt: dict[str, str] = {}
    first: dict[str, str] = {}  # spelling of each folded name
    for name in {name: None for form in forms for name in form.names}:
        if len(name) >= MIN_MISSPELT and _SPELT.fullmatch(name):
            folded = fold(name) if _MARKED.search(name) or not name.isascii() else name
            if first.setdefault(folded, name) != name:
                spelt[name] = first[folded]
    if not spelt:
        return forms
    return [
        replace(form, names=tuple(spelt.get(name, name) for name in form.names)) for form in forms
    ]


def _well_spelt(forms: list[Form]) -> list[Form]:
    """Return the forms with the spelling that the document has elsewhere, for a name that occurs
    once, with the same given or family name and one letter wrong."""
    full = Counter((names[0], names[-1]) for names in _full(forms))
    of_first, of_last = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for first, last in full:
        of_first[first].append(last)
        of_last[last].append(first)
    if len(of_first) == len(of_last) == len(full):
        return forms
    count = Counter(name for form in forms for name in form.names)
    for end, group, is_wrong in ((-1, of_first, _is_wrong_family), (0, of_last, _is_wrong_given)):
        spelt: dict[tuple[str, str], str] = {}
        for shared, names in group.items():
            alike = _index(names) if len(names) > 1 else {}
            for name in reversed(names) if alike else ():
                if count[name] > 1 or not name.isalpha():
                    continue
                others = {other for key in _shortened(name) for other in alike[key]} - {name}
                right = (other for other in others if (shared, other) not in spelt)
                near = [other for other in right if is_wrong(name, other)]
                if len(near) == 1:
                    spelt[shared, name] = near[0]
        forms = [_respelt(form, end, spelt) for form in forms] if spelt else forms
    return forms


def _index(names: Iterable[str]) -> dict[str, list[str]]:
    """Map names, also without any one of their letters, to the names. Two that are one edit apart
    are together under one key, so that names of a long list are not compared with each other."""
    index = defaultdict[str, list[str]](list)
    for name in names:
        for key in _shortened(name):
            index[key].append(name)
    return index


def _shortened(name: str) -> set[str]:
    return {name, *(name[:i] + name[i + 1 :] for i in range(len(name)))}


def _respelt(form: Form, end: int, spelt: dict[tuple[str, str], str]) -> Form:
    names = form.names
    if len(names) < 2 or not (right := spelt.get((names[-1 - end], names[end]))):
        return form
    return replace(form, names=(*names[:-1], right) if end else (right, *names[1:]))


def _is_wrong_family(name: str, other: str) -> bool:
    """Return whether a family name that no public list has misspells another."""
    is_known = "surname" in name_classes(name)
    return not is_known and len(name) >= MIN_MISSPELT and is_one_edit(name, other)


def _is_wrong_given(name: str, other: str) -> bool:
    """Return whether a given name misspells another: no list has it, or it is long, and has the
    consonants and the end of the other."""
    if not is_one_edit(name, other):
        return False
    if not ("first_name" in name_classes(name) or has_gender(name)):
        return len(name) >= MIN_MISSPELT
    is_long = min(len(name), len(other)) >= MIN_LISTED
    return is_long and name[-1] == other[-1] and _sound(name) == _sound(other)


def _sound(name: str) -> str:
    return "".join(c for c in name if c not in "aeiouyh")


def is_one_edit(one: str, other: str) -> bool:
    """Return whether one letter is changed, missing or added, or two neighbours change places."""
    if one == other or abs(len(one) - len(other)) > 1:
        return False
    start = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), -1)
    start = min(len(one), len(other)) if start < 0 else start
    a, b = one[start:], other[start:]
    return a[1:] == b[1:] or a == b[1:] or a[1:] == b or (a[1::-1] == b[:2] and a[2:] == b[2:])


# -- the beginning of a given name -----------------------------------------------------------------


def _with_whole_given_name(forms: list[Form]) -> list[Form]:
    """Return the forms with a given name of the document that begins with theirs: Kev of Kevin
    Hart. A name that public lists have as a given name of its own is no beginning of another."""
    full = [(names[0], names[-1]) for names in _full(forms)]
    lasts_of = defaultdict[str, set[str]](set)
    for first, last in full:
        lasts_of[first].add(last)
    firsts, families = sorted(lasts_of), {last for _, last in full}

    def whole(form: Form) -> Form:
        name = form.names[0] if form.names else ""
        if not _is_beginning(form, name) or (len(form.names) == 1 and name in lasts_of):
            return form
        last = form.names[-1] if len(form.names) > 1 else ""
        is_other = name in families or not lasts_of.keys().isdisjoint(full_names(name) - {name})
        longer = [] if is_other else _longer(name, firsts)
        longer = [first for first in longer if not last or last in lasts_of[first]]
        return replace(form, names=(longer[0], *form.names[1:])) if len(longer) == 1 else form

    return [whole(form) for form in forms]


def _is_beginning(form: Form, name: str) -> bool:
    """Return whether the first part of a mention may be the beginning of a given name."""
    if len(name) < MIN_BEGINNING or not name.isalpha() or form.titles - KIN:
        return False
    return not (has_gender(name) or is_family(name))


def _longer(name: str, names: Sequence[str]) -> list[str]:
    """Return the names, of a sorted list, that begin with a name and are longer."""
    longer, i = list[str](), bisect_left(names, name)
    while i < len(names) and names[i].startswith(name) and len(longer) < MAX_LONGER:
        longer += [names[i]] * (len(names[i]) - len(name) >= MIN_REST)
        i += 1
    return longer
