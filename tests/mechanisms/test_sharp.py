"""What every registered mechanism states of its loss and its noise, from both sides and to 2 %."""

import warnings
from functools import cache
from inspect import isfunction

import numpy as np
import pytest
from sampler.distributions import p_value
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import chi2, gamma, kstest, norm, truncexpon

from spacy_dxprivacy import DxError, DxWarning, Rng, Space
from spacy_dxprivacy.mechanisms.noise import NoiseMechanism
from spacy_dxprivacy.ty import facts_of

from .found import EPSILON, made, names, plane, settings_of, takes_epsilon

pytestmark = pytest.mark.filterwarnings("ignore:.*DX101")
SHARP = 1 / 1.02  # of the bound: what loses 2 % more than it states passes it
SIGMAS = 4  # standard errors that a right mechanism is off once in 15,000 seeds
MORE = 1.02  # times the noise, or epsilon: what each test of a scale has to notice


@cache
def crowd():
    """400 words in one place, and four some way off, one in each quarter of the rows.

    Of a weight exp(-beta d), the words of the crowd have a Z of 400 and one d away of little more
    than 400 exp(-beta d): the ratio of both, and so the bound 2 beta d, is reached.
    """
    X = np.random.default_rng(4).normal(size=(404, 3)) * 1e-4
    X[50::101, 0] += [0.5, 2.0, 1.5, 1.0]
    return Space.from_vectors([f"word{i}" for i in range(len(X))], X)


# A group of few words has no crowd: with k words the loss is 1 - 1/k of the bound at most.
ON_A_CROWD = {"dx.CusText.v1": {"k": 404}}
FAR_EPSILON = 1.0  # at which far words are drawn often
TIMES_EPSILON = (0.25, 0.5, 1, 2, 4, 8)  # where draws may show a wrong epsilon best
DRAWS = 200_000


@cache
def fitted(name, space=plane, epsilon=EPSILON, **changed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DxWarning)
        settings = settings_of(name) | changed
        if takes_epsilon(name):
            settings["epsilon"] = epsilon
        return made(name, **settings).fit(space())


def exact():
    """The mechanisms that state exact probabilities: new ones join by themselves."""
    of_noise = {"dx.Identity.v1", "dx.TruncatedGumbel.v1", *NOISE}
    return [name for name in names() if name not in of_noise]


def pytest_generate_tests(metafunc):
    if "exact_name" in metafunc.fixturenames:
        metafunc.parametrize("exact_name", exact())


def test_the_loss_is_within_the_bound_and_reaches_it(exact_name):
    """Over all pairs of the crowd: the largest |log ratio|, and its range over the outputs."""
    mechanism = fitted(exact_name, crowd, **ON_A_CROWD.get(exact_name, {}))
    rows = np.arange(len(crowd()))
    with np.errstate(divide="ignore"):
        L, D = np.log(mechanism.distribution(rows)), mechanism.distances(rows)
    g = mechanism.guarantee
    losses, ranges = np.zeros(D.shape), np.zeros(D.shape)
    for row in rows:
        with np.errstate(invalid="ignore"):
            ratios = np.nan_to_num(L - L[row], posinf=np.inf, neginf=-np.inf)
        losses[row] = np.abs(ratios).max(axis=1)
        with np.errstate(invalid="ignore"):
            ranges[row] = ratios.max(axis=1) - ratios.min(axis=1)
    covered = np.isfinite(D) & (D > 1e-2)
    reached = (losses[covered] / (g.epsilon * D[covered])).max()
    assert SHARP < reached < 1 + 1e-9
    spread = (ranges[covered] / (g.epsilon * D[covered])).max()
    assert SHARP * g.loss_range < spread < g.loss_range * (1 + 1e-9)
    near = D <= 1e-2  # where the digits of a ratio are those of rounding
    assert (losses[near] <= g.epsilon * D[near] + 1e-9).all()


def surprise(mechanism, row):
    """-ln P of each output of a row, with its mean and the standard error of that of DRAWS draws.
    The mean is the statistic that sees a wrong epsilon first."""
    P = mechanism.distribution(np.array([row]))[0]
    logs = -np.log(np.where(P > 0, P, 1))
    return P, logs, P @ logs, np.sqrt((P @ logs**2 - (P @ logs) ** 2) / DRAWS)


