"""Weights that make sums even, and the nearest word in place of an output."""

import numpy as np
import pytest

from spacy_dxprivacy import DxError, Rng, Space, registry
from spacy_dxprivacy.metric import even as evening
from spacy_dxprivacy.metric.even import SHARE
from spacy_dxprivacy.metric.policy import PLAIN, policy_graph
from spacy_dxprivacy.metric.policy_graph import Kernel, with_steps
from spacy_dxprivacy.prior.chain import alone_chain
from spacy_dxprivacy.sampler.alone import WordDraw
from spacy_dxprivacy.sampler.calibration import beta_of, shorter
from spacy_dxprivacy.space.tables import learned


def plane(n, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, 4)).astype(np.float32)
    return Space.from_vectors([f"w{i}" for i in range(n)], X)


def losses(P):
    """The largest log ratio of any two rows of P (n, m), shape (n, n)."""
    with np.errstate(divide="ignore"):
        logs = np.log(P)
    return np.abs(logs[:, None] - logs[None]).max(axis=-1)


def evened(space, epsilon, policy="plain", prior="dx.Uniform.v1"):
    made = registry.dx_mechanisms.get("dx.Path.v2")
    return made(epsilon, policy, registry.dx_priors.get(prior)(), even=True).fit(space)


@pytest.mark.parametrize("epsilon", [0.4, 1.6, 4.0])
def test_even_words_lose_what_is_stated_for_all_pairs_and_few_edges_are_longer(epsilon):
    mechanism, every = evened(plane(150), epsilon), np.arange(150)
    D, drawn = mechanism.distances(every), mechanism.built.kernel.distances(every)
    assert (losses(mechanism.distribution(every)) <= epsilon * D + 1e-9).all()
    assert (drawn <= D + 1e-9).all() and (D <= 1.6 * drawn + 1e-9).all()
    assert epsilon / mechanism.built.kernel.beta <= 1.61
    assert (D == D.T).all() and (D[:, None] <= D[:, :, None] + D.T[None] + 1e-9).all()
    assert "stated as longer" in mechanism.guarantee.notes
    assert "drawn 5/8 as long" not in mechanism.guarantee.notes
    graph, stated = mechanism.built.kernel.graph, mechanism.built.stated
    finer = stated.quanta // graph.quanta
    if len(stated.ends) == len(graph.ends):
        assert np.mean(stated.steps > graph.steps * finer) <= SHARE


