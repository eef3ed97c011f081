r"""From noisy vectors to rows: dx.Nearest.v1, dx.Vickrey.v1 and dx.RankSampling.v1.

All of it is post-processing.

dx.Nearest.v1 gives the word whose vector is nearest to the noisy one, by Euclidean distance; ties
go to the lowest row. It is what the papers on dx-privacy do. With u_1 and u_2 nearest to the noisy
vector, at distances d_1 <= d_2, dx.Vickrey.v1 has

    P(u_1) = (1 - t) d_2 / (t d_1 + (1 - t) d_2)

Paper: Xu, Aggarwal, Feyisetan, Teissier 2021, "On a utilitarian approach to privacy preserving text
generation" (arXiv 2104.11838). Both words are sought in the whole space: leaving out the word that
went in, as public code does, leaves no guarantee.

dx.RankSampling.v1 fixes the rank for many dimensions. The word nearest to the noisy vector is the
pivot; the output is its neighbour of rank k, with

    P(k) = q^k (1 - q) / (1 - q^n), q = exp(-c epsilon), k = 0 (the pivot itself) to n - 1

Paper: Asghar, Carpentier, Zhao, Kaafar 2024, "d_X-privacy for text and the curse of dimensionality"
(arXiv 2411.13784). Ranks are taken from the pivot, so all of it is post-processing; ranks from the
word that went in are not private. Epsilon is but a temperature here. The paper tunes c by hand
(0.04 for GloVe with 300 dimensions, 0.007 for word2vec).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints1d
from ..privacy.noise import laplace_noise
from ..privacy.randomness import Rng
from ..registries import registry
from ..space.search.all_pairs import nearest_others
from ..space.search.exact import in_blocks, make_exact, neighbours
from ..ty import Index
from ..validate import between, positive


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


LISTED_AT_ONCE = 100_000  # rows whose lists are all made by fit
LISTS_BYTES = 2**28  # memory for the lists of neighbours: 256 MB
CLOSE = 100  # the ranks that the paper calls close
PROBES, LEVELS = 200, 10
GRID = np.geomspace(1e-4, 1.0, 81)


class RankSampling:
    """Project to a neighbour of the pivot. c is None until fit calibrates it, where it is "auto".
    Every fit does so anew, except in a copy or after restore."""

    def __init__(self, c: float | None, index: Index) -> None:
        self.c = c
        self.auto = c is None
        self.index = index
        self._calibrated = not self.auto

    def fit(self, X: Floats2d, *, epsilon: float) -> RankSampling:
        """Fit X, the words' vectors (n, d), and epsilon, that of the mechanism."""
        self._X = X
        self.index.fit(X)
        if self.c is None or not self._calibrated:
            self.c = calibrated(X, self.index)
        self._calibrated = not self.auto
        self._rate, n = self.c * epsilon, len(X)
        # 99,999 draws in 100,000 need no more neighbours, as far as these lists find room.
        usual = int(geometric(np.array([0.99999]), self._rate, n)[0]) + 1
        room = LISTS_BYTES // (n * np.min_scalar_type(n - 1).itemsize)
        self._lists = NeighbourLists(X, max(1, min(usual, room)))
        return self

    def found(self) -> dict[str, float]:
        """Return the settings that fit calibrated; a saved pipeline stores them."""
        return {"c": self.c} if self.auto and self.c is not None else {}

    def restore(self, calibrated: dict[str, float]) -> None:
        """Make the next fit take this instead of calibrating again."""
        if self.auto and "c" in calibrated:
            self.c, self._calibrated = positive("c", calibrated["c"]), True

    # The mechanism fits a copy again, on a table that need not travel with it.
    def __getstate__(self) -> dict[str, Any]:
        return {
            "c": self.c,
            "auto": self.auto,
            "_calibrated": self.c is not None,
            "index": self.index,
        }

    def project(self, Z: Floats2d, rng: Rng) -> Ints1d:
        """Return rows (k,) for noisy vectors Z (k, d)."""
        pivots = self.index.nearest(Z)
        ranks = geometric(rng.uniform(len(Z)), self._rate, len(self._X))
        rows = pivots.copy()
        listed = ranks < self._lists.depth
        rows[listed] = self._lists(pivots[listed], ranks[listed])
        deep = np.flatnonzero(~listed)
        # Pivots of like depth, up to the same power of 2, share a search.
        depths = np.int64(2) ** np.ceil(np.log2(ranks[deep] + 1)).astype(np.int64)
        for depth in np.unique(depths).tolist():
            places = deep[depths == depth]
            distinct, inverse = np.unique(pivots[places], return_inverse=True)
            lists, _ = neighbours(self._X[distinct], self._X, min(depth, len(self._X)))
            rows[places] = lists[inverse, ranks[places]]
        return rows


