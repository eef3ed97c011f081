"""The exact epsilon of words that are drawn alone, and the beta that belongs to it."""

from __future__ import annotations

from functools import partial

import numpy as np
from tqdm import tqdm

from ..arrays import Floats1d, Floats2d
from ..graph.policy_graph import PolicyGraph
from ..privacy.calibration import solved_beta


def solved_for_words(graph: PolicyGraph, weights: Floats1d, epsilon: float) -> float:
    """The beta in [epsilon/2, epsilon] of which exact_epsilon is epsilon, within 1e-4 and below.

    weights: float64 (n,), of the outputs. A walk from every word: a minute for 60,000 of them.
    """
    H = weights_at(graph, weights)
    return solved_beta(partial(exact_epsilon, graph, H, float(weights.sum())), epsilon)


def weights_at(graph: PolicyGraph, weights: Floats1d) -> Floats2d:
    """float64 (n, reach): what the words at each distance weigh together."""
    n = len(graph)
    H = np.zeros((n, graph.reach))
    with tqdm(total=n, desc="weights within reach", disable=None, delay=1, leave=False) as bar:
        for part, walks in graph.walker(np.arange(n)):
            k = len(walks.sizes)
            keys = np.repeat(np.arange(k), walks.sizes) * graph.reach + walks.steps
            sums = np.bincount(keys, weights[walks.words], k * graph.reach)
            H[part] = sums.reshape(k, graph.reach)
            bar.update(k)
    return H


def exact_epsilon(graph: PolicyGraph, H: Floats2d, total: float, beta: float) -> float:
    """The least epsilon for which q(y) exp(-beta path(w, y)) / Z_w is metric private.

    It is enough to look at the edges, since every path is made of them (docs/path.md), and of those
    as long as the reach, which join all words, at the largest difference.
    """
    kernel = np.exp(-beta * np.arange(graph.reach) / graph.quanta)
    far = np.exp(-beta * graph.longest)
    logs = np.log(H @ (kernel - far) + total * far)
    low = np.repeat(np.arange(len(graph)), np.diff(graph.starts))
    slopes = np.abs(logs[low] - logs[graph.ends]) / graph.steps
    steepest = max(float(slopes.max(initial=0.0)), float(np.ptp(logs)) / graph.reach)
    return beta + graph.quanta * steepest
