r"""Mechanisms that add noise to the vector of a word, then project to a word.

Projections map noisy vectors to rows: dx.Nearest.v1, dx.Vickrey.v1 and dx.RankSampling.v1.
All are post-processing.

dx.Nearest.v1 returns the word whose vector is nearest to the noisy one, by Euclidean distance; ties
go to the lowest row. The papers on dx-privacy use it. With u_1 and u_2 nearest to the noisy
vector, at distances d_1 <= d_2, dx.Vickrey.v1 has

    P(u_1) = (1 - t) d_2 / (t d_1 + (1 - t) d_2)

Paper: Xu, Aggarwal, Feyisetan, Teissier 2021, "On a utilitarian approach to privacy preserving text
generation" (arXiv 2104.11838). Both words are searched in the whole space: excluding the input
word, as public code does, voids the guarantee.

dx.RankSampling.v1 fixes the rank for many dimensions. The word nearest to the noisy vector is the
pivot; the output is its neighbour of rank k, with

    P(k) = q^k (1 - q) / (1 - q^n), q = exp(-c epsilon), k = 0 (the pivot itself) to n - 1

Paper: Asghar, Carpentier, Zhao, Kaafar 2024, "d_X-privacy for text and the curse of dimensionality"
(arXiv 2411.13784). Ranks are counted from the pivot, so this is post-processing; ranks from the
input word are not private. Epsilon is only a temperature here. The paper tunes c by hand
(0.04 for GloVe with 300 dimensions, 0.007 for word2vec).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import Bools2d, Floats1d, Floats2d, Ints1d
from ..errors import DxError, Errors
from ..machine import RowCache
from ..privacy.guarantee import Guarantee
from ..privacy.randomness import Rng
from ..registries import registry
from ..space import Space
from ..space.search.exact import Aim, ExactIndex, aimed, neighbours
from ..space.search.protocols import Index
from ..ty import (
    Draw,
    Facts,
    LogDensities,
    NoiseDistribution,
    Projection,
    ProjectsTo,
    unknown,
)
from ..validate import between, fail, positive
from .built import BuiltMechanism, checked_rows

if TYPE_CHECKING:
    from typing_extensions import Self

GRID_BITS = 10
NO_CLIP = "none"
UNCLIPPED_CODE = "public code of Huang et al. 2024, which does not clip"
UNCLIPPED = (
    "Vectors are not clipped: words may be farther apart than the noise was calibrated for, and "
    "the claim holds for no pair beyond that."
)
LISTS_BYTES = 2**28  # of cached lists of neighbours: 256 MB


@dataclass(frozen=True, eq=False, repr=False)
class Noise:
    """The noise of a mechanism on one space, and its guarantee.

    For centres X (k, d) and Y (m, d), `loss` is the largest log ratio of their noise densities,
    (k, m), and `delta` the least delta at epsilons (k, m), given X, Y and the rows of Y.
    """

    centres: Floats2d  # (n, d), to which noise is added and noisy vectors are projected: public
    draw: Callable[[Ints1d, Rng], Floats2d]  # rows (k,) -> noise, float64 (k, d)
    spread: float  # the least standard deviation of a coordinate, which sets the grid
    guarantee: Guarantee
    distances: Callable[[Ints1d], Floats2d] | None = None  # (k, n), the metric of the guarantee
    approximate: Callable[[float], float | None] = unknown  # distance -> epsilon at delta = 1e-6
    covers: Callable[[Ints1d], Bools2d] | None = None  # (k, n), pairs of the guarantee; else all
    loss: Callable[[Floats2d, Floats2d], Floats2d | None] = unknown
    delta: Callable[[Floats2d, Floats2d, Ints1d, Floats2d], Floats2d | None] = unknown
    # Centres (m, d) and their rows (m,) -> a function of vectors (k, d): ln of their densities,
    # float32 (k, m), up to a constant of each vector.
    log_densities: Callable[[Floats2d, Ints1d], LogDensities | None] = unknown


class NoiseMechanism(BuiltMechanism[Noise]):
    """Add noise to a vector, round to a grid, project to a word.

    noise_distribution: The exact distribution of the noise on a space, or None. It is derived
    without `build`, since an audit against `build` could not detect a wrong scale.
    """

    def __init__(
        self,
        name: str,
        guarantee: Guarantee,
        build: Callable[[Space, Guarantee], Noise],
        noise_distribution: Callable[[Space, Guarantee], NoiseDistribution | None] = unknown,
        projection: Projection | None = None,
    ) -> None:
        self.noise_distribution = noise_distribution
        self.projection = make_nearest() if projection is None else projection
        super().__init__(name, guarantee, build, Facts(projection=self.projection))

    def fit(self, space: Space) -> Self:
        super().fit(space)
        self.projection.fit(self.built.centres, epsilon=self.guarantee.epsilon)
        return self

    def _fitted_facts(self, space: Space, built: Noise) -> Facts:
        def centres(rows: Ints1d) -> Floats2d:
            return built.centres[rows].astype(np.float64)

        def loss(rows: Ints1d, outputs: Ints1d) -> Floats2d | None:
            return built.loss(centres(rows), centres(outputs))

        def delta(rows: Ints1d, outputs: Ints1d, epsilons: Floats2d) -> Floats2d | None:
            return built.delta(centres(rows), centres(outputs), outputs, epsilons)

        def log_densities(rows: Ints1d) -> LogDensities | None:
            return built.log_densities(centres(rows), rows)

        return replace(
            self._unfitted_facts,
            centres=built.centres,
            log_densities=log_densities,
            approximate=built.approximate,
            noise_distribution=partial(self.noise_distribution, space, self.guarantee),
            loss=loss,
            delta=delta,
        )

    def _sample(self, rows: Ints1d, rng: Rng) -> Draw:
        Z = self._noisy(rows, rng)
        return Draw(self.projection.project(Z, rng), Z)

    def sample_to(self, rows: Ints1d, rng: Rng, aim: Aim) -> Draw:
        """Sample rows (k,), the origins of an aim; -1 for outputs that are not aimed at."""
        Z, projection = self._noisy(checked_rows(rows, len(self.space)), rng), self.projection
        if isinstance(projection, ProjectsTo):
            return Draw(projection.project_to(Z, rng, aim), Z)
        return Draw(aim.only(projection.project(Z, rng)), Z)

    def _noisy(self, rows: Ints1d, rng: Rng) -> Floats2d:
        """Return noisy vectors of rows, float32 (k, d)."""
        noise = self.built
        Z = noise.draw(rows, rng)
        Z += noise.centres[rows]
        # The low bits of x + z reveal x: unrounded vectors identify most words where the best
        # statistical attack recovers few (Mironov 2012). A power of two is exact in binary.
        step = float(2.0 ** (np.floor(np.log2(noise.spread)) - GRID_BITS))
        Z /= step
        np.rint(Z, out=Z)
        Z *= step
        return Z.astype(np.float32)

    def distances(self, rows: Ints1d) -> Floats2d:
        """Return the metric of the guarantee, float64 (k, n). Raise DxError without a metric."""
        metric = self.built.distances
        if metric is None:
            raise DxError(Errors.DX004.format(name=self.name))
        return metric(checked_rows(rows, len(self.space)))

    def covers(self, rows: Ints1d) -> Bools2d:
        """Return the pairs that the guarantee covers, bool (k, n)."""
        rows, related = checked_rows(rows, len(self.space)), self.built.covers
        return np.ones((len(rows), len(self.space)), bool) if related is None else related(rows)


@dataclass(frozen=True)
class Clip:
    """How vectors are bounded before the noise.

    norm: The norm C that the noise is calibrated to, above 0; None for the largest of the space.
    shortens: Whether longer vectors are shortened to it. If not, nothing is promised.
    """

    norm: float | None
    shortens: bool = True

    def __call__(self, X: Floats2d) -> tuple[Floats2d, float]:
        """Return the centres of X, float (n, d), and the norm C."""
        if self.shortens or self.norm is None:
            return clipped(X, self.norm)
        return X, self.norm

    def bound(self, X: Floats2d) -> float:
        """Return the norm C for X, float (n, d)."""
        return float(norms_of(X).max()) if self.norm is None else self.norm

    def restrict(self, guarantee: Guarantee) -> Guarantee:
        """Return the guarantee as refuted, if longer vectors are not shortened."""
        if self.shortens:
            return guarantee
        return replace(guarantee, status="refuted", source=UNCLIPPED_CODE, notes=UNCLIPPED)


def make_clip(clip: float | str | None, norm: float | None) -> Clip:
    """Create a clip of the settings `clip` and `norm`. Raise DxError if they are out of range."""
    if clip != NO_CLIP:
        if norm is not None:
            raise fail("norm", "None unless clip is 'none'", norm)
        return Clip(None if clip is None else positive("clip", clip))
    return Clip(positive("norm", norm), shortens=False)


def clipped(X: Floats2d, clip: float | None) -> tuple[Floats2d, float]:
    """Return the rows, shortened to norm `clip` (None: unchanged), and their largest norm."""
    norms = norms_of(X)
    if clip is None:
        # If all rows are 0, any noise will do.
        return X, float(norms.max()) or 1.0
    # Rounded down, so that no float32 row is longer than the bound.
    factors = np.minimum(1.0, clip * (1 - 2.0**-22) / np.maximum(norms, clip))
    factors[norms <= clip] = 1.0
    centres = (X * factors[:, None]).astype(np.float32)
    # With a clip below 1e-38, where float32 loses digits, rows may be longer than the clip.
    return centres, max(clip, float(norms_of(centres).max()))


def norms_of(X: Floats2d) -> Floats1d:
    """Return the Euclidean norms of the rows, float64 (n,)."""
    norms: Floats1d = np.linalg.norm(X.astype(np.float64), axis=1)
    return norms


# -- projections -----------------------------------------------------------------------------------


class Nearest:
    """Project to the Euclidean nearest row; ties go to the lowest row."""

    def __init__(self, index: Index) -> None:
        self.index = index

    def fit(self, X: Floats2d, *, epsilon: float) -> Nearest:
        """Fit the index on X, float (n, d); epsilon is unused."""
        self._X = X
        self.index.fit(X)
        return self

    # The mechanism fits a copy again, on a table that need not travel with it.
    def __getstate__(self) -> dict[str, Any]:
        return {"index": self.index}

    def project(self, Z: Floats2d, rng: Rng) -> Ints1d:
        """Return rows (k,) for noisy vectors Z (k, d)."""
        return self.index.nearest(Z)

    def project_to(self, Z: Floats2d, rng: Rng, aim: Aim) -> Ints1d:
        """Return the rows of the aim that are nearest to Z (k, d), and -1 for others."""
        if isinstance(self.index, ExactIndex):
            return aimed(self._X, Z, aim)
        return aim.only(self.index.nearest(Z))

    def found(self) -> dict[str, Any]:
        """Return the index that fit chose by the size of the table; {} for a given index."""
        return _choice_of(self.index)


def _choice_of(index: Index) -> dict[str, Any]:
    return {"index": index.choice} if hasattr(index, "choice") else {}


@registry.dx_projections("dx.Nearest.v1")
def make_nearest(index: Index | None = None) -> Nearest:
    """Create the projection to the nearest word.

    Args:
        index: The nearest-neighbour index; exact search if None.
    """
    return Nearest(ExactIndex() if index is None else index)


class Vickrey:
    """Project to the nearest row or the second nearest, by their distances."""

    def __init__(self, t: float) -> None:
        self.t = t

    def fit(self, X: Floats2d, *, epsilon: float) -> Vickrey:
        """Fit X, float (n, d); epsilon is unused."""
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
        # If both distances are 0, the words are one point, and the first is taken.
        p = np.divide(second, total, out=np.ones_like(total), where=total > 0)
        return np.where(uniforms < p, rows[:, 0], rows[:, 1])

    def project_to(self, Z: Floats2d, rng: Rng, aim: Aim) -> Ints1d:
        """Return rows (k,) of the aim for noisy vectors Z (k, d), and -1 for others."""
        near = np.flatnonzero(aimed(self._X, Z, aim, depth=2) >= 0)
        rows = np.full(len(Z), -1, dtype=np.int64)
        rows[near] = aim.only(self.project(Z[near], rng))
        return rows


@registry.dx_projections("dx.Vickrey.v1")
def make_vickrey(t: float = 0.75) -> Vickrey:
    """Create the Vickrey rule.

    Args:
        t: From 0 (always the nearest word) to 1 (always the second).
    """
    return Vickrey(between("t", t, 0.0, 1.0, "[]"))


class RankSampling:
    """Project to a neighbour of the pivot."""

    def __init__(self, c: float, index: Index) -> None:
        self.c, self.index = c, index

    def fit(self, X: Floats2d, *, epsilon: float) -> RankSampling:
        """Fit X, the words' vectors (n, d), and epsilon, that of the mechanism."""
        self._X, self._rate, self._cache = X, self.c * epsilon, RowCache(LISTS_BYTES)
        self.index.fit(X)
        # 99,999 of 100,000 draws need no more neighbours.
        self._usual = int(geometric(np.array([0.99999]), self._rate, len(X))[0]) + 1
        return self

    def found(self) -> dict[str, Any]:
        """Return the index that fit chose by the size of the table; {} for a given index."""
        return _choice_of(self.index)

    # The mechanism fits a copy again, on a table that need not travel with it.
    def __getstate__(self) -> dict[str, Any]:
        return {"c": self.c, "index": self.index}

    def project(self, Z: Floats2d, rng: Rng) -> Ints1d:
        """Return rows (k,) for noisy vectors Z (k, d)."""
        rows = self.index.nearest(Z).copy()
        ranks = geometric(rng.uniform(len(Z)), self._rate, len(self._X))
        moved = np.flatnonzero(ranks)
        pivots, ranks = rows[moved], ranks[moved]
        distinct, inverse = np.unique(pivots, return_inverse=True)
        farthest = np.zeros(len(distinct), dtype=np.int64)
        np.maximum.at(farthest, inverse, ranks)
        lists = self._lists(distinct, farthest)
        pairs = zip(pivots.tolist(), ranks, strict=True)
        rows[moved] = [lists[pivot][rank] for pivot, rank in pairs]
        return rows

    def _lists(self, rows: Ints1d, farthest: Ints1d) -> dict[int, Ints1d]:
        """Return the neighbours of each row, itself first, up to rank `farthest` or beyond."""
        lists = {row: ranked for row, (ranked,) in self._cache.find(rows.tolist()).items()}
        too_short = np.array([len(lists.get(row, ())) for row in rows.tolist()]) <= farthest
        rows, n = rows[too_short], len(self._X)
        # Rows of similar depth, up to the same power of 2, share a search.
        powers = np.int64(2) ** np.ceil(np.log2(farthest[too_short] + 1)).astype(np.int64)
        depths = np.clip(powers, min(self._usual, n), n)
        for depth in np.unique(depths).tolist():
            ranked, _ = neighbours(self._X[rows[depths == depth]], self._X, depth)
            searched = dict(zip(rows[depths == depth].tolist(), ranked, strict=True))
            self._cache.add({row: (numbers,) for row, numbers in searched.items()})
            lists |= searched
        return lists


@registry.dx_projections("dx.RankSampling.v1")
def make_rank_sampling(c: float = 0.1, index: Index | None = None) -> RankSampling:
    """Create rank sampling.

    Args:
        c: Above 0. 0.1 suits the built-in space.
        index: The index for the pivot; exact search if None.
    """
    return RankSampling(positive("c", c), ExactIndex() if index is None else index)


def geometric(uniforms: Floats1d, rate: float, n: int) -> Ints1d:
    """Sample k in 0..n-1 with P(k) proportional to exp(-rate k), by inverse CDF."""
    k = np.floor(np.log1p(uniforms * np.expm1(-rate * n)) / -rate)
    rows: Ints1d = np.clip(k, 0, n - 1).astype(np.int64)
    return rows
