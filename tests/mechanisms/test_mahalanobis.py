"""dx.Mahalanobis.v1: the distribution of its noise, and the norm that its promise is stated in."""

import numpy as np
import pytest

from spacy_dxprivacy import DxError, Space
from spacy_dxprivacy.mechanisms.mahalanobis import regularised_covariance

SCALES = np.array([3.0, 1.0, 1.0, 0.2, 0.5])


@pytest.fixture(scope="module")
def stretched():
    """200 words of unlike spread in 5 rotated directions; word 0 is at the origin."""
    rng = np.random.default_rng(3)
    turn, _ = np.linalg.qr(rng.normal(size=(5, 5)))
    X = (rng.normal(size=(200, 5)) * SCALES) @ turn
    X[0] = 0
    return Space.from_vectors([f"w{i}" for i in range(200)], X)


def covariance(space, lam):
    """S as the paper defines it, without an eigenvalue."""
    Sigma = np.cov(space.vectors.astype(np.float64).T)
    d = len(Sigma)
    return lam * Sigma * d / np.trace(Sigma) + (1 - lam) * np.eye(d)


@pytest.mark.parametrize("lam", [0.0, 0.2, 1.0])
def test_distances_are_those_of_the_norm(make, stretched, lam):
    D = make("dx.Mahalanobis.v1", stretched, epsilon=2.0, lam=lam).distances(np.array([4]))[0]
    V = stretched.vectors[4].astype(np.float64) - stretched.vectors
    squares = [v @ np.linalg.inv(covariance(stretched, lam)) @ v for v in V]
    np.testing.assert_allclose(D, np.sqrt(squares), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("lam", [0.2, 1.0])
def test_the_euclidean_epsilon_of_the_notes_bounds_every_loss_and_is_met(make, stretched, lam):
    mechanism = make("dx.Mahalanobis.v1", stretched, epsilon=2.0, lam=lam)
    Sigma = np.cov(stretched.vectors.astype(np.float64).T)
    least = np.linalg.eigvalsh(Sigma * 5 / np.trace(Sigma))[0]
    euclid = 2.0 / np.sqrt(lam * least + 1 - lam)
    assert f"{euclid:.6g} nats" in mechanism.guarantee.notes
    values, axes = regularised_covariance(stretched.vectors, lam)
    assert 2.0 / np.sqrt(values[0]) == pytest.approx(euclid)
    worst = axes[:, 0]  # the direction in which a unit of Euclidean distance is longest
    length = np.sqrt(worst @ np.linalg.inv(covariance(stretched, lam)) @ worst)
    assert 2.0 * length == pytest.approx(euclid)


def test_a_singular_covariance_is_refused_and_lam_below_1_mends_it(make):
    flat = Space.from_vectors(["a", "b", "c"], [[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    with pytest.raises(DxError, match="regular at this lam"):
        make("dx.Mahalanobis.v1", flat, epsilon=1.0, lam=1.0)
    make("dx.Mahalanobis.v1", flat, epsilon=1.0, lam=0.9)
