"""Free the memory of a vocabulary.

A memory zone removes the words of its texts from the vocabulary when it ends, but the two hash
tables that held them (preshed's PreshMap) only mark their slots as deleted, and double when too few
are unused. So a process that meets new words for ever grows by about 50 bytes for each.
"""

from __future__ import annotations

from typing import Any

import srsly
from spacy.language import Language

# New words after which trimming pays: the tables have grown by some 4 MB, and it takes a few ms.
MANY_WORDS = 2**16


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
