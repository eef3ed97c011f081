"""The law of known noise: a scale that is 1 % off shows here, and nowhere else in an audit.

The law follows from the promise and the space, not from what the mechanism says that it draws.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import Floats1d, Floats2d
from ..randomness import Rng
from ..space import Space
from ..ty import Draw
from .report import INCONCLUSIVE, NOT_REFUTED, REFUTED, Finding

Law = tuple[Callable[[Floats2d], Floats1d], Any]  # a radius of noise (k, d) -> (k,), and its law
RARE = 1e-7
WORDS = 4


def law(mechanism: Any, space: Space, draws: int, seed: int | None = None) -> Finding | None:
    """Kolmogorov and Smirnov's test of the radius of the noise against its law; None where the
    mechanism releases no vectors or its law is not known here."""
    known = LAWS.get(mechanism.name)
    built = getattr(mechanism, "_built", None)
    if known is None or built is None:
        return None
    start = time.perf_counter()
    rows = np.repeat(np.linspace(0, len(space) - 1, WORDS).astype(np.int64), draws // WORDS)
    draw: Draw = mechanism.sample(rows, Rng(seed))
    found = None if draw.vectors is None else known(mechanism, space)
    if draw.vectors is None or found is None:
        return None
    radius, expected = found
    R = radius(np.asarray(draw.vectors, dtype=np.float64) - built.centres[rows])
    return _finding(R, expected, len(rows), time.perf_counter() - start)


def _finding(R: Floats1d, expected: Any, draws: int, seconds: float) -> Finding:
    from scipy.stats import kstest

    p = kstest(R, expected.cdf).pvalue
    ratio = float(np.median(R) / expected.ppf(0.5))
    told = f"The radius of the noise is {ratio:.3f} times its law in the middle (KS p = {p:.2g})"
    if p >= RARE:
        return Finding("law", NOT_REFUTED, f"{told}.", draws=draws, seconds=seconds)
    if ratio < 1:
        what = f"{told}: there is less noise than the promise takes."
        return Finding("law", REFUTED, what, event="the radius", draws=draws, seconds=seconds)
    what = f"{told}: another law than the stated one, with more noise."
    return Finding("law", INCONCLUSIVE, what, draws=draws, seconds=seconds)


def _norm(Z: Floats2d) -> Floats1d:
    norms: Floats1d = np.linalg.norm(Z, axis=1)
    return norms


def _laplace(mechanism: Any, space: Space) -> Law:
    from scipy.stats import gamma

    d = space.vectors.shape[1]
    return _norm, gamma(d, scale=1 / mechanism.guarantee.epsilon)


def _random_projection(mechanism: Any, space: Space) -> Law:
    """The stretch is that of the released centres, over all pairs."""
    from scipy.stats import gamma

    from ..mechanisms.random_projection import stretch_of

    Y = mechanism._built.centres
    stretch, _ = stretch_of(space.vectors, Y, np.zeros((0, 0)))
    return _norm, gamma(Y.shape[1], scale=stretch / mechanism.guarantee.epsilon)


def _mahalanobis(mechanism: Any, space: Space) -> Law:
    from scipy.stats import gamma

    from ..mechanisms.mahalanobis import regularised_covariance

    lam = mechanism._build.keywords["lam"]
    values, axes = regularised_covariance(space.vectors, lam)
    inverse = axes / np.sqrt(values)
    law = gamma(space.vectors.shape[1], scale=1 / mechanism.guarantee.epsilon)
    return lambda Z: _norm(Z @ inverse), law


def _gaussian(mechanism: Any, space: Space) -> Law | None:
    from scipy.stats import chi

    from ..privacy.gaussian import analytic_sigma

    if "Balle" not in mechanism.guarantee.source:
        return None
    centres = mechanism._built.centres
    g = mechanism.guarantee
    clip = mechanism._build.keywords["clip"]
    bound = float(np.linalg.norm(space.vectors.astype(np.float64), axis=1).max())
    bound = bound if clip is None else clip
    return _norm, chi(centres.shape[1], scale=2 * bound * analytic_sigma(g.epsilon, g.delta))


def _nadp(mechanism: Any, space: Space) -> Law | None:
    from scipy.stats import chi

    from ..privacy.gaussian import analytic_sigma
    from ..search.metric import diameter

    if mechanism._build.keywords["noise"] != "global":
        return None
    g = mechanism.guarantee
    scale = diameter(space.vectors) * analytic_sigma(g.epsilon, g.delta)
    return _norm, chi(space.vectors.shape[1], scale=scale)


def _clipped_laplace(mechanism: Any, space: Space) -> Law:
    """The L1 norm of d independent Laplace coordinates is a Gamma."""
    from scipy.stats import gamma

    clip = mechanism._build.keywords["clip"]
    bound = float(np.linalg.norm(space.vectors.astype(np.float64), axis=1).max())
    bound = bound if clip is None else clip
    d = space.vectors.shape[1]
    scale = 2 * np.sqrt(d) * bound / mechanism.guarantee.epsilon
    return lambda Z: np.abs(Z).sum(axis=1), gamma(d, scale=scale)


LAWS: dict[str, Callable[[Any, Space], Law | None]] = {
    "dx.Laplace.v1": _laplace,
    "dx.Mahalanobis.v1": _mahalanobis,
    "dx.RandomProjection.v1": _random_projection,
    "dx.Gaussian.v1": _gaussian,
    "dx.NADP.v1": _nadp,
    "dx.ClippedLaplace.v1": _clipped_laplace,
}
