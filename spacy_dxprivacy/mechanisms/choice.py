"""What mechanisms of the form "choose a word with these exact probabilities" share.

Words of natural text repeat by Zipf's law, and a table of cumulated weights takes a pass over the
whole space to make; tables of the words that came last are kept. A table holds sums of `width`
outputs, so that tables of many words find room; which one of them comes out is another draw, from
their weights alone. A table is the same whether it was kept or is made anew, so no draw depends on
what is kept. What came stays in this process and is never saved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import Bools1d, Floats1d, Floats2d, Ints1d, Ints2d, blocks
from ..machine.compute import array_module, to_device, to_host
from ..privacy.guarantee import Guarantee
from ..privacy.randomness import Rng
from ..space import Space
from ..space.search.metric import euclidean
from ..ty import Draw
from ..validate import between
from .built import (
    LARGEST_SCORE,
    BuiltMechanism,
    Settings,
    checked_candidates,
    checked_layout,
    checked_rows,
)

if TYPE_CHECKING:
    from typing_extensions import Self

BLOCK_NUMBERS = 2**22  # float64 numbers in the tables made at once: 32 MB
MEGABYTE = 2**20
CACHE_MB = 256.0
WIDTH = 16  # outputs that one number of a table stands for
AT_ONCE = 256  # words whose outputs are weighed at once


@dataclass(eq=False, repr=False)
class Tables:
    """weights: rows (k,) -> float64 (k, n). megabytes: what the kept tables may take. width: how
    many outputs one number of a table stands for."""

    weights: Callable[[Ints1d], Floats2d]
    n: int
    megabytes: float
    width: int = 1
    kept: dict[int, Floats1d] = field(default_factory=dict)

    def __call__(self, rows: Ints1d) -> Iterator[tuple[int, Floats1d]]:
        """rows (k,), all different -> for each of them, in an order of its own, its place in rows
        and its table, the weights of each `width` outputs summed and cumulated."""
        missing = []
        for place, row in enumerate(rows.tolist()):
            table = self.kept.pop(row, None)
            if table is None:
                missing.append(place)
            else:
                self.kept[row] = table  # the last one that goes
                yield place, table
        for part in blocks(len(missing), max(1, BLOCK_NUMBERS // self.n)):
            places = missing[part]
            block = self._summed(self.weights(rows[places])).cumsum(axis=1)
            for place, table in zip(places, block, strict=True):
                self._keep(int(rows[place]), table)
                yield place, table

    def _summed(self, W: Floats2d) -> Floats2d:
        if self.width == 1:
            return W
        whole = self.n - self.n % self.width
        sums: Floats2d = W[:, :whole].reshape(len(W), -1, self.width).sum(axis=2)
        if whole < self.n:
            rest = W[:, whole:].sum(axis=1, keepdims=True)
            sums = array_module(W).hstack([sums, rest])
        return sums

    def _keep(self, row: int, table: Floats1d) -> None:
        room = int(self.megabytes * MEGABYTE // table.nbytes)
        while self.kept and len(self.kept) >= room:
            self.kept.pop(next(iter(self.kept)), None)
        if room:
            self.kept[row] = table.copy()


# -- the choice ------------------------------------------------------------------------------------


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

    cache_mb: memory that tables of the words that came last may take, in megabytes.
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
        self.cache_mb = between("cache_mb", cache_mb, 0.0, inf, "[)")
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
        choice = self.built
        rows = checked_rows(rows, choice.n)
        return Draw(choice.draw(rows, rng) if choice.draw else self._by_weights(rows, rng))

    def _by_weights(self, rows: Ints1d, rng: Rng) -> Ints1d:
        tables: Any = self._tables
        uniforms = rng.uniform(len(rows))
        drawn = np.empty(len(rows), dtype=np.int64)
        distinct, counts = np.unique(rows, return_counts=True)
        places = np.split(np.argsort(rows, kind="stable"), np.cumsum(counts)[:-1])
        for which, table in tables(distinct):
            drawn[places[which]] = inverse_cdf(table, uniforms[places[which]])
        some = self.built.some
        return drawn if some is None else self._one_of_each(some, rows, drawn, rng)

    def _one_of_each(self, some: Any, rows: Ints1d, drawn: Ints1d, rng: Rng) -> Ints1d:
        """rows (k,), and for each which WIDTH outputs were drawn -> one of these (k,). some: as in
        Choice."""
        n = self.built.n
        uniforms = rng.uniform(len(rows))
        found = np.empty(len(rows), dtype=np.int64)
        for part in blocks(len(rows), AT_ONCE):
            outputs = drawn[part, None] * WIDTH + np.arange(WIDTH)
            W = to_host(some(rows[part], np.minimum(outputs, n - 1)))
            W[outputs >= n] = 0
            C = np.cumsum(W, axis=1)
            marks = np.minimum(uniforms[part] * C[:, -1], np.nextafter(C[:, -1], 0))
            found[part] = outputs[np.arange(len(C)), (C <= marks[:, None]).sum(axis=1)]
        return found

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
        with np.errstate(divide="ignore"):
            if candidates is not None:
                candidates = checked_candidates(candidates, len(rows), self.built.n)
                some, which = np.unique(candidates, return_inverse=True)
                P = self.distribution(some)[which.reshape(candidates.shape), outputs[:, None]]
                return np.asarray(np.where(stays[:, None], 0.0, np.log(P)))
            P = self.distribution(rows)[np.arange(len(rows)), outputs]
            same = np.where(rows == outputs, 0.0, -np.inf)
            logs = np.asarray(np.where(stays, same, np.log(P)))
        if starts is None:
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
    X = to_device(space.vectors)
    xp = array_module(X)

    def distances(rows: Ints1d) -> Floats2d:
        return euclidean(X, rows)

    def weights(rows: Ints1d) -> Floats2d:
        return boltzmann(score(distances(rows)))

    def some(rows: Ints1d, outputs: Ints2d) -> Floats2d:
        """By differences."""
        D = X[xp.asarray(outputs)] - X[xp.asarray(rows)][:, None].astype("float64")
        return boltzmann(score(xp.sqrt(xp.einsum("kmd,kmd->km", D, D))))

    return Choice(len(space), weights, distances, guarantee, some=some)


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
