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

from ..arrays import Floats1d, Floats2d, Ints1d, blocks
from ..errors import DxError, Errors
from ..privacy.guarantee import Guarantee
from ..privacy.randomness import Rng
from ..registries import registry
from ..space import Space
from ..space.learned import shared
from ..space.search.all_pairs import diameter, nearest_of_all
from ..space.search.exact import neighbours
from ..ty import Draw
from ..validate import positive
from .built import LARGEST_SCORE, ProbabilityMechanism, checked_rows

NAME = "dx.TruncatedGumbel.v1"
RAREST = 1e-9  # number of candidates
WORDS_AT_ONCE = 32
# Probabilities of the noise between which distributions are integrated.
NODES = np.concatenate([[0.0], np.geomspace(1e-7, 0.02, 24), np.linspace(0.02, 1, 49)[1:]])


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
    nearest, farthest = shared(space, (NAME,), partial(extent, space.vectors))
    scale = gumbel_scale(epsilon, len(space), nearest, farthest)
    return GumbelNoise(farthest, scale, guarantee)


@dataclass(frozen=True, eq=False, repr=False)
class GumbelNoise:
    farthest: float
    scale: float
    guarantee: Guarantee


class TruncatedGumbel(ProbabilityMechanism[GumbelNoise]):
    """Choose the nearest of a few candidates after noise on their distances."""

    def _sample(self, rows: Ints1d, rng: Rng) -> Draw:
        X, farthest, scale = self.space.vectors, self.built.farthest, self.built.scale
        counts = poisson(float(np.log(max(len(X) - 1, 1))), len(X) - 1, rng.uniform(len(rows)))
        drawn, (distinct, inverse) = rows.copy(), np.unique(rows, return_inverse=True)
        candidates, distances = neighbours(X[distinct], X, int(counts.max(initial=0)) + 1)
        for count in np.unique(counts[counts > 0]):
            places = np.flatnonzero(counts == count)
            D = distances[inverse[places], : count + 1]
            noise = truncated_gumbel(rng.uniform(D.size), scale, farthest).reshape(D.shape)
            best = np.argmin(D + noise, axis=1)
            drawn[places] = candidates[inverse[places], best]
        return Draw(drawn)

    def log_p(self, rows: Ints1d, outputs: Ints1d) -> Floats1d:
        distinct, inverse = np.unique(rows, return_inverse=True)
        logs: Floats1d = np.log(self.distribution(distinct)[inverse, outputs])
        return logs

    def distribution(self, rows: Ints1d) -> Floats2d:
        """Return the probability of every output, float64 (k, n), as of `probabilities`."""
        return self.probabilities(rows, np.arange(len(self.space)))

    def probabilities(self, rows: Ints1d, outputs: Ints1d) -> Floats2d:
        """Return the probabilities of outputs (q,), float64 (k, q), to three digits: that of the
        least noisy distance, integrated, and summed over the numbers of candidates."""
        n = len(self.space)
        rows, outputs = checked_rows(rows, n), checked_rows(outputs, n)
        shares = poisson_shares(float(np.log(max(n - 1, 1))), n - 1)
        key = (NAME, len(shares))
        find = partial(nearest_of_all, self.space.vectors, len(shares))
        candidates, D = shared(self.space, key, find)
        column = np.full(n, len(outputs))  # of other outputs, one beyond
        column[outputs] = np.arange(len(outputs))
        columns = column[candidates[rows]]
        some = np.flatnonzero((columns < len(outputs)).any(axis=1))
        P: Floats2d = np.zeros((len(rows), len(outputs) + 1))
        for part in blocks(len(some), WORDS_AT_ONCE):
            P[some[part, None], columns[some[part]]] = self._won(D[rows[some[part]]], shares)
        return P[:, column[outputs]]

    def _won(self, D: Floats2d, shares: Floats1d) -> Floats2d:
        """Return the probabilities of candidates at rising distances D (k, m), (k, m). shares:
        (m,), the probability that each is the last candidate.

        The least of noisy distances falls between two nodes with the difference of the products of
        their survival functions, and is that of a candidate in proportion to its hazard.
        """
        scale, bound = self.built.scale, self.built.farthest
        nodes = D[:, :1] + truncated_gumbel(NODES, scale, bound)
        nodes[:, 0] = D[:, 0] - bound  # before all noise
        logs = log_survival(nodes[:, None] - D[:, :, None], scale, bound)  # (k, m, nodes)
        hazards = -np.diff(logs, axis=2)
        fell = -np.diff(np.exp(np.cumsum(logs, axis=1)), axis=2) * shares[:, None]
        fell /= np.maximum(np.cumsum(hazards, axis=1), 1e-300)
        later = np.cumsum(fell[:, ::-1], axis=1)[:, ::-1]  # sums over the last candidates
        won: Floats2d = (hazards * later).sum(axis=2)
        won /= won.sum(axis=1, keepdims=True)
        return won


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


def log_survival(Z: Floats2d, scale: float, bound: float) -> Floats2d:
    """Return ln of the probability that the noise is above Z, of any shape; -700 for less."""
    above = -np.expm1(-np.exp(-np.clip(Z, -bound, bound) / scale))
    least, most = -np.expm1(-np.exp(-bound / scale)), -np.expm1(-np.exp(bound / scale))
    logs: Floats2d = np.log(np.maximum((above - least) / (most - least), np.exp(-LARGEST_SCORE)))
    return logs


def poisson_shares(mean: float, largest: int) -> Floats1d:
    """Return the probability (m,) of each number of further candidates, from 0 on, without numbers
    beyond all but RAREST of the draws."""
    from scipy.stats import poisson as distribution

    if mean <= 0:  # one or two words
        return np.arange(min(largest, 1) + 1, dtype=np.float64) if largest else np.ones(1)
    most = min(largest, int(distribution.isf(RAREST, mean)) + 1)
    shares: Floats1d = distribution.pmf(np.arange(most + 1), mean)
    shares[0] = 0.0
    shares /= shares.sum()
    return shares
