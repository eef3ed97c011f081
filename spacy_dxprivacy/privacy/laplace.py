"""Multivariate Laplace noise: its draws, its spread, and what it amounts to at a small delta."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats2d, Ints1d
from ..randomness import Rng
from .hockey_stick import laplace_epsilon


@dataclass(frozen=True)
class LaplaceNoise:
    """Density proportional to exp(-epsilon ||z||) in d dimensions."""

    d: int
    epsilon: float

    def __call__(self, rows: Ints1d, rng: Rng) -> Floats2d:
        return laplace_noise(len(rows), self.d, rng, epsilon=self.epsilon)

    def loss(self, X: Floats2d, Y: Floats2d) -> Floats2d:
        """Around centres X (k, d) and Y (m, d) -> float64 (k, m): the loss, nats."""
        from scipy.spatial.distance import cdist

        losses: Floats2d = self.epsilon * cdist(X, Y)
        return losses

    def approximate(self, distance: float) -> float:
        """The epsilon at delta = 1e-6 of two words at this distance."""
        return laplace_epsilon(self.epsilon, distance, self.d)

    @property
    def spread(self) -> float:
        """The standard deviation of a coordinate: the covariance is (d + 1)/epsilon^2 times I."""
        return float(np.sqrt(self.d + 1) / self.epsilon)


def laplace_noise(k: int, d: int, rng: Rng, *, epsilon: float) -> Floats2d:
    """float64 (k, d) with density proportional to exp(-epsilon ||z||).

    z = sqrt(V) g with V ~ Gamma((d + 1)/2, 2/epsilon^2) and g standard normal: the normal scale
    mixture with this law of V has the characteristic function (1 + ||t||^2/epsilon^2)^(-(d+1)/2).
    """
    Z = rng.normal((k, d))
    Z *= np.sqrt(rng.gamma((d + 1) / 2, 2.0, k))[:, None] / epsilon
    return Z
