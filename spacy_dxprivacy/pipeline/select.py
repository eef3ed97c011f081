"""Selectors choose the words to replace, and policies replace selected words that the space lacks.

Selectors return a boolean for each token of a Doc. Other tokens are released unmodified, and it is
visible which these are; the receipt states this in the words of `in_clear`.

Words that the space lacks are names, numbers, addresses and misspellings: what an attacker looks
for. No policy releases the word itself. All but dx.RandomWord.v1 and dx.Context.v1 show which words
were unknown. With these two it can be guessed, since replacements have a distribution of their own;
the word itself cannot.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from spacy.attrs import IS_PUNCT, IS_SPACE, LOWER
from spacy.language import Language
from spacy.strings import get_string_id
from spacy.tokens import Doc

from ..arrays import Bools1d
from ..entities.extent import Bounds
from ..entities.phrases import in_tokens
from ..errors import DxError, Errors
from ..files.word_lists import read_words
from ..privacy.randomness import Rng
from ..registries import registry
from ..space import Space
from ..text.mentions import Entity, chosen, plain_label, united
from ..validate import fail

LAYOUT = "number of tokens, punctuation and white space"


@runtime_checkable
class Selector(Protocol):
    """Chooses the words to replace. in_clear: describes what stays visible, for the receipt."""

    in_clear: tuple[str, ...]

    def select(self, doc: Doc) -> Bools1d:
        """Return the selected tokens, bool (tokens,). Raise DxError for a Doc without the needed
        annotations."""

    def check(self, nlp: Language, name: str) -> None:
        """Raise DxError if the pipeline does not set the annotations that the selector needs."""


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
        labels: One entity label or more.
        spans_key: Read `doc.spans[spans_key]` besides `doc.ents`.
        again: Also replace further mentions of a recognised entity.
        allow: Words and phrases, in any case. An entity that consists of these is never replaced.
        deny: Label -> words and phrases, in any case, that are always entities of that label.

    Raises:
        DxError: For an empty list, or a label of `deny` that `labels` does not have.
    """

    def __init__(
        self,
        labels: list[str],
        spans_key: str | None = None,
        again: bool = True,
        allow: list[str] | None = None,
        deny: dict[str, list[str]] | None = None,
    ) -> None:
        if not labels or not all(isinstance(label, str) and label for label in labels):
            raise fail("labels", "a list of one entity label or more", list(labels))
        deny = deny or {}
        if not deny.keys() <= {*labels}:
            raise fail("deny", f"labels among {', '.join(labels)}", sorted(deny))
        self.labels, self.spans_key, self.again = tuple(labels), spans_key, again
        self.allow = _phrases("allow", allow or [])
        self.deny = {label: _phrases("deny", phrases) for label, phrases in deny.items()}
        self.in_clear = (
            LAYOUT,
            f"every word outside the recognised entities {', '.join(labels)}",
            "where these entities are",
        )
        self._plain = set(map(plain_label, labels))

    def entities(self, doc: Doc) -> list[Entity]:
        """Return the entities to replace, in order, without overlaps, with normalised labels. Raise
        DxError if no recogniser ran."""
        key = self.spans_key
        recognised = doc.has_annotation("ENT_IOB") or (key is not None and key in doc.spans)
        if len(doc) and not recognised:
            raise DxError(Errors.DX030)
        entities = chosen(doc, self._plain, spans_key=key, again=self.again, cut=partial(_cut, doc))
        return self._by_lists(doc, entities)

    def _by_lists(self, doc: Doc, entities: list[Entity]) -> list[Entity]:
        """Return the entities without allowed ones, merged with denied phrases."""
        allowed = self.allow and {i for span in _places(doc, self.allow) for i in range(*span)}
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
        return united([*denied, *entities]) if denied else entities

    def select(self, doc: Doc) -> Bools1d:
        """Return the words of the entities, bool (tokens,). Raise DxError if no recogniser ran."""
        return self.words(doc, self.entities(doc))

    def words(self, doc: Doc, entities: list[Entity]) -> Bools1d:
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
            raise DxError(Errors.DX031.format(missing=", ".join(missing), known=labels))


def _cut(doc: Doc, mentions: list[Entity]) -> list[Entity]:
    """Return further mentions without those that are no names."""
    return Bounds(doc).split(mentions, doc.ents)


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


# -- unknown words ---------------------------------------------------------------------------------

