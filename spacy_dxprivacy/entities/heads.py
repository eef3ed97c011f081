"""What a head says of its value: in a column, after a label and a colon, in a tag or attribute.

Heads are English, German, French, Spanish, Italian and Dutch (data/entities/heads.txt). Words that
do not change what a head says may stand beside it: "Patient's last name (required)" is a family
name. `io` reads heads of columns and keys of fields (`head_of`, `values_of_cell`), and recognisers
read those within a text (`values_in`).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import pairwise

from ..text.coded import VOICE
from ..text.mentions import Entity, is_word
from ..text.speakers import NO_INITIALS
from ..text.tokens import commas_of_row
from .aligned import cells_below, columns_in
from .tables import LISTED, PERSON_WORDS, TOP_AGE, expanded, pattern, sections, words
from .words import builtin_lexicon, is_name, is_only_ordinary, is_town, kinds

HEADS = "heads"
MAX_HEAD = 60  # characters
MAX_HEAD_WORDS = 3  # of a head in a row with one that is known
MIN_CODE = 4  # digits of a number below a head such as "id", which is no number of a row
MAX_LINE = 200  # characters of the line below one of two cells
MIN_COLUMNS = 3  # of a table whose columns are aligned by blanks, of which one head is known
MAX_TABLES = 16  # open tables at a line, as any line may look like the head of the next lines

# Sections of words that are no heads.
_LISTS = frozenset(
    "QUALIFIERS NOTHING NAME_WORDS STAFF TAG_NAMES GROUP_WORDS COLUMN_WORDS SCHEMA_WORDS "
    "NUMBER_WORDS NUMBERED UNITS EVENTS DEADLINES".split()
)
# Numbers of things (Part no.), things (Breed, Model), and amounts (Price).
FACTS = frozenset({"THING", "WARE", "VALUE"})

_CAMEL = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][^\W\d_A-Z])")
_BETWEEN = re.compile(r"[\W\d_]+")
_LETTERS = re.compile(r"[^\W\d_]+")
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
# Bounded: otherwise a search scans a run of blanks again from each blank.
BLANKS = r"[ \t]{0,40}"
_SEVERAL = re.compile(r"/|,(?= )")
_RULE = re.compile(r"[\s|:+=-]*")  # line below the head of a table


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
def _heads() -> Mapping[str, Head]:
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
    return frozenset(" ".join(_heads()).split()) | words("NUMBERED", HEADS)


def _plain(text: str) -> str:
    """Return a text in lower case without accents."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFD", text.casefold())
    return "".join(c for c in parts if not unicodedata.combining(c))


def _words_of(head: str, *, camel: bool = True) -> list[str]:
    head = _ENDING.sub("", head)
    text = _NUMBER_SIGN.sub(" no ", head.partition("(")[0] or head)
    text = _LAST_DIGITS.sub(" ", _ORDINAL.sub(" ", text))
    bare = _plain(_CAMEL.sub(" ", text) if camel else text)
    found = list[str]()
    for word in _BETWEEN.sub(" ", bare).split():
        parts = _COMPOUND.fullmatch(word)
        is_known = word in _heads() or parts is None
        found += [word] if is_known or parts is None else [parts[1], parts[2]]
    return [*found[:-1], _LAST_SHORT.get(found[-1], found[-1])] if len(found) > 1 else found


def head_of(name: str) -> Head | None:
    """Return what the head of a column, the key of a field or a label says of its value.

    Args:
        name: The head as it is written: "Patient name", "dob", "lastName", "Kundennummer".

    Returns:
        None if the head says nothing, or that its values are FACTS.
    """
    head = _any_head_of(name)
    return None if head is None or head.label in FACTS else head


def heads_of(names: Sequence[str]) -> list[Head | None]:
    """Return what each head of a row of columns, or key of an entry, says of its values: some say
    it only beside one of persons (First, Last)."""
    found = _with_others(names, [*map(head_of, names)])
    return [head or _head_of_event(name, "due") for name, head in zip(names, found, strict=True)]


def _head_of_event(name: str, *parts: str) -> Head | None:
    """Return the head of the days of an event, of one of some parts: "due" for one that has to be
    (Collect on, Deadline), "done" for one that was (Returned)."""
    named = _words_of(name) if 0 < len(name) <= MAX_HEAD // 2 else []
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


def _with_others(names: Sequence[str], found: list[Head | None]) -> list[Head | None]:
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
    return _heads_beside().get(" ".join(_words_of(name)))


@cache
def _starts_beside() -> frozenset[str]:
    """Return the first letters of such heads: a quick test, which most cells of a text fail."""
    return frozenset(key[:2] for key in _heads_beside())


@lru_cache(maxsize=4096)
def _any_head_of(name: str) -> Head | None:
    if len(name) > MAX_HEAD:
        return None
    named = _words_of(name)
    found = _head_of_words(named)
    if found is None and _has_inner_capital(name):
        found = _head_of_words(_words_of(name, camel=False))  # DoB, WhatsApp, NHSnumber
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
        head = _any_head_of(parts[1])
        return head and replace(head, part="")
    found = _with_others(parts, [*map(_any_head_of, parts)])
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
    heads = [_heads().get(word) or _heads_beside().get(word) or Head("") for word in named]
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
    for phrase, head in _heads().items():
        named = [word for word in phrase.split() if word not in _OF]
        if named:
            found.setdefault((len(named), named[0][0]), []).append((named, head))
    return found


def _head_in_short(name: str) -> Head | None:
    """Return what a head says of which a full stop shortens words, or that leaves out words that
    join others (Date naiss., F. nac., Cód. postal), if all that it may stand for say the same."""
    if "." not in name and "_" not in name and " " not in name:
        return None
    pairs = [(word, dot) for word, dot in _SHORTENED.findall(_plain(name)) if word not in _OF]
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
    found = _heads().get(" ".join(with_number)) or _head_of_phrase(named)
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
            head, others = _heads().get(phrase), named[:start] + named[start + size :]
            if head is None:
                continue
            if phrase in words("NAME_WORDS", HEADS):
                others = [word for word in others if not _is_person(word)]
            if qualifiers.issuperset(others):
                return _qualified(head, phrase, len(named) > size, others)
    return None


def _is_person(word: str) -> bool:
    head = _heads().get(word)
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
    if words("COLUMN_WORDS", HEADS).intersection(_words_of(cell)):
        return True
    if _JOINED.fullmatch(cell) and all(map(is_word, _words_of(cell))):
        return True
    head = _any_head_of(cell)
    return head is not None and (head.label not in FACTS or cell.islower() or " " in cell)


def _is_strong(cell: str) -> bool:
    """Return whether a cell is a head that a record hardly holds."""
    head = _any_head_of(cell)
    return head is None or not head.is_weak or head.label == "ID"


def _is_of_record(cell: str) -> bool:
    """Return whether a cell looks like a name or a number rather than a head."""
    texts = _LETTERS.findall(cell)
    named = any(is_name(t) or not is_word(t.lower()) for t in texts if t[0].isupper())
    return named or not texts or any(map(str.isdigit, cell)) or "@" in cell


# -- the cell of a column, the value of a field ----------------------------------------------------

