"""The exact search and the answers about all pairs are those of a float64 brute force."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import ThreadpoolController

from spacy_dxprivacy import DxError
from spacy_dxprivacy.space.search import all_pairs, exact
from spacy_dxprivacy.space.search.exact import ExactIndex, neighbours


def brute_force(X, Z):
    found = [((X.astype(np.float64) - z) ** 2).sum(axis=1).argmin() for z in Z.astype(np.float64)]
    return np.array(found, dtype=np.int64)


def table(n, d, seed=0, norms=(4.0, 7.5)):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    X *= rng.uniform(*norms, (n, 1)) / np.linalg.norm(X, axis=1, keepdims=True)
    return X.astype(np.float32)


def noisy(X, k, epsilon, seed=1):
    """Laplace queries: rows of X with noise of norm about d / epsilon."""
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((k, X.shape[1]))
    Z *= rng.gamma(X.shape[1], 1 / epsilon, (k, 1)) / np.linalg.norm(Z, axis=1, keepdims=True)
    return X[rng.integers(len(X), size=k)] + Z


def assert_exact(X, Z):
    rows = ExactIndex().fit(X).nearest(Z)
    assert rows.dtype == np.int64 and rows.shape == (len(Z),)
    np.testing.assert_array_equal(rows, brute_force(X, Z))


@pytest.fixture(params=["copied", "referenced"])
def table_is(request, monkeypatch):
    """Small tables are copied with their half squares, large ones are not."""
    if request.param == "referenced":
        monkeypatch.setattr(exact, "COPY_UP_TO", 0)


@pytest.mark.parametrize("k", [1, 48, exact.QUERIES, exact.QUERIES + 1])
@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 1001])
def test_any_number_of_rows_and_queries(n, k, table_is, monkeypatch):
    monkeypatch.setattr(exact, "SCORES", 64 * exact.at_once(k, 1))  # tiles of 64 rows
    X = table(n, 25, seed=n)
    assert_exact(X, noisy(X, k, epsilon=10))


@pytest.mark.parametrize("d", [1, 2, 3, 50, 300])
@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 5.0, 30.0, 1e6])
def test_light_noise_to_a_million_times_the_table(d, epsilon, table_is):
    X = table(2000, d)
    Z = noisy(X, 64, epsilon)
    assert_exact(X, Z)
    assert_exact(X, Z.astype(np.float32))


def test_several_passes_and_one_huge_row_and_query_among_small_ones(table_is, monkeypatch):
    X = table(3000, 20)
    Z = noisy(X, 500, epsilon=5)
    monkeypatch.setattr(exact, "SCORES", 90 * 256)
    monkeypatch.setattr(exact, "QUERIES", 90)
    assert_exact(X, Z)
    X[1234] *= 1e6
    Z[17] *= 1e20
    assert_exact(X, Z)


def test_queries_in_float64_lose_nothing():
    """Two rows next to each other in float32; the float64 query lies nearer to one of them."""
    X = np.array([[1.0], [np.nextafter(np.float32(1), np.float32(2))]], dtype=np.float32)
    middle = X.astype(np.float64).mean()
    Z = np.array([[middle * (1 - 1e-15)], [middle * (1 + 1e-15)], [middle]])
    np.testing.assert_array_equal(ExactIndex().fit(X).nearest(Z), [0, 1, 0])


@pytest.mark.parametrize("k", [5, 80])
def test_ties_go_to_the_lowest_row(k):
    rng = np.random.default_rng(3)
    X = rng.integers(-2, 3, size=(2000, 4)).astype(np.float32)  # 625 points, three rows each
    assert_exact(X, rng.integers(-4, 5, size=(k, 4)) / 2)
    assert_exact(np.full((5000, 10), 0.1, dtype=np.float32), np.ones((k, 10)))
    corners = np.repeat(np.eye(100, dtype=np.float32), 3, axis=0)
    assert_exact(corners, np.zeros((k, 100)))


def test_a_last_row_like_all_before_it_loses_the_tie(monkeypatch):
    """More rows are equal than a search keeps, and the last is alone in its tile."""
    monkeypatch.setattr(exact, "SCORES", 5 * 250)
    assert_exact(np.full((1001, 10), 0.1, dtype=np.float32), np.ones((5, 10)))


def test_a_large_table_is_not_copied(monkeypatch):
    X = table(4000, 100)
    monkeypatch.setattr(exact, "COPY_UP_TO", X.size - 1)
    tracemalloc.start()
    index = ExactIndex().fit(X)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held < 10 * len(X)
    assert np.array_equal(index.nearest(X[:5]), np.arange(5))


@pytest.mark.parametrize("centres", [(1000, 1000), (-1000, 1000)])
@pytest.mark.parametrize("k", [40, 60])
def test_small_differences_far_from_the_origin(k, centres):
    """Rows that float32 products cannot tell apart: tight clusters, far from the origin."""
    rng = np.random.default_rng(4)
    X = np.resize(centres, (3000, 1)) + rng.standard_normal((3000, 8)) * 1e-3
    X = X.astype(np.float32)
    assert_exact(X, X[:k] + rng.standard_normal((k, 8)) * 1e-3)
    # Sorted so that every tile beats the last.
    X = np.linspace(0, 1, 20000, dtype=np.float32)[:, None] * np.ones(6, dtype=np.float32)
    assert_exact(X, rng.uniform(0.5, 2, (50, 6)))


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 60), d=st.integers(1, 5), k=st.integers(0, 40),
    exponent=st.integers(-44, 36), coarse=st.booleans(), seed=st.integers(0, 2**32 - 1),
)  # fmt: skip
def test_any_small_table(n, d, k, exponent, coarse, seed):
    """Coarse values tie often."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-3, 4, (n, 1))
    Z = rng.standard_normal((k, d)) * 10.0 ** rng.integers(-3, 4, (k, 1))
    if coarse:
        X, Z = np.rint(X), np.rint(Z)
    largest = np.finfo(np.float32).max
    X = np.clip(X * 10.0**exponent, -largest, largest).astype(np.float32)
    assert_exact(X, Z * 10.0**exponent)


