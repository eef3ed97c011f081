"""The words of the original texts, and the search for them in strings and texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

import spacy
from spacy.lang.en.stop_words import STOP_WORDS
from spacy.language import Language
from spacy.tokens import Doc

from ...config.options import FileOptions
from ...io.records import Record
from ...pipeline.unknown_words import REDACTED
from ...space import Space
from ...text.mentions import (
    AS_A_WHOLE,
    MIN_GLUED_LETTERS,
    PIECE,
    find_entities,
    is_word,
    name_parts,
    places_of,
    plain_label,
)
from ...text.tokens import tokenize
from ..corpus import tokenizer
from .files import ReleasedText, files_of, read_file

PIECE_PATTERN = re.compile(r"[^\s\"'<>()\[\]{},;:=|]+")
WORD_PATTERN = re.compile(r"\w+")
MIN_LETTERS = 3  # letters of words that are searched outside of texts, and of parts of names
RUN_WORDS = 4  # words in a row that do not come by chance


class Original:
    """The original texts. docs: words and spaces of each document. words: in lower case, without
    punctuation; searchable: those that are searched outside of texts; unknown: not in the space.
    records: of each file."""

    def __init__(
        self,
        docs: list[tuple[list[str], list[bool]]],
        space: Space,
        records: Sequence[Sequence[Record]] = (),
    ) -> None:
        self.docs, self.records = docs, records
        lower = [
            [w.lower() for w in words if any(c.isalnum() for c in w) and w != REDACTED]
            for words, _ in docs
        ]
        self.words = {w for words in lower for w in words}
        self.searchable = {w for w in self.words if len(w) >= MIN_LETTERS and w not in STOP_WORDS}
        self.unknown = {w for w in self.words if space.find(w) < 0}
        self._runs = {run for words in lower for run in _runs(words)}

    @property
    def texts(self) -> list[str]:
        """The documents."""
        return [text_of_tokens(*doc) for doc in self.docs]

    def in_strings(self, values: Iterable[str], *, are_words: bool = False) -> set[str]:
        """Return the searchable words of the original in some strings."""
        words: set[str] = set()
        for value in values:
            lower = value.lower()
            if not are_words:
                words |= {piece.strip(".!?-_*/\\") for piece in PIECE_PATTERN.findall(lower)}
                words |= set(WORD_PATTERN.findall(lower))
            words.add(lower)
        return words & self.searchable

    def runs_in(self, values: Iterable[str]) -> set[str]:
        """Return the words of sequences of RUN_WORDS words that are also in the original."""
        words_in_runs: set[str] = set()
        for value in values:
            words = (
                [w.lower() for w in WORD_PATTERN.findall(value)]
                if len(value) > 2 * RUN_WORDS
                else []
            )
            words_in_runs |= {w for run in _runs(words) if run in self._runs for w in run}
        return words_in_runs


def read_original(path: Path, files: FileOptions, space: Space) -> Original:
    """Read a file or a folder of texts. Raise BadFile as reading a release does."""
    docs, records = list[tuple[list[str], list[bool]]](), list[list[Record]]()
    for file in files_of(path):
        items = [item for item in read_file(file, files) if isinstance(item, ReleasedText)]
        docs += map(tokens_of, items)
        records.append([item.record for item in items if item.record is not None])
    return Original(docs, space, records)


def tokens_of(item: ReleasedText) -> tuple[list[str], list[bool]]:
    """Return the words and spaces of a document; plain text is tokenized as English."""
    if item.words is not None and item.spaces is not None:
        return item.words, item.spaces
    nlp = _blank()
    with nlp.memory_zone():
        doc: Doc = tokenize(nlp, item.text)
        return [t.text for t in doc], [bool(t.whitespace_) for t in doc]


def text_of_tokens(words: list[str], spaces: list[bool]) -> str:
    """Return the text of tokens."""
    return "".join(w + " " * s for w, s in zip(words, spaces, strict=True))


_blank = lru_cache(maxsize=1)(tokenizer)


@lru_cache(maxsize=4)
def public_strings(lang: str) -> frozenset[str]:
    """Return the strings of a fresh pipeline of the language, in lower case."""
    try:
        return frozenset(s.lower() for s in spacy.blank(lang).vocab.strings)
    except (ImportError, ValueError):
        return frozenset()


def _runs(words: list[str]) -> Iterable[tuple[str, ...]]:
    return zip(*(words[i:] for i in range(RUN_WORDS)), strict=False)


# -- survivors of entity mode ----------------------------------------------------------------------
# A recogniser reads the originals. Of persons, each part of a name counts, in any case, possessive
# and within longer words; of other entities the whole. A survivor is such a string in both an
# original and its release; one that is not in its own original came by chance.

PLAINTEXT = re.compile(r"every word outside the recognised entities (.+)")


@dataclass(frozen=True)
class Survivor:
    """A part of an entity in a release. document: its index, from 0. start: in characters.
    recognised: in this document, not only in another. word: in lower case; it is the secret."""

    document: int
    start: int
    label: str
    recognised: bool
    word: str = field(repr=False)


@dataclass
class Recognised:
    """The entities of the originals. parts: part of a name -> whether a text has it in lower case.
    wholes: entity in lower case -> label. by_document: of each. counts: mentions by label."""

    parts: dict[str, bool] = field(default_factory=dict)
    wholes: dict[str, str] = field(default_factory=dict)
    by_document: list[set[str]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    @cached_property
    def by_word(self) -> dict[str, list[tuple[str, int]]]:
        """First word -> wholes that begin with it, and the number of characters before it."""
        table: dict[str, list[tuple[str, int]]] = {}
        for entity in self.wholes:
            if first := WORD_PATTERN.search(entity):
                table.setdefault(first[0], []).append((entity, first.start()))
        return table


def entity_mode_labels(phrases: Iterable[str]) -> list[str]:
    """Return the labels of entity mode in a receipt's `in_clear`; [] for other modes."""
    matches = [PLAINTEXT.fullmatch(phrase) for phrase in phrases]
    return [label for match in matches if match for label in match[1].split(", ")]


