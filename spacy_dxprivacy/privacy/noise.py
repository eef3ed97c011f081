"""Noise calibrated to a guarantee, and the (epsilon, delta) guarantee of Laplace noise.

Pure metric privacy is the worst case over outputs. In many dimensions the worst case is rare, so at
a small delta the loss between two words is far below epsilon times their distance: at 300
dimensions, epsilon 10 and distance 8, it is 30 nats at delta = 1e-6, not 80.

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

# -- Laplace noise ---------------------------------------------------------------------------------


# It takes a second, and every pipeline of the same noise and space needs it.
@lru_cache(maxsize=1024)
def laplace_epsilon(epsilon: float, distance: float, dims: int, delta: float = 1e-6) -> float:
    """Return the least epsilon' (nats, within 1e-3) at delta for two words at a distance."""
    from scipy.optimize import brentq
    from scipy.stats import gamma

    pure = epsilon * distance
    if pure == 0 or pure > 1e6:
        return pure  # a valid bound, and so large that its digits do not matter
    # The loss on a grid of norms and angles, in units of 1/epsilon.
    nodes = 1200
    norm = gamma(dims)
    r = np.linspace(norm.ppf(1e-12), norm.isf(1e-12), nodes)
    norm_weights = norm.pdf(r)
    norm_weights /= norm_weights.sum()
    if dims == 1:
        c, angle_weights = np.array([-1.0, 1.0]), np.array([0.5, 0.5])
    else:
        angle = (np.arange(nodes) + 0.5) * np.pi / nodes
        angle_weights = np.exp((dims - 2) * np.log(np.sin(angle)))
        c, angle_weights = np.cos(angle), angle_weights / angle_weights.sum()
    L = np.sqrt(r[:, None] ** 2 + 2 * r[:, None] * c * pure + pure**2) - r[:, None]
    weights = norm_weights[:, None] * angle_weights

    def excess(candidate: float) -> float:
        return float(np.sum(weights * -np.expm1(np.minimum(candidate - L, 0.0)))) - delta

    if excess(0.0) <= 0:
        return 0.0
    # No node has a larger loss than the pure one.
    return float(min(pure, brentq(excess, 0.0, pure, xtol=1e-6)))


@dataclass(frozen=True)
class LaplaceNoise:
    """Density proportional to exp(-epsilon ||z||) in d dimensions."""

    d: int
    epsilon: float

    def __call__(self, rows: Ints1d, rng: Rng) -> Floats2d:
        return laplace_noise(len(rows), self.d, rng, epsilon=self.epsilon)

    def loss(self, X: Floats2d, Y: Floats2d) -> Floats2d:
        """Return the privacy loss between centres X (k, d) and Y (m, d), nats, float64 (k, m)."""
        from scipy.spatial.distance import cdist

        losses: Floats2d = self.epsilon * cdist(X, Y)
        return losses

    def log_densities(self, X: Floats2d, rows: Ints1d) -> Callable[[Floats2d], Floats2d]:
        """Return a function of vectors Z (k, d): ln of their densities about centres X (m, d), up
        to a constant, float32 (k, m)."""
        squares = squares_about(X)

        def logs(Z: Floats2d) -> Floats2d:
            S = squares(Z)
            np.sqrt(S, out=S)
            S *= -np.float32(self.epsilon)
            return S

        return logs

    def approximate(self, distance: float) -> float:
        """Return the epsilon at delta = 1e-6 of two words at this distance."""
        return laplace_epsilon(self.epsilon, distance, self.d)

    @property
    def spread(self) -> float:
        """Standard deviation of a coordinate; the covariance is (d + 1)/epsilon^2 I."""
        return float(np.sqrt(self.d + 1) / self.epsilon)


