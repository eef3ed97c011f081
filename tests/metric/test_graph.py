"""The graph of near words: its shortest paths, the reached sets, and the metric of a policy."""

from copy import deepcopy

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra, floyd_warshall
from threadpoolctl import threadpool_limits

from spacy_dxprivacy import Space
from spacy_dxprivacy.mechanisms.levels import probed_distances, scale_of
from spacy_dxprivacy.mechanisms.path_v2 import make_path_v2
from spacy_dxprivacy.metric import STEPS, neighbourhoods, path_search, word_graph
from spacy_dxprivacy.metric.neighbourhoods import Neighbourhoods
from spacy_dxprivacy.metric.path_search import PathSearch
from spacy_dxprivacy.metric.policy import PRESETS, MetricPolicy, stored_distances
from spacy_dxprivacy.metric.policy_graph import QUANTA, with_lengths
from spacy_dxprivacy.metric.word_graph import graph_of
from spacy_dxprivacy.sampler.calibration import distance_weights, exact_epsilon

N = 600
FEW = 60


def clusters(n, d=12):
    """Rows of a few dozen clusters, so that words have few and many others within reach."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n // 50, d))[rng.integers(n // 50, size=n)] + rng.normal(size=(n, d))
    return Space.from_vectors([f"w{i}" for i in range(n)], X)


@pytest.fixture(scope="module")
def graph():
    built = word_graph.build(clusters(N))
    built.count_words()
    return built


def by_dijkstra(graph, rows):
    """The counts and the words within reach, by scipy's search."""
    n, reach = len(graph), graph.reach
    parts = (graph.steps.astype(float), graph.ends.astype(np.int32), graph.starts)
    D = dijkstra(csr_array(parts, shape=(n, n)), indices=rows, limit=reach - 1)
    D = np.where(np.isinf(D), reach, D).astype(np.int64)
    counts = np.array([np.bincount(one, minlength=reach + 1)[:reach] for one in D])
    return counts, [np.lexsort((np.arange(n), one))[: (one < reach).sum()] for one in D]


ALL = np.arange(N)


def words_of(graph):
    """The words within reach of each."""
    found = (np.split(near.words, np.cumsum(near.sizes)[:-1]) for _, near in graph.search(ALL))
    return [words for some in found for words in some]


def test_counts_and_lists_are_those_of_the_shortest_paths(graph):
    rows = np.arange(0, N, 5)
    counts, lists = by_dijkstra(graph, rows)
    assert np.array_equal(graph.counts[rows], counts)
    found = words_of(graph)
    assert all(np.array_equal(found[row], words) for row, words in zip(rows, lists, strict=True))


def test_blocks_and_threads_change_nothing(graph, monkeypatch):
    monkeypatch.setattr(word_graph, "MULTITHREAD_FROM", 0)
    monkeypatch.setattr(path_search, "WORDS_AT_ONCE", 37)
    search = PathSearch(graph.starts, graph.ends, graph.steps, graph.reach)
    with threadpool_limits(2):
        assert np.array_equal(word_graph.counts_of(search), graph.counts)


@pytest.fixture(params=["searched", "forgotten"])
def near(graph, request, monkeypatch):
    if request.param == "forgotten":
        monkeypatch.setattr(neighbourhoods, "POOL_BYTES", 500)
    return Neighbourhoods(graph.search, graph.counts)


def test_each_place_holds_the_word_of_the_whole_list(graph, near):
    sizes = graph.counts.sum(axis=1, dtype=np.int64)
    whole = words_of(graph)
    draw = np.random.default_rng(1)
    for _ in range(20):
        rows = draw.integers(N, size=40)
        places = (draw.random(40) ** 4 * sizes[rows]).astype(np.int64)
        expected = [whole[row][place] for row, place in zip(rows, places, strict=True)]
        assert np.array_equal(near.at(rows, places), expected)


