"""dx.Exponential.v1: its probabilities in closed form, and what keeps them exact."""

import numpy as np
import pytest
from sampler.distributions import losses

from spacy_dxprivacy import Space
from spacy_dxprivacy.mechanisms.exponential import exact_epsilon
from spacy_dxprivacy.space.search.exact import euclidean


@pytest.mark.parametrize("epsilon", [0.1, 2.0, 40.0])
def test_the_probabilities_are_those_of_the_formula(make, plane, epsilon):
    P = make("dx.Exponential.v1", plane, epsilon=epsilon).distribution(np.array([0, 5]))
    for row, p in zip((0, 5), P, strict=True):
        apart = plane.vectors.astype(np.float64) - plane.vectors[row].astype(np.float64)
        weights = np.exp(-epsilon / 2 * np.linalg.norm(apart, axis=1))
        np.testing.assert_allclose(p, weights / weights.sum(), rtol=1e-9)


def test_distances_keep_their_digits_near_0():
    """Expanded squares in float32 put 0.0096 between a vector and itself."""
    X = np.full((3, 300), 7.0, dtype=np.float32)
    X[1, 0] += 1e-5
    X[2] = -7.0
    exact = np.linalg.norm(X[0].astype(np.float64) - X.astype(np.float64), axis=1)
    np.testing.assert_allclose(euclidean(X, np.array([0]))[0], exact, rtol=1e-9)


def cloud(n, d, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, d))
    return Space.from_vectors([f"w{i}" for i in range(n)], X)


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 4.0, 30.0])
@pytest.mark.parametrize("d", [1, 5, 50])
def test_exact_calibration_keeps_the_promise_and_comes_within_1_percent(make, d, epsilon):
    mechanism = make("dx.Exponential.v1", cloud(150, d), epsilon=epsilon, calibration="exact")
    words = np.arange(150)
    loss, D = losses(mechanism.distribution(words)), mechanism.distances(words)
    assert 0.99 * epsilon < (loss[D > 0] / D[D > 0]).max() <= epsilon * (1 + 1e-9)


@pytest.mark.parametrize("apart", [1e-8, 1e-12, 1e-15, 1e-17])
def test_words_next_to_each_other_do_not_spoil_it(apart):
    """There the difference of two normalisers is rounding; by theory it is beta d at most."""
    X = np.repeat(cloud(30, 5).vectors, 2, axis=0)
    X[:, 0] = 0
    without = exact_epsilon(X, 1.0)
    X[::2, 0] = apart
    assert without <= exact_epsilon(X, 1.0) + 1e-9 <= 2.0 + 2e-9
