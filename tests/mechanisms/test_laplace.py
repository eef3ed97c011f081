"""dx.Laplace.v1: the distribution of its noise, and what it does to words."""

import numpy as np

from spacy_dxprivacy import Rng
from spacy_dxprivacy.privacy.noise import laplace_noise


def test_the_noise_has_no_preferred_direction():
    d, k = 5, 100_000
    Z = laplace_noise(k, d, Rng(seed=0), epsilon=2.0)
    standard_error = np.sqrt((d + 1) / 2.0**2 / k)
    assert np.all(np.abs(Z.mean(axis=0)) < 4 * standard_error)
    covariance = np.cov(Z.T) * 2.0**2 / (d + 1)
    assert np.all(np.abs(covariance - np.eye(d)) < 0.05)


def test_released_vectors_lie_on_a_grid_that_is_the_same_for_every_word(make, plane):
    """The low bits of x + z would tell x (Mironov 2012)."""
    mechanism = make("dx.Laplace.v1", plane, epsilon=3.0)
    spread = np.sqrt(3) / 3.0
    step = 2.0 ** (np.floor(np.log2(spread)) - 10)
    vectors = mechanism.sample(np.arange(40), Rng(seed=2)).vectors.astype(np.float64)
    assert np.array_equal(vectors / step, np.rint(vectors / step))


def test_the_word_is_the_one_nearest_to_the_noisy_vector(make, plane):
    draw = make("dx.Laplace.v1", plane, epsilon=1.0).sample(np.arange(40), Rng(seed=6))
    apart = draw.vectors[:, None, :].astype(np.float64) - plane.vectors[None].astype(np.float64)
    assert np.array_equal(draw.rows, np.argmin(np.sum(apart**2, axis=2), axis=1))