def test_words_are_near_if_the_path_is_shorter_than_the_reach(graph, near):
    rows, others = np.divmod(np.arange(0, N * N, 211), N)
    within = graph.search.distances(np.arange(N))[rows, others] < graph.reach
    assert within.any() and not within.all()
    assert np.array_equal(near.are_near(rows, others), within)
    assert near.are_near(rows[:0], others[:0]).tolist() == []
    assert not deepcopy(near)._cache._entries  # a copy shows nothing of what was drawn


@pytest.fixture(scope="module")
def uneven():
    """Of radii so uneven that some are shortened by a neighbour's."""
    rng = np.random.default_rng(0)
    space = Space.from_vectors([f"w{i}" for i in range(FEW)], rng.normal(size=(FEW, 4)))
    plain = graph_of(space)
    return with_lengths(plain, plain.edges[2] / STEPS, rng.uniform(0.3, 4, FEW))


@pytest.fixture(scope="module")
def D(uneven):
    return uneven.distances(np.arange(FEW))


def test_it_is_a_metric_of_shortest_paths_over_a_point_that_joins_all(uneven, D):
    assert (D.diagonal() == 0).all() and (D + np.eye(FEW) > 0).all() and (D == D.T).all()
    assert (D[:, None, :] <= D[:, :, None] + D[None] + 1e-12).all()
    whole = np.full((FEW + 1, FEW + 1), np.inf)
    owners = np.repeat(np.arange(FEW), np.diff(uneven.starts))
    whole[owners, uneven.ends] = uneven.steps
    whole[FEW, :FEW] = whole[:FEW, FEW] = uneven.radii
    np.testing.assert_allclose(D, floyd_warshall(whole)[:FEW, :FEW] / uneven.quanta)
    assert D.max() <= uneven.longest


def test_within_are_the_words_nearer_than_both_radii(uneven, D):
    rows = np.array([7, 3, 7, 59])
    searched, cached = uneven.within(rows), uneven.within(rows)
    assert [[a.dtype for a in steps] for steps in searched] == [
        [a.dtype for a in s] for s in cached
    ]
    for row, (words, nearer) in zip(rows, cached, strict=True):
        gain = uneven.radii[row] + uneven.radii - np.round(D[row] * QUANTA).astype(int)
        np.testing.assert_array_equal(words, np.flatnonzero(gain > 0))
        np.testing.assert_array_equal(nearer, gain[words])


@pytest.mark.parametrize("beta", [0.2, 1.0, 3.0])
def test_the_epsilon_of_words_alone_is_that_of_the_worst_pair(uneven, D, beta):
    weights = np.random.default_rng(1).random(FEW) ** 4 + 1e-6
    P = weights * np.exp(-beta * D)
    P /= P.sum(axis=1, keepdims=True)
    worst = np.abs(np.log(P[:, None]) - np.log(P[None])).max(axis=2)
    apart = ~np.eye(FEW, dtype=bool)
    found = exact_epsilon(uneven, distance_weights(uneven, weights), beta)
    assert found == pytest.approx((worst[apart] / D[apart]).max(), rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESETS)
def test_known_distances_are_the_measured_ones(name):
    space = Space.builtin()
    mechanism = make_path_v2(0.5, policy=name).fit(space)
    assert dict(mechanism.facts.distance_quantiles) == probed_distances(mechanism, len(space))


def test_other_policies_and_other_spaces_are_measured(space):
    assert stored_distances(Space.builtin(), PRESETS["general"])["apart"]["nearest"] > 0
    assert stored_distances(Space.builtin(), MetricPolicy(0.5)) == {}
    assert stored_distances(space, PRESETS["plain"]) == {}
    mechanism = make_path_v2(0.5, policy="plain").fit(space)
    scale = {name: at["distance"] for name, at in scale_of(mechanism, len(space)).items()}
    measured = probed_distances(mechanism, len(space))
    assert mechanism.facts.distance_quantiles is None and scale["nearest"] == measured["nearest"]
