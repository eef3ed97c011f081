"""The words near a word are those of its walk, whatever was walked to before."""

from copy import deepcopy

import numpy as np
import pytest

from spacy_dxprivacy import Space
from spacy_dxprivacy.metric import paths
from spacy_dxprivacy.metric.paths import Neighbourhoods, PathSearch
from spacy_dxprivacy.metric.word_graph import build

N = 300


@pytest.fixture(scope="module")
def graph():
    vectors = np.random.default_rng(0).standard_normal((N, 3)).astype(np.float32)
    return build(Space.from_vectors([f"w{i}" for i in range(N)], vectors))


@pytest.fixture(params=["stored", "walked", "forgotten"])
def near(graph, request, monkeypatch):
    if request.param == "forgotten":
        monkeypatch.setattr(paths, "POOL_BYTES", 500)
    return Neighbourhoods(
        graph.search, graph.counts, graph.lists if request.param == "stored" else None
    )


def test_each_place_holds_the_word_of_the_stored_list(graph, near):
    sizes = graph.counts.sum(axis=1, dtype=np.int64)
    firsts = np.cumsum(sizes) - sizes
    draw = np.random.default_rng(1)
    for _ in range(20):
        rows = draw.integers(N, size=40)
        places = (draw.random(40) ** 4 * sizes[rows]).astype(np.int64)
        assert np.array_equal(near.at(rows, places), graph.lists[firsts[rows] + places])


def test_words_are_near_if_the_path_is_shorter_than_the_reach(graph, near):
    rows, others = np.divmod(np.arange(0, N * N, 7), N)
    within = graph.search.distances(np.arange(N))[rows, others] < graph.reach
    assert within.any() and not within.all()
    assert np.array_equal(near.are_near(rows, others), within)
    assert near.are_near(rows[:0], others[:0]).tolist() == []


def test_a_word_without_edges_reaches_itself():
    alone = PathSearch(np.array([0, 1, 2, 2]), np.array([1, 0]), np.array([3, 3]), 10)
    (walks,) = (walks for _, walks in alone(np.array([2, 0])))
    assert walks.sizes.tolist() == [1, 2] and walks.words.tolist() == [2, 0, 1]
    assert [part.tolist() for part in alone.edges_of(np.array([2]))] == [[], [], []]


def test_a_copy_knows_nothing_of_what_was_walked_to(graph):
    near = Neighbourhoods(graph.search, graph.counts, None)
    near.at(np.arange(20), np.full(20, 3))
    assert near._pool.entries and not deepcopy(near)._pool.entries
