"""dx.TruncatedLaplace.v1: what the published calibration really gives, and a sound one."""

import numpy as np
import pytest

from spacy_dxprivacy import DxError, DxWarning, Rng, Space
from spacy_dxprivacy.mechanisms.truncated_laplace import (
    ROUNDED,
    TruncatedLaplaceNoise,
    log_worst_delta,
    paper_width,
    sound_width,
)

from .found import made

LN4 = np.log(4)


def cdf(x, width):
    """Of a coordinate, for x = a z in [-width, width], by halves of the density."""
    x = np.asarray(x, dtype=np.float64)
    left = np.exp(np.minimum(x, 0)) - np.exp(-width)
    right = 2 - np.exp(-width) - np.exp(-np.abs(x))
    return np.where(x < 0, left, right) / (2 * -np.expm1(-width))


def leave(v, width):
    """The probability that a coordinate with a A = width, shifted by a v, leaves [-A, A]."""
    return 1 - cdf(np.clip(width - np.asarray(v), -width, width), width)


def delta_of(shift, width):
    """1 - prod_i (1 - t(v_i)) for shifts (..., d)."""
    return -np.expm1(np.log1p(-leave(np.abs(shift), width)).sum(axis=-1))


def shifts(d, reach, k, seed=0):
    """Random vectors of norm `reach`: of all sizes of support, of even and uneven coordinates."""
    rng = np.random.default_rng(seed)
    V = np.abs(rng.normal(size=(k, d))) ** rng.choice([0.01, 0.5, 1, 3, 8], size=(k, 1))
    V *= np.arange(d) < rng.integers(1, d + 1, size=(k, 1))
    return V * reach / np.linalg.norm(V, axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("epsilon", "dims", "one", "worst", "spread"),
    [
        (0.05, 300, 0.249, 0.987, 2.31),
        (0.1, 300, 0.248, 0.987, 2.32),
        (0.2, 300, 0.246, 0.986, 2.33),
        (0.5, 300, 0.239, 0.984, 2.36),
        (1, 300, 0.228, 0.979, 2.42),
        (5, 300, 0.123, 0.843, 3.07),
        (8.6, 300, 0.0023, 0.030, 5.34),
        (10, 500, 0.033, 0.371, 4.18),
        (20, 1700, 0.0096, 0.123, 4.89),
    ],
)
def test_the_true_delta_of_the_published_calibration(epsilon, dims, one, worst, spread):
    """It claims 10^-180 for the first seven. one: for a shift of one coordinate alone."""
    width = paper_width(epsilon, -dims * LN4, dims)
    assert float(leave(epsilon / np.sqrt(dims), width)) == pytest.approx(one, rel=0.03)
    assert np.exp(log_worst_delta(epsilon, width, 300, dims)) == pytest.approx(worst, rel=0.02)
    rate = epsilon / (2 * np.sqrt(dims))  # for clip 1
    noise = TruncatedLaplaceNoise(300, rate, width / rate)
    assert np.sqrt(noise.variance()) == pytest.approx(spread, abs=0.006)


def test_it_warns_and_states_the_true_delta_for_the_users_own_space(make):
    space = Space.from_vectors(["a", "b"], np.eye(2, 6))
    with pytest.warns(DxWarning, match="DX101.*refuted"):
        mechanism = make("dx.TruncatedLaplace.v1", space, epsilon=1.0, calibration="paper")
    g = mechanism.guarantee
    assert (g.kind, g.status, g.delta) == ("approx-dp", "refuted", pytest.approx(4.0**-6))
    width = paper_width(1.0, -6 * LN4, 6)
    true = delta_of(shifts(6, 1 / np.sqrt(6), 20_000), width).max()
    assert f"true delta is {true:.2g} " in g.notes and "6 dimensions" in g.notes


@pytest.mark.filterwarnings("ignore:.*DX101")
def test_the_published_calibration_says_where_it_has_no_solution(make):
    space = Space.from_vectors(["a", "b"], np.eye(2, 4))
    settings = {"epsilon": 1.0, "calibration": "paper"}
    with pytest.raises(DxError, match=r"below 2 delta\^\(1/dims\) sqrt\(dims\) = 1, and it is 1"):
        make("dx.TruncatedLaplace.v1", space, **settings)  # 2 / 4 * 2 = 1
    make("dx.TruncatedLaplace.v1", space, **settings, dims=5)
    make("dx.TruncatedLaplace.v1", space, **settings, delta=0.01)
    with pytest.raises(DxError, match="dims must be at least the 4 dimensions"):
        make("dx.TruncatedLaplace.v1", space, **settings, dims=3)


