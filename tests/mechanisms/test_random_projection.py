"""dx.RandomProjection.v1: the distribution of its noise, and the factor of its promise."""

import numpy as np
import pytest

from spacy_dxprivacy import Rng, Space
from spacy_dxprivacy.mechanisms import random_projection


@pytest.fixture(scope="module")
def space():
    """100 words in 20 dimensions: 0 is at the origin, 1 is 51, and the others from 50 on are next
    to the others before, at 1e-7 to 1e-18."""
    X = np.random.default_rng(1).normal(size=(100, 20)).astype(np.float32)
    X[0] = 0
    X[:, 5] = 0
    X[51:] = X[1:50]
    X[52:, 5] = np.geomspace(1e-7, 1e-18, 48)
    return Space.from_vectors([f"w{i}" for i in range(100)], X)


def centres_and_rate(mechanism):
    return mechanism.built.centres, mechanism.built.draw.epsilon


def ratios(X, Y):
    """|Y_i - Y_j| / |X_i - X_j| for every pair of different rows of X."""
    X, Y = X.astype(np.float64), Y.astype(np.float64)
    i, j = np.triu_indices(len(X), 1)
    before = np.linalg.norm(X[i] - X[j], axis=1)
    after = np.linalg.norm(Y[i] - Y[j], axis=1)
    assert not after[before == 0].any()
    return after[before > 0] / before[before > 0]


@pytest.mark.parametrize("dims", [1, 5, 20, 40])
def test_no_loss_exceeds_epsilon_times_the_distance_and_one_meets_it(make, space, dims):
    """The loss at distance D' of the centres is rate D'."""
    Y, rate = centres_and_rate(make("dx.RandomProjection.v1", space, epsilon=2.0, dims=dims))
    assert Y.shape == (100, dims)
    largest = rate * ratios(space.vectors, Y).max()
    assert 2.0 * (1 - 2e-6) < largest <= 2.0


@pytest.mark.parametrize("dims", [1, 5, 40])
def test_nor_does_it_where_all_pairs_are_too_many(make, space, dims, monkeypatch):
    """Words next to each other are the trap: what a product rounds is much to them."""
    monkeypatch.setattr(random_projection, "ALL_PAIRS_UP_TO", 10)
    mechanism = make("dx.RandomProjection.v1", space, epsilon=2.0, dims=dims)
    Y, rate = centres_and_rate(mechanism)
    assert 0.2 < rate * ratios(space.vectors, Y).max() <= 2.0
    assert "the norm of the matrix" in mechanism.guarantee.notes


def test_words_that_rounding_tore_apart_are_found():
    """Of two rows 1e-12 apart one is moved by 1e-9 in the projection."""
    X = np.random.default_rng(0).normal(size=(30, 3))
    X[7] = X[19]
    X[7, 0] += 1e-12
    Y = X[:, :2].copy()
    Y[7, 1] += 1e-9
    found = random_projection.stretch_of_near(X, Y, width=1e-8)
    assert found == pytest.approx(ratios(X, Y).max()) and found > 900


@pytest.mark.parametrize("size", [1e-25, 1e-3, 1.0, 1e18])
@pytest.mark.parametrize("dims", [1, 5, 40])
def test_the_largest_ratio_is_that_of_all_pairs_of_rows_of_any_size(space, size, dims):
    X = (space.vectors * size + size).astype(np.float32)
    Y, _ = random_projection.projected(X, dims)
    found = random_projection.largest_stretch(X, Y)
    assert found == pytest.approx(ratios(X, Y).max(), rel=1e-12)


@pytest.mark.parametrize("far", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("stretched", [1e-9, 1e3, 1e9])
def test_one_pair_among_equal_or_distant_rows_has_the_largest_ratio(far, stretched):
    X = np.zeros((300, 4), dtype=np.float32)
    X[100:200, 1] = far * np.arange(100)
    X[7, 0], X[250, 0] = 1, 2
    Y = X[:, :3].astype(np.float64)
    Y[250, 2] += stretched
    found = random_projection.largest_stretch(X, Y)
    assert found == pytest.approx(ratios(X, Y).max(), rel=1e-12)


@pytest.mark.parametrize("outlier", [1, 1e3, 1e7])
def test_an_outlier_hides_no_pair(outlier):
    """All other rows are within the rounding of a product of its size."""
    rng = np.random.default_rng(0)
    X, Phi = rng.normal(size=(200, 6)).astype(np.float32), rng.normal(size=(6, 2))
    X[3] *= outlier
    Y = X @ Phi
    found = random_projection.largest_stretch(X, Y)
    assert found == pytest.approx(ratios(X, Y).max(), rel=1e-9)


@pytest.mark.parametrize("rows", [1, 2, 50])
def test_equal_rows_have_no_ratio(rows):
    X = np.full((rows, 3), 0.1, dtype=np.float32)
    assert random_projection.largest_stretch(X, X.astype(np.float64)) == 0


def test_words_are_sought_among_the_projected_ones(make, space):
    draw = make("dx.RandomProjection.v1", space, epsilon=1e6, dims=7).sample(np.arange(100), Rng())
    apart = np.linalg.norm(space.vectors[draw.rows] - space.vectors, axis=1)
    assert apart.max() < 1e-6 and draw.rows[51] == 1
