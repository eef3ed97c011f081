"""Guarantees are values, and they add up or are refused."""

import ast
import dataclasses
import json
import math
from pathlib import Path

import pytest

import spacy_dxprivacy
from spacy_dxprivacy import DxError, Guarantee, compose
from spacy_dxprivacy.lab.report.receipts import receipts_of
from spacy_dxprivacy.privacy.composition import repeat

FIXTURES = Path(__file__).parent / "fixtures" / "0.1.0"
PACKAGE = Path(spacy_dxprivacy.__file__).parent

METRIC = Guarantee("metric-dp", 3.0, metric="euclidean", adjacency="all pairs", status="proven")
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
    related = Guarantee("approx-dp", 1.0, adjacency="friends", covers="related")
    assert (related.covers, related.adjacency) == ("related", "friends")


@pytest.mark.parametrize(
    ("kind", "adjacency", "covers"),
    [
        ("metric-dp", "all pairs of words of the space", "all"),
        ("approx-dp", "all pairs", "all"),
        ("approx-dp", "", "all"),
        ("approx-dp", "all pairs of friends; no other pair", "stated"),
        ("none", "", "none"),
    ],
)
def test_a_promise_of_0_1_that_has_the_sentence_alone_is_read(kind, adjacency, covers):
    told = {"kind": kind, "epsilon": 2.0, "adjacency": adjacency, "later": "unknown"}
    assert Guarantee.from_dict(told).covers == covers


def test_a_promise_is_read_as_it_was_written():
    for guarantee in (METRIC, APPROX, Guarantee("none"), compose([APPROX, APPROX])):
        assert Guarantee.from_dict(json.loads(json.dumps(guarantee.to_dict()))) == guarantee
    with pytest.raises(KeyError):
        Guarantee.from_dict({"kind": "none"})


def test_receipts_of_0_1_say_what_they_cover():
    accounts, without = receipts_of([FIXTURES / "released.spacy"])
    assert accounts and not without
    for account in accounts:
        assert account.terms.guarantee.covers == "all"
        assert account.terms.guarantee.protects == "word"


def test_it_says_its_unit_and_whether_it_holds_and_reads_as_a_sentence():
    assert str(METRIC) == "metric-dp, epsilon 3 nats per unit of euclidean distance (proven)"
    assert str(Guarantee("none")) == "no guarantee"
    assert METRIC.unit == "nats per unit of euclidean distance" and METRIC.holds
    assert APPROX.unit == "nats" and Guarantee("none").unit == ""
    assert not dataclasses.replace(METRIC, status="refuted").holds
    assert not Guarantee("none", status="proven").holds


def sentences_read(tree):
    """Where code looks into a sentence of a guarantee: `x in g.notes`, g.adjacency.startswith."""

    def sentence(node):
        if not isinstance(node, ast.Attribute):
            return False
        base = ast.unparse(node.value).rpartition(".")[2]
        return node.attr == "adjacency" or (
            node.attr in ("source", "notes") and base in ("g", "guarantee", "first", "promise")
        )

    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and any(map(sentence, [node.left, *node.comparators])):
            yield ast.unparse(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if sentence(node.func.value):
                yield ast.unparse(node)


def test_no_code_reads_a_promise_out_of_its_sentences():
    """One place does, for receipts that have nothing else."""
    assert list(sentences_read(ast.parse("'Balle' in mechanism.guarantee.source")))
    assert list(sentences_read(ast.parse("g.adjacency.startswith('all pairs')")))
    found = {
        (path.name, line)
        for path in PACKAGE.rglob("*.py")
        for line in sentences_read(ast.parse(path.read_text(encoding="utf8")))
    }
    assert found == {("guarantee.py", "self.adjacency in OF_ALL_PAIRS")}


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
