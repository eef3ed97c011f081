"""What a vocabulary and its tokenizer keep: public words read beforehand, and room given back.

In a memory zone spaCy's tokenizer keeps nothing of what it reads, but it still uses what it kept
before. So words of the built-in space, in their order, are read before a zone: the more of them the
longer the texts are, whatever stands in these. Nobody learns more than how much was read.

A zone takes the words of its texts out of the vocabulary when it ends, but the two hash tables that
held them (preshed's PreshMap) only mark their places as deleted, and are doubled when too few are
unused. So a process that meets new words for ever grows by about 50 bytes for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any
from weakref import WeakKeyDictionary

import srsly
from spacy.language import Language
from spacy.tokenizer import Tokenizer

from ..space import Space

# New words after which it pays: the tables have grown by some 4 MB, and it takes a few ms.
MANY_WORDS = 2**16
MOST = 2**15  # pieces; some 10 MB
SHARE = 96  # characters of texts for each piece: it takes as long as three words that are not known
AT_ONCE = 64


def trim_vocab(nlp: Language, *, after: int = 0) -> bool:
    """Make the hash tables of a pipeline's vocabulary anew; True where it was done.

    Call it between memory zones, never inside one. after: only once so many lexemes have been made
    since the last time, and four times as many as there are strings. All strings stay, as do
    vectors, lookups and flags; what was set by hand on a single lexeme
    (`nlp.vocab["word"].is_stop = True`) is lost, as it is by saving.
    """
    vocab: Any = nlp.vocab
    # What zones forget is still in its length: it counts all lexemes that were ever made.
    if vocab.in_memory_zone or (after and len(vocab) < max(after, 4 * len(vocab.strings))):
        return False
    vocab.strings.from_bytes(vocab.strings.to_bytes())
    getters = dict(vocab.lex_attr_getters)
    vocab.from_bytes(srsly.msgpack_dumps({}))  # nothing to load: it only drops the lexemes
    vocab.lex_attr_getters = getters  # else another layer over those of the norms each time
    return True


@dataclass
class _Warmth:
    """characters: of the texts so far. read: pieces; waiting: those to come."""

    waiting: Iterator[str] = field(default_factory=lambda: _pieces_of(Space.builtin().words))
    characters: int = 0
    read: int = 0


_warmth: WeakKeyDictionary[Language, _Warmth] = WeakKeyDictionary()


def warm_up(nlp: Language, characters: int) -> None:
    """Read the public words that are due. characters: how many the texts of the next zone have.
    Does nothing in a zone, for another language, and where the tokenizer is not spaCy's own."""
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


def _pieces_of(public: Sequence[str]) -> Iterator[str]:
    """Yield words as they stand in a sentence; the frequent ones also before a comma, at its end
    and at its beginning."""
    for i in range(0, len(public), 2):
        yield from public[i : i + 2]
        word = public[i // 2]
        yield from (f"{word},", f"{word}.", f"{word[:1].upper()}{word[1:]}")
