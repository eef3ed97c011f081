"""`dx experiment tasks`: what a model learns of a release, and what an attacker recovers of it."""

import json

import numpy as np
import pytest
from spacy.cli._util import app
from typer.testing import CliRunner

from spacy_dxprivacy import Space, UsageError
from spacy_dxprivacy.lab.experiments import EXPERIMENTS, Options, tasks
from spacy_dxprivacy.lab.experiments.tasks import USUAL, split
from spacy_dxprivacy.lab.mechanisms import parse_mechanism
from spacy_dxprivacy.lab.results import Panel, draw_lines, interpolated
from spacy_dxprivacy.lab.texts import macro_f1, read_fields

pytest.importorskip("sklearn")
WORDS = [f"qw{i}z" for i in range(24)]


def space():
    X = np.random.default_rng(1).standard_normal((len(WORDS), 4))
    return Space.from_vectors(WORDS, X, name="twenty-four")


@pytest.fixture
def texts(tmp_path):
    """Two topics by words of their own, two authors by another one."""
    rng = np.random.default_rng(0)
    lines = []
    for i in range(48):
        topic, author = i % 2, i // 2 % 2
        words = rng.integers(0, 8, 4) + 8 * topic
        text = " ".join([*(WORDS[w] for w in words), WORDS[16 + 4 * author]])
        lines.append(json.dumps({"text": text, "topic": topic, "author": f"a{author}"}))
    path = tmp_path / "texts.jsonl"
    path.write_text("\n".join(lines))
    return path


def run(texts, epsilon, **settings):
    given = {"text": texts, "label": "topic", "mechanisms": ("exponential",), **settings}
    epsilons = epsilon if isinstance(epsilon, tuple) else (epsilon,)
    options = Options(epsilons=epsilons, documents=4000, **given)
    return EXPERIMENTS["tasks"].run(space(), options)


def test_where_hardly_a_word_changes_all_is_learned_and_all_is_recovered(texts):
    clear, row = run(texts, 500.0, author="author").rows
    assert row["unchanged"] == row["recovered"] == 1
    for name in ("release to release", "release to clear", "author, static", "author, adaptive"):
        assert row[name] == clear[name] == 1


def test_where_words_say_nothing_neither_the_task_nor_the_author_is_learned(texts):
    _, row = run(texts, 0.001, author="author").rows
    assert row["recovered"] < 0.3
    for name in ("release to release", "author, static", "author, adaptive"):
        assert row[name] < 0.9 and row[f"{name} low"] <= row[name] <= row[f"{name} high"]


def test_an_equal_attacker_lies_between_two_epsilons():
    rows = [
        {"mechanism": "a", "recovered": r, "unchanged": r / 2, "guarantee": ""} for r in (0.4, 0.6)
    ]
    (row,) = interpolated(rows, "recovered", 0.5)
    assert row["recovered"] == pytest.approx(0.5) and row["unchanged"] == pytest.approx(0.25)
    assert interpolated(rows, "recovered", 0.7) == []


def test_the_table_has_the_whole_curve_and_what_lies_at_an_equal_attacker(texts):
    result = run(texts, (0.5, 2.0, 500.0), author="author")
    equal = [row for row in result.rows if row["guarantee"].startswith("interpolated")]
    assert [row["recovered"] for row in equal] == pytest.approx([0.5, 0.6])
    assert len(result.rows) == 6 and len(result.shown) == 6
    names = [name for name in result.rows[1] if f"{name} low" in result.rows[1]]
    assert {"recovered", "rare recovered", "unchanged", "author, static"} <= set(names)
    for row in result.rows:
        for name in set(names) - {"rare recovered"}:  # no word of this space is known to be rare
            assert row[f"{name} low"] <= row[name] <= row[f"{name} high"]
    alone = run(texts, 500.0)
    assert any("not measured on both sides" in note for note in alone.notes)


def test_a_mechanism_with_one_row_is_drawn_as_a_marker():
    figure = pytest.importorskip("matplotlib.figure").Figure()
    rows = [{"x": x, "y": x, "by": by} for x, by in ((1, "one"), (1, "two"), (2, "two"))]
    axes = figure.subplots()
    draw_lines(axes, Panel("", rows, ("x", "y"), "by"), ["one", "two"])
    one, two = axes.get_lines()
    assert one.get_marker() == "o" and two.get_linestyle() == "-"


def test_an_interrupted_run_goes_on_where_it_stopped(texts, tmp_path, monkeypatch):
    whole = run(texts, (2.0, 500.0)).rows
    file, ran = tmp_path / "tasks.unfinished.json", []
    row = tasks.Study.row

    def stops(study, name, epsilon):
        if len(ran) == 2:
            raise KeyboardInterrupt
        ran.append(epsilon)
        return row(study, name, epsilon)

    monkeypatch.setattr(tasks.Study, "row", stops)
    with pytest.raises(KeyboardInterrupt):
        run(texts, (2.0, 500.0), unfinished=file)
    assert ran == [None, 2.0] and not any(word in file.read_text() for word in WORDS)
    del ran[:]
    assert str(run(texts, (2.0, 500.0), unfinished=file).rows) == str(whole)
    assert ran == [500.0]
    monkeypatch.setattr(tasks.Study, "row", row)
    other = run(texts, (2.0, 500.0), unfinished=file, author="author").rows
    assert "author, static" in other[0]  # rows of other settings are not taken


def test_macro_f1_counts_every_class_alike():
    from sklearn.metrics import f1_score

    rng = np.random.default_rng(2)
    classes, guess = rng.integers(0, 4, 200), rng.integers(0, 4, 200)
    found, low, high = macro_f1(classes, guess)
    assert found == pytest.approx(f1_score(classes, guess, average="macro"))
    assert low < found < high


def test_every_class_is_trained_on_and_tested_on():
    assert all(parse_mechanism(name)[1] for name in USUAL)
    labels = np.array([0] * 2 + [1] * 100 + [2] * 7)
    train, test = split(labels)
    assert set(labels[train]) == set(labels[test]) == {0, 1, 2}
    assert sorted([*train, *test]) == list(range(109))


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


@pytest.mark.parametrize(
    "lines, asked, message",
    [
        (["a,1", "b,2"], [], "--label"),
        (["a,1", "b,2"], ["--label", "gone"], "no row has all of text, gone"),
        (["a,1", "b,1"], ["--label", "label"], "two values"),
        (["a,1", "b,2", "c,3"], ["--label", "label"], "3 have one"),
        ([], ["--label", "label"], "no row has all of text, label"),
        (["a,", "b,"], ["--label", "label"], "no row has all of text, label"),
        (["a,1", "b,2", "a,1", "b,2"], ["--label", "label", "--author", "text2"], "text2"),
        (["a,1", "b,2", "a,1", "b,2", "c,1"], ["--label", "label", "--author", "text"], "1 have"),
        (["a,1", "b,2"] * 4, ["--label", "label", "--field", "gone"], "no column 'gone'"),
        (["?,1", "!,2"] * 4, ["--label", "label"], "a word or more"),
    ],
)
def test_what_nothing_can_be_learned_of_is_refused_in_a_sentence(tmp_path, lines, asked, message):
    path = tmp_path / "texts.csv"
    path.write_text("\n".join(["text,label", *lines]) + "\n")
    given = ["dx", "experiment", "tasks", "--text", str(path), "-o", str(tmp_path / "o"), *asked]
    done = CliRunner().invoke(app, given)
    assert done.exit_code == 2, done.output
    assert message in done.output + done.stderr