@pytest.mark.parametrize("epsilon", [0.5, 1.5, 3.0, 6.0, 25.0, 400.0])
@pytest.mark.parametrize("d", [1, 2, 3, 10, 300])
@pytest.mark.parametrize("delta", [1e-6, 0.05, 0.49])
def test_no_shift_in_the_ball_exceeds_delta_and_one_meets_it(epsilon, d, delta):
    width = sound_width(epsilon, delta, d)
    assert np.exp(log_worst_delta(epsilon, width, d, d)) == pytest.approx(delta, rel=1e-9)
    found = delta_of(shifts(d, epsilon / np.sqrt(d), 4000), width)
    # The tests' own formula is a difference near 1, so it has 1e-16 / delta of its digits.
    assert found.max() <= delta * (1 + 1e-8) + 3e-14 * d
    if d <= 3:
        assert found.max() >= 0.99 * delta


@pytest.mark.parametrize(("epsilon", "d"), [(0.7, 2), (2.5, 3), (4.0, 2)])
def test_the_whole_hockey_stick_is_delta_when_simulated(epsilon, d):
    """E (1 - exp(epsilon - loss))_+ at the worst shift, from the densities alone."""
    n, delta = 200_000, 0.05
    width = sound_width(epsilon, delta, d)
    V = shifts(d, epsilon / np.sqrt(d), 4000)
    v = V[np.argmax(delta_of(V, width))]
    Z = TruncatedLaplaceNoise(d, 1.0, width)(np.arange(n), Rng(seed=5))
    loss = np.abs(Z + v).sum(axis=1) - np.abs(Z).sum(axis=1)
    loss[np.any(np.abs(Z + v) > width, axis=1)] = np.inf
    excess = -np.expm1(np.minimum(epsilon - loss, 0))
    assert abs(excess.mean() - delta) < 4 * excess.std() / np.sqrt(n) + 0.002 * delta


@pytest.mark.filterwarnings("ignore:.*DX101")
@pytest.mark.parametrize("epsilon", [0.05, 0.5, 5.0])
def test_unclipped_vectors_leave_every_word_as_it_is_and_delta_is_1(epsilon):
    """As the public code runs it: C = .005, and words that are far apart beside it."""
    X = np.random.default_rng(2).normal(size=(30, 50))
    space = Space.from_vectors([f"word{i}" for i in range(30)], X)
    settings = {"clip": "none", "norm": 0.005, "calibration": "paper", "dims": 300}
    mechanism = made("dx.TruncatedLaplace.v1", epsilon=epsilon, **settings).fit(space)
    rows = np.repeat(np.arange(30), 20)
    draw = mechanism.sample(rows, Rng(seed=4))
    assert np.array_equal(draw.rows, rows)
    noise, A = np.abs(draw.vectors - space.vectors[rows]), -2 * 300**0.5 * 0.005 / epsilon
    A *= np.log1p(-epsilon / (2 / 4 * 300**0.5))
    assert 0.97 * A < noise.max() <= 1.001 * A
    apart = mechanism.facts.delta(np.array([0]), np.arange(1, 30), np.full((1, 29), epsilon))
    assert mechanism.guarantee.status == "refuted" and (apart == 1).all()


@pytest.mark.parametrize("bound", [0.1, 1.0, 3.0, 100.0])
@pytest.mark.parametrize("dims", [1, 2, 30])
def test_a_density_is_zero_where_a_coordinate_is_beyond_the_bound(bound, dims):
    rng = np.random.default_rng(0)
    X, Z = (rng.normal(size=(k, dims)).astype(np.float32) for k in (40, 200))
    Z[:20] += bound * rng.choice([-1, 1], size=(20, dims))
    D = np.abs(Z[:, None].astype(np.float64) - X)
    beyond = D.max(axis=2) > bound * (1 + ROUNDED)
    logs = TruncatedLaplaceNoise(dims, 2.0, bound).log_densities(X, np.arange(40))(Z)
    np.testing.assert_array_equal(logs == -np.inf, beyond)
    np.testing.assert_allclose(logs[~beyond], -2 * D.sum(axis=2)[~beyond], rtol=1e-5, atol=1e-5)
