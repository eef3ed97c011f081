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
