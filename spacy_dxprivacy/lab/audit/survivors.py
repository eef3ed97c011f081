"""Survivors of entity mode: parts of what was recognised in the originals that a release has still.

A recogniser reads the originals. Of persons, each part of a name counts, in any case, possessive
and within longer words; of places, organisations, addresses and numbers the whole. What of this
stands in an original and in what became of it survived: in the document where it was recognised, or
in another one where it was missed. What stands in a release though its own original does not have
it was drawn, and is there by chance.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from ...doc.mentions import GLUED, PIECE, WHOLE, chosen, is_word, name_parts, places_of, plain_label
from .original import blank

KINDS = WHOLE | {"PERSON", "ADDRESS"}
SHORTEST = 3  # letters of a part that tells somebody
WORD = re.compile(r"\w+")
IN_CLEAR = re.compile(r"every word outside the recognised entities (.+)")


@dataclass(frozen=True)
class Survivor:
    """document: its number in the release, from 0. start: of the word, in characters. label: of
    what it is a part of. recognised: in this document, and not in another one alone.
    word: in small letters; it is the secret."""

    document: int
    start: int
    label: str
    recognised: bool
    word: str = field(repr=False)


@dataclass
class Recognised:
    """What a recogniser found in the originals. parts: part of a name -> whether a text writes it
    small. wholes: in small letters -> label. here: for each document, those of its own. found:
    how many entities, by label."""

    parts: dict[str, bool] = field(default_factory=dict)
    wholes: dict[str, str] = field(default_factory=dict)
    here: list[set[str]] = field(default_factory=list)
    found: Counter[str] = field(default_factory=Counter)

    @cached_property
    def by_word(self) -> dict[str, list[tuple[str, int]]]:
        """First word -> the wholes that it begins, with the characters before it."""
        table: dict[str, list[tuple[str, int]]] = {}
        for whole in self.wholes:
            if first := WORD.search(whole):
                table.setdefault(first[0], []).append((whole, first.start()))
        return table


def labels_in_clear(phrases: Iterable[str]) -> list[str]:
    """The labels of entity mode, of a receipt's `in_clear`; none where it was not in use."""
    matches = [IN_CLEAR.fullmatch(phrase) for phrase in phrases]
    return [label for match in matches if match for label in match[1].split(", ")]


def recognise(originals: Iterable[str], labels: Collection[str], nlp: Language) -> Recognised:
    """nlp: a pipeline with a recogniser. labels: as its labels, or as PERSON, GPE and so on."""
    wanted = {plain_label(label) for label in labels} & KINDS
    told = Recognised()
    for doc in nlp.pipe(originals):
        entities = chosen(doc, wanted)
        told.found.update(label for label, _, _ in entities)
        parts = {p: s for p, s in name_parts(doc, entities).items() if len(p) >= SHORTEST}
        texts = {
            doc[first:last].text.lower(): label
            for label, first, last in entities
            if label != "PERSON"
        }
        wholes = {text: label for text, label in texts.items() if _tells(text)}
        for part, small in parts.items():
            told.parts[part] = told.parts.get(part, False) or small
        told.wholes |= wholes
        told.here.append({*parts, *wholes})
    return told


def survivors(originals: Sequence[str], release: Sequence[str], told: Recognised) -> list[Survivor]:
    """originals and release: texts in the same order. told: what was recognised in these originals.
    Raises ValueError where they differ in number."""
    nlp = blank()
    found = []
    for number, (old, new) in enumerate(zip(originals, release, strict=True)):
        with nlp.memory_zone():
            doc: Doc = nlp.make_doc(new)
            hits = [*_names_in(doc, told), *_wholes_in(new, told)]
        before = old.lower()
        words = set(PIECE.findall(before))
        for word, start, label in hits:
            long = label != "PERSON" or len(word) >= GLUED
            if word in words or (long and word in before):
                own = word in told.here[number]
                found.append(Survivor(number, start, label, own, word))
    return found


def _names_in(doc: Doc, told: Recognised) -> Iterable[tuple[str, int, str]]:
    nothing = np.zeros(len(doc), dtype=bool)
    for i in places_of(doc, told.parts, nothing):
        lower = doc[i].lower_
        pieces = {p for p in PIECE.findall(lower) if p in told.parts}
        for piece in pieces or {p for p in told.parts if len(p) >= GLUED and p in lower}:
            yield piece, doc[i].idx, "PERSON"


def _wholes_in(text: str, told: Recognised) -> Iterable[tuple[str, int, str]]:
    lower = text.lower()
    for match in WORD.finditer(lower) if told.by_word else ():
        for whole, before in told.by_word.get(match[0], ()):
            start = match.start() - before
            end = start + len(whole)
            if lower[max(start, 0) : end] == whole and not lower[end : end + 1].isalnum():
                yield whole, start, told.wholes[whole]


def _tells(text: str) -> bool:
    return len(text) > 3 and not all(map(is_word, text.split()))


def rules() -> Language:
    """The pipeline that recognises where none is given: the rules of dx_entity_ruler."""
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_entity_ruler")
    nlp.max_length = 2**40
    return nlp
