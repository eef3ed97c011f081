"""The privacy of Gaussian noise: its exact delta, and the least noise for an epsilon and delta."""

from __future__ import annotations

import numpy as np


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
