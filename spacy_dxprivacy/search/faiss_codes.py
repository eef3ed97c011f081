"""Indexes that faiss builds: the module itself, codes of a table, and the memory that they take.

Threads are those of OpenMP (OMP_NUM_THREADS). A worker process, forked or spawned, gets one: its
brothers use the other cores, and OpenMP waits for ever on threads that a fork has not copied.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import Floats2d, blocks
from ..errors import DxError, Errors
from ..machine.compute import let_go

REFINE = 512  # recall 0.999 on GloVe-like vectors under the heaviest noise
SMALL, FLAT = 1024, 8  # rows, dimensions; too few for codes
TRAIN_ROWS = 65_536  # evenly spaced; more do not better 16 centroids a code
ADD_ROWS = 65_536
GIB = 2**30

Progress = Callable[[int], Any]
_forked = False


def _mark_child() -> None:
    """OpenMP's threads are not in a forked child, and its first parallel loop would wait for them
    (https://github.com/facebookresearch/faiss/issues/5206). Other users of faiss are helped too."""
    global _forked
    _forked = True
    faiss = sys.modules.get("faiss")
    if hasattr(faiss, "omp_set_num_threads"):
        faiss.omp_set_num_threads(1)  # type: ignore[union-attr]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_mark_child)


def load_faiss() -> Any:
    """The module, held to one thread in a worker. Each thread has a number of its own: call it
    before every use."""
    import faiss

    if _forked or multiprocessing.parent_process() is not None:
        faiss.omp_set_num_threads(1)
    return faiss


def default_factory(n: int, d: int) -> str:
    """Four bits for every two dimensions; the vectors themselves where rows are few or short.

    Fewer bits are faster to scan, and need so many more candidates that nothing is won.
    """
    if n < SMALL or d < FLAT:
        return "Flat"
    return f"PQ{d // 2}x4fs" if d % 2 == 0 else f"Pad{d + 1},PQ{(d + 1) // 2}x4fs"


def build(X: Floats2d, factory: str, on_rows: Progress | None = None) -> Any:
    """A faiss index of the rows of X: float32 (n, d). on_rows: called with each number of rows
    that have been added.

    Raises DxError where faiss refuses the factory, or the result would not fit into memory.
    """
    faiss = load_faiss()
    try:
        index = faiss.index_factory(X.shape[1], factory)
        check_memory(needed_bytes(index, *X.shape))
        index.train(_training_rows(X))
        for part in blocks(len(X), ADD_ROWS):
            rows = np.ascontiguousarray(X[part], dtype=np.float32)
            index.add(rows)
            let_go(X)
            if on_rows is not None:
                on_rows(len(rows))
    except RuntimeError as error:
        raise _refused(factory, X, error) from None
    return index


def _training_rows(X: Floats2d) -> Floats2d:
    n = len(X)
    rows = np.arange(min(n, TRAIN_ROWS), dtype=np.int64) * n // min(n, TRAIN_ROWS)
    return np.ascontiguousarray(X[rows], dtype=np.float32)


def _refused(factory: str, X: Floats2d, error: RuntimeError) -> DxError:
    why = str(error).strip().splitlines()[0].rsplit("failed: ", 1)[-1]
    return DxError(Errors.DX053.format(factory=factory, n=len(X), d=X.shape[1], why=why))


def needed_bytes(index: Any, n: int, d: int) -> int:
    """Bytes of memory to build: the codes, once more while they grow, and the training rows."""
    try:
        row = int(index.sa_code_size())
    except RuntimeError:  # graphs do not say
        row = 8 * d
    return 2 * n * row + 3 * min(n, TRAIN_ROWS) * d * 4


def check_memory(needed: int) -> None:
    """Raises DxError before the work starts, with the estimate."""
    free = available_bytes()
    if free is not None and needed > free:
        raise DxError(Errors.DX054.format(needed=needed / GIB, free=free / GIB))


def available_bytes() -> int | None:
    """What the system says it could give; None where it does not say."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if "MemAvailable" in line)
    except (OSError, StopIteration, ValueError):
        return None


# -- tables --------------------------------------------------------------------------------------
