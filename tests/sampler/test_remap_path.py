"""dx.Remap.v1 with loss = "path": the nearest word in place of an output."""

import numpy as np
import pytest

from spacy_dxprivacy import DxError, Space, registry
from spacy_dxprivacy.prior.chain import alone_chain

from .distributions import losses


def plane(n, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, 4)).astype(np.float32)
    return Space.from_vectors([f"w{i}" for i in range(n)], X)


class Given:
    """A prior of words alone."""

    name, draws = "test.Given.v1", "alone"

    def __init__(self, n):
        self.q = np.random.default_rng(1).dirichlet(np.full(n, 0.3))

    def fit(self, space):
        return alone_chain(self.q)


def test_the_editor_puts_the_best_word_in_place_of_each_output():
    space, prior, every = plane(50), Given(50), np.arange(50)
    mechanism = registry.dx_mechanisms.get("dx.Path.v2")(1.6, "plain", prior).fit(space)
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
    with pytest.raises(DxError, match=r"editor.loss"):
        make(loss="nonsense")
    other = registry.dx_mechanisms.get("dx.Path.v1")(1.6).fit(space)
    with pytest.raises(DxError, match=r"editor.loss"):
        make(loss="path").fit(space, other)
