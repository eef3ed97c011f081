"""Tables of the words that come most often: they change how fast a draw is, and nothing else."""

import pickle

import numpy as np
import pytest

from spacy_dxprivacy import DxError, Rng, registry
from spacy_dxprivacy.mechanisms.base.choice import MEGABYTE, Tables

N = 40
ONE = N * 8 / MEGABYTE  # megabytes of one table
CACHED = ("dx.Exponential.v1", "dx.TEM.v1", "dx.SanTextPlus.v1")


def tables_of(room, calls):
    def weights(rows):
        calls.append(rows.tolist())
        return np.ones((len(rows), N)) * (rows[:, None] + 1)

    return Tables(weights, N, room * ONE)


def ask(tables, rows, counts=None):
    counts = np.ones(len(rows), dtype=int) if counts is None else np.array(counts)
    return dict(tables(np.array(rows), counts))


def test_every_word_gets_its_table_whether_kept_or_not():
    tables = tables_of(2, [])
    for rows in ([0, 1, 2], [2, 5], [1, 0, 5, 7]):
        found = ask(tables, rows)
        assert sorted(found) == list(range(len(rows)))
        for place, row in enumerate(rows):
            np.testing.assert_array_equal(found[place], np.cumsum(np.full(N, row + 1.0)))


@pytest.mark.parametrize("width", [7, 8, 40, 64])
def test_a_table_may_hold_sums_of_many_outputs(width):
    W = np.random.default_rng(1).random((3, N))
    tables = Tables(lambda rows: W[rows], N, 0.0, width)
    for place, table in ask(tables, [0, 1, 2]).items():
        sums = [W[place, start : start + width].sum() for start in range(0, N, width)]
        np.testing.assert_allclose(table, np.cumsum(sums))


@pytest.mark.parametrize("room", [0, 1, 3])
def test_no_more_is_kept_than_there_is_room_for(room):
    tables = tables_of(room, [])
    for start in range(0, 35, 5):
        ask(tables, range(start, start + 5))
        assert len(tables.kept) <= room


def test_the_words_that_come_most_often_are_kept():
    calls = []
    tables = tables_of(2, calls)
    for _ in range(3):
        ask(tables, [7, 8], [10, 20])
        ask(tables, np.arange(20, 30))
    assert set(tables.kept) == {7, 8}
    assert sum(7 in rows for rows in calls) == 1


def test_a_word_that_comes_more_often_takes_the_place_of_one_that_came_less():
    tables = tables_of(1, [])
    ask(tables, [1], [5])
    ask(tables, [2], [4])
    assert set(tables.kept) == {1}
    ask(tables, [2], [4])
    assert set(tables.kept) == {2}


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
    assert mechanism._tables.seen and not pickle.loads(pickle.dumps(mechanism))._tables.seen  # noqa: S301


@pytest.mark.parametrize("name", CACHED)
@pytest.mark.parametrize("value", [-1, float("inf"), float("nan"), "much"])
def test_room_that_is_none_is_refused(name, value):
    with pytest.raises(DxError, match="cache_mb"):
        registry.dx_mechanisms.get(name)(epsilon=1.0, cache_mb=value)
