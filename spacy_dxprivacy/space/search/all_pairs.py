"""Diameter, mean largest distance and neighbours over all pairs of rows of a public table.

Results are exact, mostly by float32: a product of blocks and a bound on its rounding preselect
pairs, which are computed in float64. 60,000 words take seconds. Use it for public tables only: the
time of a call may depend on the rows.

`neighbours_without_self` searches with faiss in float32: exactly up to EXACT_ROWS, above by a graph
of links (HNSW), in time of about n log n. Its lists are public, so a missed neighbour costs meaning
and no privacy.

Paper   Malkov, Yashunin 2020, "Efficient and robust approximate nearest neighbor search using
        hierarchical navigable small world graphs"
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import progress
from ...arrays import Floats1d, Floats2d, Ints2d, Numbers2d, blocks
from ...files.checkpoint import Checkpoint
from .exact import distances, in_blocks, neighbours
from .faiss_index import load_faiss

FLOAT64_UP_TO = 4096  # rows: for more, float32 preselects
TILE_ROWS = 512  # rows of a block, whose products fit into the cache
SPARE_ROWS = 20  # further candidates in float32
ROWS_AT_ONCE = 8192  # of a search
Singles = NDArray[np.float32]


def diameter(X: Floats2d) -> float:
    """Return the largest distance between two rows of X (n, d)."""
    if len(X) <= FLOAT64_UP_TO:
        return max(float(D.max()) for _, D in in_blocks(X, X))
    Y, radii = centred(X)
    order = np.argsort(-radii, kind="stable")
    Y, radii, best = Y[order], radii[order], 0.0
    slack = rounding(X.shape[1], 2 * float(radii[0]))
    for rows, columns, S in _tiles(Y):
        # The distance of two rows is at most the sum of their radii.
        if (radii[rows.start] + radii[columns.start]) ** 2 + slack < best**2:
            continue
        far = np.flatnonzero(S.max(axis=1) >= best**2 - slack)
        if len(far):
            D = distances(X[order[rows][far]], X[order[columns]])
            best = max(best, float(D.max()))
    return best


def mean_farthest(X: Floats2d) -> float:
    """Return the mean over the rows of X (n, d) of the largest distance to another row, to six
    digits for many rows; 1 for a single row or point."""
    n = len(X)
    if n <= FLOAT64_UP_TO:
        total = sum(float(D.max(axis=1).sum()) for _, D in in_blocks(X, X))
    else:
        largest = np.zeros(n, dtype=np.float32)
        for rows, columns, S in _tiles(centred(X)[0]):
            np.maximum(largest[rows], S.max(axis=1), out=largest[rows])
            np.maximum(largest[columns], S.max(axis=0), out=largest[columns])
        total = float(np.sqrt(largest, dtype=np.float64).sum())
    return total / n if total > 0 else 1.0


def nearest_of_all(X: Floats2d, depth: int) -> tuple[Ints2d, Floats2d]:
    """Return neighbours(X, X, depth), faster."""
    if len(X) <= max(FLOAT64_UP_TO, depth + SPARE_ROWS):
        return neighbours(X, X, depth)
    Y, radii = centred(X)
    rows = np.empty((len(X), depth), dtype=np.int64)
    lengths = np.empty((len(X), depth))
    sure = np.empty(len(X), dtype=bool)
    slack = rounding(X.shape[1], 2 * float(radii.max()))
    for part in blocks(len(X), ROWS_AT_ONCE):
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
    """Return rows minus their mean, float32 (n, d), and their norms, for smaller rounding
    errors."""
    middle = X.mean(axis=0, dtype=np.float64)
    Y = np.empty(X.shape, dtype=np.float32)
    for part in blocks(len(X), ROWS_AT_ONCE):
        Y[part] = X[part] - middle
    return Y, np.sqrt(np.einsum("nd,nd->n", Y, Y, dtype=np.float64))


def _tiles(Y: Singles) -> Iterator[tuple[slice, slice, Singles]]:
    """Yield squared distances of each pair of blocks once; the array is reused."""
    squares = np.einsum("nd,nd->n", Y, Y)[:, None]
    ones = np.ones_like(squares)
    # Squares are two more columns of the product, which is faster than adding them later.
    B = np.hstack([Y, ones, squares])
    parts, T = list(blocks(len(Y), TILE_ROWS)), np.empty((TILE_ROWS, TILE_ROWS), dtype=np.float32)
    for i, rows in enumerate(parts):
        A = np.hstack([-2 * Y[rows], squares[rows], ones[rows]])
        for columns in parts[i:]:
            S = T[: rows.stop - rows.start, : columns.stop - columns.start]
            np.matmul(A, B[columns].T, out=S)
            yield rows, columns, S


def rounding(d: int, widest: float) -> float:
    """Return a bound on the float32 error of squared distances of centred rows."""
    return float(4 * (d + 8) * np.finfo(np.float32).eps * widest**2)


EXACT_ROWS = 100_000  # above which links preselect
# Links of a row, and rows compared to place one, and to find the neighbours of one
# (benchmarks/scale.py measures the recall).
LINKS, COMPARED_TO_LINK, COMPARED = 24, 60, 220
LINKED_AT_ONCE = 65_536  # rows, after which the links are kept
INDEX = "links.faiss"


def neighbours_without_self(
    Y: Floats2d, depth: int, checkpoint: Checkpoint | None = None
) -> Numbers2d:
    """Return the nearest other rows of each row of Y, float32 (n, d): int32 (n, depth), -1 for
    missing ones. What is found is kept in the checkpoint, and searched no more."""
    n, checkpoint = len(Y), Checkpoint() if checkpoint is None else checkpoint
    lists = checkpoint.rows("lists", (n, depth), np.int32)
    if lists.done == n:
        return np.asarray(lists.array)
    index = _index(Y, depth + 1, checkpoint)
    load_faiss()  # searches have the threads of this process
    with progress.bar(n, "near words", initial=lists.done) as bar:
        for start in range(lists.done, n, ROWS_AT_ONCE):
            part = slice(start, min(start + ROWS_AT_ONCE, n))
            nearest = index.search(Y[part], depth + 1)[1]
            itself = nearest == np.arange(part.start, part.stop)[:, None]
            # If many rows are one point, a row may not find itself: its last neighbour is dropped.
            itself[~itself.any(axis=1), -1] = True
            lists.array[part] = nearest[~itself].reshape(-1, depth)
            lists.mark(part.stop)
            bar.update(part.stop - part.start)
    return np.asarray(lists.array)


def _index(Y: Floats2d, depth: int, checkpoint: Checkpoint) -> Any:
    faiss, (n, d) = load_faiss(), Y.shape
    if n <= EXACT_ROWS:
        index: Any = faiss.IndexFlatL2(d)
        index.add(Y)
        return index
    index = _kept_index(checkpoint, n, d) or faiss.IndexHNSWFlat(d, LINKS)
    index.hnsw.efConstruction = COMPARED_TO_LINK
    threads = faiss.omp_get_max_threads()
    with progress.bar(n, "links of words", initial=index.ntotal) as bar:
        # By one thread: the links that several set depend on chance, and so would the metric.
        faiss.omp_set_num_threads(1)
        try:
            for start in range(index.ntotal, n, LINKED_AT_ONCE):
                # A seed for each part, so that an index that was kept goes on as it would have.
                index.hnsw.rng = faiss.RandomGenerator(start + 1)
                index.add(Y[start : start + LINKED_AT_ONCE])
                checkpoint.file(INDEX, partial(faiss.write_index, index))
                bar.update(index.ntotal - start)
        finally:
            faiss.omp_set_num_threads(threads)
    index.hnsw.efSearch = max(COMPARED, depth)
    return index


def _kept_index(checkpoint: Checkpoint, n: int, d: int) -> Any:
    """Return the index of an earlier run, or None."""
    path = checkpoint.find(INDEX)
    if path is None:
        return None
    try:
        index = load_faiss().read_index(str(path))
    except RuntimeError:  # not what was written
        return None
    is_part = index.ntotal == n or index.ntotal % LINKED_AT_ONCE == 0
    return index if index.d == d and index.ntotal <= n and is_part else None
