"""Walks from every word: counts are those of the shortest paths, whoever makes them and when."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from threadpoolctl import threadpool_limits

from spacy_dxprivacy import Space
from spacy_dxprivacy.metric import paths, word_graph
from spacy_dxprivacy.metric.word_graph import counts_and_lists

N = 600


def clusters(n, d=12):
    """Rows of a few dozen clusters, so that words have few and many others within reach."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n // 50, d))[rng.integers(n // 50, size=n)] + rng.normal(size=(n, d))
    return Space.from_vectors([f"w{i}" for i in range(n)], X)


@pytest.fixture(scope="module")
def space():
    return clusters(N)


@pytest.fixture(scope="module")
def graph(space):
    return word_graph.build(space)


def by_dijkstra(graph, rows):
    """The counts and the words within reach, by scipy's walk."""
    n, reach = len(graph), graph.reach
    parts = (graph.steps.astype(float), graph.ends.astype(np.int32), graph.starts)
    D = dijkstra(csr_array(parts, shape=(n, n)), indices=rows, limit=reach - 1)
    D = np.where(np.isinf(D), reach, D).astype(np.int64)
    counts = np.array([np.bincount(one, minlength=reach + 1)[:reach] for one in D])
    return counts, [np.lexsort((np.arange(n), one))[: (one < reach).sum()] for one in D]


def words_of(graph):
    """The words within reach of each."""
    return np.split(graph.lists, np.cumsum(graph.counts.sum(axis=1))[:-1])


def test_counts_and_lists_are_those_of_the_shortest_paths(graph):
    rows = np.arange(0, N, 5)
    counts, lists = by_dijkstra(graph, rows)
    assert np.array_equal(graph.counts[rows], counts)
    found = words_of(graph)
    assert all(np.array_equal(found[row], words) for row, words in zip(rows, lists, strict=True))


def test_they_do_not_hang_on_how_many_are_walked_from_at_once(graph, monkeypatch):
    monkeypatch.setattr(paths, "MOST", 37)
    monkeypatch.setattr(word_graph, "WORTH_THREADS", 0)
    with threadpool_limits(2):
        counts, lists = counts_and_lists(graph.search, 10**8)
    assert np.array_equal(counts, graph.counts) and np.array_equal(lists, graph.lists)
    assert counts_and_lists(graph.search, len(lists) - 1)[1] is None


def test_a_walk_may_end_early(graph):
    rows, depths = np.arange(60), np.arange(60) % graph.reach
    whole = words_of(graph)
    for part, walks in graph.search(rows, depths):
        for row, words in zip(
            rows[part], np.split(walks.words, np.cumsum(walks.sizes)[:-1]), strict=True
        ):
            near = graph.counts[row, : depths[row] + 1].sum()
            assert np.array_equal(words, whole[row][:near])


@pytest.mark.parametrize("longest", [20, 400])
def test_edges_may_have_no_length_and_walks_may_have_many_steps(longest):
    rng, n, reach = np.random.default_rng(4), 120, 2 * longest
    lengths = np.triu(rng.integers(1, longest, (n, n)) * (rng.random((n, n)) < 0.06), 1)
    lengths = np.where(rng.random((n, n)) < 0.003, -1, lengths)  # stands for 0
    table = csr_array(lengths + lengths.T)
    walker = paths.PathSearch(table.indptr, table.indices, np.maximum(table.data, 0), reach)
    D = np.minimum(shortest(table, n), reach)
    for row, depths in ((0, None), (7, np.array([longest]))):
        ((_, walks),) = walker(np.array([row]), depths)
        near = D[row] <= (reach - 1 if depths is None else longest)
        order = np.lexsort((np.arange(n), D[row]))
        assert np.array_equal(walks.words, order[near[order]])
        assert np.array_equal(walks.steps, D[row][walks.words])
    by_number = walker.search(np.arange(n), np.full(n, longest), walker.scratch(n), by_number=True)
    rows, words = np.nonzero(D <= longest)
    assert np.array_equal(by_number.words, words)
    assert np.array_equal(by_number.steps, D[rows, words])


def shortest(table, n):
    """All distances, where -1 stands for an edge of no length (Floyd 1962)."""
    D = np.full((n, n), 10**6)
    coo = table.tocoo()
    D[coo.row, coo.col] = np.maximum(coo.data, 0)
    np.fill_diagonal(D, 0)
    for k in range(n):
        D = np.minimum(D, D[:, k, None] + D[k])
    return D


@pytest.mark.slow
@pytest.mark.parametrize(("n", "apart"), [(2_000, 2), (10_000, 20)])
def test_counts_of_many_words_are_those_of_the_shortest_paths(n, apart):
    graph, rows = word_graph.build(clusters(n)), np.arange(0, n, apart)
    assert np.array_equal(graph.counts[rows], by_dijkstra(graph, rows)[0])
