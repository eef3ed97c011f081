"""Distances that a guarantee is stated in, in float64."""

from __future__ import annotations

import numpy as np

from .ty import Floats2d, Ints1d

BLOCK_NUMBERS = 2**22


def euclidean(X: Floats2d, rows: Ints1d) -> Floats2d:
    """X: (n, d), rows: (k,) -> float64 (k, n), the distances of these rows to all.

    Expanded squares lose digits where two vectors are near each other, and the loss of a mechanism
    doubles every error of its distances; so near pairs are computed from their differences.
    """
    n, d = X.shape
    A = X[rows].astype(np.float64)
    squares = np.einsum("kd,kd->k", A, A)
    D = np.empty((len(rows), n))
    block = max(1, BLOCK_NUMBERS // d)
    for start in range(0, n, block):
        B = X[start : start + block].astype(np.float64)
        D[:, start : start + block] = _block(A, squares, B)
    return D


def _block(A: Floats2d, squares: Floats2d, B: Floats2d) -> Floats2d:
    sums = squares[:, None] + np.einsum("nd,nd->n", B, B)[None, :]
    S = sums - 2 * (A @ B.T)
    for i, j in zip(*np.nonzero(S < 1e-6 * sums), strict=True):
        S[i, j] = np.sum((A[i] - B[j]) ** 2)
    return np.sqrt(S)
