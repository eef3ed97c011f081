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
from .faiss_codes import FLAT, build, load_faiss

EXACT_ROWS = 100_000  # beyond, rows that seem near by their codes are compared
COMPARED = 1024  # with each: of the hundred nearest, .99 are among them
SEARCHED_AT_ONCE = 8192


def nearest_others(Y: Floats2d, depth: int) -> Ints2d:
    """Y: float32 (n, d) -> int64 (n, depth): the rows nearest to each, without itself; -1 where an
    index finds no more. Shows its progress on a terminal."""
    n = len(Y)
    found = np.full((n, depth + 1), -1, dtype=np.int64)
    index = _index(Y, depth + 1)
    with tqdm(total=n, desc="near words", disable=None, delay=1, leave=False) as bar:
        for part in blocks(n, SEARCHED_AT_ONCE):
            found[part] = index.search(Y[part], depth + 1)[1]
            bar.update(part.stop - part.start)
    itself = found == np.arange(n)[:, None]
    # Of many rows at one point, a row may miss itself: then its last neighbour goes.
    itself[~itself.any(axis=1), -1] = True
    others: NDArray[np.int64] = found[~itself].reshape(n, depth)
    return others


def _index(Y: Floats2d, depth: int) -> Any:
    """All pairs, or for many rows codes of all pairs, and some of the pairs themselves.

    Cells of an inverted file lose more than they win: of words, the short rows are near to many
    wherever these are, and where they are missed, others rank before their turn, and words reach
    twice as many.
    """
    faiss, (n, d) = load_faiss(), Y.shape
    if n <= EXACT_ROWS:
        index: Any = faiss.IndexFlatL2(d)
        index.add(Y)
        return index
    index = faiss.IndexRefineFlat(build(Y, _factory(d)), faiss.swig_ptr(Y))
    index.k_factor = max(1.0, COMPARED / depth)
    return index


def _factory(d: int) -> str:
    """Four bits for every three dimensions: a row is sought, and not a noisy vector, and fewer
    codes are as good for that."""
    triples = -(-d // 3)
    pad = "" if d % 3 == 0 else f"Pad{3 * triples},"
    return "Flat" if d < FLAT else f"{pad}PQ{triples}x4fs"
