"""Distances that a guarantee is stated in, and neighbours by them, in float64."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...arrays import Floats2d, Ints1d, Ints2d, blocks

BLOCK_NUMBERS = 2**22  # float64 numbers at once: 32 MB


def euclidean(X: Floats2d, rows: Ints1d) -> Floats2d:
    """Return the distances of k rows of X (n, d) to all, float64 (k, n)."""
    return distances(X[rows], X)


def distances(Z: Floats2d, X: Floats2d) -> Floats2d:
    """Return the Euclidean distances of Z (k, d) to X (n, d), float64 (k, n).

    Expanded squares lose digits where two vectors are near each other, and the loss of a mechanism
    doubles every error of its distances; so near pairs are computed from their differences.
    """
    n, d = X.shape
    A = Z.astype(np.float64)
    squares = np.einsum("kd,kd->k", A, A)
    D: Floats2d = np.empty((len(A), n))
    for part in blocks(n, max(1, BLOCK_NUMBERS // d)):
        B = X[part].astype(np.float64)
        sums = squares[:, None] + np.einsum("nd,nd->n", B, B)[None, :]
        S = sums - 2 * (A @ B.T)
        near = np.nonzero(S < 1e-6 * sums)
        for some in blocks(len(near[0]), max(1, BLOCK_NUMBERS // d)):
            i, j = (index[some] for index in near)
            S[i, j] = np.square(A[i] - B[j]).sum(axis=1)
        D[:, part] = np.sqrt(S)
    return D


def in_blocks(Z: Floats2d, X: Floats2d) -> Iterator[tuple[slice, Floats2d]]:
    """Yield distances(Z, X) by parts of Z, with the part that each belongs to."""
    for part in blocks(len(Z), max(1, BLOCK_NUMBERS // len(X))):
        yield part, distances(Z[part], X)


def neighbours(Z: Floats2d, X: Floats2d, depth: int) -> tuple[Ints2d, Floats2d]:
    """Return the rows of X (n, d) nearest to each of Z (k, d) by rising distance, int64 (k, depth),
    and their distances.

    Of rows at one distance the lowest comes first; which of them fill the last place is open.
    """
    rows = np.empty((len(Z), depth), dtype=np.int64)
    apart = np.empty((len(Z), depth))
    for part, D in in_blocks(Z, X):
        nearest = np.sort(np.argpartition(D, depth - 1, axis=1)[:, :depth], axis=1)
        found = np.take_along_axis(D, nearest, axis=1)
        order = np.argsort(found, axis=1, kind="stable")
        rows[part] = np.take_along_axis(nearest, order, axis=1)
        apart[part] = np.take_along_axis(found, order, axis=1)
    return rows, apart