def squares_about(X: Floats2d) -> Callable[[Floats2d], Floats2d]:
    """Return a function of vectors Z (k, d): their squared distances to centres X (m, d), float32
    (k, m). It is ten times as fast as distances whose digits for near vectors matter."""
    mean = X.mean(axis=0)
    # Around their mean, so that float32 keeps more digits of the differences.
    table = np.ascontiguousarray((X - mean).T, dtype=np.float32)
    lengths = np.einsum("dm,dm->m", table, table)
    table *= -2

    def squares(Z: Floats2d) -> Floats2d:
        Z = (Z - mean).astype(np.float32)
        S: Floats2d = Z @ table
        S += lengths
        S += np.einsum("kd,kd->k", Z, Z)[:, None]
        # np.maximum with a number takes four times as long.
        return np.clip(S, 0, np.inf, out=S)

    return squares


def laplace_noise(k: int, d: int, rng: Rng, *, epsilon: float) -> Floats2d:
    """Sample noise, float64 (k, d), of density proportional to exp(-epsilon ||z||).

    z = sqrt(V) g with V ~ Gamma((d + 1)/2, 2/epsilon^2) and g standard normal: the normal scale
    mixture with this V has the characteristic function (1 + ||t||^2/epsilon^2)^(-(d+1)/2).
    """
    Z = rng.normal((k, d))
    Z *= np.sqrt(rng.gamma((d + 1) / 2, 2.0, k))[:, None] / epsilon
    return Z


# -- Gaussian noise --------------------------------------------------------------------------------


def log_delta(epsilon: float, mu: float) -> float:
    """Return ln of the least delta at epsilon of two unit normals mu apart.

    Balle and Wang 2018, theorem 8, in a form that is accurate down to delta = 4^-300.
    """
    from scipy.special import erfcx, log_ndtr

    t = epsilon / mu
    a = float(log_ndtr(mu / 2 - t))
    if a == -np.inf:
        return a
    ratio = epsilon + float(log_ndtr(-mu / 2 - t)) - a
    if ratio > -1e-4:
        # The difference has lost its digits. Its first term has the normal hazard less t, below
        # 1/t.
        hazard = np.sqrt(2 / np.pi) / float(erfcx(t / np.sqrt(2)))
        ratio = -mu * (hazard - t if t < 1e4 else 1 / t)
    return float(a + np.log(-np.expm1(ratio)))


def deltas(D: Floats2d, sigmas: Floats1d, epsilons: Floats2d) -> Floats2d:
    """Return the least deltas (k, m), to 1e-13 or so, of normals at distances D (k, m).

    sigmas: (m,); a sigma of 0 gives delta 1 at any distance above 0. epsilons: nats, (k, m).
    """
    from scipy.special import log_ndtr

    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        mu = np.where(D > 0, D, 0) / sigmas
        a = log_ndtr(mu / 2 - epsilons / mu)
        b = epsilons + log_ndtr(-mu / 2 - epsilons / mu)
        delta = np.exp(a) - np.exp(np.minimum(b, 700))
    least: Floats2d = np.where(np.isnan(delta), np.where(D > 0, 1.0, 0.0), delta)
    return least


def analytic_sigma(epsilon: float, delta: float) -> float:
    """Return the least sigma of Gaussian noise for sensitivity 1 (u* in the paper on NADP)."""
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
    """Return sqrt(2 ln(1.25 / delta)) / epsilon, for sensitivity 1 and epsilon below 1."""
    return float(np.sqrt(2 * np.log(1.25 / delta)) / epsilon)


def solved_beta(exact: Callable[[float], float], epsilon: float) -> float:
    """Solve exact(beta) = epsilon for beta in [epsilon/2, epsilon], within 1e-4 and from below.

    exact: returns the least epsilon of exp(-beta distance), from beta to 2 beta.
    """
    from scipy.optimize import brentq

    def excess(beta: float) -> float:
        return exact(beta) / epsilon - 1 + 5e-5

    if excess(epsilon) <= 0:
        return epsilon
    if excess(epsilon / 2) >= 0:
        return epsilon / 2
    root: float = brentq(excess, epsilon / 2, epsilon, xtol=epsilon * 1e-5)
    # The root may be too large by its tolerance; half of epsilon always holds.
    return root if exact(root) <= epsilon else epsilon / 2
