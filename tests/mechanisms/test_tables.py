"""Tables of the words that came last: they change how fast a draw is, and nothing else."""

import pickle

import numpy as np

from spacy_dxprivacy import Rng
from spacy_dxprivacy.errors import quiet
from spacy_dxprivacy.mechanisms import choice

from .found import made, names, settings_of

N = 40


def of_choice():
    """Those that choose by tables: new ones join by themselves."""
    with quiet():
        by_name = {name: made(name, **settings_of(name)) for name in names()}
    return [name for name, one in by_name.items() if isinstance(one, choice.ChoiceMechanism)]


def pytest_generate_tests(metafunc):
    metafunc.parametrize("name", of_choice())


def test_no_draw_depends_on_what_is_kept(make, plane, name, monkeypatch):
    rows = np.random.default_rng(0).integers(N, size=500)
    draws = []
    for room in (0, 2000, choice.CACHE_BYTES):
        monkeypatch.setattr(choice, "CACHE_BYTES", room)
        mechanism = make(name, plane, **settings_of(name))
        mechanism.sample(np.arange(N), Rng())
        draws.append(mechanism.sample(rows, Rng(seed=1)).rows)
    assert np.array_equal(draws[0], draws[1]) and np.array_equal(draws[0], draws[2])


def test_a_copy_does_not_know_what_was_drawn_for(make, plane, name):
    mechanism = make(name, plane, **settings_of(name))
    before = pickle.dumps(mechanism)
    mechanism.sample(np.array([3, 3, 4]), Rng())
    assert pickle.dumps(mechanism) == before
