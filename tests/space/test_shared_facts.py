"""What mechanisms share at all epsilons is computed once for a space."""

import numpy as np
import pytest

from spacy_dxprivacy import Space, registry
from spacy_dxprivacy.space import learned

pytestmark = pytest.mark.filterwarnings("ignore:.*DX101")  # of dx.TruncatedGumbel.v1
SHARED = {
    "dx.NADP.v1": (1.0, 2.0),
    "dx.RandomProjection.v1": (1.0, 2.0),
    "dx.CusText.v1": (1.0, 2.0),
    "dx.TruncatedGumbel.v1": (1e4, 2e4),
    "dx.Path.v2": (1.0, 2.0),
}


@pytest.fixture
def space():
    X = np.random.default_rng(4).normal(size=(300, 6))
    space = Space.from_vectors([f"w{i}" for i in range(300)], X)
    learned.forget(space)
    return space


@pytest.mark.parametrize("name", SHARED)
def test_a_second_epsilon_computes_nothing_of_the_space_again(name, space, monkeypatch):
    first, second = SHARED[name]
    settings = {"policy": "plain"} if name == "dx.Path.v2" else {}
    if settings:
        settings["prior"] = registry.dx_priors.get("dx.Uniform.v1")()
    make = registry.dx_mechanisms.get(name)
    made = []
    real = learned.shared

    def counted(table, key, compute):
        return real(table, key, lambda: made.append(key) or compute())

    for module in {learned, *(m for m in _modules() if hasattr(m, "shared"))}:
        monkeypatch.setattr(module, "shared", counted)
    make(first, **settings).fit(space)
    assert len(made) == 1
    make(second, **settings).fit(space)
    assert len(made) == 1
    learned.forget(space)
    make(second, **settings).fit(space)
    assert len(made) == 2


def _modules():
    from spacy_dxprivacy.mechanisms import custext, nadp, random_projection, truncated_gumbel

    return custext, nadp, random_projection, truncated_gumbel
