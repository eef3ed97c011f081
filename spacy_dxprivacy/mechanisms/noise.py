"""What mechanisms of the form "add noise to the vector, then project" share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import DxError, Errors
from ..guarantee import Guarantee
from ..projection.nearest import make_nearest
from ..randomness import Rng
from ..space import Space
from ..ty import Draw, Floats2d, Ints1d, Projection

GRID_BITS = 10


class NoiseMechanism:
    """x + z, on a grid, then a projection.

    noise: (k, d, rng) -> float64 (k, d). spread: d -> the standard deviation of a coordinate,
    which sets the grid.
    """

    def __init__(
        self,
        name: str,
        guarantee: Guarantee,
        noise: Callable[[int, int, Rng], Floats2d],
        spread: Callable[[int], float],
        projection: Projection | None = None,
    ) -> None:
        self.name = name
        self.guarantee = guarantee
        self.noise = noise
        self.spread = spread
        self.projection = make_nearest() if projection is None else projection
        self._space: Space | None = None

    def fit(self, space: Space) -> NoiseMechanism:
        self.projection.fit(space.vectors)
        self.guarantee = self.guarantee.named(space.digest)
        self._space = space
        return self

    def sample(self, rows: Ints1d, rng: Rng) -> Draw:
        """rows: int64 (k,) -> replacements (k,) and the noisy vectors, float32 (k, d).

        Raises DxError before fit, and for rows that the space does not have.
        """
        space = fitted(self._space, self.name)
        rows = checked_rows(rows, len(space))
        d = space.vectors.shape[1]
        Z = space.vectors[rows] + self.noise(len(rows), d, rng)
        Z = on_grid(Z, grid_step(self.spread(d)))
        return Draw(self.projection.project(Z, rng), Z)


def on_grid(Z: Floats2d, step: float) -> Floats2d:
    """Round float64 vectors to multiples of step, as float32.

    The low bits of x + z tell which x it was: unrounded vectors identify most words where the best
    statistical attack finds few (Mironov 2012, "On significance of the least significant bits").
    """
    Z /= step
    np.rint(Z, out=Z)
    Z *= step
    return Z.astype(np.float32)


def grid_step(spread: float) -> float:
    """A power of two, 2**-GRID_BITS of the standard deviation or less: exact in binary."""
    return float(2.0 ** (np.floor(np.log2(spread)) - GRID_BITS))


def fitted(space: Space | None, name: str) -> Space:
    if space is None:
        raise DxError(Errors.DX003.format(name=name))
    return space


def checked_rows(rows: Any, n: int) -> Ints1d:
    """rows as int64 (k,); DxError for another shape or type, or a row that is not in 0..n-1."""
    checked = np.asarray(rows)
    if checked.size == 0:
        return np.zeros(0, dtype=np.int64)
    if checked.ndim != 1 or checked.dtype.kind not in "iu":
        raise DxError(
            Errors.DX001.format(
                name="rows", expected="whole numbers of shape (k,)", given=checked.dtype.name
            )
        )
    if checked.min() < 0 or checked.max() >= n:
        raise DxError(Errors.DX002.format(last=n - 1))
    return checked.astype(np.int64)
