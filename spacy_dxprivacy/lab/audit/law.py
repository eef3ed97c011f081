"""The law of known noise: a scale that is 1 % off shows here, and nowhere else in an audit.

A mechanism states its law beside its density (ty.StatesLaw): from its promise, its settings and the
space, and not from the code that draws, whose mistakes would then be in both.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ...arrays import Floats1d
from ...randomness import Rng
from ...space import Space
from ...ty import Mechanism, StatesLaw
from .report import INCONCLUSIVE, NOT_REFUTED, REFUTED, Finding

RARE = 1e-7
WORDS = 4


def law(mechanism: Mechanism, space: Space, draws: int, seed: int | None = None) -> Finding | None:
    """Kolmogorov and Smirnov's test of the radius of the noise against its law; None where the
    mechanism releases no vectors or states no law. mechanism: fitted on the space."""
    stated = mechanism.law() if isinstance(mechanism, StatesLaw) else None
    if stated is None:
        return None
    start = time.perf_counter()
    rows = np.repeat(np.linspace(0, len(space) - 1, WORDS).astype(np.int64), draws // WORDS)
    draw = mechanism.sample(rows, Rng(seed))
    if draw.vectors is None:
        return None
    R = stated.radius(np.asarray(draw.vectors, dtype=np.float64) - stated.centres[rows])
    return _finding(R, stated.law, len(rows), time.perf_counter() - start)


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
