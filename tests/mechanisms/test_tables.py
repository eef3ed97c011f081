"""Tables of the words that came last: they change how fast a draw is, and nothing else."""

import pickle

import numpy as np
import pytest

from spacy_dxprivacy import Rng
from spacy_dxprivacy.mechanisms.choice import MEGABYTE, Tables

N = 40
ONE = N * 8 / MEGABYTE  # megabytes of one table
CACHED = ("dx.Exponential.v1", "dx.TEM.v1", "dx.SanTextPlus.v1")


@pytest.mark.parametrize("room", [0, 1, 2, 9])
def test_every_word_gets_its_table_and_the_last_ones_are_kept(room):
    tables = Tables(lambda rows: np.ones((len(rows), N)) * (rows[:, None] + 1), N, room * ONE)
    for rows in ([0, 1, 2], [2, 5], [1, 0, 5, 7], range(20, 30)):
        found = dict(tables(np.array(rows)))
        assert sorted(found) == list(range(len(rows)))
        for place, row in enumerate(rows):
            np.testing.assert_array_equal(found[place], np.cumsum(np.full(N, row + 1.0)))
        assert len(tables.cached) <= room
    assert list(tables.cached) == list(range(20, 30))[10 - room :]


@pytest.mark.parametrize("name", CACHED)
def test_no_draw_depends_on_what_is_kept(make, plane, name):
    rows = np.random.default_rng(0).integers(N, size=500)
    draws = []
    for megabytes in (0.0, 3 * ONE, 64.0):
        mechanism = make(name, plane, epsilon=2.0, cache_mb=megabytes)
        mechanism.sample(np.arange(N), Rng())
        draws.append(mechanism.sample(rows, Rng(seed=1)).rows)
    assert np.array_equal(draws[0], draws[1]) and np.array_equal(draws[0], draws[2])


def test_a_copy_does_not_know_what_was_drawn_for(make, plane):
    mechanism = make("dx.Exponential.v1", plane, epsilon=2.0)
    mechanism.sample(np.array([3, 3, 4]), Rng())
    assert mechanism._tables.cached and not pickle.loads(pickle.dumps(mechanism))._tables.cached  # noqa: S301
