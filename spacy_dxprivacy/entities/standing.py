"""What is called like a person and is none: names of firms and places, told by where they stand."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from spacy.tokens import Doc

from ..doc.mentions import Entity
from .lists import LISTED, NAMES, PLACES
from .words import builtin_lexicon, kinds

JOINTS = frozenset({",", "and", "&", "-", "–"})
_BE = frozenset("is was are were am be 's 're 'm came comes come hails".split())
# What comes after the name of a place, and after nobody's.
_PLACE_NOUNS = frozenset(
    "bridge airport station river lake valley harbor harbour beach mountain mountains hotel island "
    "peninsula county province region district suburb city town village railway tunnel castle "
    "cathedral canal bay port airfield desert forest coast".split()
)
_ARRIVING = re.compile(
    r"\b(?:arriv(?:ed|es|ing) (?:at|in)|(?:flew|fly|flying|flights?|trips?|drove|drive|driving|"
    r"travel(?:l?ed|l?ing|s)?|relocated|emigrated|immigrated|commut(?:e|es|ing)|sailed|train|bus) "
    r"to|(?:capital|outskirts|suburbs|city|town|village|mayor|streets) of|tour of)\s\Z"
)


def relabelled(doc: Doc, matches: Collection[Entity]) -> Iterator[Entity]:
    """The matches, with another label where a person stands within an address, or a firm or a place
    stands where no person does."""
    edges = {end for label, _, end in matches if label == "ADDRESS"}
    begins = {start for label, start, _ in matches if label == "ADDRESS"}
    for label, start, end in matches:
        if label == "PERSON":
            label = _label(doc, start, end, edges, begins)
        yield label, start, end


def _label(doc: Doc, start: int, end: int, edges: set[int], begins: set[int]) -> str:
    first = _is_first(doc[start].text)
    if not first and _within(doc, start, end, edges, begins):
        return "ADDRESS"
    if _is_place(doc, start, end, first):
        return "GPE"
    return "ORG" if not first and _is_firm(doc, start, end) else "PERSON"


def _is_first(word: str) -> bool:
    return bool(kinds(word) & {"SURE_FIRST", "LOW_FIRST", "FIRST"})


def _within(doc: Doc, start: int, end: int, edges: set[int], begins: set[int]) -> bool:
    """Whether it stands between two addresses, nothing but commas and line breaks around it."""
    before, after = start, end
    while before and _is_gap(doc, before - 1):
        before -= 1
    while after < len(doc) and _is_gap(doc, after):
        after += 1
    return before in edges and after in begins


def _is_gap(doc: Doc, i: int) -> bool:
    return doc[i].is_space or doc[i].text in (",", "-")


def _is_place(doc: Doc, start: int, end: int, first: bool) -> bool:
    after = doc[end].text if end < len(doc) else ""
    if after in _PLACE_NOUNS:
        return True
    if first:
        return False
    classes = [builtin_lexicon().of(token.text) for token in doc[start:end]]
    if all(found & PLACES and not found & NAMES for found in classes):
        return True
    before = doc[max(start - 3, 0) : start].text_with_ws
    if _ARRIVING.search(before):
        return True
    new = not any(found & NAMES for found in classes)
    return new and start > 1 and doc[start - 1].lower_ == "from" and doc[start - 2].lower_ in _BE


def _is_firm(doc: Doc, start: int, end: int) -> bool:
    """Family names that are joined as those of partners are, where a firm stands: on a line of
    their own below a name, after "is from", or before what somebody is there."""
    first, last = _partners(doc, start, end)
    if last - first < 3:
        return False
    after = doc[last].lower_ if last < len(doc) else "\n"
    if first > 1 and doc[first - 1].lower_ == "from" and doc[first - 2].lower_ in _BE:
        return True
    if after in LISTED["ROLE"] or after in ("resignation", "employee", "office"):
        return True
    alone = first > 1 and "\n" in doc[first - 1].text and "\n" in after
    return alone and doc[first - 2].text not in (",", ":")


def _partners(doc: Doc, start: int, end: int) -> tuple[int, int]:
    """The row of family names around, joined by commas, "and" and hyphens."""
    while start > 1 and doc[start - 1].lower_ in JOINTS and _is_partner(doc[start - 2].text):
        start -= 2
    while end + 1 < len(doc) and doc[end].lower_ in JOINTS and _is_partner(doc[end + 1].text):
        end += 2
    return start, end


def _is_partner(word: str) -> bool:
    return bool(kinds(word) & {"SURNAME", "LOW_SUR"}) or "SURE_SURNAME" in kinds(word.title())
