"""Tables of the words that came last: they change how fast a draw is, and nothing else."""

import pickle

import numpy as np
import pytest

from spacy_dxprivacy import Rng
from spacy_dxprivacy.mechanisms import choice

N = 40
CACHED = ("dx.Exponential.v1", "dx.TEM.v1", "dx.SanTextPlus.v1")


def tables_of(mechanism, rows):
    return {place: table.tolist() for place, table in mechanism._tables(np.array(rows))}


@pytest.mark.parametrize("name", CACHED)
def test_every_word_gets_its_table_cached_or_not(make, plane, name):
    mechanism = make(name, plane, epsilon=2.0)
    tables_of(mechanism, [2, 5])
    for rows in ([0, 1, 2], [2, 5], [1, 0, 5, 7], range(20, 30)):
        assert tables_of(mechanism, rows) == tables_of(make(name, plane, epsilon=2.0), rows)


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


def test_a_copy_does_not_know_what_was_drawn_for(make, plane):
    mechanism = make("dx.Exponential.v1", plane, epsilon=2.0)
    mechanism.sample(np.array([3, 3, 4]), Rng())
    assert 3 in mechanism._cache.find([3])
    assert not pickle.loads(pickle.dumps(mechanism))._cache.find([3])  # noqa: S301