def power(name, epsilon, row):
    """By how many standard errors draws at MORE times an epsilon are off; 0 without a solution."""
    try:
        mechanism, other = (fitted(name, epsilon=times * epsilon) for times in (1, MORE))
    except DxError:
        return 0.0
    _, logs, mean, error = surprise(mechanism, row)
    return abs(other.distribution(np.array([row]))[0] @ logs - mean) / error if error else 0.0


def off(drawn_by, stated_by, row):
    """The p-value of chi-squared of draws, and by how many standard errors their mean is off."""
    P, logs, mean, error = surprise(stated_by, row)
    drawn = drawn_by.sample(np.full(DRAWS, row), Rng(seed=row + 17)).rows
    value = p_value(np.bincount(drawn, minlength=len(P)), P * DRAWS)
    return value, (logs[drawn].mean() - mean) / error


@pytest.mark.parametrize("row", [31, 39])
def test_draws_follow_the_probabilities_and_those_of_2_percent_more_would_not(exact_name, row):
    """At the epsilon that shows it best: too small or too large, and every draw is alike."""
    epsilon = max(np.multiply(TIMES_EPSILON, EPSILON), key=lambda e: power(exact_name, e, row))
    mechanism = fitted(exact_name, epsilon=epsilon)
    value, sigmas = off(mechanism, mechanism, row)
    assert value > 1e-4 and abs(sigmas) < SIGMAS
    other = fitted(exact_name, epsilon=MORE * epsilon)
    assert abs(off(other, mechanism, row)[1]) > SIGMAS


@pytest.mark.parametrize("row", [31, 39])
def test_far_words_follow_their_probabilities_too(exact_name, row):
    """At a small epsilon, where they come out."""
    mechanism = fitted(exact_name, epsilon=FAR_EPSILON)
    value, sigmas = off(mechanism, mechanism, row)
    assert value > 1e-4 and abs(sigmas) < SIGMAS


@cache
def line():
    """Two pairs of near words, 1 and 2 apart; the farthest words are 12 apart."""
    return Space.from_vectors(["a", "b", "c", "d"], [[0.0], [1.0], [10.0], [12.0]])


def analytic(epsilon, delta):
    """Balle and Wang 2018, theorem 8, for sensitivity 1."""

    def excess(sigma):
        a, b = 1 / (2 * sigma), epsilon * sigma
        return norm.cdf(a - b) - np.exp(epsilon) * norm.cdf(-a - b) - delta

    return brentq(excess, 1e-2, 1e2, xtol=1e-14)


def euclidean(Z):
    return np.linalg.norm(Z, axis=1)


def of_gamma(scale, d):
    """Norms of density exp(-||z|| / scale)."""
    return gamma(d, scale=scale)


def of_normal(sigma, d):
    """Squared norms."""
    return chi2(d, scale=sigma**2)


def squares(Z):
    return (Z**2).sum(axis=1)


def of_ellipse(lam):
    Sigma = np.cov(plane().vectors.astype(float).T)
    S = lam * Sigma * 2 / np.trace(Sigma) + (1 - lam) * np.eye(2)
    return lambda Z: np.sqrt(np.einsum("kd,de,ke->k", Z, np.linalg.inv(S), Z)), of_gamma(1 / 2, 2)


def stretch(mechanism):
    X, Y = plane().vectors.astype(float), mechanism.facts.centres
    i, j = np.triu_indices(len(X), 1)
    return (euclidean(Y[i] - Y[j]) / euclidean(X[i] - X[j])).max()


def of_truncated(rate, bound):
    """|z| of density exp(-rate |z|) on [0, bound]."""
    return truncexpon(rate * bound, scale=1 / rate)


def l1(Z):
    return np.abs(Z).sum(axis=1)


