"""What fits ask of all pairs of rows: the same as by float64 alone."""

import numpy as np
import pytest

from spacy_dxprivacy.space.search import all_pairs
from spacy_dxprivacy.space.search.metric import neighbours


def tables():
    rng = np.random.default_rng(0)
    plain = rng.normal(size=(700, 5))
    return {
        "plain": plain,
        "far from 0": plain + 1000,
        "twice each": np.repeat(plain[:350], 2, axis=0),
        "one far": np.vstack([plain, np.full((1, 5), 1e4)]),
        "one point": np.ones((600, 3)),
        "a grid": np.stack(np.divmod(np.arange(625), 25), axis=1),
    }


@pytest.fixture(params=list(tables()))
def X(request, monkeypatch):
    monkeypatch.setattr(all_pairs, "FEW", 100)
    return tables()[request.param].astype(np.float32)


def by_hand(X):
    A = X.astype(np.float64)
    return np.sqrt(np.square(A[:, None] - A[None]).sum(axis=2))


def test_the_diameter_is_the_largest_of_all_distances(X):
    np.testing.assert_allclose(all_pairs.diameter(X), by_hand(X).max(), rtol=1e-9, atol=1e-12)


def test_the_mean_has_seven_digits(X):
    D = by_hand(X)
    expected = D.sum() / (len(X) * (len(X) - 1)) or 1.0
    np.testing.assert_allclose(all_pairs.mean_distance(X), expected, rtol=3e-7)


@pytest.mark.parametrize("depth", [1, 7])
def test_the_nearest_of_all_are_those_of_a_search(X, depth):
    rows, apart = all_pairs.nearest_of_all(X, depth)
    np.testing.assert_allclose(apart, neighbours(X, X, depth)[1], atol=1e-9)
    np.testing.assert_allclose(
        np.linalg.norm(X[rows].astype(np.float64) - X[:, None], axis=2), apart, atol=1e-9
    )
    assert all(len(set(row)) == depth for row in rows.tolist())
