"""Guarantees on 2,000 words of real vectors, every pair: needs a folder of data, and minutes."""

import os
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ndtr
from scipy.stats import gamma

from spacy_dxprivacy import Rng, Space
from spacy_dxprivacy.mechanisms.nadp import relation
from spacy_dxprivacy.privacy.noise import log_delta
from spacy_dxprivacy.tables.readers import read_vectors

FILE = "word2vec-googlenews-300d-10151.w2v.txt.gz"
FOLDER = os.environ.get("DXPRIVACY_DATA", "")
N = 2000

pytestmark = [
    pytest.mark.skipif(not FOLDER, reason="DXPRIVACY_DATA names no folder"),
    pytest.mark.filterwarnings("ignore:.*DX101"),
]


@pytest.fixture(scope="module")
def space():
    return Space.from_vectors(*read_vectors(Path(FOLDER) / "vectors" / FILE, max_words=N))


def blocks():
    return (np.arange(start, min(start + 100, N)) for start in range(0, N, 100))


def worst_losses(P):
    """The largest log ratio of two words' probabilities of one output, row by row of (n, n)."""
    with np.errstate(divide="ignore"):
        logs = np.log(P)
    never = np.isneginf(logs)
    gap = np.empty_like(logs)
    for w in range(len(P)):
        with np.errstate(invalid="ignore"):
            np.abs(np.subtract(logs[w], logs, out=gap), out=gap)
        gap[never & never[w]] = 0
        yield w, gap.max(axis=1)


CHOICES = [
    ("dx.Exponential.v1", {"epsilon": 2.0}),
    ("dx.Exponential.v1", {"epsilon": 2.0, "calibration": "exact"}),
    ("dx.Exponential.v1", {"epsilon": 20.0, "calibration": "exact"}),
    ("dx.TEM.v1", {"epsilon": 6.0}),
    ("dx.SanTextPlus.v1", {"epsilon": 6.0}),
    ("dx.CusText.v1", {"epsilon": 3.0}),
    ("dx.Path.v1", {"epsilon": 0.5}),
    ("dx.Path.v1", {"epsilon": 2.2}),
    ("dx.Diffractor.v1", {"epsilon": 0.5}),
]


@pytest.mark.parametrize(("name", "settings"), CHOICES)
def test_the_log_ratio_of_every_pair_stays_within_the_guarantee(make, space, name, settings):
    mechanism = make(name, space, **settings)
    P = np.concatenate([mechanism.distribution(rows) for rows in blocks()])
    D = np.concatenate([mechanism.distances(rows) for rows in blocks()])
    np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-12)
    epsilon, steepest = mechanism.guarantee.epsilon, 0.0
    for w, loss in worst_losses(P):
        assert np.all(loss <= epsilon * D[w] * (1 + 1e-9) + 1e-9)
        covered = (D[w] > 0) & np.isfinite(D[w])
        steepest = max(steepest, np.max(loss[covered] / D[w][covered], initial=0.0))
    if mechanism.guarantee.status == "computed":
        assert steepest > 0.99 * epsilon


def test_paths_flatten_what_euclidean_distance_keeps_apart(make, space):
    """dx.Path.v1 and the Euclidean exponential mechanism where each keeps 36 % of the words: the
    output is more alike, neighbours are told apart less, and nearly every word has company."""
    X = space.vectors.astype(np.float64)
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    squares = np.sum(X * X, axis=1)
    S = squares[:, None] + squares - 2 * X @ X.T
    np.fill_diagonal(S, -1)
    near = np.argsort(S, axis=1)[:, 1:11]
    figures = {}
    for name in ("dx.Path.v1", "dx.Exponential.v1"):
        mechanism = make(name, space, epsilon=1.0)
        D = np.concatenate([mechanism.distances(rows) for rows in blocks()])
        beta = brentq(lambda b, D: np.mean(1 / np.exp(-b * D).sum(1)) - 0.36, 0.1, 10, args=(D,))
        logs = -beta * D - np.log(np.exp(-beta * D).sum(axis=1, keepdims=True))
        loss = beta * D + np.abs(np.diag(logs)[:, None] - np.diag(logs)[None])
        np.fill_diagonal(loss, np.inf)
        figures[name] = {
            "cosine": np.sum(np.exp(logs) * (U @ U.T)) / N,
            "nearest": np.take_along_axis(loss, near[:, :1], axis=1).mean(),
            "ten nearest": np.take_along_axis(loss, near, axis=1).mean(),
            "alone": np.mean(~(loss <= 3).any(axis=1)),
        }
    path, euclidean = figures["dx.Path.v1"], figures["dx.Exponential.v1"]
    assert path["cosine"] >= euclidean["cosine"] + 0.10
    assert path["nearest"] <= 0.5 * euclidean["nearest"]
    assert path["ten nearest"] <= 0.75 * euclidean["ten nearest"]
    assert path["alone"] <= 0.05


