"""Guarantees are values, and they add up or are refused."""

import dataclasses
import json
import math

import pytest

from spacy_dxprivacy import DxError, Guarantee, compose
from spacy_dxprivacy.privacy.composition import repeat

METRIC = Guarantee("metric-dp", 3.0, metric="euclidean", covers="all", status="proven")
APPROX = Guarantee("approx-dp", 1.0, 1e-6, metric="discrete", adjacency="all", status="proven")


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("kind", "renyi"), ("status", "sure"), ("covers", "most"), ("protects", "sentence"),
        ("epsilon", -1.0), ("epsilon", math.nan), ("epsilon", "2"), ("epsilon", None),
        ("delta", 1.5), ("delta", -0.1), ("delta", True), ("mu", -1.0),
    ],
)  # fmt: skip
def test_what_is_no_promise_is_refused_in_one_sentence_that_names_the_part(part, value):
    with pytest.raises(DxError, match=rf"^\[DX001\] {part} must be .*\.$") as refused:
        Guarantee(**{"kind": "metric-dp", part: value})
    assert repr(value) in str(refused.value)


def test_the_sentence_of_the_pairs_is_made_from_the_field():
    all_pairs = Guarantee("metric-dp", 1.0, covers="all")
    assert all_pairs.adjacency == "all pairs of words of the space"
    assert Guarantee("approx-dp", 1.0).covers == "all"
    assert Guarantee("approx-dp", 1.0, adjacency="pairs of friends").covers == "stated"
    assert Guarantee("none").covers == "none"
    related = Guarantee("approx-dp", 1.0, adjacency="friends", covers="related")
    assert (related.covers, related.adjacency) == ("related", "friends")


def test_a_promise_is_read_as_it_was_written():
    for guarantee in (METRIC, APPROX, Guarantee("none"), compose([APPROX, APPROX])):
        assert Guarantee.from_dict(json.loads(json.dumps(guarantee.to_dict()))) == guarantee
    with pytest.raises(KeyError):
        Guarantee.from_dict({"kind": "none"})


def test_it_says_its_unit_and_whether_it_holds_and_reads_as_a_sentence():
    assert str(METRIC) == "metric-dp, epsilon 3 nats per unit of euclidean distance (proven)"
    assert str(Guarantee("none")) == "no guarantee"
    assert METRIC.unit == "nats per unit of euclidean distance" and METRIC.holds
    assert APPROX.unit == "nats" and Guarantee("none").unit == ""
    assert not dataclasses.replace(METRIC, status="refuted").holds
    assert not Guarantee("none", status="proven").holds


@pytest.mark.parametrize("guarantee", [METRIC, APPROX])
@pytest.mark.parametrize("n", [1, 7])
def test_a_repeated_guarantee_is_the_sum_of_its_copies(guarantee, n):
    assert repeat(guarantee, n) == compose([guarantee] * n)


def test_epsilons_and_deltas_of_different_words_add_up():
    cheap, dear = (dataclasses.replace(METRIC, epsilon=epsilon) for epsilon in (0.5, 2.0))
    assert compose([cheap, dear, cheap, cheap]).epsilon == 3.5
    one, other = (dataclasses.replace(APPROX, mu=0.0, delta=delta) for delta in (1e-6, 3e-6))
    assert compose([one, other, one]).delta == pytest.approx(5e-6)


def test_the_weakest_part_decides():
    assert compose([METRIC, Guarantee("none")]).kind == "none"
    claimed = dataclasses.replace(METRIC, status="claimed")
    text = dataclasses.replace(METRIC, protects="text")
    assert compose([METRIC, claimed, METRIC]).status == "claimed"
    assert compose([text, text]).protects == "text"
    narrow = dataclasses.replace(METRIC, loss_range=1.0)
    assert compose([narrow, METRIC, narrow]).loss_range == METRIC.loss_range == 2.0
    assert compose([narrow, narrow]).loss_range == 1.0


@pytest.mark.parametrize(
    "other",
    [
        APPROX,
        dataclasses.replace(METRIC, metric="mahalanobis"),
        dataclasses.replace(METRIC, space="another"),
        dataclasses.replace(METRIC, adjacency="words of one group"),
        dataclasses.replace(METRIC, covers="finite"),
        dataclasses.replace(METRIC, protects="text"),
    ],
)
def test_what_cannot_be_added_up_is_refused(other):
    for parts in ([METRIC, other], []):
        with pytest.raises(DxError, match="DX040"):
            compose(parts)
