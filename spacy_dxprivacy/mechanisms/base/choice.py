"""What mechanisms of the form "choose a word with these exact probabilities" share.

Words of natural text repeat by Zipf's law, and a table of cumulated weights takes a pass over the
whole space to make; tables of the words that come most often are kept. A table holds sums of
`width` outputs, so that tables of many words find room; which one of them comes out is another
draw, from their weights alone. A table is the same whether it was kept or is made anew, so no draw
depends on what is kept. The counts of what came stay in this process and are never saved.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays import Bools1d, Floats1d, Floats2d, Ints1d, Ints2d
from ...guarantee import Guarantee
from ...machine.compute import array_module, to_device, to_host
from ...randomness import Rng
from ...search.metric import euclidean
from ...space import Space
from ...ty import Draw
from ...validate import between
from .built import (
    LARGEST_SCORE,
    BuiltMechanism,
    Settings,
    checked_candidates,
    checked_layout,
    checked_rows,
    fitted,
    log_likelihood,
)

if TYPE_CHECKING:
    from typing_extensions import Self


# -- tables of cumulated weights -------------------------------------------------------------------


BLOCK_NUMBERS = 2**22  # float64 numbers in the tables made at once: 32 MB
MEGABYTE = 2**20


@dataclass(eq=False, repr=False)
class Tables:
    """weights: rows (k,) -> float64 (k, n). megabytes: what the kept tables may take. width: how
    many outputs one number of a table stands for."""

    weights: Callable[[Ints1d], Floats2d]
    n: int
    megabytes: float
    width: int = 1
    kept: dict[int, Floats1d] = field(default_factory=dict, repr=False)
    seen: dict[int, int] = field(default_factory=dict, repr=False)
    rarest: list[tuple[int, int]] = field(default_factory=list, repr=False)

    def __call__(self, rows: Ints1d, counts: Ints1d) -> Iterator[tuple[int, Floats1d]]:
        """rows (k,), all different, and how often each is wanted -> for each of them, in an order
        of its own, its place in rows and its table, the weights of each `width` outputs summed and
        cumulated."""
        known = np.array([row in self.kept for row in rows.tolist()], dtype=bool)
        for place in np.flatnonzero(known).tolist():
            self._count(int(rows[place]), int(counts[place]))
            yield place, self.kept[int(rows[place])]
        missing = np.flatnonzero(~known)
        at_once = max(1, BLOCK_NUMBERS // self.n)
        for start in range(0, len(missing), at_once):
            places = missing[start : start + at_once]
            block = self._summed(self.weights(rows[places])).cumsum(axis=1)
            for place, table in zip(places.tolist(), block, strict=True):
                self._offer(int(rows[place]), int(counts[place]), table)
                yield place, table

    def _summed(self, W: Floats2d) -> Floats2d:
        if self.width == 1:
            return W
        xp = array_module(W)
        k, whole = len(W), self.n - self.n % self.width
        sums = W[:, :whole].reshape(k, -1, self.width).sum(axis=2)
        if whole == self.n:
            found: Floats2d = sums
            return found
        summed: Floats2d = xp.hstack([sums, W[:, whole:].sum(axis=1, keepdims=True)])
        return summed

    def _count(self, row: int, times: int) -> None:
        self.seen[row] = self.seen.get(row, 0) + times

    def _offer(self, row: int, times: int, table: Floats1d) -> None:
        """Keep it if there is room, or if some kept one was wanted less often."""
        self._count(row, times)
        if (len(self.kept) + 1) * table.nbytes <= self.megabytes * MEGABYTE:
            heapq.heappush(self.rarest, (self.seen[row], row))
        elif not self._make_way(self.seen[row], row):
            return
        self.kept[row] = table.copy()

    def _make_way(self, often: int, row: int) -> bool:
        while self.rarest and self.rarest[0][0] < self.seen[self.rarest[0][1]]:
            other = self.rarest[0][1]  # wanted again since it was noted
            heapq.heapreplace(self.rarest, (self.seen[other], other))
        if not self.rarest or self.rarest[0][0] >= often:
            return False
        del self.kept[heapq.heapreplace(self.rarest, (often, row))[1]]
        return True


# -- the choice ------------------------------------------------------------------------------------


CACHE_MB = 256.0
WIDTH = 16  # outputs that one number of a table stands for
AT_ONCE = 256  # words whose outputs are weighed at once


@dataclass(frozen=True, eq=False, repr=False)
class Choice:
    """A mechanism on one space: whom it chooses, and what that promises.

    weights: rows (k,) -> float64 (k, n), proportional to the probabilities of every output.
    distances: rows (k,) -> float64 (k, n), the metric of the guarantee.
    draw: rows (k,) -> (k,), where there is a faster way than by the weights of all outputs.
    longest: the largest of the distances, where it is known.
    some: rows (k,), outputs (k, m) -> float64 (k, m), proportional to their probabilities in each
    row, where some can be had without all.
    """

    n: int
    weights: Callable[[Ints1d], Floats2d]
    distances: Callable[[Ints1d], Floats2d]
    guarantee: Guarantee
    draw: Callable[[Ints1d, Rng], Ints1d] | None = None
    longest: float | None = None
    some: Callable[[Ints1d, Ints2d], Floats2d] | None = None


class ChoiceMechanism(BuiltMechanism[Choice]):
    """One draw a word, from exact probabilities over the whole space.

    cache_mb: memory that tables of the words that come most often may take, in megabytes.
    """

    def __init__(
        self,
        name: str,
        guarantee: Guarantee,
        settings: Settings[Choice],
        in_clear: tuple[str, ...] = (),
        cache_mb: float = CACHE_MB,
    ) -> None:
        super().__init__(name, guarantee, settings, in_clear)
        self.cache_mb = between("cache_mb", cache_mb, 0.0, inf, low_in=True)
        self._tables: Tables | None = None

    def fit(self, space: Space) -> Self:
        super().fit(space)
        width = WIDTH if self.built.some else 1
        self._tables = Tables(self.built.weights, self.built.n, self.cache_mb, width)
        return self

    # What was drawn for is no business of anybody who gets a copy.
    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_tables": None}

    def _sample(self, rows: Ints1d, rng: Rng) -> Draw:
        """rows: int64 (k,) -> replacements (k,); no vectors.

        Raises DxError before fit, and for rows that the space does not have.
        """
        rows = checked_rows(rows, self.built.n)
        if self.built.draw:
            return Draw(self.built.draw(rows, rng))
        return Draw(self._by_weights(rows, rng))

    def _by_weights(self, rows: Ints1d, rng: Rng) -> Ints1d:
        tables = fitted(self._tables, self.name)
        uniforms = rng.uniform(len(rows))
        drawn = np.empty(len(rows), dtype=np.int64)
        distinct, counts = np.unique(rows, return_counts=True)
        by_word = np.argsort(rows, kind="stable")
        ends = np.cumsum(counts)
        for which, table in tables(distinct, counts):
            places = by_word[ends[which] - counts[which] : ends[which]]
            drawn[places] = inverse_cdf(table, uniforms[places])
        some = self.built.some
        return drawn if some is None else self._one_of_each(some, rows, drawn, rng)

    def _one_of_each(self, some: Any, rows: Ints1d, blocks: Ints1d, rng: Rng) -> Ints1d:
        """rows (k,), and for each which WIDTH outputs were drawn -> one of these (k,). some: as in
        Choice."""
        choice = self.built
        uniforms = rng.uniform(len(rows))
        drawn = np.empty(len(rows), dtype=np.int64)
        for start in range(0, len(rows), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            outputs = blocks[part, None] * WIDTH + np.arange(WIDTH)
            W = to_host(some(rows[part], np.minimum(outputs, choice.n - 1)))
            W[outputs >= choice.n] = 0
            C = np.cumsum(W, axis=1)
            marks = np.minimum(uniforms[part] * C[:, -1], np.nextafter(C[:, -1], 0))
            drawn[part] = outputs[np.arange(len(C)), (C <= marks[:, None]).sum(axis=1)]
        return drawn

    def log_likelihood(
        self,
        rows: Ints1d,
        outputs: Ints1d,
        starts: Bools1d | None = None,
        fixed: Bools1d | None = None,
        between: list[str] | None = None,
        candidates: Ints2d | None = None,
    ) -> Floats1d | Floats2d:
        """float64 (sentences,): ln P(outputs | rows); without starts a word is a sentence.

        candidates: int64 (k, m) -> float64 (k, m), that with rows[i] replaced by candidates[i, j],
        up to one constant for each i. Raises DxError as sample does.
        """
        rows, outputs = (checked_rows(some, self.built.n) for some in (rows, outputs))
        begins, stays = checked_layout(len(rows), starts, fixed, between)
        if candidates is not None:
            candidates = checked_candidates(candidates, len(rows), self.built.n)
        logs = log_likelihood(self.distribution, rows, outputs, stays, candidates)
        if starts is None or candidates is not None:
            return logs
        return np.asarray(np.add.reduceat(logs, np.flatnonzero(begins)))

    def distribution(self, rows: Ints1d) -> Floats2d:
        """rows (k,) -> float64 (k, n): the probability of every output. Each row sums to 1."""
        choice = self.built
        W = to_host(choice.weights(checked_rows(rows, choice.n)))
        found: Floats2d = W / W.sum(axis=1, keepdims=True)
        return found

    def distances(self, rows: Ints1d) -> Floats2d:
        """rows (k,) -> float64 (k, n): the metric of the guarantee."""
        choice = self.built
        D: Floats2d = to_host(choice.distances(checked_rows(rows, choice.n)))
        return D

    @property
    def longest(self) -> float | None:
        """The largest distance between two words, where it is known."""
        return self.built.longest


def euclidean_choice(
    space: Space, guarantee: Guarantee, score: Callable[[Floats2d], Floats2d]
) -> Choice:
    """P(y | w) proportional to exp(-score(d(w, y))), d Euclidean."""
    distances = _Euclidean(to_device(space.vectors))
    weights = _Scored(distances, score)
    return Choice(len(space), weights, distances, guarantee, some=weights.some)


@dataclass(frozen=True, eq=False, repr=False)
class _Euclidean:
    X: Floats2d

    def __call__(self, rows: Ints1d) -> Floats2d:
        return euclidean(self.X, rows)


@dataclass(frozen=True, eq=False, repr=False)
class _Scored:
    distances: _Euclidean
    score: Callable[[Floats2d], Floats2d]

    def __call__(self, rows: Ints1d) -> Floats2d:
        return boltzmann(self.score(self.distances(rows)))

    def some(self, rows: Ints1d, outputs: Ints2d) -> Floats2d:
        """float64 (k, m): the weights of m outputs of each row, by differences."""
        X = self.distances.X
        xp = array_module(X)
        D = X[xp.asarray(outputs)] - X[xp.asarray(rows)][:, None].astype("float64")
        return boltzmann(self.score(xp.sqrt(xp.einsum("kmd,kmd->km", D, D))))


def clamped_score(D: Floats2d, *, beta: float) -> Floats2d:
    """beta min(d, g), g = 700 / beta: min(d, g) is a metric and at most d."""
    return np.minimum(D * beta, LARGEST_SCORE)


def boltzmann(S: Floats2d) -> Floats2d:
    """exp(-S), each row shifted by its least score, so that the largest weight is 1."""
    S = S - S.min(axis=1, keepdims=True)
    return np.exp(np.negative(S, out=S), out=S)


def inverse_cdf(cumulative: Floats1d, uniforms: Floats1d) -> Ints1d:
    """cumulative (n,) sums of weights, uniforms (k,) in [0, 1) -> k indices drawn by weight."""
    xp = array_module(cumulative)
    total = cumulative[-1:]
    drawn = xp.searchsorted(cumulative, xp.asarray(uniforms) * total, side="right")
    # Rounding up of uniform * total could step past the last index of positive weight.
    last = xp.searchsorted(cumulative, total)
    indices: Ints1d = to_host(xp.minimum(drawn, last))
    return indices
