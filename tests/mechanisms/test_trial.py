"""A mechanism of a third party that cannot be used is refused when it is made or when it is fitted,
in one sentence that names the part; never when the first Doc is drawn."""

from dataclasses import replace

import numpy as np
import pytest
from conftest import sanitizing

from spacy_dxprivacy import Draw, DxError, Guarantee, registry
from spacy_dxprivacy.mechanisms.built import check_fitted, check_mechanism
from spacy_dxprivacy.ty import Facts

PROMISE = Guarantee("metric-dp", 1.0, metric="euclidean", covers="all", status="claimed")


class Theirs:
    """A sound shape, until a test takes something away."""

    name = "test.Theirs.v1"
    guarantee = PROMISE

    def fit(self, space):
        return self

    def sample(self, rows, rng):
        return Draw(rows)


def theirs(**changed):
    return type("Theirs", (Theirs,), changed)()


class Quack:
    """A promise of another kind, that looks like ours."""

    kind, epsilon, delta, covers, status = "renyi", 1.0, 0.0, "all", "proven"


UNMADE = {
    "no name": ({"name": None}, "DX046.*The mechanism must have name.*Theirs lacks name: str"),
    "no fit": ({"fit": None}, r"DX046.*Theirs lacks fit\(space\)"),
    "no sample": ({"sample": None}, r"DX046.*Theirs lacks sample\(rows, rng\)"),
    "no guarantee": ({"guarantee": None}, "DX046.*lacks guarantee: Guarantee"),
    "a promise of theirs": ({"guarantee": Quack()}, "DX046.*lacks guarantee: Guarantee"),
    "no distances": ({"guarantee": replace(PROMISE, covers="finite")},
                     r"DX048.*'finite', which needs distances\(rows\)"),
    "no covers": ({"guarantee": replace(PROMISE, covers="related")},
                  r"DX048.*'related', which needs covers\(rows\)"),
    "in_clear is a text": ({"facts": Facts(in_clear="casing")}, "DX001.*in_clear of the mechanism"),
    "facts of theirs": ({"facts": {"in_clear": ()}}, "DX001.*facts of the mechanism"),
}  # fmt: skip


def vectors(X):
    return lambda self, rows, rng: Draw(rows, X)


def drawn(change):
    return lambda self, rows, rng: Draw(change(rows))


def broken(self, rows, rng):
    raise KeyError("asthma")


UNFIT = {
    "too few rows": (drawn(lambda rows: rows[:1]), r"rows of type int64 and shape \(1,\)"),
    "rows beyond the end": (drawn(lambda rows: rows + 40), "rows out of range"),
    "negative rows": (drawn(lambda rows: rows - 1), "rows out of range"),
    "rows that are no numbers": (drawn(lambda rows: rows / 2), "rows of type float64"),
    "no rows": (drawn(lambda rows: None), "rows of type object"),
    "rows without a Draw": (lambda self, rows, rng: rows, "ndarray, and no Draw"),
    "nothing": (lambda self, rows, rng: None, "NoneType, and no Draw"),
    "vectors of one word": (vectors(np.zeros((1, 2), dtype=np.float32)), "vectors of type"),
    "vectors that are none": (vectors(np.zeros(3, dtype=np.int64)), "vectors of type int64"),
    "vectors that are not finite": (vectors(np.full((3, 2), np.nan)), "are not finite"),
    "an error": (broken, r"gave KeyError in test_trial\.py, line \d+"),
    "another signature": (lambda self, rows: Draw(rows), "gave TypeError in"),
}


def test_what_has_all_parts_is_taken(plane):
    check_mechanism(theirs())
    check_fitted(theirs(), plane)


@pytest.mark.parametrize(("changed", "says"), UNMADE.values(), ids=UNMADE)
def test_what_lacks_a_part_is_refused_when_the_component_is_made(changed, says):
    with pytest.raises(DxError, match=says) as refused:
        check_mechanism(theirs(**changed))
    assert str(refused.value).count("\n") == 0
    registry.dx_mechanisms("test.Theirs.v1", func=lambda: theirs(**changed))
    with pytest.raises(DxError, match=says):
        sanitizing(mechanism={"@dx_mechanisms": "test.Theirs.v1"})


def test_a_kind_that_is_not_known_is_refused_when_the_promise_is_made():
    registry.dx_mechanisms("test.Renyi.v1", func=lambda: theirs(guarantee=Guarantee("renyi", 1.0)))
    with pytest.raises(DxError, match=r"kind must be one of .*'renyi'"):
        sanitizing(mechanism={"@dx_mechanisms": "test.Renyi.v1"})


@pytest.mark.parametrize(("sample", "says"), UNFIT.values(), ids=UNFIT)
def test_a_draw_that_is_none_is_refused_when_the_mechanism_is_fitted(plane, sample, says):
    with pytest.raises(DxError, match=f"DX047.*test.Theirs.v1.*{says}") as refused:
        check_fitted(theirs(sample=sample), plane)
    assert refused.value.__context__ is None and "asthma" not in str(refused.value)


def test_a_promise_that_fit_replaced_is_looked_at_again(plane):
    with pytest.raises(DxError, match="guarantee of the mechanism"):
        check_fitted(theirs(guarantee=Quack()), plane)
