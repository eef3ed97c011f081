"""What epsilon means on a space: nats between words that are near, middling and far.

Epsilon is nats per unit of distance, so epsilon = 10 where words are 8 apart is 80 nats. These
figures stop it from being read as 10.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import Floats2d, Ints1d
from ..ty import Mechanism

PROBES = 128
NUMBERS = 2**26  # distances that a look at the space may cost
DELTA = 1e-6


def scale_of(mechanism: Mechanism, n: int) -> dict[str, dict[str, float]] | None:
    """For "nearest" (a word and its nearest one, the median of probed words), "median" (two words
    at random) and "diameter" (any two: the largest distance where the mechanism knows it, else an
    upper bound that is at most twice too high): their
    distance, the nats that epsilon makes of it, and, for Laplace noise, nats_at_delta, the epsilon
    of an (epsilon, 1e-6) guarantee for such a pair.

    None where the guarantee is not in a metric on the whole space, or all words are at one point.
    """
    distances: Any = getattr(mechanism, "distances", None)
    if mechanism.guarantee.kind != "metric-dp" or distances is None or n < 2:
        return None
    D = distances(_probes(n))
    if np.isinf(D).any():
        return None  # some words are not protected from each other, whatever epsilon
    apart = _distances_of_interest(D)
    approximate = getattr(mechanism, "approximate", None)
    epsilon = mechanism.guarantee.epsilon
    if apart is None:
        return None
    longest: float | None = getattr(mechanism, "longest", None)
    apart["diameter"] = longest or apart["diameter"]
    return {name: _nats(D, epsilon, approximate) for name, D in apart.items()}


def _nats(
    distance: float, epsilon: float, approximate: Callable[[float], float] | None
) -> dict[str, float]:
    nats = {"distance": distance, "nats": epsilon * distance}
    return {**nats, "nats_at_delta": approximate(distance)} if approximate else nats


def _distances_of_interest(D: Floats2d) -> dict[str, float] | None:
    D = np.where(D > 0, D, np.nan)
    D = D[~np.isnan(D).all(axis=1)]
    if not len(D):
        return None
    return {
        "nearest": float(np.median(np.nanmin(D, axis=1))),
        "median": float(np.nanmedian(D)),
        "diameter": 2 * float(np.nanmax(D, axis=1).min()),
    }


def _probes(n: int) -> Ints1d:
    """Rows spread evenly over the table: public, and the same every time."""
    count = min(n, max(8, min(PROBES, NUMBERS // n)))
    return np.unique(np.linspace(0, n - 1, count).astype(np.int64))
