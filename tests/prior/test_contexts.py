"""Contexts of two words: the chain is the model of triples that they state, also out of files."""

import numpy as np
import pytest
from sampler.distributions import moves, small_chain, small_space
from scipy.sparse import csr_array

from spacy_dxprivacy import DxError
from spacy_dxprivacy.prior import saved
from spacy_dxprivacy.prior.chain import (
    ARRAYS,
    PairModel,
    chain_of,
    from_fields,
    map_to_space,
    to_fields,
)
from spacy_dxprivacy.prior.contexts import BEGIN, Contexts, with_contexts

from .conftest import sentences

K = 4


def fields_of(seed):
    """A model of pairs, some of which are not listed; every word is its own type."""
    rng = np.random.default_rng(seed)
    back, delta = rng.random(K) * 0.2 + 0.1, rng.random((K, K)) * (rng.random((K, K)) < 0.7)
    delta[:, 0] += 0.1
    delta *= ((1 - back) / delta.sum(axis=1))[:, None]
    begin, alone, u = (a / a.sum() for a in rng.random((3, K)) + 0.05)
    arrays = dict(zip(ARRAYS, (begin, alone, rng.random(K), back, u), strict=True))
    return {**arrays, "delta": csr_array(delta), "emit": csr_array(np.eye(K))}


def contexts_of(fields, seed):
    """Contexts of random pairs and of begins, whose back-off is more than that of their pair."""
    rng = np.random.default_rng(seed)
    delta, by_back = fields["delta"].toarray(), np.outer(fields["back"], fields["u"])
    x, y = np.nonzero((delta > 0) & (rng.random((K, K)) < 0.6))
    x, y = np.append(x, [BEGIN, BEGIN]), np.append(y, [0, 2])
    f = np.where(x == BEGIN, 0, by_back[x, y] / (by_back + delta)[x, y])
    lower = f + (1 - f) * rng.random(len(x)) * 0.9
    more = rng.random((len(x), K)) * (rng.random((len(x), K)) < 0.6) + 0.01
    more *= ((1 - lower) / more.sum(axis=1))[:, None]
    end = fields["end"][y] * (f + (1 - f) * rng.random(len(x)))
    order = rng.permutation(len(x))
    return Contexts(x[order], y[order], lower[order], end[order], csr_array(more[order]))


def weight_of_triples(fields, contexts, rows):
    """By the definition of a model of triples, word after word."""
    T = fields["delta"].toarray() + np.outer(fields["back"], fields["u"])
    number = {pair: c for c, pair in enumerate(zip(contexts.x, contexts.y, strict=True))}
    more = contexts.beyond.toarray()
    p, end = fields["begin"][rows[0]], fields["end"][rows[0]]
    for x, y, z in zip([BEGIN, *rows], rows, [*rows[1:], None], strict=False):
        c = number.get((x, y))
        if z is not None:
            p *= T[y, z] if c is None else contexts.lower[c] * T[y, z] + more[c, z]
        else:
            end = fields["end"][y] if c is None else contexts.end[c]
    return p * end


@pytest.mark.parametrize("seed", range(4))
def test_a_chain_with_contexts_is_the_model_of_triples(seed):
    fields = fields_of(seed)
    contexts = contexts_of(fields, seed)
    chain = chain_of(**with_contexts(fields, contexts))
    assert chain.states == K + len(contexts.x) and (chain.delta.data >= 0).all()
    T = moves(chain)
    type_of = chain.expand_to_states(np.arange(K))
    for rows in sentences(K, 4):
        ahead = chain.begin * (type_of == rows[0])
        for row in rows[1:]:
            ahead = (ahead @ T) * (type_of == row)
        expected = weight_of_triples(fields, contexts, rows)
        assert ahead @ chain.end == pytest.approx(expected, rel=1e-5)


def test_messages_forward_and_backward_are_those_of_the_whole_table():
    chain = small_chain("contexts")
    M = np.random.default_rng(0).random((chain.states, 3))
    np.testing.assert_allclose(chain.forward(M), moves(chain).T @ M, rtol=1e-6)
    np.testing.assert_allclose(chain.backward(M), moves(chain) @ M, rtol=1e-6)


def test_arrays_of_a_chain_with_contexts_are_read_again():
    chain = small_chain("contexts")
    fields = to_fields(chain)
    again = from_fields(fields, chain.emit.shape[0])
    assert again.digest == chain.digest != chain.pairs.digest
    assert chain.pairs.states == chain.types
    for name, wrong in (
        ("base", fields["base"] + 9), ("lower", -fields["lower"]), ("lower", fields["lower"][:2]),
        ("more_data", -fields["more_data"]), ("end", fields["end"][:3]),
    ):  # fmt: skip
        with pytest.raises(DxError, match="DX060"):
            from_fields({**fields, name: wrong}, chain.emit.shape[0])


def test_a_saved_prior_keeps_its_contexts(tmp_path):
    model = PairModel([f"w{i}" for i in range(5)], small_chain("contexts"), "small")
    saved.write_model(model, tmp_path / "small", {}, force=False)
    chain = saved.read_model(tmp_path / "small").chain
    assert chain.digest == model.chain.digest and chain.states > chain.types
    drawn = map_to_space(saved.read_model(tmp_path / "small"), small_space(), np.ones(5))
    assert np.array_equal(drawn.base, chain.base)
    assert drawn.context_delta.nnz == chain.context_delta.nnz