UNIT, DELTA = analytic(2.0, 1e-3), {"delta": 1e-3}
C = np.linalg.norm(plane().vectors.astype(float), axis=1).max()
CLASSICAL = np.sqrt(2 * np.log(1.25 / 1e-3))
WIDTH = np.log1p(np.expm1(2.0) / (2 * 0.05))  # of "sound" in one dimension, Geng et al. 2020
NO_CLIP = {"clip": "none", "norm": 0.005}
FARTHEST = np.mean([12, 11, 10, 12])  # distance of a word of the line to the farthest other
# name: (space, settings, row, statistic of the noise, its distribution), at epsilon = 2, from the
# density in the docstring of the mechanism.
NOISE = {
    "dx.Laplace.v1": [
        (plane, {}, 0, euclidean, of_gamma(1 / 2, 2)),
        (crowd, {}, 0, euclidean, of_gamma(1 / 2, 3)),
    ],
    "dx.Mahalanobis.v1": [(plane, {"lam": lam}, 0, *of_ellipse(lam)) for lam in (0.2, 0.9)],
    "dx.Gaussian.v1": [
        (plane, DELTA, 0, squares, of_normal(UNIT * 2 * C, 2)),
        (plane, {**DELTA, "clip": 0.5}, 0, squares, of_normal(UNIT * 2 * 0.5, 2)),
        (plane, {**DELTA, **NO_CLIP}, 0, squares, of_normal(UNIT * 2 * 0.005, 2)),
    ],
    "dx.NADP.v1": [
        (line, DELTA, 0, squares, of_normal(UNIT * 12, 1)),
        (line, {**DELTA, "noise": "adjacent"}, 0, squares, of_normal(UNIT * 2, 1)),
        (line, {**DELTA, "noise": "paper"}, 0, squares, of_normal(UNIT * 1, 1)),
        (line, {**DELTA, "noise": "paper"}, 3, squares, of_normal(UNIT * 2, 1)),
    ],
    "dx.ClippedLaplace.v1": [
        (plane, {}, 0, l1, of_gamma(2 * np.sqrt(2) * C / 2, 2)),
        (plane, {"clip": 0.5}, 0, l1, of_gamma(2 * np.sqrt(2) * 0.5 / 2, 2)),
        (plane, NO_CLIP, 0, l1, of_gamma(2 * np.sqrt(2) * 0.005 / 2, 2)),
    ],
    "dx.TruncatedLaplace.v1": [
        (line, {"delta": 0.05}, 0, l1, of_truncated(2 / (2 * 12), WIDTH * 12)),
        (line, {"delta": 0.05, "clip": 3.0}, 0, l1, of_truncated(2 / (2 * 3), WIDTH * 3)),
        (line, {"delta": 0.05, **NO_CLIP}, 0, l1, of_truncated(2 / 0.01, WIDTH * 0.005)),
    ],
    "dx.RandomProjection.v1": [
        (plane, {"dims": 3}, 0, euclidean, lambda m: of_gamma(stretch(m) / 2, 3))
    ],
    "dx.Jaccard.v1": [
        (line, {**DELTA, "k": 1}, 0, squares, of_normal(1.835 * FARTHEST * CLASSICAL / 2, 1)),
        (line, {**DELTA, "k": 1}, 3, squares, of_normal(1.276 * FARTHEST * CLASSICAL / 2, 1)),
    ],
}
CASES = [(name, *case) for name, cases in NOISE.items() for case in cases]
TIMES = 400_000


def noise(name, space, row, times=TIMES, **settings):
    mechanism = fitted(name, space, **{"epsilon": 2.0, **settings})
    drawn = mechanism.sample(np.full(times, row), Rng(seed=23)).vectors.astype(float)
    return mechanism, drawn - mechanism.facts.centres[row]


def test_every_mechanism_of_noise_has_a_case():
    by_name = {name: made(name, **settings_of(name)) for name in names()}
    assert {name for name, m in by_name.items() if isinstance(m, NoiseMechanism)} == set(NOISE)


@pytest.mark.parametrize(("name", "space", "settings", "row", "statistic", "distribution"), CASES)
def test_the_noise_has_its_distribution_and_its_scale_to_2_percent(
    name, space, settings, row, statistic, distribution
):
    mechanism, Z = noise(name, space, row, **settings)
    distribution = distribution(mechanism) if isfunction(distribution) else distribution
    found = statistic(Z)
    assert kstest(found[:20_000], distribution.cdf).pvalue > 1e-3
    error = distribution.std() / np.sqrt(TIMES)
    assert abs(found.mean() - distribution.mean()) < SIGMAS * error
    assert (MORE - 1) * distribution.mean() > 1.5 * SIGMAS * error  # what the test can see


