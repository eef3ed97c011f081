"""Decide what is no name: bodies, words of law, drugs, illnesses, tests, goods, abbreviations.

Recognisers take "Directorate", "Babinski" and "Amiodarone" for persons. Public lists
(data/entities/terms.txt) say what such words are, and the words beside them whether somebody has
that name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from spacy.tokens import Doc

from ..text.mentions import Entity
from .tables import FOLLOWING, GOODS, LISTED, PRODUCTS, TERM_NOUNS, expanded, pattern, words
from .words import builtin_lexicon, is_name

# The lists have the singular.
INSTITUTIONS, LAW = (
    frozenset(form for word in words(name, "terms") for form in (word, f"{word}s"))
    for name in ("INSTITUTIONS", "LAW")
)
ABBREVIATIONS, DIAGNOSES = words("ABBREVIATIONS", "terms"), words("DIAGNOSES", "terms")
_ALONE, _POSSESSED = words("EPONYMS_ALONE", "terms"), words("EPONYMS", "terms")
_EPONYMS = _ALONE | _POSSESSED | words("ALSO_EPONYMS", "terms")
_SCORES, _FINDINGS = words("SCORES", "terms"), words("FINDINGS", "terms") | TERM_NOUNS
_GENERIC = INSTITUTIONS | LAW
_OFFICES, _STATUTES = words("OFFICES", "terms"), words("STATUTES", "terms")
_JOINTS = frozenset("of the and for de der du la ii iii iv".split())
_POSSESSIVES = frozenset({"'s", "’s", "'", "’"})
# What stands before a name, and before no term.
_CALLING = LISTED["TITLE"] | LISTED["GREETING"] | {"see", *expanded("BEFORE_VERB").split("|")}
_ROMAN = re.compile(r"[IVX]{1,4}[ab]?")
_SCORE = re.compile(r"\d{1,2}(?:/\d{1,2})?")
_SHORT_CAPITALS = 4  # letters of an abbreviation that no list has


class Terms:
    """The terms of a document; texts, lowers: its tokens."""

    def __init__(self, doc: Doc, texts: Sequence[str], lowers: Sequence[str]) -> None:
        self.doc, self.texts, self.lowers = doc, texts, lowers
        # Many matches are equal or share a word.
        self._judged: dict[tuple[Entity, frozenset[str]], Entity | None] = {}
        self._listed: dict[tuple[int, str], bool] = {}

    def judged(self, entity: Entity, names: set[str]) -> Entity | None:
        """Return an entity without words of law at its ends, labelled as an organisation where it
        is called one, or None where it is nobody's name.

        names: words in small letters of the full names that the document has.
        """
        key = entity, frozenset(names.intersection(self.lowers[entity[1] : entity[2]]))
        if key not in self._judged:
            self._judged[key] = self._judge(*key)
        return self._judged[key]

    def _judge(self, entity: Entity, names: frozenset[str]) -> Entity | None:
        label, start, end = entity
        before = self.lowers[start - 1].rstrip(".") if start else ""
        if label == "PERSON" and before not in LISTED["TITLE"] and self._is_title(start, end):
            return None
        called = before in _CALLING and self.lowers[start] not in _OFFICES
        is_full_name = end - start > 1 and builtin_lexicon().is_first_name(self.texts[start])
        if not called and not is_full_name:
            if label == "PERSON":
                start, end = self._without_law(start, end)
            if label != "ORG" and end - start > 1 and self.lowers[end - 1] in INSTITUTIONS:
                label = "ORG"
            if self._is_term(label, start, end, names):
                return None
        return label, start, end

    def _is_title(self, start: int, end: int) -> bool:
        """Whether a person is a title, and the name follows (the Dr. of Dr. Okafor)."""
        is_title = end - start == 1 and self.lowers[start].rstrip(".") in LISTED["TITLE"]
        return is_title and end < len(self.texts) and self.texts[end].istitle()

    def _without_law(self, start: int, end: int) -> tuple[int, int]:
        edges = _GENERIC
        while start < end and (self.lowers[start] in edges or self.doc[start].is_punct):
            start, edges = start + 1, _GENERIC | _JOINTS
        while start < end and self.lowers[end - 1] in LAW:
            end -= 1
        return start, end

    def _is_term(self, label: str, start: int, end: int, names: frozenset[str]) -> bool:
        telling = [
            i
            for i in range(start, end)
            if self.lowers[i] not in _JOINTS
            and self.texts[i] not in _POSSESSIVES
            and any(map(str.isalpha, self.texts[i]))
        ]
        if all(self.lowers[i] in _GENERIC or self.texts[i] in ABBREVIATIONS for i in telling):
            return True
        after = self.lowers[end] if end < len(self.lowers) else ""
        if label == "PERSON" and self._begins_statute(end):
            return True
        if not names.isdisjoint(self.lowers[start:end]) or after in FOLLOWING["HUMAN"]:
            return False
        if all(self._is_listed(i, label) for i in telling):
            return True
        return end - start < 4 and self._is_called_after(start, end, telling)

    def _begins_statute(self, end: int) -> bool:
        """Whether the capitalised words from a place on are the rest of the name of an act."""
        title = takewhile(
            lambda i: self.texts[i].istitle(), range(end, min(end + 4, len(self.doc)))
        )
        return any(self.lowers[i] in _STATUTES for i in title)

    def _is_listed(self, i: int, label: str) -> bool:
        """Whether a word is a term by itself."""
        if (i, label) not in self._listed:
            self._listed[i, label] = self._look_up(i, label)
        return self._listed[i, label]

    def _look_up(self, i: int, label: str) -> bool:
        text, lower = self.texts[i], self.lowers[i]
        if lower in PRODUCTS or lower in _ALONE or text in ABBREVIATIONS:
            return True
        if is_name(text):
            return lower in DIAGNOSES and text != lower.capitalize()
        if lower in DIAGNOSES or pattern("DRUG_END").fullmatch(lower):
            return True
        if label == "PERSON":
            titled = text.istitle() and text.upper() in ABBREVIATIONS
            short = titled or self._is_abbreviation(i)
            return short or lower in GOODS or pattern("COMMON_END").search(lower) is not None
        return label == "GPE" and lower in GOODS

    def _is_abbreviation(self, i: int) -> bool:
        """Whether a word is a letter, or a few capitals among words that are not in capitals."""
        text = self.texts[i].rstrip(".")
        if len(text) == 1:
            return True
        beside = (*self.texts[max(i - 1, 0) : i], *self.texts[i + 1 : i + 2])
        shouted = any(word.isupper() and len(word) > 1 for word in beside)
        return text.isupper() and len(text) <= _SHORT_CAPITALS and not shouted

    def _is_called_after(self, start: int, end: int, telling: Sequence[int]) -> bool:
        """Whether an illness, a sign, a test or a device is called after somebody."""
        texts, lowers = self.texts, self.lowers
        last = end - (texts[end - 1] in _POSSESSIVES)
        owns = last < len(texts) and texts[last] in _POSSESSIVES
        after = last + owns
        if owns and lowers[start] in _POSSESSED:
            return True
        if after >= len(texts):
            return False
        if lowers[after] in TERM_NOUNS and not texts[after].istitle():
            return True
        if not all(lowers[i] in _EPONYMS for i in telling):
            return False
        if any(_ROMAN.fullmatch(word) and word != "I" for word in texts[last - 1 : after + 1]):
            return True
        scored = lowers[last - 1] in _SCORES and _SCORE.fullmatch(texts[after])
        return bool(scored) or any(word in _FINDINGS for word in lowers[after : after + 2])
