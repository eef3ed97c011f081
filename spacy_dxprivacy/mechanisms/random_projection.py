r"""Laplace noise in a space of fewer dimensions (dx.RandomProjection.v1).

Density   f(z) = c exp(-(epsilon / L) ||z||), added to Phi x, with Phi a public random matrix (m, d)
          of N(0, 1/m) and L the largest factor by which it stretches a distance
Guarantee epsilon nats per unit of Euclidean distance of the space, for all pairs (metric-dp). L is
          computed on the space, where the paper bounds it with high probability
Use       where the space has hundreds of dimensions and Laplace noise in it is too strong
Paper     Feyisetan, Kasiviswanathan 2021 (TrustNLP)
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ..arrays import Floats2d, blocks
from ..privacy.guarantee import Guarantee
from ..privacy.noise import LaplaceNoise
from ..registries import registry
from ..space import Space
from ..space.learned import shared
from ..space.search.exact import NUMBERS_AT_ONCE, distances, euclidean
from ..ty import NoiseDistribution, Projection
from ..validate import positive, whole
from .noise import Noise, NoiseMechanism, norms_of

PUBLIC_SEED = 20210728  # Phi is public and fixed; another one would be another mechanism
ALL_PAIRS_UP_TO = 20_000


@registry.dx_mechanisms("dx.RandomProjection.v1")
def make_random_projection(
    epsilon: float, dims: int = 50, projection: Projection | None = None
) -> NoiseMechanism:
    """Create Laplace noise on projected vectors.

    Args:
        epsilon: Nats per unit of Euclidean distance of the space, above 0.
        dims: Dimensions of the noisy vectors, 1 or more.
        projection: From noisy vectors to words, among the projected ones; dx.Nearest.v1 if None.
    """
    epsilon, dims = positive("epsilon", epsilon), whole("dims", dims, least=1)
    guarantee = Guarantee(
        kind="metric-dp",
        epsilon=epsilon,
        metric="euclidean",
        covers="all",
        status="computed",
        source="Feyisetan and Kasiviswanathan 2021, with the exact Lipschitz constant",
    )
    return NoiseMechanism(
        "dx.RandomProjection.v1",
        guarantee,
        partial(build, dims=dims),
        partial(noise_distribution, dims=dims),
        projection,
    )


def build(space: Space, guarantee: Guarantee, *, dims: int) -> Noise:
    epsilon = guarantee.epsilon
    X = space.vectors

    def make() -> tuple[Floats2d, float, str]:
        Y, Phi = projected(X, dims)
        return Y, *stretch_of(X, Y, Phi)

    key = ("dx.RandomProjection.v1", dims, ALL_PAIRS_UP_TO)
    Y, stretch, method = shared(space, key, make)
    noise = LaplaceNoise(dims, epsilon / stretch)
    notes = f"The projection stretches distances {stretch:.6g} times at most ({method})."
    metric = partial(euclidean, X)
    guarantee = replace(guarantee, notes=notes)
    return Noise(
        Y,
        noise,
        noise.spread,
        guarantee,
        metric,
        loss=noise.loss,
        log_densities=noise.log_densities,
    )


def noise_distribution(space: Space, guarantee: Guarantee, *, dims: int) -> NoiseDistribution:
    from scipy.stats import gamma

    Y, Phi = projected(space.vectors, dims)
    stretch, _ = stretch_of(space.vectors, Y, Phi)
    return NoiseDistribution(Y, norms_of, gamma(dims, scale=stretch / guarantee.epsilon))


def projected(X: Floats2d, dims: int) -> tuple[Floats2d, Floats2d]:
    """Return X Phi, float64 (n, dims), and Phi, float64 (d, dims), for X (n, d)."""
    # The seed is public: this matrix is no secret, and has to be the same everywhere.
    public = np.random.Generator(np.random.PCG64(PUBLIC_SEED))
    Phi = public.standard_normal((X.shape[1], dims)) / np.sqrt(dims)
    # Equal rows have to stay equal, to the last bit that a matrix product may round otherwise.
    _, first, inverse = np.unique(X, axis=0, return_index=True, return_inverse=True)
    return (X @ Phi)[first][inverse.reshape(-1)], Phi


def stretch_of(X: Floats2d, Y: Floats2d, Phi: Floats2d) -> tuple[float, str]:
    """Return the largest ratio of a distance in Y to that in X, and how it was computed: over all
    pairs, or, for many rows, by the norm of Phi, which bounds it. Both leave room for rounding."""
    if len(X) > ALL_PAIRS_UP_TO:
        norm = float(np.linalg.norm(Phi, 2))
        error = len(Phi) * 2.0**-52 * np.linalg.norm(Phi) * np.linalg.norm(X, axis=1).max()
        # Only words so near that the rounding of Y exceeds 2^-10 of their distance can exceed this.
        nearest = stretch_of_near(X, Y, width=2**12 * float(error))
        return max(norm * (1 + 2.0**-10), nearest), "the norm of the matrix"
    largest = 0.0
    for part in blocks(len(X), max(1, NUMBERS_AT_ONCE // len(X))):
        rest = slice(part.start, None)  # each pair once
        D, stretched = distances(X[part], X[rest]), distances(Y[part], Y[rest])
        ratio = np.divide(stretched, D, out=np.zeros_like(D), where=D > 0)
        largest = max(largest, float(ratio.max()))
    return (largest or 1.0) * (1 + 2.0**-20), "the most over all pairs of words"


def stretch_of_near(X: Floats2d, Y: Floats2d, *, width: float) -> float:
    """Return the largest ratio over pairs whose first coordinates of Y differ by at most width."""
    order = np.argsort(Y[:, 0])
    largest = 0.0
    for step in range(1, len(X)):
        i, j = order[:-step], order[step:]
        close = Y[j, 0] - Y[i, 0] <= width
        if not close.any():
            break
        i, j = i[close], j[close]
        before = np.linalg.norm(X[i].astype(np.float64) - X[j], axis=1)
        after = np.linalg.norm(Y[i] - Y[j], axis=1)
        ratio = np.divide(after, before, out=np.zeros_like(after), where=before > 0)
        largest = max(largest, float(ratio.max()))
    return largest