_DIGITS = frozenset({"PHONE", "DOB", "DATE", "TIME", "AGE"})  # labels whose values contain a digit
_LONGEST = {"ADDRESS": 120, "ORG": 80, "PERSON": 80, "GPE": 60, "ID": 60}  # characters, of 40
_CLOCK = re.compile(  # 09:30:15 Z, 9.30 Uhr, 10h30-11h15, 9 am
    r"\d{1,2}[:.h]\d\d(?:[:.]\d\d(?:[.,]\d{1,6})?)?(?: ?[-–] ?\d{1,2}[:.h]\d\d)?"
    r"(?: ?[+-]\d\d:?\d\d|[^\d/]{0,8})|\d{1,2} ?[ap]\.?m\.?",
    re.I,
)
# Below a head of times of day alone: before 9, 3-3:30p, 10 to 12, 0800, 10ish, 5 o'clock.
_CLOCK_HALF = r"(?: ?[ap](?:\.?m\.?)?| ?h(?:rs?)?| ?uhr| ?uur)?"
_CLOCK_HOUR = rf"(?:(?:[01]?\d|2[0-4])(?:[:.h]?[0-5]\d)?{_CLOCK_HALF}|noon|midday|midnight)"
_IN_CLOCK_COLUMN = re.compile(
    r"(?:(?:not |any ?time |just |shortly )?(?:before|after|by|from|until|till?|around|about|"
    rf"approx\.?|ca?\.?|circa|at|past|@|~|[<>]) ?)?{_CLOCK_HOUR}(?: ?[-–] ?ish|ish|\+|\?)?"
    rf"(?:(?: ?[-–] ?| to | or | and | till? | until ){_CLOCK_HOUR})?"
    r"(?: ?o['’]clock| sharp| latest| earliest| onwards?| or (?:so|later|earlier))?",
    re.I,
)
# Below a head of times, those that have a sign of one, and periods and results, which are no days.
_WITH_HALF = re.compile(r"\d ?(?:[ap](?:\.?m\.?)?(?!\w)|o['’]clock|ish)|noon|midday|midnight", re.I)
_PERIOD = re.compile(
    r"[+~<>]?(?:\d{1,4}(?:[.,]\d{1,3})? ?(?:h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?|d|"
    r"days?|wks?|weeks?|['′’\"″”]{1,2}),? ?){1,4}|\d{1,3}:\d\d\.\d{1,3}",
    re.I,
)
# Four digits that may be a time of day, and those that are no year.
_FOUR = re.compile(r"(?:[01]\d|2[0-3])[0-5]\d", re.A)
_SURE_FOUR = re.compile(r"(?:0\d|1[0-4]|2[1-3])[0-5]\d", re.A)
_DOTTED_DAY = re.compile(r"(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.(?:\d\d)?")  # 3.4.85
_DOTTED_DATE = re.compile(  # 04.13.85, 09.30
    r"\d{1,2}\.\d{1,2}\.(?:\d\d)?|(?:0?[1-9]|1[0-2])\.(?:[0-2]?\d|3[01])|"
    r"(?:[0-2]?\d|3[01])\.(?:0?[1-9]|1[0-2])"
)
_NUMBER = re.compile(  # with its extension
    r"\+?(?:\([\d ]{1,6}\)|\d)(?:[ ().–-]{0,3}\d)*(?: ?(?:x|ext\.?|#) ?\d+)?", re.I
)
_OF_ENTITY = {"USERNAME": "ID"}
# Which of the teams of a club it is: Tolmere A, Tolmere 2nd XI.
_WHICH_TEAM = re.compile(
    r"(?: (?:[A-F]|[\dIV]{1,3}|XI|\d(?:st|nd|rd|th)s?|U-?\d\d|Under[ -]\d\ds?|Ladies|Men|Women|"
    r"Boys|Girls|Juniors|Seniors|Reserves))+\Z"
)
# A cell below the head of an event that is a day without its year, and one of such a form: 12/20.
_OF_EVENTS = frozenset({"due", "done"})
_PAIR_OF_DAY = re.compile(r"(\d{1,2})/(\d{1,2})", re.A)
_DAY_OF_EVENT = re.compile(
    rf"(?:{expanded('WEEKDAY')}\.?,? )?(?:{expanded('EITHER')}|{expanded('EITHER_DASHED')})", re.I
)
_MOST_WORDS = {"PERSON": 10, "GPE": 5, "ORG": 9, "ID": 4, "USERNAME": 3}
# Beside the names of a cell: marks, remarks in brackets, numbers, and what is whose: 's mum.
_APART_PLACES = re.compile(
    r"\([^()]*\)|\[[^\[\]]*\]|<[^<>]*>|[;/|&\n:?!#=\\{}\[\]@]| [-–—] |\.+\Z|"
    r"(?<!\S)\S*\d\S*(?: ?[\d./+()-]+)*|['’]s\b[^,;/|&\n]*"
)
_FORMERLY = (
    r",? \b(?:n[ée]e?|geb\.|geborene|born|formerly|otherwise|aka|a\.k\.a\.|alias|"
    r"known as) "  # Cook, née Hope
)
_APART = re.compile(rf"{_APART_PLACES.pattern}| (?:and|und|et|en|y|e) |{_FORMERLY}")
# Below a head that surely names persons, what stands in brackets or behind a full stop is one too.
_APART_SURELY = re.compile(
    _APART.pattern.replace(r"\([^()]*\)|\[[^\[\]]*\]|", r"[()]|") + r"|(?<=[^\W\d_]{3})\. "
)
_COMMA = re.compile(",")
_INVERTED = re.compile(  # Young, Will; Young, Will, Jr.
    r"[^,]*,\s*[^\s,]+(?: [^\s,]+)?\s*(?:,\s*(?:[JS]r\.?|I{2,3}|IV)\s*)?"
)
_SENTENCE = re.compile(r"([^\W\d_]{4,})[.?!]\s")
_GLUED_NUMBER = re.compile(r"(?<=[^\W\d_]{3})\d{1,2}(?!\S)")  # Hope1
_SPELLED = re.compile(r"(?:[^\W_]{1,6}(?:[ -]|\Z)){2,14}")  # QQ 12 34 56 C
# Under the head of a given or family name, these are names when they have one capital.
_ALSO_NAMES = frozenset({"Null", "True", "Self", "No", "Same", "Nan", "Na", "Yes"})


# How old some are at least, or at most, in place of the day of birth of each: all 18+, over 65s
_LEAST_AGE = re.compile(
    r"(?:(?:all|both|each|everyone|adults?|over|under|age[ds]?)[ -]){0,3}"
    r"(?:\d\d?(?: ?\+|[ -](?:plus|or over|and over|or under))|(?<=[rR][ -])\d\ds?)",
    re.IGNORECASE,
)


# Before the first or last day of a week in a cell: w/c 18 Mar
_BEFORE_DAY = re.compile(r"(?:w/?[bce]|wk) (?=\d)", re.IGNORECASE)


def is_nothing(cell: str) -> bool:
    """Return whether a cell says that there is no value, as "n/a" and "unknown" do."""
    named = _BETWEEN.sub(" ", _plain(cell)).split()
    if any(map(str.isdigit, cell)):
        return False
    return words("NOTHING", HEADS).issuperset(named)


def holds_nothing(head: Head, cell: str) -> bool:
    """Return whether a cell says that there is no value, or not yet a number (pending). Null and
    True are surnames too."""
    if head.label == "ID" and cell.islower() and not any(map(str.isdigit, cell)):
        return _is_of_ordinary(cell)
    is_part = head.part in ("given", "family")
    return is_nothing(cell) and not (is_part and cell.strip() in _ALSO_NAMES)


