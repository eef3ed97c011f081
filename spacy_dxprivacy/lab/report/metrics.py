"""Utility of sanitised texts: figures of pairs of documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from ...space import Space
from ..corpus import Interval, coded, linear_model, macro_f1
from .pairs import Pair

if TYPE_CHECKING:  # torch is imported when a model is opened
    from ..transformer import CausalModel


@dataclass(frozen=True)
class Utility:
    """Figures of a release. changed: of the words. aligned: documents whose tokens all have a
    partner. similarity: the mean cosine of words and their replacements."""

    documents: int
    words: int
    changed: int
    aligned: int
    similarity: float | None

    @property
    def kept(self) -> float:
        """Share of unchanged words, 0 to 1; nan of no words."""
        return 1 - self.changed / self.words if self.words else float("nan")


def utility_of(
    pairs: Sequence[Pair],
    space: Space,
    *,
    progress: Callable[[Iterable[Pair]], Iterable[Pair]] = iter,
) -> Utility:
    """Measure pairs, with similarity in the space; progress wraps the documents, as tqdm does."""
    counts = np.array([pair.kept() for pair in progress(pairs)], dtype=np.int64).reshape(-1, 2)
    kept, words = counts.sum(axis=0).tolist()
    aligned = sum(pair.aligned for pair in pairs)
    return Utility(len(pairs), words, words - kept, aligned, _similarity(pairs, space))


def _similarity(pairs: Sequence[Pair], space: Space) -> float | None:
    """Return the mean cosine of words and their replacements; None without known vectors."""
    find, lengths = cache(space.find), np.linalg.norm(space.vectors, axis=1, keepdims=True)
    X = space.vectors / np.where(lengths > 0, lengths, 1)
    places = [(find(old), find(replacement)) for pair in pairs for old, replacement in pair.words()]
    row_pairs = np.array([rows for rows in places if min(rows) >= 0], dtype=np.int64).reshape(-1, 2)
    cosines = np.einsum("kd,kd->k", X[row_pairs[:, 0]], X[row_pairs[:, 1]])
    return float(cosines.mean()) if len(cosines) else None


# Texts to train on and to test on: 0 is the original, 1 the sanitised text.
ROUTES = {
    "trained on the original, tested on the original": (0, 0),
    "trained on the sanitised text, tested on sanitised text": (1, 1),
    "trained on the sanitised text, tested on the original": (1, 0),
}


def scores_of(pairs: Sequence[Pair]) -> dict[str, Interval]:
    """Return the macro F1 of a linear classifier of labels for each of ROUTES, by cross-validation.

    Documents of a class of one are left out. Raises UsageError without two classes of two
    documents.
    """
    from sklearn.model_selection import StratifiedKFold

    counts = Counter(pair.label for pair in pairs if pair.label is not None)
    chosen = [pair for pair in pairs if pair.label is not None and counts[pair.label] > 1]
    y = coded([pair.label or "" for pair in chosen], "label")
    texts = [np.array(side, dtype=object) for side in zip(*(p.texts for p in chosen), strict=True)]
    guesses = {route: np.empty_like(y) for route in ROUTES}
    # A fixed split makes the figures repeatable; it protects nothing.
    folds = StratifiedKFold(min(5, *np.bincount(y)), shuffle=True, random_state=0)
    for train, test in folds.split(y, y):
        models = [linear_model(letters=False).fit(side[train], y[train]) for side in texts]
        for route, (on, against) in ROUTES.items():
            guesses[route][test] = models[on].predict(texts[against][test])
    return {route: macro_f1(y, guess) for route, guess in guesses.items()}


@dataclass(frozen=True)
class Judged:
    """Negative log-likelihood of texts before and after, nats per original word, under a model."""

    model: str
    before: float
    after: float


def judged(model: CausalModel, before: Sequence[str], after: Sequence[str]) -> Judged | None:
    """Score texts by a local model; None for texts without a word."""
    words = sum(len(text.split()) for text in before)
    if not words:
        return None
    nats = [float(model.nats(model.encode(texts)).sum()) / words for texts in (before, after)]
    return Judged(model.name, nats[0], nats[1])