@pytest.mark.parametrize("epsilon", [0.8, 1.6])
def test_short_edges_are_drawn_shorter_and_lose_no_more_than_is_stated(epsilon):
    graph, n = policy_graph(plane(150), PLAIN, "plain"), 150
    ends, low = np.asarray(graph.ends), np.repeat(np.arange(n), np.diff(graph.starts))
    names = (low % 3 == 0) & (ends % 3 == 0)  # as a policy brings names nearer
    given = with_steps(graph, np.where(names, graph.steps // 3, graph.steps), graph.radii, 16)
    short = shorter(given, graph)
    assert (short == (names & (np.asarray(graph.steps) > 0))).all()
    found = evening.even(
        evening.Lengths(given, short), np.random.default_rng(0).random(n) + 0.01, epsilon
    )
    every = np.arange(n)
    D, drawn = found.stated.distances(every), found.drawn.distances(every)
    W = np.exp(-found.beta * drawn) * found.weights
    assert (losses(W / W.sum(axis=1, keepdims=True)) <= epsilon * D + 1e-9).all()
    asked = given.distances(every)
    assert (asked <= D + 1e-9).all() and (drawn <= asked).all() and (drawn < asked).any()
    assert found.share <= SHARE and found.factor <= 1.6


@pytest.mark.parametrize("epsilon", [5.0, 20.0])
def test_weights_are_found_where_exponents_are_beyond_float32(epsilon, monkeypatch):
    """A policy has long radii: exp(beta path) of two of them is more than float32 holds."""
    words = Space.builtin().words[:120]  # which policies know
    space = Space.from_vectors(words, np.random.default_rng(0).normal(size=(120, 8)))
    prior = registry.dx_priors.get("dx.WordFrequency.v1")()
    make = registry.dx_mechanisms.get("dx.Path.v2")
    mechanism = make(epsilon, prior=prior, even=True).fit(space)
    every = np.arange(len(space))
    lost = losses(mechanism.distribution(every))
    assert (lost <= epsilon * mechanism.distances(every) + 1e-9).all()
    assert mechanism.built.kernel.beta > epsilon / 2

    lengths = evening.Lengths(graph := policy_graph(space, PLAIN), np.zeros(len(graph.ends), bool))
    one = evening.even(lengths, np.ones(120), 1.6)
    monkeypatch.setattr(evening, "LARGEST", 0)
    other = evening.even(lengths, np.ones(120), 1.6)
    assert one.beta == other.beta and one.weights == pytest.approx(other.weights, rel=1e-3)


def test_even_words_are_drawn_by_their_law_and_kept_with_the_space(tmp_path, monkeypatch):
    monkeypatch.setattr(learned, "FEW", 0)
    space = plane(60)
    mechanism = evened(space, 1.6)
    drawn = mechanism.sample(np.zeros(40_000, dtype=np.int64), Rng(seed=0)).rows
    seen = np.bincount(drawn, minlength=60) / 40_000
    assert np.abs(seen - mechanism.distribution(np.array([0]))[0]).max() < 0.012
    space.save(tmp_path / "space")
    again = evened(Space.load(tmp_path / "space"), 1.6)
    same = np.arange(60)
    assert (again.distribution(same) == mechanism.distribution(same)).all()
    assert (again.distances(same) == mechanism.distances(same)).all()
    path = next((tmp_path / "space").rglob("numbers.npy"))
    np.save(path, np.load(path) * 1.1)
    with pytest.raises(DxError, match="DX024"):
        evened(Space.load(tmp_path / "space"), 1.6)
    with pytest.raises(DxError, match="word-level sampling"):
        registry.dx_mechanisms.get("dx.Path.v2")(1.6, even=True)


@pytest.mark.slow
def test_all_edges_of_the_builtin_space_lose_no_more_than_is_stated():
    """Each edge by ln Z of both its ends, from one search from every word."""
    space, epsilon = Space.builtin(), 1.6
    graph = policy_graph(space, PLAIN, "plain")
    plain, n = evening.Lengths(graph, np.zeros(len(graph.ends), dtype=bool)), len(graph)
    near = evening._Near(plain)
    low, lengths = np.repeat(np.arange(n), np.diff(graph.starts)), graph.steps / graph.quanta
    radii = graph.radii / graph.quanta

    def lost(weights, beta):
        logs = near.logs(weights, beta)
        return logs, beta * lengths + np.abs(logs[low] - logs[graph.ends])

    for prior in ("dx.WordFrequency.v1", "dx.Uniform.v1"):
        chain = registry.dx_priors.get(prior)().fit(space)
        beta = beta_of(space, graph, chain, epsilon)
        logs, nats = lost(chain.unigram, beta)
        assert (nats <= epsilon * lengths + 1e-9).all()
        assert np.ptp(logs) <= (epsilon - beta) * 2 * radii.min() + 1e-9  # over the far place
        some = np.arange(0, n, n // 50)
        kernel = Kernel(graph, beta)
        shift = beta * (radii[some] + radii.min())
        drawn = WordDraw(kernel, chain.unigram).log_sums(some) - shift
        assert logs[some] == pytest.approx(drawn, abs=1e-9)
    # The lengths that are stated hold for any weights, and so for those after all steps.
    logs, nats = lost(chain.unigram, beta := epsilon / 1.25)
    found = evening.stated(plain, chain.unigram, logs, beta, epsilon)
    assert 1 < found.factor <= 1.6 + 1e-2
    assert (found.stated.ends == graph.ends).all()
    quanta = found.stated.quanta
    assert (nats <= epsilon * found.stated.steps / quanta + 1e-9).all()
    far = beta * radii + np.abs(logs - (logs.max() + logs.min()) / 2)
    assert (far <= epsilon * found.stated.radii / quanta + 1e-9).all()


class Given:
    """A prior of words alone."""

    name, draws = "test.Given.v1", "alone"

    def __init__(self, n):
        self.q = np.random.default_rng(1).dirichlet(np.full(n, 0.3))

    def fit(self, space):
        return alone_chain(self.q)


@pytest.mark.parametrize("even", [False, True])
def test_the_editor_puts_the_best_word_in_place_of_each_output(even):
    space, prior, every = plane(50), Given(50), np.arange(50)
    mechanism = registry.dx_mechanisms.get("dx.Path.v2")(1.6, "plain", prior, even=even).fit(space)
    editor = registry.dx_editors.get("dx.Remap.v1")(loss="path").fit(space, mechanism)
    found = editor.edit(every, mechanism)
    D, P = mechanism.built.kernel.distances(every), mechanism.distribution(every)
    costs = P.T @ (prior.q[:, None] * D)
    assert costs[every, found] == pytest.approx(costs.min(axis=1), rel=1e-9)
    whole = P @ np.eye(50)[found]
    assert prior.q @ (whole * D).sum(axis=1) < prior.q @ (P * D).sum(axis=1)
    lost = losses(whole[:, np.unique(found)])
    assert (lost <= 1.6 * mechanism.distances(every) + 1e-9).all()
    fixed = every % 2 == 0
    stays = editor.edit(every, mechanism, fixed=fixed)
    assert (stays == np.where(fixed, every, found)).all()


def test_the_nearest_word_is_refused_where_it_cannot_be_known():
    make, space = registry.dx_editors.get("dx.Remap.v1"), plane(10)
    for settings in ({"loss": "nonsense"}, {"loss": "path", "model": "some"}):
        with pytest.raises(DxError, match=r"editor.loss"):
            make(**settings)
    other = registry.dx_mechanisms.get("dx.Path.v1")(1.6).fit(space)
    with pytest.raises(DxError, match=r"editor.loss"):
        make(loss="path").fit(space, other)
