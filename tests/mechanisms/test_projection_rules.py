"""Rules from noisy vectors to words: post-processing, by the distribution that the papers give."""

import numpy as np
import pytest
from sampler.distributions import p_value

from spacy_dxprivacy import Rng, registry
from spacy_dxprivacy.mechanisms import noise as rank_sampling
from spacy_dxprivacy.space.search.exact import neighbours

X = np.random.default_rng(0).normal(size=(60, 5)).astype(np.float32)
N = 100_000


def project(name, Z, *, epsilon=2.0, seed=1, table=X, **settings):
    settings = {"@dx_projections": name, **settings}
    rule = registry.resolve({"rule": settings})["rule"].fit(table, epsilon=epsilon)
    return rule.project(Z, Rng(seed=seed))


@pytest.mark.parametrize("c", [0.01, 0.2, 3.0])
def test_rank_sampling_draws_the_neighbours_of_the_pivot_by_rank(c):
    Z = np.repeat(X[7:8] + 0.01, N, axis=0)
    rows = project("dx.RankSampling.v1", Z, c=c)
    ranked, _ = neighbours(X[7:8], X, 60)
    p = np.exp(-c * 2.0 * np.arange(60))
    counts = np.bincount(rows, minlength=60)[ranked[0]]
    assert p_value(counts, p / p.sum() * N) > 1e-4


@pytest.mark.parametrize("room", [60, 60 * 7, 2**28])
def test_lists_of_neighbours_change_no_draw(monkeypatch, room):
    """A rank beyond a list is searched for; which lists are there depends on earlier pivots."""
    Z = X[np.random.default_rng(3).integers(60, size=2000)] + 0.01
    whole = project("dx.RankSampling.v1", Z, c=0.2)
    monkeypatch.setattr(rank_sampling, "LISTS_BYTES", room)
    rule = registry.dx_projections.get("dx.RankSampling.v1")(c=0.2).fit(X, epsilon=2.0)
    rule.project(Z[:50], Rng(seed=9))
    assert np.array_equal(rule.project(Z, Rng(seed=1)), whole)


def test_a_large_c_is_the_nearest_rule():
    Z = X + np.random.default_rng(1).normal(size=X.shape)
    nearest = project("dx.Nearest.v1", Z)
    assert np.array_equal(project("dx.RankSampling.v1", Z, c=1e3), nearest)
    assert np.array_equal(project("dx.Vickrey.v1", Z, t=0.0), nearest)


def test_vickrey_takes_the_second_word_as_often_as_the_distances_say():
    z = X[7:8] + 0.1
    rows, D = neighbours(z, X, 2)
    p = 0.25 * D[0, 1] / (0.75 * D[0, 0] + 0.25 * D[0, 1])
    drawn = project("dx.Vickrey.v1", np.repeat(z, N, axis=0), t=0.75)
    assert set(drawn.tolist()) == set(rows[0].tolist())
    assert abs(np.mean(drawn == rows[0, 0]) - p) < 4 * np.sqrt(p * (1 - p) / N)
    assert set(project("dx.Vickrey.v1", z, t=1.0).tolist()) == {int(rows[0, 1])}


@pytest.mark.parametrize("name", ["dx.Nearest.v1", "dx.RankSampling.v1", "dx.Vickrey.v1"])
def test_no_vector_and_one_word_are_no_trouble(name):
    settings = {"c": 0.1} if name == "dx.RankSampling.v1" else {}
    assert project(name, X[:0], **settings).shape == (0,)
    assert project(name, X[:3], table=X[:1], **settings).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("name", "settings"),
    [("dx.RankSampling.v1", {"c": c}) for c in (0, -1.0, float("inf"), "often")]
    + [("dx.Vickrey.v1", {"t": t}) for t in (-0.1, 1.1, float("nan"), "half")],
)
def test_settings_out_of_range_are_refused(name, settings):
    with pytest.raises(ValueError):
        registry.dx_projections.get(name)(**settings)
