"""Find who was there: the names in the list below a heading of minutes.

PRESENT, In attendance or Apologies alone on a line says that the items below it are persons, also
those that no list has: 2. KESTRIN TARLEV - TREASURER. An item of common words is a role or a group
(Ward Members), and one with a word of firms is a body.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..text.mentions import Entity, is_word
from .heads import STATED
from .tables import LISTED, PERSON_WORDS, expanded, pattern
from .titles import PART_OF_NAME, place_of_name
from .words import is_listed

_BODY = re.compile(
    rf"\b(?:{expanded('FIRM_NOUNS')}|{expanded('TRADES')}|{expanded('PLACE_NOUNS')}|valley|cross)\b",
    re.IGNORECASE,
)
MIN_ITEMS = 2  # of a list


def attendees_in(text: str) -> Iterator[Entity]:
    """Yield the persons of lists below headings of attendance, in characters, with the label of
    STATED."""
    for heading in pattern("ATTENDANCE").finditer(text):
        items = [*_items(text, heading.end())]
        if len(items) >= MIN_ITEMS:
            named = (_named(item) for item in items)
            yield from (Entity(STATED["PERSON"], *span) for span in named if span is not None)


def _items(text: str, place: int) -> Iterator[re.Match[str]]:
    """Yield the lines of a list that have the form of a name, up to the first that has not."""
    while item := pattern("ATTENDEE").match(text, place):
        yield item
        place = item.end()


def _named(item: re.Match[str]) -> tuple[int, int] | None:
    """Return the place of the name of an item, without titles; None if it names nobody."""
    parts = [*PART_OF_NAME.finditer(item["name"], *place_of_name(item["name"]))]
    while len(parts) > 1 and parts[0][0].strip(".").lower() in PERSON_WORDS:
        del parts[0]
    if len(parts) < 2 or _BODY.search(item["name"]) is not None:
        return None
    name = [part[0].strip(".") for part in parts]
    words = [part for part in name if len(part) > 1 and part.lower() not in LISTED["PARTICLE"]]
    is_rare = any(not is_word(word.lower()) for word in words)
    if not is_rare and not all(is_listed(word.capitalize()) for word in words):
        return None
    return item.start("name") + parts[0].start(), item.start("name") + parts[-1].end()
