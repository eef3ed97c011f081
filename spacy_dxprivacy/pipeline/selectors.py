"""Selectors choose the words to replace.

Selectors return a boolean for each token of a Doc. Other tokens are released in plaintext, and
it is visible which these are; the receipt states this in the words of `in_clear`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from spacy.attrs import IS_PUNCT, IS_SPACE, LOWER
from spacy.language import Language
from spacy.strings import get_string_id
from spacy.tokens import Doc

from ..arrays import Bools1d
from ..config.options import to_names
from ..entities.extent import Bounds
from ..entities.foreign import without_words
from ..entities.phrases import in_tokens
from ..entities.tables import pattern
from ..errors import DxError, Errors, did_you_mean
from ..files.word_lists import read_words
from ..registries import registry
from ..text.mentions import Entity, find_entities, plain_label, unite
from ..validate import fail, given_twice

_IN_BRACKETS = re.compile(r"<.*>")
ALLOWED = "entities that consist of words of `allow`"
# Public phrases that `allow` may name: the section of their form, and what of them is visible.
PUBLIC = {
    "<case citations>": (
        "CASE_CITATION",
        "published cases with their law report, and with the names of their parties, by `allow`",
    )
}
ENTITY_LABELS = ("PERSON", "DATE")  # of dx_entity_sanitizer, by default
LAYOUT = "number of tokens, punctuation and white space"


class Selector(Protocol):
    """Chooses the words to replace. in_clear: describes what stays visible, for the receipt.

    A function from a Doc to one boolean per token is a selector too, see FunctionSelector.
    """

    in_clear: tuple[str, ...]

    def select(self, doc: Doc) -> Bools1d:
        """Return the selected tokens, bool (tokens,). Raise DxError for a Doc without the needed
        annotations."""

    def check(self, nlp: Language, name: str) -> None:
        """Raise DxError if the pipeline does not set the annotations that the selector needs."""


@dataclass(frozen=True)
class FunctionSelector:
    """Select by a function from a Doc to one boolean per token, a list or an array."""

    function: Callable[[Doc], Any]
    in_clear = (LAYOUT, "every word that the selector does not choose, and which these are")

    def select(self, doc: Doc) -> Any:
        """Return what the function returns, which must be one boolean per token."""
        return self.function(doc)

    def check(self, nlp: Language, name: str) -> None:
        """Accept every pipeline."""


def selector_of(setting: Any, labels: str | Sequence[str] | None = None) -> Any:
    """Return a selector for a function; any other object as it is.

    labels: None, or the labels of a dx.Entities.v1 that has none of its own. Raise DxError for any
    other selector.
    """
    is_function = callable(setting) and not isinstance(setting, type)
    if is_function and not hasattr(setting, "select"):
        setting = FunctionSelector(setting)
    if labels is None:
        return setting
    if not isinstance(setting, Entities):
        block = '[components.dx_sanitizer.selector] with @dx_selectors = "dx.Entities.v1"'
        raise fail(
            "labels", f"null for words; use dx_entity_sanitizer, or the block {block}", labels
        )
    selector = setting.with_labels(labels)
    if setting.labels not in (ENTITY_LABELS, selector.labels):
        raise given_twice("labels", labels, list(setting.labels), "selector")
    return selector


@registry.dx_selectors("dx.AllWords.v1")
class AllWords:
    """Select every token but punctuation and white space."""

    in_clear: tuple[str, ...] = (LAYOUT,)

    def select(self, doc: Doc) -> Bools1d:
        """Return bool (tokens,): all but punctuation and white space."""
        return words_of(doc)

    def check(self, nlp: Language, name: str) -> None:
        """Accept every pipeline."""


@registry.dx_selectors("dx.Entities.v1")
class Entities:
    """Select the words of entities with these labels, of any recogniser.

    `doc.ents`, `doc.spans["dx_entities"]` and `doc.spans[spans_key]` are merged. Labels are
    normalised, such as PER to PERSON. With `again`, an entity found once is also replaced where it
    is mentioned again, in any case and in part.

    Entities that no recogniser finds have no guarantee, and the places of entities are visible.

    Args:
        labels: One entity label or more, as a list or as "PERSON,DATE".
        spans_key: Read `doc.spans[spans_key]` besides `doc.ents`.
        again: Also replace further mentions of a recognised entity.
        allow: Words and phrases, in any case. An entity that consists of these is never replaced.
            "<case citations>" allows all published cases with their law report, such as Donoghue v
            Stevenson [1932] AC 562.
        deny: Label -> words and phrases, in any case, that are always entities of that label.

    Raises:
        DxError: For an empty list, a label of `deny` that `labels` does not have, or a phrase of
            `allow` in angle brackets that is not known.
    """

    def __init__(
        self,
        labels: str | list[str],
        spans_key: str | None = None,
        again: bool = True,
        allow: list[str] | None = None,
        deny: dict[str, list[str]] | None = None,
    ) -> None:
        self.spans_key, self.again = spans_key, again
        self.allow = _allowed(allow or [])
        self.deny = {label: _phrases("deny", phrases) for label, phrases in (deny or {}).items()}
        self._take_labels(labels)

    def _allows(self, name: str) -> bool:
        return pattern(PUBLIC[name][0]) in self.allow

    def with_labels(self, labels: str | Sequence[str]) -> Entities:
        """Return a selector with other labels. Raise DxError as the constructor does."""
        selector = copy(self)
        selector._take_labels(labels)
        return selector

    def _take_labels(self, labels: str | Sequence[str]) -> None:
        names = to_names(labels) if isinstance(labels, str) else tuple(labels)
        if not names or not all(isinstance(label, str) and label for label in names):
            raise fail("labels", "a list of one entity label or more", list(names))
        if not self.deny.keys() <= {*names}:
            raise fail("deny", f"labels among {', '.join(names)}", sorted(self.deny))
        self.labels = names
        self.in_clear = (
            LAYOUT,
            f"every word outside the recognised entities {', '.join(names)}",
            "where these entities are",
            *((ALLOWED,) if self.allow else ()),
            *(text for name, (_, text) in PUBLIC.items() if self._allows(name)),
        )
        self._plain = set(map(plain_label, names))

    def entities(self, doc: Doc) -> list[Entity]:
        """Return the entities to replace, in order, without overlaps, with normalised labels. Raise
        DxError if no recogniser ran, or no component set the spans of `spans_key`."""
        key = self.spans_key
        if len(doc) and key is not None and key not in doc.spans:
            raise DxError(Errors.DX188.format(key=key))
        recognised = doc.has_annotation("ENT_IOB") or (key is not None and key in doc.spans)
        if len(doc) and not recognised:
            raise DxError(Errors.DX030)
        names_among = partial(_names_among, doc)
        entities = find_entities(
            doc, self._plain, spans_key=key, again=self.again, names_among=names_among
        )
        return self._by_lists(doc, entities)

    def _by_lists(self, doc: Doc, entities: list[Entity]) -> list[Entity]:
        """Return the entities without allowed ones, merged with denied phrases."""
        spans = (span for phrases in self.allow for span in _places(doc, phrases))
        allowed = {i for span in spans for i in range(*span)}
        if allowed:
            words = words_of(doc)
            entities = [
                entity
                for entity in entities
                if not allowed.issuperset(i for i in range(entity.start, entity.end) if words[i])
            ]
        denied = [
            Entity(plain_label(label), *span)
            for label, phrases in self.deny.items()
            for span in _places(doc, phrases)
        ]
        return unite([*denied, *entities]) if denied else entities

    def select(self, doc: Doc) -> Bools1d:
        """Return the words of the entities, bool (tokens,). Raise DxError if no recogniser ran."""
        return self.words(doc, self.entities(doc))

    def words(self, doc: Doc, entities: Sequence[Entity]) -> Bools1d:
        """Return the words of these entities, bool (tokens,)."""
        inside: Bools1d = np.zeros(len(doc), dtype=bool)
        for _, first, last in entities:
            inside[first:last] = True
        return inside & words_of(doc)

    def check(self, nlp: Language, name: str) -> None:
        """Raise DxError for a label that no recogniser before the component predicts. With
        `spans_key` nothing is checked: such components do not state their labels."""
        predicted = None if self.spans_key is not None else entity_labels(nlp, before=name)
        plain = set(map(plain_label, (*(predicted or ()), *self.deny)))
        missing = [label for label in self.labels if plain_label(label) not in plain]
        if predicted is not None and missing:
            labels = ", ".join(sorted(predicted)) or "no label at all"
            hint = did_you_mean(missing[0].upper(), predicted)
            raise DxError(Errors.DX031.format(missing=", ".join(missing), known=labels, hint=hint))


def _names_among(doc: Doc, mentions: list[Entity]) -> list[Entity]:
    """Drop mentions that are not names."""
    return Bounds.of(doc).split(without_words(doc, mentions), doc.ents)


def _allowed(phrases: list[str]) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of `allow`: one of words and phrases, and those of names in brackets."""
    known = [phrase for phrase in phrases if phrase in PUBLIC] if isinstance(phrases, list) else []
    others = [phrase for phrase in phrases if phrase not in known] if known else phrases
    if any(isinstance(phrase, str) and _IN_BRACKETS.fullmatch(phrase) for phrase in others):
        raise fail("allow", f"words and phrases, or {', '.join(PUBLIC)}", "a name in brackets")
    own = _phrases("allow", others)
    return (*([own] if own else []), *(pattern(PUBLIC[name][0]) for name in known))


