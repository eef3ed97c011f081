"""What every registered mechanism owes to those who use it: spacy_dxprivacy.testing's contract, and
what those of this package promise besides."""

import dataclasses
import inspect
import pickle

import numpy as np
import pytest

from spacy_dxprivacy import DxError, Rng, Space, registry
from spacy_dxprivacy.testing import CLAUSES, Case, small_space
from spacy_dxprivacy.ty import StatesProbabilities

from .found import ON_ANY_WORDS, names, settings_of

pytestmark = pytest.mark.filterwarnings("ignore:.*DX101")


CASES = {name: Case(name, settings_of(name)) for name in names()}
PARTS = {"projection", "cache_mb"}  # given to a mechanism, and nothing that changes what is drawn


@pytest.fixture(params=CASES.values(), ids=CASES)
def case(request):
    return request.param


@pytest.mark.parametrize("clause", CLAUSES, ids=lambda clause: clause.__name__)
def test_contract(clause, case):
    clause(case)


def test_its_settings_are_a_frozen_value_that_compares_and_pickles(case):
    mechanism, again = case.made(), case.made()
    assert dataclasses.is_dataclass(mechanism.settings)
    settings = mechanism.settings
    assert settings == again.settings == pickle.loads(pickle.dumps(settings))  # noqa: S301
    assert hash(settings) == hash(again.settings)
    if "epsilon" in case.settings:
        other = Case(case.name, {**case.settings, "epsilon": 3000.0})
        assert settings != other.made().settings
        with pytest.raises(dataclasses.FrozenInstanceError):
            settings.epsilon = 1.0
    mechanism.fit(small_space())
    assert mechanism.settings == settings


def test_all_that_it_was_given_is_in_its_settings(case):
    told = dataclasses.asdict(case.made().settings)
    given = {k: v for k, v in case.settings.items() if k in told and k not in PARTS}
    plain = {k: v for k, v in given.items() if k not in ("policy", "prior")}
    assert {key: told[key] for key in plain} == {
        key: tuple(value) if isinstance(value, list) else value for key, value in plain.items()
    }
    if case.name not in ON_ANY_WORDS:
        parameters = set(inspect.signature(registry.dx_mechanisms.get(case.name)).parameters)
        assert set(told) == parameters - PARTS


def test_a_space_of_one_word_gives_that_word_or_is_refused_by_fit(case):
    mechanism = case.made()
    try:
        mechanism.fit(Space.from_vectors(["only"], [[0.5, 0.5]]))
    except DxError as error:
        assert "more words" in str(error)
        return
    assert mechanism.sample(np.array([0]), Rng()).rows.tolist() == [0]


def test_words_at_distance_0_share_their_output_distribution(case):
    points = [[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]]
    twins = Case(case.name, case.settings, Space.from_vectors(["a", "b", "c"], points))
    guarantee = twins.fitted.guarantee
    if guarantee.kind == "none":
        pytest.skip("it promises nothing")
    if guarantee.kind == "metric-dp" and twins.fitted.distances(np.array([0]))[0, 1] > 0:
        pytest.skip("words at one point of the space are not at distance 0 of its metric")
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


def test_words_that_stay_stay_and_flags_have_a_shape(case):
    rows, stays = np.arange(6), np.array([False, True] * 3)
    starts = np.array([True, False, False, True, False, False])
    draw = case.fitted.sample(rows, Rng(), starts=starts, fixed=stays)
    assert np.array_equal(draw.rows[stays], rows[stays])
    for wrong in ({"starts": np.array([True])}, {"fixed": [0] * 6}):
        if case.fitted.guarantee.kind == "none" and case.name == "dx.Identity.v1":
            continue
        with pytest.raises(DxError, match=next(iter(wrong))):
            case.fitted.sample(rows, Rng(), **wrong)


def test_likelihoods_are_those_of_the_probabilities(case):
    mechanism = case.fitted
    if not isinstance(mechanism, StatesProbabilities):
        pytest.skip("it does not state probabilities")
    rows, outputs = np.arange(4), np.array([0, 0, 3, 5])
    with np.errstate(divide="ignore"):
        logs = np.log(mechanism.distribution(rows)[np.arange(4), outputs])
    np.testing.assert_allclose(mechanism.log_likelihood(rows, outputs), logs, rtol=1e-9)
    by_sentence = mechanism.log_likelihood(rows, outputs, np.array([True, False, True, False]))
    if not getattr(mechanism, "draws_together", False):
        np.testing.assert_allclose(by_sentence, [logs[:2].sum(), logs[2:].sum()], rtol=1e-9)
    candidates = np.tile(np.arange(5), (4, 1))
    found = mechanism.log_likelihood(rows, outputs, candidates=candidates)
    with np.errstate(divide="ignore"):
        every = np.log(mechanism.distribution(np.arange(5))[:, outputs]).T
    np.testing.assert_allclose(found, every, rtol=1e-9)