class NeighbourLists:
    """The nearest rows of each row, itself first: public. All lists are made at once where that
    takes seconds; in larger tables each when it is first asked for."""

    def __init__(self, X: Floats2d, depth: int) -> None:
        self.depth = depth
        self._X = np.ascontiguousarray(X, dtype=np.float32)
        self._lists = np.zeros((len(X), depth), dtype=np.min_scalar_type(len(X) - 1))
        self._listed = np.zeros(len(X), dtype=bool)
        if len(X) <= LISTED_AT_ONCE and depth > 1:
            self._lists[:, 0] = np.arange(len(X))
            self._lists[:, 1:] = nearest_others(self._X, depth - 1)
            self._listed[:] = True

    def __call__(self, rows: Ints1d, ranks: Ints1d) -> Ints1d:
        """Return the neighbour of each row (k,) at its rank, which is below depth."""
        missing = np.unique(rows[~self._listed[rows]])
        if len(missing):
            lists, _ = neighbours(self._X[missing], self._X, self.depth)
            self._lists[missing], self._listed[missing] = lists, True
        return self._lists[rows, ranks].astype(np.int64)


@registry.dx_projections("dx.RankSampling.v1")
def make_rank_sampling(c: float | str = "auto", index: Index | None = None) -> RankSampling:
    """Create rank sampling.

    Args:
        c: Above 0, or "auto" for the c that fits the space best (see calibrated).
        index: How the pivot is searched; exactly if None.
    """
    rate = None if c == "auto" else positive("c", c)
    return RankSampling(rate, make_exact() if index is None else index)


def geometric(uniforms: Floats1d, rate: float, n: int) -> Ints1d:
    """Sample k in 0..n-1 with P(k) proportional to exp(-rate k), by inverse CDF."""
    k = np.floor(np.log1p(uniforms * np.expm1(-rate * n)) / -rate)
    rows: Ints1d = np.clip(k, 0, n - 1).astype(np.int64)
    return rows


def calibrated(X: Floats2d, index: Index) -> float:
    """Return the c whose shares of outputs come nearest to those in one dimension.

    On a line of evenly spaced words, noise that leaves a share o of them unchanged gives
    (1 - o)(1 - (1 - o)^CLOSE) of close outputs, whatever the scale. In many dimensions the nearest
    rule has hardly any. At LEVELS strengths of Laplace noise, by which the nearest rule leaves from
    few words to nearly all unchanged, the shares of unchanged, close and distant outputs are
    compared with those of a line where as many are unchanged; c minimises the mean square
    difference. The shares are expectations over PROBES words, seeded, so c depends on the table
    alone.
    """
    ranks, rates = _probe_ranks(X, index)
    o = np.mean(ranks[:, :, 0] == 0, axis=1)
    line = np.stack([o, (1 - o) * (1 - (1 - o) ** CLOSE)])
    errors = []
    for c in GRID:
        weight = np.expm1(-c * rates) / np.expm1(-c * rates * len(X))
        p = np.exp(-c * rates[:, None, None] * ranks) * weight[:, None, None]
        shares = np.stack([p[:, :, 0].mean(axis=1), p[:, :, 1:].sum(axis=2).mean(axis=1)])
        off = shares - line
        errors.append(np.mean(np.sum(off**2, axis=0) + np.sum(off, axis=0) ** 2))
    return float(GRID[int(np.argmin(errors))])


def _probe_ranks(X: Floats2d, index: Index) -> tuple[Floats2d, Floats1d]:
    """Return ranks (levels, probes, 1 + CLOSE), of each probe and its close words from the pivot of
    its noisy vector, and the epsilon of each level."""
    n, d = X.shape
    rng = Rng(seed=0)
    probes = np.unique(rng.integers(n, PROBES))
    close, distances = neighbours(X[probes], X, min(CLOSE + 1, n))
    half = float(np.median(distances[:, 1])) / 2 if n > 1 else 1.0
    rates = np.sqrt(d + 1) * np.linspace(0.3, 3.0, LEVELS) / (half or 1.0)
    ranks = np.empty((LEVELS, *close.shape))
    for level, rate in enumerate(rates):
        pivots = index.nearest(X[probes] + laplace_noise(len(probes), d, rng, epsilon=rate))
        for part, D in in_blocks(X[pivots], X):
            targets = np.take_along_axis(D, close[part], axis=1)
            for at, (row, wanted) in enumerate(zip(np.sort(D, axis=1), targets, strict=True)):
                ranks[level, part.start + at] = np.searchsorted(row, wanted)
    return ranks, rates
