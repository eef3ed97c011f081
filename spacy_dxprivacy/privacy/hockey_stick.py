r"""What multivariate Laplace noise amounts to as (epsilon', delta).

Pure metric privacy is the worst case over outputs. In many dimensions the worst case hardly ever
comes up, so at a small delta the loss between two words is far below epsilon times their distance:
at 300 dimensions, epsilon 10 and distance 8, 30 nats at delta = 1e-6 and not 80.

With r ~ Gamma(n, 1/epsilon) the norm of the noise and c the cosine of its angle to the line between
the words, of density proportional to (1 - c^2)^((n-3)/2), the loss at distance D is
L = epsilon (sqrt(r^2 + 2 r c D + D^2) - r), and delta(epsilon') = E[(1 - exp(epsilon' - L))_+].
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..arrays import Floats1d, Floats2d

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
    r, norm_weights = _norms(dims)
    c, angle_weights = _cosines(dims)
    L = np.sqrt(r[:, None] ** 2 + 2 * r[:, None] * c * reach + reach**2) - r[:, None]
    return L, norm_weights[:, None] * angle_weights


def _norms(dims: int) -> tuple[Floats1d, Floats1d]:
    from scipy.stats import gamma

    law = gamma(dims)
    r = np.linspace(law.ppf(1e-12), law.isf(1e-12), NODES)
    weights = law.pdf(r)
    return r, weights / weights.sum()


def _cosines(dims: int) -> tuple[Floats1d, Floats1d]:
    if dims == 1:
        return np.array([-1.0, 1.0]), np.array([0.5, 0.5])
    angle = (np.arange(NODES) + 0.5) * np.pi / NODES
    weights = np.exp((dims - 2) * np.log(np.sin(angle)))
    return np.cos(angle), weights / weights.sum()
