"""The nearest rows of every row of a public table: a build step, by faiss in float32.

What is made of these lists may be made of any public lists, so a neighbour that is missed costs
meaning and no privacy. Distances that a guarantee is stated in are those of metric.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from ..arrays import Floats2d, Ints2d, blocks
from .faiss_codes import load_faiss

EXACT_ROWS = 100_000  # beyond, near rows are sought in the cells of an index
CELLS_SEARCHED = 32
SEARCHED_AT_ONCE = 8192


def nearest_others(Y: Floats2d, depth: int) -> Ints2d:
    """Y: float32 (n, d) -> int64 (n, depth): the rows nearest to each, without itself; -1 where an
    index finds no more. Shows its progress on a terminal."""
    n = len(Y)
    found = np.full((n, depth + 1), -1, dtype=np.int64)
    index = _index(Y)
    with tqdm(total=n, desc="near words", disable=None, delay=1, leave=False) as bar:
        for part in blocks(n, SEARCHED_AT_ONCE):
            found[part] = index.search(Y[part], depth + 1)[1]
            bar.update(part.stop - part.start)
    itself = found == np.arange(n)[:, None]
    # Of many rows at one point, a row may miss itself: then its last neighbour goes.
    itself[~itself.any(axis=1), -1] = True
    others: NDArray[np.int64] = found[~itself].reshape(n, depth)
    return others


def _index(Y: Floats2d) -> Any:
    """All pairs, or for many rows cells of near ones, a hundred times as fast."""
    faiss = load_faiss()
    n, d = Y.shape
    index: Any = faiss.IndexFlatL2(d)
    if n > EXACT_ROWS:
        cells = int(4 * np.sqrt(n))
        index = faiss.IndexIVFFlat(index, d, cells)
        index.nprobe = CELLS_SEARCHED
        index.train(Y[:: max(1, n // (40 * cells))])
    index.add(Y)
    return index
