"""Words drawn alone: their epsilon is never above what was asked for, and its table is kept."""

from functools import partial

import numpy as np
import pytest

from spacy_dxprivacy import DxError, Space
from spacy_dxprivacy.metric.policy import PLAIN, policy_graph
from spacy_dxprivacy.prior.chain import alone_chain
from spacy_dxprivacy.privacy.noise import solved_beta
from spacy_dxprivacy.sampler import calibration
from spacy_dxprivacy.sampler.calibration import exact_epsilon, weights_at
from spacy_dxprivacy.space.tables import learned

N = 40
CHAIN = alone_chain(np.random.default_rng(1).random(N) ** 3 + 1e-4)


@pytest.fixture
def space(monkeypatch):
    monkeypatch.setattr(calibration, "MANY", 0)
    monkeypatch.setattr(learned, "FEW", 0)
    X = np.random.default_rng(0).normal(size=(N, 4))
    return Space.from_vectors([f"w{i}" for i in range(N)], X)


@pytest.mark.parametrize("epsilon", [0.05, 0.9, 1.6, 5.0])
def test_a_beta_holds_what_was_asked_for_and_hardly_less(space, epsilon):
    graph = policy_graph(space, PLAIN)
    beta = calibration.beta_of(space, graph, CHAIN, epsilon)
    at = weights_at(graph, CHAIN.unigram)
    assert exact_epsilon(graph, at, beta) <= epsilon
    assert beta >= 0.985 * solved_beta(partial(exact_epsilon, graph, at), epsilon)


def test_walks_are_made_once_and_go_with_the_space(space, monkeypatch, tmp_path):
    graph = policy_graph(space, PLAIN)
    beta = calibration.beta_of(space, graph, CHAIN, 1.0)
    space.save(tmp_path / "space")
    again = Space.load(tmp_path / "space")
    learned.forget(space)
    learned.read_beside(again, tmp_path / "space")
    monkeypatch.setattr(calibration, "exact_epsilon", None)
    assert calibration.beta_of(again, policy_graph(again, PLAIN), CHAIN, 1.0) == beta


def test_a_file_that_was_changed_is_refused(space, tmp_path):
    calibration.beta_of(space, policy_graph(space, PLAIN), CHAIN, 1.0)
    space.save(tmp_path / "space")
    (path,) = (tmp_path / "space").glob("fitted-*/numbers.npy")
    np.save(path, np.load(path) * 0.9)
    with pytest.raises(DxError, match="DX024"):
        Space.load(tmp_path / "space")
