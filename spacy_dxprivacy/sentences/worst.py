r"""How much one word of a sentence can lose, whatever stands around it: is 2 beta attained?

What is around a place says m(z) >= 0 of its state, so that Z of the sentence is the sum of m(z)
E_w(z). Two words a, b at an edge lose

    beta length(a, b) + |ln sum of m E_a - ln sum of m E_b|

for the output that is a, or b. A ratio of sums is at most the largest ratio of their terms, so for
every context, of any words, drawn or in clear, before or after,

    epsilon <= beta + max over edges and states of |ln E_a(z) - ln E_b(z)| / length(a, b)
    (bound)

Which is 2 beta nearly where a state has one word, and less where each state has many (a hidden
Markov model of word classes). A context of two words in clear is found by turns: all that can
stand before are tried in one product for what stands after, and the other way round.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats1d, Ints2d
from ..priors.chain import Chain
from .emissions import Emissions

TURNS = 4
TINY = 1e-300


@dataclass(frozen=True)
class Steepest:
    """An edge in its worst context. a, b: rows. before, after: states of the words around, -1 where
    the sentence begins or ends. epsilon: what the edge loses there, a unit of length. bound: what
    it loses at most, in any context."""

    a: int
    b: int
    before: int
    after: int
    epsilon: float
    bound: float


def steepest(chain: Chain, emissions: Emissions, edges: Ints2d) -> Iterator[Steepest]:
    """edges: int64 (m, 3), two rows and quanta of length -> each in the worst context that the
    search finds."""
    graph, beta = emissions.kernel.graph, emissions.kernel.beta
    for a, b, quanta in edges.tolist():
        length = quanta / graph.quanta
        shift = beta * float(graph.radii[b] - graph.radii[a]) / graph.quanta
        A, B = emissions.exact(a) * np.exp(shift), emissions.exact(b)
        before, after, slope = _around(chain, A, B)
        logs = np.abs(np.log(np.maximum(A, TINY) / np.maximum(B, TINY)))
        highest = min(float(logs.max()) / length, beta)
        yield Steepest(a, b, before, after, beta + slope / length, beta + highest)


def _around(chain: Chain, A: Floats1d, B: Floats1d) -> tuple[int, int, float]:
    """The states before and after between which |ln sum m A - ln sum m B| is largest, and that."""
    best = (-1, -1, abs(_ratio(chain.begin * chain.end, A, B)))
    for sign in (1, -1):
        found = _by_turns(chain, *((A, B) if sign > 0 else (B, A)))
        best = max(best, found, key=lambda one: one[2])
    return best


def _by_turns(chain: Chain, A: Floats1d, B: Floats1d) -> tuple[int, int, float]:
    """Where ln sum m A - ln sum m B is largest: before for after, and after for before."""
    behind, before, after, log = chain.end.astype(np.float64), -1, -1, -np.inf
    for _ in range(TURNS):
        both = chain.backward(np.stack([behind * A, behind * B], axis=1))
        before = int(np.argmax(both[:, 0] / np.maximum(both[:, 1], TINY)))
        ahead = _row(chain, before)
        both = chain.forward(np.stack([ahead * A, ahead * B], axis=1))
        after = int(np.argmax(both[:, 0] / np.maximum(both[:, 1], TINY)))
        behind, last = _column(chain, after), log
        log = _ratio(ahead * behind, A, B)
        if log <= last + 1e-12:
            break
    return before, after, log


def _ratio(m: Floats1d, A: Floats1d, B: Floats1d) -> float:
    return float(np.log(m @ A) - np.log(m @ B))


def _row(chain: Chain, state: int) -> Floats1d:
    """T(state, .), float64 (K,)."""
    one = np.zeros((chain.states, 1))
    one[state] = 1
    ahead: Floats1d = chain.forward(one)[:, 0]
    return ahead


def _column(chain: Chain, state: int) -> Floats1d:
    """T(., state), float64 (K,)."""
    one = np.zeros((chain.states, 1))
    one[state] = 1
    behind: Floats1d = chain.backward(one)[:, 0]
    return behind
