"""What a head says of its value: above a column, before a colon, as a key, in a tag.

Heads are English, German, French, Spanish, Italian and Dutch (data/entities/heads.txt). Words that
do not change what a head says may stand beside it: "Patient's last name (required)" is a family
name. `cells` reads the value of a head, `table_rows` and `fields` find heads within a text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from ..text.mentions import is_word
from .tables import sections, words
from .words import is_name

HEADS = "heads"
MAX_HEAD = 60  # characters
MAX_HEAD_WORDS = 3  # of a head in a row with one that is known
# Sections of words that are no heads.
_LISTS = frozenset(
    "QUALIFIERS NOTHING NAME_WORDS STAFF TAG_NAMES GROUP_WORDS COLUMN_WORDS SCHEMA_WORDS "
    "NUMBER_WORDS NUMBERED UNITS EVENTS DEADLINES".split()
)
# Numbers of things (Part no.), things (Breed, Model), and amounts (Price).
FACTS = frozenset({"THING", "WARE", "VALUE"})
_CAMEL = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][^\W\d_A-Z])")
BETWEEN = re.compile(r"[\W\d_]+")
LETTERS = re.compile(r"[^\W\d_]+")
_COMPOUND = re.compile(  # German, Dutch
    r"([^\W\d_]{3,}?)(name|number|nummer|naam|datum|adresse|adres|nr|id)"
)
_NUMBER_SIGN = re.compile(r"#|№|\b[Nn][º°]")
_ABBREVIATED = frozenset({"no", "nr", "nbr", "num"})
_LAST_SHORT = {"nm": "name", "nme": "name", "dt": "date", "dat": "datum"}  # nm for name
# Beside a word: an ending in brackets (Né(e) le), which of several (1er apellido), or how many
# digits of a number (SSN last 4).
_ENDING = re.compile(r"(?<=[^\W\d_])\([^\W\d_]{1,3}\)")
_ORDINAL = re.compile(r"(?i)\b\d(?:st|nd|rd|th|er|ere|ère|re|o|a|do|da|ro|ra|[ºª])\b")
_LAST_DIGITS = re.compile(r"(?i)\blast ?(?:\d|two|three|four|five|six)\b")
_SHORTENED = re.compile(r"([^\W\d_]+)(\.?)")
_OF = frozenset("of de d del di du da des der la le l the al".split())
MIN_SHORT, MIN_SHORT_WORDS = 4, 4  # letters of a shortened head: of one word, and of several
# Before the word for a date: what makes no date of it (up to date).
_NO_DAY = frozenset({"to", "of", "up", "out", "is"})
_IN_PLURAL = frozenset({"PERSON", "PHONE", "ID"})
_SEVERAL = re.compile(r"/|,(?= )")


@dataclass(frozen=True)
class Head:
    """What a head says of its value.

    label: that of an entity, or USERNAME, DOB, AGE; one of FACTS for what names nobody. part: of a
    name: "given", "family", or "bare" for a head that says "name" alone. is_weak: whether it says
    so above a column or as a key alone, and not before a colon in prose.
    """

    label: str
    part: str = ""
    is_weak: bool = False


@cache
def known_heads() -> Mapping[str, Head]:
    return _listed(is_beside=False)


@cache
def _heads_beside() -> Mapping[str, Head]:
    """Return the heads that say what they say beside a head of persons alone."""
    return _listed(is_beside=True)


def _listed(*, is_beside: bool) -> Mapping[str, Head]:
    found: dict[str, Head] = {}
    for name, lines in sections(HEADS).items():
        section = name.removeprefix("weak ").removeprefix("beside ")
        label, _, part = section.partition(" ")
        if label in _LISTS or name.startswith("beside ") is not is_beside:
            continue
        for phrase in ",".join(lines).split(","):
            found.setdefault(phrase.strip(), Head(label, part, is_weak=name != section))
    found.pop("", None)
    return found


@cache
def _head_words() -> frozenset[str]:
    """Return the words of all heads, and those that stand for one beside a word for a number."""
    return frozenset(" ".join(known_heads()).split()) | words("NUMBERED", HEADS)


def plain(text: str) -> str:
    """Return a text in lower case without accents."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFD", text.casefold())
    return "".join(c for c in parts if not unicodedata.combining(c))