def test_no_temporary_grows_with_rows_times_queries():
    X = table(20000, 10)
    index, Z = ExactIndex().fit(X), noisy(X, 2000, epsilon=5)
    tracemalloc.start()
    index.nearest(Z)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < len(X) * len(Z) * 4 / 8


def test_several_threads_find_what_one_finds_and_products_get_theirs_back(monkeypatch):
    monkeypatch.setattr(exact, "MULTITHREAD_FROM", 0)
    X = table(5000, 20)
    Z = noisy(X, 700, 20.0)
    controller = ThreadpoolController().select(user_api="blas")
    answers = []
    for threads in (1, 3):
        with controller.limit(limits=threads):
            answers.append(ExactIndex().fit(X).nearest(Z))
            assert {library["num_threads"] for library in controller.info()} == {threads}
    assert np.array_equal(*answers)
    assert np.array_equal(answers[0], brute_force(X, Z))


@pytest.mark.parametrize("depth", [1, 2, 9, 40])
def test_neighbours_are_sorted_by_distance_then_by_row(depth):
    X = np.concatenate([table(20, 6), table(20, 6)])  # each row twice
    Z = np.concatenate([X[:5], noisy(X, 30, epsilon=3)])
    D = np.sqrt(np.square(X.astype(np.float64) - Z[:, None]).sum(axis=2))
    rows, lengths = neighbours(Z, X, depth)
    expected = np.argsort(D, axis=1, kind="stable")[:, :depth]
    pairs = depth // 2 * 2  # one of two equal rows may be in the last place
    np.testing.assert_array_equal(rows[:, :pairs], expected[:, :pairs])
    np.testing.assert_allclose(lengths, np.take_along_axis(D, expected, axis=1), atol=1e-12)


