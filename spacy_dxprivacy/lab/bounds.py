r"""Upper bounds under a guarantee, and lower bounds of information at an expected loss.

**Under a guarantee.** Let k[y] be how often y is unchanged. P[w, y] >= exp(-epsilon d(w, y)) k[y],

    1 >= sum over y of exp(-epsilon d(w, y)) k[y]        for every word w

so the unchanged share is at most the optimum of this packing program, for any mechanism of this
epsilon on this metric. A guess is post-processing of the output, so no guess of a word from its
output alone is right more often either. Any u >= 0 with sum of u[w] exp(-epsilon d(w, y)) >=
prior[y] proves sum of u as a bound.

**At an expected loss.** Whoever sees the output learns at least the rate-distortion function of the
prior, in nats: least mutual information of word and output over all channels of that loss.

Papers  Blahut 1972, Arimoto 1972; Berger 1971
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats1d, Floats2d

MOST_WORDS = 300  # of the packing program; the others count as always unchanged


def bound_unchanged(D: Floats2d, prior: Floats1d, epsilon: float) -> float:
    """Return the largest share of words that is unchanged, and that is guessed right.

    D: distances, (m, m), infinite for pairs that are not covered. prior: (m,).
    """
    from scipy.optimize import linprog

    order = np.argsort(-prior, kind="stable")
    some, rest = order[:MOST_WORDS], float(prior[order[MOST_WORDS:]].sum())
    K, weights = np.exp(-epsilon * D[np.ix_(some, some)]), prior[some]
    found = linprog(np.ones(len(some)), A_ub=-K, b_ub=-weights)
    # The solver's answer is scaled until it is a proof.
    u = np.maximum(found.x, 0) if found.status == 0 else weights
    short = float((weights / np.maximum(K @ u, 1e-300)).max(initial=0))
    return min(1.0, float(u.sum()) * max(1.0, short) + rest)


def mutual_information(channel: Floats2d, prior: Floats1d) -> float:
    """Return the mutual information of word and output, nats."""
    outputs = prior @ channel
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(channel > 0, np.log(channel / outputs), 0.0)
    return float(prior @ (channel * logs).sum(axis=1))


def least_information(loss: Floats2d, prior: Floats1d, expected: float) -> float:
    """Return the least mutual information, nats, of all channels of this expected loss (n, k).

    It is 0 where one output for all words has no larger loss.
    """
    if expected >= float((prior @ loss).min()):
        return 0.0
    low, high, least = 0.0, 60.0, 0.0  # nats a unit of loss: at 60 everything is unchanged
    for _ in range(25):
        slope = (low + high) / 2
        reached, tangent = _tangent(loss, prior, slope)
        # A tangent of this convex function is below it everywhere.
        least = max(least, tangent - slope * expected)
        low, high = (slope, high) if reached > expected else (low, slope)
    return least


def _tangent(loss: Floats2d, prior: Floats1d, slope: float) -> tuple[float, float]:
    """Return the loss of a channel, and a lower bound of information + slope * loss."""
    own = loss.min(axis=1)
    K = np.exp(-slope * (loss - own[:, None]))
    q = np.full(loss.shape[1], 1 / loss.shape[1])
    for _ in range(400):
        more = (prior / (K @ q)) @ K
        if more.max() < 1 + 1e-6:  # nats between the bound and the function
            break
        q = q * more
    # By the dual, which is a lower bound for any q, after however few rounds (Berger 1971).
    Z = K @ q
    some = prior / Z
    dual = -float(prior @ np.log(Z)) - np.log((some @ K).max()) + slope * float(prior @ own)
    return float(some @ ((K * loss) @ q)), float(dual)