def words_of_head(head: str, *, camel: bool = True) -> list[str]:
    head = _ENDING.sub("", head)
    text = _NUMBER_SIGN.sub(" no ", head.partition("(")[0] or head)
    text = _LAST_DIGITS.sub(" ", _ORDINAL.sub(" ", text))
    bare = plain(_CAMEL.sub(" ", text) if camel else text)
    found = list[str]()
    for word in BETWEEN.sub(" ", bare).split():
        parts = _COMPOUND.fullmatch(word)
        is_known = word in known_heads() or parts is None
        found += [word] if is_known or parts is None else [parts[1], parts[2]]
    return [*found[:-1], _LAST_SHORT.get(found[-1], found[-1])] if len(found) > 1 else found


def head_of(name: str) -> Head | None:
    """Return what the head of a column, the key of a field or a label says of its value.

    Args:
        name: The head as it is written: "Patient name", "dob", "lastName", "Kundennummer".

    Returns:
        None if the head says nothing, or that its values are FACTS.
    """
    head = any_head_of(name)
    return None if head is None or head.label in FACTS else head


def heads_of(names: Sequence[str]) -> list[Head | None]:
    """Return what each head of a row of columns, or key of an entry, says of its values: some say
    it only beside one of persons (First, Last)."""
    found = with_others(names, [*map(head_of, names)])
    return [head or head_of_event(name, "due") for name, head in zip(names, found, strict=True)]


def head_of_event(name: str, *parts: str) -> Head | None:
    """Return the head of the days of an event, of one of some parts: "due" for one that has to be
    (Collect on, Deadline), "done" for one that was (Returned)."""
    named = words_of_head(name) if 0 < len(name) <= MAX_HEAD // 2 else []
    if not named or len(named) > MAX_HEAD_WORDS:
        return None
    deadlines, events = words("DEADLINES", HEADS), words("EVENTS", HEADS)
    if named[-1] in ("on", "by") and events.issuperset(named[:-1]) and named[1:]:
        part = "due"
    else:
        part = "due" if deadlines.issuperset(named) else "done"
        if part == "done" and not events.issuperset(named):
            return None
    return Head("DATE", part, is_weak=True) if part in parts else None


_OF_SCHOOLS = frozenset("teacher lecturer tutor grade grades mark marks mean class".split())


def with_others(names: Sequence[str], found: list[Head | None]) -> list[Head | None]:
    """Return the heads of a row, with those that other heads of it make one."""
    lowers = [name.lower() for name in names]
    if "subject" in lowers and not _OF_SCHOOLS.isdisjoint(lowers):  # of a school, and nobody
        pairs = zip(lowers, found, strict=True)
        found = [None if name == "subject" else head for name, head in pairs]
    has_family = any(head is not None and head.part == "family" for head in found)
    pairs = zip(names, found, strict=True)
    # Given, beside a head of whole names, is what was given: Name | Given.
    others = [
        None
        if head or (name.lower() == "given" and not has_family and any(found))
        else _head_beside(name)
        for name, head in pairs
    ]
    if not any(others):
        return found
    persons = [head for head in (*found, *others) if head is not None and _is_of_person(head)]
    if len(persons) < 2 and not any(map(_is_of_person, filter(None, found))):
        return found
    return [head or other for head, other in zip(found, others, strict=True)]


def _is_of_person(head: Head) -> bool:
    return head.label in ("PERSON", "DOB")


def _head_beside(name: str) -> Head | None:
    if len(name) > MAX_HEAD or (name.isascii() and name[:2].lower() not in _starts_beside()):
        return None
    return _heads_beside().get(" ".join(words_of_head(name)))


@cache
def _starts_beside() -> frozenset[str]:
    """Return the first letters of such heads: a quick test, which most cells of a text fail."""
    return frozenset(key[:2] for key in _heads_beside())


@lru_cache(maxsize=4096)
def any_head_of(name: str) -> Head | None:
    if len(name) > MAX_HEAD:
        return None
    named = words_of_head(name)
    found = _head_of_words(named)
    if found is None and _has_inner_capital(name):
        found = _head_of_words(words_of_head(name, camel=False))  # DoB, WhatsApp, NHSnumber
    if found is None:
        found = _head_of_several(name) or _head_of_both_names(named) or _head_in_short(name)
    if found is None and _is_of_day(named):
        return Head("DATE", is_weak=True)
    return Head("VALUE") if found is None and _ends_with_unit(name) else found


