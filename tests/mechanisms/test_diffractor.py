"""dx.Diffractor.v1: the list, and the clamped geometric noise on it."""

import numpy as np
import pytest

from spacy_dxprivacy.mechanisms.diffractor import nearest_order


def chain_by_hand(X):
    X = X.astype(np.float64)
    order, left = [0], set(range(1, len(X)))
    while left:
        order.append(min(left, key=lambda y: (np.linalg.norm(X[y] - X[order[-1]]), y)))
        left.remove(order[-1])
    return order


def test_the_list_is_that_of_a_loop(plane):
    assert nearest_order(plane.vectors).tolist() == chain_by_hand(plane.vectors)
    X = np.random.default_rng(0).normal(size=(300, 20)).astype(np.float32)
    assert nearest_order(X).tolist() == chain_by_hand(X)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_a_list_of_words_at_one_point_holds_each_once(n):
    assert sorted(nearest_order(np.ones((n, 3), dtype=np.float32)).tolist()) == list(range(n))


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 4.0])
def test_the_probabilities_are_those_of_clamped_geometric_noise(make, plane, epsilon):
    P = make("dx.Diffractor.v1", plane, epsilon=epsilon).distribution(np.arange(40))
    order = chain_by_hand(plane.vectors)
    q = np.exp(-epsilon)
    for i, row in enumerate(order):
        p = np.zeros(40)
        for j in range(-5000, 5001):
            p[order[min(max(i + j, 0), 39)]] += (1 - q) / (1 + q) * q ** abs(j)
        np.testing.assert_allclose(P[row], p, rtol=1e-9)
