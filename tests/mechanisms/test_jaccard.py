"""dx.Jaccard.v1: two strengths of noise, which tell two kinds of words apart."""

import numpy as np
import pytest
from scipy.stats import kstest, norm

from spacy_dxprivacy import DxWarning, Rng
from spacy_dxprivacy.mechanisms.jaccard import delta_between_strengths

pytestmark = pytest.mark.filterwarnings("ignore:.*DX101")


def sigmas_by_hand(X, epsilon, delta, k, eta):
    D = np.array([[np.linalg.norm(x - y) for y in X] for x in X.astype(np.float64)])
    density = np.array([np.mean(sorted(np.delete(D[i], i))[:k]) for i in range(len(X))])
    alpha = np.where(density < (np.median(density) if eta is None else eta), 1.835, 1.276)
    return alpha * D.max(axis=1).mean() * np.sqrt(2 * np.log(1.25 / delta)) / epsilon


@pytest.mark.parametrize(("k", "eta"), [(10, None), (3, None), (3, 0.8), (3, 1e-9), (100, None)])
def test_noise_is_normal_with_a_strength_by_density(make, plane, k, eta):
    expected = sigmas_by_hand(plane.vectors, 2.0, 1e-6, k, eta)
    mechanism = make("dx.Jaccard.v1", plane, epsilon=2.0, k=k, eta=eta)
    rows = np.repeat(np.arange(40), 1000)
    Z = mechanism.sample(rows, Rng(seed=2)).vectors - plane.vectors[rows]
    assert kstest((Z / expected[rows, None]).ravel(), norm.cdf).pvalue > 1e-3
    found = np.sqrt(np.mean(Z.reshape(40, -1).astype(np.float64) ** 2, axis=1))
    np.testing.assert_allclose(found, expected, rtol=4.5 / np.sqrt(2 * 2000))


@pytest.mark.parametrize(("d", "epsilon"), [(2, 0.1), (50, 1.0), (300, 1.0)])
def test_the_least_delta_between_the_strengths_is_what_is_simulated(d, epsilon):
    n, dense, sparse = 20_000, 1.835, 1.276
    squares = np.sum((sparse * np.random.default_rng(0).normal(size=(n, d))) ** 2, axis=1)
    loss = d * np.log(dense / sparse) - squares / 2 * (sparse**-2 - dense**-2)
    excess = -np.expm1(np.minimum(epsilon - loss, 0))
    expected = delta_between_strengths(epsilon, d)
    assert abs(excess.mean() - expected) < 4 * excess.std() / np.sqrt(n) + 1e-6
    assert d < 300 or expected > 0.999


def test_it_is_refuted_warns_and_says_how_far(make, plane):
    with pytest.warns(DxWarning, match="DX101.*refuted"):
        g = make("dx.Jaccard.v1", plane, epsilon=0.3).guarantee
    assert (g.kind, g.status, g.delta) == ("approx-dp", "refuted", 1e-6)
    assert "refuted for words of different density" in g.adjacency
    assert f"is {delta_between_strengths(0.3, 2):.3g} or more" in g.notes
