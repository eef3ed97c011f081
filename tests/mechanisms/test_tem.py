"""dx.TEM.v1: the draw of the paper, by Gumbel noise and a bottom element, and its closed form."""

import numpy as np
import pytest
from scipy.stats import chisquare

from spacy_dxprivacy import Space

N = 100_000


def gumbel_with_bottom(D, epsilon, g, rng):
    """The paper's algorithm, N times, for a word with distances D: (n,)."""
    near, far = np.flatnonzero(D <= g), np.flatnonzero(D > g)
    scores = -D[near]
    if len(far):
        scores = np.append(scores, -g + 2 * np.log(len(far)) / epsilon)
    chosen = np.argmax(scores + rng.gumbel(0, 2 / epsilon, (N, len(scores))), axis=1)
    if len(far):
        near = np.append(near, -1)
    drawn = near[chosen]
    drawn[drawn == -1] = rng.choice(far, np.sum(drawn == -1)) if len(far) else -1
    return np.bincount(drawn, minlength=len(D))


@pytest.mark.parametrize(("epsilon", "beta"), [(2.0, 0.9), (8.0, 0.1), (20.0, 0.001), (0.5, 0.5)])
@pytest.mark.parametrize("row", [0, 23])
def test_its_probabilities_are_those_of_gumbel_noise_with_a_bottom(make, plane, epsilon, beta, row):
    p = make("dx.TEM.v1", plane, epsilon=epsilon, beta=beta).distribution(np.array([row]))[0]
    X = plane.vectors.astype(np.float64)
    D = np.linalg.norm(X - X[row], axis=1)
    g = 2 / epsilon * np.log((1 - beta) * 39 / beta)
    counts = gumbel_with_bottom(D, epsilon, g, np.random.default_rng(row))
    common = p * N > 5
    expected = p[common] * N
    assert chisquare(counts[common], expected * counts[common].sum() / expected.sum()).pvalue > 1e-4
    assert abs(counts[common].sum() / N - p[common].sum()) < 1e-3


@pytest.mark.parametrize(("epsilon", "beta"), [(2.0, 0.9), (8.0, 0.1), (20.0, 0.001)])
def test_its_probabilities_are_the_closed_form(make, plane, epsilon, beta):
    P = make("dx.TEM.v1", plane, epsilon=epsilon, beta=beta).distribution(np.arange(40))
    g = 2 / epsilon * np.log((1 - beta) * 39 / beta)
    for row, x in enumerate(plane.vectors.astype(np.float64)):
        D = [float(np.linalg.norm(x - y)) for y in plane.vectors]
        near = [np.exp(-epsilon / 2 * d) if d <= g else 0.0 for d in D]
        bottom = np.exp(-epsilon / 2 * g) * sum(d > g for d in D)
        far = bottom / max(1, sum(d > g for d in D))
        p = np.array([w if d <= g else far for w, d in zip(near, D, strict=True)])
        np.testing.assert_allclose(P[row], p / (sum(near) + bottom), rtol=1e-6)


@pytest.mark.parametrize(("epsilon", "beta"), [(2.0, 0.001), (50.0, 0.001), (2.0, 0.7)])
def test_the_loss_stays_within_epsilon_times_the_clamped_distance(make, plane, epsilon, beta):
    mechanism = make("dx.TEM.v1", plane, epsilon=epsilon, beta=beta)
    logs = np.log(mechanism.distribution(np.arange(40)))
    loss = np.abs(logs[:, None] - logs[None]).max(axis=2)
    g = max(0.0, 2 / epsilon * np.log((1 - beta) * 39 / beta))
    D = np.minimum(mechanism.distances(np.arange(40)), g)
    assert np.all(loss <= epsilon * D + 1e-9)


def test_beta_is_the_share_of_far_words_where_all_others_are_far(make):
    far = Space.from_vectors([f"w{i}" for i in range(50)], np.eye(50) * 1000)
    P = make("dx.TEM.v1", far, epsilon=1.0, beta=0.02).distribution(np.arange(50))
    np.testing.assert_allclose(1 - np.diag(P), 0.02)


def test_every_word_can_come_out_whatever_epsilon_and_beta(make, plane):
    for settings in ({"epsilon": 1e6, "beta": 1e-300}, {"epsilon": 1e-6, "beta": 1e-320}):
        P = make("dx.TEM.v1", plane, **settings).distribution(np.arange(40))
        assert np.all(P > 0) and np.isfinite(P).all()
