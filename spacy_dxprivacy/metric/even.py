r"""Normaliser-balancing weights: with them the draw needs little more than beta of its epsilon.

    P(y | w) = mu(y) exp(-beta path(w, y)) / Z_w        ln P(y | a) / P(y | b) is at most
               beta length(a, b) + |ln Z_a - ln Z_b|    on an edge {a, b}

Where all Z are alike, that is beta path alone; any other mu may need up to twice as much. So mu
is moved towards Z = 1 by multiplicative steps, which keep it above 0 (Richardson 1972, Lucy 1974):

    mu(y) <- mu(y) * (mean over w of 1 / Z_w, weighed by exp(-beta path(w, y))) ^ 1.8

The exponent makes them faster. No guarantee depends on where they end: the few edges on which Z
still differs are stated as longer than they are drawn. In the metric of the guarantee each edge has
its largest log ratio over epsilon, if that is more than its length; shortest paths over those
lengths are a metric again, and no loss is above epsilon times it. All of it is public.

Around edges that a policy made shorter (names), no weights above 0 make Z even. These edges are
drawn 5/8 as long as they are stated, and cannot lose more than that at 1.25 beta, whatever Z is.

Papers  Leinster 2013 (weightings, and the magnitude of a metric space); Shepp, Vardi 1982;
        Chatzikokolakis, Palamidessi, Stronati 2015 (tight constraints)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ..arrays import Bools1d, Floats1d, Ints1d, Numbers1d, blocks
from .policy_graph import PolicyGraph, with_steps

SHARE = 0.01  # of edges that may be stated longer than they are drawn
MANY = 5_000  # words, from which on a step takes a second
STEPS = 240
STEPS_OF_MANY = 40
FASTER = 1.8  # below 2 the steps still converge, and in nearly half as many
RATIOS = (1.02, 1.05, 1.1, 1.15, 1.2, 1.25, 1.4, 1.5, 1.6, 1.8, 2.0)
WORDS_AT_ONCE = 2**8
FINER = 64  # quanta of stated lengths to one of the graph's
FINE = 8  # quanta of drawn lengths to one of the graph's, so that 5/8 of those are whole
LEAST = 1e-30  # that float32 can hold
LARGEST = 80.0  # of an exponent, where float32 ends at 88


@dataclass(frozen=True, eq=False, repr=False)
class Even:
    """weights: float64 (n,), of the outputs. logs: ln Z (n,). beta: of the draw. drawn: the graph
    of the draw. stated: that of the guarantee. share: of edges that are longer there than in the
    graph that was given. factor: by how much at most, radii among them."""

    weights: Floats1d
    logs: Floats1d
    beta: float
    drawn: PolicyGraph
    stated: PolicyGraph
    share: float
    factor: float


@dataclass(frozen=True, eq=False, repr=False)
class Lengths:
    """graph: with the stated lengths. short: bool (m,), its edges that are drawn 5/8 as long."""

    graph: PolicyGraph
    short: Bools1d

    @cached_property
    def drawn(self) -> PolicyGraph:
        """The graph of the draw, in finer quanta where edges are shortened."""
        graph = self.graph
        if not self.short.any():
            return graph
        return with_steps(graph, self._steps, graph.radii * FINE, graph.quanta * FINE)

    @cached_property
    def _steps(self) -> Ints1d:
        """Drawn lengths (m,), in quanta of the draw."""
        steps = np.asarray(self.graph.steps)
        if not self.short.any():
            return steps
        return np.where(self.short, 5 * steps * FINE // 8, steps * FINE)

    def needed(self, logs: Floats1d, beta: float, epsilon: float) -> Floats1d:
        """Return the largest log ratio of each edge (m,) over epsilon times its length."""
        graph = self.graph
        low = np.repeat(np.arange(len(graph)), np.diff(graph.starts))
        lengths = graph.steps / graph.quanta
        drawn = beta * self._steps / self.drawn.quanta
        times: Floats1d = (drawn + np.abs(logs[low] - logs[graph.ends])) / (epsilon * lengths)
        return times


def even(lengths: Lengths, weights: Floats1d, epsilon: float) -> Even:
    """Return the evenness at the largest beta of RATIOS that leaves few edges to be stated longer.

    That is, the edges that lose more than epsilon times their length; at half of epsilon there are
    none, whatever the weights (n,) are. It searches from every word and multiplies with all pairs
    within reach at each step: minutes, and 2 GB, for 60,000 words.
    """
    near = _Near(lengths)

    @cache
    def at(place: int) -> Even:
        beta = epsilon / RATIOS[place]
        mu = near.evened(weights, beta, epsilon)
        return stated(lengths, mu, near.logs(mu, beta), beta, epsilon)

    low, high = 0, len(RATIOS) - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if at(middle).share <= SHARE else (middle + 1, high)
    return at(low)


class _Near:
    """All words nearer than their radii, by the word of the search: 6 bytes a pair."""

    def __init__(self, lengths: Lengths) -> None:
        self.lengths, self.graph = lengths, lengths.drawn
        graph = self.graph
        rows = (np.arange(p.start, p.stop) for p in blocks(len(graph), WORDS_AT_ONCE))
        parts = [graph.within(some) for some in rows]
        sizes = [len(words) for part in parts for words, _ in part]
        self.starts = np.concatenate([[0], np.cumsum(sizes)])
        self.words = np.concatenate([words for part in parts for words, _ in part])
        self.nearer: Numbers1d = np.concatenate([steps for part in parts for _, steps in part])

    def evened(self, weights: Floats1d, beta: float, epsilon: float) -> Floats1d:
        """The weights after all steps, or fewer if no edge loses too much by then."""
        from scipy.sparse import csr_array

        n, mu, quanta = len(self.graph), weights / weights.max(), self.graph.quanta
        exponents = beta * np.arange(int(self.nearer.max()) + 1) / quanta
        at_radii = np.exp(-beta * (self.graph.radii / quanta))
        large = exponents[-1] > LARGEST
        if large:  # the ratio to the weight at the radii is beyond float32, the excess is below 1
            radii = self.graph.radii
            paths = np.repeat(radii, np.diff(self.starts)) + radii[self.words] - self.nearer
            decays = np.exp(-beta * np.arange(int(paths.max()) + 1) / quanta).astype(np.float32)
            pairs = decays[paths] * -np.expm1(-exponents).astype(np.float32)[self.nearer]
        else:
            pairs = np.expm1(exponents).astype(np.float32)[self.nearer]
        table = csr_array((pairs, self.words, self.starts), shape=(n, n))

        def summed(v: Floats1d) -> Floats1d:
            far = at_radii * v
            near = table @ (v if large else far).astype(np.float32)
            sums: Floats1d = at_radii * far.sum() + near if large else at_radii * (far.sum() + near)
            return sums

        total = summed(np.ones(n))
        for _ in range(STEPS if n < MANY else STEPS_OF_MANY):
            Z = summed(mu)
            if not (self.lengths.needed(np.log(Z), beta, epsilon) > 1).any():
                break
            mu = mu * (summed(1 / Z) / total) ** FASTER
            mu = np.maximum(mu / mu.max(), LEAST)
        evened: Floats1d = mu
        return evened

    def logs(self, mu: Floats1d, beta: float) -> Floats1d:
        """ln Z (n,), in float64."""
        near = ((self.words[i:j], self.nearer[i:j]) for i, j in pairwise(self.starts.tolist()))
        return log_sums(self.graph, mu, beta, np.arange(len(self.graph)), near)


def log_sums(
    graph: PolicyGraph, mu: Floats1d, beta: float, rows: Ints1d, near: Iterable[Any]
) -> Floats1d:
    """ln Z (k,) of k words by weights mu (n,), in float64. near: what graph.within(rows) gives."""
    radii = graph.radii / graph.quanta
    outputs = mu * np.exp(-beta * radii)
    times = np.expm1(beta * np.arange(2 * int(graph.radii.max()) + 1) / graph.quanta)
    sums = [outputs.sum() + float(outputs[words] @ times[nearer]) for words, nearer in near]
    logs: Floats1d = np.log(sums) - beta * radii[rows]
    return logs


def stated(given: Lengths, mu: Floats1d, logs: Floats1d, beta: float, epsilon: float) -> Even:
    """Derive the stated graph from ln Z (n,) of the draw: each edge, and each radius, becomes as
    long as its largest log ratio over epsilon, where that is longer."""
    graph, drawn = given.graph, given.drawn
    times = given.needed(logs, beta, epsilon)
    steps = np.ceil(graph.steps * FINER * np.maximum(times, 1) - 1e-9).astype(np.int64)
    middle = (logs.max() + logs.min()) / 2
    lengths = (beta * drawn.radii / drawn.quanta + np.abs(logs - middle)) / epsilon
    radii = np.maximum(graph.radii * FINER, np.ceil(lengths * graph.quanta * FINER - 1e-9))
    longer = times > 1 + 1e-9
    longest = (steps / (graph.steps * FINER)).max(initial=1.0)
    factor = float(max(longest, (radii / (graph.radii * FINER)).max()))
    made = with_steps(graph, steps, radii.astype(np.int64), graph.quanta * FINER)
    return Even(mu, logs, beta, drawn, made, float(longer.mean()) if len(longer) else 0.0, factor)
