"""A tokenizer that knows public words before a memory zone begins.

In a zone spaCy's tokenizer keeps nothing of what it reads, but it still uses what it kept before,
and so do its lexemes. So words of the built-in space, in their order, are read before a zone: the
more of them the longer the texts are, whatever stands in these. Nobody learns more from the
vocabulary than how much was read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any
from weakref import WeakKeyDictionary

from spacy.language import Language
from spacy.tokenizer import Tokenizer

from ..space import Space

MOST = 2**15  # pieces; some 10 MB
SHARE = 96  # characters of texts for each piece: it takes as long as three words that are not known
AT_ONCE = 64


@dataclass
class _Warmth:
    """characters: of the texts so far. read: pieces; waiting: those to come."""

    waiting: Iterator[str] = field(default_factory=lambda: pieces_of(Space.builtin().words))
    characters: int = 0
    read: int = 0


_warmth: WeakKeyDictionary[Language, _Warmth] = WeakKeyDictionary()


def warm_up(nlp: Language, characters: int) -> None:
    """Read the public words that are due. characters: how many the texts of the next zone have.

    Does nothing in a zone, for another language, and where the tokenizer is not spaCy's own.
    """
    tokenizer: Any = nlp.tokenizer
    vocab: Any = nlp.vocab
    if nlp.lang != "en" or type(tokenizer) is not Tokenizer or vocab.in_memory_zone:
        return
    warmth = _warmth.setdefault(nlp, _Warmth())
    warmth.characters += characters
    due = min(MOST, warmth.characters // SHARE) - warmth.read
    if due >= AT_ONCE:
        room, tokenizer.max_cache_size = tokenizer.max_cache_size, 2 * MOST
        for piece in islice(warmth.waiting, due):
            tokenizer(piece)
        tokenizer.max_cache_size = room
        warmth.read += due


def pieces_of(public: Sequence[str]) -> Iterator[str]:
    """Yield words as they stand in a sentence; the frequent ones also before a comma, at its end
    and at its beginning."""
    for i in range(0, len(public), 2):
        yield from public[i : i + 2]
        word = public[i // 2]
        yield from (f"{word},", f"{word}.", f"{word[:1].upper()}{word[1:]}")
