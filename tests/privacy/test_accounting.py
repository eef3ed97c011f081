"""Approximate promises add up as tightly as is known, and the total says how."""

import dataclasses

import numpy as np
import pytest

from spacy_dxprivacy import Guarantee, Rng, compose
from spacy_dxprivacy.privacy import composition
from spacy_dxprivacy.privacy.noise import analytic_sigma, laplace_epsilon, laplace_noise

PURE = Guarantee("approx-dp", 0.1, 1e-7, metric="discrete", adjacency="all", status="proven")
NORMAL = dataclasses.replace(PURE, epsilon=1.0, delta=1e-5, mu=1 / analytic_sigma(1.0, 1e-5))


@pytest.mark.parametrize(
    ("words", "epsilon"), [(5, 2.44), (10, 3.62), (20, 5.41), (50, 9.36), (100, 14.43)]
)
def test_gaussian_noise_adds_up_by_its_square(words, epsilon):
    mu = NORMAL.mu * words**0.5
    assert composition.gaussian_epsilon(mu, 1e-5) == pytest.approx(epsilon, abs=0.005)


def test_a_total_of_gaussian_noise_says_so_and_can_be_added_to():
    for one in (PURE, NORMAL):
        assert compose([one]).epsilon == one.epsilon
    once = compose([NORMAL] * 20)
    assert composition.GAUSSIAN in once.notes and once.delta == pytest.approx(2e-4)
    assert once.epsilon < 5.41
    assert compose([NORMAL] * 20).mu == pytest.approx(NORMAL.mu * 20**0.5)


def test_other_noise_adds_up_by_its_epsilon_and_the_total_says_so():
    total = compose([PURE] * 500)
    assert composition.BASIC in total.notes
    assert total.epsilon == pytest.approx(50.0) and total.delta == pytest.approx(5e-5)


def test_dp_accounting_agrees_on_gaussian_noise():
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    one = pld.from_gaussian_mechanism(1 / NORMAL.mu, value_discretization_interval=1e-3)
    theirs = one.self_compose(20).get_epsilon_for_delta(1e-5)
    ours = composition.gaussian_epsilon(NORMAL.mu * 20**0.5, 1e-5)
    assert ours == pytest.approx(theirs, rel=5e-3)


@pytest.mark.parametrize(
    ("epsilon", "distance", "at_delta"), [(10.0, 8.0, 30.2), (5.0, 5.0, 7.28), (1.0, 8.0, 2.03)]
)
def test_laplace_noise_in_many_dimensions_tells_less_than_its_worst_case(
    epsilon, distance, at_delta
):
    assert laplace_epsilon(epsilon, distance, 300) == pytest.approx(at_delta, rel=2e-3)


@pytest.mark.parametrize("dims", [1, 2, 50])
def test_the_worst_case_is_never_passed(dims):
    assert laplace_epsilon(2.0, 0.0, dims) == 0.0
    assert 0 < laplace_epsilon(2.0, 1.5, dims) <= 3.0
    assert laplace_epsilon(2.0, 1.5, dims, delta=1e-3) < laplace_epsilon(2.0, 1.5, dims)


def test_the_epsilon_at_delta_is_what_a_simulation_finds():
    """delta = E[(1 - exp(epsilon' - L))_+] over draws of the loss L."""
    d, epsilon, distance, delta = 20, 3.0, 2.0, 1e-3
    Z = laplace_noise(400_000, d, Rng(seed=0), epsilon=epsilon)
    moved = Z.copy()
    moved[:, 0] += distance
    loss = epsilon * (np.linalg.norm(moved, axis=1) - np.linalg.norm(Z, axis=1))
    found = laplace_epsilon(epsilon, distance, d, delta)
    excess = np.clip(-np.expm1(found - loss), 0, None)
    assert excess.mean() == pytest.approx(delta, abs=4 * excess.std() / np.sqrt(len(loss)))
