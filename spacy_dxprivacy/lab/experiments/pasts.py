r"""What the past says of each word of a public sentence: laws behind a bound on what is told.

States Z say nothing of an output Y that the words W do not say, so what is told of W is told of
both; and a word depends on all before it by the last state alone. So

    I(W; Y) = sum over i of I(W_i Z_i; Y | W_1 Z_1 .. W_i-1 Z_i-1)
           >= sum over i of I(W_i; Y_i | Z_i-1)
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats1d, Floats2d
from ...priors.chain import Chain


def laws_of(chain: Chain, length: int) -> tuple[Floats2d, Floats1d]:
    """float64 (s, n), (s,): what a word may be, given the state before it and its place in a
    sentence of this length, and how often that is; all places together have sum 1.
    A table of all states by all: for groups of words."""
    behind = _behind(chain, length)
    ahead = (chain.begin.astype(np.float64) * behind[0])[None]
    laws, often, likely = [], [], np.ones(1)
    for place in range(length):
        sums = ahead @ chain.totals
        used = np.flatnonzero((likely > 0) & (sums > 0))
        states = ahead[used] / sums[used, None]
        laws.append(states @ chain.emit.toarray().T.astype(np.float64))
        often.append(likely[used])
        likely = likely[used] @ (states * chain.totals)
        if place + 1 < length:
            ahead = _table(chain) * behind[place + 1]
    return np.concatenate(laws), np.concatenate(often) / length


def _behind(chain: Chain, length: int) -> list[Floats1d]:
    """For each place (K,): how likely the sentence is to end where it does, after each state."""
    found = [chain.end.astype(np.float64)]
    for _ in range(length - 1):
        found.append(_table(chain) @ (chain.totals * found[-1]))
        found[-1] /= found[-1].max()
    return found[::-1]


def _table(chain: Chain) -> Floats2d:
    """T, float64 (K, K)."""
    delta = chain.delta if isinstance(chain.delta, np.ndarray) else chain.delta.toarray()
    T: Floats2d = delta.astype(np.float64) + np.outer(chain.back, chain.u)
    return T