@pytest.mark.parametrize("dims", [50, 200])
def test_the_factor_of_a_random_projection_is_met_by_a_pair(make, space, dims):
    """The loss at distance D' of the projected vectors is rate D'."""
    mechanism = make("dx.RandomProjection.v1", space, epsilon=10.0, dims=dims)
    Y = mechanism.built.centres.astype(np.float64)
    squares = np.sum(Y * Y, axis=1)
    steepest = 0.0
    for rows in blocks():
        D = mechanism.distances(rows)
        S = squares[rows, None] + squares - 2 * Y[rows] @ Y.T
        after = np.sqrt(np.maximum(S, 0))
        ratio = np.divide(after, D, out=np.zeros_like(D), where=D > 0)
        steepest = max(steepest, mechanism.built.draw.epsilon * ratio.max())
    assert 0.99 * 10.0 < steepest <= 10.0 * (1 + 1e-9)


@pytest.mark.parametrize("noise", ["global", "adjacent", "paper"])
def test_every_pair_that_nadp_covers_is_within_delta(make, space, noise):
    mechanism = make("dx.NADP.v1", space, epsilon=2.0, noise=noise)
    X = space.vectors.astype(np.float64)
    pairs = np.array(np.triu_indices(N, 1)).T if noise == "global" else relation(X, 2, 0.1)[0]
    draw = mechanism.built.draw
    sigmas = draw.sigmas if noise == "paper" else np.full(N, draw.sigma)
    mus = [
        np.linalg.norm(X[part[:, 0]] - X[part[:, 1]], axis=1) / sigmas[part[:, 0]]
        for part in np.array_split(pairs, 1 + len(pairs) // 50_000)
    ]
    assert np.array_equal(sigmas[pairs[:, 0]], sigmas[pairs[:, 1]])
    delta = mechanism.guarantee.delta
    assert delta == 1 / N
    # Distances are 1e-9 of themselves exact.
    assert log_delta(2.0, np.concatenate(mus).max()) == pytest.approx(np.log(delta), abs=1e-6)


@pytest.mark.parametrize("epsilon", [10.0, 15.0, 20.0, 40.0])
def test_the_share_of_kept_words_lies_between_its_bounds(make, space, epsilon):
    """max(0, 1 - sum_i (1 - F(d_i / 2))) <= N_w <= F(d_1 / 2), with F of the Laplace noise."""
    mechanism = make("dx.Laplace.v1", space, epsilon=epsilon)
    rows, draws = np.arange(0, N, 20), 400
    drawn = mechanism.sample(np.repeat(rows, draws), Rng(seed=1)).rows.reshape(len(rows), draws)
    kept = np.mean(drawn == rows[:, None], axis=1)
    d = space.vectors.shape[1]
    law = gamma((d + 1) / 2, scale=2 / epsilon**2)
    mixture = np.sqrt(law.ppf((np.arange(2000) + 0.5) / 2000))
    for row, share, D in zip(rows, kept, mechanism.distances(rows), strict=True):
        beaten = np.array([1 - ndtr(a / 2 / mixture).mean() for a in np.delete(D, row)])
        low, high = max(0.0, 1 - beaten.sum()), 1 - beaten.max()
        error = 5 * np.sqrt(np.array([low * (1 - low), high * (1 - high)]) / draws) + 1 / draws
        assert low - error[0] <= share <= high + error[1]
