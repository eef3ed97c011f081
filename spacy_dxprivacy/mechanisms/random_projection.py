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

from ..arrays import Floats1d, Floats2d, Ints1d, blocks
from ..privacy.guarantee import Guarantee
from ..privacy.noise import LaplaceNoise
from ..registries import registry
from ..space import Space
from ..space.learned import shared
from ..space.search.exact import distances, euclidean
from ..ty import NoiseDistribution, Projection
from ..validate import positive, whole
from .noise import Noise, NoiseMechanism, norms_of

PUBLIC_SEED = 20210728  # Phi is public and fixed; another one would be another mechanism
ALL_PAIRS_UP_TO = 20_000
RATIOS_AT_ONCE = 2**21  # float32: 8 MB
FEW_OF = 32  # a share of the pairs, up to which their differences take less time than products
MAX_FACTOR = 1e30  # that float32 can multiply


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
    return (largest_stretch(X, Y) or 1.0) * (1 + 2.0**-20), "the most over all pairs of words"


def largest_stretch(X: Floats2d, Y: Floats2d) -> float:
    """Return the largest ratio of a distance in Y to that in X, by differences in float64; of most
    pairs, a product in float32 shows that the ratio is not the largest.

    With s the largest ratio so far, s^2 ||x - x'||^2 - ||y - y'||^2 is not below 0 for these.
    """
    n, columns = len(X), X.shape[1] + Y.shape[1]
    (A, reach), (B, stretched) = _scaled(X), _scaled(Y)
    squares = np.square(A).sum(axis=1), np.square(B).sum(axis=1)
    table = np.concatenate([A.T, B.T, np.ones((2, n))]).astype(np.float32)
    largest = float(_stretches(X, Y, np.arange(n - 1), np.arange(1, n)).max(initial=0.0))
    for part in blocks(n, max(1, RATIOS_AT_ONCE // n)):
        factor = min((largest * reach / stretched) ** 2, MAX_FACTOR)
        sums = factor * squares[0] - squares[1]
        table[-1] = sums
        rows = [-2 * factor * A[part], 2 * B[part], sums[part, None], np.ones((len(A[part]), 1))]
        left = np.concatenate(rows, axis=1).astype(np.float32) @ table[:, part.start :]
        rounding = 4 * (columns + 16) * 2.0**-24 * (1 + factor)
        may_exceed = left < np.float32(rounding)
        if np.count_nonzero(may_exceed) * FEW_OF > left.size:  # all rows but some are very near
            rest = slice(part.start, None)
            ratios = _ratios(distances(Y[part], Y[rest]), distances(X[part], X[rest]))
        else:
            i, j = np.nonzero(may_exceed)
            ratios = _stretches(X, Y, part.start + i, part.start + j)
        largest = max(largest, float(ratios.max(initial=0.0)))
    return largest


def _scaled(X: Floats2d) -> tuple[Floats2d, float]:
    """Return the rows about their mean over the largest norm, float64 (n, d), and that norm."""
    centred = X - X.mean(axis=0, dtype=np.float64)
    reach = float(norms_of(centred).max()) or 1.0
    return centred / reach, reach


def _stretches(X: Floats2d, Y: Floats2d, i: Ints1d, j: Ints1d) -> Floats1d:
    """Return the ratio of the distance in Y to that in X of pairs of rows (k,); 0 for equal rows
    of X."""
    return _ratios(norms_of(Y[i] - Y[j]), norms_of(X[i].astype(np.float64) - X[j]))


def _ratios(after: Floats2d, before: Floats2d) -> Floats2d:
    return np.divide(after, before, out=np.zeros_like(after), where=before > 0)


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
        largest = max(largest, float(_stretches(X, Y, i, j).max()))
    return largest
