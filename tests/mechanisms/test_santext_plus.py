"""dx.SanTextPlus.v1: sensitive words among themselves, the others now and then."""

import numpy as np
import pytest

from spacy_dxprivacy import Space


def by_hand(X, row, epsilon, p, first):
    X = X.astype(np.float64)
    weights = [np.exp(-epsilon / 2 * np.linalg.norm(X[row] - y)) for y in X[first:]]
    drawn = np.zeros(len(X))
    drawn[first:] = np.array(weights) / sum(weights)
    if row >= first:
        return drawn
    drawn *= p
    drawn[row] = 1 - p
    return drawn


@pytest.mark.parametrize("epsilon", [0.1, 3.0, 30.0])
@pytest.mark.parametrize(("p", "share", "first"), [(0.2, 0.5, 20), (1.0, 0.3, 28), (0.7, 1.0, 0)])
def test_the_probabilities_are_those_of_a_loop(make, plane, epsilon, p, share, first):
    mechanism = make("dx.SanTextPlus.v1", plane, epsilon=epsilon, p=p, sensitive=share)
    P = mechanism.distribution(np.arange(40))
    expected = [by_hand(plane.vectors, row, epsilon, p, first) for row in range(40)]
    np.testing.assert_allclose(P, expected, rtol=1e-8, atol=1e-300)


def test_ln_1_over_p_is_met_by_words_at_one_point(make):
    twins = Space.from_vectors(["common", "rare", "other"], [[1.0, 0], [1, 0], [0, 1]])
    mechanism = make("dx.SanTextPlus.v1", twins, epsilon=1.0, p=0.2, sensitive=0.6)
    P = mechanism.distribution(np.arange(3))
    np.testing.assert_allclose(P[1, 1:] / P[0, 1:], 5.0)
    assert P[0, 0] == pytest.approx(0.8) and P[1, 0] == 0


def test_outside_the_pairs_that_it_covers_its_distance_is_infinite(make, plane):
    D = make("dx.SanTextPlus.v1", plane, epsilon=1.0, sensitive=0.5).distances(np.arange(40))
    finite = np.zeros((40, 40), dtype=bool)
    finite[20:, 20:] = True
    finite[np.arange(40), np.arange(40)] = True
    assert np.array_equal(np.isfinite(D), finite) and not np.diag(D).any()


@pytest.mark.parametrize(("share", "count"), [(1e-9, 1), (0.01, 1), (0.5, 20), (0.51, 21), (1, 40)])
def test_the_rarest_words_are_sensitive_one_at_least(make, plane, share, count):
    P = make("dx.SanTextPlus.v1", plane, epsilon=0.1, sensitive=share).distribution(np.array([39]))
    assert np.array_equal(np.flatnonzero(P[0]), np.arange(40 - count, 40))
