"""zCDP of consistent changes: the divergences it bounds, its composition, and odds."""

import math
from dataclasses import replace

import numpy as np
import pytest
from mechanisms.found import made, names, settings_of
from scipy.stats import binom

from spacy_dxprivacy import Guarantee, Space
from spacy_dxprivacy.privacy.composition import gaussian_epsilon
from spacy_dxprivacy.privacy.loss import (
    Loss,
    best_guess,
    epsilon_of_rho,
    rho_of_epsilon,
    rho_of_gaussian,
)
from spacy_dxprivacy.surrogates.date_shift import make_date_shift
from spacy_dxprivacy.surrogates.number import make_number
from spacy_dxprivacy.ty import StatesProbabilities

from .distributions import BETA, KINDS, N, all_sentences, log_law, small_mechanism

pytestmark = pytest.mark.filterwarnings("ignore:.*DX101")

ORDERS = (1.01, 1.5, 2, 4, 8, 16, 32, 64)
METRIC = Guarantee("metric-dp", 0.9, metric="path", status="proven", loss_range=1.0)
PAIRS = Guarantee("approx-dp", 0.5, metric="discrete", status="proven")
NORMAL = Guarantee("approx-dp", 1.0, 1e-7, metric="discrete", status="proven", mu=0.2)
# Settings under which loss_range is neither 1 nor 2, and those that do not cover all pairs.
VARIANTS = [
    ("dx.Exponential.v1", {"epsilon": 3.0, "calibration": "exact"}),
    ("dx.CusText.v1", {"epsilon": 3.0, "k": 4}),
    ("dx.SanTextPlus.v1", {"epsilon": 3.0, "p": 0.2, "sensitive": 0.25}),
    ("dx.Path.v2", {**settings_of("dx.Path.v2"), "epsilon": 0.3}),
]


