"""Mechanisms that add noise to the vector of a word, then project to a word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Bools2d, Floats1d, Floats2d, Ints1d
from ..errors import DxError, Errors
from ..privacy.guarantee import Guarantee
from ..privacy.randomness import Rng
from ..space import Space
from ..ty import Draw, Facts, NoiseDistribution, Projection, unknown
from .built import BuiltMechanism, checked_rows
from .projection import make_nearest

if TYPE_CHECKING:
    from typing_extensions import Self

GRID_BITS = 10


@dataclass(frozen=True, eq=False, repr=False)
class Noise:
    """The noise of a mechanism on one space, and its guarantee.

    For centres X (k, d) and Y (m, d), `loss` is the largest log ratio of their noise densities,
    (k, m), and `delta` the least delta at epsilons (k, m), given X, Y and the rows of Y.
    """

    centres: Floats2d  # (n, d), to which noise is added and noisy vectors are projected: public
    draw: Callable[[Ints1d, Rng], Floats2d]  # rows (k,) -> noise, float64 (k, d)
    spread: float  # the least standard deviation of a coordinate, which sets the grid
    guarantee: Guarantee
    distances: Callable[[Ints1d], Floats2d] | None = None  # (k, n), the metric of the guarantee
    approximate: Callable[[float], float | None] = unknown  # distance -> epsilon at delta = 1e-6
    covers: Callable[[Ints1d], Bools2d] | None = None  # (k, n), pairs of the guarantee; else all
    loss: Callable[[Floats2d, Floats2d], Floats2d | None] = unknown
    delta: Callable[[Floats2d, Floats2d, Ints1d, Floats2d], Floats2d | None] = unknown


class NoiseMechanism(BuiltMechanism[Noise]):
    """Add noise to a vector, round to a grid, project to a word.

    noise_distribution: The exact distribution of the noise on a space, or None. It is derived
    without `build`, since an audit against `build` could not detect a wrong scale.
    """

    def __init__(
        self,
        name: str,
        guarantee: Guarantee,
        build: Callable[[Space, Guarantee], Noise],
        noise_distribution: Callable[[Space, Guarantee], NoiseDistribution | None] = unknown,
        projection: Projection | None = None,
    ) -> None:
        self.noise_distribution = noise_distribution
        self.projection = make_nearest() if projection is None else projection
        super().__init__(name, guarantee, build, Facts(projection=self.projection))

    def fit(self, space: Space) -> Self:
        super().fit(space)
        self.projection.fit(self.built.centres, epsilon=self.guarantee.epsilon)
        return self

    def _fitted_facts(self, space: Space, built: Noise) -> Facts:
        def centres(rows: Ints1d) -> Floats2d:
            return built.centres[rows].astype(np.float64)

        def loss(rows: Ints1d, outputs: Ints1d) -> Floats2d | None:
            return built.loss(centres(rows), centres(outputs))

        def delta(rows: Ints1d, outputs: Ints1d, epsilons: Floats2d) -> Floats2d | None:
            return built.delta(centres(rows), centres(outputs), outputs, epsilons)

        return replace(
            self._unfitted_facts,
            centres=built.centres,
            approximate=built.approximate,
            noise_distribution=partial(self.noise_distribution, space, self.guarantee),
            loss=loss,
            delta=delta,
        )

    def _sample(self, rows: Ints1d, rng: Rng) -> Draw:
        noise = self.built
        Z = noise.centres[rows] + noise.draw(rows, rng)
        # The low bits of x + z reveal x: unrounded vectors identify most words where the best
        # statistical attack recovers few (Mironov 2012). A power of two is exact in binary.
        step = float(2.0 ** (np.floor(np.log2(noise.spread)) - GRID_BITS))
        Z /= step
        np.rint(Z, out=Z)
        Z *= step
        Z = Z.astype(np.float32)
        return Draw(self.projection.project(Z, rng), Z)

    def distances(self, rows: Ints1d) -> Floats2d:
        """Return the metric of the guarantee, float64 (k, n). Raise DxError without a metric."""
        metric = self.built.distances
        if metric is None:
            raise DxError(Errors.DX004.format(name=self.name))
        return metric(checked_rows(rows, len(self.space)))

    def covers(self, rows: Ints1d) -> Bools2d:
        """Return the pairs that the guarantee covers, bool (k, n)."""
        rows, related = checked_rows(rows, len(self.space)), self.built.covers
        return np.ones((len(rows), len(self.space)), bool) if related is None else related(rows)


def clipped(X: Floats2d, clip: float | None) -> tuple[Floats2d, float]:
    """Return the rows, shortened to norm `clip` (None: unchanged), and their largest norm."""
    norms = norms_of(X)
    if clip is None:
        # If all rows are 0, any noise will do.
        return X, float(norms.max()) or 1.0
    # Rounded down, so that no float32 row is longer than the bound.
    factors = np.minimum(1.0, clip * (1 - 2.0**-22) / np.maximum(norms, clip))
    factors[norms <= clip] = 1.0
    centres = (X * factors[:, None]).astype(np.float32)
    # With a clip below 1e-38, where float32 loses digits, rows may be longer than the clip.
    return centres, max(clip, float(norms_of(centres).max()))


def norms_of(X: Floats2d) -> Floats1d:
    """Return the Euclidean norms of the rows, float64 (n,)."""
    norms: Floats1d = np.linalg.norm(X.astype(np.float64), axis=1)
    return norms