def _ends_with_unit(name: str) -> bool:
    """Return whether a unit ends a head of several words: Limit rpm, Load (kg), Yield %."""
    bare, _, unit = name.strip().lower().rstrip(")").replace("(", " ").rpartition(" ")
    return bool(bare) and unit in words("UNITS", HEADS)


def _has_inner_capital(name: str) -> bool:
    """Return whether a small letter stands before a capital or behind two, in a word."""
    return " " not in name and not (name.islower() or name.isupper() or name.istitle())


def _head_of_several(name: str) -> Head | None:
    """Return what all heads between strokes or commas say: Town/City, Vor-/Nachname, Last, First. A
    postal code and a town are an address."""
    parts = [part.strip() for part in _SEVERAL.split(name)]
    if len(parts) < 2:
        return None
    if parts[0].endswith("-") and len(parts) == 2:
        head = any_head_of(parts[1])
        return head and replace(head, part="")
    found = with_others(parts, [*map(any_head_of, parts)])
    known = [head for head in found if head is not None and head.label not in FACTS]
    if len(known) < len(found):
        return None
    address = next((head for head in known if head.label == "ADDRESS"), None)
    if address is None and {head.part for head in known} >= {"given", "family"}:
        return Head("PERSON", is_weak=all(head.is_weak for head in known))
    return address or next((head for head in known if not head.is_weak), known[0])


def _head_of_both_names(named: list[str]) -> Head | None:
    """Return what two words for the parts of a name say: Vorname Nachname, last first."""
    if len(named) != 2:
        return None
    heads = [known_heads().get(word) or _heads_beside().get(word) or Head("") for word in named]
    parts = {head.part for head in heads}
    is_full = not words("NAME_WORDS", HEADS).isdisjoint(named) and parts & {"given", "family"}
    if not is_full and parts != {"given", "family"}:
        return None
    return Head("PERSON", is_weak=not is_full and any(head.is_weak for head in heads))


@cache
def _phrases() -> Mapping[tuple[int, str], list[tuple[list[str], Head]]]:
    """Return the heads by their number of words, without those that only join them, and the first
    letter."""
    found: dict[tuple[int, str], list[tuple[list[str], Head]]] = {}
    for phrase, head in known_heads().items():
        named = [word for word in phrase.split() if word not in _OF]
        if named:
            found.setdefault((len(named), named[0][0]), []).append((named, head))
    return found


def _head_in_short(name: str) -> Head | None:
    """Return what a head says of which a full stop shortens words, or that leaves out words that
    join others (Date naiss., F. nac., Cód. postal), if all that it may stand for say the same."""
    if "." not in name and "_" not in name and " " not in name:
        return None
    pairs = [(word, dot) for word, dot in _SHORTENED.findall(plain(name)) if word not in _OF]
    letters = sum(len(word) for word, _ in pairs)
    if letters < (MIN_SHORT if len(pairs) == 1 else MIN_SHORT_WORDS):
        return None
    found = [
        head
        for named, head in _phrases().get((len(pairs), pairs[0][0][0]), ())
        if all(
            full.startswith(word) if dot else full == word
            for full, (word, dot) in zip(named, pairs, strict=True)
        )
    ]
    if len({head.label for head in found}) != 1:
        return None
    return max(found, key=lambda head: head.is_weak)


def _head_of_words(named: list[str]) -> Head | None:
    """Return what a head of these words says, in the singular too, and with "no" for "number"."""
    if not any(word in _head_words() or word[:-1] in _head_words() for word in named):
        return None
    with_number = [*named[:-1], "number"] if named[1:] and named[-1] in _ABBREVIATED else []
    found = known_heads().get(" ".join(with_number)) or _head_of_phrase(named)
    others = [word for word in named if word not in words("NUMBER_WORDS", HEADS)]
    if found is not None:
        return found
    if 0 < len(others) < len(named) and words("NUMBERED", HEADS).issuperset(others):
        return Head("ID", is_weak=True)
    if with_number:
        return _head_of_phrase(with_number)
    if named and len(named[-1]) > 2 and named[-1].endswith("s"):
        found = _head_of_phrase([*named[:-1], named[-1][:-1]])
        is_sure = found is not None and (found.label != "ID" or named[-1] == "ids")
        return found if found is not None and is_sure and found.label in _IN_PLURAL else None
    return None


