"""Mechanisms that add noise to the vector of a word, then project to a word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import Bools2d, Floats1d, Floats2d, Ints1d
from ..errors import DxError, Errors
from ..privacy.guarantee import Guarantee
from ..privacy.randomness import Rng
from ..space import Space
from ..ty import Draw, NoiseLaw, Projection
from .built import BuiltMechanism, checked_rows
from .projection import make_nearest

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

GRID_BITS = 10


@dataclass(frozen=True, eq=False, repr=False)
class Noise:
    """The noise of a mechanism on one space, and its guarantee.

    draw may have loss(X, Y) -> (k, m), the largest log ratio of the densities around centres X (k,
    d) and Y (m, d), or delta(X, Y, others, epsilons), the least delta at epsilons (k, m), with
    others the rows of Y.
    """

    centres: Floats2d  # (n, d), where noise starts and replacements are sought: public
    draw: Callable[[Ints1d, Rng], Floats2d]  # rows (k,) -> noise, float64 (k, d)
    spread: float  # the least standard deviation of a coordinate, which sets the grid
    guarantee: Guarantee
    distances: Callable[[Ints1d], Floats2d] | None = None  # (k, n), the metric of the guarantee
    approximate: Callable[[float], float] | None = None  # distance -> epsilon at delta = 1e-6
    covers: Callable[[Ints1d], Bools2d] | None = None  # (k, n), pairs of the guarantee; else all


class NoiseMechanism(BuiltMechanism[Noise]):
    """x + z on a grid, then a projection.

    Settings may have law(space, guarantee), the distribution of the noise derived without `build`:
    an audit against `build` itself could not see a wrong scale.
    """

    def __init__(
        self, name: str, guarantee: Guarantee, settings: Any, projection: Projection | None = None
    ) -> None:
        super().__init__(name, guarantee, settings)
        self.projection = make_nearest() if projection is None else projection

    def fit(self, space: Space) -> Self:
        super().fit(space)
        self.projection.fit(self.built.centres, epsilon=self.guarantee.epsilon)
        return self

    def _sample(self, rows: Ints1d, rng: Rng) -> Draw:
        noise = self.built
        rows = checked_rows(rows, len(noise.centres))
        Z = noise.centres[rows] + noise.draw(rows, rng)
        # The low bits of x + z tell x: unrounded vectors identify most words where the best
        # statistical attack recovers few (Mironov 2012). A power of two is exact in binary.
        step = float(2.0 ** (np.floor(np.log2(noise.spread)) - GRID_BITS))
        Z /= step
        np.rint(Z, out=Z)
        Z *= step
        Z = Z.astype(np.float32)
        return Draw(self.projection.project(Z, rng), Z)

    def approximate(self, distance: float) -> float | None:
        """Return the epsilon (nats) at delta = 1e-6 of two words at a distance, if it is known.
        Raises DxError before fit, as all methods below."""
        known = self.built.approximate
        return None if known is None else known(distance)

    def distances(self, rows: Ints1d) -> Floats2d:
        """Return the metric of the guarantee, float64 (k, n). Raises DxError if there is none."""
        noise = self.built
        if noise.distances is None:
            raise DxError(Errors.DX004.format(name=self.name))
        return noise.distances(checked_rows(rows, len(noise.centres)))

    def covers(self, rows: Ints1d) -> Bools2d:
        """Return the pairs that the guarantee covers, bool (k, n)."""
        noise = self.built
        rows = checked_rows(rows, len(noise.centres))
        if noise.covers is None:
            return np.ones((len(rows), len(noise.centres)), dtype=bool)
        return noise.covers(rows)

    @property
    def centres(self) -> Floats2d:
        """(n, c): where the noise of each word starts."""
        return self.built.centres

    def law(self) -> NoiseLaw | None:
        """Return the distribution that released vectors have to follow, if it is known."""
        if self._space is None:
            raise DxError(Errors.DX003.format(name=self.name))
        known = getattr(self.settings, "law", None)
        return None if known is None else known(self._space, self.guarantee)

    def loss(self, rows: Ints1d, others: Ints1d) -> Floats2d | None:
        """Return the largest log ratio of two densities, nats, float64 (k, m), for rows (k,) and
        others (m,); None where it is not known or not bounded."""
        known = getattr(self.built.draw, "loss", None)
        X = self.built.centres
        return None if known is None else known(_float64(X[rows]), _float64(X[others]))

    def delta(self, rows: Ints1d, others: Ints1d, epsilons: Floats2d) -> Floats2d | None:
        """Return the least delta of each pair at epsilons (k, m), nats, if it is known."""
        known = getattr(self.built.draw, "delta", None)
        X = self.built.centres
        if known is None:
            return None
        deltas: Floats2d = known(_float64(X[rows]), _float64(X[others]), others, epsilons)
        return deltas


def _float64(X: Floats2d) -> Any:
    return np.asarray(X, dtype=np.float64)


def clipped(X: Floats2d, clip: float | None) -> tuple[Floats2d, float]:
    """Return rows of norm `clip` at most, float32 (n, d), and the bound; None is the largest
    norm."""
    norms = norms_of(X)
    if clip is None:
        # Rows that are all 0 need no noise to be alike; any will do.
        return X, float(norms.max()) or 1.0
    # Rounded down, so that no float32 row is longer than the bound.
    factors = np.minimum(1.0, clip * (1 - 2.0**-22) / np.maximum(norms, clip))
    factors[norms <= clip] = 1.0
    centres = (X * factors[:, None]).astype(np.float32)
    # A clip below 1e-38, where float32 loses its digits, may be passed all the same.
    return centres, max(clip, float(norms_of(centres).max()))


def norms_of(X: Floats2d) -> Floats1d:
    """Return the Euclidean norms of the rows, float64 (n,)."""
    norms: Floats1d = np.linalg.norm(X.astype(np.float64), axis=1)
    return norms