def values_of_cell(head: Head, cell: str) -> list[Entity]:
    """Return the values in a cell whose head says what it holds, in characters.

    None are returned where the cell holds nothing, or something else, such as a sentence in a
    column of names: there the recognisers decide.
    """
    label, start = head.label, len(cell) - len(cell.lstrip())
    bare = cell.strip()
    if holds_nothing(head, bare) or len(bare) > _LONGEST.get(label, 40):
        return []
    if label == "PHONE":
        return [
            Entity(name, start + first, start + last) for name, first, last in _numbers_in(bare)
        ]
    if head.part in _OF_EVENTS:
        is_day = head.part == "due" and _DAY_OF_EVENT.fullmatch(bare)
        return [Entity("DATE", start, start + len(bare))] if is_day else []
    if label in _DIGITS:
        is_other = _LEAST_AGE.fullmatch(bare) or (label == "TIME" and _PERIOD.fullmatch(bare))
        if is_other or not any(map(str.isdigit, bare)):
            return []
        label = "TIME" if _is_clock(head, bare) else "DATE"
        lead = _BEFORE_DAY.match(bare)
        return [Entity(label, start + (lead.end() if lead else 0), start + len(bare))]
    if head.part == "team":
        if bare[0].isdigit() or _is_of_ordinary(bare):
            return []
        bare = _WHICH_TEAM.sub("", bare)
    is_sure = label == "PERSON" and not head.is_weak
    spans = [*_names_surely_in(bare)] if is_sure and _is_of_names(bare) else _spans_in(label, bare)
    if any(_is_too_long(label, bare[first:last]) for first, last in spans):
        return []
    if label == "PERSON" and _ANIMAL.search(bare):
        spans = [*_without_breeds(bare, spans)]
    return [
        Entity(_OF_ENTITY.get(label, label), start + first, start + last) for first, last in spans
    ]


def _is_of_ordinary(cell: str) -> bool:
    """Return whether all words of a cell are ordinary, or a letter: Red, Under 12s, Home B."""
    named = [word for word in _LETTERS.findall(cell) if len(word) > 1]
    return all(map(is_only_ordinary, named)) or (len(named) == 1 and is_word(named[0].lower()))


