"""What the rules found, looked at once more: terms that are no persons go, lists of persons are
completed, and names that were found are found again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from spacy.tokens import Doc

from ..text.mentions import Entity, is_word, mentions
from .lists import FOLLOWING, LISTED, NAMES, TERM_NOUNS
from .standing import relabelled
from .terms import GOODS, PRODUCTS, is_known_firm
from .words import builtin_lexicon

JOINTS = frozenset({",", "and", "&", "or"})
OWNERS = frozenset("the a an my our your his her their its this that".split())
_PEOPLE = frozenset(
    "man woman boy girl male female person child baby lady gentleman guy kid doctor nurse lawyer "
    "student year-old old best great good nice kind very".split()
)
# What begins a line and a list of values, in notes and mails.
STOP_LINES = frozenset(
    "Date Time Subject Address Phone Email Mail Fax Mobile Diagnosis Plan Assessment History "
    "Medications Allergies Age Sex Gender Dob Note Notes Re Sent Location Place Company Title "
    "Summary Question Answer Total Amount Order Ticket Reference Department Position Interviewer "
    "Operator Host Guest Speaker Narrator Therapist Translator Daughter Mother Family".split()
)
_BULLETS = frozenset("- * • – ·".split())
_SAYING = re.compile(r"([^\W\d_]+):[\"'“‘\w]")  # a tokenizer leaves it in one piece
_NUMBER = re.compile(r"\d{1,3}[.)]?")
_VERBS = FOLLOWING["CUE"] | FOLLOWING["AUX"] | {"and", "or", "in", "on", "at", "of", "to"}


def without_terms(doc: Doc, matches: Iterable[Entity]) -> Iterator[Entity]:
    """Without drugs, and without persons whom an illness, a sign or a device is called after."""
    for label, start, end in relabelled(doc, list(matches)):
        if label in ("PERSON", "GPE") and _is_known_firm(doc, start, end):
            label = "ORG"
        if label not in ("PERSON", "GPE") or not _is_term(doc, start, end):
            firm = label == "PERSON" and _is_firm(doc, start, end)
            yield "ORG" if firm else label, start, _hyphened(doc, end) if label == "PERSON" else end


def _hyphened(doc: Doc, end: int) -> int:
    """Where a name ends that goes on as "Hauta-aho" does."""
    if end + 1 >= len(doc) or doc[end].text not in ("-", "‐"):
        return end
    joined = not (doc[end].whitespace_ or doc[end - 1].whitespace_)
    return end + 2 * (joined and doc[end + 1].is_alpha and not is_word(doc[end + 1].lower_))


def _is_firm(doc: Doc, start: int, end: int) -> bool:
    """Whether one word that no list holds stands as the name of a firm does: "at Zorblatt", "her
    Zorblatt account", or on a line of its own that is not a closing."""
    word = doc[start].text
    if end - start > 1 or builtin_lexicon().of(word.capitalize()) & NAMES:
        return False
    after = doc[end] if end < len(doc) else None
    if not start or doc[start - 1].text in ".?!" or doc[start - 1].is_space:
        return _is_thing(doc, end) or _stands_alone(doc, start, end)
    before = doc[start - 1]
    if before.lower_ == "at":
        return True
    if before.lower_ in OWNERS:
        return (
            after is not None and after.is_lower and after.is_alpha and after.lower_ not in _VERBS
        )
    return False


def _is_thing(doc: Doc, end: int) -> bool:
    """ "is a", "was the", and nobody's role after it."""
    words = [token.lower_ for token in doc[end : end + 7]]
    if len(words) < 3 or words[0] not in ("is", "was") or words[1] not in ("a", "an", "the"):
        return False
    return not any(word in LISTED["ROLE"] or word in _PEOPLE for word in words)


def _stands_alone(doc: Doc, start: int, end: int) -> bool:
    """On a line of its own, which is not the first one and no closing; marks such as those of a
    list or a quotation may begin it."""
    while start > 1 and doc[start - 1].is_punct and doc[start - 1].text not in ",:":
        start -= 1
    if start < 2 or end >= len(doc):
        return False
    alone = "\n" in doc[start - 1].text and "\n" in doc[end].text
    return alone and doc[start - 2].text != "," and not _closes(doc[start - 2].text)


def _closes(word: str) -> bool:
    return word.lower() in LISTED["SIGNOFF"] or word.endswith(":")


def _is_known_firm(doc: Doc, start: int, end: int) -> bool:
    """By all of its words; a single one that persons have too says too little."""
    if end - start == 1 and _is_named(doc[start].text):
        return False
    return is_known_firm(doc[start:end].text)


