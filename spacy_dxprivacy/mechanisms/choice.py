"""What mechanisms of the form "choose a word with these exact probabilities" share."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ..guarantee import Guarantee
from ..metric import euclidean
from ..randomness import Rng
from ..space import Space
from ..ty import Draw, Floats1d, Floats2d, Ints1d
from .noise import checked_rows, fitted

BLOCK_NUMBERS = 2**22  # float64 numbers in one table of probabilities: 32 MB


class ChoiceMechanism:
    """P(y | w) proportional to exp(-score(distance(w, y))) over the whole space.

    score: float64 (k, n) distances -> float64 (k, n), never negative infinity apart, so that every
    word can come out for every word.
    """

    def __init__(
        self, name: str, guarantee: Guarantee, score: Callable[[Floats2d], Floats2d]
    ) -> None:
        self.name = name
        self.guarantee = guarantee
        self.score = score
        self._space: Space | None = None

    def fit(self, space: Space) -> ChoiceMechanism:
        self.guarantee = self.guarantee.named(space.digest)
        self._space = space
        return self

    def sample(self, rows: Ints1d, rng: Rng) -> Draw:
        """rows: int64 (k,) -> replacements (k,); no vectors.

        Raises DxError before fit, and for rows that the space does not have.
        """
        rows = checked_rows(rows, len(fitted(self._space, self.name)))
        uniforms = rng.uniform(len(rows))
        drawn = np.empty(len(rows), dtype=np.int64)
        distinct, counts = np.unique(rows, return_counts=True)
        by_word = np.argsort(rows, kind="stable")
        ends = np.cumsum(counts)
        for start, end, table in zip(ends - counts, ends, self._cumulative(distinct), strict=True):
            places = by_word[start:end]
            drawn[places] = inverse_cdf(table, uniforms[places])
        return Draw(drawn)

    def distribution(self, rows: Ints1d) -> Floats2d:
        """rows (k,) -> float64 (k, n): the probability of every output. Each row sums to 1."""
        W = self._weights(checked_rows(rows, len(fitted(self._space, self.name))))
        W /= W.sum(axis=1, keepdims=True)
        return W

    def distances(self, rows: Ints1d) -> Floats2d:
        """rows (k,) -> float64 (k, n): the metric of the guarantee."""
        space = fitted(self._space, self.name)
        return euclidean(space.vectors, checked_rows(rows, len(space)))

    def _weights(self, rows: Ints1d) -> Floats2d:
        S = self.score(self.distances(rows))
        S -= S.min(axis=1, keepdims=True)
        return np.exp(np.negative(S, out=S), out=S)

    def _cumulative(self, rows: Ints1d) -> Iterator[Floats1d]:
        at_once = max(1, BLOCK_NUMBERS // len(fitted(self._space, self.name)))
        for start in range(0, len(rows), at_once):
            yield from np.cumsum(self._weights(rows[start : start + at_once]), axis=1)


def inverse_cdf(cumulative: Floats1d, uniforms: Floats1d) -> Ints1d:
    """cumulative (n,) sums of weights, uniforms (k,) in [0, 1) -> k indices drawn by weight."""
    drawn = np.searchsorted(cumulative, uniforms * cumulative[-1], side="right")
    # Rounding up of uniform * total could step past the end.
    return np.minimum(drawn, len(cumulative) - 1)
