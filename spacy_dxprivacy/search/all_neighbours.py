"""The nearest rows of every row of a public table: a build step, by faiss in float32.

What is made of these lists may be made of any public lists, so a neighbour that is missed costs
meaning and no privacy. Distances that a guarantee is stated in are those of metric.py.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from ..arrays import Floats2d, Ints1d, Ints2d, blocks
from .faiss_codes import load_faiss

EXACT_ROWS = 100_000  # beyond, near rows are sought in cells
ROWS_A_CELL = 40
CELLS_SEARCHED = 128
NEAR_TO_MANY = 2000  # short rows: they are sought among the near ones of all
TRAINED_ON = 20  # rows for each cell, of which its place is learned, ...
TURNS = 4  # in so many turns
SEARCHED_AT_ONCE = 8192


def nearest_others(Y: Floats2d, depth: int) -> Ints2d:
    """Y: float32 (n, d) -> int64 (n, depth): the rows nearest to each, without itself; -1 where the
    cells near to it hold no more. Shows its progress on a terminal."""
    n = len(Y)
    found = np.full((n, depth + 1), -1, dtype=np.int64)
    made = _of_all(Y, depth + 1) if n <= EXACT_ROWS else _in_cells(Y, depth + 1)
    with tqdm(total=n, desc="near words", disable=None, delay=1, leave=False) as bar:
        for rows, near in made:
            found[rows, : near.shape[1]] = near
            bar.update(len(rows))
    itself = found == np.arange(n)[:, None]
    # Of many rows at one point, a row may miss itself: then its last neighbour goes.
    itself[~itself.any(axis=1), -1] = True
    others: NDArray[np.int64] = found[~itself].reshape(n, depth)
    return others


def _of_all(Y: Floats2d, depth: int) -> Iterator[tuple[Ints1d, Ints2d]]:
    """Rows, and those nearest to each; of all pairs."""
    knn = load_faiss().knn
    for part in blocks(len(Y), SEARCHED_AT_ONCE):
        yield np.arange(part.start, part.stop), knn(Y[part], Y, depth)[1]


def _in_cells(Y: Floats2d, depth: int) -> Iterator[tuple[Ints1d, Ints2d]]:
    """Rows, and those nearest to each; of the rows of the cells beside theirs, so that all rows of
    a cell go through one product of matrices.

    Cells are of directions: by distance the short rows of words, which are near to many, would make
    few cells of thousands and many of one. These are sought from every cell instead.
    """
    knn = load_faiss().knn
    norms = np.linalg.norm(Y, axis=1)
    members, beside = _cells(Y / np.maximum(norms, np.finfo(np.float32).tiny)[:, None])
    short = np.argsort(norms, kind="stable")[:NEAR_TO_MANY]
    is_short = np.zeros(len(Y), dtype=bool)
    is_short[short] = True
    long = [rows[~is_short[rows]] for rows in members]
    for rows, near in zip(members, beside, strict=True):
        if len(rows):
            others = np.concatenate([short, *(long[cell] for cell in near)])
            yield rows, others[knn(Y[rows], Y[others], min(depth, len(others)))[1]]


def _cells(U: Floats2d) -> tuple[list[Ints1d], Ints2d]:
    """U: float32 (n, d), of length 1. The rows of each of k cells, by k-means; and (k, some) cells,
    those beside each, itself first."""
    faiss = load_faiss()
    n, d = U.shape
    count = max(1, n // ROWS_A_CELL)
    learned = faiss.Kmeans(d, count, niter=TURNS, spherical=True, min_points_per_centroid=1)
    learned.train(U[:: max(1, n // (TRAINED_ON * count))])
    cells = faiss.knn(U, learned.centroids, 1)[1].reshape(-1)
    sizes = np.bincount(cells, minlength=count)
    members = np.split(np.argsort(cells, kind="stable"), np.cumsum(sizes)[:-1])
    beside = faiss.knn(learned.centroids, learned.centroids, min(CELLS_SEARCHED, count))[1]
    return members, beside
