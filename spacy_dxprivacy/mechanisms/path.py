r"""Private neighbours on a graph of words (dx.Path.v1).

Probability P(y | w) = exp(-beta path(w, y)) / Z_w over the whole space; path is the length of the
            shortest path on a public graph that joins near words
Guarantee   epsilon nats per unit of path, for all pairs of words (metric-dp). beta is solved for:
            epsilon = beta + max over edges of |ln Z_w - ln Z_v| / length, which is exact
Use         the default: words that change become near words, whatever the scale of the vectors, and
            every word has others that it can hardly be told from
Paper       this project, docs/explanation/sentences.md; the exponential mechanism is that of
            McSherry, Talwar 2007. It answers the open problem of the paper on the curse of
            dimensionality: a metric that behaves like the neighbour rank
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints1d, Numbers2d
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

WORDS_AT_ONCE = 8192


@registry.dx_mechanisms("dx.Path.v1")
def make_path(epsilon: float, keep: Sequence[str] = ()) -> ChoiceMechanism:
    """epsilon: nats per unit of path, above 0. Nearest neighbours of each other are .75 apart.

    keep: names of classes of the space, such as "month", that are never left: a word that has some
    of them becomes a word that has the same ones. Which ones a word has is then in clear, and words
    that differ in them are at infinite distance.
    """
    epsilon, keep = positive("epsilon", epsilon), _names(keep)
    kept = f"all pairs of words of the space with the same ones of the classes {', '.join(keep)}"
    guarantee = Guarantee(
        kind="metric-dp",
        epsilon=epsilon,
        metric="path",
        adjacency=f"{kept}; no other pair" if keep else "",
        covers="finite" if keep else "all",
        status="computed",
        source="docs/explanation/sentences.md, theorem; McSherry and Talwar 2007",
        notes="Draws use 53 random bits: a word of probability below 2**-53 may never come out.",
    )
    in_clear = (f"which of these classes each word has: {', '.join(keep)}",) if keep else ()
    return ChoiceMechanism("dx.Path.v1", guarantee, _Settings(epsilon, keep), in_clear)


@dataclass(frozen=True)
class _Settings:
    epsilon: float
    keep: tuple[str, ...]

    def on(self, space: Space, guarantee: Guarantee) -> Choice:
        graph = graph_of(space, self.keep)
        longest = graph.reach / STEPS
        if self.epsilon * longest > LARGEST_SCORE:
            expected = f"at most {LARGEST_SCORE / longest:.4g} on this space"
            raise fail("epsilon", expected, self.epsilon)
        beta = solve_beta(graph, self.epsilon)
        of_these = " of these classes" if self.keep else ""
        notes = (
            f"The choice uses exp(-{beta:.6g} path) on this space. No two words{of_these} are more "
            f"than {longest:g} apart. "
        )
        return Choice(
            len(space),
            partial(_weights, graph, beta),
            graph.distances,
            replace(guarantee, notes=notes + guarantee.notes),
            _Draw(graph, beta, np.exp(-log_sums(graph, beta))),
            longest,
        )


def _names(keep: Sequence[str]) -> tuple[str, ...]:
    if isinstance(keep, str) or not all(isinstance(name, str) for name in keep):
        raise fail("keep", "a list of names of classes", keep)
    return tuple(sorted(set(keep)))


def _weights(graph: WordGraph, beta: float, rows: Ints1d) -> Floats2d:
    return np.exp(-beta * graph.distances(rows))


# -- calibration ---------------------------------------------------------------------------------


def exact_epsilon(graph: WordGraph, beta: float) -> float:
    """The least epsilon for which exp(-beta path) is metric private on this graph.

    It is enough to look at the edges, since every path is made of them
    (docs/explanation/sentences.md). Of the edges as long as the reach, which join all words of a
    part, the largest difference counts.
    """
    logs = log_sums(graph, beta)
    low, high, steps = graph.edges
    steepest = np.max(np.abs(logs[low] - logs[high]) / steps, initial=0.0)
    for part in np.unique(graph.parts):
        steepest = max(steepest, np.ptp(logs[graph.parts == part]) / graph.reach)
    return float(beta + STEPS * steepest)


def solve_beta(graph: WordGraph, epsilon: float) -> float:
    """The beta in [epsilon/2, epsilon] of which exact_epsilon is epsilon, within 1e-4 and below."""
    return solved_beta(partial(exact_epsilon, graph), epsilon)


# -- sampling ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class _Draw:
    """First how far, from the counts of the word alone; then who, among those at this distance."""

    graph: WordGraph
    beta: float
    keeps: Floats1d  # (n,): the probability of each word to stay

    def __call__(self, rows: Ints1d, rng: Rng) -> Ints1d:
        drawn = rows.copy()
        uniforms = rng.uniform(len(rows))
        changed = np.flatnonzero(uniforms >= self.keeps[rows])
        for start in range(0, len(changed), WORDS_AT_ONCE):
            some = changed[start : start + WORDS_AT_ONCE]
            drawn[some] = self._others(rows[some], uniforms[some], rng)
        return drawn

    def _others(self, rows: Ints1d, uniforms: Floats1d, rng: Rng) -> Ints1d:
        words, which = np.unique(rows, return_inverse=True)  # sums are alike for the same word
        counts = self.graph.counts[words]
        steps = _places(self._sums(words, counts), which, uniforms)
        beyond = steps == self.graph.reach
        others = np.empty(len(rows), dtype=np.int64)
        others[beyond] = self._beyond(rows[beyond], rng)
        near = np.flatnonzero(~beyond)
        at = counts[which[near], steps[near]].astype(np.int64)
        ends = np.cumsum(counts, axis=1, dtype=np.int64)[which[near], steps[near]]
        places = ends - at + (rng.uniform(len(near)) * at).astype(np.int64)
        others[near] = self.graph.reached.at(rows[near], places)
        return others

    def _sums(self, words: Ints1d, counts: Numbers2d) -> Floats2d:
        """(k, reach + 1): the weight of all words so many steps away or fewer; the last is of all
        words of the part."""
        reach = self.graph.reach
        W = np.empty((len(words), reach + 1))
        W[:, :reach] = counts
        W[:, reach] = self.graph.part_sizes[words] - counts.sum(axis=1, dtype=np.int64)
        W *= np.exp(-self.beta * np.arange(reach + 1) / STEPS)
        np.cumsum(W, axis=1, out=W)
        return W

    def _beyond(self, rows: Ints1d, rng: Rng) -> Ints1d:
        """Any word of the part that is not within reach: drawn from all until it is not."""
        drawn = np.full(len(rows), -1, dtype=np.int64)
        while (left := np.flatnonzero(drawn < 0)).size:
            tries = self._of_part(rows[left], rng)
            beyond = ~self.graph.reached.are_near(rows[left], tries)
            drawn[left[beyond]] = tries[beyond]
        return drawn

    def _of_part(self, rows: Ints1d, rng: Rng) -> Ints1d:
        """A word of the same part for each row, each as likely as the other."""
        graph = self.graph
        places = (rng.uniform(len(rows)) * graph.part_sizes[rows]).astype(np.int64)
        found: Ints1d = graph.members[graph.first_members[rows] + places]
        return found


def _places(sums: Floats2d, which: Ints1d, uniforms: Floats1d) -> Ints1d:
    """(k,): in each of k rows of growing sums, the first place where the sum is above this part of
    the last one. By halves, as in a sorted list, but all rows at once."""
    total = sums[which, -1]
    # uniform * total must not be rounded up to the total, beyond the last sum.
    marks = np.minimum(uniforms * total, np.nextafter(total, 0))
    width, places = sums.shape[1], np.zeros(len(which), dtype=np.int64)
    flat, before = sums.reshape(-1), which * sums.shape[1] - 1
    for bit in reversed(range(width.bit_length())):
        ahead = np.minimum(places + (1 << bit), width)
        places = np.where(flat[before + ahead] <= marks, ahead, places)
    return places
