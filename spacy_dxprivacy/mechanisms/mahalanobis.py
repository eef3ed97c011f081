r"""Elliptical noise that follows the shape of the space (dx.Mahalanobis.v1).

Density   f(z) = c exp(-epsilon ||z||_M), ||z||_M = sqrt(z^T S^-1 z), S = lam Sigma + (1 - lam) I,
          Sigma the covariance of the space's vectors, scaled to trace d
Guarantee epsilon nats per unit of ||x - y||_M for all pairs of words (metric-dp); in Euclidean
          distance that is epsilon / sqrt(lam lambda_min(Sigma) + 1 - lam)
Use       where words in sparse directions of the space should change more; compare by its
          Euclidean epsilon, not by its nominal one
Paper     Xu, Aggarwal, Feyisetan, Teissier 2020 (arXiv 2010.11947), theorem 1
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ..arrays import Floats2d, Ints1d
from ..errors import DxError, Errors
from ..privacy.guarantee import Guarantee
from ..privacy.noise import LaplaceNoise, laplace_noise
from ..privacy.randomness import Rng
from ..registries import registry
from ..space import Space
from ..space.search.exact import distances, euclidean
from ..ty import LogDensities, NoiseDistribution, Projection
from ..validate import between, positive
from .noise import Noise, NoiseMechanism, norms_of


@registry.dx_mechanisms("dx.Mahalanobis.v1")
def make_mahalanobis(
    epsilon: float, lam: float = 0.2, projection: Projection | None = None
) -> NoiseMechanism:
    """Create elliptical Laplace noise. Its fit raises DxError if S is singular.

    Args:
        epsilon: Nats per unit of the regularised Mahalanobis norm, above 0.
        lam: From 0 (Euclidean noise) to 1 (the covariance alone). Xu et al. compare 0 to 1, and
            Bollegala et al. 2023 take 1. At .2 the Euclidean epsilon is at most 1.12 times the
            nominal one on every space; at 1 it has no such bound.
        projection: From noisy vectors to words; dx.Nearest.v1 if None, by Euclidean distance.
    """
    epsilon = positive("epsilon", epsilon)
    lam = between("lam", lam, 0.0, 1.0, "[]")
    guarantee = Guarantee(
        kind="metric-dp",
        epsilon=epsilon,
        metric="mahalanobis",
        covers="all",
        status="proven",
        source="Xu et al. 2020, theorem 1; projection is post-processing",
    )
    return NoiseMechanism(
        "dx.Mahalanobis.v1",
        guarantee,
        partial(build, lam=lam),
        partial(noise_distribution, lam=lam),
        projection,
    )


def build(space: Space, guarantee: Guarantee, *, lam: float) -> Noise:
    epsilon = guarantee.epsilon
    values, axes = regularised_covariance(space.vectors, lam)
    if values[0] <= 1e-12 * values[-1]:
        expected = "vectors whose covariance is regular at this lam (lower it)"
        raise DxError(Errors.DX020.format(expected=expected, given="singular ones"))
    euclid = epsilon / np.sqrt(values[0])
    notes = f"Per unit of Euclidean distance this is {euclid:.6g} nats."
    root, d = (axes * np.sqrt(values)) @ axes.T, len(values)
    spread = float(np.sqrt((d + 1) * np.min(np.sum(root**2, axis=1))) / epsilon)
    whitened = space.vectors @ ((axes / np.sqrt(values)) @ axes.T)
    inverse = np.linalg.inv(root)

    def draw(rows: Ints1d, rng: Rng) -> Floats2d:
        Z: Floats2d = laplace_noise(len(rows), d, rng, epsilon=epsilon) @ root
        return Z

    def loss(X: Floats2d, Y: Floats2d) -> Floats2d:
        return epsilon * distances(X @ inverse, Y @ inverse)

    def log_densities(X: Floats2d, rows: Ints1d) -> LogDensities:
        logs = LaplaceNoise(d, epsilon).log_densities(X @ inverse, rows)
        return lambda Z: logs(Z @ inverse)

    return Noise(
        space.vectors,
        draw,
        spread,
        replace(guarantee, notes=notes),
        partial(euclidean, whitened),
        approximate=LaplaceNoise(d, epsilon).approximate,
        loss=loss,
        log_densities=log_densities,
    )


def noise_distribution(space: Space, guarantee: Guarantee, *, lam: float) -> NoiseDistribution:
    from scipy.stats import gamma

    values, axes = regularised_covariance(space.vectors, lam)
    radius = gamma(space.vectors.shape[1], scale=1 / guarantee.epsilon)
    inverse = axes / np.sqrt(values)  # S^-1 = inverse inverse^T
    return NoiseDistribution(space.vectors, lambda Z: norms_of(Z @ inverse), radius)


def regularised_covariance(X: Floats2d, lam: float) -> tuple[Floats2d, Floats2d]:
    """Return eigenvalues (d,), rising, and eigenvectors (d, d) of S = lam Sigma + (1 - lam) I."""
    d = X.shape[1]
    Sigma = np.atleast_2d(np.cov(X.astype(np.float64).T)) if len(X) > 1 else np.zeros((d, d))
    trace = np.trace(Sigma)
    Sigma = Sigma * (d / trace) if trace > 0 else Sigma
    return np.linalg.eigh(lam * Sigma + (1 - lam) * np.eye(d))
