"""Words of the space, made known to the vocabulary before any text is read.

A memory zone forgets the words of its texts, so that each batch makes them anew, which takes longer
than to draw them. Those of the space are public, and may stay.
"""

from __future__ import annotations

from collections.abc import Sequence

from spacy.language import Language

from ..batch.plain import plain_texts
from ..batch.stream import zone

MOST = 20_000  # words that are also cut once, from the most frequent on
PIECES = 2**13  # of these, and what stands beside them


def know_words(nlp: Language, words: Sequence[str], most: int = MOST) -> None:
    """Their lexemes, small and as they begin a sentence; a few seconds, and some 20 MB. Call it
    outside of memory zones; what trim_vocab drops later is made again as ever. Where texts need no
    Docs, what words are cut into is kept as well."""
    tokenizer, vocab = nlp.tokenizer, nlp.vocab
    for place, word in enumerate(words):
        for form in (word, word[:1].upper() + word[1:]):
            _ = tokenizer(form) if place < most else vocab[form]
    texts = plain_texts(nlp)
    if texts is not None:
        with zone(nlp), texts:
            texts.cutter.know(PIECES)
