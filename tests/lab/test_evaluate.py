"""dx evaluate: figures of a golden set, in four forms, and text for the owner alone."""

import json
from functools import partial

import pytest
import srsly
from conftest import run_dx

from spacy_dxprivacy.io.build import make_pipeline
from spacy_dxprivacy.lab.golden import Gold, evaluate, read_gold
from spacy_dxprivacy.text.mentions import Entity

# 😀 is one code point; nobody would take "qwxzly" for a name, or "Boston" for none.
TEXT = "😀 Maria Lopez went to Boston with qwxzly on the bus."
SPANS = [("Maria Lopez", "PERSON"), ("qwxzly", "PERSON"), ("bus", "TITLE")]
GOLD = [(TEXT.index(text), TEXT.index(text) + len(text), label) for text, label in SPANS]
ENTITIES = [Entity(label, start, end) for start, end, label in GOLD]


def presidio():
    names = ("start_position", "end_position", "entity_type")
    return {"full_text": TEXT, "spans": [dict(zip(names, one, strict=True)) for one in GOLD]}


def named():
    return [dict(zip(("start", "end", "label"), one, strict=True)) for one in GOLD]


def label_studio(answers=()):
    values = [{"start": a, "end": b, "text": TEXT[a:b], "labels": [of]} for a, b, of in GOLD]
    values += [{"choices": [answer]} for answer in answers]
    result = [{"value": value} for value in values]
    return {"data": {"text": TEXT}, "annotations": [{"result": result}]}


VALUES = [one["value"] for one in label_studio()["annotations"][0]["result"]]
FORMS = {
    "presidio-research": presidio(), "prodigy": {"text": TEXT, "spans": named()},
    "label-studio": label_studio(), "label-studio-min": {"text": TEXT, "id": 1, "label": VALUES},
    "spacy-json": {"text": TEXT, "ents": named(), "spans": {}},
    "spacy-lists": {"text": TEXT, "ents": GOLD}, "spacy-2": [TEXT, {"entities": GOLD}],
}  # fmt: skip


def write(path, *rows):
    srsly.write_jsonl(path, rows)
    return path


run = partial(run_dx, "evaluate")


@pytest.mark.parametrize("name", FORMS)
def test_all_forms_are_read_alike(tmp_path, name):
    rejected = [{"text": TEXT, "spans": named(), "answer": "reject"}, label_studio(["reject"])]
    path = write(tmp_path / "gold.jsonl", FORMS[name], *rejected)
    assert read_gold(path) == [Gold(TEXT, ENTITIES)]


def tab(*mentions, **more):
    """A document of TAB: each annotator's mentions as (text, entity_type, identifier_type)."""
    names = ("start_offset", "end_offset", "entity_type", "identifier_type", "entity_id")
    annotations = {}
    for annotator, text, label, kind in mentions:
        at = TEXT.index(text)
        mention = dict(zip(names, (at, at + len(text), label, kind, text), strict=True))
        by_one = annotations.setdefault(annotator, {"entity_mentions": []})
        by_one["entity_mentions"].append(mention)
    return {"doc_id": "001-1", "text": TEXT, "annotations": annotations, **more}


def test_mentions_of_tab_are_counted_by_label_and_by_kind(tmp_path):
    document = tab(
        ("annotator1", "Maria Lopez", "PERSON", "QUASI"),
        ("annotator2", "Maria Lopez", "PERSON", "DIRECT"),
        ("annotator1", "qwxzly", "PERSON", "QUASI"),
        ("annotator1", "bus", "MISC", "QUASI"),
        ("annotator2", "Boston", "LOC", "NO_MASK"),
    )
    path = tmp_path / "echr_test.json"
    path.write_text(json.dumps([document]))
    (gold,) = read_gold(path)
    assert gold.entities == [(label.replace("TITLE", "MISC"), a, b) for label, a, b in ENTITIES]
    assert list(gold.kinds.values()) == ["DIRECT", "QUASI", "QUASI"]
    counts = evaluate(make_pipeline(entities=("person",)), [gold]).labels
    assert {name: (c.entities, c.missed) for name, c in counts.items()} == {
        "PERSON": (2, 1), "all": (2, 1), "DIRECT": (1, 0), "QUASI": (2, 2),
    }  # fmt: skip
    done = run(path, "--fail-under", "recall.DIRECT=1", "--fail-under", "recall.QUASI=.5")
    assert done.exit_code == 1 and done.stderr.count("recall") == 1
    assert "not counted but by DIRECT and QUASI: MISC (1)" in done.output
    path.write_text(json.dumps([document, tab(("annotator1", "bus", "MISC", None), text=3)]))
    assert "record 2" in run(path).stderr


