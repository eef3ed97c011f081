"""What every registered mechanism owes to those who use it: spacy_dxprivacy.testing's contract, and
what those of this package promise besides."""

import inspect
import pickle

import numpy as np
import pytest

from spacy_dxprivacy import DxError, Rng, Space, registry
from spacy_dxprivacy.testing import CLAUSES, Case, its_probabilities_keep_its_promise, small_space
from spacy_dxprivacy.ty import StatesProbabilities, facts_of

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


@pytest.mark.parametrize("epsilon", [1e-6, 300.0, 1e4])
def test_probabilities_that_round_to_0_are_no_infinite_loss(case, epsilon):
    if "epsilon" not in case.settings:
        pytest.skip("it takes no epsilon")
    extreme = Case(case.name, {**case.settings, "epsilon": epsilon})
    try:
        extreme.needs("distribution")
    except DxError:
        pytest.skip("it has no solution at this epsilon")
    its_probabilities_keep_its_promise(extreme)


def test_all_that_it_was_given_is_in_its_settings(case):
    told = getattr(case.made().build, "keywords", {})
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
    if not facts_of(mechanism).draws_sentences:
        np.testing.assert_allclose(by_sentence, [logs[:2].sum(), logs[2:].sum()], rtol=1e-9)
    candidates = np.tile(np.arange(5), (4, 1))
    found = mechanism.log_likelihood(rows, outputs, candidates=candidates)
    with np.errstate(divide="ignore"):
        every = np.log(mechanism.distribution(np.arange(5))[:, outputs]).T
    np.testing.assert_allclose(found, every, rtol=1e-9)
