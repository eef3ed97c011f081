r"""Gaussian noise of two strengths, by the density of the neighbourhood (dx.Jaccard.v1).

Density   f(z) = N(0, sigma_i^2 I), sigma_i = alpha_i Delta sqrt(2 ln(1.25 / delta)) / epsilon, with
          alpha = 1.835 for words in dense neighbourhoods and 1.276 for the others, and Delta the
          mean, over all words, of the distance to the farthest word
Guarantee refuted. The published proof composes over the two classes of words "in parallel", which
          holds for parts of a data set, not for what a word might have been; the strength of the
          noise reveals the class. Delta is a mean over words, not the largest distance.
Use       to study the paper
Paper     a baseline of Bollegala et al. 2023 (EACL), section 4 and appendix C.3
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ..arrays import Floats1d
from ..privacy.guarantee import Guarantee
from ..privacy.noise import classical_sigma
from ..registries import registry
from ..space import Space
from ..space.learned import once
from ..space.search.all_pairs import mean_farthest, nearest_of_all
from ..ty import Projection
from ..validate import between, positive, whole
from .gaussian import NormalNoise
from .noise import Noise, NoiseMechanism

DENSE, SPARSE = 1.835, 1.276


@registry.dx_mechanisms("dx.Jaccard.v1")
def make_jaccard(
    epsilon: float,
    delta: float = 1e-6,
    k: int = 10,
    eta: float | None = None,
    projection: Projection | None = None,
) -> NoiseMechanism:
    """Create Gaussian noise of two strengths.

    Args:
        epsilon: Nats, above 0.
        delta: Between 0 and 1.
        k: Number of nearest neighbours whose mean distance is the density.
        eta: Mean distance below which a neighbourhood is dense (6 in the paper); None is the
            median of the space.
        projection: From noisy vectors to words; dx.Nearest.v1 if None.
    """
    epsilon, delta = positive("epsilon", epsilon), between("delta", delta, 0.0, 1.0)
    k = whole("k", k, least=1)
    eta = None if eta is None else positive("eta", eta)
    guarantee = Guarantee(
        kind="approx-dp",
        epsilon=epsilon,
        delta=delta,
        metric="discrete",
        adjacency="claimed for all pairs; refuted for words of different density",
        covers="all",
        status="refuted",
        source="the baseline of Bollegala et al. 2023, section 4",
        notes="The strength of the noise distinguishes dense words from others.",
    )
    builder = partial(build, k=k, eta=eta)
    return NoiseMechanism("dx.Jaccard.v1", guarantee, builder, projection=projection)


def build(space: Space, guarantee: Guarantee, *, k: int, eta: float | None) -> Noise:
    X, d = space.vectors, space.vectors.shape[1]
    basis = f"dx.Jaccard.v1, mean largest distance, then the density of each word, k = {k}"

    def delta_and_densities() -> Floats1d:
        depth = min(k + 1, len(X))
        if depth == 1:
            return np.array([1.0, 0.0])
        density = nearest_of_all(X, depth)[1][:, 1:].mean(axis=1)
        return np.concatenate([[mean_farthest(X)], density])

    def are_distances(numbers: Floats1d) -> bool:
        return bool((np.isfinite(numbers) & (numbers >= 0)).all() and numbers[0] > 0)

    Delta, density = np.split(once(space, basis, delta_and_densities, are_distances), [1])
    threshold = float(np.median(density)) if eta is None else eta
    unit = classical_sigma(guarantee.epsilon, guarantee.delta)
    sigmas = np.where(density < threshold, DENSE, SPARSE) * unit * Delta
    notes = (
        f"{guarantee.notes} In these {d} dimensions, delta between the two is "
        f"{delta_between_strengths(guarantee.epsilon, d):.3g} or more."
    )
    noise = NormalNoise(d, sigmas)
    return Noise(
        X,
        noise,
        float(sigmas.min()),
        replace(guarantee, notes=notes),
        log_densities=noise.log_densities,
    )


def delta_between_strengths(epsilon: float, d: int) -> float:
    """Return the least delta, at epsilon, of N(0, SPARSE^2 I) against N(0, DENSE^2 I) in d
    dimensions: of two words at one point. Norms below a radius are likelier under the first."""
    from scipy.stats import chi2

    square = 2 * (d * np.log(DENSE / SPARSE) - epsilon) / (SPARSE**-2 - DENSE**-2)
    if square <= 0:
        return 0.0
    dense, sparse = chi2.cdf(square / DENSE**2, d), chi2.cdf(square / SPARSE**2, d)
    return max(0.0, float(sparse - np.exp(epsilon) * dense))
