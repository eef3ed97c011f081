"""Diameter, mean distance and neighbours over all pairs of rows of a public table.

Exact answers, mostly by float32: a product of blocks tells which pairs may matter, with a bound of
its rounding; those are computed in float64, as metric.py does. A table of 60,000 words takes
seconds. Only for what is learned from a table: how long a call takes may depend on the rows.

`nearest_others` searches with faiss in float32. Its lists are public, and any public lists would
do, so a neighbour that is missed costs meaning and no privacy.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from ...arrays import Floats1d, Floats2d, Ints2d, blocks
from .exact import distances, in_blocks, neighbours
from .faiss_index import FLAT, build, load_faiss

FEW = 4096  # rows, up to which all is done in float64
TILE = 512  # rows of a block: its products with another stay in the cache
SPARE_ROWS = 20  # rows that are found in float32 beyond those that are asked for
SEARCHED_AT_ONCE = 8192
Singles = NDArray[np.float32]


def diameter(X: Floats2d) -> float:
    """Return the largest distance between two rows of X (n, d)."""
    if len(X) <= FEW:
        return max(float(D.max()) for _, D in in_blocks(X, X))
    Y, radii = centred(X)
    order = np.argsort(-radii, kind="stable")
    Y, radii, best = Y[order], radii[order], 0.0
    slack = rounding(X.shape[1], 2 * float(radii[0]))
    for rows, columns, S in _tiles(Y):
        # Both rows lie within their radii of the middle.
        if (radii[rows.start] + radii[columns.start]) ** 2 + slack < best**2:
            continue
        far = np.flatnonzero(S.max(axis=1) >= best**2 - slack)
        if len(far):
            D = distances(X[order[rows][far]], X[order[columns]])
            best = max(best, float(D.max()))
    return best


def mean_distance(X: Floats2d) -> float:
    """Return the mean over all pairs of different rows of X (n, d), to seven digits for many rows;
    1 where there is but one row, or one point."""
    n = len(X)
    if n <= FEW:
        total = sum(float(D.sum()) for _, D in in_blocks(X, X))
    else:
        total = 0.0
        for rows, columns, S in _tiles(centred(X)[0]):
            np.sqrt(np.maximum(S, 0, out=S), out=S)
            twice = 1 if rows == columns else 2
            total += twice * float(S.sum(axis=1, dtype=np.float32).sum(dtype=np.float64))
    return total / (n * (n - 1)) if n > 1 and total > 0 else 1.0


def nearest_of_all(X: Floats2d, depth: int) -> tuple[Ints2d, Floats2d]:
    """Return neighbours(X, X, depth), in less time: each row is among its own nearest."""
    if len(X) <= max(FEW, depth + SPARE_ROWS):
        return neighbours(X, X, depth)
    Y, radii = centred(X)
    rows = np.empty((len(X), depth), dtype=np.int64)
    lengths = np.empty((len(X), depth))
    sure = np.empty(len(X), dtype=bool)
    slack = rounding(X.shape[1], 2 * float(radii.max()))
    for part in blocks(len(X), SEARCHED_AT_ONCE):
        squares, candidates = load_faiss().knn(Y[part], Y, depth + SPARE_ROWS)
        candidates = np.sort(candidates, axis=1)
        Z = X[part].astype(np.float64)
        D = np.empty(candidates.shape)
        for place in range(candidates.shape[1]):
            differences = Z - X[candidates[:, place]]
            D[:, place] = np.sqrt(np.einsum("kd,kd->k", differences, differences))
        order = np.argsort(D, axis=1, kind="stable")[:, :depth]
        rows[part] = np.take_along_axis(candidates, order, axis=1)
        lengths[part] = np.take_along_axis(D, order, axis=1)
        sure[part] = lengths[part][:, -1] ** 2 + slack < squares[:, -1]  # no other row is nearer
    unsure = np.flatnonzero(~sure)
    if len(unsure):
        rows[unsure], lengths[unsure] = neighbours(X[unsure], X, depth)
    return rows, lengths


def centred(X: Floats2d) -> tuple[Singles, Floats1d]:
    """Return the rows less their mean, float32 (n, d), and their norms: they lose fewer digits."""
    middle = X.mean(axis=0, dtype=np.float64)
    Y = np.empty(X.shape, dtype=np.float32)
    for part in blocks(len(X), SEARCHED_AT_ONCE):
        Y[part] = X[part] - middle
    return Y, np.sqrt(np.einsum("nd,nd->n", Y, Y, dtype=np.float64))


def _tiles(Y: Singles) -> Iterator[tuple[slice, slice, Singles]]:
    """Squared distances of each pair of blocks of rows once; the array is reused for the next."""
    squares = np.einsum("nd,nd->n", Y, Y)[:, None]
    ones = np.ones_like(squares)
    # The squares are two more columns of the product: to add them later would take half as long.
    B = np.hstack([Y, ones, squares])
    parts, T = list(blocks(len(Y), TILE)), np.empty((TILE, TILE), dtype=np.float32)
    for i, rows in enumerate(parts):
        A = np.hstack([-2 * Y[rows], squares[rows], ones[rows]])
        for columns in parts[i:]:
            S = T[: rows.stop - rows.start, : columns.stop - columns.start]
            np.matmul(A, B[columns].T, out=S)
            yield rows, columns, S


def rounding(d: int, widest: float) -> float:
    """Bound the float32 error of the square of a distance between rows around the mean."""
    return float(4 * (d + 8) * np.finfo(np.float32).eps * widest**2)


EXACT_ROWS = 100_000  # beyond, rows that seem near by their codes are compared
COMPARED = 1024  # with each: of the hundred nearest, .99 are among them


def neighbours_without_self(Y: Floats2d, depth: int) -> Ints2d:
    """Find the rows nearest to each row of Y: float32 (n, d), without itself: int64 (n, depth), -1
    where an index finds no more. Shows its progress on a terminal."""
    n = len(Y)
    nearest = np.full((n, depth + 1), -1, dtype=np.int64)
    index = _index(Y, depth + 1)
    with tqdm(total=n, desc="near words", disable=None, delay=1, leave=False) as bar:
        for part in blocks(n, SEARCHED_AT_ONCE):
            nearest[part] = index.search(Y[part], depth + 1)[1]
            bar.update(part.stop - part.start)
    itself = nearest == np.arange(n)[:, None]
    # Of many rows at one point, a row may miss itself: then its last neighbour goes.
    itself[~itself.any(axis=1), -1] = True
    neighbours: NDArray[np.int64] = nearest[~itself].reshape(n, depth)
    return neighbours


def _index(Y: Floats2d, depth: int) -> Any:
    # Cells of an inverted file lose more than they win: of words, the short rows are near to many
    # wherever these are, and where they are missed, others rank before their turn, and words reach
    # twice as many.
    faiss, (n, d) = load_faiss(), Y.shape
    if n <= EXACT_ROWS:
        index: Any = faiss.IndexFlatL2(d)
        index.add(Y)
        return index
    # Four bits for every three dimensions: a row is sought, and not a noisy vector.
    triples = -(-d // 3)
    codes = f"PQ{triples}x4fs" if d % 3 == 0 else f"Pad{3 * triples},PQ{triples}x4fs"
    built = build(Y, "Flat" if d < FLAT else codes)
    index = faiss.IndexRefineFlat(built, faiss.swig_ptr(Y))
    index.k_factor = max(1.0, COMPARED / depth)
    return index
