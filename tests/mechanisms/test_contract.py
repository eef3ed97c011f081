"""What every registered mechanism owes to those who use it: spacy_dxprivacy.testing's contract, and
what those of this package promise besides."""

import inspect
import pickle

import numpy as np
import pytest

from spacy_dxprivacy import DxError, Rng, Space, registry
from spacy_dxprivacy.testing import CLAUSES, Case, small_space

# Found by the registry; one that takes more than an epsilon, or another, is named here.
EPSILON = {"epsilon": 2.0}
SETTINGS = {
    "dx.ClippedLaplace.v1": {"epsilon": 20.0},
    "dx.CusText.v1": {"epsilon": 2.0, "k": 4},
    "dx.Diffractor.v1": {"epsilon": 0.5},
    "dx.RandomProjection.v1": {"epsilon": 2.0, "dims": 2},
    "dx.TruncatedGumbel.v1": {"epsilon": 1000.0},
}

# Those for which words at one point of the space are not at distance 0 of their guarantee.
OTHER_METRICS = {
    "dx.Identity.v1": "it gives no privacy, by design",
    "dx.Diffractor.v1": "its distance is that of places on a list",
    "dx.Path.v1": "its distance is that of paths on a graph",
    "dx.SanTextPlus.v1": "it protects sensitive words alone",
}

# A graph of near words takes three words.
LEAST_WORDS = {"dx.Path.v1": 3}

pytestmark = pytest.mark.filterwarnings("ignore:.*DX101")


def case_of(name, make):
    takes_epsilon = "epsilon" in inspect.signature(make).parameters
    return Case(name, SETTINGS.get(name, EPSILON if takes_epsilon else {}))


CASES = {
    name: case_of(name, make)
    for name, make in sorted(registry.dx_mechanisms.get_all().items())
    if name.startswith("dx.")
}


@pytest.fixture(params=CASES.values(), ids=CASES)
def case(request):
    return request.param


def test_every_name_with_settings_is_registered():
    assert set(SETTINGS) | set(OTHER_METRICS) | set(LEAST_WORDS) <= set(CASES)


@pytest.mark.parametrize("clause", CLAUSES, ids=lambda clause: clause.__name__)
def test_contract(clause, case):
    clause(case)


def test_a_space_of_one_word_gives_that_word(case):
    if LEAST_WORDS.get(case.name, 1) > 1:
        pytest.skip(f"it needs {LEAST_WORDS[case.name]} words")
    one = Case(case.name, case.settings, Space.from_vectors(["only"], [[0.5, 0.5]]))
    assert one.draw([0]).rows.tolist() == [0]


def test_words_at_distance_0_share_their_output_distribution(case):
    if case.name in OTHER_METRICS:
        pytest.skip(OTHER_METRICS[case.name])
    points = [[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]]
    twins = Case(case.name, case.settings, Space.from_vectors(["a", "b", "c"], points))
    n = 20000
    drawn = [twins.draw(np.full(n, row), Rng(seed=row)).rows for row in (0, 1)]
    counts = [np.bincount(rows, minlength=3) for rows in drawn]
    assert np.all(np.abs(counts[0] - counts[1]) < 5 * np.sqrt(n))


def test_refusals_have_the_codes_of_the_package(case):
    with pytest.raises(DxError, match="DX003"):
        case.made().sample(np.array([0]), Rng())
    for rows in ([-1], [40], [0, 99]):
        with pytest.raises(DxError, match="DX002"):
            case.draw(rows)
    for rows in ([0.5], [[0]], ["a"]):
        with pytest.raises(DxError, match="rows"):
            case.draw(rows)


def test_a_copy_for_a_worker_takes_no_table_along(case, tmp_path):
    small_space().save(tmp_path / "plane")
    mechanism = case.made()
    mechanism.fit(Space.load(tmp_path / "plane"))
    data = pickle.dumps(mechanism)
    assert b"word17" not in data and len(data) < 5000
    copy = pickle.loads(data)  # noqa: S301
    assert copy.guarantee == mechanism.guarantee
    drawn = (m.sample(case.rows, Rng(seed=8)).rows for m in (copy, mechanism))
    assert np.array_equal(*drawn)
