"""Values within a text that a label, a key or a tag names: Name: Will Young, <dob>, "age": 91."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from ..text.coded import VOICE
from ..text.mentions import Entity, is_word
from .cells import OF_ENTITY, is_full_name, is_nothing, is_young
from .heads import HEADS, MAX_HEAD, STATED, Head, head_of, known_heads, words_of_head
from .table_rows import RULE, in_columns
from .tables import LISTED, expanded, words
from .words import builtin_lexicon, is_name, is_only_ordinary, kinds

MAX_LINE = 200  # characters of the line below one of two cells
# Bounded: otherwise a search scans a run of blanks again from each blank.
BLANKS = r"[ \t]{0,40}"
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


def values_in(text: str) -> Iterator[Entity]:
    """Yield values of a text that a label, column head or tag names, in characters; those of sure
    heads have a label of STATED."""
    if "<" in text and ">" in text:
        yield from _in_tags(text)
        yield from _in_tag_pairs(text)
    if ":" in text or "=" in text:
        yield from _in_lines(text)
    if "\n" in text:
        yield from in_columns(text)
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
    is_staff = not words("STAFF", HEADS).isdisjoint(words_of_head(key)) or key.lower().endswith(
        " by"
    )
    is_state = _STATE_WORD.search(value) is not None or head_of(value) is not None
    return is_staff and len(named) == 1 and not is_state


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
    named = words_of_head(value)
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
        label = OF_ENTITY.get(head.label, head.label)
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
    if below in rows and RULE.fullmatch(below):
        return False
    firsts = [re.split(r"[|\t]", row.strip("| "))[0] for row in rows if not RULE.fullmatch(row)]
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
    persons = [phrase for phrase, head in known_heads().items() if head.label == "PERSON"]
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
