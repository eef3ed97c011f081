r"""Multivariate Laplace noise on word vectors (dx.Laplace.v1).

Density   f(z) = c exp(-epsilon ||z||_2), so ||z||_2 ~ Gamma(d, 1/epsilon)
Guarantee epsilon nats per unit of Euclidean distance, for all pairs of words (metric-dp)
Papers    Fernandes, Dras, McIver 2019 (arXiv 1811.10256), theorem 3; Feyisetan, Balle, Drake,
          Diethe 2020 (arXiv 1910.08902), theorem 1
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..guarantee import Guarantee
from ..randomness import Rng
from ..registries import registry
from ..ty import Floats2d, Projection
from ..validate import positive
from .noise import NoiseMechanism


@registry.dx_mechanisms("dx.Laplace.v1")
def make_laplace(epsilon: float, projection: Projection | None = None) -> NoiseMechanism:
    """epsilon: nats per unit of Euclidean distance, above 0. projection: dx.Nearest.v1 if None."""
    epsilon = positive("epsilon", epsilon)
    guarantee = Guarantee(
        kind="metric-dp",
        epsilon=epsilon,
        metric="euclidean",
        adjacency="all pairs of words of the space",
        status="proven",
        source="Fernandes et al. 2019, theorem 3; projection is post-processing",
        notes="Released vectors are rounded to a grid of 2**-10 of their standard deviation.",
    )
    noise = partial(laplace_noise, epsilon=epsilon)
    spread = partial(laplace_spread, epsilon=epsilon)
    return NoiseMechanism("dx.Laplace.v1", guarantee, noise, spread, projection)


def laplace_noise(k: int, d: int, rng: Rng, *, epsilon: float) -> Floats2d:
    """float64 (k, d) with density proportional to exp(-epsilon ||z||).

    z = sqrt(V) g with V ~ Gamma((d + 1)/2, 2/epsilon^2) and g standard normal: the normal scale
    mixture with this law of V has the characteristic function (1 + ||t||^2/epsilon^2)^(-(d+1)/2).
    """
    Z = rng.normal((k, d))
    Z *= np.sqrt(rng.gamma((d + 1) / 2, 2 / epsilon**2, k))[:, None]
    return Z


def laplace_spread(d: int, *, epsilon: float) -> float:
    """The standard deviation of a coordinate: the covariance is (d + 1)/epsilon^2 times I."""
    return float(np.sqrt(d + 1) / epsilon)
