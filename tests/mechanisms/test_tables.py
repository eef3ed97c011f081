"""Tables of the words that came last: they change how fast a draw is, and nothing else."""

import pickle

import numpy as np
import pytest

from spacy_dxprivacy import Rng
from spacy_dxprivacy.mechanisms import choice

N = 40
CACHED = ("dx.Exponential.v1", "dx.TEM.v1", "dx.SanTextPlus.v1")


@pytest.mark.parametrize("name", CACHED)
def test_no_draw_depends_on_what_is_kept(make, plane, name, monkeypatch):
    rows = np.random.default_rng(0).integers(N, size=500)
    draws = []
    for room in (0, 2000, choice.CACHE_BYTES):
        monkeypatch.setattr(choice, "CACHE_BYTES", room)
        mechanism = make(name, plane, epsilon=2.0)
        mechanism.sample(np.arange(N), Rng())
        draws.append(mechanism.sample(rows, Rng(seed=1)).rows)
    assert np.array_equal(draws[0], draws[1]) and np.array_equal(draws[0], draws[2])


@pytest.mark.parametrize("name", CACHED)
def test_a_copy_does_not_know_what_was_drawn_for(make, plane, name):
    mechanism = make(name, plane, epsilon=2.0)
    before = pickle.dumps(mechanism)
    mechanism.sample(np.array([3, 3, 4]), Rng())
    assert pickle.dumps(mechanism) == before
