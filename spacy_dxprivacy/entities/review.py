"""Correct the labels of persons by the words beside them.

Firms and places that are named like persons are no persons.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from spacy.tokens import Doc

from ..text.mentions import Entity, is_word
from .extent import Bounds
from .tables import FIRMS, LANDS, NAMES, pattern, words
from .words import builtin_lexicon, is_name

# First tokens of firms, however the tokenizer cuts them.
_FIRM_FIRST = frozenset(
    first for name in FIRMS if name for first in (name.split()[0], *re.findall(r"^\w+", name))
)
_PLACE_AFTER = words("PLACE_AFTER")


def relabelled(bounds: Bounds, matches: Collection[Entity]) -> list[Entity]:
    """Return the matches of a document with corrected labels."""
    doc = bounds.doc
    gpes = (start for label, start, _ in matches if label == "GPE")
    lands = {i for i in gpes if builtin_lexicon().of(bounds.texts[i]) & LANDS}
    # Many persons begin or end at the same word.
    persons = [(start, end) for label, start, end in matches if label == "PERSON"]
    after = {i: _label_after(doc[max(i - 4, 0) : i].text_with_ws) for i in {i for i, _ in persons}}
    before = {end: _label_before(bounds, end) for end in {end for _, end in persons}}
    entities: list[Entity] = []
    for label, start, end in matches:
        if label == "PERSON":
            label = after[start] or before[end]
            if not label:
                town = end + 1 in lands and bounds.texts[end] == ","
                named = any(builtin_lexicon().of(word) & NAMES for word in bounds.texts[start:end])
                label = "GPE" if town and not named else "PERSON"
        # A single word that is also a name says too little.
        word = end - start == 1 and is_name(bounds.texts[start])
        if label in ("PERSON", "GPE") and not word and bounds.lowers[start] in _FIRM_FIRST:
            label = "ORG" if doc[start:end].text.lower() in FIRMS else label
        entities.append((label, start, _hyphened(doc, end) if label == "PERSON" else end))
    return entities


def _label_after(text: str) -> str:
    """The label of a name after these words; "" where they do not tell."""
    if pattern("BEFORE_FIRM").search(text):
        return "ORG"
    return "GPE" if pattern("LIVED").search(text) else ""


def _label_before(bounds: Bounds, end: int) -> str:
    """The label of a name by the words after it; "" where they do not tell."""
    doc, texts = bounds.doc, bounds.texts
    tail = doc[end - 1 : end + 4].text_with_ws[len(texts[end - 1]) :]
    if pattern("AFTER_FIRM").match(tail):
        return "ORG"
    return "GPE" if end < len(doc) and texts[end] in _PLACE_AFTER else ""


def _hyphened(doc: Doc, end: int) -> int:
    """Where a name such as "Hauta-aho" ends."""
    if end + 1 >= len(doc) or doc[end].text not in ("-", "‐"):
        return end
    joined = not (doc[end].whitespace_ or doc[end - 1].whitespace_)
    return end + 2 * (joined and doc[end + 1].is_alpha and not is_word(doc[end + 1].lower_))