def test_a_list_of_records_is_read_like_its_lines(tmp_path):
    path = tmp_path / "gold.json"
    path.write_text(json.dumps([FORMS["presidio-research"], FORMS["label-studio"]]))
    assert read_gold(path) == [Gold(TEXT, ENTITIES)] * 2
    path.write_text("7")
    assert run(path).exit_code == 2


def test_the_figures_of_a_text_that_is_counted_by_hand():
    clean = Gold("Ms. Lopez called.", [Entity("PATIENT", 4, 9)])
    found = evaluate(make_pipeline(entities=("person", "gpe")), [Gold(TEXT, ENTITIES), clean])
    counts = found.labels["PERSON"]
    assert found.labels.keys() == {"PERSON", "all"} and found.skipped == {"TITLE": 1}
    assert (counts.entities, counts.missed, counts.documents, counts.leaving) == (3, 1, 2, 1)
    assert counts.figure("recall") == pytest.approx(2 / 3) and counts.figure("clean") == 0.5
    assert len(found.misses) == 1 and "qwxzly" in found.misses[0]
    lopez = Gold("Maria Lopez", [Entity("PER", 6, 11)])
    more = evaluate(make_pipeline(entities=("person",)), [lopez])
    assert more.labels["PERSON"].figure("precision") == 0.5


def test_a_word_that_stays_elsewhere_is_left_in_the_document():
    gold = Gold("Mark Hope spoke. They hope.", [Entity("PERSON", 0, 9)])
    counts = evaluate(make_pipeline(entities=("person",)), [gold]).labels["PERSON"]
    assert (counts.missed, counts.leaving) == (0, 1)


def test_the_command_prints_no_text_unless_asked_and_fails_under(tmp_path):
    path = write(tmp_path / "gold.jsonl", *[FORMS["prodigy"]] * 3)
    done = run(path)
    assert done.exit_code == 0 and "0.500" in done.output and "TITLE (3)" in done.output
    assert not any(word in done.output for word in ("Maria", "Lopez", "qwxzly", "Boston"))
    assert run(path, "--misses", 2).output.count("'qwxzly' in") == 2
    bars = [("recall=.51", 1), ("recall.ORG=0", 1), ("precision.PERSON=.9", 0), ("recall=2", 2)]
    for bar, status in bars:
        assert run(path, "--fail-under", bar).exit_code == status, bar
    both = run(path, "--fail-under", "recall=.5", "--fail-under", "clean=1")
    assert both.exit_code == 1 and "clean is 0.000, below 1." in both.stderr


@pytest.mark.parametrize("bad", [
    {"text": "Okonkwo", "spans": [{"start": 0, "end": 9, "label": "PERSON"}]},
    {"text": "Okonkwo", "spans": [{"start": "0", "end": 3, "label": "PERSON"}]},
    {"text": "Okonkwo"}, {"text": 7, "spans": []}, 5, "Okonkwo", {"annotations": []},
])  # fmt: skip
def test_a_record_that_is_none_is_named_by_its_number(tmp_path, bad):
    path = write(tmp_path / "gold.jsonl", FORMS["prodigy"], bad)
    done = run(path)
    assert done.exit_code == 2 and "record 2" in done.stderr and "Okonkwo" not in done.output
    assert run(tmp_path / "none.jsonl").exit_code == 2
