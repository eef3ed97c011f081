"""Guarantees are values, and they add up or are refused."""

import dataclasses
import json

import pytest

from spacy_dxprivacy import DxError, Guarantee, compose
from spacy_dxprivacy.privacy.composition import repeat

METRIC = Guarantee("metric-dp", 3.0, metric="euclidean", adjacency="all pairs", status="proven")
APPROX = Guarantee("approx-dp", 1.0, 1e-6, metric="discrete", adjacency="all", status="proven")


def test_a_guarantee_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        METRIC.epsilon = 1.0


@pytest.mark.parametrize("wrong", [{"kind": "dp"}, {"kind": "metric-dp", "status": "sure"}])
def test_kinds_and_statuses_come_from_a_list(wrong):
    with pytest.raises(DxError):
        Guarantee(**wrong)


def test_epsilons_and_deltas_add_up():
    assert compose([METRIC, METRIC]).epsilon == 6.0
    total = compose([APPROX] * 10)
    assert total.epsilon <= 10.0 and total.delta == pytest.approx(1e-5)


@pytest.mark.parametrize("guarantee", [METRIC, APPROX])
@pytest.mark.parametrize("n", [1, 7])
def test_a_repeated_guarantee_is_the_sum_of_its_copies(guarantee, n):
    assert repeat(guarantee, n) == compose([guarantee] * n)


def test_no_draw_costs_nothing():
    assert repeat(METRIC, 0).epsilon == 0.0


def test_one_word_without_a_guarantee_leaves_none():
    assert compose([METRIC, Guarantee("none")]).kind == "none"


def test_the_weakest_status_is_that_of_the_sum():
    claimed = dataclasses.replace(METRIC, status="claimed")
    assert compose([METRIC, claimed, METRIC]).status == "claimed"


@pytest.mark.parametrize(
    "other",
    [
        APPROX,
        dataclasses.replace(METRIC, metric="mahalanobis"),
        dataclasses.replace(METRIC, space="another"),
        dataclasses.replace(METRIC, adjacency="words of one group"),
    ],
)
def test_what_cannot_be_added_up_is_refused(other):
    with pytest.raises(DxError, match="DX040"):
        compose([METRIC, other])


def test_nothing_cannot_be_added_up():
    with pytest.raises(DxError, match="DX040"):
        compose([])


def test_it_can_be_written_as_json():
    assert json.loads(json.dumps(Guarantee("none").to_dict()))["epsilon"] is None
    assert json.loads(json.dumps(METRIC.to_dict()))["epsilon"] == 3.0


def test_it_reads_as_a_sentence():
    assert str(METRIC) == "metric-dp, epsilon 3 nats per unit of euclidean distance (proven)"
    assert str(Guarantee("none")) == "no guarantee"
