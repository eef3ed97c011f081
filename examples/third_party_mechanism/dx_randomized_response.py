r"""Randomised response over all words of a space (example.RandomizedResponse.v1).

Probability P(y | w) = p where y = w, and (1 - p) / (n - 1) for each other word,
            p = exp(epsilon) / (exp(epsilon) + n - 1)
Guarantee   epsilon nats for all pairs of words (approx-dp with delta = 0)
Papers      Warner 1965; Kairouz, Oh, Viswanath 2014 (arXiv 1407.1338), k-ary randomised response
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from spacy_dxprivacy import Draw, DxError, Guarantee, Rng, Space

NAME = "example.RandomizedResponse.v1"


class RandomizedResponse:
    """Keeps a word with probability p, and draws one of the others else."""

    name = NAME

    def __init__(self, epsilon: float) -> None:
        self.guarantee = Guarantee(
            kind="approx-dp",
            epsilon=epsilon,
            metric="discrete",
            covers="all",
            status="proven",
            source="Warner 1965; Kairouz, Oh, Viswanath 2014",
        )
        self.n = 0

    def fit(self, space: Space) -> RandomizedResponse:
        """Of a space, the number of its words is all that counts."""
        self.n = len(space)
        self.guarantee = self.guarantee.for_space(space.digest)
        return self

    @property
    def kept(self) -> float:
        """The probability that a word comes out as it went in."""
        return 1 / (1 + (self.n - 1) * math.exp(-self.guarantee.epsilon))

    def sample(self, rows: Any, rng: Rng) -> Draw:
        """rows: int64 (k,) -> replacements (k,). Raises DxError before fit and for other rows."""
        rows = self._checked(rows)
        stays = rng.uniform(len(rows)) < self.kept
        # One of the n - 1 others: a step of 1 to n - 1 round the ring of rows.
        steps = 1 + rng.integers(max(self.n - 1, 1), len(rows))
        return Draw(np.where(stays, rows, (rows + steps) % self.n))

    def distribution(self, rows: Any) -> Any:
        """rows (k,) -> float64 (k, n): the probability of every output."""
        rows = self._checked(rows)
        P = np.full((len(rows), self.n), (1 - self.kept) / max(self.n - 1, 1))
        P[np.arange(len(rows)), rows] = self.kept
        return P

    def distances(self, rows: Any) -> Any:
        """rows (k,) -> float64 (k, n): 0 for the word itself, 1 for any other."""
        rows = self._checked(rows)
        D = np.ones((len(rows), self.n))
        D[np.arange(len(rows)), rows] = 0
        return D

    def _checked(self, rows: Any) -> Any:
        if not self.n:
            raise DxError(f"{self.name} has not been fitted: call fit(space) first.")
        rows = np.asarray(rows)
        if rows.size == 0:
            return np.zeros(0, dtype=np.int64)
        if rows.ndim != 1 or rows.dtype.kind not in "iu":
            raise DxError("rows must be whole numbers of shape (k,).")
        if rows.min() < 0 or rows.max() >= self.n:
            raise DxError(f"rows must be from 0 to {self.n - 1}.")
        return rows.astype(np.int64)


def make_randomized_response(epsilon: float) -> RandomizedResponse:
    """epsilon: nats, above 0. Raises ValueError for anything else."""
    number = isinstance(epsilon, (int, float)) and not isinstance(epsilon, bool)
    if not number or not 0 < epsilon < math.inf:
        raise ValueError(f"epsilon must be a number above 0, got {epsilon!r}.")
    return RandomizedResponse(float(epsilon))