REDACTED = "[REDACTED]"
WHICH = "which words the space does not hold"
_NUMBER = re.compile(r"[+#]?\d(?:[\d.,:/-]*\d)?%?", re.ASCII)
# At most 40 characters, a digit, no four letters in a row (a word) and no two marks (an emoticon).
_CODE = re.compile(
    r"(?!.{41})(?=\D*\d)(?!.*[a-z]{4}|.*[^a-z0-9]{2})[a-z0-9+#.,:;/_%*()\-]+", re.A | re.I
)
_CLOCK = re.compile(r"[\d:.]+[ap]m", re.A | re.I)
_GUESSED = (
    "how many words the space does not hold (in the receipt), and to some degree which: their "
    "replacements have a distribution of their own"
)


@registry.dx_unknowns("dx.Redact.v1")
class Redact:
    """Replace every unknown word by one text.

    Args:
        text: The replacement, not empty and without white space.
    """

    in_clear: tuple[str, ...] = (WHICH,)

    def __init__(self, text: str = REDACTED) -> None:
        if not isinstance(text, str) or not text or re.search(r"\s", text):
            raise fail("text", "a text without white space", text)
        self.text = text

    def replace(self, words: list[str], space: Space, rng: Rng) -> list[str]:
        """Return the same text for each word."""
        return [self.text] * len(words)


@registry.dx_unknowns("dx.RandomWord.v1")
class RandomWord:
    """Sample a word uniformly from the space.

    Uniform words are rarer than those of a text, so a reader can partly infer which were unknown.
    """

    in_clear: tuple[str, ...] = (_GUESSED,)

    def replace(self, words: list[str], space: Space, rng: Rng) -> list[str]:
        """Return words of the space, drawn uniformly."""
        return [space.words[row] for row in rng.integers(len(space), len(words))]


@registry.dx_unknowns("dx.Context.v1")
class Context(RandomWord):
    """Sample words that fit their sentence, and each digit and letter of codes uniformly.

    A code has a digit, no four letters in a row and no two marks in a row (0142, 12/31/2024,
    A1234567). The output depends on the form of a code, and on nothing else of an unknown word.
    Word-level sampling has no sentence, and draws words uniformly from the space.
    """

    in_context = True
    in_clear: tuple[str, ...] = (
        _GUESSED,
        "the form of numbers and codes that the space does not hold: digits, letters, capitals, "
        "marks, and times of day",
    )

    def keeps_form(self, word: str) -> bool:
        """Return whether a word is a number or code, whose form `replace` keeps."""
        return _CODE.fullmatch(word) is not None

    def replace(self, words: list[str], space: Space, rng: Rng) -> list[str]:
        """Return codes of the same form for codes, and uniform words of the space for others."""
        drawn = super().replace(words, space, rng)
        for i, word in enumerate(words):
            if self.keeps_form(word):
                # Uniform below 260 is uniform below 10 and below 26.
                numbers = rng.integers(260, len(word)).tolist()
                drawn[i] = "".join(map(_redrawn, word, numbers))
                if _CLOCK.fullmatch(word):
                    drawn[i] = drawn[i][:-2] + ("am", "pm")[numbers[-1] % 2]
        return drawn


def _redrawn(character: str, number: int) -> str:
    if character.isdigit():
        return str(number % 10)
    if not character.isalpha():
        return character
    letter = chr(ord("a") + number % 26)
    return letter.upper() if character.isupper() else letter


@registry.dx_unknowns("dx.RandomDigits.v1")
class RandomDigits(Redact):
    """Sample the digits of unknown numbers uniformly; replace all other unknown words by one text.

    Args:
        text: The replacement, not empty and without white space.
    """

    in_clear: tuple[str, ...] = (
        WHICH,
        "the number of digits and the separators of numbers that the space does not hold",
    )

    def replace(self, words: list[str], space: Space, rng: Rng) -> list[str]:
        """Return numbers with other digits, and the text for other words."""
        replaced = super().replace(words, space, rng)
        for i, word in enumerate(words):
            if _NUMBER.fullmatch(word):
                digits = map(str, rng.integers(10, len(word)))
                replaced[i] = "".join(next(digits) if c.isdigit() else c for c in word)
        return replaced


@registry.dx_unknowns("dx.Raise.v1")
class Raise:
    """Raise an error for documents with unknown words, without naming these."""

    in_clear: tuple[str, ...] = ()

    def replace(self, words: list[str], space: Space, rng: Rng) -> list[str]:
        """Raise DxError with the number of unknown words."""
        if words:
            raise DxError(Errors.DX036.format(count=len(words)))
        return []
