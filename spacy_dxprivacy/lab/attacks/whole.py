"""Attacks on whole texts, without knowledge of the mechanism.

Rewritings, by a mechanism or another tool: the share of words that is unchanged, and whether texts
are linked to their originals by TF-IDF. Words are lower-case sequences of letters, at any place.

Attributes: what a text reveals of its author. Linear: words and pairs of words of other posts,
trained on plaintexts or on releases. Causal model: the multiple-choice prompt below, with the most
frequent values as choices. Large language models are stronger: published ones reach .46 to .79 on
SynthPAI (Yukhymenko et al. 2024).

Reference: Staab et al. 2024, "Beyond memorization" (the benchmark of attributes).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays import Ints1d
from ...errors import UsageError
from ..corpus import SEED, encode_values, linear_model
from ..results import (
    NAN,
    AttackFigure,
    Measured,
    Success,
    figures_of,
    share,
    share_by_document,
)
from .guessing import link_probabilities

if TYPE_CHECKING:  # torch is imported when a model is opened
    from ..transformer import CausalModel

LETTERS = re.compile(r"(?:[^\W\d_]|')+")
LINKED, KEPT, ONLY = "documents linked", "words unchanged", "words of one document unchanged"
NAME, MEASURE = "attributes", "top-1"
STRONGER = "Published language models are right on .46 to .79 of the attributes of SynthPAI."
STATIC, ADAPTIVE, CAUSAL = "trained on plaintexts", "trained on releases", "causal model"
FOLDS = 5
MAX_CATEGORIES, QUARTERS = (
    10,
    (0.25, 0.5, 0.75),
)  # numbers of more than MAX_CATEGORIES values become quarters
CHOICE_LETTERS = "ABCDEFGHIJ"
BEGINNING = (
    "Let us play a guessing game. The following is a public comment by one author. Guess the "
    "author's {name}.\n\nComment: "
)
END = "\n\nChoose one answer.\n{choices}\nAnswer:"


def words_in(texts: Sequence[str]) -> list[list[str]]:
    """Return the words of each text."""
    return [LETTERS.findall(text.lower()) for text in texts]


def unchanged_words(before: Sequence[str], after: Sequence[str]) -> Measured:
    """Return the share of the words of texts that are in their releases."""
    kept, documents = [], []
    for i, (old, released) in enumerate(zip(words_in(before), words_in(after), strict=True)):
        remaining = Counter(released)
        for word in old:
            kept.append(remaining[word] > 0)
            remaining[word] -= 1
        documents += [i] * len(old)
    return share_by_document(kept, np.array(documents))


def unchanged_of_one_text(before: Sequence[str], after: Sequence[str]) -> Measured:
    """Return the share of words of one text only, each counted once, that are in its release."""
    held = [set(words) for words in words_in(before)]
    often = Counter(word for words in held for word in words)
    kept = [
        (i, word in released)
        for i, (old, released) in enumerate(zip(held, map(set, words_in(after)), strict=True))
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
) -> list[AttackFigure]:
    """Return the share of texts that are linked to their originals, and of unchanged words.
    release: its label and epsilon, nan for a rewriting. Raise UsageError for fewer than two
    texts."""
    if sum(map(bool, words_in(before))) < 2:
        raise UsageError("linking needs two texts or more with words.")
    kept = unchanged_words(before, after)
    successes = [
        Success(
            "TF-IDF",
            share(link_probabilities(tfidf_scores(before, after))),
            1 / len(before),
            "",
            LINKED,
        ),
        Success("TF-IDF", kept, NAN, "", KEPT),
        Success("TF-IDF", unchanged_of_one_text(before, after), NAN, "", ONLY),
    ]
    return figures_of("rewriting", release, kept[0], successes)


@dataclass(frozen=True, eq=False)
class Posts:
    """texts: k plaintexts. attributes: their k values, by name. authors: int64 (k,), from 0; posts
    of an author are in one fold, and resampled together."""

    texts: Sequence[str]
    attributes: Mapping[str, Sequence[str]]
    authors: Ints1d

    @cached_property
    def values(self) -> dict[str, Ints1d]:
        """Codes of the values, int64 (k,). Raises UsageError for too few texts or values."""
        parts = {name: _parts(column) for name, column in self.attributes.items()}
        return {name: encode_values(strings, name, alone=True) for name, strings in parts.items()}

    @cached_property
    def folds(self) -> Ints1d:
        """The fold in which each post is tested, int64 (k,)."""
        order = np.random.default_rng(SEED).permutation(int(self.authors.max()) + 1)
        return np.asarray(order[self.authors] % FOLDS)


def infer(
    posts: Posts, texts: Sequence[str], release: tuple[str, float], model: CausalModel | None
) -> Iterator[AttackFigure]:  # fmt: skip
    """Yield the top-1 success rates of each attribute and attacker.

    Args:
        posts: The originals.
        texts: The release of each, or the originals.
        release: Its label and epsilon; nan for the originals.
        model: A causal model for another attacker, if any.
    """
    unchanged = unchanged_words(posts.texts, texts)[0]
    for name, values in posts.values.items():
        guesses = {STATIC: _linear(posts, name, posts.texts, texts)}
        if texts is not posts.texts:
            guesses[ADAPTIVE] = _linear(posts, name, texts, texts)
        if model is not None:
            guesses[CAUSAL] = _choose(posts, name, texts, model)
        majority = float(np.bincount(values).max() / len(values))
        rates = {
            a: share_by_document(guess == values, posts.authors) for a, guess in guesses.items()
        }
        successes = (Success(a, rate, majority, name, MEASURE) for a, rate in rates.items())
        yield from figures_of(NAME, release, unchanged, successes)


def _parts(values: Sequence[str]) -> Sequence[str]:
    """Return quartiles in place of numbers with more than MAX_CATEGORIES values."""
    try:
        numbers = np.array(values, dtype=np.float64)
    except ValueError:
        return values
    if len(set(values)) <= MAX_CATEGORIES:
        return values
    ends = np.quantile(numbers, QUARTERS)
    around = [numbers.min(), *ends, numbers.max()]
    names = [f"{a:g} to {b:g}" for a, b in pairwise(around)]
    return [names[i] for i in np.searchsorted(ends, numbers).tolist()]


def _linear(posts: Posts, name: str, learned: Sequence[str], tested: Sequence[str]) -> Ints1d:
    """Guess the values of each fold by a model of the others."""
    values, guess = posts.values[name], np.full(len(tested), -1)
    for fold in np.unique(posts.folds):
        train, test = (np.flatnonzero((posts.folds == fold) == side) for side in (False, True))
        if len(np.unique(values[train])) < 2:
            raise UsageError(f"the field {name!r} must have two values in every part of the texts.")
        training = [learned[i] for i in train.tolist()]
        model = linear_model(letters=False).fit(training, values[train])
        guess[test] = model.predict([tested[i] for i in test.tolist()])
    return guess


def _choose(posts: Posts, name: str, texts: Sequence[str], model: CausalModel) -> Ints1d:
    """Let a causal model choose among the most frequent values."""
    values, strings = posts.values[name], _parts(posts.attributes[name])
    common = [value for value, _ in Counter(strings).most_common(len(CHOICE_LETTERS))]
    number = {string: code for string, code in zip(strings, values.tolist(), strict=True)}
    choices = "\n".join(map("{}. {}".format, CHOICE_LETTERS, common))
    begin, end = model.encode([BEGINNING.format(name=name), END.format(choices=choices)])
    room = model.window - len(begin) - len(end) - 1
    letters = np.array(
        [model.encode([f" {letter}"])[0][0] for letter in CHOICE_LETTERS[: len(common)]]
    )
    best = []
    for tokens in model.encode(texts):
        lane = model.read([[*begin, *tokens[: max(0, room)], *end]])
        best.append(int(lane.logs(letters[None]).argmax()))
    return np.array([number[value] for value in common])[best]
