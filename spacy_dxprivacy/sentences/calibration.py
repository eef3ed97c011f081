"""The exact epsilon of words that are drawn alone, and the beta that belongs to it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from tqdm import tqdm

from ..arrays import Floats1d, Floats2d, Ints1d, blocks
from ..graph.policy_graph import PolicyGraph
from ..privacy.calibration import solved_beta

WORDS_AT_ONCE = 2**8


def solved_for_words(graph: PolicyGraph, weights: Floats1d, epsilon: float) -> float:
    """The beta in [epsilon/2, epsilon] of which exact_epsilon is epsilon, within 1e-4 and below.

    weights: float64 (n,), of the outputs. A walk from every word: a minute for 60,000 of them.
    """
    return solved_beta(partial(exact_epsilon, graph, weights_at(graph, weights)), epsilon)


@dataclass(frozen=True, eq=False)
class WeightsAt:
    """float64 (n, quanta) each: what the words at each distance from w weigh together, of those
    nearer than the radii; and what those with each radius do, of all others."""

    near: Floats2d
    far: Floats2d


def weights_at(graph: PolicyGraph, weights: Floats1d) -> WeightsAt:
    n, most = len(graph), int(graph.radii.max()) + 1
    near = np.zeros((n, 2 * most))
    far = np.repeat(np.bincount(graph.radii, weights, most)[None], n, axis=0)
    with tqdm(total=n, desc="weights within reach", disable=None, delay=1, leave=False) as bar:
        for part in blocks(n, WORDS_AT_ONCE):
            rows = np.arange(part.start, part.stop)
            for row, (words, nearer) in zip(rows.tolist(), graph.within(rows), strict=True):
                others = graph.radii[words]
                steps = graph.radii[row] + others - nearer
                near[row] = np.bincount(steps, weights[words], 2 * most)
                far[row] -= np.bincount(others, weights[words], most)
            bar.update(len(rows))
    return WeightsAt(near, np.maximum(far, 0))


def exact_epsilon(graph: PolicyGraph, at: WeightsAt, beta: float) -> float:
    """The least epsilon for which q(y) exp(-beta path(w, y)) / Z_w is metric private.

    It is enough to look at the edges, since every path is made of them (docs/path.md), and at the
    radii, over which all other words are joined.
    """
    near, far = (np.exp(-beta * np.arange(H.shape[1]) / graph.quanta) for H in (at.near, at.far))
    logs = np.log(at.near @ near + np.exp(-beta * graph.radii / graph.quanta) * (at.far @ far))
    low = np.repeat(np.arange(len(graph)), np.diff(graph.starts))
    slopes = np.abs(logs[low] - logs[graph.ends]) / graph.steps
    steepest = max(float(slopes.max(initial=0.0)), steepest_over(logs, graph.radii))
    return beta + graph.quanta * steepest


def steepest_over(logs: Floats1d, radii: Ints1d) -> float:
    """The largest (logs[v] - logs[w]) / (radii[v] + radii[w]) of any two words.

    From below: with the words that are farthest above the best so far it gets better, until there
    are none (Dinkelbach 1967).
    """
    best = 0.0
    while True:
        v, w = int((logs - best * radii).argmax()), int((logs + best * radii).argmin())
        found = float(logs[v] - logs[w]) / float(radii[v] + radii[w])
        if found <= best * (1 + 1e-12):
            return best
        best = found
