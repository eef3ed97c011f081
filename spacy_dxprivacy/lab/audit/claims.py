"""What a guarantee promises for a pair of words, as two numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Bools2d, Floats1d, Floats2d, Ints1d, Ints2d
from ...errors import DxError
from ...search.metric import euclidean
from ...space import Space
from ...ty import CoversPairs, HasMetric, Mechanism

Distances = Callable[[Ints1d], Floats2d]
Covered = Callable[[Ints1d], Bools2d]


@dataclass(frozen=True)
class Claim:
    """delta: of every pair. of_rows: rows (k,) -> float64 (k, n), the epsilon (nats) that is
    promised for the pair; infinite where nothing is."""

    delta: float
    of_rows: Distances

    def epsilons(self, rows: Any) -> Floats2d:
        """rows (k,) -> float64 (k, n): the nats that are promised for each pair; inf for none."""
        E = np.array(self.of_rows(np.asarray(rows, dtype=np.int64)), dtype=np.float64)
        # A distance that is no number promises nothing.
        E[np.isnan(E)] = np.inf
        return E

    def of_pair(self, one: int, other: int) -> float:
        """The nats that are promised for two rows."""
        return float(self.epsilons([one])[0, other])

    def of_pairs(self, pairs: Ints2d) -> Floats1d:
        """pairs: (p, 2) -> (p,)."""
        some, which = np.unique(pairs[:, 0], return_inverse=True)
        return np.array(self.epsilons(some)[which.reshape(-1), pairs[:, 1]])


def claim_of(mechanism: Mechanism, space: Space) -> Claim | str:
    """The claim of a mechanism that is fitted on this space, or why it cannot be put in numbers.

    Distances are those that the mechanism computes; "euclidean" ones are never more than those of
    the space, whatever it says, and infinite where it says so. The pairs of an (epsilon, delta)
    promise are those of guarantee.covers.
    """
    guarantee = mechanism.guarantee
    distances = _distances(mechanism)
    if guarantee.kind == "metric-dp":
        if guarantee.metric == "euclidean":
            distances = _Euclidean(space, distances)
        if distances is None:
            return f"the distance {guarantee.metric!r} is not computed by the mechanism"
        return Claim(0.0, _Scaled(distances, guarantee.epsilon))
    covered = _covered(mechanism, space, distances)
    if covered is None:
        return "the mechanism does not compute which pairs its promise covers"
    return Claim(guarantee.delta, _Within(covered, guarantee.epsilon))


@dataclass(frozen=True)
class _Euclidean:
    space: Space
    stated: Distances | None

    def __call__(self, rows: Ints1d) -> Floats2d:
        D = euclidean(self.space.vectors, rows)
        if self.stated is None:
            return D
        stated = np.asarray(self.stated(rows), dtype=np.float64)
        capped: Floats2d = np.where(np.isfinite(stated), np.minimum(stated, D), np.inf)
        return capped


@dataclass(frozen=True)
class _Scaled:
    distances: Distances
    epsilon: float

    def __call__(self, rows: Ints1d) -> Floats2d:
        D = np.asarray(self.distances(rows), dtype=np.float64)
        return np.where(np.isfinite(D), D * self.epsilon, np.inf)


@dataclass(frozen=True)
class _Within:
    covers: Covered
    epsilon: float

    def __call__(self, rows: Ints1d) -> Floats2d:
        return np.where(self.covers(rows), self.epsilon, np.inf)


def _distances(mechanism: Mechanism) -> Distances | None:
    """The mechanism's own distances; None where it has none. One row is asked for, since a
    mechanism may refuse (DX004)."""
    if not isinstance(mechanism, HasMetric):
        return None
    try:
        mechanism.distances(np.zeros(1, dtype=np.int64))
    except DxError:
        return None
    return mechanism.distances


def _covered(mechanism: Mechanism, space: Space, distances: Distances | None) -> Covered | None:
    covers = mechanism.guarantee.covers
    if covers == "finite":
        return None if distances is None else lambda rows: np.isfinite(distances(rows))
    if isinstance(mechanism, CoversPairs):
        return mechanism.covers
    if covers == "all":
        return lambda rows: np.ones((len(rows), len(space)), dtype=bool)
    return None
