"""Scores of vectors on tasks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Floats1d, Floats2d, Ints2d

FOLDS = 5


def unit(X: Floats2d) -> Floats2d:
    """X (..., d) -> the same with rows of norm 1; rows of norm 0 stay."""
    U: Floats2d = X / np.linalg.norm(X, axis=-1, keepdims=True).clip(1e-30)
    return U


def spearman(A: Floats2d, B: Floats2d, scores: Floats1d) -> float:
    """Of the cosines of the rows of A and B (k, d) with scores (k,)."""
    from scipy.stats import spearmanr

    cosines = np.einsum("kd,kd->k", unit(A), unit(B), dtype=np.float64)
    return float(spearmanr(cosines, scores).statistic)


def odd_found(X: Floats2d, *, rows: Ints2d) -> float:
    """rows: (k, m), the odd word last -> how often it is the one least like the others."""
    U = unit(X[rows].astype(np.float64))
    likeness = np.einsum("kmd,kjd->km", U, U)
    return float(np.mean(likeness.argmin(axis=1) == rows.shape[1] - 1))


def accuracy(X: Floats2d, labels: Any) -> float:
    """Of a linear classifier, cross-validated on FOLDS fixed folds."""
    from ..report.metrics import need

    need("sklearn")
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))
    return float(cross_val_score(model, X, labels, cv=folds).mean())
