"""dx evaluate: figures of a golden set, in four forms, and text for the owner alone."""

import json
from functools import partial

import pytest
import srsly
from conftest import run_dx

from spacy_dxprivacy.entities import THRESHOLDS
from spacy_dxprivacy.io.build import make_pipeline
from spacy_dxprivacy.lab.ceilings import bound_share
from spacy_dxprivacy.lab.decisions import decisions_of
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


@pytest.mark.parametrize("name", ["拓也 井上", "井上拓也", "محمد علي", "Мария Иванова"])
@pytest.mark.parametrize("text", ["Please call {} about the bill.", "{} lives here in town."])
def test_a_name_in_another_script_that_is_replaced_is_not_missed(name, text):
    start, written = text.index("{"), text.format(name)
    nlp = make_pipeline(entities="person", model="rules", language="en")
    evaluation = evaluate(nlp, [Gold(written, [Entity("PERSON", start, start + len(name))])])
    assert not any(word in nlp(written).text for word in name.split())
    assert not evaluation.misses and not evaluation.wrong and evaluation.left == [False]


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


def test_the_bound_counts_documents_and_is_stated_for_all_of_them(tmp_path):
    clean = {"text": "We slept well.", "spans": []}
    path = write(tmp_path / "gold.jsonl", FORMS["prodigy"], *[clean] * 19)
    done = run(path, "--entities", "person")
    assert "20 documents. 1 with a readable word of an entity" in done.output
    assert f"at most {bound_share(1, 20):.1%} have one" in done.output
    (row,) = [line for line in done.output.splitlines() if line.startswith("PERSON")]
    assert row.split()[-1] == f"{bound_share(1, 1):.3f}"


def test_a_ceiling_names_the_highest_thresholds_that_reach_it(tmp_path):
    names = ["Maria Lopez", "John Smith", "Peter Miller"] * 4
    rows = [
        {"text": f"{name} called.", "spans": [{"start": 0, "end": len(name), "label": "PERSON"}]}
        for name in names
    ]
    path = write(tmp_path / "gold.jsonl", *rows)
    done = run(path, "--bound", 0.2)
    assert done.exit_code == 0, done.output
    highest = ", ".join(f"{label} {2 * THRESHOLDS[label]:g}" for label in ("PERSON", "ORG"))
    assert f"The highest thresholds for 0.2: {highest}" in done.output
    done = run(path, "--bound", 0.01)
    assert done.exit_code == 1 and "It takes 99 clean documents or more." in done.output
    assert "no threshold keeps the share at 0.01" in done.stderr
    done = run(path, "--bound", 0.2, "--entities", "person", "--model", "rules")
    assert done.exit_code == 2 and "dx_entity_recognizer" in done.stderr


def reviewed(form):
    """Texts that a reviewer marked: qwxzly is a person, and Zenith is none."""
    text = "They went with qwxzly on the bus. Mr. Zenith is a watch, and Maria Lopez likes it."
    spans = [
        {"start": text.index(name), "end": text.index(name) + len(name), "label": "PERSON"}
        for name in ("qwxzly", "Maria Lopez")
    ]
    if form == "prodigy":
        return {"text": text, "spans": spans, "answer": "accept"}
    values = [{"value": {**span, "labels": [span["label"]]}} for span in spans]
    return {"data": {"text": text}, "annotations": [{"result": values}]}


@pytest.mark.posix
@pytest.mark.parametrize("form", ["prodigy", "label-studio"])
def test_decisions_come_back_as_a_config_that_follows_them(tmp_path, form):
    path, config = write(tmp_path / "gold.jsonl", reviewed(form)), tmp_path / "decided.cfg"
    before = run(path, "--entities", "person,date")
    done = run(path, "--entities", "person,date", "--decisions", config)
    assert done.exit_code == 0 and "1 always replaced, 1 never" in done.stderr
    assert done.stdout == before.stdout and "qwxzly" not in done.output
    written = config.read_text(encoding="utf8")
    assert all(word in written for word in ("qwxzly", "Zenith"))
    # No text but the listed words, and nobody else can read them.
    assert not any(word in written for word in ("Lopez", "watch", "bus"))
    assert config.stat().st_mode & 0o077 == 0
    text = tmp_path / "new.txt"
    text.write_text("Mr. Zenith and qwxzly met John Smith.")
    released = run_dx("sanitize", text, "--config", config, "-q").stdout
    assert "Zenith" in released and "qwxzly" not in released and "Smith" not in released
    again = run(path, "--config", config)
    (row,) = [line for line in again.output.splitlines() if line.startswith("PERSON")]
    assert row.split()[2:4] == ["1.000", "1.000"]
    assert run(path, "--entities", "person", "--decisions", config).exit_code == 2  # it exists


def test_a_word_that_is_a_name_in_another_text_is_never_allowed():
    texts = [
        Gold("Mr. Zenith is a watch.", []),
        Gold("Mrs. Zenith called.", [Entity("PERSON", 5, 11)]),
    ]
    found = evaluate(make_pipeline(entities=("person",)), texts)
    assert found.wrong and decisions_of(found, texts).allow == []


def test_decisions_carry_the_thresholds_and_the_earlier_lists(tmp_path):
    path, config = write(tmp_path / "gold.jsonl", *[reviewed("prodigy")] * 9), tmp_path / "a.cfg"
    done = run(path, "--entities", "person", "--bound", 1, "--decisions", config)
    assert done.exit_code == 0, done.output
    nlp = make_pipeline(config=config)
    assert nlp.get_pipe("dx_entity_recognizer").thresholds["PERSON"] == 2 * THRESHOLDS["PERSON"]
    text = TEXT.replace("qwxzly", "grblwx")
    at = text.index("grblwx")
    spans = [{"start": at, "end": at + len("grblwx"), "label": "PERSON"}]
    more = write(tmp_path / "more.jsonl", {"text": text, "spans": spans})
    second = tmp_path / "b.cfg"
    assert run(more, "--config", config, "--decisions", second).exit_code == 0
    selector = make_pipeline(config=second).get_pipe("dx_entity_sanitizer").settings.selector
    assert all(selector.deny["PERSON"].search(name) for name in ("qwxzly", "grblwx"))
    nlp.to_disk(tmp_path / "folder")
    third = run(more, "--config", tmp_path / "folder", "--decisions", tmp_path / "c.cfg")
    assert third.exit_code == 2 and "a folder has data" in third.stderr


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
