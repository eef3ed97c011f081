"""A choice on a metric of the author's own has the fast draw of those on Euclidean distance."""

from functools import partial

import numpy as np
import pytest
from sampler.distributions import p_value

from spacy_dxprivacy import Rng, Space
from spacy_dxprivacy.mechanisms.choice import (
    WIDTH,
    ChoiceMechanism,
    clamped_score,
    euclidean_distance,
    metric_choice,
)
from spacy_dxprivacy.privacy.guarantee import Guarantee

EPSILON, N = 2.0, 5 * WIDTH + 3  # the last group of outputs is not full


class Manhattan:
    """The L1 distance of vectors; counts how many distances it was asked for."""

    def __init__(self, space):
        self.X, self.asked = space.vectors.astype(float), 0

    def __call__(self, rows, outputs=None):
        others = self.X if outputs is None else self.X[outputs]
        D = np.abs(self.X[rows][:, None] - others).sum(axis=-1)
        self.asked += D.size
        return D


@pytest.fixture
def space():
    points = np.random.default_rng(3).normal(size=(N, 2))
    return Space.from_vectors([f"word{i}" for i in range(N)], points)


@pytest.fixture
def fitted(space):
    score = partial(clamped_score, beta=EPSILON / 2)
    guarantee = Guarantee(
        "metric-dp", EPSILON, metric="manhattan", status="proven", source="a test", loss_range=1.0
    )

    def build(space, guarantee):
        return metric_choice(Manhattan(space), guarantee, score)

    return ChoiceMechanism("test.Manhattan.v1", guarantee, build).fit(space)


def test_it_draws_by_the_distance_that_it_is_given(fitted, space):
    row, times = 7, 100_000
    weights = np.exp(-EPSILON / 2 * Manhattan(space)(np.array([row]))[0])
    drawn = fitted.sample(np.full(times, row), Rng(seed=2)).rows
    assert p_value(np.bincount(drawn, minlength=N), times * weights / weights.sum()) > 1e-4


def test_a_word_that_was_drawn_for_costs_the_distances_of_one_group(fitted):
    rows, distance = np.arange(N), fitted.built.distances
    fitted.sample(rows, Rng(seed=1))
    assert distance.asked == N * (N + WIDTH)
    fitted.sample(rows, Rng(seed=2))
    assert distance.asked == N * (N + 2 * WIDTH)


def test_the_euclidean_distance_to_some_words_is_that_to_all(space):
    distance, rows = euclidean_distance(space), np.arange(N)
    outputs = np.random.default_rng(0).integers(N, size=(N, 5))
    outputs[:, 0] = rows
    to_all = np.take_along_axis(distance(rows), outputs, axis=1)
    np.testing.assert_allclose(distance(rows, outputs), to_all, rtol=1e-12)


FEW = ["CusText", "Diffractor", "Exponential", "Path", "SanTextPlus", "TEM"]


@pytest.mark.parametrize("name", FEW)
@pytest.mark.parametrize("epsilon", [0.1, 2.0, 9.0])
def test_probabilities_of_few_outputs_are_those_of_the_distribution(make, space, name, epsilon):
    twice = np.concatenate([space.vectors, space.vectors[:7]])  # some words at one point
    words = [f"word{i}" for i in range(len(twice))]
    mechanism = make(f"dx.{name}.v1", Space.from_vectors(words, twice), epsilon=epsilon)
    rows, outputs = np.array([0, 3, N, N - 1, 40]), np.array([0, 2, 3, 17, N + 2])
    expected = mechanism.distribution(rows)[:, outputs]
    found = mechanism.probabilities(rows, outputs)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
