r"""Exact nearest neighbour (dx.Exact.v1): the answer of a float64 brute force at float32's speed.

With rows x, their mean m and a query z, the nearest row has the greatest

    score(x) = (x - m) . (z - m) - ||x - m||^2 / 2

Scores of a tile of rows and queries come from one float32 matrix product, in which the half square
is one more column. A tile is folded at once to the maxima of groups of rows, while it is in the
cache. A rounding bound (Higham 2002, section 3.1) then gives the groups that can hold the nearest
row, mostly one a query. Their rows are scored again, and where more than one row is left within the
bound, float64 differences decide. Values that float32 cannot square, and batches in which the
float32 bound leaves too much open, take float64 products instead.

It runs on numpy, and after spacy.require_gpu() on cupy: fit takes a copy of the table there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from itertools import cycle
from math import inf, isfinite, sqrt
from typing import Any, NamedTuple, cast

import numpy as np
from thinc.backends import Ops, get_array_ops

from ...arrays import Bools1d, Floats1d, Floats2d, Ints1d, blocks
from ...errors import DxError, Errors
from ...machine.compute import array_module, in_order, product_threads, to_device
from ...registries import registry
from ...validate import fail

GROUP = 8  # rows folded into one maximum; a power of 2
FEW_QUERIES = 48  # up to here the product waits for memory, and a copy of the rows costs more
LARGEST = 1e150  # of a query's norm: its square has to fit float64
MIB = 2**20
WORTH_THREADS = 2**23  # pairs of rows and queries


class Tiling(NamedTuple):
    """rows x columns: one tile of scores. queries: the most that one pass over the table serves."""

    rows: int
    columns: int
    queries: int


ON_CPU = Tiling(1024, 512, 4096)
ON_GPU = Tiling(16384, 4096, 16384)


class ExactIndex:
    """Euclidean nearest rows of a table. On the CPU the table is read in place: a memory map stays
    one."""

    def fit(self, X: Floats2d) -> ExactIndex:
        """Prepare the search of a table.

        Adds 17 bytes a row: the half square and the norm of the row less the mean, and the
        largest norm of each group.

        Args:
            X: float32 (n, d), finite; referenced, not copied.

        Raises:
            DxError: It is another table.
        """
        if X.ndim != 2 or 0 in X.shape:
            raise DxError(Errors.DX020.format(expected="a table (n, d) of vectors", given=X.shape))
        if not (isfinite(float(X.max())) and isfinite(float(X.min()))):
            raise DxError(Errors.DX020.format(expected="finite numbers", given="nan or inf"))
        X = to_device(X)
        xp = array_module(X)
        self._X: Floats2d = xp.ascontiguousarray(X, dtype="float32")
        self._mean = self._X.mean(axis=0, dtype="float64").astype("float32")
        mean = self._mean.astype("float64")
        self._offset = sqrt(float((mean**2).sum()))
        self._half = xp.empty(len(X))
        for part in blocks(len(X), ON_CPU.rows):
            A = self._X[part] - mean
            self._half[part] = xp.square(A, out=A).sum(axis=1) / 2
        self._reach = xp.zeros(_padded(len(X)))
        self._reach[: len(X)] = xp.sqrt(2 * self._half)
        self._group_reach = self._reach.reshape(-1, GROUP).max(axis=1)
        self._largest_reach = float(self._reach.max())
        # A row that repeats an earlier one never wins: ties go to the lowest.
        self._half[xp.asarray(_repeats(self._ops, self._X, self._half))] = inf
        return self

    # The mechanism fits a copy again, on a table that need not travel with it.
    def __getstate__(self) -> dict[str, Any]:
        return {}

    def nearest(self, Z: Floats2d) -> Ints1d:
        """Find the row of least distance to each query.

        The answer is argmin(((X.astype("float64") - z) ** 2).sum(axis=1)) for each z, with ties to
        the lowest row.

        Args:
            Z: Queries, float32 or float64 (k, d).

        Returns:
            Rows, int64 (k,), numpy.

        Raises:
            DxError: Another shape, numbers that are not finite or not below 1e150, or before fit.
        """
        if not hasattr(self, "_X"):
            raise DxError(Errors.DX003.format(name="dx.Exact.v1"))
        Z, d = self._ops.xp.asarray(Z), self._X.shape[1]
        if Z.ndim != 2 or Z.shape[1] != d or Z.dtype.kind != "f":
            raise fail("Z", f"an array of floats of shape (k, {d})", f"{Z.dtype} {Z.shape}")
        found = np.empty(len(Z), dtype=np.int64)
        for part in _even_parts(len(Z), self._tiling.queries):
            found[part] = self._nearest(Z[part].astype("float64"))
        return found

    def _nearest(self, Z: Floats2d) -> Ints1d:
        xp = self._ops.xp
        if not float(abs(Z).max()) < LARGEST:
            raise fail("Z", f"numbers below {LARGEST:g}", "one above, or not finite")
        Q = Z - self._mean
        norms = xp.sqrt(xp.square(Q).sum(axis=1))
        # In float32 squares must not overflow, what underflow takes must be less than the rounding
        # bound, and no product may be made of TF32 numbers, which have 10 bits.
        largest = max(float(norms.max()), self._largest_reach + self._offset)
        tf32 = xp is not np and os.environ.get("CUPY_TF32", "0") != "0"
        if largest < 1e18 and not 0 < self._largest_reach < 1e-14 and not tf32:
            rows = _Search(self, Z, Q, norms, "float32").run(patience=4)
            if rows is not None:
                return rows
        # Without patience it does not give up.
        return cast(Ints1d, _Search(self, Z, Q, norms, "float64").run())

    @property
    def _ops(self) -> Ops:
        return cast(Ops, get_array_ops(self._X))

    @property
    def _tiling(self) -> Tiling:
        return ON_CPU if self._ops.xp is np else ON_GPU


Candidates = tuple[Ints1d, Ints1d, Floats1d]  # queries, groups or rows, scores or distances


class _Search:
    """One pass over the table for a batch of queries.

    low (k,): a lower bound of the nearest row's score. waiting: the groups that may hold it, with
    their maxima. best: rows of groups that wait no longer, with their squared distances.
    """

    def __init__(
        self, index: ExactIndex, Z: Floats2d, Q: Floats2d, norms: Floats1d, dtype: str
    ) -> None:
        self.index, self.ops, self.xp = index, index._ops, index._ops.xp
        self.Z, self.Q, self.norms, self.dtype = Z, Q, norms, dtype
        self.mean = index._mean.astype(dtype)
        # Rows that cannot win have an infinite half square. A product may pad with zeros, and zero
        # times infinity is no number: there they get one that no true score comes near.
        self.never = 1e38 if dtype == "float32" else 1e300
        self.few = len(Z) <= FEW_QUERIES
        self.low = self.xp.full(len(Z), -inf)
        self.widest = self._slack(index._largest_reach, norms)
        self.waiting: list[Candidates] = []
        self.best: list[Candidates] = []

    def run(self, patience: int | None = None) -> Ints1d | None:
        """int64 (k,); or None where more than `patience` groups a query are left waiting."""
        groups = len(self.index._group_reach)
        limit = 4 * (patience or 4) * len(self.Z) + min(groups, MIB)
        count = 0
        for first_group, G in self._few_tiles() if self.few else self._tiles():
            count += self._wait(first_group, G)
            if count > limit:
                count = self._prune()
                if count > limit // 4 and patience is not None:
                    return None
                if count > limit // 4:
                    self.best += [self._measured(*pairs) for pairs in self._survivors()]
                    self.best = [_least(self.best)]
                    count = 0
        found = np.empty(len(self.Z), dtype=np.int64)
        left = list(self._survivors())
        if not self.best and sum(len(queries) for queries, _ in left) == len(found):
            for queries, rows in left:  # one row a query: nothing to decide
                found[self.ops.to_numpy(queries)] = self.ops.to_numpy(rows)
            return found
        queries, rows, _ = _least(self.best + [self._measured(*pairs) for pairs in left])
        found[queries] = rows
        return found

    def _tiles(self) -> Iterator[tuple[int, Floats2d]]:
        """(first group, maxima of groups x queries). The array is used again for a later tile.

        Tiles are made side by side by as many threads as products may use, each product by one:
        folding and copying go on while others multiply.
        """
        index, columns = self.index, self.index._tiling.columns
        n, d = index._X.shape
        rows = min(index._tiling.rows, _padded(n))
        parts = []
        for part in _even_parts(len(self.Z), columns):
            # The queries as columns, with the row that takes off the half squares.
            P = self.xp.empty((d + 1, part.stop - part.start), dtype=self.dtype)
            P[:-1] = self.Q[part].T
            P[-1] = -1
            parts.append((part, P))
        shapes = ((rows, d + 1), (rows * min(columns, len(self.Z)),), (rows // GROUP, len(self.Z)))
        wide = n * len(self.Z) >= WORTH_THREADS and self.xp is np
        with product_threads(wide) as threads:
            buffers = [
                tuple(self.xp.zeros(shape, dtype=self.dtype) for shape in shapes)
                for _ in range(threads + 1 if threads > 1 else 1)
            ]
            jobs = zip(range(0, n, rows), cycle(buffers))
            yield from in_order(partial(self._tile, parts), jobs, threads, len(buffers))

    def _tile(
        self, parts: list[tuple[slice, Floats2d]], job: tuple[int, tuple[Any, ...]]
    ) -> tuple[int, Floats2d]:
        start, (A, scores, maxima) = job
        height = _padded(min(len(A), len(self.index._X) - start))
        self._copy_rows(start, A[:height])
        for part, P in parts:
            S = scores[: height * P.shape[1]].reshape(height, P.shape[1])
            self.xp.matmul(A[:height], P, out=S)
            # Maxima over places that lie a group apart. Whole halves are what numpy's maximum does
            # fastest: twice as fast as max(axis=...).
            half = height // 2
            while half > height // GROUP:
                self.xp.maximum(S[:half], S[half : 2 * half], out=S[:half])
                half //= 2
            self.xp.maximum(S[:half], S[half : 2 * half], out=maxima[:half, part])
        return start // GROUP, maxima[: height // GROUP]

    def _copy_rows(self, start: int, A: Floats2d) -> None:
        """Rows from start on, less the mean, and their half squares, to A: (GROUP * g, d + 1).

        Row i of group j goes to place i * g + j, so that folding works on whole halves of a tile.
        """
        index, stop = self.index, min(start + len(A), len(self.index._X))
        B = A.reshape(GROUP, -1, A.shape[1]).swapaxes(0, 1)
        full, rest = divmod(stop - start, GROUP)
        middle = start + full * GROUP
        X, half = index._X[start:middle], self.xp.minimum(index._half[start:stop], self.never)
        self.xp.subtract(X.reshape(full, GROUP, X.shape[1]), self.mean, out=B[:full, :, :-1])
        B[:full, :, -1] = half[: full * GROUP].reshape(full, GROUP)
        B[full:, :, -1] = self.never
        B[full:, :rest, :-1] = index._X[middle:stop] - self.mean
        B[full:, :rest, -1] = half[full * GROUP :]

    def _few_tiles(self) -> Iterator[tuple[int, Floats2d]]:
        """The same without a copy of the rows: all scores are higher by m . (z - m)."""
        xp, index = self.xp, self.index
        P = xp.ascontiguousarray(self.Q.T, dtype=self.dtype)
        half = index._half.astype(self.dtype)
        for part in blocks(len(index._X), 8 * index._tiling.rows):
            X = index._X[part].astype(self.dtype, copy=False)
            S = xp.full((_padded(len(X)), P.shape[1]), -inf, dtype=self.dtype)
            S[: len(X)] = X @ P
            S[: len(X)] -= half[part, None]
            yield part.start // GROUP, S.reshape(-1, GROUP, P.shape[1]).max(axis=1)

    def _slack(self, reach: Any, norms: Floats1d) -> Floats1d:
        """How far a score may be off, for rows with ||x - m|| <= reach and queries of these norms.

        The error of the product, plus that of the float64 brute force that is the measure. d + 16
        roundings: d + 1 in the product, the rest for rows, queries, half squares and differences.
        Underflow is far below either: see `ExactIndex._nearest`.
        """
        roundings = self.Q.shape[1] + 16
        unit = 2.0**-24 if self.dtype == "float32" else 2.0**-53
        factor = roundings * unit / (1 - roundings * unit)
        raw = reach + self.index._offset if self.few else reach
        slack: Floats1d = factor * (raw * norms + reach * reach)
        slack += roundings * 2.0**-53 * (reach + norms) ** 2
        return slack

    def _wait(self, first_group: int, G: Floats2d) -> int:
        """Note the groups of this tile that may hold a nearest row; return how many."""
        xp = self.xp
        reach = float(self.index._group_reach[first_group : first_group + len(G)].max())
        # The slack of the farthest row holds for all; only where it is far too wide is it redone.
        wide = reach > self.index._largest_reach / 2
        slack = self.widest if wide else self._slack(reach, self.norms)
        top = G.max(axis=0)
        self.low = xp.maximum(self.low, top - slack)
        bar = (self.low - slack).astype(self.dtype)
        bar = xp.nextafter(bar, xp.asarray(-inf, dtype=self.dtype))
        queries = xp.flatnonzero(bar <= top)
        some = xp.take(G, queries, axis=1)
        hits = xp.flatnonzero(bar[queries] <= some)
        groups, at = hits // max(1, len(queries)), hits % max(1, len(queries))
        scores = some.ravel()[hits].astype("float64")
        self.waiting.append((queries[at], groups + first_group, scores))
        return len(hits)

    def _prune(self) -> int:
        """Drop the groups that later tiles have ruled out; return how many are left."""
        if not self.waiting:
            return 0
        columns = (self.xp.concatenate(column) for column in zip(*self.waiting, strict=True))
        queries, groups, scores = columns
        left = self._may_win(queries, scores, self.index._group_reach[groups])
        self.waiting = [(queries[left], groups[left], scores[left])]
        return len(self.waiting[0][0])

    def _may_win(self, queries: Ints1d, scores: Floats2d, reach: Floats2d) -> Bools1d:
        """The arrays broadcast: queries (h,) with (h,), or (h, 1) with (h, g)."""
        slack = self._slack(reach, self.norms[queries])
        return cast(Bools1d, scores + slack >= self.low[queries])

    def _survivors(self) -> Iterator[tuple[Ints1d, Ints1d]]:
        """(queries, rows) that are left of the waiting groups; they wait no longer."""
        xp, index = self.xp, self.index
        self._prune()
        (queries, groups, _), *_ = self.waiting or [(self.low[:0].astype("int64"),) * 3]
        self.waiting = []
        n, d = index._X.shape
        for part in _even_parts(len(queries), max(1, MIB // (GROUP * d * 4))):
            q = queries[part, None]
            rows = groups[part, None] * GROUP + xp.arange(GROUP)
            inside = rows < n
            rows = xp.minimum(rows, n - 1)
            inside &= xp.isfinite(index._half[rows])
            if not self.few:
                A = index._X[rows].astype(self.dtype, copy=False)
                A -= self.mean
                S = (A @ self.Q[queries[part]].astype(self.dtype)[:, :, None])[:, :, 0]
                inside &= self._may_win(q, S - index._half[rows], index._reach[rows])
            yield (q + xp.zeros_like(rows))[inside], rows[inside]

    def _measured(self, queries: Ints1d, rows: Ints1d) -> Candidates:
        """The pairs with their squared distances in float64, on the host."""
        distances = np.empty(len(rows))
        for part in _even_parts(len(rows), max(1, MIB // (8 * self.Z.shape[1]))):
            D = self.index._X[rows[part]] - self.Z[queries[part]]
            distances[part] = self.ops.to_numpy(self.xp.square(D).sum(axis=1))
        return self.ops.to_numpy(queries), self.ops.to_numpy(rows), distances


def _least(candidates: list[Candidates]) -> Candidates:
    """The pair of least distance for each query; of ties the lowest row."""
    queries, rows, distances = (np.concatenate(c) for c in zip(*candidates, strict=True))
    order = np.lexsort((rows, distances, queries))
    queries, rows, distances = queries[order], rows[order], distances[order]
    first = np.ones(len(queries), dtype=bool)
    first[1:] = queries[1:] != queries[:-1]
    return queries[first], rows[first], distances[first]


def _padded(rows: int) -> int:
    return -(-rows // GROUP) * GROUP


def _even_parts(k: int, most: int) -> list[slice]:
    """range(k) in the fewest slices of at most `most`, as equal as can be."""
    return list(blocks(k, -(-k // -(-k // most)))) if k else []


def _repeats(ops: Any, X: Floats2d, half: Floats1d) -> Bools1d:
    """bool (n,), numpy: which rows are equal to an earlier row. Equal rows have equal squares."""
    squares = ops.to_numpy(half)
    order = np.argsort(squares, kind="stable")
    same = squares[order[1:]] == squares[order[:-1]]
    suspects = np.union1d(order[1:][same], order[:-1][same])
    repeats = np.zeros(len(squares), dtype=bool)
    seen: dict[int, tuple[int, Floats1d]] = {}
    for row in suspects.tolist():
        x = ops.to_numpy(X[row])
        first, vector = seen.setdefault(hash(x.tobytes()), (row, x))
        repeats[row] = first != row and np.array_equal(x, vector)
    return repeats


@registry.dx_indexes("dx.Exact.v1")
def make_exact() -> ExactIndex:
    """Exact search over the whole table, blockwise; no setting."""
    return ExactIndex()
