r"""Exact nearest neighbour (dx.Exact.v1): the answer of a float64 brute force at float32's speed.

With rows x, their mean m and a query z, the nearest row has the greatest

    score(x) = (x - m) . (z - m) - ||x - m||^2 / 2

Scores of a tile of rows and queries come from one float32 matrix product, in which the half square
is one more column. A tile is folded at once to the maxima of groups of rows, while it is in the
cache. A rounding bound (Higham 2002, section 3.1) then says which groups can hold the nearest row;
it leaves one group a query, as a rule. Their rows are scored again, and where more than one row is
left within the bound, float64 differences decide. Values that float32 cannot square, and batches
in which the float32 bound leaves too much open, go the same way with float64 products.

It runs on numpy, and after spacy.require_gpu() on cupy: fit takes a copy of the table there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from math import inf, isfinite, sqrt
from typing import Any, cast

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


@dataclass(frozen=True)
class Tiling:
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
        """X: float32 (n, d), finite; kept, not copied. Raises DxError for another table.

        Adds 17 bytes a row: the half square and the norm of the row less the mean, and the
        largest norm of each group.
        """
        self._X = _checked_table(X)
        xp = self._ops.xp
        self._mean = self._X.mean(axis=0, dtype="float64").astype("float32")
        self._offset = sqrt(float((self._mean.astype("float64") ** 2).sum()))
        self._half = _half_squares(xp, self._X, self._mean)
        self._reach = xp.sqrt(2 * self._half)
        self._group_reach = _group_maxima(xp, self._reach)
        self._largest_reach = float(self._reach.max())
        # A row that repeats an earlier one never wins: ties go to the lowest.
        self._half[xp.asarray(_repeats(self._ops, self._X, self._half))] = inf
        return self

    # The mechanism fits a copy again, on a table that need not travel with it.
    def __getstate__(self) -> dict[str, Any]:
        return {}

    def nearest(self, Z: Floats2d) -> Ints1d:
        """Z: float32 or float64 (k, d) -> int64 (k,), numpy: the rows of least distance.

        What argmin(((X.astype("float64") - z) ** 2).sum(axis=1)) says for each z, with ties to the
        lowest row. Raises DxError for another shape, for numbers that are not finite or not below
        1e150, and before fit.
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
        if self._fits_float32(float(norms.max())):
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

    def _fits_float32(self, norm: float) -> bool:
        """Squares do not overflow, what underflow takes is less than the rounding bound, and no
        product is made of TF32 numbers, which have 10 bits."""
        if self._ops.xp is not np and os.environ.get("CUPY_TF32", "0") != "0":
            return False
        largest = max(norm, self._largest_reach + self._offset)
        return largest < 1e18 and not 0 < self._largest_reach < 1e-14


