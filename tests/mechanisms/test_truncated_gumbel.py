"""dx.TruncatedGumbel.v1: drawn as published, and promised nothing."""

import numpy as np
import pytest
from sampler.distributions import p_value
from scipy.stats import gumbel_r, kstest
from scipy.stats import poisson as poisson_law

from spacy_dxprivacy import DxError, DxWarning, Rng
from spacy_dxprivacy.mechanisms.truncated_gumbel import extent, poisson, truncated_gumbel

pytestmark = pytest.mark.filterwarnings("ignore:.*DX101")
N = 50_000


@pytest.mark.parametrize(("scale", "bound"), [(1.0, 0.5), (0.3, 2.0), (2.0, 3.0)])
def test_its_noise_is_gumbel_within_the_bound(scale, bound):
    gumbel = gumbel_r(scale=scale)
    low, high = gumbel.cdf([-bound, bound])
    Z = truncated_gumbel(Rng(seed=0).uniform(N), scale, bound)
    assert np.abs(Z).max() <= bound
    assert kstest(Z, lambda z: (gumbel.cdf(z) - low) / (high - low)).pvalue > 1e-3


@pytest.mark.parametrize(("mean", "most"), [(0.7, 2), (3.6, 39), (6.0, 5)])
def test_its_counts_are_poisson_from_1_to_the_most(mean, most):
    counts = np.bincount(poisson(mean, most, Rng(seed=1).uniform(N)), minlength=most + 1)
    p = poisson_law.pmf(np.arange(1, most + 1), mean)
    assert counts[0] == 0 and len(counts) == most + 1
    assert p_value(counts[1:], N * p / p.sum()) > 1e-4


def test_rows_at_one_point_do_not_count_for_the_least_distance():
    X = np.array([[0.0, 0], [0, 0], [3, 4], [3, 4], [0, 12]], dtype=np.float32)
    assert extent(X) == (pytest.approx(5), pytest.approx(12)) and extent(X[:2]) == (1.0, 1.0)


def test_it_promises_nothing_and_warns(make, plane):
    with pytest.warns(DxWarning, match="DX101.*refuted"):
        g = make("dx.TruncatedGumbel.v1", plane, epsilon=1000.0).guarantee
    assert (g.kind, g.status) == ("none", "refuted") and g.space == plane.digest


def test_an_epsilon_without_a_solution_is_refused_with_the_least_one_that_has(make, plane):
    nearest, _ = extent(plane.vectors)
    least = (3 + 2 * (1 + np.log(40))) / nearest
    with pytest.raises(DxError, match=f"epsilon must be above {least:.6g} on this space"):
        make("dx.TruncatedGumbel.v1", plane, epsilon=0.999 * least)
    make("dx.TruncatedGumbel.v1", plane, epsilon=1.001 * least)


@pytest.mark.parametrize("times", [1.02, 2.0, 20.0, 1000.0])
def test_it_states_the_probabilities_that_draws_have(times, make, plane):
    nearest, _ = extent(plane.vectors)
    least = (3 + 2 * (1 + np.log(40))) / nearest
    mechanism = make("dx.TruncatedGumbel.v1", plane, epsilon=times * least)
    rows = np.arange(0, 40, 9)
    P = mechanism.distribution(rows)
    assert P.shape == (len(rows), 40) and (P >= 0).all() and np.allclose(P.sum(axis=1), 1)
    for row, expected in zip(rows, P, strict=True):
        drawn = mechanism.sample(np.full(N, row), Rng(seed=int(row))).rows
        shares = np.bincount(drawn, minlength=40) / N
        assert np.abs(shares - expected).max() < 5 * 0.5 / np.sqrt(N) + 1e-3