def _phrases(name: str, phrases: list[str]) -> re.Pattern[str] | None:
    """Return a pattern of these phrases as whole words in any case; None without phrases."""
    if isinstance(phrases, str) or not all(isinstance(p, str) and p.strip() for p in phrases):
        raise fail(name, "lists of words and phrases", type(phrases).__name__)
    written = sorted((r"\s+".join(map(re.escape, p.split())) for p in phrases), key=len)
    return re.compile(rf"(?<!\w)(?:{'|'.join(written[::-1])})(?!\w)", re.I) if written else None


def _places(doc: Doc, phrases: re.Pattern[str] | None) -> Iterator[tuple[int, int]]:
    """Yield the tokens of each phrase in a Doc."""
    for match in phrases.finditer(doc.text) if phrases else ():
        yield in_tokens(doc, "", *match.span())[1:]


@registry.dx_selectors("dx.WordList.v1")
class WordList:
    """Select the words of a public list, in any case. It is visible which words are not listed.

    Args:
        words: The words, or the path of a UTF-8 text file with one word a line.
    """

    def __init__(self, words: str | list[str]) -> None:
        listed = read_words(Path(words)) if isinstance(words, str) else tuple(words)
        if not listed:
            raise fail("words", "a list of one word or more", [])
        self.in_clear = (LAYOUT, "every word that is not on the list of dx.WordList.v1")
        self._unchecked = listed
        self._ids = np.array([get_string_id(word.lower()) for word in listed], dtype=np.uint64)

    def select(self, doc: Doc) -> Bools1d:
        """Return the words of the list, in any case, bool (tokens,)."""
        return np.isin(doc.to_array(LOWER), self._ids, kind="sort") & words_of(doc)

    def check(self, nlp: Language, name: str) -> None:
        """Raise DxError for entries that the tokenizer splits, which would never match."""
        split = sum(len(nlp.make_doc(word)) != 1 for word in self._unchecked)
        if split:
            raise DxError(Errors.DX029.format(count=split))
        self._unchecked = ()


def words_of(doc: Doc) -> Bools1d:
    """Return bool (tokens,): all but punctuation and white space."""
    flags = doc.to_array([IS_SPACE, IS_PUNCT])
    words: Bools1d = np.logical_not(np.any(flags, axis=1))
    return words


def entity_labels(nlp: Language, *, before: str) -> set[str] | None:
    """Return the labels of the recognisers before a component; None if there is no recogniser, or
    one does not state its labels."""
    names = nlp.pipe_names
    earlier = names[: names.index(before)] if before in names else names
    pipes = [nlp.get_pipe(n) for n in earlier if "doc.ents" in nlp.get_pipe_meta(n).assigns]
    labels = [getattr(pipe, "labels", None) for pipe in pipes]
    return None if not pipes or None in labels else set().union(*filter(None, labels))
