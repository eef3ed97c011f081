"""Texts and what was made of them, by a mechanism or by somebody else: how much still stands, and
whether a release is linked to its original by TF-IDF, without knowledge of how it was made.

Words are sequences of letters, in small letters, wherever they stand in their document.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...errors import UsageError
from ..results import NAN
from .figures import AttackFigure, Measured, share, share_by_document
from .guessing import linked

LETTERS = re.compile(r"(?:[^\W\d_]|')+")
LINKED, KEPT, ONLY = "documents linked", "words unchanged", "words of one document unchanged"


def words_in(texts: Sequence[str]) -> list[list[str]]:
    """Return the words of each text."""
    return [LETTERS.findall(text.lower()) for text in texts]


def kept_words(before: Sequence[str], after: Sequence[str]) -> Measured:
    """Return the share of the words of texts that stand in what was made of them."""
    kept, documents = [], []
    for i, (old, new) in enumerate(zip(words_in(before), words_in(after), strict=True)):
        left = Counter(new)
        for word in old:
            kept.append(left[word] > 0)
            left[word] -= 1
        documents += [i] * len(old)
    return share_by_document(kept, np.array(documents))


def kept_of_one(before: Sequence[str], after: Sequence[str]) -> Measured:
    """Return the share of words that only one of the texts has, each counted once, that stand in
    what was made of it."""
    held = [set(some) for some in words_in(before)]
    often = Counter(word for some in held for word in some)
    kept = [
        (i, word in new)
        for i, (old, new) in enumerate(zip(held, map(set, words_in(after)), strict=True))
        for word in sorted(old)
        if often[word] == 1
    ]
    documents, stands = np.array(kept, dtype=np.int64).reshape(-1, 2).T
    return share_by_document(stands, documents) if kept else (NAN, NAN, NAN, 0)


def tfidf_scores(before: Sequence[str], after: Sequence[str]) -> Any:
    """Return the cosines of TF-IDF vectors, float64 (k, k), releases by originals."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(sublinear_tf=True, token_pattern=r"\w+")
    originals = vectorizer.fit_transform(before)
    return (vectorizer.transform(after) @ originals.T).toarray()


def link_texts(
    before: Sequence[str], after: Sequence[str], release: tuple[str, float]
) -> Iterator[AttackFigure]:
    """Yield the share of texts that are linked to their originals, and of words that still stand.

    release: what tables call it, and its epsilon; nan for a rewriting. Raise UsageError for fewer
    than two texts with words.
    """
    if sum(map(bool, words_in(before))) < 2:
        raise UsageError("linking needs two texts or more with words.")
    kept = kept_words(before, after)
    rows: list[tuple[str, Measured, float]] = [
        (LINKED, share(linked(tfidf_scores(before, after))), 1 / len(before)),
        (KEPT, kept, NAN),
        (ONLY, kept_of_one(before, after), NAN),
    ]
    for measure, (value, low, high, n), baseline in rows:
        yield AttackFigure(
            "rewriting", *release, kept[0], "TF-IDF", "", measure,
            value, low, high, baseline, n,
        )  # fmt: skip
