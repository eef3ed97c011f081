"""The metric of a policy: shortest paths, and radii that join all words."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import floyd_warshall

from spacy_dxprivacy import Space
from spacy_dxprivacy.metric import STEPS
from spacy_dxprivacy.metric.policy import PRESETS, Features, Policy, lengths_of
from spacy_dxprivacy.metric.policy_graph import QUANTA, PolicyGraph, with_lengths
from spacy_dxprivacy.metric.store import graph_of
from spacy_dxprivacy.sampler.calibration import exact_epsilon, steepest_over, weights_at

N = 60


@pytest.fixture(scope="module")
def graph() -> PolicyGraph:
    """Of radii so uneven that some are shortened by a neighbour's."""
    rng = np.random.default_rng(0)
    space = Space.from_vectors([f"w{i}" for i in range(N)], rng.normal(size=(N, 4)))
    plain = graph_of(space)
    return with_lengths(plain, plain.edges[2] / STEPS, rng.uniform(0.3, 4, N))


@pytest.fixture(scope="module")
def D(graph: PolicyGraph) -> np.ndarray:
    return graph.distances(np.arange(N))


def test_it_is_a_metric(D):
    assert (D.diagonal() == 0).all() and (D + np.eye(N) > 0).all()
    np.testing.assert_array_equal(D, D.T)
    assert (D[:, None, :] <= D[:, :, None] + D[None] + 1e-12).all()


def test_it_is_the_shortest_path_with_a_place_that_joins_all(graph, D):
    whole = np.full((N + 1, N + 1), np.inf)
    owners = np.repeat(np.arange(N), np.diff(graph.starts))
    whole[owners, graph.ends] = graph.steps
    whole[N, :N] = whole[:N, N] = graph.radii
    np.testing.assert_allclose(D, floyd_warshall(whole)[:N, :N] / graph.quanta)
    assert D.max() <= graph.longest


def test_within_are_the_words_nearer_than_both_radii(graph, D):
    rows = np.array([7, 3, 7, 59])
    for row, (words, nearer) in zip(rows, graph.within(rows), strict=True):
        gain = graph.radii[row] + graph.radii - np.round(D[row] * QUANTA).astype(int)
        np.testing.assert_array_equal(words, np.flatnonzero(gain > 0))
        np.testing.assert_array_equal(nearer, gain[words])


@pytest.mark.parametrize("beta", [0.2, 1.0, 3.0])
def test_the_epsilon_of_words_alone_is_that_of_the_worst_pair(graph, D, beta):
    weights = np.random.default_rng(1).random(N) ** 4 + 1e-6
    P = weights * np.exp(-beta * D)
    P /= P.sum(axis=1, keepdims=True)
    worst = np.abs(np.log(P[:, None]) - np.log(P[None])).max(axis=2)
    apart = ~np.eye(N, dtype=bool)
    found = exact_epsilon(graph, weights_at(graph, weights), beta)
    assert found == pytest.approx((worst[apart] / D[apart]).max(), rel=1e-9)


def test_the_steepest_pair_is_found_without_all_pairs():
    rng = np.random.default_rng(2)
    logs, radii = rng.normal(size=200), rng.integers(3, 90, 200)
    every = (logs[:, None] - logs) / (radii[:, None] + radii)
    assert steepest_over(logs, radii) == pytest.approx(every.max())
    assert steepest_over(np.zeros(5), radii[:5]) == 0


def test_whole_numbers_in_a_policy_are_numbers():
    """As configs have them: content = 1 makes no other length than 1.0."""
    none = np.zeros(4, dtype=bool)
    proper = np.array([True, True, False, False])
    known = Features(proper, none, none, none, none, csr_array((4, 1)), 4)
    low, high = np.array([0, 2]), np.array([1, 3])
    whole, real = (
        lengths_of(np.array([2.0, 2.0]), low, high, Policy(proper=0.5, content=one), known)
        for one in (1, 1.0)
    )
    assert whole.tolist() == real.tolist() == [1.0, 2.0]


def test_presets_hide_names_more_than_rare_words_more_than_others():
    for name in ("general", "clinical", "strict"):
        one = PRESETS[name]
        assert one.far_proper < one.far_rare + 1e-9 <= one.far <= one.far_function
        assert one.far_function < one.far_negation
