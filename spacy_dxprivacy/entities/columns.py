"""Mentions of the values of columns in the other texts of their record.

A cell whose head says what it holds is surer than any list: if `patient` holds Will Young, then
Will is a person in the note beside it, though it is a common word. A mention has the capitals of
the value, or capitals throughout; a word in small letters is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from spacy.lang.en.stop_words import STOP_WORDS

from ..text.mentions import NAME_PARTICLES, Entity, is_word
from ..text.tokens import Tokens
from .cells import MIN_CODE, values_of_cell
from .heads import HEADS, Head
from .phrases import STREET_WORDS
from .tables import LISTED, words
from .words import is_only_ordinary, kinds

_OF_NUMBERS = frozenset({"ADDRESS", "PHONE"})
MIN_NUMBER = 5  # characters of an address or a telephone number that is searched
_NO_NAME_PART = words("NO_NAME_PART") | LISTED["TITLE"] | NAME_PARTICLES | {"the", "and"}
_WORDS = re.compile(r"[^\s,;/()-]+")
_PLACES = re.compile(r"[^,;/()]+")
# Beside a value within a longer word, an address of mail or a file.
_GLUED_BEFORE = re.compile(r"[\w@]\Z|\w[._]\Z")
_GLUED_AFTER = re.compile(r"[\w@]|[._]\w|-[a-z\d]")
_HOUSE, _NEXT_WORD = re.compile(r"\d[ a-z]{1,2}\Z"), re.compile(r" ([^\W\d_]+)")
_AFTER_INITIAL = re.compile(r"['’:]|\.(?!\w)")
_CALENDAR = frozenset({"MONTH", "SURE_MONTH", "WEEKDAY", "SURE_WEEKDAY"})
_BEFORE_DAY = re.compile(
    r"(?i)(?:\b(?:in|last|next|since|until|till|early|late|mid|during|this|every|each)[ -]|"
    r"\d(?:st|nd|rd|th)?(?: of)?[ /-])\Z"
)
_AFTER_DAY = re.compile(r"[ .,/-]{1,2}\d")
# Will she? May be discharged: no verb of a person, before whom "will" would stand otherwise.
_ASKS = re.compile(
    r" (?:you|he|she|it|they|we|I|there|the|not|be|have|need|require|do|go|get|see|try|take|call|"
    r"ring|send|bring|continue|return|start|review|discuss|follow|arrange)\b"
)
_OPENS = re.compile(r"(?:\A|[\n.?!:;(*\-–])[ \t\"“'‘]{0,9}\Z")
Cell = tuple[Head, str]


def mentions_of(cells: Iterable[Cell]) -> dict[str, str]:
    """Return how the values of cells are written in other texts, longest first, each with its
    label. Of one written as two labels, that of the person counts."""
    forms = dict[str, str]()
    for head, cell in cells:
        for label, start, end in values_of_cell(head, cell):
            for form in _forms_of(head, label, cell[start:end]):
                forms[form] = "PERSON" if "PERSON" in (label, forms.get(form)) else label
    return {form: forms[form] for form in sorted(forms, key=len, reverse=True)}


def _forms_of(head: Head, label: str, value: str) -> Iterator[str]:
    if label == "PERSON":
        for name in (value, *_parts_of(head, value)):
            yield from _in_capitals(name)
    elif label == "GPE":
        for place in (value, *map(str.strip, _PLACES.findall(value))):
            yield from _in_capitals(place)
    elif label == "ORG":
        if not all(is_word(word.lower()) for word in value.split()) or " " in value:
            yield from _in_capitals(value)
    elif label == "ID":
        is_code = any(map(str.isdigit, value)) and len(value) > 1
        is_user = head.label == "USERNAME" and not is_word(value.lower())
        if is_user or (is_code and not (value.isdigit() and len(value) < MIN_CODE)):
            yield value
    elif label in _OF_NUMBERS and len(value) >= MIN_NUMBER:
        yield value


def _parts_of(head: Head, name: str) -> list[str]:
    """Return the words of a full name that name someone on their own: Will and Young, but neither
    "Dr" nor the words of "Crisis Team"."""
    parts = [word.strip(".'’\"") for word in _WORDS.findall(name)]
    parts = [p for p in parts if len(p) > 1 and p.lower().rstrip(".") not in _NO_NAME_PART]
    is_full = head.part not in ("given", "family")
    is_group = is_full and not words("GROUP_WORDS", HEADS).isdisjoint(name.lower().split())
    return [part for part in parts if not (is_group and is_only_ordinary(part))]


def _in_capitals(name: str) -> Iterator[str]:
    """Yield a name as it is written, and as it is written in capitals or with one."""
    yield from (name,) * (not name.islower())
    yield name.upper()
    if name.islower() or name.isupper():
        yield name.title()


def mentions_in(text: str, forms: dict[str, str]) -> list[Entity]:
    """Return the mentions in a text, in characters and in order; adjacent names are one person's.

    Args:
        text: A text of the record whose cells have these forms.
        forms: What `mentions_of` returns.
    """
    found, taken = list[Entity](), bytearray(len(text))
    for form, label in forms.items():
        start = text.find(form)
        while start >= 0:
            end = start + len(form)
            if not any(taken[start:end]) and _is_mention(text, start, end, label):
                found.append(Entity(label, start, end))
                taken[start:end] = b"\1" * len(form)
            start = text.find(form, end)
    return _joined(text, sorted(found, key=lambda entity: entity.start))


def names_again(tokens: Tokens, persons: Iterable[tuple[int, int]]) -> list[Entity]:
    """Return further mentions, in tokens, of the persons that labels of a text name, whose word
    opens a sentence and is among the commonest (Will came): all others are found anyway.

    persons: Their places, in characters.
    """
    text, head = tokens.text, Head("PERSON")
    names = (form for s, e in persons for form in _forms_of(head, "PERSON", text[s:e]))
    forms = {name for name in names if name.lower() in STOP_WORDS}
    found = list[Entity]()
    for i, word in enumerate(tokens.texts) if forms else ():
        if word in forms and not _is_shouted(tokens.texts, i):
            start = tokens.start_of(i)
            if _is_mention(text, start, start + len(word), "PERSON"):
                found.append(Entity("PERSON", i, i + 1))
    return found


def _is_shouted(texts: Sequence[str], i: int) -> bool:
    """Return whether a word in capitals stands beside a common one in capitals: SHE WILL COME."""
    beside = (*texts[max(i - 1, 0) : i], *texts[i + 1 : i + 2])
    return texts[i].isupper() and any(w.isupper() and is_word(w.lower()) for w in beside)


def _joined(text: str, found: list[Entity]) -> list[Entity]:
    joined = list[Entity]()
    for entity in found:
        last = joined[-1] if joined else entity
        are_names = last.label == entity.label == "PERSON" and last is not entity
        if are_names and text[last.end : entity.start] == " ":
            joined[-1] = last._replace(end=entity.end)
        else:
            joined.append(entity)
    return joined


def _is_mention(text: str, start: int, end: int, label: str) -> bool:
    """Return whether a form in a text is a word, and neither a day nor a verb."""
    before, after = text[max(start - 3, 0) : start], text[end : end + 2]
    if label == "ID":
        return not (before[-1:].isalnum() or after[:1].isalnum())
    if _GLUED_BEFORE.search(before) or _GLUED_AFTER.match(after):
        return False
    street = _NEXT_WORD.match(text, end) if _HOUSE.search(before) else None
    if street and street[1].lower() in STREET_WORDS:
        return False  # 12 Bury Street is an address as a whole
    if label != "PERSON":
        return True
    form = text[start:end]
    if len(form) == 1:
        return _AFTER_INITIAL.match(text, end) is not None
    named = kinds(form.capitalize())
    if not _CALENDAR.isdisjoint(named) and _is_day(text, start, end, named):
        return False
    is_verb = "MODAL" in named and _ASKS.match(text, end) is not None
    return not (is_verb and _OPENS.search(text, max(start - 12, 0), start))


def _is_day(text: str, start: int, end: int, named: frozenset[str]) -> bool:
    """Return whether a month or a weekday that is also a name is a day: in May, 3 June, on
    Sunday."""
    opening = max(start - 12, 0)
    if "WEEKDAY" in named and re.search(r"(?i)\bon \Z", text[opening:start]):
        return True
    return bool(_BEFORE_DAY.search(text, opening, start) or _AFTER_DAY.match(text, end))