def recognise(originals: Iterable[str], labels: Collection[str], nlp: Language) -> Recognised:
    """Recognise entities. nlp: a pipeline with a recogniser. labels: its own or normalised ones."""
    wanted = {plain_label(label) for label in labels} & (AS_A_WHOLE | {"PERSON", "ADDRESS"})
    recognised = Recognised()
    for doc in nlp.pipe(originals):
        entities = find_entities(doc, wanted)
        recognised.counts.update(label for label, _, _ in entities)
        parts = {p: s for p, s in name_parts(doc, entities).items() if len(p) >= MIN_LETTERS}
        wholes = {}
        for label, first, last in entities:
            text = doc[first:last].text.lower()
            if (
                label != "PERSON"
                and len(text) > MIN_LETTERS
                and not all(map(is_word, text.split()))
            ):
                wholes[text] = label
        for part, small in parts.items():
            recognised.parts[part] = recognised.parts.get(part, False) or small
        recognised.wholes |= wholes
        recognised.by_document.append({*parts, *wholes})
    return recognised


def survivors(
    originals: Sequence[str], release: Sequence[str], recognised: Recognised
) -> list[Survivor]:
    """Return the survivors in a release, in the order of the originals. Raise ValueError if the
    numbers of texts differ."""
    nlp = _blank()
    hits_in_release = []
    for number, (old, released) in enumerate(zip(originals, release, strict=True)):
        with nlp.memory_zone():
            doc: Doc = nlp.make_doc(released)
            hits = [*_names_in(doc, recognised), *_wholes_in(released.lower(), recognised)]
        before = old.lower()
        words = set(PIECE.findall(before))
        for word, start, label in hits:
            long = label != "PERSON" or len(word) >= MIN_GLUED_LETTERS
            if word in words or (long and word in before):
                in_same_document = word in recognised.by_document[number]
                hits_in_release.append(Survivor(number, start, label, in_same_document, word))
    return hits_in_release


def _names_in(doc: Doc, recognised: Recognised) -> Iterator[tuple[str, int, str]]:
    for i in places_of(doc, recognised.parts):
        lower = doc[i].lower_
        pieces = {p for p in PIECE.findall(lower) if p in recognised.parts}
        for piece in pieces or {
            p for p in recognised.parts if len(p) >= MIN_GLUED_LETTERS and p in lower
        }:
            yield piece, doc[i].idx, "PERSON"


def _wholes_in(lower: str, recognised: Recognised) -> Iterator[tuple[str, int, str]]:
    for match in WORD_PATTERN.finditer(lower):
        for entity, before in recognised.by_word.get(match[0], ()):
            start = match.start() - before
            end = start + len(entity)
            if lower[max(start, 0) : end] == entity and not lower[end : end + 1].isalnum():
                yield entity, start, recognised.wholes[entity]


def rules() -> Language:
    """Return a pipeline with dx_entity_ruler."""
    nlp = tokenizer()
    nlp.add_pipe("dx_entity_ruler")
    return nlp
