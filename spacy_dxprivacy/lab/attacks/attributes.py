"""What a reader can infer about the author of a post: age, sex, place, occupation.

Attackers without a network. Linear: words and pairs of words of other posts, trained on plaintexts
or on releases. Causal model: the multiple-choice prompt below, with the most frequent values as
choices. Large language models are stronger: the published ones are right on .46 to .79 of the
attributes of SynthPAI (Yukhymenko et al. 2024).

Reference: Staab et al. 2024, "Beyond memorization" (the benchmark).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from ...arrays import Ints1d
from ...editors.model import LanguageModel, OutOfRoom
from ...errors import DxError, Errors, UsageError
from ..texts import SEED, coded, linear_model
from .figures import AttackFigure, share_by_document
from .rewriting import kept_words

NAME, MEASURE = "attributes", "top-1"
STRONGER = "Published language models are right on .46 to .79 of the attributes of SynthPAI."
STATIC, ADAPTIVE, CAUSAL = "trained on plaintexts", "trained on releases", "causal model"
FOLDS = 5
FEW, QUARTERS = 10, (0.25, 0.5, 0.75)  # numbers of more than FEW values become quarters
CHOICES = "ABCDEFGHIJ"
BEGINNING = (
    "Let us play a guessing game. The following is a public comment by one author. Guess the "
    "author's {name}.\n\nComment: "
)
END = "\n\nChoose one answer.\n{choices}\nAnswer:"


@dataclass(frozen=True, eq=False)
class Posts:
    """texts: k plaintexts. attributes: k values of each, by its name. authors: int64 (k,), from 0:
    an author's posts are all trained on or all tested on, and resampled together."""

    texts: Sequence[str]
    attributes: Mapping[str, Sequence[str]]
    authors: Ints1d

    @cached_property
    def values(self) -> dict[str, Ints1d]:
        """Numbers of the values, int64 (k,). Raise UsageError where they cannot be learned."""
        parts = {name: _parts(given) for name, given in self.attributes.items()}
        return {name: coded(some, name, alone=True) for name, some in parts.items()}

    @cached_property
    def folds(self) -> Ints1d:
        """The part in which each post is tested, int64 (k,)."""
        order = np.random.default_rng(SEED).permutation(int(self.authors.max()) + 1)
        return np.asarray(order[self.authors] % FOLDS)


def infer(
    posts: Posts, texts: Sequence[str], release: tuple[str, float], model: LanguageModel | None
) -> Iterator[AttackFigure]:  # fmt: skip
    """Yield the top-1 success rates of each attribute and attacker.

    Args:
        posts: Originals.
        texts: What was released of each, or the originals.
        release: What tables call it, and its epsilon; nan for the originals.
        model: Of a further attacker, if any.
    """
    unchanged = kept_words(posts.texts, texts)[0]
    for name, values in posts.values.items():
        guesses = {STATIC: _linear(posts, name, posts.texts, texts)}
        if texts is not posts.texts:
            guesses[ADAPTIVE] = _linear(posts, name, texts, texts)
        if model is not None:
            guesses[CAUSAL] = _chosen(posts, name, texts, model)
        majority = float(np.bincount(values).max() / len(values))
        for attacker, guess in guesses.items():
            measured = share_by_document(guess == values, posts.authors)
            yield AttackFigure(
                NAME, *release, unchanged, attacker, name, MEASURE, *measured[:3],
                majority, measured[3],
            )  # fmt: skip


def _parts(values: Sequence[str]) -> Sequence[str]:
    """Quarters in place of numbers of more than FEW values."""
    try:
        numbers = np.array(values, dtype=np.float64)
    except ValueError:
        return values
    if len(set(values)) <= FEW:
        return values
    ends = np.quantile(numbers, QUARTERS)
    around = [numbers.min(), *ends, numbers.max()]
    names = [f"{a:g} to {b:g}" for a, b in pairwise(around)]
    return [names[i] for i in np.searchsorted(ends, numbers).tolist()]


def _linear(posts: Posts, name: str, learned: Sequence[str], tested: Sequence[str]) -> Ints1d:
    """Guess the values of each part of the posts by a model of the others."""
    values, guess = posts.values[name], np.full(len(tested), -1)
    for fold in np.unique(posts.folds):
        train, test = (np.flatnonzero((posts.folds == fold) == side) for side in (False, True))
        if len(np.unique(values[train])) < 2:
            raise UsageError(f"the field {name!r} must have two values in every part of the texts.")
        known = [learned[i] for i in train.tolist()]
        model = linear_model(letters=False).fit(known, values[train])
        guess[test] = model.predict([tested[i] for i in test.tolist()])
    return guess


def _chosen(posts: Posts, name: str, texts: Sequence[str], model: LanguageModel) -> Ints1d:
    """Let a causal model choose among the most frequent values."""
    values, strings = posts.values[name], _parts(posts.attributes[name])
    common = [value for value, _ in Counter(strings).most_common(len(CHOICES))]
    number = {string: code for string, code in zip(strings, values.tolist(), strict=True)}
    choices = "\n".join(map("{}. {}".format, CHOICES, common))
    begin, end = model.encode([BEGINNING.format(name=name), END.format(choices=choices)])
    room = model.window - len(begin) - len(end) - 1
    letters = np.array([model.encode([f" {letter}"])[0][0] for letter in CHOICES[: len(common)]])
    best = []
    for tokens in model.encode(texts):
        try:
            lane = model.read([[*begin, *tokens[: max(0, room)], *end]])
        except OutOfRoom:
            raise DxError(Errors.DX152) from None
        best.append(int(lane.logs(letters[None]).argmax()))
    return np.array([number[value] for value in common])[best]
