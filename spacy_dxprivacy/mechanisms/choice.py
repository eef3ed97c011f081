"""Mechanisms that choose a word with exact probabilities over the whole space.

A table of cumulative weights takes a pass over the whole space. Words repeat by Zipf's law, so the
tables of recent words are cached. Where weights of single outputs are cheap, each entry of a table
is the sum of WIDTH outputs, and a second draw chooses among these. Cached tables are the computed
ones, so no draw depends on the cache; it never leaves the process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints1d, Ints2d, blocks
from ..machine import RowCache
from ..privacy.guarantee import Guarantee
from ..privacy.noise import squares_about
from ..privacy.randomness import Rng
from ..space import Space
from ..space.search.exact import distances, euclidean
from ..ty import Draw, Facts
from .built import LARGEST_SCORE, ProbabilityMechanism, checked_rows

if TYPE_CHECKING:
    from typing_extensions import Self

DISTRIBUTION_NUMBERS = 2**20  # float64, of distributions made at once: 8 MB
SQUARES_AT_ONCE = 2**19  # float32: 2 MB
NEAR = 2.0**-12  # share of the largest square
BLOCK_NUMBERS = 2**22  # float64 numbers in the tables made at once: 32 MB
CACHE_BYTES = 2**28
WIDTH = 16
BLOCK_WORDS = 256


@dataclass(frozen=True, eq=False, repr=False)
class Choice:
    """The probabilities of a mechanism on one space, and their guarantee."""

    weights: Callable[[Ints1d], Floats2d]  # rows (k,) -> (k, n), proportional to probabilities
    distances: Callable[[Ints1d], Floats2d]  # rows (k,) -> (k, n), the metric of the guarantee
    guarantee: Guarantee
    draw: Callable[[Ints1d, Rng], Ints1d] | None = None  # faster than by weights of all outputs
    longest: float | None = None  # the largest distance of two words, if known
    # rows (k,), outputs (k, m) -> (k, m): weights of these outputs, up to a factor of each row
    output_weights: Callable[[Ints1d, Ints2d], Floats2d] | None = None
    # rows (k,), outputs (q,) -> (k, q): probabilities of few outputs, if faster than those of all
    probabilities: Callable[[Ints1d, Ints1d], Floats2d] | None = None


class ChoiceMechanism(ProbabilityMechanism[Choice]):
    """One draw a word, from exact probabilities over the whole space."""

    _cache: RowCache  # of cumulative weights

    def fit(self, space: Space) -> Self:
        self._cache = RowCache(CACHE_BYTES)
        return super().fit(space)

    def _fitted_facts(self, space: Space, built: Choice) -> Facts:
        return replace(self._unfitted_facts, longest=built.longest)

    def _sample(self, rows: Ints1d, rng: Rng) -> Draw:
        choice = self.built
        if choice.draw:
            return Draw(choice.draw(rows, rng))
        uniforms = rng.uniform(len(rows))
        drawn = np.empty(len(rows), dtype=np.int64)
        distinct, counts = np.unique(rows, return_counts=True)
        places = np.split(np.argsort(rows, kind="stable"), np.cumsum(counts)[:-1])
        for number, table in self._tables(distinct):
            marks = uniforms[places[number]] * table[-1]
            # A mark may be rounded up to the total, beyond the last index of positive weight.
            last = np.searchsorted(table, table[-1])
            drawn[places[number]] = np.minimum(np.searchsorted(table, marks, side="right"), last)
        weights = choice.output_weights
        return Draw(drawn if weights is None else self._draw_within(weights, rows, drawn, rng))

    def _tables(self, rows: Ints1d) -> Iterator[tuple[int, Floats1d]]:
        """Yield the place and the cumulative weights of each row; rows (k,) are distinct."""
        cached = self._cache.find(rows.tolist())
        missing = []
        for place, row in enumerate(rows.tolist()):
            if row in cached:
                yield place, cached[row][0]
            else:
                missing.append(place)
        for part in blocks(len(missing), max(1, BLOCK_NUMBERS // len(self.space))):
            places = missing[part]
            W = self.built.weights(rows[places])
            if self.built.output_weights:
                W = np.add.reduceat(W, np.arange(0, W.shape[1], WIDTH), axis=1)
            tables = [(table.copy(),) for table in W.cumsum(axis=1)]
            self._cache.add(dict(zip(rows[places].tolist(), tables, strict=True)))
            yield from ((place, table) for place, (table,) in zip(places, tables, strict=True))

    def _draw_within(
        self,
        output_weights: Callable[[Ints1d, Ints2d], Floats2d],
        rows: Ints1d,
        groups: Ints1d,
        rng: Rng,
    ) -> Ints1d:
        """Sample one of the WIDTH outputs of each group (k,), by weight."""
        n, uniforms = len(self.space), rng.uniform(len(rows))
        drawn = np.empty(len(rows), dtype=np.int64)
        for part in blocks(len(rows), BLOCK_WORDS):
            outputs = groups[part, None] * WIDTH + np.arange(WIDTH)
            W = output_weights(rows[part], np.minimum(outputs, n - 1))
            W[outputs >= n] = 0
            C = np.cumsum(W, axis=1)
            marks = np.minimum(uniforms[part] * C[:, -1], np.nextafter(C[:, -1], 0))
            drawn[part] = outputs[np.arange(len(C)), (C <= marks[:, None]).sum(axis=1)]
        return drawn

    def log_p(self, rows: Ints1d, outputs: Ints1d) -> Floats1d:
        distinct, inverse = np.unique(rows, return_inverse=True)
        logs: Floats1d = np.log(self.distribution(distinct)[inverse, outputs])
        return logs

    def distribution(self, rows: Ints1d) -> Floats2d:
        """Return the probability of every output, float64 (k, n); rows sum to 1."""
        W = self.built.weights(checked_rows(rows, len(self.space)))
        probabilities: Floats2d = W / W.sum(axis=1, keepdims=True)
        return probabilities

    def probabilities(self, rows: Ints1d, outputs: Ints1d) -> Floats2d:
        """Return the probabilities of outputs (q,), float64 (k, q)."""
        n, probabilities = len(self.space), self.built.probabilities
        if probabilities is not None:
            return probabilities(checked_rows(rows, n), checked_rows(outputs, n))
        P = np.empty((len(rows), len(outputs)))
        for part in blocks(len(rows), max(1, DISTRIBUTION_NUMBERS // n)):
            P[part] = self.distribution(rows[part])[:, outputs]
        return P

    def distances(self, rows: Ints1d) -> Floats2d:
        """Return the metric of the guarantee, float64 (k, n)."""
        return self.built.distances(checked_rows(rows, len(self.space)))


class Distance(Protocol):
    """A distance of words, by which `metric_choice` weighs outputs."""

    def __call__(self, rows: Ints1d, outputs: Ints2d | None = None) -> Floats2d:
        """Return the distances of rows (k,) to all words, float64 (k, n); with outputs (k, m), to
        these, float64 (k, m). The second are as accurate as the first, and cost m/n of them."""
        ...


def metric_choice(
    distance: Distance, guarantee: Guarantee, score: Callable[[Floats2d], Floats2d]
) -> Choice:
    """Return the choice of P(y | w) proportional to exp(-score(distance(w, y))).

    Args:
        distance: The metric of the guarantee.
        guarantee: The guarantee on the space of the distance.
        score: Maps each of an array of distances (k, m) by itself, to nats (k, m).
    """

    def weights(rows: Ints1d, outputs: Ints2d | None = None) -> Floats2d:
        return boltzmann(score(distance(rows, outputs)))

    return Choice(weights, distance, guarantee, output_weights=weights)


def euclidean_distance(space: Space) -> Distance:
    """Return the Euclidean distance of the vectors of a space."""
    X = space.vectors

    def distance(rows: Ints1d, outputs: Ints2d | None = None) -> Floats2d:
        if outputs is None:
            return euclidean(X, rows)
        D = X[outputs] - X[rows][:, None].astype(np.float64)
        lengths: Floats2d = np.sqrt(np.einsum("kmd,kmd->km", D, D))
        return lengths

    return distance


def euclidean_choice(
    space: Space, guarantee: Guarantee, score: Callable[[Floats2d], Floats2d]
) -> Choice:
    """Return the metric_choice of Euclidean distance, with probabilities of few outputs, whose sums
    over all words are in float32."""
    X = space.vectors
    choice = metric_choice(euclidean_distance(space), guarantee, score)

    def probabilities(rows: Ints1d, outputs: Ints1d) -> Floats2d:
        return boltzmann_probabilities(X[rows], X, outputs, score)

    return replace(choice, probabilities=probabilities)


def boltzmann_probabilities(
    Z: Floats2d, X: Floats2d, outputs: Ints1d, score: Callable[[Floats2d], Floats2d]
) -> Floats2d:
    """Return the probabilities of rows of X (n, d), proportional to exp(-score) of their distances
    to Z (k, d), of which few outputs (q,) are asked for: float64 (k, q), by sums in float32."""
    P, squares, Y = np.empty((len(Z), len(outputs))), squares_about(X), X[outputs]
    for part in blocks(len(Z), max(1, SQUARES_AT_ONCE // len(X))):
        A = Z[part].astype(np.float64)
        S = squares(A)
        # Of words as near as that, few besides the word itself, float32 has lost the distance.
        near = np.flatnonzero(S < NEAR * S.max(axis=1, keepdims=True))
        i, j = np.divmod(near, len(X))
        S[i, j] = np.square(A[i] - X[j]).sum(axis=1)
        scores = score(np.sqrt(S, out=S))
        least = scores.min(axis=1, keepdims=True)
        np.subtract(least, scores, out=scores)
        sums = np.exp(scores, out=scores).sum(axis=1, keepdims=True)
        P[part] = np.exp(least - score(distances(A, Y))) / sums
    return P


def clamped_score(D: Floats2d, *, beta: float) -> Floats2d:
    """Return beta min(d, g), g = 700 / beta: min(d, g) is a metric and at most d."""
    S = D * beta
    # np.minimum with a number takes four times as long.
    return np.clip(S, 0, LARGEST_SCORE, out=S)


def boltzmann(S: Floats2d) -> Floats2d:
    """Return exp(-S), each row shifted by its least score, so that the largest weight is 1."""
    S = S - S.min(axis=1, keepdims=True)
    return np.exp(np.negative(S, out=S), out=S)
