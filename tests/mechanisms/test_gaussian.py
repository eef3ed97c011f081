"""dx.Gaussian.v1: the least noise for (epsilon, delta), and where it stops holding."""

import numpy as np
import pytest

from spacy_dxprivacy import Rng, Space
from spacy_dxprivacy.mechanisms.noise import clipped
from spacy_dxprivacy.privacy.noise import analytic_sigma, classical_sigma, log_delta

PAIR = Space.from_vectors(["here", "there"], [[0.0, 0.0, 0.0], [3.0, 0.0, 4.0]])
LEAST = -300 * np.log(4)  # ln delta of the published truncated Laplace mechanism at 300 dimensions


@pytest.mark.parametrize(
    ("epsilon", "sigma", "reference"),
    [  # by arithmetic with 700 digits
        (1.0, 28.475197, -415.88829873385),
        (10.0, 2.8711715, -415.88830884108),
        (0.001, 28214.85, -415.88837142183),
        (1e-6, 27969864.0, -415.88829538176),
        (1e-12, 398942.0, -13.815510355101),
        (40.0, 0.173626, -11.203728487089),
    ],
)
def test_delta_keeps_its_digits_down_to_4_to_the_minus_300(epsilon, sigma, reference):
    assert log_delta(epsilon, 1 / sigma) == pytest.approx(reference, abs=2e-9)


@pytest.mark.parametrize("epsilon", [1e-9, 1e-3, 0.1, 1.0, 10.0, 100.0])
@pytest.mark.parametrize("log", [np.log(0.9), np.log(1e-6), np.log(1e-15), LEAST])
def test_the_analytic_sigma_meets_delta_with_equality(epsilon, log):
    sigma = analytic_sigma(epsilon, float(np.exp(log)))
    assert log_delta(epsilon, 1 / sigma) == pytest.approx(log, abs=1e-7)
    assert log_delta(epsilon, 1 / (1.001 * sigma)) < log < log_delta(epsilon, 1.001 / sigma)


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 0.5, 0.999999])
@pytest.mark.parametrize("delta", [1e-300, 1e-6, 0.1, 0.9])
def test_the_classical_sigma_is_enough_below_1_and_never_less(epsilon, delta):
    assert classical_sigma(epsilon, delta) >= analytic_sigma(epsilon, delta)


def test_the_classical_formula_fails_far_beyond_1():
    """At delta = 1e-5 the true delta is 2.3 times the stated one at epsilon 10."""
    true = np.exp(log_delta(10.0, 1 / classical_sigma(10.0, 1e-5)))
    assert true / 1e-5 == pytest.approx(2.3, abs=0.05)


def test_words_beyond_the_clip_start_from_the_ball(make):
    mechanism = make("dx.Gaussian.v1", PAIR, epsilon=50.0, delta=0.1, clip=1.0)
    Z = mechanism.sample(np.ones(20_000, dtype=np.int64), Rng(seed=1)).vectors
    sigma = 2 * analytic_sigma(50.0, 0.1)
    assert np.all(np.abs(Z.mean(axis=0) - [0.6, 0, 0.8]) < 4 * sigma / np.sqrt(len(Z)))


@pytest.mark.parametrize("clip", [1e-42, 1e-3, 1.0, 1.7, 4.9999, 5.0, 80.0])
def test_no_clipped_row_is_longer_than_the_bound_in_float32(clip):
    X = np.random.default_rng(0).normal(size=(2000, 7)).astype(np.float32)
    centres, bound = clipped(X, clip)
    lengths = np.linalg.norm(centres.astype(np.float64), axis=1)
    assert centres.dtype == np.float32 and lengths.max() <= bound
    short = np.linalg.norm(X, axis=1) < clip
    assert np.array_equal(centres[short], X[short])
    if clip > 1e-30:
        assert bound == clip
        np.testing.assert_allclose(lengths[~short], clip, rtol=1e-6)
