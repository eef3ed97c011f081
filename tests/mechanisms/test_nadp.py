"""dx.NADP.v1: the relation, the noise of each kind, and what it leaves out."""

import numpy as np
import pytest

from spacy_dxprivacy import DxError, Rng, Space
from spacy_dxprivacy.mechanisms.nadp import component_lengths, related_pairs
from spacy_dxprivacy.privacy.noise import analytic_sigma, log_delta

SETTINGS = {"epsilon": 2.0, "delta": 1e-3}


def space_of(X):
    return Space.from_vectors([f"w{i}" for i in range(len(X))], X)


@pytest.fixture(scope="module")
def clusters():
    """Two groups of 15 words, 40 apart, of unlike density."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(30, 3))
    X[15:] = 3 * X[15:] + 40
    return space_of(X)


def related_by_hand(X, m, tau, top=10):
    D = np.linalg.norm(X[:, None].astype(np.float64) - X[None], axis=2)
    order = np.argsort(D, axis=1, kind="stable")
    pairs = {}
    for x in range(len(X)):
        for y in range(x + 1, len(X)):
            tops = set(order[x, :top]), set(order[y, :top])
            overlap = len(tops[0] & tops[1]) / len(tops[0] | tops[1])
            near = y in order[x, :m] or x in order[y, :m]
            if near and overlap >= tau:
                pairs[x, y] = D[x, y]
    return pairs


def longest_by_hand(n, pairs):
    group = list(range(n))
    for x, y in pairs:
        old, new = group[y], group[x]
        group = [new if g == old else g for g in group]
    edges = {g: [length for (x, _), length in pairs.items() if group[x] == g] for g in group}
    return [max(edges[group[x]], default=0.0) for x in range(n)]


@pytest.mark.parametrize("m", [2, 4])
@pytest.mark.parametrize("tau", [0.0, 0.1, 0.5, 0.8])
@pytest.mark.parametrize("top", [2, 4, 10])
def test_the_relation_and_its_components_are_those_of_a_loop(clusters, m, tau, top):
    expected = related_by_hand(clusters.vectors, m, tau, top)
    edges, lengths = related_pairs(clusters.vectors, m, tau, top)
    found = {(int(x), int(y)): length for (x, y), length in zip(edges, lengths, strict=True)}
    assert found == pytest.approx(expected)
    longest = component_lengths(30, edges, lengths)
    np.testing.assert_allclose(longest, longest_by_hand(30, expected))


def spreads(make, space, **settings):
    """Each word's sigma, from 4000 released vectors, within 4 standard errors."""
    n, d = space.vectors.shape
    mechanism = make("dx.NADP.v1", space, **SETTINGS, **settings)
    Z = mechanism.sample(np.repeat(np.arange(n), 4000), Rng(seed=3)).vectors.reshape(n, 4000, d)
    Z = Z - space.vectors[:, None]
    return np.sqrt(np.mean(Z.astype(np.float64) ** 2, axis=(1, 2))), 4 / np.sqrt(2 * 4000 * d)


@pytest.mark.parametrize("tau", [0.1, 0.6])
def test_paper_noise_is_made_for_each_component_and_none_for_words_alone(make, clusters, tau):
    pairs = related_by_hand(clusters.vectors, 2, tau)
    found, error = spreads(make, clusters, noise="paper", tau=tau)
    expected = analytic_sigma(2.0, 1e-3) * np.array(longest_by_hand(30, pairs))
    grid = expected[expected > 0].min() * 2.0**-10
    np.testing.assert_allclose(found, expected, rtol=error, atol=grid)
    for (x, y), length in pairs.items():
        assert expected[x] == expected[y]
        assert log_delta(2.0, length / expected[x]) < np.log(1e-3) + 1e-9


def test_a_word_at_the_point_of_another_has_its_noise(make):
    """They are neighbours at distance 0: noise for one alone would tell them apart for certain."""
    X = [[0.0, 0], [0, 0], [1, 0], [50, 0], [50.5, 0], [90, 0]]
    found, error = spreads(make, space_of(X), noise="paper", tau=0.0)
    assert found[0] == pytest.approx(found[1], rel=2 * error) and found[0] > 1


def test_the_notes_say_what_is_left_out(make, clusters):
    pairs = related_by_hand(clusters.vectors, 2, 0.6)
    alone = 30 - len({x for pair in pairs for x in pair})
    assert 0 < alone < 30
    notes = make("dx.NADP.v1", clusters, **SETTINGS, tau=0.6, noise="adjacent").guarantee.notes
    assert f"covers {len(pairs) / (30 * 29 / 2):.3g} of all pairs" in notes
    assert f"{alone / 30:.1%} of the words are related to no other" in notes
    assert "without any noise" not in notes
    notes = make("dx.NADP.v1", clusters, **SETTINGS, tau=0.6, noise="paper").guarantee.notes
    assert f"{alone / 30:.1%} of the words get no noise" in notes


@pytest.mark.parametrize("noise", ["adjacent", "paper"])
def test_a_space_without_relations_is_refused(make, noise):
    with pytest.raises(DxError, match="3 words, fewer than m = 4"):
        make("dx.NADP.v1", space_of(np.eye(3)), epsilon=1.0, m=4, noise=noise)
    cloud = space_of(np.random.default_rng(1).normal(size=(60, 5)))
    with pytest.raises(DxError, match="no two words are related at m = 2, tau = 1"):
        make("dx.NADP.v1", cloud, epsilon=1.0, tau=1.0, noise=noise)


def test_without_a_top_the_overlap_is_that_of_the_neighbours(make, clusters):
    pairs = related_by_hand(clusters.vectors, 3, 0.5, 3)
    made = make("dx.NADP.v1", clusters, **SETTINGS, m=3, tau=0.5, top=None, noise="paper")
    covered = np.argwhere(np.triu(made.covers(np.arange(30))))
    assert {tuple(pair) for pair in covered.tolist()} == set(pairs)
