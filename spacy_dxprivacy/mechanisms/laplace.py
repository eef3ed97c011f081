r"""Multivariate Laplace noise on word vectors (dx.Laplace.v1).

Density   f(z) = c exp(-epsilon ||z||_2), so ||z||_2 ~ Gamma(d, 1/epsilon)
Guarantee epsilon nats per unit of Euclidean distance, for all pairs of words (metric-dp)
Use       where noisy vectors are wanted as well as words; the most studied of the mechanisms
Papers    Fernandes, Dras, McIver 2019 (arXiv 1811.10256); Feyisetan, Balle, Drake,
          Diethe 2020 (arXiv 1910.08902)
"""

from __future__ import annotations

from functools import partial

from ..privacy.guarantee import Guarantee
from ..privacy.noise import LaplaceNoise
from ..registries import registry
from ..space import Space
from ..space.search.exact import euclidean
from ..ty import NoiseDistribution, Projection
from ..validate import positive
from .noise import Noise, NoiseMechanism, norms_of


@registry.dx_mechanisms("dx.Laplace.v1")
def make_laplace(epsilon: float, projection: Projection | None = None) -> NoiseMechanism:
    """Create multivariate Laplace noise.

    Args:
        epsilon: Nats per unit of Euclidean distance, above 0.
        projection: From noisy vectors to words; dx.Nearest.v1 if None.
    """
    epsilon = positive("epsilon", epsilon)
    guarantee = Guarantee(
        kind="metric-dp",
        epsilon=epsilon,
        metric="euclidean",
        covers="all",
        status="proven",
        source="Fernandes et al. 2019; Feyisetan et al. 2020; projection is post-processing",
        notes="Released vectors are rounded to a grid of 2**-10 of their standard deviation.",
    )
    return NoiseMechanism("dx.Laplace.v1", guarantee, build, noise_distribution, projection)


def build(space: Space, guarantee: Guarantee) -> Noise:
    noise = LaplaceNoise(space.vectors.shape[1], guarantee.epsilon)
    metric = partial(euclidean, space.vectors)
    return Noise(
        space.vectors,
        noise,
        noise.spread,
        guarantee,
        metric,
        approximate=noise.approximate,
        loss=noise.loss,
        log_densities=noise.log_densities,
    )


def noise_distribution(space: Space, guarantee: Guarantee) -> NoiseDistribution:
    from scipy.stats import gamma

    d = space.vectors.shape[1]
    return NoiseDistribution(space.vectors, norms_of, gamma(d, scale=1 / guarantee.epsilon))