@pytest.mark.parametrize("epsilon", [0.01, 3.0, 20.0, 300.0])
@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("times", [1, 2])
def test_queries_that_are_near_the_rows_of_an_aim_are_found(epsilon, depth, times):
    X = np.tile(table(900, 20), (times, 1))  # each row so many times
    rng = np.random.default_rng(0)
    origins = rng.integers(len(X), size=600)
    Z = X[origins] + noisy(np.zeros((1, 20)), 600, epsilon)
    rows, often = np.unique(rng.integers(900, size=90)), rng.permutation(900)[:50]
    found = exact.aimed(X, Z, exact.Aim(rows, origins, often), depth)
    D = np.sqrt(np.square(X.astype(np.float64) - Z[:, None]).sum(axis=2))
    nearer = (D < D[:, rows].min(axis=1, keepdims=True) * (1 - 1e-9)).sum(axis=1)
    assert ((found >= 0) == (nearer < depth)).all()
    assert (found[found >= 0] == rows[D[:, rows].argmin(axis=1)][found >= 0]).all()
    assert 0.02 < (found >= 0).mean() < 0.5


@pytest.mark.parametrize(
    "X", [np.empty((0, 3)), np.empty((3, 0)), np.ones(3), [[np.nan, 1]], [[1, np.inf], [1, 2]]]
)
def test_a_table_that_cannot_be_searched_is_refused(X):
    with pytest.raises(DxError, match="DX020"):
        ExactIndex().fit(np.asarray(X, dtype=np.float32))


@pytest.mark.parametrize(
    "Z", [np.ones(3), np.ones((2, 4)), np.ones((2, 3), dtype=int), [[np.nan] * 3], [[1e200] * 3]]
)
def test_queries_that_have_no_nearest_row_are_refused(Z):
    with pytest.raises(DxError, match="DX001"):
        ExactIndex().fit(table(10, 3)).nearest(np.asarray(Z))


PLAIN = np.random.default_rng(0).normal(size=(700, 5))
TABLES = {
    "plain": PLAIN,
    "far from 0": PLAIN + 1000,
    "twice each": np.repeat(PLAIN[:350], 2, axis=0),
    "one far": np.vstack([PLAIN, np.full((1, 5), 1e4)]),
    "one point": np.ones((600, 3)),
    "a grid": np.stack(np.divmod(np.arange(625), 25), axis=1),
}


@pytest.mark.parametrize("name", TABLES)
def test_diameter_farthest_and_nearest_of_all_pairs(name, monkeypatch):
    monkeypatch.setattr(all_pairs, "FLOAT64_UP_TO", 100)
    X = TABLES[name].astype(np.float32)
    A = X.astype(np.float64)
    D = np.sqrt(np.square(A[:, None] - A[None]).sum(axis=2))
    np.testing.assert_allclose(all_pairs.diameter(X), D.max(), rtol=1e-9, atol=1e-12)
    mean = D.max(axis=1).mean() or 1.0
    np.testing.assert_allclose(all_pairs.mean_farthest(X), mean, rtol=1e-6)
    for depth in (1, 7):
        rows, apart = all_pairs.nearest_of_all(X, depth)
        np.testing.assert_allclose(apart, neighbours(X, X, depth)[1], atol=1e-9)
        np.testing.assert_allclose(np.linalg.norm(A[rows] - A[:, None], axis=2), apart, atol=1e-9)
        assert all(len(set(row)) == depth for row in rows.tolist())


@pytest.mark.parametrize("scale", [0.0, 1e-3, 1.0, 1e3, 1e30, 1e100])
@pytest.mark.parametrize("depth", [1, 2, 40])
def test_neighbours_are_those_of_all_distances(depth, scale):
    """Also of far queries, which float32 tells apart no more, and of rows that are one point."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(1500, 8)).astype(np.float32)
    X[100:300] = X[99]
    Z = X[rng.choice(len(X), 20)] + scale * rng.normal(size=(20, 8))
    rows, D = exact.neighbours(Z, X, depth)
    every = np.sqrt(np.square(Z[:, None] - X.astype(np.float64)).sum(axis=2))
    assert (np.diff(D, axis=1) >= 0).all()
    chosen = np.take_along_axis(every, rows, axis=1)
    assert chosen == pytest.approx(np.sort(every, axis=1)[:, :depth], rel=1e-9, abs=1e-12)
    assert all(len(set(found)) == depth for found in rows.tolist())
