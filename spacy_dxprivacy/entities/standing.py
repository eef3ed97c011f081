"""What is called like a person and is none: names of firms and places, told by where they stand."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from spacy.tokens import Doc

from ..text.mentions import Entity
from .lists import LANDS, LISTED, NAMES, PLACES
from .words import builtin_lexicon, kinds

JOINTS = frozenset({",", "and", "&", "-", "–"})
_BE = frozenset("is was are were am be 's 're 'm came comes come hails".split())
# What comes after the name of a place, and after nobody's.
_PLACE_NOUNS = frozenset(
    "bridge airport station river lake valley harbor harbour beach mountain mountains hotel island "
    "peninsula county province region district suburb city town village railway tunnel castle "
    "cathedral canal bay port airfield desert forest coast".split()
)
# What stands before firms, whatever they are called after, and what comes after them.
_FIRM_BEFORE = re.compile(
    r"(?:\b(?:CEO|CFO|CTO|COO|founders?|co-founders?|chairman|chairwoman|shareholders?|stock|"
    r"shares|subsidiary|branch|headquarters|customers?|employees?|board of directors|products) "
    r"(?:of|at|for)|\b(?:company|firm|startup|start-up|corporation|brand|manufacturer|"
    r"retailer|supplier|"
    r"airline|insurer|bank|agency)(?: called| named|,)?|\b(?:works?|worked|working|"
    r"jobs?|position|role|"
    r"career|intern(?:ship)?|interview|employed) (?:at|with)|\b(?:hired|employed|"
    r"acquired|manufactured|"
    r"sponsored) by)(?: the)?\s\Z"
)
_FIRM_AFTER = re.compile(
    r"(?:['’]s)?\s(?:CEO|CFO|CTO|shares|stock|shareholders|employees|customers|headquarters|"
    r"website|products|spokes\w+|customer (?:service|support|care)|subsidiary|IPO|"
    r"board of directors|"
    r"is hiring|was founded|was established|was acquired|is headquartered|went public)\b"
)
_LIVING = re.compile(
    r"\b(?:born|raised|live|lives|lived|living|based|located|situated|grew up|resident) "
    r"(?:in|of)\s\Z|\b(?:city|town|village|municipality|hometown)(?: of)?\s\Z"
)
_HEADS = frozenset(
    "port porto puerto fort villa ville cite cité ciudad stara stary novi nova nový nowy new "
    "north south east west upper lower great little mount saint sankt st. "
    "san santa são den nieuwe".split()
)
_HOUSE = re.compile(
    r"(?:\A|\n|[:,]\s|\b(?:at|on|to|of|near)\s)\s*(?:\d{1,5}[a-z]?[ ,]{1,2}){1,2}\Z"
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
    persons = {end for label, _, end in matches if label == "PERSON"}
    begins_of = {start for label, start, end in matches if label == "PERSON" and end - start > 1}
    firms = {i for label, start, end in matches if label == "ORG" for i in (start, end)}
    lands = {
        start
        for label, start, _ in matches
        if label == "GPE" and builtin_lexicon().of(doc[start].text) & LANDS
    }
    rows = _Partners(doc)
    for label, start, end in matches:
        if label == "PERSON":
            label = _label(rows, start, end, edges, begins)
        if label == "PERSON" and (
            _is_of(doc, start, end, persons)
            or _owns(doc, start, end, begins_of)
            or _is_letterhead(rows, start, end, persons, begins)
            or (_is_unheard(doc, start, end) and _is_beside(doc, start, end, firms))
        ):
            label = "ORG"
        if label == "PERSON" and end + 1 in lands and _is_town(doc, start, end):
            label = "GPE"
        yield label, start, end


def _label(rows: _Partners, start: int, end: int, edges: set[int], begins: set[int]) -> str:
    doc = rows.doc
    first = _is_first(doc[start].text)
    if not first and (_within(doc, start, end, edges, begins) or _is_street(doc, start, edges)):
        return "ADDRESS"
    if start and end < len(doc) and doc[start - 1].lower_ == "on" and doc[end].is_digit:
        return "ADDRESS"
    if not first and end in begins and doc[end].text[:1].isdigit():
        return "ADDRESS"
    if _named_firm(doc, start, end):
        return "ORG"
    if _is_place(doc, start, end, first):
        return "GPE"
    return "ORG" if not first and _is_firm(rows, start, end) else "PERSON"


def _is_street(doc: Doc, start: int, edges: set[int]) -> bool:
    """Whether it goes on after an address and a comma, or stands after the number of a house."""
    if start > 2 and doc[start - 1].text == "," and not {start - 1, start - 2}.isdisjoint(edges):
        return True
    number = start and doc[start - 1].text[:1].isdigit()
    return bool(number and _HOUSE.search(doc[max(start - 5, 0) : start].text_with_ws))


def _named_firm(doc: Doc, start: int, end: int) -> bool:
    """Whether what stands beside it is said of firms alone."""
    before, after = doc[max(start - 4, 0) : start].text_with_ws, doc[end - 1 : end + 4].text_with_ws
    after = after[len(doc[end - 1].text) :]
    return bool(_FIRM_BEFORE.search(before) or _FIRM_AFTER.match(after))


def _is_of(doc: Doc, start: int, end: int, persons: set[int]) -> bool:
    """Whether it is what a person is of or from: "Riku Andou of Panjiva"."""
    if start < 2 or doc[start - 1].lower_ not in ("of", "from", "at"):
        return False
    return start - 1 in persons and "FIRST" not in kinds(doc[start].text)


def _is_town(doc: Doc, start: int, end: int) -> bool:
    """Before a comma and a state or country, and no list of names has it."""
    return _is_unheard(doc, start, end) and doc[end].text == ","


def _is_unheard(doc: Doc, start: int, end: int) -> bool:
    """Whether no list of names has any word of it."""
    return not any(builtin_lexicon().of(token.text) & NAMES for token in doc[start:end])


def _owns(doc: Doc, start: int, end: int, persons: set[int]) -> bool:
    """Whether it is the firm in "Panjiva's Riku Andou"."""
    if "FIRST" in kinds(doc[start].text) or end + 1 not in persons:
        return False
    return doc[end].lower_ in ("'s", "’s")


def _is_beside(doc: Doc, start: int, end: int, firms: set[int]) -> bool:
    """Whether a comma or an "and" is all between it and a firm."""
    before = start > 1 and doc[start - 1].lower_ in JOINTS and start - 1 in firms
    return before or (end + 1 < len(doc) and doc[end].lower_ in JOINTS and end + 1 in firms)


def _is_letterhead(
    rows: _Partners, start: int, end: int, persons: set[int], begins: set[int]
) -> bool:
    """Whether it stands on a line between a person and an address, or is a row of partners on a
    line above an address."""
    doc, (first, last) = rows.doc, rows.around(start, end)
    if last >= len(doc) or not doc[last].is_space or last + 1 not in begins:
        return False
    if "FIRST" in kinds(doc[start].text) and last - first < 3:
        return False
    above = first > 1 and "\n" in doc[first - 1].text and first - 1 in persons
    return above or last - first >= 5


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
    before = doc[max(start - 3, 0) : start].text_with_ws
    if _LIVING.search(before):
        return True
    if first:
        return False
    if end - start > 1 and doc[start].lower_ in _HEADS:
        return True
    classes = [builtin_lexicon().of(token.text) for token in doc[start:end]]
    if all(found & PLACES and not found & NAMES for found in classes):
        return True
    if start and doc[start - 1].lower_ in ("in", "throughout") and not after.startswith("'"):
        return True
    if _ARRIVING.search(before):
        return True
    new = not any(found & NAMES for found in classes)
    return new and start > 1 and doc[start - 1].lower_ == "from" and doc[start - 2].lower_ in _BE


def _is_firm(rows: _Partners, start: int, end: int) -> bool:
    """Family names that are joined as those of partners are, where a firm stands: on a line of
    their own below a name, after "is from", or before what somebody is there."""
    doc, (first, last) = rows.doc, rows.around(start, end)
    if last - first < 3:
        return False
    after = doc[last].lower_ if last < len(doc) else "\n"
    if first > 1 and doc[first - 1].lower_ == "from" and doc[first - 2].lower_ in _BE:
        return True
    if after in LISTED["ROLE"] or after in ("resignation", "employee", "office"):
        return True
    alone = first > 1 and "\n" in doc[first - 1].text and "\n" in after
    return alone and doc[first - 2].text not in (",", ":")


class _Partners:
    """The rows of family names in a document, joined by commas, "and" and hyphens. Each name is
    looked at once, however many names stand beside it."""

    def __init__(self, doc: Doc) -> None:
        self.doc = doc
        self._first: dict[int, int] = {}
        self._last: dict[int, int] = {}

    def around(self, start: int, end: int) -> tuple[int, int]:
        """The row that a name is part of."""
        return self._end(start, -1, self._first), self._end(end, 1, self._last)

    def _end(self, place: int, way: int, known: dict[int, int]) -> int:
        passed = []
        while place not in known and self._goes_on(place, way):
            passed.append(place)
            place += 2 * way
        end = known.get(place, place)
        known.update(dict.fromkeys([*passed, place], end))
        return end

    def _goes_on(self, place: int, way: int) -> bool:
        joint, name = (place - 1, place - 2) if way < 0 else (place, place + 1)
        if name < 0 or name >= len(self.doc):
            return False
        return self.doc[joint].lower_ in JOINTS and _is_partner(self.doc[name].text)


def _is_partner(word: str) -> bool:
    return bool(kinds(word) & {"SURNAME", "LOW_SUR"}) or "SURE_SURNAME" in kinds(word.title())
