"""What mechanisms of the form "add noise to the vector, then project" share."""

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
from .built import BuiltMechanism, Settings, checked_rows
from .projection.nearest import make_nearest

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

GRID_BITS = 10


@dataclass(frozen=True, eq=False, repr=False)
class Noise:
    """A mechanism on one space: what it adds to what, and what that promises.

    centres: (n, d), where a word's noise starts and where replacements are sought: the vectors of
    the space, or a public function of them. draw: (rows (k,), rng) -> float64 (k, d); it may have
    loss(X, Y) -> (k, m), the largest log ratio of the densities around centres X (k, d) and Y (m,
    d), or delta(X, Y, others, epsilons), the least delta at epsilons (k, m), others being the rows
    of Y. spread: the least standard deviation of a coordinate, which sets the grid. distances: rows
    (k,) -> float64 (k, n), the metric of the guarantee, where the space gives it. approximate: the
    epsilon at delta = 1e-6 of two words at a distance, where that is known. covers: rows (k,) ->
    bool (k, n), the pairs of the guarantee, where these are not all.
    """

    centres: Floats2d
    draw: Callable[[Ints1d, Rng], Floats2d]
    spread: float
    guarantee: Guarantee
    distances: Callable[[Ints1d], Floats2d] | None = None
    approximate: Callable[[float], float] | None = None
    covers: Callable[[Ints1d], Bools2d] | None = None


class NoiseMechanism(BuiltMechanism[Noise]):
    """x + z, on a grid, then a projection.

    Settings may have law(space, guarantee), the NoiseLaw of promise, settings and space, without
    the noise that `on` makes of them: else a wrong scale there would be a wrong scale here, and no
    audit could see it.
    """

    def __init__(
        self,
        name: str,
        guarantee: Guarantee,
        settings: Settings[Noise],
        projection: Projection | None = None,
    ) -> None:
        super().__init__(name, guarantee, settings)
        self.projection = make_nearest() if projection is None else projection

    def fit(self, space: Space) -> Self:
        super().fit(space)
        self.projection.fit(self.built.centres, epsilon=self._promise.epsilon)
        return self

    def _sample(self, rows: Ints1d, rng: Rng) -> Draw:
        noise = self.built
        rows = checked_rows(rows, len(noise.centres))
        Z = noise.centres[rows] + noise.draw(rows, rng)
        Z = on_grid(Z, grid_step(noise.spread))
        return Draw(self.projection.project(Z, rng), Z)

    def approximate(self, distance: float) -> float | None:
        """The epsilon (nats) of an (epsilon, 1e-6) guarantee for two words at this distance; None
        where that is not known. Raises DxError before fit, as all that follows."""
        known = self.built.approximate
        return None if known is None else known(distance)

    def distances(self, rows: Ints1d) -> Floats2d:
        """rows (k,) -> float64 (k, n): the metric of the guarantee. Raises DxError where it is not
        about a metric."""
        noise = self.built
        if noise.distances is None:
            raise DxError(Errors.DX004.format(name=self.name))
        return noise.distances(checked_rows(rows, len(noise.centres)))

    def covers(self, rows: Ints1d) -> Bools2d:
        """rows (k,) -> bool (k, n): the pairs that the guarantee covers."""
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
        """What released vectors have to follow, by the promise, the settings and the space; None
        where that is not known."""
        known = getattr(self.settings, "law", None)
        if self._space is None:
            raise DxError(Errors.DX003.format(name=self.name))
        return None if known is None else known(self._space, self.guarantee)

    def loss(self, rows: Ints1d, others: Ints1d) -> Floats2d | None:
        """rows (k,), others (m,) -> float64 (k, m): the largest log ratio of two densities, nats;
        None where it is not known or not bounded."""
        known = getattr(self.built.draw, "loss", None)
        return None if known is None else known(self._float64(rows), self._float64(others))

    def delta(self, rows: Ints1d, others: Ints1d, epsilons: Floats2d) -> Floats2d | None:
        """rows (k,), others (m,), epsilons (k, m), nats -> float64 (k, m): the least delta of each
        pair; None where it is not known."""
        known = getattr(self.built.draw, "delta", None)
        X, Y = self._float64(rows), self._float64(others)
        return None if known is None else known(X, Y, others, epsilons)

    def _float64(self, rows: Ints1d) -> Any:
        return np.asarray(self.built.centres[rows], dtype=np.float64)


def on_grid(Z: Floats2d, step: float) -> Floats2d:
    """Round float64 vectors to multiples of step, as float32.

    The low bits of x + z tell which x it was: unrounded vectors identify most words where the best
    statistical attack finds few (Mironov 2012, "On significance of the least significant bits").
    """
    Z /= step
    np.rint(Z, out=Z)
    Z *= step
    return Z.astype(np.float32)


def grid_step(spread: float) -> float:
    """A power of two, 2**-GRID_BITS of the standard deviation or less: exact in binary."""
    return float(2.0 ** (np.floor(np.log2(spread)) - GRID_BITS))


def clipped(X: Floats2d, clip: float | None) -> tuple[Floats2d, float]:
    """Rows of norm `clip` at most, float32 (n, d), and the bound; None takes the largest norm."""
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
    """float64 (n,): the Euclidean norms of the rows."""
    norms: Floats1d = np.linalg.norm(X.astype(np.float64), axis=1)
    return norms
