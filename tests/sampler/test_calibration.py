"""Words drawn alone: their epsilon is never above what was asked for, and its table is kept."""

from functools import partial

import numpy as np
import pytest

from spacy_dxprivacy import Space, registry
from spacy_dxprivacy.metric.policy import PLAIN, policy_graph
from spacy_dxprivacy.metric.policy_graph import Kernel
from spacy_dxprivacy.prior.chain import unigram_chain
from spacy_dxprivacy.privacy.noise import solved_beta
from spacy_dxprivacy.sampler import calibration
from spacy_dxprivacy.sampler.calibration import distance_weights, exact_epsilon
from spacy_dxprivacy.sampler.word_level import WordSampler
from spacy_dxprivacy.space import learned

N = 40
CHAIN = unigram_chain(np.random.default_rng(1).random(N) ** 3 + 1e-4)


@pytest.fixture
def space(monkeypatch):
    monkeypatch.setattr(calibration, "STORED_FROM", 0)
    monkeypatch.setattr(learned, "RELEARNED_UP_TO", 0)
    X = np.random.default_rng(0).normal(size=(N, 4))
    return Space.from_vectors([f"w{i}" for i in range(N)], X)


@pytest.mark.parametrize("epsilon", [0.05, 0.9, 1.6, 5.0])
def test_a_beta_holds_what_was_asked_for_and_hardly_less(space, epsilon):
    graph = policy_graph(space, PLAIN)
    beta = calibration.beta_of(space, graph, CHAIN, epsilon)
    at = distance_weights(graph, CHAIN.unigram)
    assert exact_epsilon(graph, at, beta) <= epsilon
    assert beta >= 0.985 * solved_beta(partial(exact_epsilon, graph, at), epsilon)


@pytest.mark.slow
@pytest.mark.parametrize("prior", ["dx.WordFrequency.v1", "dx.Uniform.v1"])
def test_all_edges_of_the_builtin_space_lose_no_more_than_epsilon(prior):
    """Each edge by ln Z of both its ends, from one search from every word."""
    space, epsilon = Space.builtin(), 1.6
    graph = policy_graph(space, PLAIN, "plain")
    low, lengths = np.repeat(np.arange(len(graph)), np.diff(graph.starts)), graph.steps / 16
    radii = graph.radii / graph.quanta
    chain = registry.dx_priors.get(prior)().fit(space)
    beta = calibration.beta_of(space, graph, chain, epsilon)
    draw = WordSampler(Kernel(graph, beta), chain.unigram)
    logs = draw.log_sums(np.arange(len(graph))) - beta * radii
    nats = beta * lengths + np.abs(logs[low] - logs[graph.ends])
    assert (nats <= epsilon * lengths + 1e-9).all()
    assert np.ptp(logs) <= (epsilon - beta) * 2 * radii.min() + 1e-9  # over the far place
