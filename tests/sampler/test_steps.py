"""States side by side are those that one draw after the other gives."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from spacy_dxprivacy.mechanisms.path_v2 import rounding
from spacy_dxprivacy.prior.chain import Chain
from spacy_dxprivacy.sampler.forward_backward import (
    Backward,
    BlockSums,
    FoldContexts,
    Forward,
    ForwardMessage,
)

from .distributions import moves, p_value

K, C, S = 300, 130, 40


@pytest.fixture(scope="module")
def chain():
    """Its first states lead to most others, and some states are entered by back-off alone."""
    rng = np.random.default_rng(2)
    often = 1 / (1 + np.arange(K) / 20)
    delta = rng.random((K, K)) * (rng.random((K, K)) < np.outer(often, often))
    delta[:, 290:] = 0
    back = np.where(delta.sum(axis=1) > 0, rng.random(K), 1)
    delta *= ((1 - back) / np.maximum(delta.sum(axis=1), 1e-12))[:, None]
    begin, alone, u = (a / a.sum() for a in rng.random((3, K)))
    arrays = (begin, alone, rng.random(K), back, u, delta, np.eye(K))
    arrays = [a.astype(np.float32) for a in arrays]
    return Chain(*arrays[:5], *map(csr_array, arrays[5:]))


@pytest.fixture(scope="module")
def with_contexts(chain):
    """130 contexts, to each of which one pair leads; some follow one another."""
    rng = np.random.default_rng(6)
    x, y = (places[::20][:C] for places in chain.delta.tocoo().coords)
    delta = np.pad(chain.delta.toarray(), ((0, 0), (0, C)))
    delta[x, K + np.arange(C)], delta[x, y] = delta[x, y], 0
    more = rng.random((C, K + C)) * (rng.random((C, K + C)) < 0.1) / K
    begin, end = np.append(chain.begin, np.zeros(C)), rng.random(K + C)
    begin, end, more, lower = (a.astype(np.float32) for a in (begin, end, more, rng.random(C)))
    tables = csr_array(delta), chain.emit, y, lower, csr_array(more)
    return Chain(begin, chain.alone, end, chain.back, chain.u, *tables)


def folded(chain, M):
    """The message of a step, as a draw keeps it."""
    X = np.empty((1 + chain.states + len(chain.base_types), M.shape[1]), np.float32)
    X[1 : 1 + chain.states] = M
    FoldContexts(chain, np.float32)(X[1:])
    sums = BlockSums(chain, np.float32)(X[1 : 1 + K])
    X[0] = sums[:, 1].sum(axis=0)
    return ForwardMessage(X, sums)


def test_a_step_with_contexts_is_that_of_the_law(with_contexts):
    chain, rng = with_contexts, np.random.default_rng(4)
    M, weights = rng.random((K + C, S), dtype=np.float32) ** 6, rng.random(K + C)
    found = np.empty((K + C, S), np.float32)
    Forward(chain, weights, np.float32)(folded(chain, M).X, found)
    expected = (moves(chain).T @ M) * weights[:, None]
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert np.abs(found / expected - 1).max() < rounding(chain) / 6.5


@pytest.mark.parametrize("after", [0, 7, 200, K + 3, K + 100, None])
def test_states_before_another_come_as_often_as_the_law_says(with_contexts, after):
    """After a word, after a context, and at the end of a sentence."""
    chain, lanes, rng = with_contexts, 20_000, np.random.default_rng(8)
    M = rng.random((K + C, 1), dtype=np.float32) ** 6
    weights = M[:, 0].astype(float) * (moves(chain)[:, after] if after is not None else chain.end)
    if after is None:  # as a draw has it
        M[:, 0] *= chain.end
        M[K:, 0] /= chain.lower
    known = folded(chain, np.repeat(M, lanes, axis=1))
    ends = np.full(lanes, after is None)
    found = Backward(chain)(known, ends, np.full(lanes, after or 0), *rng.random((2, lanes)))
    counts, expected = np.bincount(found, minlength=K + C), lanes * weights / weights.sum()
    assert (found >= K).any() and p_value(counts, expected) > 1e-4
