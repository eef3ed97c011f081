"""What every registered mechanism owes to those who use it: spacy_dxprivacy.testing's contract, and
what those of this package promise besides."""

import pickle

import numpy as np
import pytest

from spacy_dxprivacy import DxError, Rng, Space
from spacy_dxprivacy.testing import CLAUSES, Case, probabilities_keep_the_guarantee, small_space
from spacy_dxprivacy.ty import StatesProbabilities, facts_of

from .found import names, settings_of

pytestmark = pytest.mark.filterwarnings("ignore:.*DX101")


CASES = {name: Case(name, settings_of(name)) for name in names()}


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
        extreme.require("distribution")
    except DxError:
        pytest.skip("it has no solution at this epsilon")
    probabilities_keep_the_guarantee(extreme)


def test_its_settings_hold_no_second_epsilon(case):
    mechanism = case.make()
    if mechanism.guarantee.kind == "none":
        pytest.skip("its guarantee has no epsilon")
    assert "epsilon" not in getattr(mechanism.build, "keywords", {})


def test_a_copy_for_a_worker_takes_no_table_along(case, tmp_path):
    small_space().save(tmp_path / "plane")
    mechanism = case.make()
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
