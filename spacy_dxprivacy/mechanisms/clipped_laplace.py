r"""Independent Laplace noise on clipped vectors (dx.ClippedLaplace.v1).

Density   f(z) = prod_i exp(-|z_i| / b) / 2b, b = 2 sqrt(d) C / epsilon, on vectors clipped to norm
          C: the L1 distance of any two is at most 2 sqrt(d) C
Guarantee epsilon for all pairs of words (approx-dp with delta = 0)
Use       as a baseline; dx.Laplace.v1 at epsilon / 2C has the same guarantee with sqrt(2) times
          less noise
Paper     Dwork, McSherry, Nissim, Smith 2006, theorem 1; the baseline of Huang et al. 2024
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints1d
from ..privacy.guarantee import Guarantee
from ..privacy.randomness import Rng
from ..registries import registry
from ..space import Space
from ..space.search.faiss_index import l1_distances
from ..ty import LogDensities, NoiseDistribution, Projection
from ..validate import positive
from .noise import Clip, Noise, NoiseMechanism, make_clip


@registry.dx_mechanisms("dx.ClippedLaplace.v1")
def make_clipped_laplace(
    epsilon: float,
    clip: float | str | None = None,
    norm: float | None = None,
    projection: Projection | None = None,
) -> NoiseMechanism:
    """Create independent Laplace noise on clipped vectors.

    Args:
        epsilon: Nats, above 0.
        clip: Norm to which longer vectors are shortened; None is the largest of the space.
            "none" shortens nothing, and refutes the guarantee.
        norm: With clip "none" alone: the norm C that the noise is calibrated to, above 0.
        projection: From noisy vectors to words; dx.Nearest.v1 if None.
    """
    epsilon = positive("epsilon", epsilon)
    bounded = make_clip(clip, norm)
    guarantee = Guarantee(
        kind="approx-dp",
        epsilon=epsilon,
        metric="discrete",
        covers="all",
        status="proven",
        source="Dwork et al. 2006, the Laplace mechanism, with L1 sensitivity 2 sqrt(d) clip",
        notes="Vectors are clipped before the noise; replacements are sought among clipped ones.",
    )
    return NoiseMechanism(
        "dx.ClippedLaplace.v1",
        bounded.restrict(guarantee),
        partial(build, clip=bounded),
        partial(noise_distribution, clip=bounded),
        projection,
    )


def build(space: Space, guarantee: Guarantee, *, clip: Clip) -> Noise:
    epsilon = guarantee.epsilon
    centres, bound = clip(space.vectors)
    d = centres.shape[1]
    scale = float(2 * np.sqrt(d) * bound / epsilon)

    def draw(rows: Ints1d, rng: Rng) -> Floats2d:
        Z = rng.laplace((len(rows), d))
        Z *= scale
        return Z

    def loss(X: Floats2d, Y: Floats2d) -> Floats2d:
        from scipy.spatial.distance import cdist

        losses: Floats2d = cdist(X, Y, "cityblock") / scale
        return losses

    def log_densities(Y: Floats2d, rows: Ints1d) -> LogDensities:
        return lambda Z: l1_distances(Z, Y, factor=-1 / scale)

    return Noise(
        centres,
        draw,
        scale * np.sqrt(2),
        guarantee,
        loss=loss,
        log_densities=log_densities,
    )


def noise_distribution(space: Space, guarantee: Guarantee, *, clip: Clip) -> NoiseDistribution:
    """Return the noise distribution: the L1 norm of d Laplace coordinates is Gamma."""
    from scipy.stats import gamma

    centres, _ = clip(space.vectors)
    bound = clip.bound(space.vectors)
    d = space.vectors.shape[1]
    scale = 2 * np.sqrt(d) * bound / guarantee.epsilon
    return NoiseDistribution(centres, _l1_norms, gamma(d, scale=scale))


def _l1_norms(Z: Floats2d) -> Floats1d:
    norms: Floats1d = np.abs(Z).sum(axis=1)
    return norms
