"""What is found in the text of a Doc, over its tokens: addresses, organisations and places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from spacy.tokens import Doc, Span

from .addresses import addresses
from .cues import cued
from .dates import date_phrases
from .fields import codes
from .grids import cells
from .lists import ALSO_FIRST, NAMES
from .organisations import organisations
from .places import places
from .words import builtin_lexicon

Match = tuple[str, int, int]


def match_phrases(doc: Doc, text: str) -> Iterator[Match]:
    """(label, start, end), in tokens, of what is in text, that of the Doc with plain
    digits; a token that a phrase only partly holds is part of it."""
    spans = [("ADDRESS", *span) for span in addresses(text, is_plain, is_new)]
    spans += [("ID", *span) for span in codes(text)]
    spans += [("ORG", *span) for span in organisations(text, is_first)]
    spans += [("GPE", *span) for span in places(text, is_new)]
    spans += [("PERSON", *span) for span in cued(text, is_name, is_any_first, is_word)]
    spans += cells(text)
    spans += date_phrases(text)
    for label, start, end in spans:
        # "expand" finds a span for all that is in the text.
        span = cast(Span, doc.char_span(start, end, alignment_mode="expand"))
        yield label, span.start, span.end


def is_plain(word: str) -> bool:
    """Whether a word is in the dictionary as it is written, or is a person's name."""
    word = word.strip(",.()\n")
    lexicon = builtin_lexicon()
    title = word.capitalize()
    if lexicon.of(title) & NAMES:
        return True
    return word.lower() in lexicon.rank and "city" not in lexicon.of(title)


def is_name(word: str) -> bool:
    """Whether a word is a name of persons, whatever else it is."""
    return bool(builtin_lexicon().of(word.capitalize()) & NAMES)


def is_word(word: str) -> bool:
    """Whether the dictionary has the word in small letters."""
    return word.lower() in builtin_lexicon().rank


def is_any_first(word: str) -> bool:
    """Whether a word is a first name, whatever else it is."""
    title = word.capitalize()
    return "first_name" in builtin_lexicon().of(title) or title in ALSO_FIRST


def is_first(word: str) -> bool:
    """Whether a word is a first name, and hardly anything else."""
    lexicon = builtin_lexicon()
    return "first_name" in lexicon.of(word) and lexicon.plainness(word) <= 0.5


def is_new(word: str) -> bool:
    """Whether a word is in no list, or in that of cities, and may be said aloud."""
    lexicon, title = builtin_lexicon(), word.capitalize()
    if "city" in lexicon.of(title) and (len(word) > 4 or not word.isupper()):
        return True
    lower = word.lower()
    spoken = any(c in "aeiouyáéíóúäöüåøæ" for c in lower) or not word.isascii()
    return spoken and lower not in lexicon.rank and word not in lexicon.rank and len(word) > 4