def _without_breeds(cell: str, spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the spans of the names in a cell without what an animal is: Rex, DSH, MN, 4 y."""
    for start, end in spans:
        part, comma, rest = cell[start:end].partition(",")
        if comma and rest.strip() in _OF_ANIMALS:
            end = start + len(part)
        if cell[start:end] not in _OF_ANIMALS:
            yield start, end


def _numbers_in(cell: str) -> Iterator[Entity]:
    """Yield the telephone numbers of a cell, and numbers that are too short for one (ext 12)."""
    for match in _NUMBER.finditer(cell):
        count = sum(map(str.isdigit, match[0]))
        if count > 1:
            yield Entity("PHONE" if count > MIN_CODE else "ID", *match.span())


def _is_clock(head: Head, cell: str) -> bool:
    """Return whether a cell below a head is a time of day without a date: 09:30.

    What is written with full stops is a date below a head of dates if it can be one: 03.04, 9.30.
    Below a head of times it needs three parts for that: 3.4.85. A number alone is an hour below a
    head that says so (Time), and may be a day below others (Seen, Start).
    """
    if head.label == "TIME" and _IN_CLOCK_COLUMN.fullmatch(cell):
        is_sure = not head.is_weak or head.part == "clock"
        if is_sure or _WITH_HALF.search(cell) or _SURE_FOUR.fullmatch(cell):
            return True
    if head.label == "AGE" or not _CLOCK.fullmatch(cell):
        return False
    if head.label == "TIME":
        return _DOTTED_DAY.fullmatch(cell) is None
    return not _DOTTED_DATE.fullmatch(cell)


def label_of_cell(head: Head, cell: str) -> str:
    """Return the label of a cell that is one value as a whole; else ""."""
    values = values_of_cell(head, cell)
    return values[0].label if values and values[0][1:] == (0, len(cell)) else ""


def _is_of_names(cell: str) -> bool:
    """Return whether most words of a cell below a sure head of persons have a capital, or none has
    in a cell of two names: no sentence (Rings after five. Wants a refund.), and no remark."""
    named = _LETTERS.findall(cell)
    small = [word for word in named if word.islower() and word not in LISTED["PARTICLE"]]
    if len(small) < len(named):
        return 2 * len(small) <= len(named) and _HYPHENED.search(cell) is None
    return _SMALL_NAMES.fullmatch(cell) is not None and not any(map(_is_no_part, named))


_HYPHENED = re.compile(r"\A[^\W\d_]+-[a-zß-öø-ÿ]+ [a-z]+\Z")  # Walk-in hold
_SMALL_NAMES = re.compile(r"[^\W\d_]+(?:[,;/&] ?| and )[^\W\d_]+")  # young, will


def _is_no_part(word: str) -> bool:
    """Return whether a word says what somebody is, or that there is nobody: daughter, unknown."""
    lower = word.lower().rstrip(".")
    others = (
        LISTED["ROLE"] | LISTED["TITLE"] | words("NOTHING", HEADS) | words("GROUP_WORDS", HEADS)
    )
    return lower in others or head_of(lower) is not None


def _names_surely_in(cell: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of the names in a cell below a sure head of persons: all that have a capital,
    but for what somebody is, and in a cell of small letters all (hope; price)."""
    read = _GLUED_NUMBER.sub(lambda match: " " * len(match[0]), cell)
    read = _STOP.sub(_without_stop_of_title, read)
    for start, end in _parts(_APART_SURELY, read, 0, len(read)):
        if _INVERTED.fullmatch(read, start, end) and not _is_no_part(read[start:end].split()[-1]):
            yield start, end
            continue
        for first, last in _parts(_COMMA, read, start, end):
            yield from _without_remarks(cell, first, last)


def _without_remarks(cell: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield a part of a cell of names without the words in small letters at its end (the Price
    family, Grace Case called back), unless it says what somebody is or has no capital where others
    have (Young, daughter; Guest 3)."""
    found = [(match.start(), match.end()) for match in _BARE.finditer(cell, start, end)]
    named = [cell[first:last] for first, last in found]
    if not cell.islower():
        while named and named[-1].islower():
            named.pop()
        while named and named[0].islower() and named[0] not in LISTED["PARTICLE"]:
            named.pop(0)
            found.pop(0)
    is_part = len(named) == 1 and len(named[0]) < len(cell)
    if named and _has_letter("".join(named)) and not (is_part and _is_no_part(named[0])):
        yield found[0][0], found[len(named) - 1][1]


# Of animals: breeds, and the sex of one that is neutered, beside a breed.
_OF_ANIMALS = frozenset(
    "DSH DLH DMH GSD CKCS JRT WHWT FN MN FE FS NM NF SF KC Lab Lurcher Dachs Staffie Spaniel "
    "Collie Poodle Beagle Boxer Pug".split()
)
_ANIMAL = re.compile(
    r"\b(?:DSH|DLH|DMH|GSD|CKCS|JRT|WHWT|KC|Dachs|Lurcher|Staffie|Spaniel|[Cc]ollie|[Ll]ab)\b"
)
_BARE, _STOP = re.compile(r"\S+"), re.compile(r"([^\W\d_]+)\.(?= )")


def _without_stop_of_title(match: re.Match[str]) -> str:
    return f"{match[1]}_" if match[1].lower() in LISTED["TITLE"] else match[0]


def _spans_in(label: str, cell: str) -> list[tuple[int, int]]:
    """Return the spans of the names in a cell of names or places; else the cell as a whole."""
    if label not in ("PERSON", "GPE"):
        return [(0, len(cell))]
    if any(last.lower() not in LISTED["TITLE"] for last in _SENTENCE.findall(cell)):
        return []
    read = _GLUED_NUMBER.sub(lambda match: " " * len(match[0]), cell)
    spans = [*(_names_in(read) if label == "PERSON" else _parts(_APART_PLACES, read, 0, len(read)))]
    spans = [span for span in spans if _has_letter(read[slice(*span)])]
    spans = [_without_condition(label, read, *span) for span in spans]
    if label == "PERSON" and any(_ends_with_noun(read[slice(*span)]) for span in spans):
        return []
    if label == "GPE":
        return [span for span in spans if not _is_small_phrase(read[slice(*span)])]
    return [span for span in spans if _may_be_name(cell, *span)]


def _is_small_phrase(place: str) -> bool:
    """Return whether a cell of places is of ordinary words in small letters, of which none is a
    town, or says that it is as above: from the sea, do."""
    named = _LETTERS.findall(place)
    is_town_alone = len(named) == 1 and is_town(named[0].capitalize())
    is_plain = all(is_only_ordinary(word) or word in _AS_ABOVE for word in named)
    return place.islower() and is_plain and not is_town_alone


# What a register says of a person before the name, and of a place behind it.
_CONDITION = re.compile(
    r"(?:Infant|Baby|Child|Stillborn|Widow|Widower|Spinster)(?: (?:of|son|daughter|boy|girl)\b)* "
    r"(?=[^\W\d_a-zß-öø-ÿ])"
)
_AS_ABOVE = frozenset("do ditto dto sd id idem same".split())
_SMALL_REST = re.compile(r", [a-z][a-z ]*\Z")


def _without_condition(label: str, cell: str, start: int, end: int) -> tuple[int, int]:
    """Return the extent of a name without what it says of the person (Infant Lind), or of a place
    without the house there: Bantry, workhouse."""
    if label == "PERSON":
        condition = _CONDITION.match(cell, start, end)
        return (condition.end() if condition else start), end
    rest = _SMALL_REST.search(cell, start, end)
    return start, (rest.start() if rest else end)


def _is_too_long(label: str, value: str) -> bool:
    """Return whether a value has too many words, unless it is a code in groups, or no digit for a
    number of several words."""
    count = len(value.split())
    if label == "ID" and count > 1:
        digits = sum(map(str.isdigit, value))
        is_spelled = _SPELLED.fullmatch(value) and not any(map(str.islower, value.split()))
        return not digits or (count > _MOST_WORDS[label] and not is_spelled)
    return count > _MOST_WORDS.get(label, 20)


# Offices and degrees, which stand behind the comma of a name: Ada Lind, HR.
_OFFICES = words("ABBREVIATIONS", "terms") | NO_INITIALS


def _may_be_name(cell: str, start: int, end: int) -> bool:
    """Return whether a part of a cell may be a name: no role (Will Young, daughter; Guest 3), and
    of words in small letters only one, or some that are names (see ticket 4471)."""
    named = cell[start:end].split()
    if len(named) == 1 and (end - start < len(cell)):
        if start and named[0] in _OFFICES:
            return False
        lower = named[0].lower().rstrip(".")
        if lower in LISTED["ROLE"] | LISTED["TITLE"] | words("NOTHING", HEADS) or head_of(lower):
            return False
        return not (start and named[0].islower() and is_only_ordinary(lower))
    if any(word[0].isupper() for word in named) or len(named) == 1:
        return True
    return any(not kinds(w.capitalize()).isdisjoint({"FIRST", "SURNAME"}) for w in named)


def leaves_name(head: Head, old: str, new: str) -> bool:
    """Return whether what replaces a cell of names or places has a word of it that may
    name: one with a capital, and no title or role."""
    if head.label not in ("PERSON", "GPE", "ORG"):
        return False
    left = {*_LETTERS.findall(old)} & {*_LETTERS.findall(new)}
    harmless = words("NOTHING", HEADS) | PERSON_WORDS | LISTED["PARTICLE"]
    may_be_small = old.islower() and head.label == "PERSON" and not head.is_weak
    return any(
        len(w) > 1 and (may_be_small or not w.islower()) and w.lower() not in harmless for w in left
    )


def _ends_with_noun(value: str) -> bool:
    """Return whether a value that begins with a capital ends with a common word in small letters:
    Walk-in hold."""
    first, *_, last = value.split() if " " in value else ("", "")
    return first[:1].isupper() and last.islower() and is_word(last) and not is_name(last)


def _has_letter(text: str) -> bool:
    return any(map(str.isalpha, text))


def _names_in(cell: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of the names in a cell of several: "Grace Price; Will Young"."""
    for start, end in _parts(_APART, cell, 0, len(cell)):
        inverted = _INVERTED.fullmatch(cell, start, end)
        last = cell[start:end].rpartition(",")[2].strip()
        if inverted and not (last.islower() or last in _OFFICES):
            yield start, end
        else:
            yield from _parts(_COMMA, cell, start, end)


def _parts(mark: re.Pattern[str], text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the spans between marks, without blanks at their ends."""
    edges = [edge for match in mark.finditer(text, start, end) for edge in match.span()]
    edges = [start, *edges, end]
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        part = text[first:last]
        if part.strip():
            yield first + len(part) - len(part.lstrip()), first + len(part.rstrip())


# -- within a text ---------------------------------------------------------------------------------

_UPPER = r"[^\W\d_a-zß-öø-ÿ]"
_WRITTEN = rf"{_UPPER}[\w'’.-]*(?: (?:[a-z'’]{{1,4}} ){{0,2}}{_UPPER}[\w'’.-]*){{0,5}}"
_TO_END = rf"(?=[\"'*_]{{0,3}}(?:[,}}\]]|\.?{BLANKS}(?:[\t|;]|  |\n|\Z)))"
_CODE = r"#?(?=[^\s|;,\"]{0,40}\d)[^\s|;,\"*<>]{0,60}[^\s|;,\"*<>.:)]"
_VALUES = {
    "AGE": r"\d{2,3}",
    "PERSON": _WRITTEN,
    "PART": rf"{_WRITTEN}|[^\W\d_]{{2,30}}",
    "GPE": _WRITTEN,
    "ORG": _WRITTEN,
    "ADDRESS": rf"(?=[^\n]{{0,12}}\d)[^\n|;\t\"*]{{3,12}}?|{_WRITTEN}",
    "ID": _CODE,
    "USERNAME": r"[^\s|;,\"*<>]{2,40}",
    "PHONE": r"\+?[\d(][\d ()./-]{4,24}\d",
}
_LABELS = LISTED["ID_WORD"].union(*(expanded(n).split("|") for n in ("CALL_WORD", "KEYS_SHORT")))
_KEY = re.compile(
    rf"(?:^|[\t|;,{{]|  )[ \t>*•\"'_#-]{{0,40}}(?P<key>[^\W\d_][^\n:=|;,\"*<>]{{0,{MAX_HEAD}}}?)"
    rf"[\"'*_]{{0,3}}{BLANKS}[:=][\"'*_]{{0,3}}{BLANKS}(?P<next>\n[ \t>]{{0,40}})?[\"']?",
    re.M,
)


_LABEL_COLON = re.compile(r"(?<![\w./@:-])([^\W\d_]{2,12}):(?=[+(#]?\d)")
# The key of a log or a setting before a date or an address of a network: dob=1985-04-03.
_KEY_OF_DATE = re.compile(
    r"(?<![^\s,;|({\[])[^\W\d_][\w.-]{0,30}=(?=\d{4}-\d\d-\d\d|\d{1,3}(?:\.\d{1,3}){3}(?![\w.])|"
    r"\d{1,2}([./-])\d{1,2}\1\d{2,4}(?!\w))"
)


def colons_of_labels(text: str) -> Iterator[int]:
    """Yield the places of the colons between a label and its number, which a tokenizer joins:
    Tel:020 7946 0018; and of equals signs before dates. The port of a host, as in localhost:8080,
    has none."""
    for match in _LABEL_COLON.finditer(text) if ":" in text else ():
        is_label = match[1].lower() in _LABELS or head_of(match[1]) is not None
        if is_label:
            yield match.end() - 1
    for match in _KEY_OF_DATE.finditer(text) if "=" in text else ():
        yield match.end() - 1


@cache
def _value(label: str) -> re.Pattern[str] | None:
    form = _VALUES.get(label)
    return None if form is None else re.compile(f"(?:{form}){_TO_END}")


# Entities of these labels that a sure head names need no other evidence.
STATED = {"PERSON": "STATED_PERSON", "GPE": "STATED_GPE", "ORG": "STATED_ORG"}
STATED_DAY = "STATED_DAY"  # of a column of days with full stops, which by themselves are decimals


def values_in(text: str) -> Iterator[Entity]:
    """Yield values of a text that a label, column head or tag names, in characters; those of sure
    heads have a label of STATED."""
    if "<" in text and ">" in text:
        yield from _in_tags(text)
        yield from _in_tag_pairs(text)
    if ":" in text or "=" in text:
        yield from _in_lines(text)
    if "\n" in text:
        yield from _in_columns(text)
        yield from _below_labels(text)
    if "|" in text or "\t" in text:
        yield from _in_pairs(text)


def _in_lines(text: str) -> Iterator[Entity]:
    keys = ((match, head_of(match["key"])) for match in _KEY.finditer(text))
    found = [(match, head) for match, head in keys if head is not None]
    counts = Counter(match["key"] for match, _ in found)
    for match, head in found:
        # A form has each label once, and who speaks in a transcript speaks again.
        is_form = len(counts) > 1 and counts[match["key"]] == 1
        kind = "PART" if head.part in ("given", "family") else ""
        form = _value(kind or head.label)
        value = None if form is None else form.match(text, match.end())
        if value is not None and head.is_weak and head.label == "PERSON":
            is_form = is_form and text[value.end() : value.end() + 1] not in (".", ",")
            is_name_of_form = is_form and _is_name_of(match["key"], head, value[0])
            if is_name_of_form or is_full_name(value[0]):
                yield Entity(STATED["PERSON"], *value.span())
        elif value is not None:
            is_beside = match["next"] is None and head.part in ("given", "family")
            yield from _stated(head, value[0], value.start(), may_be_head=is_beside)
        elif is_form and head.label == "PERSON" and head.part != "bare":
            yield from _small_name(text, match.end())


def _is_name_of(key: str, head: Head, value: str) -> bool:
    """Return whether the value of a label of a form that says little is a name: of listed words, or
    of any word for one that treats others (Consultant: Price)."""
    if is_nothing(value) or _is_role(value) or _is_schema(value):
        return False
    named = value.split()
    first = named[0].lower()
    if first in LISTED["GREETING"] or "interjection" in builtin_lexicon().of(first):
        return False
    if all(map(_may_name, named)):
        return head.part != "bare" or len(named) > 1
    is_staff = not words("STAFF", HEADS).isdisjoint(_words_of(key)) or key.lower().endswith(" by")
    is_state = _STATE_WORD.search(value) is not None or head_of(value) is not None
    return is_staff and len(named) == 1 and not is_state


def is_full_name(value: str) -> bool:
    """Return whether a value is a listed first name with a word or two behind it, all with
    capitals: Will Young, Rose Field."""
    first, *others = value.split()
    if not 0 < len(others) < MAX_HEAD_WORDS or not value[0].isupper() or is_nothing(others[0]):
        return False
    are_capital = all(w[0].isupper() or w in LISTED["PARTICLE"] for w in others)
    return are_capital and "FIRST" in kinds(first.capitalize()) and head_of(others[-1]) is None


def _may_name(word: str) -> bool:
    return is_name(word) or not kinds(word.capitalize()).isdisjoint({"FIRST", "SURNAME"})


# Endings of what somebody is (Informed, Pending, Available), and no name.
_STATE_WORD = re.compile(
    r"(?:ed|ing|able|ive|al|ent|ant|ware|ly|es)\Z|\A(?:None|Yes|No|Away|Off|On)\Z"
)
_SMALL_NAME = re.compile(rf"[^\W\d_A-Z]{{2,20}} [^\W\d_A-Z]{{2,20}}{_TO_END}")


def _small_name(text: str, start: int) -> Iterator[Entity]:
    """Yield a listed first name and a surname in small letters behind a label of a form."""
    match = _SMALL_NAME.match(text, start)
    if match is None:
        return
    first, last = match[0].title().split()
    if "FIRST" in kinds(first) and _may_name(last):
        yield Entity(STATED["PERSON"], *match.span())


def _is_schema(value: str) -> bool:
    """Return whether a value says what shall stand there (required), or is the head of a column."""
    if value in words("SCHEMA_WORDS", HEADS):
        return True
    named = _words_of(value)
    return bool(named) and words("COLUMN_WORDS", HEADS).issuperset(named)  # | Surname | Status |


def _stated(head: Head, value: str, start: int, *, may_be_head: bool = False) -> Iterator[Entity]:
    """Yield the value that a label names, unless it is none of its kind.

    may_be_head: Whether what is a weak head elsewhere is a value here: Surname: Day.
    """
    if is_nothing(value) or _is_schema(value):
        return
    of_value = head_of(value)
    if of_value is not None and not (may_be_head and of_value.is_weak and of_value.part != "bare"):
        return
    end = start + len(value)
    if head.label == "AGE":
        yield from [Entity("DATE", start, end)] * (not is_young(value))
    elif head.is_weak or (head.label == "PERSON" and _is_role(value) and not may_be_head):
        return
    elif head.label != "USERNAME" or not is_only_ordinary(value):  # login: required
        label = _OF_ENTITY.get(head.label, head.label)
        yield Entity(STATED.get(label, label), start, end)


def _is_role(value: str) -> bool:
    """Return whether a value is a role in place of a name: Daughter."""
    return value.lower() in LISTED["ROLE"] | LISTED["TITLE"]


_PAIR = re.compile(
    rf"^[ |]{{0,9}}[*_]{{0,3}}(?P<key>[^\W\d_][^\n|\t:=*]{{0,{MAX_HEAD}}}?)[*_]{{0,3}}[ ]{{0,40}}"
    r"[|\t][ *_\"]{0,40}(?P<value>[^\n|\t]{1,80}?)[ *_\"|\r]{0,40}$",
    re.M,
)


def _in_pairs(text: str) -> Iterator[Entity]:
    """Yield the values of lines of two cells whose first is a label: | City | Reading |."""
    for match in _PAIR.finditer(text):
        head = head_of(match["key"])
        form = None if head is None else _VALUES.get(head.label)
        if head is None or form is None or not re.fullmatch(form, match["value"]):
            continue
        beside = _is_among_pairs(text, *match.span())
        if head.label not in STATED or beside is not False:
            is_sure = beside is True and head.part in ("given", "family")
            yield from _stated(head, match["value"], match.start("value"), may_be_head=is_sure)


def _is_among_pairs(text: str, start: int, end: int) -> bool | None:
    """Return whether a line of two cells stands beside others whose first cell is a label too, and
    is no row of heads; None if it stands by itself."""
    above = text[max(start - MAX_LINE, 0) : max(start - 1, 0)].rpartition("\n")[2]
    below = text[end + 1 : end + MAX_LINE].partition("\n")[0]
    rows = [row for row in (above, below) if "|" in row or "\t" in row]
    if below in rows and _RULE.fullmatch(below):
        return False
    firsts = [re.split(r"[|\t]", row.strip("| "))[0] for row in rows if not _RULE.fullmatch(row)]
    return any(head_of(first.strip(" *_")) is not None for first in firsts) if firsts else None


_LABEL = re.compile(
    rf"^[ \t>*#_-]{{0,9}}(?P<key>[^\W\d_][^\n:=|\t,;.!?<>*\"]{{1,{MAX_HEAD // 2}}})"
    r"[*_]{0,3}[ ]{0,9}"
    r"\r?\n{1,2}[ >]{0,9}(?P<value>[^\n]{1,60}?)[ \r]{0,9}$",
    re.M,
)


def _below_labels(text: str) -> Iterator[Entity]:
    """Yield the values of lines below one that is a label: First name, and Will below it."""
    place = 0
    while (match := _LABEL.search(text, place)) is not None:
        place = match.start("value")
        head = head_of(match["key"].rstrip())
        form = None if head is None else _VALUES.get(head.label)
        if head is None or form is None or head.label in ("ORG", "ADDRESS"):
            continue
        if re.fullmatch(form, match["value"]):
            yield from _stated(head, match["value"], match.start("value"))


@lru_cache(maxsize=1)
def _tagged() -> re.Pattern[str]:
    persons = [phrase for phrase, head in _heads().items() if head.label == "PERSON"]
    keys = _longest_first([*persons, *words("TAG_NAMES", HEADS)]).replace(r"\ ", "[ _-]?")
    first, second = (rf"[\"'](?P<{group}>{_WRITTEN})[\"']" for group in "ab")
    key = rf"(?i:(?:\w{{1,20}}:)?(?:{keys}))"
    return re.compile(
        rf"<{key}\b[^<>]{{0,200}}?\bvalue\s?=\s?{first}|\s{key}\s?=\s?{second}|"
        rf"<{key}\b[^<>]{{0,200}}>\s{{0,9}}(?P<c>{_WRITTEN})(?=\s{{0,9}}</)|"
        rf"[>\"](?P<d>{_WRITTEN})(?=</|\"[^<>]{{0,200}}>)"
    )


def _longest_first(keys: Iterable[str]) -> str:
    return "|".join(sorted((re.escape(key.strip()) for key in keys), key=len, reverse=True))


def _in_tags(text: str) -> Iterator[Entity]:
    """Yield names whose tag or attribute names a person, and names that are alone in one."""
    for match in VOICE.finditer(text):
        if all(map(_may_name, match[1].split())):
            yield Entity(STATED["PERSON"], *match.span(1))
    for match in _tagged().finditer(text):
        group = str(match.lastgroup)
        if group != "d" or _is_name_alone(match[group].split()):
            yield Entity("PERSON", *match.span(group))


_TAG_PAIR = re.compile(
    r"<(?P<mark>b|strong|em|i|label|span)\b[^<>]{0,200}>\s{0,9}(?P<bold>[^<>\n:]{2,60}?)\s{0,9}:\s{0,9}</(?P=mark)>"
    r"\s{0,9}(?P<beside>[^<>\n]{1,80}?)\s{0,9}(?=<|\n|\Z)|"
    r"<(?:td|th|dt)\b[^<>]{0,200}>\s{0,9}(?P<key>[^<>\n:]{2,60}?)\s{0,9}:?\s{0,9}(?:</(?:td|th|dt)>\s{0,9})?"
    r"<(?:td|dd)\b[^<>]{0,200}>\s{0,9}(?P<value>[^<>\n]{1,80}?)\s{0,9}(?=<|\n|\Z)|"
    r"<input\b[^<>]{0,200}?\sname\s?=\s?[\"'](?P<name>[^\"'<>]{1,60})[\"'][^<>]{0,200}?"
    r"\svalue\s?=\s?[\"'](?P<typed>[^\"'<>]{1,80})[\"']"
)


_GROUPS_OF_TAGS = {"key": "value", "bold": "beside", "name": "typed"}


def _in_tag_pairs(text: str) -> Iterator[Entity]:
    """Yield the values of cells behind a label, and of named fields of a form."""
    found = list[tuple[str, str, int]]()
    for match in _TAG_PAIR.finditer(text):
        key, group = next((match[k], g) for k, g in _GROUPS_OF_TAGS.items() if match[k])
        found.append((key, match[group], match.start(group)))
    is_form = len({key for key, *_ in found if head_of(key)}) > 1
    for key, value, start in found:
        head = head_of(key)
        form = None if head is None else _VALUES.get(head.label)
        if head is None or form is None or not re.fullmatch(form, value):
            continue
        if head.is_weak and head.label == "PERSON":
            if is_full_name(value) or (is_form and _is_name_of(key, head, value)):
                yield Entity(STATED["PERSON"], start, start + len(value))
        else:
            yield from _stated(head, value, start)


def _is_name_alone(named: list[str]) -> bool:
    """Return whether words without context are a name: none is common, and one is listed."""
    parts = {"FIRST", "SURNAME", "NEW", "INITIAL", "PARTICLE"}
    listed = [word for word in named if is_name(word) and not is_word(word.lower())]
    return bool(listed) and not any(parts.isdisjoint(kinds(word)) for word in named)


Columns = tuple[Head | None, ...]
Mark = str | tuple[int, ...]  # the delimiter of a row, or where its columns begin
_POINTED = re.compile(r"([0-3]?\d)\.([01]?\d|[12]\d|3[01])\.?", re.A)
_BESIDE_CELL = " \t\"'*\r"


def values_in_columns(text: str) -> Iterator[Entity]:
    """Yield the values of a text below heads of columns, in characters."""
    for start, row, columns in _rows(text, head_of):
        for entity, _ in _cells_of_row(start, row, columns):
            yield entity


def _in_columns(text: str) -> Iterator[Entity]:
    """Yield the values below heads of columns, those of sure heads with a label of STATED."""
    done = dict[tuple[Columns, int], list[tuple[int, str]]]()  # cells below heads of what was done
    dated = dict[Columns, list[Entity]]()
    for start, row, columns in _rows(text, head_of):
        if any(head is not None and head.part == "done" for head in columns):
            at = start
            for number, (cell, head) in enumerate(zip(row, columns, strict=True)):
                if head is not None and head.part == "done":
                    done.setdefault((columns, number), []).append((at, cell))
                at += len(cell) + 1
        for entity, head in _cells_of_row(start, row, columns):
            is_person = entity.label == "PERSON" and is_full_name(text[entity.start : entity.end])
            is_sure = is_person or not head.is_weak
            label = STATED.get(entity.label, entity.label) if is_sure else entity.label
            yield entity._replace(label=label)
            if head.label == "DATE":
                dated.setdefault(columns, []).append(entity)
    for cells in done.values():
        yield from _days_done(cells)
    for days in dated.values():
        yield from _days_stated(text, days)


def _days_stated(text: str, days: Sequence[Entity]) -> Iterator[Entity]:
    """Yield the days of the columns of dates of a table that have a full stop between day and month
    (15.07), if some do and each of these may be one, in one order."""
    pairs = [(day, _POINTED.fullmatch(text, day.start, day.end)) for day in days]
    read = [(int(pair[1]), int(pair[2])) for _, pair in pairs if pair is not None]
    orders = (read, [(month, day) for day, month in read])
    if len(read) > 1 and any(all(d < 32 and 0 < m < 13 for d, m in order) for order in orders):
        yield from (day._replace(label=STATED_DAY) for day, pair in pairs if pair is not None)


def _days_done(cells: Sequence[tuple[int, str]]) -> Iterator[Entity]:
    """Yield the days in the cells of a column of what was done, each with its place: 12/20, 12/23.
    They are scores if one is no day, or all are out of as many (12/20, 8/20) and none is above."""
    bare = [(start + c.index(c.strip(_BESIDE_CELL)), c.strip(_BESIDE_CELL)) for start, c in cells]
    pairs = [pair for _, cell in bare if (pair := _PAIR_OF_DAY.fullmatch(cell)) is not None]
    are_days = all(_DAY_OF_EVENT.fullmatch(pair[0]) for pair in pairs)
    are_scores = len({pair[2] for pair in pairs}) < 2 and all(
        int(pair[1]) <= int(pair[2]) for pair in pairs
    )
    if are_days and not are_scores:
        for start, cell in bare:
            if _DAY_OF_EVENT.fullmatch(cell):
                yield Entity("DATE", start, start + len(cell))


def _rows(
    text: str, read: Callable[[str], Head | None]
) -> Iterator[tuple[int, list[str], Columns]]:
    """Yield the place, the cells and the columns of each row below a line of heads, while lines
    have as many cells."""
    tables: dict[tuple[Mark, Columns], None] = {}
    start, rows = 0, text.split("\n")
    for number, row in enumerate(rows):
        if tables and not (_RULE.fullmatch(row) and row.strip()):
            for mark, columns in [*tables]:
                cells = _cells_of(row, mark, len(columns))
                if cells is None:
                    del tables[mark, columns]
                else:
                    yield start, cells, columns
        if (found := _heads_of_row(row, read, rows[number + 1 : number + 3])) is not None:
            tables[found] = None
            if len(tables) > MAX_TABLES:
                del tables[next(iter(tables))]
        start += len(row) + 1


def _cells_of(row: str, mark: Mark, count: int) -> list[str] | None:
    """Return the cells of a row, or None if it has not as many. Commas may be part of a cell."""
    if isinstance(mark, tuple):
        return cells_below(row, mark)
    if row.count(mark) + 1 == count:
        return row.split(mark)
    commas = commas_of_row(row, count - 1) if mark == "," else None
    if commas is None:
        return None
    edges = [-1, *commas, len(row)]
    return [row[first + 1 : last] for first, last in pairwise(edges)]


_SHORT_HEAD = re.compile(r"(?i)\b(?:no|nr|qty|ref|tel|temp|amt|vol|avg|min|max|dept|approx)\.\Z")


# What a day or a time heads, as in a list of events: 4/28 No school, teachers work.
_DATED_CELL = re.compile(r"\d{1,2}[/.:]\d\d?(?:[/.]\d{2,4})?[ \t]+[^\W\d_]")


def _ends_sentence(name: str) -> bool:
    """Return whether a full stop beside commas ends a sentence, rather than a short word."""
    return "." in _SHORT_HEAD.sub("", name)


def _heads_of_row(
    row: str, read: Callable[[str], Head | None], below: list[str]
) -> tuple[Mark, Columns] | None:
    """Return the delimiter, or where the columns begin, and the heads of a row with at least two of
    them, or with one that says more than "name" where the rows below make it the first of a
    table."""
    if "  " in row and (starts := columns_in(row)) is not None:
        return _aligned_heads(row, starts, read, below)
    mark = max("|\t;,", key=row.count)
    if mark not in row:
        return None
    names = [name.strip(" \t\"'*\r") for name in row.split(mark)]
    if any(len(name) > MAX_HEAD or (mark == "," and _ends_sentence(name)) for name in names):
        return None
    if any(map(_DATED_CELL.match, names)):
        return None
    found = _with_others(names, [read(name) if name else None for name in names])
    known = [head for head in found if head is not None]
    pairs = zip(names, found, strict=True)
    columns = tuple(head or _head_of_event(name, *_OF_EVENTS) for name, head in pairs)
    has_event = columns != tuple(found)
    says_more = has_event or (len(known) == 1 and known[0].part != "bare")
    is_read = len(known) > 1 or (says_more and _is_over_table(names, mark, below))
    return (mark, columns) if is_read and not _is_list_of_labels(mark, below) else None


def _aligned_heads(
    row: str, starts: tuple[int, ...], read: Callable[[str], Head | None], below: list[str]
) -> tuple[Mark, Columns] | None:
    """Return where the columns begin, and the heads, of a row with two known ones over one with two
    cells at least, or with one over two rows that fill most of at least three columns."""
    names = [name.strip() for name in cells_below(row, starts) or ()]
    found = _with_others(names, [read(name) if name else None for name in names])
    columns = tuple(
        head or _head_of_event(name, *_OF_EVENTS) for name, head in zip(names, found, strict=True)
    )
    known = sum(head is not None for head in columns)
    is_ruled = bool(below) and _RULE.fullmatch(below[0]) is not None and bool(below[0].strip())
    rows = [cells_below(row, starts) or () for row in below[is_ruled:]]
    filled = [sum(map(bool, map(str.strip, cells))) for cells in rows]
    if not (known and filled and filled[0] > 1):
        return None
    is_full = len(filled) > 1 and min(filled) >= max(len(names) - 1, MIN_COLUMNS - 1)
    if known + is_ruled < 2 and not (is_full and len(names) >= MIN_COLUMNS):
        return None
    return starts, columns


def _is_list_of_labels(mark: str, below: list[str]) -> bool:
    """Return whether the rows below one begin with labels, so that it is one with its value, and no
    row of heads: | Surname | Case | over | DOB | 3/4/85 |."""
    rows = [row for row in below if mark in row and not _RULE.fullmatch(row)]
    firsts = [head_of(row.strip(" |").split(mark)[0].strip(' *_"')) for row in rows]
    return any(head and not head.is_weak for head in firsts) and None not in firsts


def _is_over_table(names: list[str], mark: str, below: list[str]) -> bool:
    """Return whether a row is the first of a table: over a line, or one of short cells, without
    digits, over two rows with as many cells."""
    if any(row.count(mark) != len(names) - 1 for row in below):
        return False
    if below and mark in below[0] and _RULE.fullmatch(below[0]):
        return True
    filled = [name for name in names if name]
    if len(filled) == 2 and mark in "|\t":
        return len(below) == 2 and not any(head_of(row.partition(mark)[0]) for row in below)
    are_short = all(len(name.split()) <= MAX_HEAD_WORDS for name in filled)
    has_digit = any(map(str.isdigit, "".join(filled)))
    return len(below) == 2 and len(filled) > 2 and are_short and not has_digit


_VALUE_CELL = re.compile(  # 12.5, < 8 %, 4-6 d, 3/4"
    r"[<>≤≥=~±+−-]{0,2}\s?\d{1,6}(?:[.,]\d{1,4})?(?:\s?[-–/]\s?\d{1,6}(?:[.,]\d{1,4})?)?\s?"
    r"[^\W\d_]{0,8}[%°\"″'′]?"
)


_AMOUNT_CELL = re.compile(r"[<>≤≥=~±+−-]{1,2}\s?\d|\d{1,6}[.,]\d\d?(?!\d)")
MIN_AMOUNTS = 3  # cells of a column whose values show that they are amounts
# A label and its value, alone on a line or apart from others: Occupation: Welder    Phone: 0123.
_LABELLED = re.compile(
    r"(?:^|[ \t]{3})(?P<label>[A-Z][A-Za-z ]{2,30}):[ \t]{1,9}"
    r"(?P<value>[^\s|,;](?:[^\s|,;]| (?! ))*)",
    re.M,
)


def facts_in(text: str) -> list[tuple[int, int, str]]:
    """Return the cells and values of a text whose head, or label, says that they hold a fact, in
    characters, in order, each with the label of the head."""
    facts = list[tuple[int, int, str]]()
    timed = dict[tuple[Columns, int], list[tuple[int, str]]]()  # cells that may be times of day
    for start, row, columns in _rows(text, _any_head_of):
        for number, (cell, head) in enumerate(zip(row, columns, strict=True)):
            if label := _fact_of(head, cell):
                facts.append((start, start + len(cell), label))
            if (head is None or head.label == "TIME" or head.part in _OF_EVENTS) and any(
                map(str.isdigit, cell)
            ):
                timed.setdefault((columns, number), []).append((start, cell))
            start += len(cell) + 1
    for (columns, number), cells in timed.items():
        bare, head = [cell.strip(_BESIDE_CELL) for _, cell in cells], columns[number]
        held = "HOURS" if _are_hours(head, bare) else ""
        if head is None and _are_amounts(bare):
            held = "VALUE"
        facts += [(start, start + len(cell), held) for start, cell in cells if held]
    for match in _LABELLED.finditer(text):
        head = _any_head_of(match["label"])
        is_plate = pattern("IDENTIFIER").fullmatch(match["value"]) is not None
        if head is not None and head.label == "WARE" and not is_plate:
            facts.append((*match.span("value"), "WARE"))
    return sorted(facts)


def fact_of(name: str, cell: str) -> str:
    """Return the label of the head of a column if that says that a cell of it holds a fact, as
    `facts_in` does of the cells of a text; else ""."""
    return _fact_of(_any_head_of(name), cell)


def _are_hours(head: Head | None, cells: Sequence[str]) -> bool:
    """Return whether all cells of a column are times of day, of which one can be nothing else:
    0800 and 1800, 8a and 5. Without a head for times, all have four digits."""
    form = _IN_CLOCK_COLUMN if head is not None and head.label == "TIME" else _FOUR
    if not all(map(form.fullmatch, cells)):
        return False
    return any(_WITH_HALF.search(c) or _SURE_FOUR.fullmatch(c) or ":" in c for c in cells)


def _are_amounts(cells: Sequence[str]) -> bool:
    """Return whether all cells of a column are amounts, by their values: a sign or decimals in one,
    or far more digits in one than in another. Codes have as many in each."""
    sizes = [sum(map(str.isdigit, cell)) for cell in cells]
    if len(cells) < MIN_AMOUNTS or not all(map(_VALUE_CELL.fullmatch, cells)):
        return False
    is_signed = any(_AMOUNT_CELL.match(cell) for cell in cells)
    return is_signed or (min(sizes) < MIN_CODE <= max(sizes))


def _fact_of(head: Head | None, cell: str) -> str:
    if head is not None and head.label == "TIME":
        bare = cell.strip(_BESIDE_CELL)
        is_time = _is_clock(head, bare) or _PERIOD.fullmatch(bare)
        return "HOURS" if is_time else ""
    if head is None or head.label not in FACTS:
        return ""
    is_one = head.label != "VALUE" or _VALUE_CELL.fullmatch(cell.strip())
    return head.label if is_one else ""


def _is_plain_number(head: Head, cell: str) -> bool:
    """Return whether a cell is an age that may stay, or the number of a row."""
    is_row = head.label == "ID" and head.is_weak and cell.isdigit() and len(cell) < MIN_CODE
    return is_row or (head.label == "AGE" and is_young(cell))


def is_young(age: str) -> bool:
    """Return whether an age may stay."""
    return all(int(number) < TOP_AGE for number in re.findall(r"\d{1,9}", age))


def _cells_of_row(start: int, values: list[str], columns: Columns) -> Iterator[tuple[Entity, Head]]:
    """Yield the values of the cells of a row, each with its head."""
    for value, head in zip(values, columns, strict=True):
        bare = value.strip(" \t\"'*\r")
        if head is not None and bare and not _is_plain_number(head, bare):
            first = start + value.index(bare)
            for label, begin, end in values_of_cell(head, bare):
                yield Entity(label, first + begin, first + end), head
        start += len(value) + 1


# -- the row of heads of a table in a text ---------------------------------------------------------

MIN_MARKS = 4  # between the cells of the smallest table
MIN_HEADS = 0.6  # share of the cells of the first row of a table that say that all are heads
CELL_MARKS = "|\t;"


_TERM = re.compile(r"\b[A-Z]{1,2}\d\b")  # of a school: change from T1
_SHORT_CELL = re.compile(r"[A-Z]{2,4}")
_QUOTED = re.compile(r'"[^"]*"')  # a cell


def head_rows(text: str) -> Iterator[tuple[int, int]]:
    """Yield rows of heads, in characters: the first row of a table, over rows with as many cells.
    Most of its cells are common words; all of them, if no row has a digit."""
    if not any(text.count(mark) >= MIN_MARKS for mark in (*CELL_MARKS, ",")):
        return
    start, last, rows = 0, -1, text.split("\n")
    for number, row in enumerate(rows):
        # Commas of a table have no blank behind them.
        mark = max(CELL_MARKS if ", " in row else (*CELL_MARKS, ","), key=row.count)
        count = row.count(mark)
        if count > 1 and count != last and not any(map(str.isdigit, _TERM.sub("", row))):
            below = [r for r in rows[number + 1 : number + 4] if not _RULE.fullmatch(r)][:2]
            is_table = len(below) == 2 and all(
                _QUOTED.sub("", r).count(mark) == count for r in below
            )
            share = 1.0 if not any(map(str.isdigit, "".join(below))) else MIN_HEADS
            if is_table and _are_heads(row.split(mark), share):
                yield start, start + len(row)
        start, last = start + len(row) + 1, count


def _are_heads(cells: list[str], share: float) -> bool:
    """Return whether a share of the cells are heads, days, or common words that are no names."""
    filled = [cell for cell in map(str.strip, cells) if cell]
    heads = [head_of(cell) is not None or _is_common_cell(cell) for cell in filled]
    plain = sum(heads)
    if share < 1 and any(heads):  # NAME | ENG | MAT | TOT
        others = (cell for cell, is_head in zip(filled, heads, strict=True) if not is_head)
        plain += sum(_SHORT_CELL.fullmatch(cell) is not None for cell in others)
    return len(filled) > 1 and plain >= share * len(filled)


def _is_common_cell(cell: str) -> bool:
    texts = _LETTERS.findall(cell)
    return bool(texts) and all("WEEKDAY" in kinds(text) or is_only_ordinary(text) for text in texts)
