"""How public tools do it, written plainly: what run.py sets the mechanisms against.

Each is made of a space's vectors and an epsilon, and takes rows (k,) to rows (k,).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Matrix = NDArray[np.float32]
Peer = Callable[[Rows], Rows]
GIB = 2**30


class OneWordCdist:
    """Noise for one word, and scipy's distances from it to all words, in float64."""

    def __init__(self, X: Matrix, epsilon: float) -> None:
        # A float32 table would be converted anew for every word.
        self.X, self.epsilon = X.astype(np.float64), epsilon
        self.rng = np.random.default_rng()

    def __call__(self, rows: Rows) -> Rows:
        from scipy.spatial.distance import cdist

        noisy = (self.X[row] + noise(self.X.shape[1], self.epsilon, self.rng) for row in rows)
        return np.array([cdist(z[None], self.X).argmin() for z in noisy])


class OneWordHeap:
    """Noise for one word, the distances to all words in a dict, and the two nearest off a heap."""

    def __init__(self, X: Matrix, epsilon: float) -> None:
        self.X, self.epsilon = X, epsilon
        self.words = list(range(len(X)))
        self.rng = np.random.default_rng()

    def __call__(self, rows: Rows) -> Rows:
        return np.array([self._one(int(row)) for row in rows])

    def _one(self, row: int) -> int:
        z = self.X[row] + noise(self.X.shape[1], self.epsilon, self.rng)
        apart = dict(zip(self.words, np.linalg.norm(self.X - z, axis=1).tolist(), strict=True))
        first, second = heapq.nsmallest(2, apart, key=apart.__getitem__)
        total = apart[first] + apart[second]
        return first if self.rng.random() * total < apart[second] else second


class ProbabilityMatrix:
    """The exponential mechanism from a matrix of all probabilities, made beforehand."""

    def __init__(self, X: Matrix, epsilon: float) -> None:
        self.rng = np.random.default_rng()
        A = X.astype(np.float64)
        squares = (A**2).sum(axis=1)
        D = np.sqrt(np.maximum(squares[:, None] + squares - 2 * A @ A.T, 0))
        W = np.exp(-epsilon / 2 * D)
        self.P = W / W.sum(axis=1, keepdims=True)

    def __call__(self, rows: Rows) -> Rows:
        n = len(self.P)
        return np.array([self.rng.choice(n, p=self.P[row]) for row in rows])


PEERS: dict[str, Callable[[Matrix, float], Peer]] = {
    "one word, cdist": OneWordCdist,
    "one word, heap": OneWordHeap,
    "probability matrix": ProbabilityMatrix,
}


def noise(d: int, epsilon: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """A direction and a length: density proportional to exp(-epsilon ||z||)."""
    z = rng.standard_normal(d)
    z *= rng.gamma(d, 1 / epsilon) / np.linalg.norm(z)
    return z


def needed(name: str, n: int, d: int) -> float:
    """Bytes that it takes to make, beside the vectors."""
    matrices = 4 * 8.0 * n * n if name == "probability matrix" else 0.0
    return matrices + 2 * 8.0 * n * d + 200.0 * n
