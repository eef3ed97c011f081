"""Find what the keys of calendars and address cards say of their values, in any language.

A key at the head of a line says it: FN:Grace Price, ADR;TYPE=HOME:;;14 Mill Lane;Reading;;RG1 4QS.
The keys themselves are code (text.coded).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..text.coded import CARD
from ..text.mentions import Entity

# Label of each part of a value, which semicolons separate: of all parts, if there is one.
_LABELS = {
    "FN": ["DISGUISED"],
    "N": ["DISGUISED", "DISGUISED", "DISGUISED", ""],  # then titles
    "NICKNAME": ["DISGUISED"],
    "ORG": ["ORG"],
    "TEL": ["PHONE"],
    "BDAY": ["DATE"],
    "LOCATION": ["ADDRESS"],
    "ADR": ["ADDRESS", "ADDRESS", "ADDRESS", "PLACED", "PLACED", "ADDRESS", "PLACED"],
}
_LINE = re.compile(
    rf"^(?:item\d{{1,3}}\.)?(?P<key>{'|'.join(_LABELS)})(?:;[^:\n\"]{{0,200}})?:(?P<value>[^\r\n]{{1,400}})",
    re.M,
)
_CALLED = re.compile(r"^(?:ATTENDEE|ORGANIZER);[^\n]{0,200}?CN=\"?(?P<name>[^\":;\n]{1,80})", re.M)
_MAIL = re.compile(r"(?<=[:=])(?i:mailto:)(?P<mail>[^\s@:;,\"]{1,64}@[^\s@:;,\"]{1,253})")
_DIGITS = re.compile(r"\d")


def values_of_cards(text: str) -> Iterator[Entity]:
    """Yield the persons, places, firms and numbers of calendars and cards, in characters."""
    if "BEGIN:V" not in text or not CARD.search(text):
        return
    for match in _CALLED.finditer(text):
        if "@" not in match["name"]:
            yield Entity("DISGUISED", *match.span("name"))
    for match in _MAIL.finditer(text):
        yield Entity("EMAIL", *match.span("mail"))
    for line in _LINE.finditer(text):
        labels, part = _LABELS[line["key"]], line.start("value")
        for number, value in enumerate(line["value"].split(";")):
            label = labels[min(number, len(labels) - 1)]
            if _may_be(label, value):
                bare = value.strip()
                start = part + value.index(bare)
                yield Entity(label, start, start + len(bare))
            part += len(value) + 1


def _may_be(label: str, value: str) -> bool:
    """Return whether the part of a value may be what its key says."""
    if label in ("PHONE", "DATE"):
        return _DIGITS.search(value) is not None
    return label != "" and any(map(str.isalnum, value)) and "://" not in value
