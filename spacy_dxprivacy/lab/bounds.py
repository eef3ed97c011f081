r"""What no mechanism can beat: of a promise, and of an expected loss.

**Of a promise.** Let k[y] be how often y stays. Where P[w, y] >= exp(-epsilon d(w, y)) P[y, y],

    1 >= sum over y of exp(-epsilon d(w, y)) k[y]        for every word w

so the share of words that stay is at most the optimum of this packing program, for any mechanism of
this epsilon on this metric. A guess is a function of the output, and a mechanism whose outputs are
replaced by guesses keeps the promise: so no guess of a word from its output alone is right more
often either. Any u >= 0 with sum of u[w] exp(-epsilon d(w, y)) >= prior[y] proves sum of u as a
bound.

**Of an expected loss.** Whoever sees the output learns at least the rate-distortion function of the
prior, in nats: least mutual information of word and output over all channels of that loss.

Papers  Blahut 1972, Arimoto 1972; Berger 1971
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats1d, Floats2d

MOST_WORDS = 300  # of the packing program; the others count as if they always stayed
ROUNDS = 400  # of Blahut and Arimoto
CLOSE = 1e-6  # nats: how near the bound is to the function where rounds end before
HALVINGS = 25
STEEPEST = 60.0  # nats a unit of loss: beyond it everything stays


def most_kept(D: Floats2d, prior: Floats1d, epsilon: float) -> float:
    """D: float64 (m, m), prior: (m,) -> the share of words that stays at most, and that is guessed
    right at most. Infinite distances are those of pairs without a promise."""
    from scipy.optimize import linprog

    order = np.argsort(-prior, kind="stable")
    some, rest = order[:MOST_WORDS], float(prior[order[MOST_WORDS:]].sum())
    K, weights = np.exp(-epsilon * D[np.ix_(some, some)]), prior[some]
    found = linprog(np.ones(len(some)), A_ub=-K, b_ub=-weights)
    # What the solver says is only taken for a proof once it is one.
    u = np.maximum(found.x, 0) if found.status == 0 else weights
    short = float((weights / np.maximum(K @ u, 1e-300)).max(initial=0))
    return min(1.0, float(u.sum()) * max(1.0, short) + rest)


def told(channel: Floats2d, prior: Floats1d) -> float:
    """Mutual information of word and output, nats."""
    outputs = prior @ channel
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(channel > 0, np.log(channel / outputs), 0.0)
    return float(prior @ (channel * logs).sum(axis=1))


def least_told(loss: Floats2d, prior: Floats1d, expected: float) -> float:
    """loss: float64 (n, k) -> the least nats that an output tells, of all channels of this expected
    loss: 0 where one output for all words has no more."""
    if expected >= float((prior @ loss).min()):
        return 0.0
    low, high, least = 0.0, STEEPEST, 0.0
    for _ in range(HALVINGS):
        slope = (low + high) / 2
        reached, tangent = _tangent(loss, prior, slope)
        # A tangent of the function is below it everywhere.
        least = max(least, tangent - slope * expected)
        low, high = (slope, high) if reached > expected else (low, slope)
    return least


def _tangent(loss: Floats2d, prior: Floats1d, slope: float) -> tuple[float, float]:
    """The loss of the channel that tells least at this price of loss, and what no channel has less
    of: nats told, and slope times the loss."""
    own = loss.min(axis=1)
    K = np.exp(-slope * (loss - own[:, None]))
    q = np.full(loss.shape[1], 1 / loss.shape[1])
    for _ in range(ROUNDS):
        more = (prior / (K @ q)) @ K
        if more.max() < 1 + CLOSE:
            break
        q = q * more
    # By the dual, for any q: no rounds too few make it more than it is (Berger 1971).
    Z = K @ q
    some = prior / Z
    dual = -float(prior @ np.log(Z)) - np.log((some @ K).max()) + slope * float(prior @ own)
    return float(some @ ((K * loss) @ q)), float(dual)
