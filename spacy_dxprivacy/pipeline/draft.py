"""A batch of documents in the making. Stages change it in order, then `write` makes Docs.

`kinds` says what each token is, and is the only mask. `write` raises an error if a selected word
was not sampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
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
from .count import Persons

# Kinds of tokens. STOP, MARK: punctuation and white space that does or does not end a sentence.
# PLAIN: an unmodified word. SURROGATE: a token of a surrogate. SELECTED: a word to be sampled; it
# becomes SAMPLED, or UNKNOWN if the space lacks it. NUMBER: a number, sampled by its value.
STOP, MARK, PLAIN, SURROGATE, SELECTED, SAMPLED, UNKNOWN, NUMBER = range(8)

_ATTRIBUTES = [ORTH, NORM, LOWER, IS_PUNCT, IS_SPACE, SPACY]
_ENDS = np.array(
    [get_string_id(mark) for mark in (".", "!", "?", ";", ":", "...", "…", "!!", "??", "?!", "!?")],
    dtype=np.uint64,
)


@dataclass(frozen=True, eq=False, repr=False)
class Draft:
    """The t tokens of a batch of documents, one document after another.

    Attributes:
        docs: The input, hidden from stages of other packages.
        parts: The slice of tokens of each document.
        documents: The index of the document of each token, int64 (t,).
        words: Texts, object (t,).
        spaces: Whether a blank follows each word, bool (t,).
        kinds: The kind of each token, int64 (t,).
        rows: The row of each word in the space, -1 without one, int64 (t,).
        sentences: The number of its sentence, int64 (t,), rising.
        sources: The input token that each token comes from, int64 (t,).
        draws: The token whose sample each token takes, int64 (t,).
        vectors: Noisy vectors, float32 (t, d), or None.
        entities: The entities of each document, None before they are looked up.
        replacements: The surrogates of each document, None without surrogates.
        persons: The recognised persons of each document, None without any.
    """

    docs: Sequence[Doc]
    parts: Sequence[slice]
    documents: Ints1d
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
    persons: Sequence[Persons | None] = ()

    @classmethod
    def of(cls, docs: Sequence[Doc], space: Space) -> Draft:
        """Return a draft of the input, with rows looked up and sentences numbered."""
        table: Any = np.concatenate([doc.to_array(_ATTRIBUTES).reshape(-1, 6) for doc in docs])
        words: NDArray[np.object_] = np.empty(len(table), dtype=object)
        words[:] = [token.text for doc in docs for token in doc]
        is_mark, ends = (table[:, 3] | table[:, 4]) > 0, np.isin(table[:, 0], _ENDS, kind="sort")
        for i in np.flatnonzero(table[:, 4]).tolist():
            ends[i] = ends[i] or "\n" in words[i]
        stops, bounds = is_mark & ends, np.cumsum([0, *map(len, docs)])
        documents = np.repeat(np.arange(len(docs)), np.diff(bounds))
        return cls(
            docs=docs,
            parts=_parts(bounds),
            documents=documents,
            words=words,
            spaces=table[:, 5] > 0,
            kinds=np.where(stops, STOP, np.where(is_mark, MARK, PLAIN)),
            rows=space.find_ids(*np.ascontiguousarray(table[:, :3].T)),
            sentences=np.cumsum(stops) + documents,
            sources=np.arange(len(words)) - bounds[documents],
            draws=np.arange(len(words)),
            entities=[None] * len(docs),
            replacements=[None] * len(docs),
        )

    def __len__(self) -> int:
        return len(self.words)

    def expand(self, replacements: Sequence[Sequence[Replacement] | None]) -> Draft:
        """Return a draft in which surrogates replace mentions of the input."""
        tokens, last = np.arange(len(self)), 0
        origins, new_words, new_spaces = list[Ints1d](), list[str](), list[bool]()
        for doc, part, items in zip(self.docs, self.parts, replacements, strict=True):
            for item in items or ():
                if item.text is not None:
                    words, spaces = words_of_surrogate(item.text, doc.vocab.lang or "xx")
                    start, end = part.start + item.start, part.start + item.end
                    origins += [tokens[last:start], np.full(len(words), start - len(tokens))]
                    new_words += words
                    new_spaces += [*spaces[:-1], bool(self.spaces[end - 1])]
                    last = end
        origin = np.concatenate([*origins, tokens[last:]])
        is_new, origin = origin < 0, origin % max(len(tokens), 1)
        all_words, all_spaces = self.words[origin], self.spaces[origin]
        all_words[is_new], all_spaces[is_new] = new_words, new_spaces
        documents = self.documents[origin]
        return replace(
            self,
            parts=_parts(np.searchsorted(documents, np.arange(len(self.docs) + 1))),
            documents=documents,
            words=all_words,
            spaces=all_spaces,
            kinds=np.where(is_new, SURROGATE, self.kinds[origin]),
            rows=np.where(is_new, -1, self.rows[origin]),
            sentences=self.sentences[origin],
            sources=self.sources[origin],
            draws=np.arange(len(origin)),
            replacements=replacements,
        )

    def public(self, *, shows_unknown: bool) -> Draft:
        """Return a draft of the release only, without anything else of the input."""
        hidden = np.full(len(self), -1)
        kinds = self.kinds
        if not shows_unknown:
            kinds = np.where(kinds == UNKNOWN, SAMPLED, kinds)
        blank = replace(self, docs=(), entities=(), replacements=(), persons=(), kinds=kinds)
        return replace(blank, rows=hidden, sources=hidden, words=self.words.copy())


def _parts(bounds: Ints1d) -> list[slice]:
    return [slice(start, end) for start, end in pairwise(bounds.tolist())]


class ReleaseStage(Protocol):
    """A stage of another package: post-processing of a release.

    Its draft has neither input documents nor their entities.
    """

    def __call__(self, draft: Draft, rng: Rng) -> Draft:
        """Return a draft with as many tokens, and possibly other words and spaces."""
        ...
