"""Tell names from terms: institutions, legal words, drugs, illnesses, tests, goods, abbreviations.

Recognisers take "Directorate", "Babinski" and "Amiodarone" for persons. Public lists
(data/entities/terms.txt) contain such terms, and the words beside a term decide whether it is the
name of a person.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from spacy.tokens import Doc

from ..text.mentions import Entity
from .tables import FOLLOWING, GOODS, LISTED, PRODUCTS, TERM_NOUNS, expanded, pattern, words
from .words import builtin_lexicon, is_name

# The lists contain singular forms only.
INSTITUTIONS, LAW = (
    frozenset(form for word in words(name, "terms") for form in (word, f"{word}s"))
    for name in ("INSTITUTIONS", "LAW")
)
ABBREVIATIONS, DIAGNOSES = words("ABBREVIATIONS", "terms"), words("DIAGNOSES", "terms")
_ALONE, _POSSESSED = words("EPONYMS_ALONE", "terms"), words("EPONYMS", "terms")
_EPONYMS = _ALONE | _POSSESSED | words("ALSO_EPONYMS", "terms")
_SCORES, _FINDINGS = words("SCORES", "terms"), words("FINDINGS", "terms") | TERM_NOUNS
_GENERIC = INSTITUTIONS | LAW
_ILLNESSES = frozenset("disease diseases dystrophy palsy syndrome syndromes tumor tumour".split())
_OFFICES, _STATUTES = words("OFFICES", "terms"), words("STATUTES", "terms")
_JOINTS = frozenset("of the and for de der du la ii iii iv".split())
_POSSESSIVES = frozenset({"'s", "’s", "'", "’"})
# Words that stand before a name, and never before a term.
_CALLING = LISTED["TITLE"] | LISTED["GREETING"] | {"see", *expanded("BEFORE_VERB").split("|")}
_ROMAN = re.compile(r"[IVX]{1,4}[ab]?")
_SCORE = re.compile(r"\d{1,2}(?:/\d{1,2})?")
_SHORT_CAPITALS = 4  # maximum letters of an unlisted abbreviation


class Terms:
    """Finds the terms among mentions of a document. texts, lowers: the text of each token."""

    def __init__(self, doc: Doc, texts: Sequence[str], lowers: Sequence[str]) -> None:
        self.doc, self.texts, self.lowers = doc, texts, lowers
        # Caches, as many matches are equal or share a word.
        self._judged: dict[tuple[Entity, frozenset[str]], Entity | None] = {}
        self._listed: dict[tuple[int, str], bool] = {}

    def judged(self, entity: Entity, names: set[str]) -> Entity | None:
        """Return an entity without legal words at its ends, or None if it is a term. It is an ORG
        if its last word names a type of institution.

        names: Lower-case words of the full names in the document.
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
        """Return whether a person is only the title before a name (the Dr. of Dr. Okafor)."""
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
        if label != "ORG" and end - start > 1 and self.lowers[end - 1] in _ILLNESSES:
            return True
        if not names.isdisjoint(self.lowers[start:end]) or after in FOLLOWING["HUMAN"]:
            return False
        if all(self._is_listed(i, label) for i in telling):
            return True
        return end - start < 4 and self._is_called_after(start, end, telling)

    def _begins_statute(self, end: int) -> bool:
        """Return whether the capitalised words from token `end` on complete a statute's name."""
        title = takewhile(
            lambda i: self.texts[i].istitle(), range(end, min(end + 4, len(self.doc)))
        )
        return any(self.lowers[i] in _STATUTES for i in title)

    def _is_listed(self, i: int, label: str) -> bool:
        """Return whether the i-th word is a term by itself."""
        if (i, label) not in self._listed:
            self._listed[i, label] = self._look_up(i, label)
        return self._listed[i, label]

    def _look_up(self, i: int, label: str) -> bool:
        text, lower = self.texts[i], self.lowers[i]
        if lower in PRODUCTS or lower in _ALONE or text in ABBREVIATIONS:
            return True
        if is_name(text):
            return lower in DIAGNOSES and text != lower.capitalize()
        is_diagnosis = lower in DIAGNOSES or lower.removesuffix("s") in DIAGNOSES
        if is_diagnosis or pattern("MEDICAL_END").fullmatch(lower):
            return True
        if label == "PERSON":
            titled = text.istitle() and text.upper() in ABBREVIATIONS
            short = titled or self._is_abbreviation(i)
            return short or lower in GOODS or pattern("COMMON_END").search(lower) is not None
        return label == "GPE" and lower in GOODS

    def _is_abbreviation(self, i: int) -> bool:
        """Return whether a word is one letter, or a few capitals beside words not in capitals."""
        text = self.texts[i].rstrip(".")
        if len(text) == 1:
            return True
        beside = (*self.texts[max(i - 1, 0) : i], *self.texts[i + 1 : i + 2])
        shouted = any(word.isupper() and len(word) > 1 for word in beside)
        return text.isupper() and len(text) <= _SHORT_CAPITALS and not shouted

    def _is_called_after(self, start: int, end: int, telling: Sequence[int]) -> bool:
        """Return whether an illness, sign, test or device is named after the person."""
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
