"""dx.Path.v1: a metric on a public graph, and the exponential mechanism on it."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import shortest_path

from spacy_dxprivacy import DxError, Space, registry
from spacy_dxprivacy.metric import STEPS, stored_graph, word_graph
from spacy_dxprivacy.metric.word_graph import JOINED, OFFSET
from spacy_dxprivacy.space import learned
from spacy_dxprivacy.space.search import all_pairs as near

N = 400


@pytest.fixture(scope="module")
def cloud():
    """400 words in clusters: far more than any word's neighbours."""
    rng = np.random.default_rng(2)
    centres = rng.normal(size=(20, 6)) * 2
    X = centres[rng.integers(20, size=N)] + rng.normal(size=(N, 6))
    bits = np.where(np.arange(N) % 4 == 0, 1, 0) + np.where(np.arange(N) % 10 == 0, 2, 0)
    classes = {"classes": bits.astype(np.uint64), "class_names": ("month", "name")}
    return Space.from_vectors([f"w{i}" for i in range(N)], X, **classes)


@pytest.fixture(scope="module")
def mechanism(cloud):
    return made(2.0).fit(cloud)


def made(epsilon, **settings):
    settings = {"@dx_mechanisms": "dx.Path.v1", "epsilon": epsilon, **settings}
    return registry.resolve({"m": settings})["m"]


def test_it_is_the_shortest_path_over_near_edges_and_one_long_edge_between_any_two(mechanism):
    """Computed by scipy on the whole graph, by another algorithm."""
    graph = mechanism.built.distances.__self__
    whole = np.full((N, N), graph.reach / STEPS)
    low, high, steps = graph.edges
    whole[low, high] = whole[high, low] = np.minimum(whole[low, high], steps / STEPS)
    np.fill_diagonal(whole, 0)
    by_scipy = shortest_path(csr_matrix(whole), method="FW")
    np.testing.assert_allclose(mechanism.distances(np.arange(N)), by_scipy, atol=1e-12)


def test_near_edges_are_as_long_as_the_ranks_of_their_ends_say(cloud):
    """OFFSET + ln sqrt(r q), rounded up to a step; a companion's edge may be shorter."""
    bare = Space.from_vectors(cloud.words, cloud.vectors)
    X = bare.vectors.astype(np.float64)
    S = np.square(X[:, None] - X[None]).sum(axis=2)
    ranks = np.argsort(np.argsort(S, axis=1), axis=1)
    low, high, steps = word_graph.build(bare).edges
    r, q = ranks[low, high], ranks[high, low]
    assert np.all(np.minimum(r, q) <= JOINED)
    lengths = OFFSET + 0.5 * np.log(np.minimum(r, 101) * np.minimum(q, 101))
    as_ranked = np.ceil(lengths * STEPS - 1e-6)
    shorter = steps != as_ranked
    assert np.all(steps[shorter] < as_ranked[shorter]) and shorter.mean() < 0.05
    assert len(low) == np.count_nonzero(np.triu(np.minimum(ranks, ranks.T) <= JOINED, 1))


def test_the_guarantee_says_which_metric_and_how_far_words_can_be_apart(mechanism):
    guarantee, reach = mechanism.guarantee, mechanism.built.distances.__self__.reach / STEPS
    assert (guarantee.kind, guarantee.metric, guarantee.epsilon) == ("metric-dp", "path", 2.0)
    assert guarantee.status == "computed" and guarantee.adjacency.startswith("all pairs")
    assert f"more than {reach:g} apart" in guarantee.notes
    assert mechanism.facts.longest == reach == mechanism.distances(np.arange(N)).max()


def test_the_built_in_space_comes_with_its_graph():
    space = Space.builtin()
    graph = stored_graph(space)
    assert graph is not None and graph.digest == space.digest
    rows = np.array([space.find(w) for w in ("doctor", "the", "March", "walked")])
    D, counts = graph.distances(rows), graph.counts[rows]
    for row, steps in enumerate(np.rint(D * STEPS).astype(int)):
        within = np.bincount(steps, minlength=graph.reach + 1)[: graph.reach]
        assert np.array_equal(within, counts[row])


def test_an_epsilon_beyond_what_floats_hold_is_refused_with_the_largest(cloud):
    with pytest.raises(DxError, match=r"epsilon must be at most .* on this space, got 1000"):
        made(1000.0).fit(cloud)


def crowd(n):
    rng = np.random.default_rng(5)
    X = (rng.normal(size=(50, 8)) * 3)[rng.integers(50, size=n)] + rng.normal(size=(n, 8))
    return Space.from_vectors([f"w{i}" for i in range(n)], X)


def test_beyond_some_size_near_words_are_sought_by_links_and_most_are_found(monkeypatch):
    space = crowd(3000)
    exact = word_graph.build(space)
    monkeypatch.setattr(near, "EXACT_ROWS", 1000)
    monkeypatch.setattr(near, "COMPARED", 150)
    fast = word_graph.build(space)
    one, other = (set(zip(*(e.tolist() for e in g.edges[:2]), strict=True)) for g in (exact, fast))
    assert len(one & other) > 0.95 * len(one)
    D = fast.distances(np.arange(50))[:, :50]
    assert np.array_equal(D, D.T)


@pytest.mark.parametrize("links", [2, 24])
def test_a_guarantee_does_not_rest_on_which_neighbours_are_found(monkeypatch, links):
    """The metric is that of the graph that was found, however many neighbours it misses."""
    space = crowd(600)
    learned.forget(space)
    exact = word_graph.neighbour_lists(space)
    monkeypatch.setattr(near, "EXACT_ROWS", 0)
    monkeypatch.setattr(near, "LINKS", links)
    monkeypatch.setattr(near, "COMPARED", 1)
    found = word_graph.neighbour_lists(space)
    recall = np.mean([np.isin(a, b).mean() for a, b in zip(exact, found, strict=True)])
    assert (recall > 0.9) == (links == 24)
    mechanism = made(2.0).fit(space)
    rows = np.arange(len(space))
    D, L = mechanism.distances(rows), np.log(mechanism.distribution(rows))
    assert np.array_equal(D, D.T)
    assert all((D <= D[:, [w]] + D[w] + 1e-9).all() for w in range(0, 600, 40))
    worst = np.stack([np.abs(L - row).max(axis=1) for row in L[::10]])
    assert (worst <= 2.0 * D[::10] * (1 + 1e-9) + 1e-9).all()
