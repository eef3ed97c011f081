"""Entities of a Doc as one list: what several recognisers found is merged, labels of all makes are
read alike, and what is found once is found wherever it is mentioned again."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

import numpy as np
from spacy.attrs import IS_ALPHA, LOWER
from spacy.lang.en.stop_words import STOP_WORDS
from spacy.tokens import Doc

from ..arrays import Bools1d
from ..space import Space

Entity = tuple[str, int, int]  # label, first token, token after the last

# Labels of other recognisers -> the one that stands for them all. Compared by `plain_label`.
_SAME = {
    "PERSON": "per person name fullname firstname lastname surname givenname middlename patient "
    "doctor staff hcw patientname doctorname username perderiv",
    "GPE": "gpe loc location geo place city state country county town region province fac facility "
    "stateorprovince",
    "ADDRESS": "address streetaddress street zip zipcode postalcode postcode buildingnumber "
    "secondaryaddress locationother",
    "ORG": "org organization organisation company companyname hospital corporation vendor "
    "institution",
    "DATE": "date datetime tim dateofbirth dob age",
    "TIME": "time",
    "EMAIL": "email emailaddress mail",
    "PHONE": "phone phonenumber telephone telephonenumber fax faxnumber mobile mobilephonenumber "
    "landlinephonenumber",
    "URL": "url domainname website web uri",
    "ID": "id idnum creditcard creditcardnumber creditdebitcard iban ibancode bankaccountnumber "
    "bankaccount accountnumber usssn ssn socialsecuritynumber usbanknumber usdriverlicense "
    "driverslicense driverslicensenumber uspassport passport passportnumber usitin uknhs uknino "
    "medicalrecordnumber medicalrecord medicallicense mrn crypto ip ipaddress ipaddressipv4 "
    "macaddress healthinsuranceidnumber healthplan licenseplate vehicleidentifier account device "
    "bioid taxid nationalid identificationnumber",
    "NORP": "nrp norp nationality",
}
CANONICAL = {name: label for label, names in _SAME.items() for name in names.split()}
# What is known by its value alone, not by being this person's or place's: looked for as it is.
WHOLE = frozenset({"ORG", "GPE", "EMAIL", "PHONE", "URL", "ID"})
PIECE = re.compile(r"[^\W\d_]{2,}")
SHORTEST = 2  # letters of a part of a name; initials are nobody's
GLUED = 4  # letters of a part that is looked for within longer words, as in an address of mail
_SMALL = frozenset(
    "de del della di da do dos das du la le las los van von der den ter ten bin bint ibn al el ben "
    "abu af av st ap mac mc jr sr ii iii iv esq mr mrs ms miss dr prof mx sir md phd rn np pa do "
    "dds the of and".split()
)
# What stands before an adjective; and what makes a form of "be" introduce somebody.
_BEFORE_ADJECTIVES = frozenset(
    "a an the my your his her its our their this that these those no very so too quite rather more "
    "most as how really".split()
)
_BE = frozenset("is was are were am be been being 's ’s 're ’re 'm ’m".split())
_INTRODUCING = frozenset("this it that here there name who i".split())


@lru_cache(maxsize=1024)
def plain_label(label: str) -> str:
    """PER, I-PER, person, PATIENT_NAME -> PERSON, and so on; a label that none knows stays."""
    bare = re.sub(r"^[BILUS]-", "", label)
    return CANONICAL.get(re.sub(r"[\W_]", "", bare).lower(), label)


def united(spans: Iterable[Entity]) -> list[Entity]:
    """The union of spans that overlap, under the label of the longest, the first of equal ones.
    Spans that only touch stay apart."""
    groups: list[list[Entity]] = []
    end = -1
    for label, first, last in sorted(spans, key=lambda s: (s[1], -s[2])):
        if first >= end:
            groups.append([])
        groups[-1].append((label, first, last))
        end = max(end, last)
    found = []
    for group in groups:
        longest = max(group, key=lambda s: s[2] - s[1])
        found.append((longest[0], group[0][1], max(last for _, _, last in group)))
    return found


def mentions(doc: Doc, known: list[Entity]) -> list[Entity]:
    """Where entities are mentioned once more: any part of a person's name, in any case, possessive
    or within another word; organisations, places and numbers as a whole. `known` has no overlaps,
    and nothing of it is given again."""
    taken = np.zeros(len(doc), dtype=bool)
    for _, first, last in known:
        taken[first:last] = True
    runs = _runs(places_of(doc, name_parts(doc, known), taken), taken)
    return [*(("PERSON", *run) for run in runs), *_wholes(doc, known, taken)]


def places_of(doc: Doc, parts: dict[str, bool], taken: Bools1d) -> list[int]:
    """The tokens outside of `taken` that mention one of these parts of names."""
    if not parts:
        return []
    ids = np.array([doc.vocab.strings.add(part) for part in parts], dtype=np.uint64)
    lower, alpha = doc.to_array([LOWER, IS_ALPHA]).T
    # By sorting: tables of older numpy do not hold hashes.
    maybe = (np.isin(lower, ids, kind="sort") | (alpha == 0)) & ~taken
    sizes = sorted({len(part) for part in parts if len(part) >= GLUED})
    return [int(i) for i in np.flatnonzero(maybe) if _is_mention(doc, int(i), parts, sizes)]


def name_parts(doc: Doc, known: list[Entity]) -> dict[str, bool]:
    """The parts of names in small letters, and whether the text writes one small itself."""
    found: dict[str, bool] = {}
    for label, first, last in known:
        if label != "PERSON":
            continue
        for token in doc[first:last]:
            for piece in PIECE.findall(token.text):
                lower = piece.lower()
                if len(piece) >= SHORTEST and lower not in _SMALL:
                    found[lower] = found.get(lower, False) or piece.islower()
    return found


def _is_mention(doc: Doc, i: int, parts: dict[str, bool], sizes: list[int]) -> bool:
    text = doc[i].text
    lower = text.lower()
    if lower not in parts:
        pieces = PIECE.findall(text)
        if any(p.lower() in parts and _fits(p, parts, False) for p in pieces):
            return len(pieces) < 9
        glued = any(mark in text for mark in "@/_.") or (text[0].isalpha() and text[-1].isdigit())
        # Its own pieces are looked up, as there may be more parts than letters.
        pieces_of = (lower[i : i + k] for k in sizes for i in range(len(lower) - k + 1))
        return glued and len(text) < 200 and any(piece in parts for piece in pieces_of)
    if text.islower() and not parts[lower] and _is_adjective_at(doc, i):
        return False
    return _fits(text, parts, i == 0 or doc[i - 1].text in ".?!:" or doc[i - 1].is_space)


def _is_adjective_at(doc: Doc, i: int) -> bool:
    """Whether a word is an adjective, and stands as one: "Frank was frank", "a frank talk"; but not
    "this is frank", which a hasty writer says of Frank."""
    if not i or not _is_adjective(doc[i].text):
        return False
    before = doc[i - 1].lower_
    earlier = doc[i - 2].lower_ if i > 1 else ""
    return before in _BEFORE_ADJECTIVES or (before in _BE and earlier not in _INTRODUCING)


def _fits(piece: str, parts: dict[str, bool], starts: bool) -> bool:
    """Whether a part of a name is one here: a word that is also another word has to be written as
    a name, and the commonest ones (Will, May) not where a sentence begins."""
    lower = piece.lower()
    if lower in STOP_WORDS:
        return piece[0].isupper() and not starts
    return piece[0].isupper() or parts[lower] or not is_word(lower)


def is_word(lower: str) -> bool:
    """Whether the word is oftener written small than as a name: then it is a word besides."""
    rows = _rows()
    small = rows.get(lower)
    return small is not None and small < rows.get(lower.capitalize(), len(rows))


def _is_adjective(lower: str) -> bool:
    """Whether the built-in table has the word as an adjective."""
    space, row = Space.builtin(), _rows().get(lower)
    if row is None or space.classes is None:
        return False
    return bool(int(space.classes[row]) >> space.class_names.index("adjective") & 1)


@lru_cache(maxsize=1)
def _rows() -> dict[str, int]:
    """Word -> its row in the built-in table, where the frequent ones come first."""
    return {word: row for row, word in enumerate(Space.builtin().words)}


def _runs(hits: list[int], taken: Bools1d) -> Iterator[tuple[int, int]]:
    """Hits that follow each other are one mention, and taken from now on."""
    start = 0
    for k, i in enumerate(hits):
        if k + 1 == len(hits) or hits[k + 1] != i + 1:
            taken[hits[start] : i + 1] = True
            yield hits[start], i + 1
            start = k + 1


def _wholes(doc: Doc, known: list[Entity], taken: Bools1d) -> Iterator[Entity]:
    lower = doc.to_array(LOWER)
    # By the first word, then by how many words it is, then by all of them.
    wanted: dict[int, dict[int, dict[tuple[int, ...], str]]] = {}
    for label, first, last in known:
        text = doc[first:last].text
        if label in WHOLE and len(text) > 4 and not all(map(is_word, text.lower().split())):
            key = tuple(lower[first:last].tolist())
            wanted.setdefault(key[0], {}).setdefault(len(key), {}).setdefault(key, label)
    if not wanted:
        return
    firsts = np.array(list(wanted), dtype=np.uint64)
    for i in map(int, np.flatnonzero(np.isin(lower, firsts, kind="sort") & ~taken)):
        by_size = wanted[int(lower[i])]
        for size in sorted(by_size, reverse=True):
            label_of = by_size[size].get(tuple(lower[i : i + size].tolist()))
            if label_of is not None and not taken[i : i + size].any():
                taken[i : i + size] = True
                yield label_of, i, i + size
                break


def chosen(
    doc: Doc, labels: Collection[str], *, spans_key: str | None = None, again: bool = True
) -> list[Entity]:
    """Entities whose `plain_label` is among labels, in order and without overlaps: those of
    `doc.ents` and of `doc.spans[spans_key]`, merged; and with `again` wherever they are mentioned
    once more, within entities of other labels too."""
    spans = [*doc.ents, *(doc.spans[spans_key] if spans_key and spans_key in doc.spans else ())]
    # A span of another label may overlap a wanted one: it takes nothing from it.
    named = ((plain_label(span.label_), span.start, span.end) for span in spans if len(span))
    wanted = united(span for span in named if span[0] in labels)
    return sorted([*wanted, *(mentions(doc, wanted) if again else ())], key=lambda s: s[1])
