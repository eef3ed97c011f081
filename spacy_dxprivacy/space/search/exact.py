r"""Exact nearest neighbour (dx.Exact.v1): the result of float64 brute force at the speed of
float32.

The row x nearest to a query z has the greatest

    score(x) = x . z - ||x||^2 / 2 = (x, -||x||^2 / 2) . (z, 1)

The scores of a tile of queries and rows are one float32 matrix product, of a copy of the table with
half squares as a further dimension. A rounding bound (Higham 2002, section 3.1) says which other
scores may belong to the nearest row: mostly none, and float64 differences decide where there are
some. Values that float32 cannot square, and tables with too many candidates, take float64 products
instead.

`distances` and `neighbours` are in float64, as guarantees need them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf, isfinite, sqrt
from typing import Any, cast

import numpy as np

from ...arrays import Floats1d, Floats2d, Ints1d, Ints2d, blocks
from ...errors import DxError, Errors
from ...machine import map_ordered, product_threads
from ...registries import registry
from ...validate import fail

MAX_NORM = 1e150  # of a query, whose square has to fit float64
NUMBERS_AT_ONCE = 2**22  # float64: 32 MB
MAX_FLOAT32 = 1e18  # of a norm, whose square has to fit float32
MIB = 2**20
MAX_CANDIDATES = 8  # for each query, on average
MULTITHREAD_FROM = 2**23  # pairs of rows and queries: for fewer, one thread is faster
QUERIES = 1024  # whose scores are computed at once
SCORES = 1_500_000  # of a tile: more fit no cache, and fewer keep the product waiting for packing
COPY_UP_TO = 2**25  # numbers of a table, n times d: 128 MB
SCORES_AT_ONCE = 2**20  # of neighbours
AIMED_AT_ONCE = 2**19  # scores: 2 MB
# Rows compared with all queries, then twice as many with those that are left. No power of two: it
# makes products slower, as columns then share few lines of the cache.
FIRST_OTHERS = 500
EQUAL = 2.0**-20  # share of the product of norms, below which scores may be equal
CERTAIN = 4.001  # times a square, below that to the next row: no other row can be nearer
LEAST_GROUPS, GROUPS_A_NEIGHBOUR = 256, 4  # of rows whose nearest are compared


@registry.dx_indexes("dx.Exact.v1")
class ExactIndex:
    """Search the whole table in blocks for exact Euclidean nearest rows. A table of more than 33
    million numbers is not copied, even if it is a memory map."""

    def fit(self, X: Floats2d) -> ExactIndex:
        """Prepare the search of a table; takes 8 bytes a row, and a copy of up to 128 MB.

        Args:
            X: float32 (n, d), finite; referenced.

        Raises:
            DxError: For other arrays.
        """
        if X.ndim != 2 or 0 in X.shape:
            raise DxError(Errors.DX020.format(expected="a table (n, d) of vectors", given=X.shape))
        if not (isfinite(float(X.max())) and isfinite(float(X.min()))):
            raise DxError(Errors.DX020.format(expected="finite numbers", given="nan or inf"))
        self._X: Floats2d = np.ascontiguousarray(X, dtype=np.float32)
        self._half = np.empty(len(X))
        for part in blocks(len(X), MIB // X.shape[1] + 1):
            self._half[part] = np.square(self._X[part].astype(np.float64)).sum(axis=1) / 2
        self._reach = sqrt(2 * float(self._half.max()))
        fits = self._X.size <= COPY_UP_TO and self._reach < MAX_FLOAT32
        self._augmented = augmented(self._X, self._half) if fits else None
        return self

    # The mechanism fits a copy again, on a table that need not travel with it.
    def __getstate__(self) -> dict[str, Any]:
        return {}

    def nearest(self, Z: Floats2d) -> Ints1d:
        """Return the nearest row for each query.

        It is argmin(((X.astype("float64") - z) ** 2).sum(axis=1)) for each z; ties go to the lowest
        row.

        Args:
            Z: Queries, float32 or float64 (k, d).

        Returns:
            Rows, int64 (k,), numpy.

        Raises:
            DxError: For other shapes, numbers not below 1e150, and before fit.
        """
        if not hasattr(self, "_X"):
            raise DxError(Errors.DX003.format(name="dx.Exact.v1"))
        n, d = self._X.shape
        Z = np.asarray(Z)
        if Z.ndim != 2 or Z.shape[1] != d or Z.dtype.kind != "f":
            raise fail("Z", f"an array of floats of shape (k, {d})", f"{Z.dtype} {Z.shape}")
        if len(Z) and not max(float(Z.max()), -float(Z.min())) < MAX_NORM:
            raise fail("Z", f"numbers below {MAX_NORM:g}", "one above, or not finite")
        rows = [np.zeros(0, dtype=np.int64)]
        with product_threads(n * len(Z) >= MULTITHREAD_FROM) as threads:
            parts = (
                Z[part].astype(np.float64) for part in blocks(len(Z), at_once(len(Z), threads))
            )
            rows += map_ordered(self._search, parts, threads, 2 * threads)
        return np.concatenate(rows)

    def _search(self, Z: Floats2d) -> Ints1d:
        norms = np.sqrt(np.einsum("kd,kd->k", Z, Z))
        rows = None
        if fits_single(norms, self._reach):
            rows = self._by_products(Z, norms, "float32")
        return cast(Ints1d, self._by_products(Z, norms) if rows is None else rows)

    def _by_products(self, Z: Floats2d, norms: Floats1d, dtype: str = "float64") -> Ints1d | None:
        """Return the rows (k,); None if float32 leaves too many candidates."""
        n, d = self._X.shape
        multiply = self._product(Z, dtype)
        # A score that is lower than the greatest by more than this is not of the nearest row.
        margin = (2 * slack_of(norms, self._reach, d, dtype)).astype(dtype)
        greatest = np.full(len(Z), -inf, dtype=dtype)
        rows, squares = np.zeros(len(Z), dtype=np.int64), np.full(len(Z), inf)
        held, most = Candidates(), MAX_CANDIDATES * len(Z) + QUERIES
        size = min(n, max(1, SCORES // len(Z)), max(1, NUMBERS_AT_ONCE // d))
        scores = np.empty(len(Z) * size, dtype=dtype)
        for part in blocks(n, size):
            width = min(n, part.stop) - part.start
            S = scores[: len(Z) * width].reshape(len(Z), width)
            multiply(part, S)
            columns, tops = tops_of(S)
            np.maximum(greatest, tops, out=greatest)
            held.add(part.start, S, columns, tops, greatest - margin)
            if held.count > most:
                held.keep(greatest - margin)
            if held.count > most:
                if dtype == "float32":
                    return None
                take_nearer(self._X, Z, held.pop(), rows, squares)
        held.keep(greatest - margin)
        queries, candidates = held.pop()
        single = (np.bincount(queries, minlength=len(Z)) == 1) & (squares == inf)
        is_single = single[queries]
        rows[queries[is_single]] = candidates[is_single]
        take_nearer(self._X, Z, (queries[~is_single], candidates[~is_single]), rows, squares)
        return rows

    def _product(self, Z: Floats2d, dtype: str) -> Callable[[slice, Floats2d], None]:
        """Return a function that writes the scores of queries and a part of the rows, (k, m)."""
        if dtype == "float32" and self._augmented is not None:
            table = self._augmented
            Q = np.ones((len(Z), len(table)), dtype=np.float32)
            Q[:, :-1] = Z

            def multiply(part: slice, S: Floats2d) -> None:
                np.matmul(Q, table[:, part], out=S)

        else:
            P, half = Z.astype(dtype), self._half.astype(dtype)

            def multiply(part: slice, S: Floats2d) -> None:
                np.matmul(P, self._X[part].astype(dtype, copy=False).T, out=S)
                np.subtract(S, half[part], out=S)

        return multiply


def fits_single(norms: Floats1d, reach: float) -> bool:
    """Return whether float32 fits queries of these norms (k,), and rows of norms up to the reach:
    squares must not overflow, and underflow must be below the rounding bound."""
    return max(float(norms.max()), reach) < MAX_FLOAT32 and not 0 < reach < 1e-14


def slack_of(norms: Floats1d, reach: float, d: int, dtype: str) -> Floats1d:
    """Return a bound on the error of scores, for queries of these norms (k,), and rows of norms up
    to the reach.

    With h = ||x||^2 / 2, a product of d + 1 terms in any order is off by at most d + 1 roundings of
    ||x|| ||z|| + h. Queries, half squares and their subtraction, and the margin add one each, and
    float64 brute force d + 2: d + 16 cover them. Underflow is far below.
    """
    roundings = d + 16
    unit = 2.0**-24 if dtype == "float32" else 2.0**-53
    factor = roundings * unit / (1 - roundings * unit)
    slack: Floats1d = factor * (reach * norms + reach * reach)
    slack += roundings * 2.0**-53 * (reach + norms) ** 2
    return slack


def at_once(k: int, threads: int) -> int:
    """Return how many of k queries to search at once: parts of equal length, as a short one takes
    nearly as long as a full one."""
    most = min(QUERIES, max(QUERIES // 4, -(-k // threads)))
    parts = max(1, -(-k // most))
    return max(1, -(-k // parts))


def augmented(X: Floats2d, half: Floats1d) -> Floats2d:
    """Return the columns (x, -half), float32 (d + 1, n), of rows X (n, d) and half squares (n,)."""
    table = np.empty((X.shape[1] + 1, len(X)), dtype=np.float32)
    for part in blocks(len(X), QUERIES):
        table[:-1, part] = X[part].T
    np.negative(half, out=table[-1], casting="same_kind")
    return table


def tops_of(S: Floats2d) -> tuple[Ints1d, Floats1d]:
    """Return the column of the greatest number of each row of S, contiguous (k, m), and it."""
    columns = S.argmax(axis=1)
    return columns, S.ravel()[np.arange(len(S)) * S.shape[1] + columns]


class Candidates:
    """Rows that may be nearest to a query, with their scores."""

    def __init__(self) -> None:
        self.count = 0
        self._parts: list[tuple[Ints1d, Ints1d, Any]] = []  # queries, rows, scores

    def add(self, start: int, S: Floats2d, columns: Ints1d, tops: Any, least: Any) -> None:
        """Add the rows of a tile whose scores reach a bound.

        Args:
            start: The row of the table where the tile begins.
            S: Scores (k, m); changed.
            columns: Those of the greatest score of each query, (k,).
            tops: These scores, (k,).
            least: The bound of each query, (k,).
        """
        queries = np.flatnonzero(tops >= least)
        columns, least = columns[queries], least[queries]
        self._add(queries, start + columns, tops[queries])
        S[queries, columns] = -inf
        rest = S if len(queries) == len(S) else S.take(queries, axis=0)
        more = np.flatnonzero(tops_of(rest)[1] >= least)
        if len(more):
            rest = rest[more]
            at, columns = np.nonzero(rest >= least[more, None])
            self._add(queries[more[at]], start + columns, rest[at, columns])

    def _add(self, queries: Ints1d, rows: Ints1d, scores: Any) -> None:
        self._parts.append((queries, rows, scores))
        self.count += len(queries)

    def keep(self, least: Any) -> None:
        """Drop those whose scores are below the bound of their query, (k,)."""
        queries, rows, scores = map(np.concatenate, zip(*self._parts, strict=True))
        kept = scores >= least[queries]
        self._parts = [(queries[kept], rows[kept], scores[kept])]
        self.count = int(kept.sum())

    def pop(self) -> tuple[Ints1d, Ints1d]:
        """Return queries and rows of all, and drop them."""
        ((queries, rows, _),) = self._parts
        self._parts, self.count = [(queries[:0], rows[:0], np.zeros(0))], 0
        return queries, rows


def take_nearer(
    X: Floats2d, Z: Floats2d, pairs: tuple[Ints1d, Ints1d], rows: Ints1d, best_squares: Floats1d
) -> None:
    """Update the nearest rows so far by candidates, compared by float64 differences; ties go to the
    lowest row.

    Args:
        X: The table, float32 (n, d).
        Z: Queries, float64 (k, d).
        pairs: Queries and candidate rows, int64 (h,) each.
        rows: The nearest rows so far, int64 (k,); changed.
        best_squares: Their squared distances, float64 (k,), or infinity; changed.
    """
    for part in blocks(len(pairs[0]), max(1, MIB // Z.shape[1])):
        queries, candidates = pairs[0][part], pairs[1][part]
        D = X[candidates] - Z[queries]
        squares = (D * D).sum(axis=1)
        order = np.lexsort((candidates, squares, queries))
        first = order[np.flatnonzero(np.diff(queries[order], prepend=-1))]
        queries, candidates, squares = queries[first], candidates[first], squares[first]
        lower = (squares == best_squares[queries]) & (candidates < rows[queries])
        nearer = (squares < best_squares[queries]) | lower
        rows[queries[nearer]], best_squares[queries[nearer]] = candidates[nearer], squares[nearer]


@dataclass(frozen=True, eq=False)
class Aim:
    """Which of many queries to a table are near some of its rows: only these are searched for.

    rows: int64 (q,), rising. origins: int64 (k,), the row around which each query was drawn.
    often: int64 (m,), rows that are often nearest to such queries, most often first.
    """

    rows: Ints1d
    origins: Ints1d
    often: Ints1d

    def only(self, rows: Ints1d) -> Ints1d:
        """Return rows (k,), with -1 for those that are not searched for."""
        return np.where(np.isin(rows, self.rows), rows, -1)


def aimed(X: Floats2d, Z: Floats2d, aim: Aim, depth: int = 1) -> Ints1d:
    """Return the row of the aim that is nearest to each query, or -1 if `depth` other rows of the
    table are nearer; int64 (k,), up to the rounding of float32.

    Most queries are near other rows, and a few comparisons show it: with the row around which they
    were drawn, then with rows that are often nearest.

    Args:
        X: The table, (n, d).
        Z: Queries, (k, d).
        aim: The rows that are searched for.
        depth: 1, for queries whose nearest row is one of the aim, or more.
    """
    # Around their mean, so that float32 keeps more digits of the differences.
    mean = X[aim.rows].mean(axis=0, dtype=np.float64)
    table, queries = X - mean, Z - mean
    norms = np.sqrt(np.einsum("kd,kd->k", queries, queries))
    half = np.einsum("nd,nd->n", table, table) / 2
    reach = sqrt(2 * float(half.max()))
    dtype = "float32" if fits_single(norms, reach) else "float64"
    table, queries, half = table.astype(dtype), queries.astype(dtype), half.astype(dtype)
    best, tops = np.empty(len(Z), dtype=np.int64), np.empty(len(Z), dtype=dtype)
    for part, S in _scores(queries, table[aim.rows], half[aim.rows]):
        best[part], tops[part] = tops_of(S)
    left = np.flatnonzero(CERTAIN * (norms**2 - 2 * tops) >= _gaps(table, half, aim.rows)[best])
    # Rows as near as that, such as equal ones, are no nearer.
    tops += (norms + reach) * reach * EQUAL
    own = np.einsum("kd,kd->k", queries[left], table[aim.origins[left]]) - half[aim.origins[left]]
    counted = (own > tops[left]) & ~np.isin(aim.origins[left], aim.rows)
    nearer = np.zeros(len(Z), dtype=np.int64)
    nearer[left] = counted
    left, counted = left[nearer[left] < depth], counted[nearer[left] < depth]
    others = np.append(aim.often, np.setdiff1d(np.arange(len(X)), aim.often))
    others = others[~np.isin(others, aim.rows)]
    start, width = 0, FIRST_OTHERS
    while start < len(others) and len(left):
        compared = others[start : start + width]
        # Not again the rows around which queries were drawn.
        found = nearer[left] - (counted & np.isin(aim.origins[left], compared))
        for part, S in _scores(queries[left], table[compared], half[compared]):
            # The greatest scores one by one: faster than a comparison of all.
            for _ in range(depth):
                columns, greatest = tops_of(S)
                found[part] += greatest > tops[left[part]]
                S[np.arange(len(S)), columns] = -inf
        nearer[left] = found
        left, counted = left[found < depth], counted[found < depth]
        start, width = start + width, 2 * width
    return np.where(nearer < depth, aim.rows[best], -1)


def _scores(Z: Floats2d, X: Floats2d, half: Floats1d) -> Iterator[tuple[slice, Floats2d]]:
    """Yield parts of queries, as slices, and their scores at rows of half squares (n,)."""
    table = np.ascontiguousarray(X.T)
    for part in blocks(len(Z), max(1, AIMED_AT_ONCE // len(X))):
        S: Floats2d = Z[part] @ table
        S -= half
        yield part, S


def _gaps(table: Floats2d, half: Floats1d, rows: Ints1d) -> Floats1d:
    """Return the squared distance of each of these rows to the nearest other one, (q,)."""
    gaps = np.empty(len(rows))
    for part, S in _scores(table[rows], table, half):
        S[np.arange(len(S)), rows[part]] = -inf
        gaps[part] = 2 * (half[rows[part]] - S.max(axis=1, initial=-inf))
    return gaps


def euclidean(X: Floats2d, rows: Ints1d) -> Floats2d:
    """Return the distances of k rows of X (n, d) to all, float64 (k, n)."""
    return distances(X[rows], X)


def distances(Z: Floats2d, X: Floats2d) -> Floats2d:
    """Return the Euclidean distances of Z (k, d) to X (n, d), float64 (k, n).

    Expanded squares lose digits for near vectors, and errors of distances enter the loss of a
    mechanism twice; so near pairs are computed from their differences.
    """
    n, d = X.shape
    A = Z.astype(np.float64)
    squares = np.einsum("kd,kd->k", A, A)
    D: Floats2d = np.empty((len(A), n))
    for part in blocks(n, max(1, NUMBERS_AT_ONCE // d)):
        B = X[part].astype(np.float64)
        lengths = np.einsum("nd,nd->n", B, B)
        most, sums, S = lengths.max(), np.empty(len(B)), (2 * A) @ B.T
        # Row by row, which fits the cache: passes over all of S take longer than the product.
        for query, square, row, out in zip(A, squares, S, D, strict=True):
            np.add(lengths, square, out=sums)
            np.subtract(sums, row, out=row)
            if row.min() < 1e-6 * (square + most):
                near = np.flatnonzero(row < 1e-6 * sums)
                row[near] = np.square(query - B[near]).sum(axis=1)
            np.sqrt(row, out=out[part])
    return D


def in_blocks(Z: Floats2d, X: Floats2d) -> Iterator[tuple[slice, Floats2d]]:
    """Yield parts of Z, as slices, and their distances(Z[part], X)."""
    for part in blocks(len(Z), max(1, NUMBERS_AT_ONCE // len(X))):
        yield part, distances(Z[part], X)


def neighbours(Z: Floats2d, X: Floats2d, depth: int) -> tuple[Ints2d, Floats2d]:
    """Return the rows of X (n, d) nearest to each of Z (k, d) by rising distance, int64 (k, depth),
    and their distances. Ties are sorted by row, but ties at the last place are arbitrary."""
    rows = np.empty((len(Z), depth), dtype=np.int64)
    lengths = np.empty((len(Z), depth))
    groups = max(LEAST_GROUPS, GROUPS_A_NEIGHBOUR * depth)
    if len(X) < 2 * groups:
        for part, D in in_blocks(Z, X):
            columns = np.sort(np.argpartition(D, depth - 1, axis=1)[:, :depth], axis=1)
            values = np.take_along_axis(D, columns, axis=1)
            order = np.argsort(values, axis=1, kind="stable")
            rows[part] = np.take_along_axis(columns, order, axis=1)
            lengths[part] = np.take_along_axis(values, order, axis=1)
        return rows, lengths
    half = np.einsum("nd,nd->n", X, X, dtype=np.float64) / 2
    for part in blocks(len(Z), max(1, SCORES_AT_ONCE // len(X))):
        A = Z[part].astype(np.float64)
        queries, near = _near(A, X, half, groups, depth)
        D = np.empty(len(near))
        for cells in blocks(len(near), max(1, NUMBERS_AT_ONCE // X.shape[1])):
            differences = A[queries[cells]] - X[near[cells]]
            D[cells] = np.sqrt(np.einsum("kd,kd->k", differences, differences))
        order = np.lexsort((near, D, queries))
        first = np.searchsorted(queries, np.arange(len(A)))[:, None] + np.arange(depth)
        rows[part], lengths[part] = near[order][first], D[order][first]
    return rows, lengths


def _near(
    A: Floats2d, X: Floats2d, half: Floats1d, groups: int, depth: int
) -> tuple[Ints1d, Ints1d]:
    """Return pairs of a query and a row, by query: those with the `depth` nearest rows to each of A
    (k, d), and perhaps others. half: half the squared norm of each row."""
    norms, reach = np.sqrt(np.einsum("kd,kd->k", A, A)), sqrt(2 * float(half.max()))
    dtype = "float32" if fits_single(norms, reach) else "float64"
    S = A.astype(dtype) @ X.astype(dtype, copy=False).T
    np.subtract(half.astype(dtype), S, out=S)
    # As many groups as `depth` have a row with a score up to this bound.
    n, size = len(X), len(X) // groups
    tops = S[:, : size * groups].reshape(len(A), size, groups).min(axis=1)
    least = np.partition(tops, depth - 1, axis=1)[:, depth - 1]
    bound = least + 2 * slack_of(norms, reach, X.shape[1], dtype)
    bound = np.nextafter(bound.astype(dtype), np.asarray(inf, dtype=dtype))
    return divmod(np.flatnonzero(bound[:, None] >= S), n)
