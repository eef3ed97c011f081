"""The script of tasks: what a model learns of a release, and what an attacker recovers of it."""

import csv
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import srsly
from conftest import module_of

from spacy_dxprivacy import Space, UsageError
from spacy_dxprivacy.lab.corpus import read_fields

pytest.importorskip("sklearn")
WORDS = [f"qw{i}z" for i in range(24)]
SCRIPT = Path(__file__).parents[2] / "projects" / "train_on_a_release" / "scripts" / "tasks.py"
needs_script = pytest.mark.skipif(not SCRIPT.exists(), reason="the projects are not packed")


def space():
    X = np.random.default_rng(1).standard_normal((len(WORDS), 4))
    return Space.from_vectors(WORDS, X, name="twenty-four")


@pytest.fixture
def texts(tmp_path):
    """Two topics by words of their own, two authors by another one."""
    rng = np.random.default_rng(0)
    rows = []
    for i in range(48):
        topic, author = i % 2, i // 2 % 2
        words = rng.integers(0, 8, 4) + 8 * topic
        text = " ".join([*(WORDS[w] for w in words), WORDS[16 + 4 * author]])
        rows.append({"text": text, "topic": topic, "author": f"a{author}"})
    srsly.write_jsonl(tmp_path / "texts.jsonl", rows)
    return tmp_path / "texts.jsonl"


@pytest.fixture
def tasks(monkeypatch):
    module = module_of(SCRIPT)
    monkeypatch.setattr(module, "Space", SimpleNamespace(builtin=space))
    return module


@pytest.fixture
def run(tasks, texts, tmp_path):
    """Return the rows of the table, numbers as numbers."""
    pytest.importorskip("matplotlib")
    words = ("mechanism", "guarantee")

    def made(epsilons, *more):
        given = [texts, "--label", "topic", "-m", "exponential", "-e", epsilons, *more]
        tasks.main([*map(str, given), "--out", str(tmp_path / "out")])
        with (tmp_path / "out" / "tasks.csv").open() as file:
            return [
                {name: v if name in words or not v else float(v) for name, v in row.items()}
                for row in csv.DictReader(file)
            ]

    return made


@needs_script
def test_the_table_has_the_whole_curve_and_what_lies_at_an_equal_attacker(run):
    rows = run(".001,.5,2,500", "--author", "author")
    clear, noise, *_ = rows
    (last,) = (row for row in rows if row["epsilon"] == 500)
    assert last["unchanged"] == last["recovered"] == 1  # where hardly a word changes
    assert noise["recovered"] < 0.3  # where words say nothing
    assert last["release to clear"] == clear["release to clear"] == 1
    for name in ("release to release", "author, static", "author, adaptive"):
        assert last[name] == clear[name] == 1 and noise[name] < 0.9
    equal = [row for row in rows if row["guarantee"].startswith("interpolated")]
    assert [row["recovered"] for row in equal] == pytest.approx([0.5, 0.6])
    assert len(rows) == 7
    names = {name for name in rows[1] if f"{name} low" in rows[1]}
    assert {"recovered", "rare recovered", "unchanged", "author, static"} <= names
    for row in rows:
        for name in names - {"rare recovered"}:  # no word of this space is known to be rare
            assert row[f"{name} low"] <= row[name] <= row[f"{name} high"]


def test_fields_are_named_by_columns_their_numbers_and_within_fields(tmp_path):
    table, lines = tmp_path / "texts.csv", tmp_path / "texts.jsonl"
    table.write_text("label,text\nL,a b\nM,\n,c\nN,d\n")
    assert list(read_fields(table, ["text", "label"])) == [("a b", "L"), ("d", "N")]
    assert list(read_fields(table, ["2", "1"])) == [("a b", "L"), ("d", "N")]
    lines.write_text('{"text": "a", "who": {"age": 7}}\n\n{"text": "b", "who": 1}\n')
    assert list(read_fields(lines, ["text", "who.age"])) == [("a", "7")]
    for broken in ('{"text": ', "3", "[1]"):
        lines.write_text(broken)
        with pytest.raises(UsageError, match="no row has") as error:
            list(read_fields(lines, ["text"]))
        assert broken not in str(error.value)


@needs_script
def test_releases_are_compared_at_the_shares_that_are_asked_for(run):
    rows = run(".5,2,500", "--at", ".7")
    equal = [row for row in rows if row["guarantee"].startswith("interpolated")]
    assert [row["recovered"] for row in equal] == pytest.approx([0.7])


@needs_script
def test_entities_alone_leave_all_other_words_to_the_attacker(tasks, tmp_path):
    rows = []
    for i in range(24):
        topic = i % 2
        text = " ".join(WORDS[12 * topic + (i + k) % 12] for k in range(4))
        rows.append({"text": f"{text} Maria Gonzalez", "topic": topic})
    srsly.write_jsonl(tmp_path / "texts.jsonl", rows)
    options = SimpleNamespace(field="text", label="topic", author=None, documents=24)
    study = tasks.Study(tmp_path / "texts.jsonl", options)
    texts, outputs, (guess,), guarantee = study.entities()
    assert not any("Gonzalez" in text for text in texts) and guarantee == "none"
    assert (outputs == study.target.text.rows).all()  # the space lacks the name
    assert (guess == study.target.text.rows).all()
    assert study.row(tasks.ENTITIES)["release to clear"] == 1
