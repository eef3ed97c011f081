"""Sentences are drawn from q(y) exp(-beta sum path(w_i, y_i)) / Z(w), exactly, for every q."""

from contextlib import nullcontext

import numpy as np
import pytest

from spacy_dxprivacy import Rng
from spacy_dxprivacy.sampler import likelihood, sentence_level

from .distributions import (
    BETA,
    KINDS,
    N,
    all_sentences,
    log_law,
    p_value,
    small_mechanism,
    starts_of,
)


@pytest.fixture(scope="module", params=KINDS)
def mechanism(request):
    return small_mechanism(request.param)


def brute_force(mechanism, rows):
    """(sentences,), the probabilities of all sentences, from the definition."""
    chain, sentences = mechanism.built.chain, all_sentences(N, len(rows))
    D = mechanism.distances(np.arange(N))
    logs = log_law(chain, sentences) - BETA * D[rows, sentences].sum(axis=1)
    weights = np.exp(logs - logs.max())
    return weights / weights.sum()


@pytest.mark.parametrize("rows", [[2, 4, 1], [0, 0, 0], [3]])
def test_probabilities_of_all_sentences_are_those_of_the_law_and_add_up_to_1(mechanism, rows):
    rows = np.array(rows)
    starts, outputs = starts_of(len(rows)), all_sentences(N, len(rows))
    found = np.exp([mechanism.log_likelihood(rows, y, starts).sum() for y in outputs])
    assert abs(found.sum() - 1) < 1e-9
    np.testing.assert_allclose(found, brute_force(mechanism, rows), rtol=1e-6, atol=1e-12)


def agree(drawn, expected):
    length = drawn.shape[1]
    codes = drawn @ N ** np.arange(length)[::-1]
    assert p_value(np.bincount(codes, minlength=N**length), expected * len(drawn)) > 1e-4


def test_words_that_stay_are_context_and_stay(mechanism):
    """The distribution, given the middle word."""
    times, rows = 8000, np.array([2, 4, 1])
    fixed = np.array([False, True, False])
    starts = np.tile(starts_of(3), times)
    call = {"starts": starts, "fixed": np.tile(fixed, times)}
    drawn = mechanism.sample(np.tile(rows, times), Rng(seed=6), **call).rows.reshape(times, 3)
    assert (drawn[:, 1] == 4).all()
    expected = brute_force(mechanism, rows)
    expected[all_sentences(N, 3)[:, 1] != 4] = 0
    agree(drawn, expected / expected.sum())


def test_a_word_that_says_nothing_is_drawn_from_its_neighbours_alone(mechanism):
    """Its distribution is that of the prior given the sentence, whatever the word was."""
    times = 8000
    unknown = np.tile([False, True], times)
    rows, starts = np.tile([2, -1], times), np.tile(starts_of(2), times)
    drawn = mechanism.sample(rows, Rng(seed=7), starts, unknown=unknown).rows
    chain, sentences = mechanism.built.chain, all_sentences(N, 2)
    D = mechanism.distances(np.array([2]))[0]
    weights = np.exp(log_law(chain, sentences) - BETA * D[sentences[:, 0]])
    agree(drawn.reshape(times, 2), weights / weights.sum())


def test_without_starts_every_word_is_drawn_alone(mechanism):
    times = 8000
    drawn = mechanism.sample(np.tile(np.arange(N), times), Rng(seed=8)).rows.reshape(times, N)
    P = mechanism.distribution(np.arange(N))
    np.testing.assert_allclose(P.sum(axis=1), 1, rtol=0, atol=1e-12)
    for word in range(N):
        agree(drawn[:, [word]], P[word])
    outputs = np.array([1, 1, 0, 2, 4])
    logs = mechanism.log_likelihood(np.arange(N), outputs)
    np.testing.assert_allclose(np.exp(logs), P[np.arange(N), outputs], rtol=1e-9)


@pytest.mark.parametrize("alone", [False, True])
def test_candidates_weigh_as_whole_sentences_do(mechanism, alone):
    """Up to one constant for each place."""
    rows, outputs = np.array([2, 4, 1, 0]), np.array([1, 4, 0, 3])
    starts = None if alone else starts_of(3, 1)
    candidates = np.tile(np.arange(N), (4, 1))
    found = mechanism.log_likelihood(rows, outputs, starts, candidates=candidates)
    for place in range(4):
        whole = []
        for word in range(N):
            other = rows.copy()
            other[place] = word
            whole.append(mechanism.log_likelihood(other, outputs, starts).sum())
        finite = np.isfinite(whole)
        assert np.ptp(found[place][finite] - np.array(whole)[finite]) < 1e-9


@pytest.mark.parametrize("numbers", [1, 2**24])
def test_candidates_are_exact_where_needed_and_bounded_elsewhere(mechanism, monkeypatch, numbers):
    """Sentence by sentence, and all at once."""
    monkeypatch.setattr(likelihood, "MAX_MESSAGE_NUMBERS", numbers)
    rows, outputs, starts = np.array([2, 4, 1, 0]), np.array([1, 4, 0, 3]), starts_of(3, 1)
    candidates = np.tile(np.arange(N), (4, 1))
    exact = mechanism.log_likelihood(rows, outputs, starts, candidates=candidates)
    called = []

    def needed(places, logs):
        called.append(places)
        assert (logs > exact[places] - 1e-9).all()
        return candidates[places] < min(called.count(places), 3)

    found = mechanism.log_likelihood(rows, outputs, starts, candidates=candidates, needed=needed)
    assert found[:, :3] == pytest.approx(exact[:, :3], abs=1e-9)
    assert (found > exact - 1e-9).all()
    in_parts = numbers == 1 and mechanism.facts.draws_sentences
    assert len(set(map(str, called))) == (2 if in_parts else mechanism.facts.draws_sentences)


def test_a_sentence_of_any_length_is_drawn_within_its_memory(monkeypatch):
    """Sums that do not fit are made again on the way back, and nothing comes out otherwise."""
    mechanism = small_mechanism("pairs")
    rows, starts = np.arange(1000) % N, starts_of(1000)
    whole = mechanism.sample(rows, Rng(seed=1), starts).rows
    monkeypatch.setattr(sentence_level, "MEMORY", 4 * N * 30)
    in_parts = mechanism.sample(rows, Rng(seed=1), starts).rows
    assert np.array_equal(whole, in_parts) and whole.min() >= 0 and whole.max() < N


def test_two_threads_draw_what_one_draws(monkeypatch):
    mechanism = small_mechanism("pairs of types")
    rows, starts = np.arange(600) % N, starts_of(*[6] * 100)

    def drawn(threads):
        monkeypatch.setattr(sentence_level, "product_threads", lambda wanted: nullcontext(threads))
        return mechanism.sample(rows, Rng(seed=4), starts).rows

    assert np.array_equal(drawn(1), drawn(2))
