"""What float32 adds to the loss is within what docs/explanation/sentences.md derives."""

import numpy as np
import pytest

from spacy_dxprivacy import Rng, Space, registry
from spacy_dxprivacy.mechanisms.built import LARGEST_SCORE
from spacy_dxprivacy.mechanisms.path_v2 import FLOAT_STEP, rounding
from spacy_dxprivacy.prior.chain import unigram_chain
from spacy_dxprivacy.prior.registered import WordPairs
from spacy_dxprivacy.sampler.forward_backward import BLOCK_STATES, BlockSums, Forward, weigh_states

from .distributions import KINDS, small_chain


@pytest.fixture(scope="module")
def mechanism():
    pairs = WordPairs(domain=None)  # a prior without contexts of two words
    return registry.dx_mechanisms.get("dx.Path.v2")(1.6, prior=pairs).fit(Space.builtin())


def test_sums_of_a_step_are_as_near_as_the_bound_says(mechanism):
    chain, emissions = mechanism.built.chain, mechanism.built.emissions
    rows = np.array([Space.builtin().find(word) for word in ("the", "patient", "of", "London")])
    M = np.repeat(chain.begin[:, None] * emissions.totals[:, None], len(rows), axis=1)
    emitted = emissions.of(rows.tolist())
    weigh_states(M, emissions, rows, np.zeros(len(rows), dtype=bool), emitted)
    M /= M.sum(axis=0)
    X = np.vstack([BlockSums(chain, np.float32)(M)[:, 1].sum(axis=0).astype(np.float32), M])
    found = np.empty_like(M)
    Forward(chain, emissions.totals, np.float32)(X, found)
    exact = chain.delta.astype(np.float64).T @ M.astype(np.float64)
    exact += np.outer(chain.u, chain.back.astype(np.float64) @ M)
    off = np.abs(found / (exact * emissions.totals[:, None]) - 1).max()
    assert 0 < off < (chain.states + BLOCK_STATES + 10) * FLOAT_STEP


@pytest.mark.parametrize("kind", ["default", "without contexts", *KINDS])
def test_the_bound_is_the_sum_of_the_derivation_and_hardly_more(mechanism, kind):
    """f and b of docs/explanation/sentences.md, for sums of so many terms."""
    if kind == "default":
        chain = registry.dx_priors.get("dx.WordPairs.v1")().fit(Space.builtin())
    else:
        chain = mechanism.built.chain if kind == "without contexts" else small_chain(kind)
    terms = chain.states
    if len(chain.base):
        into = np.bincount(chain.incoming_transitions().tocoo().coords[0]).max()
        terms = into + np.bincount(chain.base).max()
    roundings = terms + min(chain.states, 128) + 10
    f = roundings * 2.0**-24 / (1 - roundings * 2.0**-24)
    nats = 2 * np.log((1 + f) / (1 - f)) - 2 * np.log(1 - f)
    # With contexts four further terms are counted, for the parts of which a sum is made.
    assert nats <= rounding(chain) <= 1.1 * nats * (1 + 4 / roundings)


def test_the_receipt_says_how_much_rounding_adds(mechanism):
    assert rounding(unigram_chain(np.ones(3))) < 1e-5
    told = f"Rounding: {rounding(mechanism.built.chain):.2g} nats a word"
    assert told in mechanism.guarantee.notes


@pytest.mark.parametrize("share", [0.1, 0.3, 0.99])
def test_no_sum_underflows_up_to_the_largest_epsilon(mechanism, share):
    """Beyond what float32 holds, draws are still those that the likelihoods in float64 expect."""
    space, pairs = Space.builtin(), WordPairs(domain=None)
    epsilon = share * LARGEST_SCORE / mechanism.facts.longest
    loud = registry.dx_mechanisms.get("dx.Path.v2")(epsilon, prior=pairs).fit(space)
    rows = np.array([space.find(word) for word in ("patient", "London", "the", "of", "asthma")])
    starts = np.arange(len(rows)) == 0
    drawn = loud.sample(np.tile(rows, 9), Rng(), starts=np.tile(starts, 9)).rows.reshape(9, -1)
    # Sentences of any words have some -130, -320 and -980 nats.
    assert min(loud.log_likelihood(rows, some, starts)[0] for some in drawn) > -50


@pytest.mark.parametrize("words", [["n't", "doctor"], ["Maria", "'ll", "doctor"]])
def test_words_that_stay_may_be_where_language_does_not_have_them(mechanism, words):
    rows = np.array([Space.builtin().find(word) for word in words])
    fixed = np.array([word != "doctor" for word in words])
    starts = np.arange(len(words)) == 0
    drawn = mechanism.sample(rows, Rng(1), starts=starts, fixed=fixed).rows
    assert (drawn[fixed] == rows[fixed]).all()
    assert 0 <= drawn[-1] < len(Space.builtin())
