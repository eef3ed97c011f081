"""What a recogniser found in the originals is sought in what became of them."""

import json

import pytest
import spacy
from conftest import run_dx

from spacy_dxprivacy.lab.audit.original import Recognised, recognise, rules, survivors

OLD = [
    "Dr. Maria Kowalczyk saw him in New York; call 555-123-4567.",
    "It was KOWALCZYK who wrote it.",
    "Nothing here.",
]


@pytest.fixture(scope="module")
def known():
    return recognise(OLD, ["PERSON", "GPE", "PHONE", "DATE"], rules())


def test_what_its_own_original_does_not_have_was_drawn(known):
    assert known.counts["PERSON"] == 2 and known.counts["PHONE"] == 1
    new = ["Dr. Ann Smith saw him in Rome; call 1.", "It was SMITH in NEW YORK.", "Maria Kowalczyk"]
    assert not survivors(OLD, new, known)


@pytest.mark.parametrize(
    ("word", "label"),
    [
        *((word, "PERSON") for word in ("Kowalczyk", "maria", "Kowalczyk's", "m.kowalczyk@a.org")),
        *((word, "GPE") for word in ("New York", "new york")),
        ("555-123-4567", "PHONE"),
    ],
)
def test_each_part_is_found_in_any_form(known, word, label):
    some = survivors(OLD, [f"Dr. Ann Smith saw {word} there.", "", ""], known)
    assert {(s.document, s.label, s.recognised) for s in some} == {(0, label, True)}
    assert some[0].start >= 18 and some[0].word not in repr(some)


def test_what_was_recognised_elsewhere_survives_too(known):
    only_first = Recognised(known.parts, known.wholes, [known.by_document[0], set(), set()])
    assert [s.recognised for s in survivors(OLD, ["", OLD[1], ""], only_first)] == [False]


@pytest.mark.parametrize(("text", "status"), [("Dr. Ann Smith left.", 0), ("Dr. Maria X left.", 1)])
def test_the_command_exits_1_where_there_are_any(tmp_path, text, status):
    old, new, receipt = tmp_path / "o.jsonl", tmp_path / "r.jsonl", tmp_path / "r.json"
    old.write_text(json.dumps({"text": "Dr. Maria Kowalczyk left."}))
    new.write_text(json.dumps({"text": text}))
    made = ["sanitize", old, tmp_path / "c.jsonl", "--entities", "person"]
    assert run_dx(*made, "--receipt", receipt).exit_code == 0
    args = ["audit", "release", new, "--against", old, "--receipt", receipt]
    done = run_dx(*args, "--entities", "PERSON")
    assert done.exit_code == status, done.output
    assert ("survivors in 1 of 1 documents" in done.output) == bool(status)
    assert "maria" not in done.output.lower()
    spacy.blank("en").to_disk(tmp_path / "m")
    done = run_dx(*args, "--model", str(tmp_path / "m"))
    assert done.exit_code == 2 and "no entity recogniser" in done.output
