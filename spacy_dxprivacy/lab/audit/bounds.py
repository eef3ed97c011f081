"""Confidence bounds on probabilities: Clopper and Pearson 1934, exact for any n."""

from __future__ import annotations

from typing import Any

import numpy as np


def lower(hits: Any, n: int, alpha: float) -> Any:
    """The probability is not below this, except with probability alpha."""
    from scipy.special import betaincinv

    k = np.asarray(hits, dtype=np.float64)
    return np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, alpha), 0.0)


def upper(hits: Any, n: int, alpha: float) -> Any:
    """The probability is not above this, except with probability alpha."""
    from scipy.special import betaincinv

    k = np.asarray(hits, dtype=np.float64)
    return np.where(k < n, betaincinv(k + 1, np.maximum(n - k, 1), 1 - alpha), 1.0)


def wilson(hits: Any, n: int, z: float) -> Any:
    """About the lower bound at z standard errors: cheap, to choose by."""
    p = np.asarray(hits, dtype=np.float64) / n
    middle = p + z * z / (2 * n)
    half = z * np.sqrt(p * (1 - p) / n + z * z / (4.0 * n * n))
    return np.maximum((middle - half) / (1 + z * z / n), 0.0)


def ceiling(n: int, alpha: float) -> float:
    """The largest epsilon (nats) that n draws can refute: all of one word's, none of another's."""
    return float(-np.log(upper(0, n, alpha)))
