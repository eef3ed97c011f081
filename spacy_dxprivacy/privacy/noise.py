"""How strong noise, or a choice, has to be for a promise; and what Laplace noise amounts to.

Pure metric privacy is the worst case over outputs. In many dimensions the worst case hardly ever
comes up, so at a small delta the loss between two words is far below epsilon times their distance:
at 300 dimensions, epsilon 10 and distance 8, 30 nats at delta = 1e-6 and not 80.

With r ~ Gamma(n, 1/epsilon) the norm of the noise and c the cosine of its angle to the line between
the words, of density proportional to (1 - c^2)^((n-3)/2), the loss at distance D is
L = epsilon (sqrt(r^2 + 2 r c D + D^2) - r), and delta(epsilon') = E[(1 - exp(epsilon' - L))_+].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints1d
from .randomness import Rng

# -- what Laplace noise amounts to as (epsilon, delta) ---------------------------------------------


NODES = 1200
FAR = 1e6  # nats; the pure loss is a bound, and nobody asks for more digits of such


# A second of work, which every pipeline of the same noise and space would do again.
@lru_cache(maxsize=1024)
def laplace_epsilon(epsilon: float, distance: float, dims: int, delta: float = 1e-6) -> float:
    """The least epsilon' (nats) with (epsilon', delta) for two words at this distance under Laplace
    noise of `epsilon` in `dims` dimensions; epsilon times distance at most, within 1e-3."""
    from scipy.optimize import brentq

    pure = epsilon * distance
    if pure > FAR:
        return pure
    L, weights = _loss(epsilon * distance, dims)

    def excess(candidate: float) -> float:
        return float(np.sum(weights * -np.expm1(np.minimum(candidate - L, 0.0)))) - delta

    if pure == 0 or excess(0.0) <= 0:
        return 0.0
    # Beyond the greatest node there is no loss, and at it no more than delta is left.
    return float(min(pure, brentq(excess, 0.0, pure, xtol=1e-6)))


def _loss(reach: float, dims: int) -> tuple[Floats2d, Floats2d]:
    """L and its weights on a grid of norms and angles, in units of 1/epsilon."""
    from scipy.stats import gamma

    norm = gamma(dims)
    r = np.linspace(norm.ppf(1e-12), norm.isf(1e-12), NODES)
    norm_weights = norm.pdf(r)
    norm_weights /= norm_weights.sum()
    c, angle_weights = _cosines(dims)
    L = np.sqrt(r[:, None] ** 2 + 2 * r[:, None] * c * reach + reach**2) - r[:, None]
    return L, norm_weights[:, None] * angle_weights


def _cosines(dims: int) -> tuple[Floats1d, Floats1d]:
    if dims == 1:
        return np.array([-1.0, 1.0]), np.array([0.5, 0.5])
    angle = (np.arange(NODES) + 0.5) * np.pi / NODES
    weights = np.exp((dims - 2) * np.log(np.sin(angle)))
    return np.cos(angle), weights / weights.sum()


# -- Laplace noise ---------------------------------------------------------------------------------


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


# -- Gaussian noise --------------------------------------------------------------------------------


def log_delta(epsilon: float, mu: float) -> float:
    """ln of the least delta of two unit normals mu apart: Balle and Wang 2018, theorem 8, in a form
    that keeps its digits down to delta = 4^-300."""
    from scipy.special import erfcx, log_ndtr

    t = epsilon / mu
    a = float(log_ndtr(mu / 2 - t))
    if a == -np.inf:
        return a
    ratio = epsilon + float(log_ndtr(-mu / 2 - t)) - a
    if ratio > -1e-4:
        # The digits of the difference are gone. Its first term has the normal hazard less t, which
        # is below 1/t.
        hazard = np.sqrt(2 / np.pi) / float(erfcx(t / np.sqrt(2)))
        ratio = -mu * (hazard - t if t < 1e4 else 1 / t)
    return float(a + np.log(-np.expm1(ratio)))


def deltas(D: Floats2d, sigmas: Floats1d, epsilons: Floats2d) -> Floats2d:
    """float64 (k, m): the same for normals D (k, m) apart, of the strengths (m,), at epsilons
    (k, m), nats; to 1e-13 or so. Where the strength is 0, nothing hides a distance."""
    from scipy.special import log_ndtr

    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        mu = np.where(D > 0, D, 0) / sigmas
        a = log_ndtr(mu / 2 - epsilons / mu)
        b = epsilons + log_ndtr(-mu / 2 - epsilons / mu)
        delta = np.exp(a) - np.exp(np.minimum(b, 700))
    found: Floats2d = np.where(np.isnan(delta), np.where(D > 0, 1.0, 0.0), delta)
    return found


def analytic_sigma(epsilon: float, delta: float) -> float:
    """The least sigma for sensitivity 1. (NADP calls it u*.)"""
    from scipy.optimize import brentq

    def excess(log_sigma: float) -> float:
        return log_delta(epsilon, float(np.exp(-log_sigma))) - float(np.log(delta))

    low, high = -1.0, 1.0
    while excess(low) < 0:
        low *= 2
    while excess(high) > 0:
        high *= 2
    return float(np.exp(brentq(excess, low, high, xtol=1e-14, rtol=1e-14)))


def classical_sigma(epsilon: float, delta: float) -> float:
    """sqrt(2 ln(1.25 / delta)) / epsilon, for sensitivity 1 and epsilon below 1."""
    return float(np.sqrt(2 * np.log(1.25 / delta)) / epsilon)


# -- an exact choice -------------------------------------------------------------------------------


def solved_beta(exact: Callable[[float], float], epsilon: float) -> float:
    """exact: beta -> the least epsilon of exp(-beta distance), from beta to 2 beta. The beta in
    [epsilon/2, epsilon] of which that is epsilon, within 1e-4 and below."""
    from scipy.optimize import brentq

    def excess(beta: float) -> float:
        return exact(beta) / epsilon - 1 + 5e-5

    if excess(epsilon) <= 0:
        return epsilon
    if excess(epsilon / 2) >= 0:
        return epsilon / 2
    root: float = brentq(excess, epsilon / 2, epsilon, xtol=epsilon * 1e-5)
    # The root may lie on the far side by its tolerance; half of the promise always holds.
    return root if exact(root) <= epsilon else epsilon / 2
