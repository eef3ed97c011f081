"""What epsilon means on a space: nats between words that are near, middling and far.

Epsilon is nats per unit of distance, so epsilon = 10 where words are 8 apart is 80 nats. These
figures stop it from being read as 10.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats2d, Ints1d
from ..ty import ApproximatesAt, HasMetric, KnowsApart, KnowsLongest, Mechanism

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
    if mechanism.guarantee.kind != "metric-dp" or not isinstance(mechanism, HasMetric) or n < 2:
        return None
    known = mechanism.apart if isinstance(mechanism, KnowsApart) else None
    apart = measured_apart(mechanism, n) if known is None else dict(known)
    if apart is None:
        return None
    if isinstance(mechanism, KnowsLongest):
        apart["diameter"] = mechanism.longest or apart["diameter"]
    return {name: _nats(mechanism, distance) for name, distance in apart.items()}


def measured_apart(mechanism: HasMetric, n: int) -> dict[str, float] | None:
    """The distances of scale_of, from probed words; "diameter" is a bound. None as there."""
    D = mechanism.distances(_probes(n))
    if np.isinf(D).any():
        return None  # some words are not protected from each other, whatever epsilon
    return _distances_of_interest(D)


def _nats(mechanism: Mechanism, distance: float) -> dict[str, float]:
    nats = {"distance": distance, "nats": mechanism.guarantee.epsilon * distance}
    if isinstance(mechanism, ApproximatesAt):
        at_delta = mechanism.approximate(distance)
        return nats if at_delta is None else {**nats, "nats_at_delta": at_delta}
    return nats


def _distances_of_interest(D: Floats2d) -> dict[str, float] | None:
    D = D[(D > 0).any(axis=1)]
    if not len(D):
        return None
    return {
        "nearest": float(np.median(D.min(axis=1, where=D > 0, initial=np.inf))),
        "median": float(np.median(D[D > 0])),
        "diameter": 2 * float(D.max(axis=1).min()),
    }


def _probes(n: int) -> Ints1d:
    """Rows spread evenly over the table: public, and the same every time."""
    count = min(n, max(8, min(PROBES, NUMBERS // n)))
    return np.unique(np.linspace(0, n - 1, count).astype(np.int64))
