"""Documents about one person are linked by the surrogates of the name, or not, as scopes say."""

import csv
import io
import json

import spacy
from spacy.cli._util import app
from typer.testing import CliRunner

from spacy_dxprivacy import Rng
from spacy_dxprivacy.lab.attacks.persons import link_persons, linked

NAMES = ["Maria Lopez", "John Smith", "Peter Hansen", "Anna Kowalska"]
TEXTS = [f"Today {NAMES[i % 4]} was seen, and was told to rest." for i in range(40)]


def test_scopes_link_as_they_say():
    assert linked([{"a b"}, {"c d"}, {"a b", "c d"}]) == {(0, 2), (1, 2)}
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_entity_ruler")
    found = {(f.setting, "without" in f.measure): f.value for f in link_persons(nlp, TEXTS, Rng(1))}
    assert found["scope corpus", False] == 1 and found["scope corpus", True] == 0
    for scope in ("mention", "document"):
        assert found[f"scope {scope}", False] < 0.01 and found[f"scope {scope}", True] < 0.01


def test_the_command_tells_and_writes(tmp_path):
    source = tmp_path / "notes.jsonl"
    source.write_text("\n".join(json.dumps({"text": text}) for text in TEXTS[:8]))
    given = ["dx", "attack", "persons", str(source), "--out", str(tmp_path)]
    done = CliRunner().invoke(app, given)
    assert done.exit_code == 0, done.output
    assert "scope corpus" in done.stdout and "Lopez" not in done.output
    rows = list(csv.DictReader(io.StringIO((tmp_path / "persons.csv").read_text())))
    assert {row["attack"] for row in rows} == {"persons"} and len(rows) == 6
    assert CliRunner().invoke(app, given).exit_code == 2  # it is there already
