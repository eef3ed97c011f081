r"""The truncated Gumbel mechanism (dx.TruncatedGumbel.v1), as published. It has no guarantee.

Draw      k from a Poisson distribution of mean ln(n - 1), 1 to n - 1; among the k + 1 words nearest
          to w, w among them, the one of least distance plus Gumbel noise of scale b, truncated to
          [-D_max, D_max]; a = (epsilon - 2 (1 + ln n) / D_min) / 3 and
          b = 2 D_max / min(W(2 a D_max), ln(a D_min)), W Lambert's function
Guarantee none: the input word determines the candidates, so it determines the possible outputs. On
          GloVe vectors delta was .93 for a random pair; the paper claims a pure guarantee
Use       to study the paper
Paper     Xu et al. 2021, "Density-aware differentially private textual perturbations using
          truncated Gumbel noise"
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints1d
from ..errors import DxError, Errors
from ..privacy.guarantee import Guarantee
from ..privacy.randomness import Rng
from ..registries import registry
from ..space import Space
from ..space.search.all_pairs import diameter, nearest_of_all
from ..space.search.exact import neighbours
from ..ty import Draw
from ..validate import positive
from .built import BuiltMechanism

NAME = "dx.TruncatedGumbel.v1"


@registry.dx_mechanisms(NAME)
def make_truncated_gumbel(epsilon: float) -> TruncatedGumbel:
    """Create the truncated Gumbel mechanism, as published.

    Its fit raises DxError if epsilon is too small for the nearest pair of words: then the formulas
    have no solution.

    Args:
        epsilon: Nats per unit of Euclidean distance, above 0.
    """
    guarantee = Guarantee(
        "none",
        status="refuted",
        source="Xu et al. 2021",
        notes="Which words can come out depends on the word that went in.",
    )
    return TruncatedGumbel(NAME, guarantee, partial(build, epsilon=positive("epsilon", epsilon)))


def build(space: Space, guarantee: Guarantee, *, epsilon: float) -> GumbelNoise:
    nearest, farthest = extent(space.vectors)
    scale = gumbel_scale(epsilon, len(space), nearest, farthest)
    return GumbelNoise(farthest, scale, guarantee)


@dataclass(frozen=True, eq=False, repr=False)
class GumbelNoise:
    farthest: float
    scale: float
    guarantee: Guarantee


class TruncatedGumbel(BuiltMechanism[GumbelNoise]):
    """Choose the nearest of a few candidates after noise on their distances."""

    def _sample(self, rows: Ints1d, rng: Rng) -> Draw:
        X, farthest, scale = self.space.vectors, self.built.farthest, self.built.scale
        counts = poisson(float(np.log(max(len(X) - 1, 1))), len(X) - 1, rng.uniform(len(rows)))
        drawn = rows.copy()
        for count in np.unique(counts[counts > 0]):
            places = np.flatnonzero(counts == count)
            candidates, D = neighbours(X[rows[places]], X, int(count) + 1)
            noise = truncated_gumbel(rng.uniform(D.size), scale, farthest).reshape(D.shape)
            best = np.argmin(D + noise, axis=1)
            drawn[places] = candidates[np.arange(len(places)), best]
        return Draw(drawn)


def extent(X: Floats2d) -> tuple[float, float]:
    """Return the least distance above 0 and the greatest; (1, 1) where all rows are one point."""
    different = np.unique(X, axis=0)
    if len(different) == 1:
        return 1.0, 1.0
    return float(nearest_of_all(different, 2)[1][:, 1].min()), diameter(X)


def gumbel_scale(epsilon: float, n: int, nearest: float, farthest: float) -> float:
    """Return b. Raise DxError if epsilon is too small."""
    from scipy.special import lambertw

    a = (epsilon - 2 * (1 + np.log(n)) / nearest) / 3
    if a * nearest <= 1:
        least = 3 / nearest + 2 * (1 + np.log(n)) / nearest
        why = f"epsilon must be above {least:.6g} on this space, and it is {epsilon:g}"
        raise DxError(Errors.DX005.format(name=NAME, why=why))
    return float(2 * farthest / min(lambertw(2 * a * farthest).real, np.log(a * nearest)))


def poisson(mean: float, largest: int, uniforms: Floats1d) -> Ints1d:
    """Sample a Poisson number from 1 to largest (0 where that is 0), by inverse CDF."""
    from scipy.stats import poisson as distribution

    low, high = distribution.cdf(0, mean), distribution.cdf(largest, mean)
    counts = distribution.ppf(low + uniforms * (high - low), mean)
    drawn: Ints1d = np.clip(np.nan_to_num(counts), min(1, largest), largest).astype(np.int64)
    return drawn


def truncated_gumbel(uniforms: Floats1d, scale: float, bound: float) -> Floats1d:
    """Sample exp(-(z/b + exp(-z/b))) on [-bound, bound], by inverse CDF."""
    low, high = np.exp(-np.exp(bound / scale)), np.exp(-np.exp(-bound / scale))
    share = low + uniforms * (high - low)
    Z = -scale * np.log(-np.log(np.clip(share, 1e-300, 1 - 1e-16)))
    drawn: Floats1d = np.clip(Z, -bound, bound)
    return drawn
