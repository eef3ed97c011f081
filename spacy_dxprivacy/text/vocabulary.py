"""Room that a vocabulary keeps for words it has forgotten, given back.

A memory zone takes the words of its texts out of the vocabulary when it ends, but the two hash
tables that held them (of strings and of lexemes; preshed's PreshMap) only mark their places as
deleted, and are doubled when too few are unused. So a process that meets new words for ever grows
by about 50 bytes for each, zones or no zones.
"""

from __future__ import annotations

from typing import Any

import srsly
from spacy.language import Language

# New words after which it pays: the tables have grown by some 4 MB, and it takes a few ms.
MANY_WORDS = 2**16


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