def divergence(p, q, order):
    """Of Renyi, nats: D_order(P || Q) along the last axis; q is 0 nowhere but where p is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(p > 0, order * np.log(p) + (1 - order) * np.log(q), -np.inf)
    top = logs.max(axis=-1)
    return (top + np.log(np.exp(logs - top[..., None]).sum(axis=-1))) / (order - 1)


@pytest.fixture(scope="module")
def space():
    X = np.random.default_rng(3).normal(size=(12, 4))
    return Space.from_vectors([f"w{i}" for i in range(12)], X)


@pytest.mark.parametrize(
    "name, settings", [(name, settings_of(name)) for name in names()] + VARIANTS
)
def test_the_divergence_of_words_is_below_that_of_their_distance(space, name, settings):
    """All pairs of words and all outputs, of every mechanism with exact probabilities."""
    mechanism = made(name, **settings).fit(space)
    guarantee = mechanism.guarantee
    if not (isinstance(mechanism, StatesProbabilities) and guarantee.holds):
        pytest.skip("it states no probabilities, or promises nothing")
    P, D = mechanism.distribution(np.arange(12)), mechanism.distances(np.arange(12))
    assert guarantee.covers == "finite" or np.isfinite(D).all()
    for w, v in np.argwhere(np.isfinite(D)):
        rho = Loss.of(guarantee, [D[w, v]]).rho
        for order in ORDERS:
            assert divergence(P[w], P[v], order) <= order * rho + 1e-9
        both = P[w] > 0
        losses = np.log(P[w][both]) - np.log(P[v][both])
        assert np.ptp(losses) <= guarantee.loss_range * guarantee.epsilon * D[w, v] + 1e-9


@pytest.mark.parametrize("kind", KINDS)
def test_the_divergence_of_sentences_is_below_that_of_their_distance(kind):
    """All pairs of three-word sentences, all outputs; the range is epsilon times the distance."""
    mechanism, texts = small_mechanism(kind), all_sentences(N, 3)
    chain, D = mechanism.built.chain, mechanism.distances(np.arange(N))
    q = log_law(chain, texts)
    apart = D[texts[:, None], texts[None]].sum(axis=2)
    logs = np.where(np.isinf(q), -np.inf, q) - BETA * apart
    P = np.exp(logs - logs.max(axis=1, keepdims=True))[:, ~np.isinf(q)]
    P /= P.sum(axis=1, keepdims=True)
    rho = np.vectorize(lambda d: Loss.of(mechanism.guarantee, [d]).rho)(apart)
    for order in ORDERS:
        assert (divergence(P[:, None], P[None], order) <= order * rho + 1e-9).all()


@pytest.mark.parametrize(
    "mentions, distance, plain, stated",
    [(6, 0.25, 1.35, 1.35), (20, 0.25, 4.5, 2.77), (100, 0.25, 22.5, 6.55), (20, 1.0, 18, 12.6),
     (50, 0.75, 33.8, 15.4)],
)  # fmt: skip
def test_mentions_of_a_person_add_up_as_zcdp(mentions, distance, plain, stated):
    loss = Loss.of(METRIC, [distance] * mentions)
    assert loss.plain == pytest.approx(plain, abs=0.06) and loss.delta == 0
    assert loss.epsilon() == pytest.approx(stated, abs=0.06)
    assert loss.delta_of_epsilon == (0 if loss.epsilon() == loss.plain else 1e-6)


def test_a_range_of_two_costs_four_times_as_much():
    of_two = replace(METRIC, loss_range=2.0)
    assert Loss.of(of_two, [0.25] * 9).rho == pytest.approx(4 * Loss.of(METRIC, [0.25] * 9).rho)
    assert Guarantee.from_dict({"kind": "metric-dp", "epsilon": 0.9}).loss_range == 2


def test_within_a_sentence_distances_add_and_over_sentences_their_squares():
    assert Loss.of(METRIC, [0.5]).rho == pytest.approx(2 * Loss.of(METRIC, [0.25] * 2).rho)


def test_pairs_at_epsilon_and_delta_are_composed_by_what_is_known_of_them():
    pure = Loss.of(PAIRS, [1] * 200)
    assert pure.rho == pytest.approx(200 * 0.5**2 / 2) and pure.plain == 100
    assert pure.delta_of_epsilon == 1e-6 and pure.epsilon() < 100
    normal = Loss.of(NORMAL, [1] * 200)
    assert normal.rho == pytest.approx(200 * rho_of_gaussian(0.2))
    assert normal.delta == pytest.approx(200e-7) and normal.epsilon() < normal.plain
    other = Loss.of(replace(NORMAL, mu=0.0), [1] * 200)  # nothing but its epsilon and delta
    assert math.isinf(other.rho) and other.epsilon() == other.plain == 200
    assert other.delta_of_epsilon == other.delta == pytest.approx(200e-7)


def test_nothing_is_guaranteed_of_a_mechanism_without_a_guarantee_unless_nothing_changes():
    for nothing in (Guarantee("none"), replace(METRIC, status="refuted")):
        assert math.isinf(Loss.of(nothing, [0.25]).epsilon())
        assert Loss.of(nothing, [0.0]) == Loss.of(METRIC, []) == Loss()


def test_changes_of_several_mechanisms_add_up():
    words, dates = Loss.of(METRIC, [0.25] * 100), Loss.of(PAIRS, [1.0] * 3)
    both = words + dates + Loss()
    assert both.rho == pytest.approx(words.rho + dates.rho)
    assert both.plain == pytest.approx(words.plain + 1.5)
    assert words.epsilon() < both.epsilon() < both.plain
    parts = Loss.of(METRIC, [0.25] * 60) + Loss.of(METRIC, [0.25] * 40)
    assert parts.rho == pytest.approx(words.rho)


def test_dp_accounting_composes_the_same_rho_and_converts_it_to_no_more():
    """100 sentences of their own rho. The closed form that is stated is an upper bound."""
    accounting = pytest.importorskip("dp_accounting")
    distances = np.random.default_rng(0).uniform(0.1, 2.0, size=100)
    composed = Loss.of(METRIC, distances)
    accountant, at_once = accounting.rdp.RdpAccountant(), accounting.rdp.RdpAccountant()
    for distance in distances:
        accountant.compose(accounting.ZCDpEvent(Loss.of(METRIC, [distance]).rho))
    at_once.compose(accounting.ZCDpEvent(composed.rho))
    assert accountant.get_epsilon(1e-6) == pytest.approx(at_once.get_epsilon(1e-6), abs=1e-6)
    for rho in (0.01, 0.5, 5.0, composed.rho):
        accountant = accounting.rdp.RdpAccountant().compose(accounting.ZCDpEvent(rho))
        assert 0.8 * epsilon_of_rho(rho) <= accountant.get_epsilon(1e-6) <= epsilon_of_rho(rho)


def test_gaussian_noise_is_zcdp_by_its_own_divergence(space):
    mechanism = made("dx.Gaussian.v1", epsilon=2.0).fit(space)
    sigma, centres = mechanism.built.spread, mechanism.facts.centres
    apart = np.linalg.norm(centres[:, None] - centres, axis=2).max()
    # D_order of N(0, s^2) and N(a, s^2) is order a^2 / (2 s^2).
    assert apart**2 / (2 * sigma**2) <= Loss.of(mechanism.guarantee, [1]).rho + 1e-12


def test_without_distance_a_guess_is_chance_and_far_away_it_is_certain():
    assert best_guess([0.0] * 99) == pytest.approx(0.01)
    assert best_guess([math.inf] * 99) == 1.0


@pytest.mark.parametrize("rate, apart", [(0.01, 100), (0.5, 3), (2.0, 1)])
def test_two_sided_geometric_noise_of_dates_and_numbers_is_below_its_distance(rate, apart):
    """P[k] proportional to exp(-rate |k|): shifts of dates by so many days, steps of numbers."""
    steps = np.arange(-6000, 6001)
    p, q = np.exp(-rate * np.abs(steps)), np.exp(-rate * np.abs(steps - apart))
    p, q = p / p.sum(), q / q.sum()
    days = make_date_shift(epsilon=rate).guarantee
    numbers = make_number(epsilon=rate, scale="absolute").guarantee
    for guarantee in (days, numbers):
        rho = Loss.of(guarantee, [apart]).rho
        for order in ORDERS:
            inside = (p > 1e-280) & (q > 1e-280)
            found = divergence(p[inside], q[inside], order)
            assert found <= order * rho * (1 + 1e-6) + 1e-6


def test_losses_add_up_as_the_exact_sums_of_their_draws():
    """n Gaussian draws are one at sqrt(n) distances, n pure ones cost the sum, and no more."""
    for count in (1, 7, 300):
        normal = Loss.of(NORMAL, [1.0]) * count
        assert normal.rho == pytest.approx(rho_of_gaussian(0.2 * math.sqrt(count)))
        exact = gaussian_epsilon(0.2 * math.sqrt(count), 1e-6)
        assert exact <= epsilon_of_rho(normal.rho) <= 1.5 * exact + 0.2
        pure = Loss.of(PAIRS, [1.0] * count)
        summed = sum((Loss.of(PAIRS, [1.0]) for _ in range(count)), Loss())
        assert pure.plain == pytest.approx(0.5 * count)
        assert pure.to_dict() == pytest.approx(summed.to_dict())


@pytest.mark.parametrize("count", [2, 40])
def test_a_loss_is_between_the_exact_epsilon_of_randomised_response_and_the_plain_sum(count):
    """The oracle adds up the binomial distribution of the losses of `count` draws."""
    guarantee = Guarantee("approx-dp", 0.3, metric="discrete", status="proven")
    loss, right = Loss.of(guarantee, [1.0] * count), 1 / (1 + math.exp(-0.3))
    losses = 0.3 * (2 * np.arange(count + 1) - count)
    weights = binom.pmf(np.arange(count + 1), count, right)

    def fails(epsilon):
        return float((weights * np.clip(-np.expm1(epsilon - losses), 0, None)).sum())

    assert fails(loss.epsilon()) <= loss.delta_of_epsilon + 1e-15  # it holds,
    assert fails(loss.epsilon() / 2.5) > 1e-6  # and is no more than 2.5 times as large as need be


def test_a_sum_may_be_made_in_any_order_and_a_cover_bounds_each_part():
    parts = [Loss.of(METRIC, [0.25, 3.0]), Loss.of(NORMAL, [1.0]), Loss.of(PAIRS, [1.0]), Loss()]
    forwards, backwards = sum(parts, Loss()), sum(reversed(parts), Loss())
    assert forwards.to_dict() == pytest.approx(backwards.to_dict())
    for loss in parts:
        summed = (loss + loss + loss).to_dict()
        assert loss * 0 == Loss() and (loss * 3).to_dict() == pytest.approx(summed)
        cover = loss.cover(parts[0])
        assert cover.rho >= loss.rho and cover.plain >= loss.plain and cover.delta >= loss.delta
        assert Loss.from_dict(loss.to_dict()) == loss
    lost = Loss.of(Guarantee("none"), [1.0])
    assert Loss.from_dict(lost.to_dict()) == lost and lost * 0 == Loss()


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 25.0, 1e4])
def test_the_rho_of_an_epsilon_converts_back(epsilon):
    assert epsilon_of_rho(rho_of_epsilon(epsilon)) == pytest.approx(epsilon, rel=1e-12)


def test_words_are_taken_to_differ_by_one_unit_each_in_sentences_of_the_longest_length():
    words, whole = METRIC, replace(METRIC, protects="text")
    assert Loss.of_words(words, 100).rho == pytest.approx(Loss.of(words, [1.0] * 100).rho)
    assert Loss.of_words(whole, 100).rho == pytest.approx(Loss.of(whole, [48, 48, 4]).rho)
    assert Loss.of_words(whole, 100).plain == pytest.approx(Loss.of_words(words, 100).plain)
    assert Loss.of_words(words, 0) == Loss.of_words(whole, 0) == Loss()
