"""Walks from every word: counts are those of the shortest paths, whoever makes them and when."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from threadpoolctl import threadpool_limits

from spacy_dxprivacy import Space
from spacy_dxprivacy.graph import paths, word_graph
from spacy_dxprivacy.graph import word_graph as every_word
from spacy_dxprivacy.graph.word_graph import counts_and_lists, counts_of_all

N = 600
pytestmark = pytest.mark.filterwarnings("ignore:.*DX103")


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
    monkeypatch.setattr(every_word, "WORTH_THREADS", 0)
    with threadpool_limits(2):
        assert np.array_equal(counts_of_all(graph.walker, np.uint16), graph.counts)
        counts, lists = counts_and_lists(graph.walker, np.uint16, np.uint16, 10**8)
    assert np.array_equal(counts, graph.counts) and np.array_equal(lists, graph.lists)
    assert counts_and_lists(graph.walker, np.uint16, np.uint16, len(lists) - 1)[1] is None


def test_a_walk_may_end_early(graph):
    rows, depths = np.arange(60), np.arange(60) % graph.reach
    whole = words_of(graph)
    for part, walks in graph.walker(rows, depths):
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
    walker = paths.Walker(table.indptr, table.indices, np.maximum(table.data, 0), reach)
    D = np.minimum(shortest(table, n), reach)
    for row, depths in ((0, None), (7, np.array([longest]))):
        ((_, walks),) = walker(np.array([row]), depths)
        near = D[row] <= (reach - 1 if depths is None else longest)
        order = np.lexsort((np.arange(n), D[row]))
        assert np.array_equal(walks.words, order[near[order]])
        assert np.array_equal(walks.steps, D[row][walks.words])
    by_number = walker.by_number(np.arange(n), np.full(n, longest), walker.room(n))
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


# -- a fit that ended early ------------------------------------------------------------------------


class Ended(Exception):
    pass


@pytest.fixture
def walked(monkeypatch):
    """The words that were walked from. A walk from word 300 ends the fit where `ends` says so."""
    rows, before = [], paths.Walker.counts

    def counts(self, some, room):
        if 300 in some and walked.ends:
            raise Ended
        rows.extend(some.tolist())
        return before(self, some, room)

    def walked():
        found = [*rows]
        rows.clear()
        return found

    walked.ends = True
    monkeypatch.setattr(paths.Walker, "counts", counts)
    monkeypatch.setattr(paths, "MOST", 48)
    monkeypatch.setattr(word_graph, "MANY_WORDS", 300)
    monkeypatch.setattr(word_graph, "SECONDS", 0.0)
    return walked


@pytest.fixture
def folder(space, walked, tmp_path):
    """A fit of which half is done."""
    with pytest.raises(Ended):
        word_graph.build(space, unfinished=tmp_path / "half")
    assert walked() == list(range(288))
    walked.ends = False
    return tmp_path / "half"


def is_whole(space, graph, folder):
    found = word_graph.build(space, unfinished=folder)
    same = [np.array_equal(getattr(found, name), getattr(graph, name)) for name in word_graph.EDGES]
    return all(same) and np.array_equal(found.counts, graph.counts) and found.lists is None


def test_what_was_done_is_not_done_again(space, graph, folder, walked, monkeypatch):
    monkeypatch.setattr(word_graph, "neighbour_lists", None)
    assert is_whole(space, graph, folder)
    rows = walked()
    assert rows[every_word.PROBES :] == list(range(288, N))
    assert is_whole(space, graph, folder) and len(walked()) == every_word.PROBES
    word_graph.clear(folder)
    assert not folder.exists()


@pytest.mark.parametrize("name", ["about.json", "ends.npy", "counts.npy", "done.json"])
@pytest.mark.parametrize("damage", ["cut", "changed", "gone"])
def test_what_is_damaged_is_made_again(space, graph, folder, walked, name, damage):
    path, raw = folder / name, (folder / name).read_bytes()
    changed = raw[:-1] + bytes([raw[-1] ^ 1]) if name != "counts.npy" else raw[:128] + raw[129:] * 2
    path.write_bytes(raw[: len(raw) // 2] if damage == "cut" else changed)
    if damage == "gone":
        path.unlink()
    assert is_whole(space, graph, folder)


def test_another_space_begins_anew_and_leaves_files_that_are_not_its_own(folder, walked):
    (folder / "notes.txt").write_text("mine")
    other = clusters(650)
    word_graph.build(other, unfinished=folder)
    assert sorted(set(walked())) == list(range(650))
    word_graph.clear(folder)
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]
