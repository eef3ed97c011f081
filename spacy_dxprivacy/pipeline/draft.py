"""A batch of documents on its way out. Stages change it, one after another, and `write` makes Docs.

`kinds` says what each token is, and is the only mask. The words that a stage has not yet replaced
are empty, so that a stage which is left out releases nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import IS_PUNCT, IS_SPACE, LOWER, NORM, ORTH, SPACY
from spacy.strings import get_string_id
from spacy.tokens import Doc

from ..arrays import Bools1d, Floats2d, Ints1d
from ..entities.surrogates.replacements import Replacement, words_of_surrogate
from ..privacy.randomness import Rng
from ..space import Space
from ..text.mentions import Entity

# What a token is. STOP and MARK: punctuation and white space, which end a sentence or do not.
# PLAIN: a word that stays. SELECTED: a word to be drawn, which becomes SAMPLED, or UNKNOWN where
# the space lacks it. NUMBER: drawn by its value. SURROGATE: of a mention.
STOP, MARK, PLAIN, SELECTED, SAMPLED, UNKNOWN, NUMBER, SURROGATE = range(8)
DRAWN = (SELECTED, SAMPLED, UNKNOWN)

LONGEST = 48  # words of a sentence; longer ones are cut
_ATTRIBUTES = [ORTH, NORM, LOWER, IS_PUNCT, IS_SPACE, SPACY]
_ENDS = np.array(
    [get_string_id(mark) for mark in (".", "!", "?", ";", ":", "...", "…", "!!", "??", "?!", "!?")],
    dtype=np.uint64,
)


@dataclass(frozen=True, eq=False, repr=False)
class Draft:
    """The t tokens of a batch of documents, one document after another.

    Attributes:
        docs: The input. A stage of another package does not see it.
        bounds: Where each document begins, and t, int64 (documents + 1,).
        words: Texts, object (t,).
        spaces: Whether a blank follows each word, bool (t,).
        kinds: What each token is, int64 (t,).
        rows: The row of each word in the space, -1 where it has none, int64 (t,).
        sentences: The number of its sentence, int64 (t,), rising.
        sources: The token of the input that each token comes from, int64 (t,).
        draws: The token whose draw each token takes, int64 (t,).
        vectors: Noisy vectors, float32 (t, d), or None.
        entities: What was found in each document, None where nobody looked.
        replacements: The surrogates of each document, None where the component has none.
        persons: What the receipt of each document says of its persons, None without any.
    """

    docs: Sequence[Doc]
    bounds: Ints1d
    words: NDArray[np.object_]
    spaces: Bools1d
    kinds: Ints1d
    rows: Ints1d
    sentences: Ints1d
    sources: Ints1d
    draws: Ints1d
    vectors: Floats2d | None = None
    entities: Sequence[Sequence[Entity] | None] = ()
    replacements: Sequence[Sequence[Replacement] | None] = ()
    persons: Sequence[Mapping[str, Any] | None] = ()

    @classmethod
    def of(cls, docs: Sequence[Doc], space: Space) -> Draft:
        """Return a draft of the input: rows looked up, words with a number of their sentence."""
        table: Any = np.concatenate([doc.to_array(_ATTRIBUTES).reshape(-1, 6) for doc in docs])
        words = texts([token.text for doc in docs for token in doc])
        is_mark, ends = (table[:, 3] | table[:, 4]) > 0, np.isin(table[:, 0], _ENDS, kind="sort")
        for i in np.flatnonzero(table[:, 4]).tolist():
            ends[i] = ends[i] or "\n" in words[i]
        lengths = [len(doc) for doc in docs]
        first_of_document = np.concatenate([np.arange(length) for length in lengths]) == 0
        stops = is_mark & ends
        return cls(
            docs=docs,
            bounds=np.cumsum([0, *lengths]),
            words=words,
            spaces=table[:, 5] > 0,
            kinds=np.where(stops, STOP, np.where(is_mark, MARK, PLAIN)),
            rows=space.find_ids(*np.ascontiguousarray(table[:, :3].T)),
            sentences=np.cumsum(stops) + np.cumsum(first_of_document),
            sources=np.concatenate([np.arange(length) for length in lengths]),
            draws=np.arange(len(words)),
            entities=[None] * len(docs),
            replacements=[None] * len(docs),
        )

    def __len__(self) -> int:
        return len(self.words)

    def are(self, *kinds: int) -> Bools1d:
        """Return which tokens are of one of these kinds, bool (t,)."""
        return np.isin(self.kinds, kinds)

    def documents(self) -> Iterator[tuple[int, Doc, slice]]:
        """Yield the number of each document, its Doc of the input, and its tokens."""
        bounds = self.bounds.tolist()
        for i, doc in enumerate(self.docs):
            yield i, doc, slice(bounds[i], bounds[i + 1])

    def document_of(self, places: Ints1d) -> Ints1d:
        """Return the number of the document of each of these tokens."""
        return np.searchsorted(self.bounds, places, side="right") - 1

    def count(self, places: Ints1d) -> Ints1d:
        """Return how many of these tokens each document has, int64 (documents,)."""
        return np.bincount(self.document_of(places), minlength=len(self.docs))

    def input_texts(self, places: Ints1d) -> list[str]:
        """Return the texts of the input's tokens that these tokens come from."""
        pairs = zip(self.document_of(places).tolist(), self.sources[places].tolist(), strict=True)
        return [self.docs[document][source].text for document, source in pairs]

    def expand(self, replacements: Sequence[Sequence[Replacement] | None]) -> Draft:
        """Return a draft in which surrogates stand for mentions of the input's tokens."""
        tokens = np.arange(len(self))
        origins, new_words, new_spaces, last = [tokens[:0]], list[str](), list[bool](), 0
        placed = [np.zeros(0, dtype=bool)]
        for i, doc, part in self.documents():
            for item in replacements[i] or ():
                if item.text is None:
                    continue
                words, spaces = words_of_surrogate(item.text, doc.vocab.lang or "xx")
                start, end = part.start + item.start, part.start + item.end
                origins += [tokens[last:start], np.full(len(words), start)]
                placed += [np.zeros(start - last, dtype=bool), np.ones(len(words), dtype=bool)]
                new_words += words
                new_spaces += [*spaces[:-1], bool(self.spaces[end - 1])]
                last = end
        origin = np.concatenate([*origins, tokens[last:]])
        is_new = np.concatenate([*placed, np.zeros(len(self) - last, dtype=bool)])
        words, spaces = self.words[origin], self.spaces[origin]
        words[is_new], spaces[is_new] = new_words, new_spaces
        return replace(
            self,
            bounds=np.searchsorted(origin, self.bounds),
            words=words,
            spaces=spaces,
            kinds=np.where(is_new, SURROGATE, self.kinds[origin]),
            rows=np.where(is_new, -1, self.rows[origin]),
            sentences=self.sentences[origin],
            sources=self.sources[origin],
            draws=np.arange(len(origin)),
            replacements=replacements,
        )

    def public(self, *, shows_unknown: bool) -> Draft:
        """Return a draft of what is released alone: nothing else of the input shows in it."""
        hidden = np.full(len(self), -1)
        kinds = self.kinds if shows_unknown else np.where(self.are(UNKNOWN), SAMPLED, self.kinds)
        blank = replace(self, docs=(), entities=(), replacements=(), persons=(), kinds=kinds)
        return replace(blank, rows=hidden, sources=hidden, words=self.words.copy())

    def select(self, kinds: Ints1d) -> Draft:
        """Return a draft with other kinds, cut into sentences of at most LONGEST words."""
        # A selected mark is a word, and ends no sentence.
        sentences = self.sentences - np.cumsum((self.kinds == STOP) & (kinds == SELECTED))
        places = np.flatnonzero((kinds == PLAIN) | (kinds == SELECTED))
        ordinals = np.arange(len(places))
        begins = np.diff(sentences[places], prepend=-1) > 0
        since = ordinals - np.maximum.accumulate(np.where(begins, ordinals, 0))
        sentences[places] = np.cumsum(since % LONGEST == 0)
        return replace(self, kinds=kinds, sentences=sentences)


def texts(words: Iterable[str]) -> NDArray[np.object_]:
    """Return an array of texts, object (k,)."""
    listed = list(words)
    array: NDArray[np.object_] = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array


class Stage(Protocol):
    """Post-processing of a release: a stage of another package, which no input reaches.

    Its draft has neither documents of the input nor what was found in them.
    """

    def __call__(self, draft: Draft, rng: Rng) -> Draft:
        """Return a draft of as many tokens, with other words and spaces."""
        ...
