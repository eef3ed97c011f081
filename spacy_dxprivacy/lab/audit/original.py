"""The words of the original texts, and how strings are searched for them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import spacy
from spacy.lang.en.stop_words import STOP_WORDS
from spacy.tokens import Doc

from ...doc.tokens import tokenized
from ...space import Space
from .files import Form, Text, files_of, read_file

PIECES = re.compile(r"[^\s\"'<>()\[\]{},;:=|]+")
WORDS = re.compile(r"\w+")
REDACTED = "[REDACTED]"
SHORTEST = 3  # of words that are looked for outside of texts
RUN = 4  # words one after another that do not come by chance


class Original:
    """docs: the tokens of each document, with the blanks after them. words: what the texts hold, in
    lower case, without punctuation."""

    def __init__(self, docs: list[tuple[list[str], list[bool]]], space: Space) -> None:
        self.docs = docs
        self.space = space
        self.words = {w.lower() for words, _ in docs for w in words if _is_word(w)}
        self.telling = {w for w in self.words if len(w) >= SHORTEST and w not in STOP_WORDS}
        self.unknown = {w for w in self.words if space.find(w) < 0}
        self._runs = {
            run
            for words, _ in docs
            for run in _runs([w for w in map(str.lower, words) if _is_word(w)])
        }

    def in_strings(self, values: Iterable[str], *, whole: bool = False) -> set[str]:
        """The telling words of the original in some strings."""
        found: set[str] = set()
        for value in values:
            lower = value.lower()
            pieces = {lower} if whole else {lower, *pieces_of(lower)}
            found |= pieces & self.telling
        return found

    def runs_in(self, values: Iterable[str]) -> set[str]:
        """The words of runs of RUN words that stand one after another in the original as well."""
        found: set[str] = set()
        for value in values:
            words = [w.lower() for w in WORDS.findall(value)] if len(value) > 2 * RUN else []
            found |= {w for run in _runs(words) if run in self._runs for w in run}
        return found


def read_original(path: Path, form: Form, space: Space) -> Original:
    """Raises BadFile as reading a release does, and for originals without any text."""
    docs = []
    for file in files_of(path):
        for item in read_file(file, form):
            if isinstance(item, Text):
                docs.append(tokens_of(item))
    return Original(docs, space)


def tokens_of(item: Text) -> tuple[list[str], list[bool]]:
    """Words and blanks of a document, by the blank English tokenizer where it is a plain text."""
    if item.words is not None and item.spaces is not None:
        return item.words, item.spaces
    nlp = blank()
    with nlp.memory_zone():
        doc: Doc = tokenized(nlp, item.text)
        return [t.text for t in doc], [bool(t.whitespace_) for t in doc]


@lru_cache(maxsize=1)
def blank() -> Any:
    """A tokenizer that cuts no placeholder in two, for texts of any length."""
    nlp: Any = spacy.blank("en")
    nlp.tokenizer.add_special_case(REDACTED, [{"ORTH": REDACTED}])
    nlp.max_length = 2**40
    return nlp


@lru_cache(maxsize=4)
def public_strings(lang: str) -> frozenset[str]:
    """What a fresh pipeline of the language has in its vocabulary, in lower case."""
    try:
        return frozenset(s.lower() for s in spacy.blank(lang).vocab.strings)
    except (ImportError, ValueError):
        return frozenset()


def pieces_of(text: str) -> set[str]:
    """The words of a text, and its pieces between white space."""
    pieces = {piece.strip(".!?-_*/\\") for piece in PIECES.findall(text)}
    return pieces | set(WORDS.findall(text))


def _runs(words: list[str]) -> Iterable[tuple[str, ...]]:
    return zip(*(words[i:] for i in range(RUN)), strict=False)


def _is_word(token: str) -> bool:
    return any(c.isalnum() for c in token) and token != REDACTED
