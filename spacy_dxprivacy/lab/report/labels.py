"""What a classifier can still learn: a linear one on word counts, cross-validated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Floats1d
from ...errors import UsageError
from .extra import need
from .pairs import Pair

FOLDS = 5
# What is trained on, and what is tested on.
ROUTES = {
    "trained on the original, tested on the original": (0, 0),
    "trained on the sanitised text, tested on sanitised text": (1, 1),
    "trained on the sanitised text, tested on the original": (1, 0),
}


@dataclass(frozen=True)
class Accuracies:
    """means and errors (standard errors over the folds) for each of ROUTES; majority: the share of
    the most frequent class, which a blind guess reaches. left_out: documents without a label, or
    of a class of one."""

    documents: int
    classes: int
    folds: int
    majority: float
    means: dict[str, float]
    errors: dict[str, float]
    left_out: int


def accuracies_of(pairs: Sequence[Pair]) -> Accuracies:
    """Raises UsageError where fewer than two classes have two documents."""
    counts = Counter(pair.label for pair in pairs if pair.label is not None)
    usable = {label for label, count in counts.items() if count > 1}
    chosen = [pair for pair in pairs if pair.label in usable]
    if len(usable) < 2:
        raise UsageError(
            "`label` needs a field with two classes or more, of two documents each; this one has "
            f"{len(usable)}."
        )
    y = np.array([pair.label for pair in chosen])
    folds = min(FOLDS, *(counts[label] for label in usable))
    texts = [np.array(side, dtype=object) for side in zip(*(p.texts for p in chosen), strict=True)]
    scores = _scores(texts, y, folds)
    return Accuracies(
        documents=len(chosen),
        classes=len(usable),
        folds=folds,
        majority=max(counts[label] for label in usable) / len(chosen),
        means={route: float(s.mean()) for route, s in scores.items()},
        errors={route: float(s.std(ddof=1) / np.sqrt(folds)) for route, s in scores.items()},
        left_out=len(pairs) - len(chosen),
    )


def _scores(texts: list[Any], y: Any, folds: int) -> dict[str, Floats1d]:
    """Accuracies (folds,) of each route, all on the same folds."""
    need("sklearn")
    from sklearn.model_selection import StratifiedKFold

    scores: dict[str, list[float]] = {route: [] for route in ROUTES}
    # The split is no noise that protects anything: a fixed one makes the figures repeatable.
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=0).split(y, y):
        models = [_classifier().fit(side[train], y[train]) for side in texts]
        for route, (on, against) in ROUTES.items():
            scores[route].append(float(models[on].score(texts[against][test], y[test])))
    return {route: np.array(values) for route, values in scores.items()}


def _classifier() -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    # Its own pattern drops words of one letter, and fails where there are no others.
    words = TfidfVectorizer(sublinear_tf=True, token_pattern=r"(?u)\S+")
    return make_pipeline(words, LogisticRegression(C=10.0, max_iter=1000))
