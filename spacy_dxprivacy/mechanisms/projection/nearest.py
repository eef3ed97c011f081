r"""The nearest word (dx.Nearest.v1); the Vickrey rule (dx.Vickrey.v1), sometimes the second one.

dx.Nearest.v1 gives the word whose vector is nearest to the noisy one, by Euclidean distance; ties
go to the lowest row. It is what the papers on dx-privacy do. With u_1 and u_2 nearest to the noisy
vector, at distances d_1 <= d_2, dx.Vickrey.v1 has

    P(u_1) = (1 - t) d_2 / (t d_1 + (1 - t) d_2)

Paper: Xu, Aggarwal, Feyisetan, Teissier 2021, "On a utilitarian approach to privacy preserving text
generation" (arXiv 2104.11838). Both words are sought in the whole space: leaving out the word that
went in, as public code does, leaves no guarantee.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats2d, Ints1d
from ...privacy.randomness import Rng
from ...registries import registry
from ...space.search.exact import make_exact
from ...space.search.metric import neighbours
from ...ty import Index
from ...validate import between


class Nearest:
    """Project to the Euclidean nearest row; ties go to the lowest row."""

    def __init__(self, index: Index) -> None:
        self.index = index

    def fit(self, X: Floats2d, *, epsilon: float) -> Nearest:
        """Fit the index on X, float (n, d), whatever epsilon."""
        self.index.fit(X)
        return self

    def project(self, Z: Floats2d, rng: Rng) -> Ints1d:
        """Return rows (k,) for noisy vectors Z (k, d)."""
        return self.index.nearest(Z)


@registry.dx_projections("dx.Nearest.v1")
def make_nearest(index: Index | None = None) -> Nearest:
    """Create the projection to the nearest word.

    Args:
        index: How it is searched; exactly if None.
    """
    return Nearest(make_exact() if index is None else index)


class Vickrey:
    """Project to the nearest row or the second nearest, by their distances."""

    def __init__(self, t: float) -> None:
        self.t = t

    def fit(self, X: Floats2d, *, epsilon: float) -> Vickrey:
        """Fit X, float (n, d), whatever epsilon."""
        self._X = X
        return self

    # The mechanism fits a copy again, on a table that need not travel with it.
    def __getstate__(self) -> dict[str, float]:
        return {"t": self.t}

    def project(self, Z: Floats2d, rng: Rng) -> Ints1d:
        """Return rows (k,) for noisy vectors Z (k, d)."""
        uniforms = rng.uniform(len(Z))
        if len(self._X) < 2 or not len(Z):
            return np.zeros(len(Z), dtype=np.int64)
        rows, D = neighbours(Z, self._X, 2)
        first, second = self.t * D[:, 0], (1 - self.t) * D[:, 1]
        total = first + second
        # Where both distances vanish the two words are one point, and the first will do.
        p = np.divide(second, total, out=np.ones_like(total), where=total > 0)
        return np.where(uniforms < p, rows[:, 0], rows[:, 1])


@registry.dx_projections("dx.Vickrey.v1")
def make_vickrey(t: float = 0.75) -> Vickrey:
    """Create the Vickrey rule.

    Args:
        t: From 0 (always the nearest word) to 1 (always the second).
    """
    return Vickrey(between("t", t, 0.0, 1.0, "[]"))