@pytest.mark.parametrize("lam", [0.2, 0.9])
def test_the_covariance_has_the_shape_of_the_space_to_2_percent(lam):
    """(d + 1) / epsilon^2 times S, every entry of it."""
    _, Z = noise("dx.Mahalanobis.v1", plane, 0, lam=lam)
    Sigma = np.cov(plane().vectors.astype(float).T)
    S = (lam * Sigma * 2 / np.trace(Sigma) + (1 - lam) * np.eye(2)) * 3 / 2.0**2
    products = Z[:, :, None] * Z[:, None, :]
    errors = products.std(axis=0) / np.sqrt(TIMES)
    assert (np.abs(products.mean(axis=0) - S) < SIGMAS * errors).all()
    assert (0.02 * np.diag(S) > 1.5 * SIGMAS * np.diag(errors)).all()


def test_normal_noise_of_neighbourhoods_has_no_direction():
    """sigma^2 I: coordinates of one variance, not correlated."""
    _, Z = noise("dx.NADP.v1", plane, 0, **DELTA)
    S = Z.T @ Z / TIMES
    assert abs(S[0, 0] / S[1, 1] - 1) < SIGMAS * 2 / np.sqrt(TIMES)
    assert abs(S[0, 1] / S[0, 0]) < SIGMAS / np.sqrt(TIMES)


@pytest.mark.parametrize("clip", [12.0, 3.0])
def test_truncated_noise_ends_where_delta_says(clip):
    _, Z = noise("dx.TruncatedLaplace.v1", line, 0, delta=0.05, clip=clip)
    bound = WIDTH * clip
    assert 0.999 * bound < np.abs(Z).max() <= bound * 1.001  # the grid is 2**-10 of its spread


def test_truncated_gumbel_noise_keeps_as_many_words_as_its_scale_says():
    """Two words at distance 1: a word stays if its noise is below that of the other plus 1."""
    two = cache(lambda: Space.from_vectors(["a", "b"], [[0.0], [1.0]]))
    epsilon, times = 50.0, 2 * 10**6
    a = (epsilon - 2 * (1 + np.log(2))) / 3
    lambert = brentq(lambda w: w * np.exp(w) - 2 * a, 0, 100)

    def share(more):
        b = more * 2 / min(lambert, np.log(a))
        low, high = np.exp(-np.exp(1 / b)), np.exp(-np.exp(-1 / b))

        def up_to(z):
            return (np.exp(-np.exp(-np.clip(z, -1, 1) / b)) - low) / (high - low)

        def other(z):
            return np.exp(-z / b - np.exp(-z / b)) / b / (high - low) * up_to(1 + z)

        return quad(other, -1, 0)[0] + 1 - up_to(0)

    drawn = fitted("dx.TruncatedGumbel.v1", two, epsilon).sample(np.zeros(times, int), Rng(seed=3))
    stays, error = share(1), np.sqrt(share(1) * (1 - share(1)) / times)
    assert abs(np.mean(drawn.rows == 0) - stays) < SIGMAS * error
    assert abs(share(MORE) - stays) > 1.5 * SIGMAS * error


STATED = [
    "dx.Laplace.v1", "dx.Mahalanobis.v1", "dx.RandomProjection.v1", "dx.ClippedLaplace.v1",
    "dx.Gaussian.v1",
]  # fmt: skip


@pytest.mark.parametrize("name", STATED)
def test_densities_are_those_of_the_stated_radius(name):
    """Of noise that is equal in all directions, but for a linear map: that of the radius, over the
    area of its sphere."""
    facts = facts_of(fitted(name, crowd))
    stated, rows = facts.noise_distribution(), np.arange(8)
    Z = stated.centres[:5] + np.random.default_rng(0).normal(size=stated.centres[:5].shape)
    R = np.stack([stated.radius(Z - centre) for centre in stated.centres[rows]], axis=1)
    logs = stated.distribution.logpdf(R) - (Z.shape[1] - 1) * np.log(R)
    found = facts.log_densities(rows)(Z).astype(np.float64)
    np.testing.assert_allclose(found - found[:, :1], logs - logs[:, :1], rtol=1e-5, atol=1e-3)
