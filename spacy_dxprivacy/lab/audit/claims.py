"""What a guarantee promises for a pair of words, and what draws can say against it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Floats1d, Floats2d, Ints1d, Ints2d
from ...errors import DxError
from ...search.metric import euclidean
from ...space import Space
from ...ty import HasMetric, Mechanism


@dataclass(frozen=True)
class Claim:
    """A guarantee as numbers.

    Attributes:
        delta: Of every pair.
        of_rows: Rows (k,) -> float64 (k, n), the epsilon (nats) that is promised for each pair;
            infinite where nothing is.
    """

    delta: float
    of_rows: Callable[[Ints1d], Floats2d]

    def epsilons(self, rows: Any) -> Floats2d:
        """Rows (k,) -> float64 (k, n), the nats that are promised; inf for none."""
        E = np.array(self.of_rows(np.asarray(rows, dtype=np.int64)), dtype=np.float64)
        E[np.isnan(E)] = np.inf  # a distance that is no number promises nothing
        return E

    def of_pairs(self, pairs: Ints2d) -> Floats1d:
        """pairs: (p, 2) -> (p,)."""
        some, which = np.unique(pairs[:, 0], return_inverse=True)
        return np.array(self.epsilons(some)[which.reshape(-1), pairs[:, 1]])


def claim_of(mechanism: Mechanism, space: Space) -> Claim | str:
    """Return the claim of a mechanism that is fitted on this space, or why it is not in numbers.

    Distances are those that the mechanism computes; "euclidean" ones are never more than those of
    the space, whatever it says, and infinite where it says so. The pairs of an (epsilon, delta)
    promise are those of guarantee.covers.
    """
    guarantee, stated = mechanism.guarantee, _distances(mechanism)
    epsilon, covers = guarantee.epsilon, guarantee.covers
    if guarantee.kind == "metric-dp":
        if guarantee.metric != "euclidean" and stated is None:
            return f"the distance {guarantee.metric!r} is not computed by the mechanism"

        def scaled(rows: Ints1d) -> Floats2d:
            D = np.asarray(np.inf if stated is None else stated(rows), dtype=np.float64)
            if guarantee.metric == "euclidean":
                own = euclidean(space.vectors, rows)
                D = own if stated is None else np.where(np.isfinite(D), np.minimum(D, own), np.inf)
            return np.where(np.isfinite(D), D * epsilon, np.inf)

        return Claim(0.0, scaled)
    if covers == "finite" and stated is not None:
        measure = stated
        return Claim(
            guarantee.delta, lambda rows: np.where(np.isfinite(measure(rows)), epsilon, np.inf)
        )
    among = getattr(mechanism, "covers", None)
    if covers != "finite" and among is not None:
        return Claim(guarantee.delta, lambda rows: np.where(among(rows), epsilon, np.inf))
    if covers == "all":
        return Claim(guarantee.delta, lambda rows: np.full((len(rows), len(space)), epsilon))
    return "the mechanism does not compute which pairs its promise covers"


def _distances(mechanism: Mechanism) -> Callable[[Ints1d], Floats2d] | None:
    """The mechanism's own distances; None where it has none. One row is asked for, since a
    mechanism may refuse (DX004)."""
    if not isinstance(mechanism, HasMetric):
        return None
    try:
        mechanism.distances(np.zeros(1, dtype=np.int64))
    except DxError:
        return None
    return mechanism.distances


# -- confidence bounds on probabilities: Clopper and Pearson 1934, exact for any n -----------------


def lower(hits: Any, n: int, alpha: float) -> Any:
    """The probability is not below this, except with probability alpha."""
    from scipy.special import betaincinv

    k = np.asarray(hits, dtype=np.float64)
    return np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, alpha), 0.0)


def upper(hits: Any, n: int, alpha: float) -> Any:
    """The probability is not above this, except with probability alpha."""
    return 1.0 - lower(n - np.asarray(hits, dtype=np.float64), n, alpha)


def wilson(hits: Any, n: int, z: float) -> Any:
    """About the lower bound at z standard errors: cheap, to choose by."""
    p = np.asarray(hits, dtype=np.float64) / n
    middle = p + z * z / (2 * n)
    half = z * np.sqrt(p * (1 - p) / n + z * z / (4.0 * n * n))
    return np.maximum((middle - half) / (1 + z * z / n), 0.0)


def ceiling(n: int, alpha: float) -> float:
    """The largest epsilon (nats) that n draws can refute: all of one word's, none of another's."""
    return float(-np.log(upper(0, n, alpha)))
