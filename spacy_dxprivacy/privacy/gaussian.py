"""The privacy of Gaussian noise: its exact delta, and the least noise for an epsilon and delta."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats1d, Floats2d


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
