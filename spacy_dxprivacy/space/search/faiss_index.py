"""Fast nearest neighbour (dx.Faiss.v1): a coarse first pass by faiss, then exact re-ranking; and
the choice of an index by size (dx.AutoIndex.v1).

The first pass scans codes of about half a byte for every two dimensions, and selects 512
candidates. These are compared with the query by the vectors of the table: in float32, and in
float64 if several remain. So it only misses nearest rows that the first pass ranks below 512
others.

It reads the noisy vector only, so a miss costs meaning and no privacy.

Threads are those of OpenMP (OMP_NUM_THREADS). A worker process gets one thread: its siblings use
the other cores, and after a fork OpenMP would wait for ever on threads that were not copied.

`dx index` writes an index into the folder of its space:

index/index.faiss   the output of faiss.write_index
index/index.json    format, version of faiss, recall and its epsilon, digests of table and codes

Faiss cannot map codes of fast scan: forked workers share those of their parent, spawned workers
have a copy each (75 bytes a row for 300 dimensions).

Papers  Andre, Kermarrec, Le Scouarnec 2015, "Cache locality is not enough: high-performance nearest
        neighbor search with product quantization fast scan"; Douze et al. 2024, "The Faiss library"
        (arXiv 2401.08281)
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import srsly

from ... import progress
from ...arrays import Floats2d, Ints1d, Ints2d, blocks
from ...errors import DxError, Errors
from ...files.atomic import new_folder
from ...files.limits import check_digests, file_digests, read_json
from ...machine import in_worker
from ...registries import registry
from ...validate import fail
from ..folder import digest_of
from .exact import ExactIndex, take_nearer
from .protocols import Index

# Candidates of the first pass. On 400,000 words of 50 dimensions, recall is .89 at epsilon .5 of
# Laplace noise, .98 at 2, .994 at 3 and .999 at 5: `dx index` measures it at an epsilon.
REFINE = 512
MIN_CODED_ROWS, MIN_CODED_DIMS = 1024, 8  # rows and dimensions, below which codes are not used
TRAIN_ROWS = 65_536  # evenly spaced; more do not improve 16 centroids a code
ADD_ROWS = 65_536
_forked = False


def _mark_child() -> None:
    """Set one thread in a forked child, which lacks OpenMP's threads: its first parallel loop would
    wait for them (https://github.com/facebookresearch/faiss/issues/5206)."""
    global _forked
    _forked = True
    faiss = sys.modules.get("faiss")
    if hasattr(faiss, "omp_set_num_threads"):
        faiss.omp_set_num_threads(1)  # type: ignore[union-attr]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_mark_child)


def load_faiss() -> Any:
    """Import faiss, with one thread in a worker. OpenMP has a setting for each thread, so call this
    before every use."""
    import faiss

    if _forked or in_worker():
        faiss.omp_set_num_threads(1)
    return faiss


def l1_distances(Z: Floats2d, X: Floats2d, *, factor: float) -> Floats2d:
    """Return the L1 distances of Z (k, d) to X (m, d), times a factor, float32 (k, m), by one
    thread: three times as fast as in float64."""
    faiss = load_faiss()
    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        Y, T = (np.ascontiguousarray(table, dtype=np.float32) for table in (Z, X))
        D: Floats2d = faiss.pairwise_distances(Y, T, faiss.METRIC_L1)
    finally:
        faiss.omp_set_num_threads(threads)
    D *= np.float32(factor)
    return D


def default_factory(n: int, d: int) -> str:
    """Return codes of four bits for every two dimensions; "Flat" for few or short rows. Fewer bits
    scan faster, but need too many candidates."""
    if n < MIN_CODED_ROWS or d < MIN_CODED_DIMS:
        return "Flat"
    return f"PQ{d // 2}x4fs" if d % 2 == 0 else f"Pad{d + 1},PQ{(d + 1) // 2}x4fs"


def build(X: Floats2d, factory: str) -> Any:
    """Build a faiss index of X, float32 (n, d), and show its progress on a terminal."""
    faiss, (n, d) = load_faiss(), X.shape
    trained = min(n, TRAIN_ROWS)
    index = faiss.index_factory(d, factory)
    rows = np.arange(trained, dtype=np.int64) * n // trained
    index.train(np.ascontiguousarray(X[rows], dtype=np.float32))
    with progress.bar(n, "indexed rows") as bar:
        for part in blocks(n, ADD_ROWS):
            index.add(np.ascontiguousarray(X[part], dtype=np.float32))
            bar.update(part.stop - part.start)
    return index


FORMAT = 2
FOLDER, ABOUT, CODES = "index", "index.json", "index.faiss"
PROBES = 1000  # noisy vectors at which recall is measured


def write_index(X: Floats2d, space: Path, epsilon: float) -> float:
    """Build the index of a table, float32 (n, d), into the folder of its space, atomically.

    Args:
        X: The vectors of the space.
        space: Its folder.
        epsilon: Nats per unit of distance, at which recall is measured.

    Returns:
        Its recall, as in index.json: the share of noisy vectors with the correct nearest row.

    Raises:
        DxError: As FaissIndex.fit does.
    """
    index = FaissIndex().fit(X)
    recall = recall_of(index, X, epsilon)
    with new_folder(space / FOLDER) as folder:
        load_faiss().write_index(index.codes, str(folder / CODES))
        about = {
            "format": FORMAT,
            "faiss": load_faiss().__version__,
            "recall": recall,
            "epsilon": epsilon,
            "rows": X.shape[0],
            "dims": X.shape[1],
            "table": digest_of([], X),
            "files": file_digests(folder, [CODES]),
        }
        srsly.write_json(folder / ABOUT, about)
    return recall


def recall_of(index: Index, X: Floats2d, epsilon: float) -> float:
    """Return the share of PROBES words for which a fitted index finds the row of X that is nearest
    to their vector with Laplace noise of this epsilon."""
    rng = np.random.default_rng(0)
    Y = X[np.sort(rng.integers(len(X), size=PROBES))].astype(np.float64)
    scales = np.sqrt(rng.gamma((Y.shape[1] + 1) / 2, 2.0, PROBES)) / epsilon
    Z = Y + rng.standard_normal(Y.shape) * scales[:, None]
    return float((index.nearest(Z) == ExactIndex().fit(X).nearest(Z)).mean())


def read_index(space: Path, X: Floats2d) -> Any:
    """Read the index in the folder of a space, for the table X: float32 (n, d).

    Raises DxError if it is missing, damaged, or of another version of faiss or another table.
    """
    folder = space / FOLDER

    def damaged(why: str) -> DxError:
        return DxError(Errors.DX050.format(path=space, why=why))

    faiss = load_faiss()
    try:
        about: dict[str, Any] = read_json(folder / ABOUT)
        built, version = (about["rows"], about["dims"], about["table"]), about["faiss"]
        if about["format"] != FORMAT:
            raise ValueError("another format")
        seal = dict(about["files"])
    except (OSError, ValueError, KeyError, TypeError):
        raise damaged(f"it has no whole {FOLDER}/{ABOUT} of format {FORMAT}.") from None
    if version != faiss.__version__:
        raise DxError(Errors.DX052.format(path=space, saved=version, found=faiss.__version__))
    # The digest is of the vectors only: those of a mechanism may be clipped or projected.
    wanted = (*X.shape, digest_of([], X))
    if built != wanted:
        saved, asked = (f"{n} x {d} ({str(table)[:12]})" for n, d, table in (built, wanted))
        raise DxError(Errors.DX051.format(path=space, saved=saved, found=asked))
    try:
        check_digests(folder, seal, [CODES], sys.maxsize)
        index = faiss.read_index(str(folder / CODES), faiss.IO_FLAG_MMAP_IFC)
    except (OSError, ValueError, RuntimeError):
        raise damaged(f"{CODES} is missing, or is not what {ABOUT} says.") from None
    if (index.ntotal, index.d) != X.shape:
        raise damaged(f"{CODES} and {ABOUT} do not belong together.")
    return index


PAIRS_AT_ONCE = 2**20  # of queries and candidates
MAX_QUERY_LENGTH = 256.0  # times the longest row: the first pass shortens longer queries
MAX_NORM = 1e15  # of rows: float32 can square rows and longer queries


@registry.dx_indexes("dx.Faiss.v1")
class FaissIndex:
    """Search for approximate Euclidean nearest rows by faiss. The table is not copied.

    Args:
        path: The folder of a space with an index by `dx index`; if None, it is
            built whenever a mechanism is fitted.
    """

    def __init__(self, path: str | None = None) -> None:
        self.path = None if path is None else Path(path)

    def fit(self, X: Floats2d) -> FaissIndex:
        """Train codes on at most 65,536 rows and encode all; with a path, read the saved index.

        Args:
            X: float32 (n, d), finite; referenced, not copied.

        Raises:
            DxError: For other arrays, and a table that the saved index was not built for.
        """
        if X.ndim != 2 or 0 in X.shape:
            raise DxError(Errors.DX020.format(expected="a table (n, d) of vectors", given=X.shape))
        X, squares = np.ascontiguousarray(X, dtype=np.float32), []
        for part in blocks(len(X), ADD_ROWS):  # a mapped table is never in memory as a whole
            squares.append(float(np.einsum("nd,nd->n", X[part], X[part], dtype=np.float64).max()))
        norm = self._longest = float(np.sqrt(np.max(squares)))  # nan where a row has it
        if not norm < MAX_NORM or 0 < norm < 1 / MAX_NORM:
            limits = f"from {1 / MAX_NORM:g} to {MAX_NORM:g}"
            expected = f"finite rows for dx.Faiss.v1, the longest {limits}"
            longest = f"a longest of {norm:g} (dx.Exact.v1 takes all)"
            raise DxError(Errors.DX020.format(expected=expected, given=longest))
        self._factory = default_factory(*X.shape)
        self.codes = build(X, self._factory) if self.path is None else read_index(self.path, X)
        self._refine = min(REFINE, len(X))
        self._table = X
        return self

    # The mechanism fits a copy again, on a table that need not travel with it.
    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path}

    @property
    def choice(self) -> str:
        """The fitted index, for the receipt."""
        if not hasattr(self, "_table"):
            return "dx.Faiss.v1"
        return f"dx.Faiss.v1({self._factory}, refine={self._refine})"

    def nearest(self, Z: Floats2d) -> Ints1d:
        """Return the nearest candidate of each query; ties go to the lowest row.

        Args:
            Z: Queries, float32 or float64 (k, d).

        Returns:
            Rows, int64 (k,).

        Raises:
            DxError: For other shapes, numbers that are not finite, and before fit.
        """
        if not hasattr(self, "_table"):
            raise DxError(Errors.DX003.format(name="dx.Faiss.v1"))
        Z, d = np.asarray(Z), self._table.shape[1]
        if Z.ndim != 2 or Z.shape[1] != d or Z.dtype.kind != "f":
            raise fail("Z", f"an array of floats of shape (k, {d})", f"{Z.dtype} {Z.shape}")
        Z = Z.astype(np.float64)
        if not (np.abs(Z) < 1e150).all():
            raise fail("Z", "numbers below 1e+150", "one above, or not finite")
        nearest = np.empty(len(Z), dtype=np.int64)
        limit = MAX_QUERY_LENGTH * (self._longest or 1.0)
        for part in blocks(len(Z), max(1, PAIRS_AT_ONCE // self._refine)):
            load_faiss()
            norms = np.sqrt(np.square(Z[part]).sum(axis=1))
            shorter = Z[part] * np.minimum(1.0, limit / np.maximum(norms, limit))[:, None]
            _, rows = self.codes.search(shorter.astype(np.float32), self._refine)
            rows = np.ascontiguousarray(rows, dtype=np.int64)  # -1 where it finds fewer
            nearest[part] = rerank(Z[part], self._table, rows)
        return nearest


def rerank(Z: Floats2d, X: Floats2d, rows: Ints2d) -> Ints1d:
    """Return the nearest candidate of each query, int64 (k,), by float64 differences; ties go to
    the lowest row. Z: float64 (k, d), X: float32 (n, d), rows: int64 (k, r), -1 for none. A query
    without candidates is compared with all rows."""
    faiss = load_faiss()
    D = np.full(rows.shape, np.inf, dtype=np.float32)
    Y = np.ascontiguousarray(np.clip(Z, -1e18, 1e18), dtype=np.float32)
    swig = faiss.swig_ptr
    faiss.fvec_L2sqr_by_idx(swig(D), swig(Y), swig(X), swig(rows), Y.shape[1], *rows.shape)
    # Twice the error of a float32 sum of squares and of rounding the query, with a reserve.
    slack = 4 * (Y.shape[1] + 8) * 2.0**-24
    low = D.min(axis=1).astype(np.float64)
    close = D <= (low * (1 + slack))[:, None]
    # Rounding a query moves it by 2**-24 of its length, which matters for very near rows.
    length = np.sqrt(np.square(Y.astype(np.float64)).sum(axis=1))
    close |= D <= np.square(np.sqrt(low) + length * 2.0**-22)[:, None]
    close &= rows >= 0
    best, squares = np.zeros(len(Z), dtype=np.int64), np.full(len(Z), np.inf)
    queries, places = np.nonzero(close)
    take_nearer(X, Z, (queries, rows[queries, places]), best, squares)
    is_empty = ~close.any(axis=1)
    if is_empty.any():
        best[is_empty] = ExactIndex().fit(X).nearest(Z[is_empty])
    return best


# Numbers of a table (n times d), above which dx.Faiss.v1 is at least twice as fast (see
# benchmarks/speed.py).
EXACT_UP_TO = 30_000_000


@registry.dx_indexes("dx.AutoIndex.v1")
class AutoIndex:
    """Use dx.Exact.v1 for tables of up to 30 million numbers and dx.Faiss.v1 for larger ones.

    choice: the index that `fit` chose.
    """

    def __init__(self) -> None:
        self.choice = "dx.AutoIndex.v1"
        self._chosen: Index | None = None

    def fit(self, X: Floats2d) -> AutoIndex:
        """Choose and fit an index of X: float32 (n, d), finite; referenced, not copied.

        Raises DxError for other arrays.
        """
        self._chosen = (ExactIndex() if X.size <= EXACT_UP_TO else FaissIndex()).fit(X)
        self.choice = getattr(self._chosen, "choice", "dx.Exact.v1")
        return self

    # The mechanism fits a copy again, on a table that need not travel with it.
    def __getstate__(self) -> dict[str, Any]:
        return AutoIndex().__dict__

    def nearest(self, Z: Floats2d) -> Ints1d:
        """Return the nearest rows, int64 (k,), of Z (k, d) by the chosen index. Raise DxError as it
        does, and before fit."""
        if self._chosen is None:
            raise DxError(Errors.DX003.format(name="dx.AutoIndex.v1"))
        return self._chosen.nearest(Z)
