"""Texts as rows of a space, and texts with other words in their places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from ...arrays import Floats2d, Ints1d
from ...randomness import Rng
from ...space import Space
from ...ty import Mechanism
from ..report.pairs import Pair, Token, tokenizer, tokens_of
from .tasks import Texts


@dataclass(frozen=True)
class Documents:
    """documents: their tokens, without the words that the space lacks: left as they are, they would
    tell more than any mechanism. rows: of all words, one document after the other; places:
    (document, token) of each. labels: None where documents have no class. left_out: how many words.
    """

    documents: list[list[Token]]
    rows: Ints1d
    places: list[tuple[int, int]]
    labels: list[str] | None
    left_out: int

    @property
    def by_document(self) -> list[Ints1d]:
        """The rows of each document."""
        which = np.array([document for document, _ in self.places], dtype=np.int64)
        return [self.rows[which == i] for i in range(len(self.documents))]


def make_documents(texts: Texts, space: Space) -> Documents:
    """The texts as rows of the space. Words that it lacks are left out, and counted."""

    nlp, find = tokenizer(), cache(partial(row_of, space))
    documents: list[list[Token]] = []
    rows, places, left_out = [], [], 0
    for text in texts.texts:
        tokens = tokens_of(nlp.make_doc(text))
        known = [token for token in tokens if not token.word or find(token) >= 0]
        left_out += len(tokens) - len(known)
        for j, token in enumerate(known):
            if token.word:
                rows.append(find(token))
                places.append((len(documents), j))
        documents.append(known)
    return Documents(documents, np.array(rows, dtype=np.int64), places, texts.labels, left_out)


def row_of(space: Space, token: Token) -> int:
    """The row of a token as it is written, or else in its norm; -1 where the space has neither."""
    row = space.find(token.text)
    return row if row >= 0 else space.find(token.norm)


def sanitized_pairs(corpus: Documents, mechanism: Mechanism, space: Space, rng: Rng) -> list[Pair]:
    """Every word is drawn anew. One that is drawn as itself keeps its letters."""
    drawn = mechanism.sample(corpus.rows, rng).rows
    after = [list(tokens) for tokens in corpus.documents]
    for row, new, (i, j) in zip(corpus.rows, drawn, corpus.places, strict=True):
        if new != row:
            word = space.words[new]
            after[i][j] = after[i][j]._replace(text=word, norm=word.lower())
    return [
        Pair(old, new, list(range(len(old))), None if corpus.labels is None else corpus.labels[i])
        for i, (old, new) in enumerate(zip(corpus.documents, after, strict=True))
    ]


def mean_vectors(documents: Sequence[Ints1d], X: Floats2d) -> Floats2d:
    """(documents, d): the mean of the vectors of each; zeros for one without words."""
    return np.stack(
        [X[rows].mean(axis=0) if len(rows) else np.zeros(X.shape[1], X.dtype) for rows in documents]
    )
