"""The mechanism that dx_sanitizer has by default, exactly as it is registered, from both sides.

On spaces of five words of the built-in one, every output of every sentence is enumerated. For any
two texts of one layout the loss is at most epsilon times the sum of the distances, and for the
worst pair more than .98 of it: a mechanism that loses 2 % more than it states fails here. The bound
of Z is reached because public frequencies differ by orders of magnitude: nearly all of Z is the
commonest sentence, so that Z of a text d away from it is exp(-beta d) of its own.
"""

from functools import cache
from itertools import product

import numpy as np
import pytest

from spacy_dxprivacy import Rng, Space, registry
from spacy_dxprivacy.pipeline.component import DEFAULT_CONFIG
from spacy_dxprivacy.sampler.sentence_level import InputRows

from .distributions import all_sentences, p_value, starts_of

DEFAULT = DEFAULT_CONFIG["mechanism"]
# Function words, frequent and rare words, negations, names, places.
SPACES = ("the house asthma not Anna", "she had lymphoma in Zurich", "I do not know Berlin")
N = 5
SHARP = 1 / 1.02
UNKNOWN = -1


def fitted(words, **changed):
    ours = Space.builtin()
    space = Space.from_vectors(words.split(), ours.vectors[ours.find_all(words.split())])
    return registry.resolve({"mechanism": {**DEFAULT, **changed}})["mechanism"].fit(space)


@pytest.fixture(scope="module", params=SPACES)
def words(request):
    return request.param


@pytest.fixture(scope="module")
def default(words):
    mechanism = fitted(words)
    assert len(mechanism.built.chain.base) > 1, "no contexts of two words on this space"
    return mechanism


def log_table(mechanism, texts, fixed):
    """ln P(output | text), (texts, outputs), of all outputs. UNKNOWN words need the likelihood
    behind log_likelihood, which takes rows of the space alone."""
    outputs = all_sentences(N, texts.shape[1])
    k, length = outputs.shape
    starts, stay = starts_of(*[length] * k), np.tile(fixed, k)
    rows = (np.tile(text, k) for text in texts)
    if (texts == UNKNOWN).any():
        likelihood = mechanism.built.likelihood
        return np.array([likelihood(InputRows(r, starts, stay), outputs.ravel()) for r in rows])
    return np.array([mechanism.log_likelihood(r, outputs.ravel(), starts, stay) for r in rows])


def losses(mechanism, texts, fixed):
    """The largest |log ratio| of each pair over all outputs, and epsilon times the sum of the
    distances."""
    L = log_table(mechanism, texts, fixed)
    assert np.abs(np.exp(L).sum(axis=1) - 1).max() < 1e-9
    L = L[:, np.isfinite(L).all(axis=0)]  # fixed words have one output, the same for all texts
    D = mechanism.distances(np.arange(N))
    D = np.pad(D, (0, 1))  # UNKNOWN is UNKNOWN in all of them
    apart = sum(D[np.ix_(column, column)] for column in texts.T)
    return np.array([np.abs(L - log).max(axis=1) for log in L]), DEFAULT["epsilon"] * apart


def layouts(length):
    """All words drawn; then each place unknown; then each word fixed at each place."""
    yield all_sentences(N, length), np.zeros(length, dtype=bool)
    others = all_sentences(N, length - 1)
    for place, word in product(range(length), (UNKNOWN, *range(N))):
        fixed = (np.arange(length) == place) & (word != UNKNOWN)
        yield np.insert(others, place, word, axis=1), fixed


@pytest.mark.parametrize("length", [2, 3])
def test_no_two_texts_lose_more_than_stated_and_the_worst_pair_loses_it(default, length):
    worst = {}
    for texts, fixed in layouts(length):
        lost, bound = losses(default, texts, fixed)
        assert (lost <= bound + 1e-9).all()
        kind = "fixed" if fixed.any() else "unknown" if (texts == UNKNOWN).any() else "drawn"
        worst[kind] = max(worst.get(kind, 0), (lost / np.maximum(bound, 1e-300)).max())
    assert min(worst.values()) > SHARP, worst


def test_sentences_of_one_call_are_independent(default):
    """Two and three words: the loss of both is the sum of theirs."""
    rows, outputs = np.array([0, 1, 2, 4, 3]), np.array([1, 1, 0, 4, 3])
    both = default.log_likelihood(rows, outputs, starts_of(2, 3))
    parts = (slice(0, 2), slice(2, 5))
    each = [default.log_likelihood(rows[p], outputs[p], starts_of(len(rows[p]))) for p in parts]
    np.testing.assert_allclose(both, np.concatenate(each), rtol=1e-12)


TIMES = 30_000
LIKELY, SIGMAS = 1e-4, 4  # which a right sampler misses with one seed in some 10,000


@cache
def widest(mechanism):
    """The two words whose outputs vary most in their distance: where a wrong beta shows most."""
    texts = all_sentences(N, 2)
    P = np.exp(log_table(mechanism, texts, np.zeros(2, dtype=bool)))
    D = mechanism.distances(np.arange(N))
    far = sum(D[np.ix_(column, column)] for column in texts.T)
    return texts[((P * far**2).sum(axis=1) - (P * far).sum(axis=1) ** 2).argmax()]


def agreement(drawn_by, stated_by):
    """How draws of one mechanism agree with the likelihoods of another: the least p-value of
    chi-squared over the sentences of a call, and by how many standard errors the mean distance of
    what is drawn is off. The call has two words, three, an unknown one, and a fixed one."""
    two = widest(stated_by)
    three = np.append(two, two[:1])
    sentences = [two, three, np.append(two, UNKNOWN), three]
    stay = [np.zeros(len(text), dtype=bool) for text in sentences]
    stay[-1][0] = True
    call, lengths = np.concatenate(sentences), [len(text) for text in sentences]
    rows, fixed = np.tile(call, TIMES), np.tile(np.concatenate(stay), TIMES)
    starts = np.tile(starts_of(*lengths), TIMES)
    drawn = drawn_by.sample(rows, Rng(seed=11), starts, fixed, rows == UNKNOWN).rows
    drawn = drawn.reshape(TIMES, -1)
    D = np.pad(stated_by.distances(np.arange(N)), ((0, 1), (0, 0)))
    values, off, variance = [], 0.0, 0.0
    parts = np.split(drawn, np.cumsum(lengths)[:-1], axis=1)
    for text, fix, part in zip(sentences, stay, parts, strict=True):
        P = np.exp(log_table(stated_by, text[None], fix)[0])
        far = D[text, all_sentences(N, len(text))].sum(axis=1)
        codes = part @ N ** np.arange(len(text))[::-1]
        values.append(p_value(np.bincount(codes, minlength=len(P)), P * TIMES))
        off += far[codes].mean() - P @ far
        variance += P @ far**2 - (P @ far) ** 2
    return min(values), off / np.sqrt(variance / TIMES)


def test_draws_follow_the_likelihoods(default):
    value, sigmas = agreement(default, default)
    assert value > LIKELY and abs(sigmas) < SIGMAS


@pytest.mark.parametrize("more", [1.05, 1.02])
def test_draws_of_another_epsilon_would_not(words, default, more):
    """The power of the test above: it sees a sampler whose beta is not that of the likelihoods."""
    other = fitted(words, epsilon=DEFAULT["epsilon"] * more)
    value, sigmas = agreement(other, default)
    assert abs(sigmas) > 1.5 * SIGMAS
    if more == 1.05:
        assert value < LIKELY
