r"""Gaussian noise on clipped vectors (dx.Gaussian.v1).

Density   f(z) = N(0, sigma^2 I), on vectors clipped to norm C, so any two are at most 2C apart
Guarantee (epsilon, delta) for all pairs of words (approx-dp)
Use       for vectors under an (epsilon, delta) guarantee that composes well over many words
Paper     Balle, Wang 2018 (arXiv 1805.06530), theorem 8: the least Gaussian noise
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints1d
from ..privacy.guarantee import Guarantee
from ..privacy.noise import analytic_sigma, deltas, squares_about
from ..privacy.randomness import Rng
from ..registries import registry
from ..space import Space
from ..space.search.exact import distances
from ..ty import LogDensities, NoiseDistribution, Projection
from ..validate import between, positive
from .noise import Clip, Noise, NoiseMechanism, make_clip, norms_of


@registry.dx_mechanisms("dx.Gaussian.v1")
def make_gaussian(
    epsilon: float,
    delta: float = 1e-6,
    clip: float | str | None = None,
    norm: float | None = None,
    projection: Projection | None = None,
) -> NoiseMechanism:
    """Create Gaussian noise on clipped vectors.

    Args:
        epsilon: Nats, above 0.
        delta: Between 0 and 1.
        clip: Norm to which longer vectors are shortened; None is the largest of the space.
            "none" shortens nothing, and refutes the guarantee.
        norm: With clip "none" alone: the norm C that the noise is calibrated to, above 0.
        projection: From noisy vectors to words; dx.Nearest.v1 if None.
    """
    epsilon, delta = positive("epsilon", epsilon), between("delta", delta, 0.0, 1.0)
    bounded = make_clip(clip, norm)
    guarantee = Guarantee(
        kind="approx-dp",
        epsilon=epsilon,
        delta=delta,
        metric="discrete",
        covers="all",
        status="proven",
        source="Balle and Wang 2018, theorem 8",
        notes="Vectors are clipped before the noise; replacements are sought among clipped ones.",
    )
    return NoiseMechanism(
        "dx.Gaussian.v1",
        bounded.restrict(guarantee),
        partial(build, clip=bounded),
        partial(noise_distribution, clip=bounded),
        projection,
    )


def build(space: Space, guarantee: Guarantee, *, clip: Clip) -> Noise:
    centres, bound = clip(space.vectors)
    unit = analytic_sigma(guarantee.epsilon, guarantee.delta)
    sigma = unit * 2 * bound
    noise = NormalNoise(centres.shape[1], np.full(len(centres), sigma))
    if clip.shortens:
        guarantee = replace(guarantee, mu=1 / unit)
    return Noise(
        centres,
        noise,
        sigma,
        guarantee,
        delta=noise.delta,
        log_densities=noise.log_densities,
    )


def noise_distribution(space: Space, guarantee: Guarantee, *, clip: Clip) -> NoiseDistribution:
    centres, _ = clip(space.vectors)
    bound = clip.bound(space.vectors)
    return normal_distribution(centres, 2 * bound, guarantee)


def normal_distribution(
    centres: Floats2d, sensitivity: float, guarantee: Guarantee
) -> NoiseDistribution:
    """Return the least normal noise for centres (n, d) that are at most `sensitivity` apart."""
    from scipy.stats import chi

    sigma = sensitivity * analytic_sigma(guarantee.epsilon, guarantee.delta)
    return NoiseDistribution(centres, norms_of, chi(centres.shape[1], scale=sigma))


@dataclass(frozen=True, eq=False, repr=False)
class NormalNoise:
    """N(0, sigma^2 I) in d dimensions, with a sigma for each word, float64 (n,)."""

    d: int
    sigmas: Floats1d

    def __call__(self, rows: Ints1d, rng: Rng) -> Floats2d:
        Z = rng.normal((len(rows), self.d))
        Z *= self.sigmas[rows, None]
        return Z

    def delta(self, X: Floats2d, Y: Floats2d, outputs: Ints1d, epsilons: Floats2d) -> Floats2d:
        """Return the least delta, float64 (k, m), of centres X (k, d), Y (m, d) at epsilons (k, m),
        nats. The words of a covered pair have one sigma, that of the output."""
        return deltas(distances(X, Y), self.sigmas[outputs], epsilons)

    def log_densities(self, X: Floats2d, rows: Ints1d) -> LogDensities:
        """Return a function of vectors Z (k, d): ln of their densities about centres X (m, d) of
        words (m,), up to a constant, float32 (k, m). A word without noise is as far as rounding
        moves it."""
        sigmas = self.sigmas[rows]
        least = self.sigmas[self.sigmas > 0].min(initial=1.0) * 2.0**-10
        sigmas = np.maximum(sigmas, least)
        squares = squares_about(X)
        slopes = (-1 / (2 * np.square(sigmas))).astype(np.float32)
        constants = (self.d * np.log(sigmas)).astype(np.float32)

        def logs(Z: Floats2d) -> Floats2d:
            S = squares(Z)
            S *= slopes
            S -= constants
            return S

        return logs