def _is_named(word: str) -> bool:
    """Whether the lists of names have it."""
    return bool(builtin_lexicon().of(word.capitalize()) & NAMES)


def _is_term(doc: Doc, start: int, end: int) -> bool:
    if all(token.lower_ in PRODUCTS or token.is_punct for token in doc[start:end]):
        return True
    if end - start == 1 and doc[start].lower_ in GOODS and not _is_named(doc[start].text):
        return True
    after = end + (end < len(doc) and doc[end].lower_ in ("'s", "’s"))
    if after >= len(doc) or end - start > 3:
        return False
    return doc[after].lower_ in TERM_NOUNS and not doc[after].text.istitle()


def completed(doc: Doc, known: list[Entity]) -> list[Entity]:
    """`known` in order, with further persons of lists and with further mentions of all."""
    known = sorted(known, key=lambda found: found[1])
    listed = [*known, *_in_lists(doc, known)]
    listed += _speakers(doc, listed)
    listed += _items(doc, listed)
    return [*listed, *mentions(doc, listed)]


def _speakers(doc: Doc, known: list[Entity]) -> Iterator[Entity]:
    """Who speaks in a dialogue, where the lines of others begin with names: "Destiny: Yes"."""
    persons = {(start, end) for label, start, end in known if label == "PERSON"}
    if not any(doc[end : end + 1].text == ":" for _, end in persons):
        return
    lines = [i + 1 for i in range(len(doc) - 1) if "\n" in doc[i].text]
    begins = {i for i in (0, *lines) if i < len(doc)}
    if not any(start in begins and doc[end : end + 1].text == ":" for start, end in persons):
        return
    taken = {i for _, start, end in known for i in range(start, end)}
    for start in sorted(begins - taken):
        glued = _SAYING.match(doc[start].text)
        if glued and _is_speaker(glued[1]):
            yield "PERSON", start, start + 1
            continue
        end = next((i for i in range(start, min(start + 4, len(doc))) if doc[i].text == ":"), start)
        if end > start and all(_is_speaker(token.text) for token in doc[start:end]):
            yield "PERSON", start, end


def _items(doc: Doc, known: list[Entity]) -> Iterator[Entity]:
    """The other items of a list in lines, numbered or marked, of which two or more are a person."""
    ends = {start: end for label, start, end in known if label == "PERSON"}
    if len(ends) < 2:
        return
    taken = {i for _, start, end in known for i in range(start, end)}
    items = [item for item in _lines(doc) if item[1] - item[0] < 6]
    persons = sum(ends.get(start) == end for start, end in items)
    if persons < 2 or 2 * persons < len(items):
        return
    for start, end in items:
        words = [token.text for token in doc[start:end]]
        if all(map(str.istitle, words)):
            yield from (("PERSON", i, i + 1) for i in range(start, end) if i not in taken)


def _lines(doc: Doc) -> Iterator[tuple[int, int]]:
    """(first token, token after the last) of each item of a list, without its number or mark."""
    edges = [i for i in range(len(doc)) if "\n" in doc[i].text] + [len(doc)]
    for before, after in pairwise([-1, *edges]):
        start = before + 1
        if start + 1 < after and (
            doc[start].text in _BULLETS or _NUMBER.fullmatch(doc[start].text)
        ):
            start += 1 + (doc[start + 1].text in (".", ")"))
            yield start, after


def _is_speaker(word: str) -> bool:
    role = word.lower() in LISTED["ROLE"] | LISTED["TITLE"] | LISTED["FIELD"]
    return word.istitle() and word.isalpha() and not role and word not in STOP_LINES


def _in_lists(doc: Doc, known: list[Entity]) -> Iterator[Entity]:
    """ "Bowman and White" beside a person, where they may be names."""
    taken = {i for _, start, end in known for i in range(start, end)}
    for label, start, end in known:
        if label != "PERSON":
            continue
        for places in (range(end, len(doc)), range(start - 1, -1, -1)):
            for i in _chain(doc, places, taken):
                taken.add(i)
                yield "PERSON", i, i + 1


def _chain(doc: Doc, places: Iterable[int], taken: set[int]) -> Iterator[int]:
    """The names that go on from a person, each after a comma or an "and"."""
    joined = False
    for i in places:
        if doc[i].lower_ in JOINTS:
            joined = True
        elif i in taken:
            return
        elif joined and _may_be_name(doc[i].text):
            joined = False
            yield i
        else:
            return


def _may_be_name(word: str) -> bool:
    named = bool(builtin_lexicon().of(word) & NAMES)
    return word.istitle() and named and word.lower() not in LISTED["SIGNOFF"]