class _Search:
    """One pass over the table for a batch of queries.

    low (k,): what the nearest row's score reaches at least. waiting: the groups that may hold it,
    as arrays of queries, group numbers and group maxima.
    """

    def __init__(
        self, index: ExactIndex, Z: Floats2d, Q: Floats2d, norms: Floats1d, dtype: str
    ) -> None:
        self.index, self.ops, self.xp = index, index._ops, index._ops.xp
        self.Z, self.Q, self.norms, self.dtype = Z, Q, norms, dtype
        self.mean = index._mean.astype(dtype)
        self.never = 1e38 if dtype == "float32" else 1e300
        self.few = len(Z) <= FEW_QUERIES
        self.low = self.xp.full(len(Z), -inf)
        self.widest = self._slack(index._largest_reach, norms)
        self.waiting: list[tuple[Ints1d, Ints1d, Floats1d]] = []
        self.best: list[tuple[Ints1d, Ints1d, Floats1d]] = []

    def run(self, patience: int | None = None) -> Ints1d | None:
        """int64 (k,); or None where more than `patience` groups a query are left waiting."""
        groups = len(self.index._group_reach)
        limit = 4 * (patience or 4) * len(self.Z) + min(groups, MIB)
        count = 0
        for first_group, G in self._few_tiles() if self.few else self._tiles():
            count += self._keep(first_group, G)
            if count > limit:
                count = self._prune()
                if count > limit // 4 and patience is not None:
                    return None
                if count > limit // 4:
                    self._settle()
                    count = 0
        return self._answer()

    # -- scores ----------------------------------------------------------------------------------

    def _tiles(self) -> Iterator[tuple[int, Floats2d]]:
        """(first group, maxima of groups x queries). The array is used again for a later tile.

        Tiles are made side by side by as many threads as products may use, each product by one:
        folding and copying go on while others multiply.
        """
        index, columns = self.index, self.index._tiling.columns
        n, d = index._X.shape
        rows = min(index._tiling.rows, _padded(n))
        parts = [(part, self._columns(part)) for part in _even_parts(len(self.Z), columns)]
        shapes = ((rows, d + 1), (rows * min(columns, len(self.Z)),), (rows // GROUP, len(self.Z)))
        wide = n * len(self.Z) >= WORTH_THREADS and self.xp is np
        with product_threads(wide) as threads:
            rooms = [
                tuple(self.xp.zeros(shape, dtype=self.dtype) for shape in shapes)
                for _ in range(threads + 1 if threads > 1 else 1)
            ]
            jobs = zip(range(0, n, rows), cycle(rooms))
            yield from in_order(partial(self._tile, parts), jobs, threads, len(rooms))

    def _tile(
        self, parts: list[tuple[slice, Floats2d]], job: tuple[int, tuple[Any, ...]]
    ) -> tuple[int, Floats2d]:
        start, (A, scores, maxima) = job
        height = _padded(min(len(A), len(self.index._X) - start))
        self._copy_rows(start, A[:height])
        for part, P in parts:
            S = scores[: height * P.shape[1]].reshape(height, P.shape[1])
            self.xp.matmul(A[:height], P, out=S)
            _fold(self.xp, S, maxima[: height // GROUP, part])
        return start // GROUP, maxima[: height // GROUP]

    def _columns(self, part: slice) -> Floats2d:
        """The queries as columns (d + 1, w), with the row that takes off the half squares."""
        P = self.xp.empty((self.Q.shape[1] + 1, part.stop - part.start), dtype=self.dtype)
        P[:-1] = self.Q[part].T
        P[-1] = -1
        return cast(Floats2d, P)

    def _copy_rows(self, start: int, A: Floats2d) -> None:
        """Rows from start on, less the mean, and their half squares, to A: (GROUP * g, d + 1).

        Row i of group j goes to place i * g + j, so that folding works on whole halves of a tile.
        """
        index, stop = self.index, min(start + len(A), len(self.index._X))
        B = A.reshape(GROUP, -1, A.shape[1]).swapaxes(0, 1)
        full, rest = divmod(stop - start, GROUP)
        middle = start + full * GROUP
        X, half = index._X[start:middle], index._half[start:middle]
        self.xp.subtract(X.reshape(full, GROUP, X.shape[1]), self.mean, out=B[:full, :, :-1])
        B[:full, :, -1] = self._finite(half).reshape(full, GROUP)
        B[full:, :, -1] = self.never
        B[full:, :rest, :-1] = index._X[middle:stop] - self.mean
        B[full:, :rest, -1] = self._finite(index._half[middle:stop])

    def _finite(self, half: Floats1d) -> Floats1d:
        """Rows that cannot win have an infinite half square. A product may pad with zeros, and
        zero times infinity is no number: there they get one that no true score comes near."""
        return cast(Floats1d, self.xp.minimum(half, self.never))

    def _few_tiles(self) -> Iterator[tuple[int, Floats2d]]:
        """The same without a copy of the rows: all scores are higher by m . (z - m)."""
        xp, index = self.xp, self.index
        n, rows = len(index._X), 8 * index._tiling.rows
        P = xp.ascontiguousarray(self.Q.T, dtype=self.dtype)
        half = index._half.astype(self.dtype)
        for part in blocks(n, rows):
            X = index._X[part].astype(self.dtype, copy=False)
            S = xp.full((_padded(len(X)), P.shape[1]), -inf, dtype=self.dtype)
            S[: len(X)] = X @ P
            S[: len(X)] -= half[part, None]
            yield part.start // GROUP, S.reshape(-1, GROUP, P.shape[1]).max(axis=1)

    def _slack(self, reach: Any, norms: Floats1d) -> Floats1d:
        """How far a score may be off, for rows with ||x - m|| <= reach and queries of these norms.

        The error of the product, plus that of the float64 brute force that is the measure. d + 16
        roundings: d + 1 in the product, the rest for rows, queries, half squares and differences.
        Underflow is far below either: see _fits_float32.
        """
        roundings = self.Q.shape[1] + 16
        unit = 2.0**-24 if self.dtype == "float32" else 2.0**-53
        factor = roundings * unit / (1 - roundings * unit)
        raw = reach + self.index._offset if self.few else reach
        slack: Floats1d = factor * (raw * norms + reach * reach)
        slack += roundings * 2.0**-53 * (reach + norms) ** 2
        return slack

    # -- candidates ------------------------------------------------------------------------------

    def _keep(self, first_group: int, G: Floats2d) -> int:
        """Note the groups of this tile that may hold a nearest row; how many."""
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
        """Drop the groups that later tiles have ruled out; how many are left."""
        xp = self.xp
        if not self.waiting:
            return 0
        queries, groups, scores = (
            xp.concatenate(column) for column in zip(*self.waiting, strict=True)
        )
        kept = self._may_win(queries, scores, self.index._group_reach[groups])
        self.waiting = [(queries[kept], groups[kept], scores[kept])]
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
                inside &= self._may_win(q, self._scores(queries[part], rows), index._reach[rows])
            yield (q + xp.zeros_like(rows))[inside], rows[inside]

    def _scores(self, queries: Ints1d, rows: Ints1d) -> Floats2d:
        """queries (h,), rows (h, g) -> scores (h, g)."""
        A = self.index._X[rows].astype(self.dtype, copy=False)
        A -= self.mean
        S = (A @ self.Q[queries].astype(self.dtype)[:, :, None])[:, :, 0]
        return cast(Floats2d, S - self.index._half[rows])

    # -- the decision ----------------------------------------------------------------------------

    def _settle(self) -> None:
        """Add the waiting groups to the best rows by float64 distance, one row a query."""
        for queries, rows in self._survivors():
            self.best.append(self._measured(queries, rows))
        self.best = [_least(*(np.concatenate(column) for column in zip(*self.best, strict=True)))]

    def _answer(self) -> Ints1d:
        found = np.empty(len(self.Z), dtype=np.int64)
        left = list(self._survivors())
        if not self.best and sum(len(queries) for queries, _ in left) == len(found):
            for queries, rows in left:  # one row a query: nothing to decide
                found[self._host(queries)] = self._host(rows)
            return found
        self.best += [self._measured(queries, rows) for queries, rows in left]
        queries, rows, _ = _least(
            *(np.concatenate(column) for column in zip(*self.best, strict=True))
        )
        found[queries] = rows
        return found

    def _measured(self, queries: Ints1d, rows: Ints1d) -> tuple[Ints1d, Ints1d, Floats1d]:
        """The pairs with their squared distances in float64, on the host."""
        distances = np.empty(len(rows))
        for part in _even_parts(len(rows), max(1, MIB // (8 * self.Z.shape[1]))):
            D = self.index._X[rows[part]] - self.Z[queries[part]]
            distances[part] = self._host(self.xp.square(D).sum(axis=1))
        return self._host(queries), self._host(rows), distances

    def _host(self, array: Any) -> Any:
        return self.ops.to_numpy(array)


def _least(queries: Ints1d, rows: Ints1d, distances: Floats1d) -> tuple[Ints1d, Ints1d, Floats1d]:
    """The pair of least distance for each query, of those the one of the lowest row."""
    order = np.lexsort((rows, distances, queries))
    queries, rows, distances = queries[order], rows[order], distances[order]
    first = np.ones(len(queries), dtype=bool)
    first[1:] = queries[1:] != queries[:-1]
    return queries[first], rows[first], distances[first]


def _fold(xp: Any, S: Floats2d, out: Floats2d) -> None:
    """S: (GROUP * g, w) -> out: (g, w), the maxima over places that lie g apart. Overwrites S.

    Whole halves are what numpy's maximum does fastest: twice as fast as max(axis=...).
    """
    height = len(S) // 2
    while height > len(out):
        xp.maximum(S[:height], S[height : 2 * height], out=S[:height])
        height //= 2
    xp.maximum(S[:height], S[height : 2 * height], out=out)


def _padded(rows: int) -> int:
    return -(-rows // GROUP) * GROUP


def _even_parts(k: int, most: int) -> list[slice]:
    """range(k) in the fewest slices of at most `most`, as equal as can be."""
    return list(blocks(k, -(-k // -(-k // most)))) if k else []


def _group_maxima(xp: Any, values: Floats1d) -> Floats1d:
    padded = xp.zeros(_padded(len(values)))
    padded[: len(values)] = values
    return cast(Floats1d, padded.reshape(-1, GROUP).max(axis=1))


def _half_squares(xp: Any, X: Floats2d, mean: Floats1d) -> Floats1d:
    """||x - m||^2 / 2 of every row, in float64."""
    half = xp.empty(len(X))
    mean = mean.astype("float64")
    for part in blocks(len(X), ON_CPU.rows):
        A = X[part] - mean
        half[part] = xp.square(A, out=A).sum(axis=1) / 2
    return cast(Floats1d, half)


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


def _checked_table(X: Floats2d) -> Floats2d:
    if X.ndim != 2 or 0 in X.shape:
        raise DxError(Errors.DX020.format(expected="a table (n, d) of vectors", given=X.shape))
    if not (isfinite(float(X.max())) and isfinite(float(X.min()))):
        raise DxError(Errors.DX020.format(expected="finite numbers", given="nan or inf"))
    X = to_device(X)
    return cast(Floats2d, array_module(X).ascontiguousarray(X, dtype="float32"))


@registry.dx_indexes("dx.Exact.v1")
def make_exact() -> ExactIndex:
    """Exact search over the whole table, blockwise; no setting."""
    return ExactIndex()
