"""The nearest word (dx.Nearest.v1).

The output is the word whose vector is nearest to the noisy one, by Euclidean distance; ties go to
the lowest row. It is what the papers on dx-privacy do.
"""

from __future__ import annotations

from ..arrays import Floats2d, Ints1d
from ..randomness import Rng
from ..registries import registry
from ..search.exact import make_exact
from ..ty import Index


class Nearest:
    """Project to the Euclidean nearest row; ties go to the lowest row."""

    def __init__(self, index: Index) -> None:
        self.index = index

    def fit(self, X: Floats2d, *, epsilon: float) -> Nearest:
        """Fits the index on X float (n, d); epsilon does not matter to it."""
        self.index.fit(X)
        return self

    def project(self, Z: Floats2d, rng: Rng) -> Ints1d:
        """Z: (k, d) noisy vectors -> rows (k,)."""
        return self.index.nearest(Z)


@registry.dx_projections("dx.Nearest.v1")
def make_nearest(index: Index | None = None) -> Nearest:
    """Nearest neighbour over an index; without one, the exact search."""
    return Nearest(make_exact() if index is None else index)
