"""dx.Exponential.v1: its probabilities in closed form, and what keeps them exact."""

import numpy as np
import pytest

from spacy_dxprivacy import Rng, Space
from spacy_dxprivacy.mechanisms import choice
from spacy_dxprivacy.metric import euclidean


@pytest.mark.parametrize("epsilon", [0.1, 2.0, 40.0])
def test_the_probabilities_are_those_of_the_formula(make, plane, epsilon):
    P = make("dx.Exponential.v1", plane, epsilon=epsilon).distribution(np.array([0, 5]))
    for row, p in zip((0, 5), P, strict=True):
        apart = plane.vectors.astype(np.float64) - plane.vectors[row].astype(np.float64)
        weights = np.exp(-epsilon / 2 * np.linalg.norm(apart, axis=1))
        np.testing.assert_allclose(p, weights / weights.sum(), rtol=1e-9)


def test_of_two_words_one_is_kept_as_the_closed_form_says(make):
    two = Space.from_vectors(["a", "b"], [[0.0], [1.5]])
    P = make("dx.Exponential.v1", two, epsilon=2.0).distribution(np.array([0]))
    assert P[0, 0] == pytest.approx(1 / (1 + np.exp(-1.5)))


def test_every_word_can_come_out_whatever_epsilon(make, plane):
    """A probability that is rounded to 0 would be an infinite loss."""
    assert make("dx.Exponential.v1", plane, epsilon=1e6).distribution(np.arange(40)).min() > 0


def test_draws_do_not_depend_on_the_words_beside_them(make, plane, monkeypatch):
    """Tables are made in blocks of distinct words; the uniforms belong to the places."""
    rows = np.random.default_rng(0).integers(40, size=500)
    mechanism = make("dx.Exponential.v1", plane, epsilon=2.0)
    whole = mechanism.sample(rows, Rng(seed=1)).rows
    monkeypatch.setattr(choice, "BLOCK_NUMBERS", 40)
    assert np.array_equal(mechanism.sample(rows, Rng(seed=1)).rows, whole)


def test_distances_keep_their_digits_near_0():
    """Expanded squares in float32 put 0.0096 between a vector and itself."""
    X = np.full((3, 300), 7.0, dtype=np.float32)
    X[1, 0] += 1e-5
    X[2] = -7.0
    exact = np.linalg.norm(X[0].astype(np.float64) - X.astype(np.float64), axis=1)
    np.testing.assert_allclose(euclidean(X, np.array([0]))[0], exact, rtol=1e-9)
