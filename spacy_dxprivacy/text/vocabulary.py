"""Warm the tokenizer's cache with public words, and free the memory of a vocabulary.

In a memory zone spaCy's tokenizer caches nothing, but it still uses its cache. So words of the
built-in space are tokenized before a zone, in their order: the more, the longer the texts are,
whatever they say. The cache reveals no more than how much was read.

A zone removes the words of its texts from the vocabulary when it ends, but the two hash tables that
held them (preshed's PreshMap) only mark their slots as deleted, and double when too few are
unused. So a process that meets new words for ever grows by about 50 bytes for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any
from weakref import WeakKeyDictionary

import srsly
from spacy.language import Language
from spacy.tokenizer import Tokenizer

from ..space import Space

# New words after which trimming pays: the tables have grown by some 4 MB, and it takes a few ms.
MANY_WORDS = 2**16
MOST = 2**15  # pieces in the cache; some 10 MB
SHARE = 96  # characters of text for each piece, which takes as long as three words not in the cache
AT_ONCE = 64  # pieces


def trim_vocab(nlp: Language, *, after: int = 0) -> bool:
    """Rebuild the hash tables of a pipeline's vocabulary, between memory zones.

    All strings stay, as do vectors, lookups and flags; what was set by hand on a single lexeme
    (`nlp.vocab["word"].is_stop = True`) is lost, as it is by saving.

    Args:
        nlp: The pipeline; inside a memory zone nothing is done.
        after: Only once so many lexemes have been made since the last time, and four times as many
            as there are strings.

    Returns:
        Whether the tables were rebuilt.
    """
    vocab: Any = nlp.vocab
    # The length counts all lexemes that were ever made, those of ended zones too.
    if vocab.in_memory_zone or (after and len(vocab) < max(after, 4 * len(vocab.strings))):
        return False
    vocab.strings.from_bytes(vocab.strings.to_bytes())
    getters = dict(vocab.lex_attr_getters)
    vocab.from_bytes(srsly.msgpack_dumps({}))  # loads nothing, only drops the lexemes
    vocab.lex_attr_getters = getters  # else each call wraps the getter of norms once more
    return True


# For each pipeline the pieces to come, characters of the texts so far, and pieces read.
_warmth: WeakKeyDictionary[Language, tuple[Iterator[str], int, int]] = WeakKeyDictionary()


def warm_up(nlp: Language, characters: int) -> None:
    """Tokenize the public words that are due before a memory zone with so many characters.

    Does nothing in a zone, for another language, and where the tokenizer is not spaCy's own.
    """
    tokenizer: Any = nlp.tokenizer
    vocab: Any = nlp.vocab
    if nlp.lang != "en" or type(tokenizer) is not Tokenizer or vocab.in_memory_zone:
        return
    pieces, so_far, read = _warmth.get(nlp) or (_pieces_of(Space.builtin().words), 0, 0)
    so_far += characters
    due = min(MOST, so_far // SHARE) - read
    if due >= AT_ONCE:
        size, tokenizer.max_cache_size = tokenizer.max_cache_size, 2 * MOST
        for piece in islice(pieces, due):
            tokenizer(piece)
        tokenizer.max_cache_size = size
        read += due
    _warmth[nlp] = pieces, so_far, read


def _pieces_of(public: Sequence[str]) -> Iterator[str]:
    """Yield words as they stand in a sentence; the frequent ones also before a comma, at its end
    and at its beginning."""
    for i in range(0, len(public), 2):
        yield from public[i : i + 2]
        word = public[i // 2]
        yield from (f"{word},", f"{word}.", f"{word[:1].upper()}{word[1:]}")
