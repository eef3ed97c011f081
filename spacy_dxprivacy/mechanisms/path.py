r"""The exponential mechanism on shortest paths of a word graph (dx.Path.v1).

Probability P(y | w) = exp(-beta path(w, y)) / Z_w over the whole space; path is the length of the
            shortest path on a public graph that joins near words
Guarantee   epsilon nats per unit of path, for all pairs of words (metric-dp). beta is solved for:
            epsilon = beta + max over edges of |ln Z_w - ln Z_v| / length, which is exact
Use         where replacements should be near words, whatever the scale of the vectors; every word
            has neighbours from which it can hardly be distinguished
Paper       this project, docs/explanation/sentences.md; the exponential mechanism is that of
            McSherry, Talwar 2007. It answers the open problem of the paper on the curse of
            dimensionality: a metric that behaves like the neighbour rank
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints1d, blocks
from ..metric import STEPS, WordGraph, graph_of
from ..metric.word_graph import log_sums
from ..privacy.guarantee import Guarantee
from ..privacy.noise import solved_beta
from ..privacy.randomness import Rng
from ..registries import registry
from ..space import Space
from ..validate import fail, positive
from .built import LARGEST_SCORE
from .choice import Choice, ChoiceMechanism

BLOCK_WORDS = 8192
OUTPUTS_AT_ONCE = 64


@registry.dx_mechanisms("dx.Path.v1")
def make_path(epsilon: float) -> ChoiceMechanism:
    """Create the exponential mechanism on shortest paths.

    Args:
        epsilon: Nats per unit of path, above 0. Nearest neighbours of each other are .75 apart.
    """
    epsilon = positive("epsilon", epsilon)
    guarantee = Guarantee(
        kind="metric-dp",
        epsilon=epsilon,
        metric="path",
        covers="all",
        status="computed",
        source="docs/explanation/sentences.md, theorem; McSherry and Talwar 2007",
        notes="Draws use 53 random bits: a word of probability below 2**-53 may never come out.",
    )
    return ChoiceMechanism("dx.Path.v1", guarantee, build)


def build(space: Space, guarantee: Guarantee) -> Choice:
    epsilon = guarantee.epsilon
    graph = graph_of(space)
    longest = graph.reach / STEPS
    if epsilon * longest > LARGEST_SCORE:
        expected = f"at most {LARGEST_SCORE / longest:.4g} on this space"
        raise fail("epsilon", expected, epsilon)
    beta = solved_beta(partial(exact_epsilon, graph), epsilon)
    notes = (
        f"The choice uses exp(-{beta:.6g} path) on this space. No two words are more than "
        f"{longest:g} apart. "
    )

    def weights(rows: Ints1d) -> Floats2d:
        return np.exp(-beta * graph.distances(rows))

    log_Z = log_sums(graph, beta)

    def probabilities(rows: Ints1d, outputs: Ints1d) -> Floats2d:
        # A path is as long in the other direction, and sums are known for all words.
        P = np.empty((len(rows), len(outputs)))
        for part in blocks(len(outputs), OUTPUTS_AT_ONCE):
            D = graph.distances(outputs[part])[:, rows]
            P[:, part] = np.exp(-beta * D - log_Z[rows]).T
        return P

    guarantee = replace(guarantee, notes=notes + guarantee.notes, loss_range=2 * beta / epsilon)
    draw = _DistanceDraw(graph, beta, np.exp(-log_Z))
    return Choice(weights, graph.distances, guarantee, draw, longest, probabilities=probabilities)


def exact_epsilon(graph: WordGraph, beta: float) -> float:
    """Return the least epsilon for which exp(-beta path) is metric private on this graph.

    It is enough to look at the edges, since every path is made of them
    (docs/explanation/sentences.md). Edges as long as the reach join all words, so the largest
    difference of ln Z counts there.
    """
    logs = log_sums(graph, beta)
    low, high, steps = graph.edges
    steepest = np.max(np.abs(logs[low] - logs[high]) / steps, initial=0.0)
    steepest = max(steepest, np.ptp(logs) / graph.reach)
    return float(beta + STEPS * steepest)


@dataclass(frozen=True, eq=False, repr=False)
class _DistanceDraw:
    """Draw a distance, by the number of words at each; then a word at it, uniformly."""

    graph: WordGraph
    beta: float
    unchanged: Floats1d  # (n,): the probability that each word is unchanged

    def __call__(self, rows: Ints1d, rng: Rng) -> Ints1d:
        drawn = rows.copy()
        uniforms = rng.uniform(len(rows))
        changed = np.flatnonzero(uniforms >= self.unchanged[rows])
        for part in blocks(len(changed), BLOCK_WORDS):
            places = changed[part]
            drawn[places] = self._replacements(rows[places], uniforms[places], rng)
        return drawn

    def _replacements(self, rows: Ints1d, uniforms: Floats1d, rng: Rng) -> Ints1d:
        graph, reach = self.graph, self.graph.reach
        words, inverse = np.unique(rows, return_inverse=True)  # sums are alike for the same word
        counts = graph.count_words()[words]
        # The last weight is that of all words beyond the reach.
        W = np.empty((len(words), reach + 1))
        W[:, :reach] = counts
        W[:, reach] = len(graph) - counts.sum(axis=1, dtype=np.int64)
        W *= np.exp(-self.beta * np.arange(reach + 1) / STEPS)
        steps = _first_above(np.cumsum(W, axis=1, out=W), inverse, uniforms)
        outputs = np.empty(len(rows), dtype=np.int64)
        outputs[steps == reach] = self._beyond(rows[steps == reach], rng)
        within = np.flatnonzero(steps != reach)
        sizes = counts[inverse[within], steps[within]].astype(np.int64)
        ends = np.cumsum(counts, axis=1, dtype=np.int64)[inverse[within], steps[within]]
        places = ends - sizes + (rng.uniform(len(within)) * sizes).astype(np.int64)
        outputs[within] = graph.reached.at(rows[within], places)
        return outputs

    def _beyond(self, rows: Ints1d, rng: Rng) -> Ints1d:
        """Sample a word beyond the reach uniformly, by rejection."""
        graph = self.graph
        drawn = np.full(len(rows), -1, dtype=np.int64)
        while (missing := np.flatnonzero(drawn < 0)).size:
            missing_rows = rows[missing]
            candidates = (rng.uniform(len(missing_rows)) * len(graph)).astype(np.int64)
            beyond = ~graph.reached.are_near(missing_rows, candidates)
            drawn[missing[beyond]] = candidates[beyond]
        return drawn


def _first_above(sums: Floats2d, row_of: Ints1d, uniforms: Floats1d) -> Ints1d:
    """Return the first place (k,) of rows of rising sums above a share of their total: a binary
    search in all rows at once."""
    total = sums[row_of, -1]
    # uniform * total must not be rounded up to the total, beyond the last sum.
    marks = np.minimum(uniforms * total, np.nextafter(total, 0))
    width, places = sums.shape[1], np.zeros(len(row_of), dtype=np.int64)
    flat, before = sums.reshape(-1), row_of * sums.shape[1] - 1
    for bit in reversed(range(width.bit_length())):
        ahead = np.minimum(places + (1 << bit), width)
        places = np.where(flat[before + ahead] <= marks, ahead, places)
    return places
