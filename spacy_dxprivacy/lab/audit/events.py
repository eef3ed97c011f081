"""Scores of outputs by which two words might be told apart. An event is "a score is t or more".

Any function of the output will do: the test is sound for every event, since it is chosen on draws
that are not tested. `first` are draws that scores may learn from; they are used for nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...arrays import Floats1d, Floats2d, Ints1d
from ...ty import Draw

LINE = np.array([-2, -1, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3])
ACROSS = np.array([-2, -1, -0.5, -0.25, -0.1, 0, 0.1, 0.25, 0.5, 1, 2])

Score = Callable[[], Floats1d]


@dataclass(frozen=True)
class Sides:
    """Two words, and what is known of them. words: their rows. table: (n, d) of the space.
    centres: (2, c), where the noise of each starts, in the dimensions of the noisy vectors.
    first: a draw of each, to learn from."""

    words: tuple[int, int]
    table: Floats2d
    centres: Floats2d
    first: tuple[Draw, Draw]


def scores(sides: Sides, draw: Draw) -> Iterator[tuple[str, Score]]:
    """Names and scores of k outputs; a score gives its numbers (k,) when it is called. draw has as
    many outputs as each of `first`."""
    yield from _of_words(sides, draw.rows)
    if draw.vectors is not None:
        yield from _of_vectors(sides, np.asarray(draw.vectors))


def _of_words(sides: Sides, rows: Ints1d) -> Iterator[tuple[str, Score]]:
    one, other = (draw.rows for draw in sides.first)
    yield "word by likelihood", partial(_likelihood, one, other, rows, len(sides.table))
    x, y = sides.table[list(sides.words)].astype(np.float64)
    for number, word in enumerate(sides.words):
        yield f"the word is word {number}", partial(_same, rows, np.int64(word))
    yield "projection of the word on the difference", lambda: (sides.table @ (y - x))[rows]
    for number, draw in enumerate(sides.first):
        name = f"the word drawn at this place in an earlier call for word {number}"
        yield name, partial(_same, rows, draw.rows)


def _of_vectors(sides: Sides, Z: Floats2d) -> Iterator[tuple[str, Score]]:
    x, y = sides.centres
    A, B = Z.astype(np.float64) - x, Z.astype(np.float64) - y
    yield "projection on the difference", lambda: A @ (y - x)
    yield "L2 distance to word 0", lambda: _norm(A, 2)
    yield "L2 distance to word 1", lambda: _norm(B, 2)
    for order in (2, 1, np.inf):
        yield f"difference of L{order} distances", partial(_difference, A, B, order)
    yield "support: largest coordinate from word 0", lambda: _norm(A, np.inf)
    yield "support: largest coordinate from word 1", lambda: _norm(B, np.inf)
    yield "low-order bits against word 0", lambda: unreachable(Z, x)
    yield "low-order bits against word 1", lambda: unreachable(Z, y)
    yield "place by likelihood", partial(_by_place, sides, Z)
    for number, draw in enumerate(sides.first):
        name = f"the vector drawn at this place in an earlier call for word {number}"
        yield name, partial(_same_vector, Z, draw.vectors)


def _same(rows: Ints1d, wanted: Any) -> Floats1d:
    found: Floats1d = (rows == wanted).astype(np.float64)
    return found


def _same_vector(Z: Floats2d, wanted: Any) -> Floats1d:
    same: Floats1d = np.all(Z == wanted, axis=1).astype(np.float64)
    return same


def _norm(A: Floats2d, order: float) -> Floats1d:
    if order == 2:
        found: Floats1d = np.sqrt(np.einsum("kd,kd->k", A, A))
        return found
    # Column by column: numpy is slow along a short axis.
    norms = np.zeros(len(A))
    for column in np.abs(A).T:
        norms = norms + column if order == 1 else np.maximum(norms, column)
    return norms


def _difference(A: Floats2d, B: Floats2d, order: float) -> Floats1d:
    return _norm(A, order) - _norm(B, order)


def _by_place(sides: Sides, Z: Floats2d) -> Floats1d:
    frame = _Frame.of(sides.centres[0], sides.centres[1] - sides.centres[0])
    one, other = (frame.cells(np.asarray(draw.vectors)) for draw in sides.first)
    return _likelihood(one, other, frame.cells(Z), frame.count)


def _likelihood(one: Ints1d, other: Ints1d, seen: Ints1d, n: int) -> Floats1d:
    """ln of the ratio of the counts of each output among the first draws."""
    counts = [np.bincount(some, minlength=n) + 0.5 for some in (one, other)]
    ratio: Floats1d = np.log(counts[0] / counts[1])[seen]
    return ratio


def unreachable(Z: Floats2d, x: Floats1d) -> Floats1d:
    """(k,): how many coordinates of each vector no sum x + z rounds to (Mironov 2012).

    z = v - x has a last binary place; where v has finer ones, it did not come from x. Coordinates
    near the border of a binade are let off.
    """
    V = Z if Z.dtype in (np.float32, np.float64) else Z.astype(np.float64)
    last = np.spacing(np.abs(V.astype(np.float64) - x).astype(V.dtype) * V.dtype.type(0.99))
    last = np.minimum(last, np.spacing(np.maximum(np.abs(x), 1e-30).astype(np.float32)))
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        units = V.astype(np.float64) / last
        finer = np.isfinite(units) & (units != np.rint(units))
    counts: Floats1d = finer.sum(axis=1).astype(np.float64)
    return counts


@dataclass(frozen=True)
class _Frame:
    """Cells of a vector by where it lies along the line between two words, and across it."""

    origin: Floats1d
    along: Floats1d
    length: float

    @classmethod
    def of(cls, x: Floats1d, apart: Floats1d) -> _Frame:
        length = float(np.linalg.norm(apart))
        first = np.zeros(len(apart))
        first[0] = 1.0
        return cls(x, apart / length if length > 0 else first, length or 1.0)

    @property
    def count(self) -> int:
        return (len(LINE) + 1) * (len(ACROSS) + 1)

    def cells(self, Z: Floats2d) -> Ints1d:
        A = (Z.astype(np.float64) - self.origin) / self.length
        u = A @ self.along
        if A.shape[1] == 2:
            v = A @ np.array([-self.along[1], self.along[0]])
        else:
            v = np.sqrt(np.maximum(np.einsum("kd,kd->k", A, A) - u * u, 0))
        cells: Ints1d = np.digitize(u, LINE) * (len(ACROSS) + 1) + np.digitize(v, ACROSS)
        return cells
