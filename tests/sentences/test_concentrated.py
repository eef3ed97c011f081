"""zCDP of consistent changes: the divergences it bounds, its composition, and odds."""

import math

import numpy as np
import pytest

from spacy_dxprivacy import Guarantee, Space, registry
from spacy_dxprivacy.privacy.concentrated import (
    ANY,
    EXPONENTIAL,
    best_guess,
    change,
    epsilon_of_rho,
    rho_of_gaussian,
    rho_of_range,
)

from .laws import BETA, KINDS, N, all_sentences, log_q, small_mechanism

ORDERS = (1.01, 1.5, 2, 4, 8, 16, 32, 64)
METRIC = Guarantee(kind="metric-dp", epsilon=0.9, metric="path", status="proven")


def divergence(p, q, order):
    """Of Renyi, nats: D_order(P || Q) along the last axis."""
    logs = order * np.log(p) + (1 - order) * np.log(q)
    top = logs.max(axis=-1)
    return (top + np.log(np.exp(logs - top[..., None]).sum(axis=-1))) / (order - 1)


@pytest.fixture(scope="module")
def space():
    X = np.random.default_rng(3).normal(size=(12, 4))
    return Space.from_vectors([f"w{i}" for i in range(12)], X)


@pytest.mark.parametrize("name", ["dx.Path.v1", "dx.Exponential.v1", "dx.TEM.v1"])
@pytest.mark.parametrize("epsilon", [0.3, 3.0])
def test_the_divergence_of_words_is_below_that_of_their_range(space, name, epsilon):
    mechanism = registry.dx_mechanisms.get(name)(epsilon=epsilon)
    mechanism.fit(space)
    P = mechanism.distribution(np.arange(12))
    logs = np.log(P)[:, None] - np.log(P)[None]
    eta = logs.max(axis=-1) - logs.min(axis=-1)
    for order in ORDERS:
        D = divergence(P[:, None], P[None], order)
        assert (D <= order * eta**2 / 8 + 1e-12).all()
    stated = ANY * mechanism.guarantee.epsilon
    if mechanism.guarantee.kind == "metric-dp":
        assert (eta <= stated * mechanism.distances(np.arange(12)) + 1e-9).all()


@pytest.mark.parametrize("kind", KINDS)
def test_the_divergence_of_sentences_is_below_that_of_their_distance(kind):
    """All pairs of three-word sentences, all outputs; the range is epsilon times the distance."""
    mechanism, texts = small_mechanism(kind), all_sentences(N, 3)
    chain, D = mechanism.built.chain, mechanism.distances(np.arange(N))
    alone = np.log(chain.unigram)[texts].sum(axis=1)
    q = alone if chain.is_alone else np.array([log_q(chain, text) for text in texts])
    apart = D[texts[:, None], texts[None]].sum(axis=2)
    logs = np.where(np.isinf(q), -np.inf, q) - BETA * apart
    P = np.exp(logs - logs.max(axis=1, keepdims=True))[:, ~np.isinf(q)]
    P /= P.sum(axis=1, keepdims=True)
    for order in ORDERS:
        bound = order * rho_of_range(EXPONENTIAL * mechanism.guarantee.epsilon * apart)
        assert (divergence(P[:, None], P[None], order) <= bound + 1e-9).all()


@pytest.mark.parametrize(
    "mentions, distance, plain, stated",
    [(6, 0.25, 1.35, 1.35), (20, 0.25, 4.5, 2.77), (100, 0.25, 22.5, 6.55), (20, 1.0, 18, 12.6),
     (50, 0.75, 33.8, 15.4)],
)  # fmt: skip
def test_mentions_of_a_person_add_up_as_zcdp(mentions, distance, plain, stated):
    made = change(METRIC, [distance] * mentions, 1e-6, EXPONENTIAL)
    assert made.plain == pytest.approx(plain, abs=0.06)
    assert made.epsilon == pytest.approx(stated, abs=0.06)
    assert made.delta == (0 if made.epsilon == made.plain else 1e-6)


def test_the_conversion_is_no_less_than_the_librarys():
    accounting = pytest.importorskip("dp_accounting")
    for rho in (0.01, 0.5, 5.0):
        accountant = accounting.rdp.RdpAccountant()
        accountant.compose(accounting.ZCDpEvent(rho))
        assert accountant.get_epsilon(1e-6) <= epsilon_of_rho(rho, 1e-6) + 1e-6


def test_gaussian_noise_is_zcdp_by_its_own_divergence():
    mu, order = 0.7, 3.0
    assert order * rho_of_gaussian(mu) == pytest.approx(order * mu**2 / 2)


def test_an_informed_attacker_is_right_no_more_often_than_the_bound(space):
    """By simulation, 100,000 draws: the likeliest of all words, each as likely before."""
    mechanism = registry.dx_mechanisms.get("dx.Path.v1")(epsilon=2.0)
    mechanism.fit(space)
    P, D = mechanism.distribution(np.arange(12)), mechanism.distances(np.arange(12))
    rng = np.random.default_rng(0)
    secrets = rng.integers(12, size=100_000)
    outputs = (np.cumsum(P[secrets], axis=1) < rng.random((100_000, 1))).sum(axis=1).clip(0, 11)
    right = P[:, outputs].argmax(axis=0) == secrets
    bounds = [best_guess([2.0 * d for j, d in enumerate(row) if j != i]) for i, row in enumerate(D)]
    assert right.mean() <= max(bounds) + 0.01
    posterior = (P[secrets, outputs] / P[:, outputs].sum(axis=0)).mean()
    assert posterior <= right.mean() + 0.01


def test_without_distance_a_guess_is_chance_and_far_away_it_is_certain():
    assert best_guess([0.0] * 99) == pytest.approx(0.01)
    assert best_guess([math.inf] * 99) == 1.0
