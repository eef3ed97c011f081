"""Correct the labels of matches by their context, and find further persons in lists.

Firms, places and terms that are named like persons are no persons.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise

from spacy.tokens import Doc

from ..text.mentions import Entity, is_word
from .extent import Bounds
from .tables import FIRMS, LANDS, LISTED, NAMES, PLACES, pattern, words
from .words import builtin_lexicon, is_name, kinds

_LIST_JOINTS = frozenset({",", "and", "&", "or"})
_FIRM_JOINTS = frozenset({",", "and", "&", "-", "–"})
# First tokens of firms, however the tokenizer cuts them.
_FIRM_FIRST = frozenset(
    first for name in FIRMS if name for first in (name.split()[0], *re.findall(r"^\w+", name))
)
_POSSESSIVE = ("'s", "’s")
_BE = frozenset("is was are were am be 's 're 'm came comes come hails".split())
_PLACE_AFTER, _PLACE_FIRST = words("PLACE_AFTER"), words("PLACE_FIRST")
_BULLETS = frozenset("- * • – ·".split())
_ITEM = re.compile(r"\d{1,3}[.)]?")


def relabelled(bounds: Bounds, matches: Collection[Entity]) -> list[Entity]:
    """Return the matches of a document with corrected labels."""
    doc, context = bounds.doc, NameContext(bounds, matches)
    entities: list[Entity] = []
    for label, start, end in matches:
        if label == "PERSON":
            label = context.label(start, end)
        # A single word that is also a name says too little.
        word = end - start == 1 and is_name(doc[start].text)
        if label in ("PERSON", "GPE") and not word and context.is_listed_firm(start, end):
            label = "ORG"
        entities.append((label, start, _hyphened(doc, end) if label == "PERSON" else end))
    return entities


# -- labels of persons by their context --------------------------------------------------------


class NameContext:
    """What the names of a document stand beside: the edges of all matches, and the words around.

    Many matches begin or end at the same word, of which each is looked at once.
    """

    def __init__(self, bounds: Bounds, matches: Collection[Entity]) -> None:
        doc = self.doc = bounds.doc
        self.texts, self.lowers = bounds.texts, bounds.lowers
        self.address_ends = {end for label, _, end in matches if label == "ADDRESS"}
        self.address_starts = {start for label, start, _ in matches if label == "ADDRESS"}
        self.person_ends = {end for label, _, end in matches if label == "PERSON"}
        self.full_names = {s for label, s, e in matches if label == "PERSON" and e - s > 1}
        gpes = [start for label, start, _ in matches if label == "GPE"]
        self.lands = {i for i in gpes if builtin_lexicon().of(doc[i].text) & LANDS}
        self._rows: tuple[list[int], list[int]] | None = None
        self._before: dict[int, tuple[frozenset[str], bool, bool]] = {}

    def label(self, start: int, end: int) -> str:
        """PERSON, or ADDRESS, ORG or GPE for what is only named like a person."""
        doc, (first, after_firm, after_home) = self.doc, self._beginning(start)
        any_first = bool(first & {"SURE_FIRST", "LOW_FIRST", "FIRST"})
        if self._is_address(start, end, any_first):
            return "ADDRESS"
        if after_firm or self._ends_before_firm(end):
            return "ORG"
        after = self.texts[end] if end < len(doc) else ""
        home = after_home or after in _PLACE_AFTER
        if home or (not any_first and _is_place(doc, start, end, after)):
            return "GPE"
        if (not any_first and self._is_row_of_partners(start, end)) or (
            "FIRST" not in first and self._is_firm_of_somebody(start, end)
        ):
            return "ORG"
        # Before a comma and a state or country.
        town = end + 1 in self.lands and doc[end].text == ","
        town = town and not any(builtin_lexicon().of(t.text) & NAMES for t in doc[start:end])
        return "GPE" if town else "PERSON"

    def is_listed_firm(self, start: int, end: int) -> bool:
        """Whether the list of firms has the words."""
        return self.lowers[start] in _FIRM_FIRST and self.doc[start:end].text.lower() in FIRMS

    def _beginning(self, start: int) -> tuple[frozenset[str], bool, bool]:
        """The kinds of a first word, and whether words of firms, and of homes, lead to it."""
        if start not in self._before:
            lead = self.doc[max(start - 4, 0) : start].text_with_ws
            self._before[start] = (
                kinds(self.texts[start]),
                pattern("BEFORE_FIRM").search(lead) is not None,
                pattern("LIVED").search(lead) is not None,
            )
        return self._before[start]

    def _ends_before_firm(self, end: int) -> bool:
        tail = self.doc[end - 1 : end + 4].text_with_ws[len(self.texts[end - 1]) :]
        return pattern("AFTER_FIRM").match(tail) is not None

    def _is_address(self, start: int, end: int, any_first: bool) -> bool:
        doc = self.doc
        on = start > 0 and end < len(doc) and self.lowers[start - 1] == "on"
        if on and doc[end].is_digit:
            return True
        if any_first:
            return False
        # Between two addresses, with nothing but commas and line breaks,
        first, last = start, end
        while first and _is_gap(doc, first - 1):
            first -= 1
        while last < len(doc) and _is_gap(doc, last):
            last += 1
        if first in self.address_ends and last in self.address_starts:
            return True
        # after an address and a comma,
        if start > 2 and doc[start - 1].text == ",":
            if not self.address_ends.isdisjoint({start - 1, start - 2}):
                return True
        # after the number of a house, or before an address that begins with a number.
        number = start > 0 and doc[start - 1].text[:1].isdigit()
        if number and pattern("HOUSE").search(doc[max(start - 5, 0) : start].text_with_ws):
            return True
        return end in self.address_starts and doc[end].text[:1].isdigit()

    def _is_firm_of_somebody(self, start: int, end: int) -> bool:
        """ "Riku Andou of Panjiva", "Panjiva's Riku Andou"."""
        doc = self.doc
        of = start > 1 and doc[start - 1].lower_ in ("of", "from", "at")
        if of and start - 1 in self.person_ends:
            return True
        return end + 1 in self.full_names and doc[end].lower_ in _POSSESSIVE

    def _is_row_of_partners(self, start: int, end: int) -> bool:
        """Joined family names where a firm stands: on a line of their own below a name, after "is
        from", or before a role."""
        doc, (first, last) = self.doc, self._row(start, end)
        if last - first < 3:
            return False
        after = doc[last].lower_ if last < len(doc) else "\n"
        if first > 1 and doc[first - 1].lower_ == "from" and doc[first - 2].lower_ in _BE:
            return True
        if after in LISTED["ROLE"] or after in ("resignation", "employee", "office"):
            return True
        alone = first > 1 and "\n" in doc[first - 1].text and "\n" in after
        return alone and doc[first - 2].text not in (",", ":")

    def _row(self, start: int, end: int) -> tuple[int, int]:
        """The row of family names, joined by commas, "and" and hyphens, that a name is part of.
        Linear in the length of the document."""
        if self._rows is None:
            size = len(self.doc)
            joint = [token.lower_ in _FIRM_JOINTS for token in self.doc]
            first, last = list(range(size + 1)), list(range(size + 1))
            for i in range(2, size + 1):
                if joint[i - 1] and _is_family_name(self.doc[i - 2].text):
                    first[i] = first[i - 2]
            for i in range(size - 2, -1, -1):
                if joint[i] and _is_family_name(self.doc[i + 1].text):
                    last[i] = last[i + 2]
            self._rows = first, last
        return self._rows[0][start], self._rows[1][end]


