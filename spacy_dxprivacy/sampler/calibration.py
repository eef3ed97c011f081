"""Find the beta of word-level sampling that satisfies an epsilon.

The exact epsilon of a beta takes a shortest-path search from every word: minutes for 60,000 words.
The result is an epsilon-beta table, computed once for a space, graph and public weights, and stored
beside the space.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import partial

import numpy as np

from .. import progress
from ..arrays import Floats1d, Floats2d, Ints1d, blocks
from ..metric.policy_graph import PolicyGraph
from ..prior.chain import Chain
from ..privacy.noise import solved_beta
from ..privacy.randomness import Rng
from ..space import learned

SOURCES_AT_ONCE = 2**8  # words searched from
STORED_FROM = 5_000  # words of a space: for fewer, no epsilon-beta table is stored
EDGES_CHECKED = 32  # of each kind, at which a stored table is checked
BETAS = np.round(0.02 * 1.01 ** np.arange(640), 6)  # up to 11.5, one percent apart


@dataclass(frozen=True, eq=False)
class DistanceWeights:
    """Total weights by distance, float64 (k, quanta) each."""

    nearer: Floats2d  # of the words nearer than the sum of radii, by their distance
    far: Floats2d  # of the other words, by their radius


def distance_weights(
    graph: PolicyGraph, weights: Floats1d, sources: Ints1d | None = None
) -> DistanceWeights:
    """Return the weights by distance of every word, or of k words. weights: float64 (n,)."""
    sources = np.arange(len(graph)) if sources is None else sources
    n, size = len(sources), int(graph.radii.max()) + 1
    nearer = np.zeros((n, 2 * size))
    far = np.repeat(np.bincount(graph.radii, weights, size)[None], n, axis=0)
    with progress.bar(n, "weights within reach") as bar:
        for part in blocks(n, SOURCES_AT_ONCE):
            rows = sources[part]
            places = range(part.start, part.stop)
            for i, row, (words, saved) in zip(places, rows, graph.within(rows), strict=True):
                radii = graph.radii[words]
                steps = graph.radii[row] + radii - saved
                nearer[i] = np.bincount(steps, weights[words], 2 * size)
                far[i] -= np.bincount(radii, weights[words], size)
            bar.update(len(rows))
    return DistanceWeights(nearer, np.maximum(far, 0))


def log_sums(weights: DistanceWeights, radii: Ints1d, quanta: int, beta: float) -> Floats1d:
    """Return ln Z (k,) of words, given their weights by distance and their radii."""
    tables = (weights.nearer, weights.far)
    nearer, far = (table @ np.exp(-beta * np.arange(table.shape[1]) / quanta) for table in tables)
    logs: Floats1d = np.log(nearer + np.exp(-beta * radii / quanta) * far)
    return logs


def exact_epsilon(graph: PolicyGraph, at: DistanceWeights, beta: float) -> float:
    """Return the least epsilon for which q(y) exp(-beta path(w, y)) / Z_w is metric private.

    It is enough to check the edges, since every path consists of edges
    (docs/explanation/sentences.md), and the radii, which join all other words.
    """
    logs = log_sums(at, graph.radii, graph.quanta, beta)
    low = np.repeat(np.arange(len(graph)), np.diff(graph.starts))
    slopes = np.abs(logs[low] - logs[graph.ends]) / graph.steps
    steepest = max(float(slopes.max(initial=0.0)), steepest_over(logs, graph.radii))
    return beta + graph.quanta * steepest


def steepest_over(logs: Floats1d, radii: Ints1d) -> float:
    """Return the largest (logs[v] - logs[w]) / (radii[v] + radii[w]) of two words, by iteration
    from below (Dinkelbach 1967)."""
    best = 0.0
    while True:
        v, w = int((logs - best * radii).argmax()), int((logs + best * radii).argmin())
        slope = float(logs[v] - logs[w]) / float(radii[v] + radii[w])
        if slope <= best * (1 + 1e-12):
            return best
        best = slope


def beta_of(space: learned.PublicTable, graph: PolicyGraph, chain: Chain, epsilon: float) -> float:
    """Return the beta of word-level sampling with the unigrams of the chain: at most the largest
    that satisfies epsilon, within 1e-4 on small graphs, else within one percent."""
    if len(graph) < STORED_FROM:
        at = distance_weights(graph, chain.unigram)
        return solved_beta(partial(exact_epsilon, graph, at), epsilon)
    epsilons = epsilons_of(space, graph, chain)
    # Half of epsilon is valid on any space.
    return max(epsilon / 2, float(BETAS[epsilons <= epsilon].max(initial=0.0)))


def epsilons_of(space: learned.PublicTable, graph: PolicyGraph, chain: Chain) -> Floats1d:
    """Return the least epsilon of each of BETAS, computed once by a search from every word."""

    def make() -> Floats1d:
        at = distance_weights(graph, chain.unigram)
        exact = np.array([exact_epsilon(graph, at, beta) for beta in BETAS.tolist()])
        return np.asarray(np.ceil(exact * 1e6) / 1e6)

    basis = f"the epsilons of words, {_fingerprint(chain.digest, graph)}"
    return learned.once(space, basis, make, partial(_are_valid, graph=graph, weights=chain.unigram))


def _are_valid(epsilons: Floats1d, graph: PolicyGraph, weights: Floats1d) -> bool:
    """Return whether sampled edges have at most this loss at any beta: random edges, and those with
    the largest ratio of degrees."""
    # An epsilon is always between beta and twice beta.
    if epsilons.shape != BETAS.shape or not np.isfinite(epsilons).all():
        return False
    if (epsilons < BETAS).any() or (epsilons > 2 * BETAS + 1e-5).any():
        return False
    low = np.repeat(np.arange(len(graph)), np.diff(graph.starts))
    lengths, degrees = np.asarray(graph.steps), np.diff(graph.starts)
    imbalance = np.abs(np.log(degrees[low] / degrees[graph.ends])) / np.maximum(lengths, 1)
    drawn = Rng().integers(len(low), EDGES_CHECKED if len(low) else 0)
    edges = np.append(np.argsort(-imbalance)[:EDGES_CHECKED], drawn)
    words, inverse = np.unique([low[edges], graph.ends[edges]], return_inverse=True)
    low_at, high_at = inverse.reshape(2, -1)
    sampled = distance_weights(graph, weights, words)
    for beta, epsilon in zip(BETAS.tolist(), epsilons.tolist(), strict=True):
        logs = log_sums(sampled, graph.radii[words], graph.quanta, beta)
        slopes = np.abs(logs[low_at] - logs[high_at]) / lengths[edges]
        steepest = max(slopes.max(initial=0.0), steepest_over(logs, graph.radii[words]))
        if beta + graph.quanta * steepest > epsilon + 1e-5:
            return False
    return True


def _fingerprint(first: str, graph: PolicyGraph) -> str:
    hasher = hashlib.sha256(first.encode())
    for part in (graph.starts, graph.ends, graph.steps, graph.radii):
        hasher.update(np.ascontiguousarray(part, dtype=np.int64).tobytes())
    return hasher.hexdigest()
