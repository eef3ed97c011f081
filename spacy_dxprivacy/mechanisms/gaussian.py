r"""Gaussian noise on clipped vectors (dx.Gaussian.v1).

Density   f(z) = N(0, sigma^2 I), on vectors clipped to norm C, so any two are 2C apart at most
Guarantee (epsilon, delta) for all pairs of words (approx-dp)
Use       for vectors under an (epsilon, delta) guarantee that adds up well over many words
Papers    Balle, Wang 2018 (arXiv 1805.06530), theorem 8 ("analytic"); Dwork, Roth 2014, theorem A.1
          ("classical", for epsilon < 1 alone: beyond it the formula fails)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..guarantee import Guarantee
from ..randomness import Rng
from ..registries import registry
from ..space import Space
from ..ty import Floats2d, Ints1d, Projection
from ..validate import between, fail, one_of, positive
from .base.noise import Noise, NoiseMechanism, clipped


@registry.dx_mechanisms("dx.Gaussian.v1")
def make_gaussian(
    epsilon: float,
    delta: float = 1e-6,
    clip: float | None = None,
    calibration: str = "analytic",
    projection: Projection | None = None,
) -> NoiseMechanism:
    """epsilon: nats, above 0. delta: between 0 and 1. clip: the largest norm of a vector, longer
    ones are shortened to it; None takes the largest of the space. calibration: "analytic" (the
    least noise that there is) or "classical" (epsilon below 1). projection: dx.Nearest.v1 if None.
    """
    epsilon, delta = positive("epsilon", epsilon), between("delta", delta, 0.0, 1.0)
    clip = None if clip is None else positive("clip", clip)
    one_of("calibration", calibration, tuple(SIGMAS))
    if calibration == "classical" and epsilon >= 1:
        raise fail("epsilon", 'below 1 with calibration = "classical", which fails beyond', epsilon)
    guarantee = Guarantee(
        kind="approx-dp",
        epsilon=epsilon,
        delta=delta,
        metric="discrete",
        adjacency="all pairs of words of the space",
        status="proven",
        source={
            "analytic": "Balle and Wang 2018, theorem 8",
            "classical": "Dwork and Roth 2014, theorem A.1",
        }[calibration],
        notes="Vectors are clipped before the noise; replacements are sought among clipped ones.",
    )
    unit = SIGMAS[calibration](epsilon, delta)
    return NoiseMechanism(
        "dx.Gaussian.v1", guarantee, partial(_build, unit=unit, clip=clip), projection
    )


def _build(space: Space, guarantee: Guarantee, *, unit: float, clip: float | None) -> Noise:
    centres, bound = clipped(space.vectors, clip)
    sigma = unit * 2 * bound
    noise = IsotropicNormal(centres.shape[1], sigma)
    return Noise(centres, noise, sigma, replace(guarantee, mu=1 / unit))


@dataclass(frozen=True)
class IsotropicNormal:
    """N(0, sigma^2 I) in d dimensions."""

    d: int
    sigma: float

    def __call__(self, rows: Ints1d, rng: Rng) -> Floats2d:
        return rng.normal((len(rows), self.d)) * self.sigma


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


SIGMAS = {"analytic": analytic_sigma, "classical": classical_sigma}
