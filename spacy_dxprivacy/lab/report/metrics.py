"""Utility of sanitised texts: figures of pairs of documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from ...arrays import Floats1d, Floats2d
from ...editors.model import LanguageModel
from ...errors import DxError, Errors, UsageError
from ...space import Space
from ..texts import linear_model
from .pairs import Pair


@dataclass(frozen=True)
class Utility:
    """Figures of a release. aligned: documents whose tokens all have a partner. kept_by_document:
    retention rate, float64 (documents,); nan for one without words. document_similarity,
    word_similarity: mean cosines of mean vectors, and of a word and its replacement."""

    documents: int
    words: int
    changed: int
    aligned: int
    retention_by_document: Floats1d
    document_similarity: float | None
    word_similarity: float | None

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
    kept = np.array([pair.kept() for pair in progress(pairs)], dtype=float).reshape(-1, 2)
    with np.errstate(invalid="ignore"):
        shares = kept[:, 0] / kept[:, 1]
    documents, words = _similarities(pairs, space)
    return Utility(
        documents=len(pairs),
        words=int(kept[:, 1].sum()),
        changed=int(kept[:, 1].sum() - kept[:, 0].sum()),
        aligned=sum(pair.aligned for pair in pairs),
        retention_by_document=shares,
        document_similarity=documents,
        word_similarity=words,
    )


def _similarities(pairs: Sequence[Pair], space: Space) -> tuple[float | None, float | None]:
    """Return mean cosines of documents (mean vectors) and of words; None without known vectors."""
    X = _unit(space.vectors)
    find = cache(space.find)
    of_documents, of_words = [], []
    for pair in pairs:
        sides = [[find(t.text) for t in side if t.word] for side in (pair.before, pair.after)]
        old, new = ([row for row in rows if row >= 0] for rows in sides)
        if old and new:
            means = _unit(np.stack([space.vectors[old].mean(0), space.vectors[new].mean(0)]))
            of_documents.append(float(means[0] @ means[1]))
        places = [(find(a), find(b)) for a, b in pair.words()]
        both = np.array([r for r in places if min(r) >= 0], dtype=np.int64).reshape(-1, 2)
        of_words.append(np.einsum("kd,kd->k", X[both[:, 0]], X[both[:, 1]]))
    cosines = np.concatenate(of_words) if of_words else np.zeros(0)
    return (
        float(np.mean(of_documents)) if of_documents else None,
        float(cosines.mean()) if len(cosines) else None,
    )


def _unit(X: Floats2d) -> Floats2d:
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(lengths > 0, lengths, 1)


def check_extra() -> None:
    """Raise DxError without the package that classifiers need."""
    if find_spec("sklearn") is None:
        about = {"what": "a classifier of `label`", "package": "scikit-learn", "extra": "report"}
        raise DxError(Errors.DX074.format(**about))


# -- accuracy of a classifier ----------------------------------------------------------------------

# Texts to train on and to test on: 0 is the original, 1 the sanitised text.
ROUTES = {
    "trained on the original, tested on the original": (0, 0),
    "trained on the sanitised text, tested on sanitised text": (1, 1),
    "trained on the sanitised text, tested on the original": (1, 0),
}


@dataclass(frozen=True)
class Accuracies:
    """Mean accuracies and their standard errors over the folds, for each of ROUTES. majority: the
    accuracy of a blind guess. left_out: documents without a label, or of a class of one."""

    documents: int
    classes: int
    folds: int
    majority: float
    means: dict[str, float]
    errors: dict[str, float]
    left_out: int


def accuracies_of(pairs: Sequence[Pair]) -> Accuracies:
    """Cross-validate a linear classifier; raise UsageError without two classes of two documents,
    and DxError without scikit-learn."""
    check_extra()
    counts = Counter(pair.label for pair in pairs if pair.label is not None)
    usable = {label: count for label, count in counts.items() if count > 1}
    if len(usable) < 2:
        raise UsageError(
            "`label` needs a field with two classes or more, of two documents each; this one has "
            f"{len(usable)}."
        )
    chosen = [pair for pair in pairs if pair.label in usable]
    y = np.array([pair.label for pair in chosen])
    folds = min(5, *usable.values())
    texts = [np.array(side, dtype=object) for side in zip(*(p.texts for p in chosen), strict=True)]
    scores = _scores(texts, y, folds)
    return Accuracies(
        documents=len(chosen),
        classes=len(usable),
        folds=folds,
        majority=max(usable.values()) / len(chosen),
        means={route: float(np.mean(s)) for route, s in scores.items()},
        errors={route: float(np.std(s, ddof=1) / np.sqrt(folds)) for route, s in scores.items()},
        left_out=len(pairs) - len(chosen),
    )


def _scores(texts: list[Any], y: Any, folds: int) -> dict[str, list[float]]:
    """Return the accuracies of each route, all on the same folds."""
    from sklearn.model_selection import StratifiedKFold

    scores: dict[str, list[float]] = {route: [] for route in ROUTES}
    # A fixed split makes the figures repeatable; it protects nothing.
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=0).split(y, y):
        models = [linear_model(letters=False).fit(side[train], y[train]) for side in texts]
        for route, (on, against) in ROUTES.items():
            scores[route].append(float(models[on].score(texts[against][test], y[test])))
    return scores


@dataclass(frozen=True)
class Judged:
    """Negative log-likelihood of texts before and after, nats per original word, under a model.
    is_editor: whether the texts were edited by this model, which then judges its own work."""

    model: str
    before: float
    after: float
    is_editor: bool = False


def judged(model: LanguageModel, before: Sequence[str], after: Sequence[str]) -> Judged | None:
    """Score texts by a local model; None for texts without a word."""
    words = sum(len(text.split()) for text in before)
    if not words:
        return None
    nats = [float(model.nats(model.encode(texts)).sum()) / words for texts in (before, after)]
    return Judged(model.name, nats[0], nats[1])
