"""How well a law foretells text that it was not made from."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..arrays import Floats1d, Ints1d, Ints2d
from .chain import Chain
from .corpus import STOP


def nats_of_pairs(chain: Chain, types: Ints1d) -> Floats1d:
    """types: sentences of types, each followed by STOP, K for unknown words -> (k,), -ln of each
    known word given the one before it. For laws whose words are their states."""
    K = chain.states
    before = np.concatenate([[STOP], types[:-1]])
    known = (types >= 0) & (types < K)
    x, y = before[known], types[known]
    p = np.empty(len(y))
    first, alone = x == STOP, x == K
    p[first], p[alone] = chain.begin[y[first]], chain.alone[y[alone]]
    on = ~first & ~alone
    p[on] = chain.back[x[on]].astype(np.float64) * chain.u[y[on]] + _cells(chain, x[on], y[on])
    return -np.log(np.maximum(p, 1e-30))


def _cells(chain: Chain, x: Ints1d, y: Ints1d) -> Floats1d:
    """delta[x, y], looked up by one number a pair."""
    table = chain.delta
    owner = np.repeat(np.arange(chain.states), np.diff(table.indptr))
    keys, wanted = owner * chain.states + table.indices, x * chain.states + y
    if not len(keys):
        return np.zeros(len(x))
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, table.data[at], 0.0)


def batches(types: Ints1d, words: int) -> Iterator[Ints2d]:
    """types: sentences, each followed by STOP -> (s, length) at a time, those of like lengths
    together; STOP behind the end of a sentence."""
    stops = np.flatnonzero(types == STOP)
    begins = np.concatenate([[0], stops[:-1] + 1])
    lengths = stops - begins
    order = np.argsort(lengths, kind="stable")
    order = order[lengths[order] > 0]
    while len(order):
        number = max(1, int(np.searchsorted(np.cumsum(lengths[order]), words, side="right")))
        some, order = order[:number], order[number:]
        columns = np.arange(lengths[some].max())
        inside = columns < lengths[some][:, None]
        places = np.minimum(begins[some][:, None] + columns, len(types) - 1)
        yield np.where(inside, types[places], STOP)