def _is_of_day(named: list[str]) -> bool:
    """Return whether a head of several words is one of a date of any kind: date of admission, Date
    seen, visit date, Entlassdatum, fecha de ingreso."""
    if len(named) < 2:
        return False
    first, second, last = named[0], named[1], named[-1]
    if last in ("date", "datum"):
        return named[-2] not in _NO_DAY
    if first == "date":
        return (second in _OF and len(named) > 2) or second.endswith(("ed", "en"))
    return first in ("fecha", "datum")


def _head_of_phrase(named: list[str]) -> Head | None:
    qualifiers = words("QUALIFIERS", HEADS)
    for size in range(len(named), 0, -1):
        # In English, German and Dutch the last word says what it is, in the others the first.
        for start in (len(named) - size, 0):
            phrase = " ".join(named[start : start + size])
            head, others = known_heads().get(phrase), named[:start] + named[start + size :]
            if head is None:
                continue
            if phrase in words("NAME_WORDS", HEADS):
                others = [word for word in others if not _is_person(word)]
            if qualifiers.issuperset(others):
                return _qualified(head, phrase, len(named) > size, others)
    return None


def _is_person(word: str) -> bool:
    head = known_heads().get(word)
    return head is not None and head.label == "PERSON" and not head.part


def _qualified(head: Head, phrase: str, is_within: bool, others: list[str]) -> Head:
    """Return a head with words beside it: a participant's ID is a number."""
    if phrase in words("NAME_WORDS", HEADS):
        return replace(head, part="bare", is_weak=not is_within)
    is_numbered = not words("NUMBER_WORDS", HEADS).isdisjoint(others)
    is_of_other = head.label in ("DATE", "TIME", "ORG") or (head.label == "PERSON" and head.is_weak)
    if is_numbered and is_of_other:  # Visit ID, Clinic No.
        return Head("ID", is_weak=True)
    return head


# -- whether the first row of a table holds heads --------------------------------------------------

_JOINED = re.compile(r"[a-z]+(?:_[a-z\d]+)+|[a-z]+(?:[A-Z][a-z]+)+")


def are_surely_heads(row: Sequence[str]) -> bool:
    """Return whether a first row surely holds the heads of its columns, and is no record.

    At least half of its cells say so, more than twice as many as look like a name or a number:
    `Price,Nice,K12` is a record, and so may `Price,mother` be.
    """
    cells = [cell.strip() for number, cell in enumerate(row, 1) if cell.strip() != str(number)]
    if not cells:
        return len(row) > 1
    known = [cell for cell in cells if _is_surely_head(cell)]
    others = [cell for cell in cells if cell not in known]
    is_sure = len(known) > len(others) or any(map(_is_strong, known))
    return (
        is_sure and len(known) >= len(others) and len(known) > 2 * sum(map(_is_of_record, others))
    )


def _is_surely_head(cell: str) -> bool:
    if any(map(str.isdigit, cell.rstrip("0123456789"))):
        return False
    if words("COLUMN_WORDS", HEADS).intersection(words_of_head(cell)):
        return True
    if _JOINED.fullmatch(cell) and all(map(is_word, words_of_head(cell))):
        return True
    head = any_head_of(cell)
    return head is not None and (head.label not in FACTS or cell.islower() or " " in cell)


def _is_strong(cell: str) -> bool:
    """Return whether a cell is a head that a record hardly holds."""
    head = any_head_of(cell)
    return head is None or not head.is_weak or head.label == "ID"


def _is_of_record(cell: str) -> bool:
    """Return whether a cell looks like a name or a number rather than a head."""
    texts = LETTERS.findall(cell)
    named = any(is_name(t) or not is_word(t.lower()) for t in texts if t[0].isupper())
    return named or not texts or any(map(str.isdigit, cell)) or "@" in cell


# Entities of these labels that a sure head names need no other evidence.
STATED = {"PERSON": "STATED_PERSON", "GPE": "STATED_GPE", "ORG": "STATED_ORG"}
