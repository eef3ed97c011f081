"""The scripts for boards make what the boards read, of made-up files in their formats."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import srsly
from conftest import with_package

BOARDS = Path(__file__).parents[2] / "examples" / "boards"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not BOARDS.is_dir(), reason="the examples are not beside the tests"),
]
TEXT = "Other: May I have your name? Target: Maria Gonzalez, born on March 5, 1980, in Oregon."
NAME = TEXT.index("Maria"), TEXT.index(", born")


def run(script, *args):
    command = [str(part) for part in (sys.executable, BOARDS / script, *args)]
    done = subprocess.run(command, capture_output=True, text=True, env=with_package())
    assert "Gonzalez" not in done.stdout + done.stderr
    return done


def written(path, *rows):
    srsly.write_jsonl(path, rows)
    return path


def test_rat_bench_gets_its_rows_with_a_text_of_ours(tmp_path):
    row = {
        "id": 0, "profile": {"state of residence": "Oregon/OR"}, "features": ["ST", "DOB"],
        "direct_identifiers": {}, "indirect_identifiers": {"ST": "Oregon/OR"}, "difficulty": 1,
        "text": TEXT, "scenario": "Meeting transcript",
    }  # fmt: skip
    files = written(tmp_path / "level_1.jsonl", row), tmp_path / "out" / "level_1.jsonl"
    done = run("rat_bench.py", *files, "--entities", "person,date,gpe", "--model", "rules")
    assert done.returncode == 0, done.stderr
    (submitted,) = srsly.read_jsonl(files[1])
    anonymised = submitted.pop("text_anon_dx")
    assert submitted == row
    assert not any(word in anonymised for word in ("Gonzalez", "March 5, 1980"))
    assert anonymised.startswith("Other: May I have your name? ")
    assert run("rat_bench.py", *files, "--entities", "persn").returncode == 2


def test_europriv_gets_a_tag_for_each_word_and_surrogates(tmp_path):
    spans = [{"start": NAME[0], "end": NAME[1], "label": "PERSON"}]
    rows = [{"text": TEXT, "spans": spans}, {"text": "CNP 1850715400018 is hers.", "spans": []}]
    files = written(tmp_path / "rows.jsonl", *rows), tmp_path / "predictions.jsonl"
    done = run("europriv.py", *files, "--model", "rules", "--anonymize")
    assert done.returncode == 0, done.stderr
    first, second = srsly.read_jsonl(files[1])
    tagged = dict(zip(TEXT.split(), first["tags"], strict=True))
    assert (tagged["Maria"], tagged["Gonzalez,"]) == ("B-PERSON", "E-PERSON")
    assert [tagged[word] for word in ("March", "5,", "1980,")] == ["B-DATE", "I-DATE", "E-DATE"]
    assert (tagged["Oregon."], tagged["born"]) == ("S-ADDRESS", "O")
    assert second["tags"] == ["O", "S-NATIONAL_ID", "O", "O"]
    assert "Gonzalez" not in first["anonymized"] and "1850715400018" not in second["anonymized"]


@pytest.mark.skipif(not (BOARDS.parents[1] / "benchmarks").is_dir(), reason="no benchmarks here")
def test_a_court_case_of_tab_is_read_and_mistakes_are_told_by_form(tmp_path, monkeypatch):
    pytest.importorskip("presidio_analyzer")
    monkeypatch.syspath_prepend(str(BOARDS.parents[1] / "benchmarks"))
    module = import_module("entity_recognisers")
    text = "The applicant, Qwxzly, and MR ZZYXV lived near Oregon, as the Court found."
    spans = [("Qwxzly", "PERSON", "DIRECT"), ("ZZYXV", "PERSON", "DIRECT"),
             ("Oregon", "LOC", "QUASI"), ("Court", "ORG", "NO_MASK")]  # fmt: skip
    mentions = [
        {
            "entity_type": kind, "identifier_type": need, "start_offset": text.index(name),
            "end_offset": text.index(name) + len(name),
        }
        for name, kind, need in spans
    ]  # fmt: skip
    case = {"text": text, "annotations": {"annotator1": {"entity_mentions": mentions}}}
    path = tmp_path / "echr_test.json"
    srsly.write_json(path, [case])
    ((read, entities),) = module.read(path)
    assert read == text and [kind for kind, *_ in entities] == ["PERSON", "PERSON", "GPE"]
    tally = module.Tally()
    doc = module.spacy.blank("en")(text)
    doc.ents = ()
    module.add(tally, doc, entities)
    assert tally.missed == {"one word": 1, "capitals": 1}
    assert {*tally.leaking} == {"PERSON", "GPE"}