def _is_family_name(word: str) -> bool:
    return bool(kinds(word) & {"SURNAME", "LOW_SUR"}) or "SURE_SURNAME" in kinds(word.title())


def _is_gap(doc: Doc, i: int) -> bool:
    return doc[i].is_space or doc[i].text in (",", "-")


def _is_place(doc: Doc, start: int, end: int, after: str) -> bool:
    before = doc[max(start - 3, 0) : start].text_with_ws
    classes = [builtin_lexicon().of(token.text) for token in doc[start:end]]
    last = doc[start - 1].lower_ if start else ""
    unheard = not any(word & NAMES for word in classes)
    return (
        (end - start > 1 and doc[start].lower_ in _PLACE_FIRST)
        or all(word & PLACES and not word & NAMES for word in classes)
        or (last in ("in", "throughout") and not after.startswith("'"))
        or pattern("ARRIVED").search(before) is not None
        or (unheard and start > 1 and last == "from" and doc[start - 2].lower_ in _BE)
    )


def _hyphened(doc: Doc, end: int) -> int:
    """Where a name such as "Hauta-aho" ends."""
    if end + 1 >= len(doc) or doc[end].text not in ("-", "‐"):
        return end
    joined = not (doc[end].whitespace_ or doc[end - 1].whitespace_)
    return end + 2 * (joined and doc[end + 1].is_alpha and not is_word(doc[end + 1].lower_))


# -- further persons of lists ------------------------------------------------------------------


def further_persons(doc: Doc, entities: list[Entity]) -> list[Entity]:
    """Return the other persons of lists and items. entities: in order."""
    further = [*_in_lists(doc, entities)]
    return [*further, *_items(doc, [*entities, *further])]


def _taken(entities: list[Entity]) -> set[int]:
    return {i for _, start, end in entities for i in range(start, end)}


def _in_lists(doc: Doc, entities: list[Entity]) -> Iterator[Entity]:
    """ "Bowman and White" beside a person, where they may be names."""
    taken = _taken(entities)
    for label, start, end in entities:
        for places in (range(end, len(doc)), range(start - 1, -1, -1)) * (label == "PERSON"):
            for i in _chain(doc, places, taken):
                taken.add(i)
                yield "PERSON", i, i + 1


def _chain(doc: Doc, places: Iterable[int], taken: set[int]) -> Iterator[int]:
    """The names that go on from a person, each after a comma or an "and"."""
    joined = False
    for i in places:
        word = doc[i].text
        if word.lower() in _LIST_JOINTS:
            joined = True
            continue
        named = word.istitle() and builtin_lexicon().of(word) & NAMES
        if not joined or i in taken or not named or word.lower() in LISTED["SIGNOFF"]:
            return
        joined = False
        yield i


def _items(doc: Doc, entities: list[Entity]) -> Iterator[Entity]:
    """The other items of a numbered or bulleted list, of which two or more are a person."""
    ends = {start: end for label, start, end in entities if label == "PERSON"}
    if len(ends) < 2:
        return
    items = []  # without number or bullet
    lines = [i for i in range(len(doc)) if "\n" in doc[i].text]
    for before, end in pairwise([-1, *lines, len(doc)]):
        start = before + 1
        if start + 1 < end and (doc[start].text in _BULLETS or _ITEM.fullmatch(doc[start].text)):
            start += 1 + (doc[start + 1].text in (".", ")"))
            if end - start < 6:
                items.append((start, end))
    persons = sum(ends.get(start) == end for start, end in items)
    if persons < 2 or 2 * persons < len(items):
        return
    taken = _taken(entities)
    for start, end in items:
        if all(token.text.istitle() for token in doc[start:end]):
            yield from (("PERSON", i, i + 1) for i in range(start, end) if i not in taken)
