"""The value of a head: what of a cell, or of the value of a field, names, dates or identifies.

A cell holds more than its head says: two persons, a remark in brackets, nothing ("n/a"), or a
sentence, in which other rules find what there is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..text.mentions import Entity, is_word
from ..text.speakers import NO_INITIALS
from .heads import BETWEEN, HEADS, LETTERS, MAX_HEAD_WORDS, Head, head_of, plain
from .tables import LISTED, PERSON_WORDS, TOP_AGE, expanded, words
from .words import is_name, is_only_ordinary, is_town, kinds

MIN_CODE = 4  # digits of a number below a head such as "id", which is no number of a row
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
IN_CLOCK_COLUMN = re.compile(
    r"(?:(?:not |any ?time |just |shortly )?(?:before|after|by|from|until|till?|around|about|"
    rf"approx\.?|ca?\.?|circa|at|past|@|~|[<>]) ?)?{_CLOCK_HOUR}(?: ?[-–] ?ish|ish|\+|\?)?"
    rf"(?:(?: ?[-–] ?| to | or | and | till? | until ){_CLOCK_HOUR})?"
    r"(?: ?o['’]clock| sharp| latest| earliest| onwards?| or (?:so|later|earlier))?",
    re.I,
)
# Below a head of times, those that have a sign of one, and periods and results, which are no days.
WITH_HALF = re.compile(r"\d ?(?:[ap](?:\.?m\.?)?(?!\w)|o['’]clock|ish)|noon|midday|midnight", re.I)
PERIOD = re.compile(
    r"[+~<>]?(?:\d{1,4}(?:[.,]\d{1,3})? ?(?:h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?|d|"
    r"days?|wks?|weeks?|['′’\"″”]{1,2}),? ?){1,4}|\d{1,3}:\d\d\.\d{1,3}",
    re.I,
)
SURE_FOUR = re.compile(r"(?:0\d|1[0-4]|2[1-3])[0-5]\d", re.A)
_DOTTED_DAY = re.compile(r"(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.(?:\d\d)?")  # 3.4.85
_DOTTED_DATE = re.compile(  # 04.13.85, 09.30
    r"\d{1,2}\.\d{1,2}\.(?:\d\d)?|(?:0?[1-9]|1[0-2])\.(?:[0-2]?\d|3[01])|"
    r"(?:[0-2]?\d|3[01])\.(?:0?[1-9]|1[0-2])"
)
_NUMBER = re.compile(  # with its extension
    r"\+?(?:\([\d ]{1,6}\)|\d)(?:[ ().–-]{0,3}\d)*(?: ?(?:x|ext\.?|#) ?\d+)?", re.I
)
OF_ENTITY = {"USERNAME": "ID"}
# Which of the teams of a club it is: Tolmere A, Tolmere 2nd XI.
_WHICH_TEAM = re.compile(
    r"(?: (?:[A-F]|[\dIV]{1,3}|XI|\d(?:st|nd|rd|th)s?|U-?\d\d|Under[ -]\d\ds?|Ladies|Men|Women|"
    r"Boys|Girls|Juniors|Seniors|Reserves))+\Z"
)
# A cell below the head of an event that is a day without its year, and one of such a form: 12/20.
OF_EVENTS = frozenset({"due", "done"})
DAY_OF_EVENT = re.compile(
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
    named = BETWEEN.sub(" ", plain(cell)).split()
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
    if head.part in OF_EVENTS:
        is_day = head.part == "due" and DAY_OF_EVENT.fullmatch(bare)
        return [Entity("DATE", start, start + len(bare))] if is_day else []
    if label in _DIGITS:
        is_other = _LEAST_AGE.fullmatch(bare) or (label == "TIME" and PERIOD.fullmatch(bare))
        if is_other or not any(map(str.isdigit, bare)):
            return []
        label = "TIME" if is_clock(head, bare) else "DATE"
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
        Entity(OF_ENTITY.get(label, label), start + first, start + last) for first, last in spans
    ]


def _is_of_ordinary(cell: str) -> bool:
    """Return whether all words of a cell are ordinary, or a letter: Red, Under 12s, Home B."""
    named = [word for word in LETTERS.findall(cell) if len(word) > 1]
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


def is_clock(head: Head, cell: str) -> bool:
    """Return whether a cell below a head is a time of day without a date: 09:30.

    What is written with full stops is a date below a head of dates if it can be one: 03.04, 9.30.
    Below a head of times it needs three parts for that: 3.4.85. A number alone is an hour below a
    head that says so (Time), and may be a day below others (Seen, Start).
    """
    if head.label == "TIME" and IN_CLOCK_COLUMN.fullmatch(cell):
        is_sure = not head.is_weak or head.part == "clock"
        if is_sure or WITH_HALF.search(cell) or SURE_FOUR.fullmatch(cell):
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
    named = LETTERS.findall(cell)
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
    named = LETTERS.findall(place)
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
    left = {*LETTERS.findall(old)} & {*LETTERS.findall(new)}
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


def is_full_name(value: str) -> bool:
    """Return whether a value is a listed first name with a word or two behind it, all with
    capitals: Will Young, Rose Field."""
    first, *others = value.split()
    if not 0 < len(others) < MAX_HEAD_WORDS or not value[0].isupper() or is_nothing(others[0]):
        return False
    are_capital = all(w[0].isupper() or w in LISTED["PARTICLE"] for w in others)
    return are_capital and "FIRST" in kinds(first.capitalize()) and head_of(others[-1]) is None


def is_plain_number(head: Head, cell: str) -> bool:
    """Return whether a cell is an age that may stay, or the number of a row."""
    is_row = head.label == "ID" and head.is_weak and cell.isdigit() and len(cell) < MIN_CODE
    return is_row or (head.label == "AGE" and is_young(cell))


def is_young(age: str) -> bool:
    """Return whether an age may stay."""
    return all(int(number) < TOP_AGE for number in re.findall(r"\d{1,9}", age))
