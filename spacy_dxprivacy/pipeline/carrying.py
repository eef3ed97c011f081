"""Annotations that a new Doc takes over from the input, where the setting `carry` names them.

Annotations of words are copied to words that stay; sampled words and surrogates have none, since
theirs would be those of the original word. Entities, spans and sentences are copied with their
places. The receipt states each, since annotations of unmodified words depend on their neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from spacy.attrs import DEP, ENT_IOB, ENT_TYPE, HEAD, LEMMA, MORPH, POS, SENT_START, TAG
from spacy.tokens import Doc, Span, Token

from ..arrays import Bools1d, Ints1d
from ..errors import DxError, Errors
from ..text.mentions import SPANS_KEY as ENTITIES_KEY
from ..validate import one_of
from .receipt import SPANS_KEY

SPANS, EXTENSION = "spans:", "_."  # beginnings of items with a name of the user's
STORED = "._."  # beginning of the keys of extension attributes in the user data of a Doc
_SHOWS = "which can show what kind of word a replaced neighbour was"
DESCRIPTIONS = {
    "ents": "the places and labels of the input's entities",
    "sents": "where the input's sentences begin",
    "tags": f"the tags, parts of speech and morphology of unmodified words, {_SHOWS}",
    "lemmas": "the lemmas of unmodified words",
    "deps": f"the parse between unmodified words, and where sentences begin, {_SHOWS}",
}
_OF_WORDS: dict[str, list[int | str]] = {"tags": [TAG, POS, MORPH], "lemmas": [LEMMA]}
_PLACED: dict[str, list[int | str]] = {"ents": [ENT_IOB, ENT_TYPE], "sents": [SENT_START]}
# Annotations whose presence shows that an item was dropped.
_SIGNS = {"tags": ("TAG", "POS", "MORPH"), "lemmas": ("LEMMA",), "deps": ("DEP",),
          "sents": ("SENT_START",), "ents": ("ENT_IOB",)}  # fmt: skip
_INSIDE = 1  # value of ENT_IOB: inside an entity
_NO_START = np.uint64(2**64 - 1)  # value of SENT_START: -1, no sentence begins


def check_carry(item: str) -> str:
    """Return an item of `carry`. Raise DxError for an unknown one."""
    for start in (SPANS, EXTENSION):
        if isinstance(item, str) and item.startswith(start) and len(item) > len(start):
            return item
    return one_of("carry", item, (*DESCRIPTIONS, f"{SPANS}KEY", f"{EXTENSION}NAME"))


def describe_carry(item: str) -> str:
    """Return what an item shows of the input, for receipts."""
    if item.startswith(SPANS):
        return f"the places and labels of the input's spans {item[len(SPANS) :]!r}"
    if item.startswith(EXTENSION):
        return f"the extension attribute {item} of the Doc and of unmodified words"
    return DESCRIPTIONS[item]


def dropped_annotations(doc: Doc, carry: Sequence[str]) -> list[str]:
    """Return the items of `carry` that the Doc has and that are not carried."""
    found = [item for item, names in _SIGNS.items() if any(map(doc.has_annotation, names))]
    if "deps" in {*found, *carry}:  # sentences follow from the parse
        found = [item for item in found if item != "sents"]
    found += [f"{SPANS}{key}" for key in doc.spans if key not in (SPANS_KEY, ENTITIES_KEY)]
    found += [f"{EXTENSION}{name}" for name in dict.fromkeys(_extensions(doc))]
    return [item for item in found if item not in carry]


def _extensions(doc: Doc) -> Iterator[str]:
    """Yield the names of extension attributes with a value of the Doc or of a token."""
    for key in doc.user_data:
        if isinstance(key, tuple) and len(key) == 4 and key[0] == STORED and key[3] is None:
            yield key[1]


class Carrier:
    """Copies annotations from an input Doc to the new one.

    Args:
        doc: The input, of n tokens.
        output: The new Doc, of m tokens.
        sources: The input token of each new token, int64 (m,), rising.
        stays: Which new tokens are unmodified, bool (m,).
        follows: Which new tokens continue a surrogate, bool (m,).
    """

    def __init__(
        self, doc: Doc, output: Doc, sources: Ints1d, stays: Bools1d, follows: Bools1d
    ) -> None:
        self.doc, self.output, self.sources = doc, output, sources
        self.stays, self.follows = stays, follows

    def carry(self, items: Sequence[str]) -> None:
        """Copy annotations. Raise DxError for an extension that does not exist."""
        if not len(self.doc):
            return
        # The parse first: spaCy sets sentence starts by it, which are then set as they were.
        for item in sorted(items, key=lambda item: item != "deps"):
            if item in _OF_WORDS:
                self._of_words(_OF_WORDS[item])
            elif item in _PLACED:
                self._placed(item)
            elif item == "deps":
                self._parse()
                self._placed("sents")
            elif item.startswith(SPANS):
                self._spans(item[len(SPANS) :])
            else:
                self._extension(item[len(EXTENSION) :])

    def _of_words(self, attributes: list[int | str]) -> None:
        """Copy attributes of unmodified words."""
        old: Any = self.doc.to_array(attributes)  # a list, for an array of two axes
        values = old[self.sources]
        values[~self.stays] = 0
        self.output.from_array(attributes, values)

    def _placed(self, item: str) -> None:
        """Copy entities or sentence starts; all tokens of a surrogate are in one entity."""
        old: Any = self.doc.to_array(_PLACED[item])
        values = old[self.sources]
        if item == "ents":
            values[self.follows, 0] = _INSIDE
        elif np.any(old):
            values[self.follows] = _NO_START
        self.output.from_array(_PLACED[item], values)

    def _parse(self) -> None:
        """Copy heads and relations of which both ends are unmodified."""
        old: Any = self.doc.to_array([HEAD, DEP])
        places = np.flatnonzero(self.stays)
        new_of_old = np.full(len(self.doc), -1)
        new_of_old[self.sources[places]] = places
        heads = new_of_old[self.sources[places] + old[self.sources[places], 0].astype(np.int64)]
        values: Any = np.zeros((len(self.sources), 2), dtype=np.uint64)
        values[places, 0] = np.where(heads < 0, 0, heads - places).astype(np.uint64)
        values[places, 1] = np.where(heads < 0, 0, old[self.sources[places], 1])
        self.output.from_array([HEAD, DEP], values)

    def _spans(self, key: str) -> None:
        """Copy spans with their labels; one that begins or ends within a mention covers all of its
        surrogate or nothing of it."""
        if key not in self.doc.spans:
            return
        spans = []
        for span in self.doc.spans[key]:
            start, end = np.searchsorted(self.sources, [span.start, span.end]).tolist()
            if start < end:
                spans.append(Span(self.output, start, end, label=span.label))
        self.output.spans[key] = spans

    def _extension(self, name: str) -> None:
        """Copy the value of an extension attribute of the Doc, and those of unmodified words."""
        if not (Doc.has_extension(name) or Token.has_extension(name)):
            raise DxError(Errors.DX183.format(name=f"{EXTENSION}{name}"))
        data: dict[Any, Any] = self.doc.user_data
        new: dict[Any, Any] = self.output.user_data
        if (STORED, name, None, None) in data:
            new[STORED, name, None, None] = data[STORED, name, None, None]
        for place in np.flatnonzero(self.stays).tolist():
            key = (STORED, name, self.doc[int(self.sources[place])].idx, None)
            if key in data:
                new[STORED, name, self.output[place].idx, None] = data[key]
