"""Receipts that anybody may have written into a file: claimed, and never counted as protection."""

import pytest
from conftest import EXPONENTIAL, on_space, sanitizing
from spacy.tokens import DocBin

from spacy_dxprivacy import DxError, Space, UsageError, assert_sanitized
from spacy_dxprivacy.lab.audit import audit_release
from spacy_dxprivacy.lab.report import Request, page_of, read_release
from spacy_dxprivacy.lab.report.receipts import receipts_of

TEXT = "the dog Zorblatt"


@pytest.fixture(scope="module")
def nlp(space_path):
    return sanitizing(mechanism=EXPONENTIAL, space=on_space(space_path))


@pytest.fixture(scope="module")
def true(nlp):
    return dict(nlp(TEXT)._.dx)


@pytest.fixture
def forged(nlp, tmp_path):
    (tmp_path / "before.txt").write_text(TEXT)

    def write(receipt):
        doc = nlp.make_doc(TEXT)
        doc.user_data["dx_receipt"] = receipt
        DocBin(docs=[doc], store_user_data=True).to_disk(tmp_path / "after.spacy")
        return tmp_path / "after.spacy"

    return write


def page(after, space_path):
    return page_of(read_release(after, after, Space.load(space_path), Request()))


WRONG = {
    "stages": [None, 5, ["x"], [{"mechanism": "X"}]], "count": [5, {}], "loss": ["x", {}],
    "guarantee": ["x", {}, {"epsilon": "1"}],
    "in_clear": [None, 5, "every word", [5]], "space": [7],
    "scale": [5, {"nearest": 5}], "labels": [5, {"A": 5}], "attacker": ["x", {"x": 1}],
    "perturbed": [-5], "tokens": [2, "a"], "mentions": [5, {"A": 5}], "persons": [5, {"most": 5}],
}  # fmt: skip
CASES = [(name, value) for name, values in WRONG.items() for value in values]


def altered(receipt, name, value):
    """Return a receipt with another value, wherever it stands; labels are those of surrogates."""
    if name in receipt:
        return {**receipt, name: value}
    if name in receipt["count"]:
        return {**receipt, "count": {**receipt["count"], name: value}}
    stages = [{**stage, name: value} if name in stage else stage for stage in receipt["stages"]]
    if name == "labels":
        stages = [{"stage": "surrogates", name: value}, *stages]
    return {**receipt, "stages": stages}


@pytest.mark.parametrize("name, value", CASES)
def test_a_receipt_that_is_damaged_protects_nothing(forged, true, space_path, name, value):
    after = forged(altered(true, name, value))
    try:
        shown = page(after, space_path)
        assert "came with the text" in shown or "no receipt" in shown
    except UsageError as error:
        assert "Zorblatt" not in str(error) and str(error).count("\n") == 0
    found = audit_release(after, after.parent / "before.txt", space=Space.load(space_path))
    assert found.leaked


@pytest.mark.parametrize("receipt", ["abc", 5, [], {}, {"stages": 5}])
def test_what_is_no_receipt_is_none(forged, nlp, receipt):
    after = forged(receipt)
    assert receipts_of([after]) == ([], 1)
    doc = next(DocBin().from_disk(after).get_docs(nlp.vocab))
    with pytest.raises(DxError, match="DX032"):
        assert_sanitized(doc)
    claim = {"stage": "earlier", "claimed": True, "count": {}, "loss": {}}
    assert nlp(doc)._.dx.earlier in ([], [claim])


def test_a_receipt_that_fits_is_claimed_and_one_of_another_text_is_none(forged, true, space_path):
    assert receipts_of([forged(altered(altered(true, "tokens", 2), "perturbed", 1))]) == ([], 1)
    before = {"stage": "earlier", **altered(true, "space", "Other")}
    after = altered(true, "in_clear", ["every word"])
    after = forged({**after, "stages": [before, *after["stages"]]})
    shown = page(after, space_path)
    assert shown.count("which no key signed") == 1
    assert "Other" not in shown.split("The receipt, in full")[0]
    assert "may have written its receipt" in shown
    found = audit_release(after, after.parent / "before.txt", space=Space.load(space_path))
    assert not found.leaked and any("nobody signed" in note for note in found.notes)
    how = {"space": Space.load(space_path), "receipt": dict(true)}
    given = audit_release(after, after.parent / "before.txt", **how)
    assert given.leaked and not any("nobody signed" in note for note in given.notes)
