"""`dx experiment tasks`: what a model learns of a release, and what an attacker recovers of it."""

import json
from dataclasses import replace

import numpy as np
import pytest
from spacy.cli._util import app
from typer.testing import CliRunner

from spacy_dxprivacy import Space
from spacy_dxprivacy.lab.experiments import EXPERIMENTS
from spacy_dxprivacy.lab.experiments.tasks import USUAL, at_attacker, macro_f1, split
from spacy_dxprivacy.lab.mechanisms import parse_mechanism

pytest.importorskip("sklearn")
WORDS = [f"w{i}" for i in range(24)]


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
    options = replace(EXPERIMENTS["tasks"].defaults, epsilons=(epsilon,), **given)
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
    (row,) = at_attacker(rows, 0.5)
    assert row["recovered"] == pytest.approx(0.5) and row["unchanged"] == pytest.approx(0.25)
    assert at_attacker(rows, 0.7) == []


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


@pytest.mark.parametrize(
    "lines, asked, message",
    [
        (["a,1", "b,2"], [], "--label"),
        (["a,1", "b,2"], ["--label", "gone"], "no field 'gone'"),
        (["a,1", "b,1"], ["--label", "label"], "two values"),
        (["a,1", "b,2", "c,3"], ["--label", "label"], "3 have one"),
        ([], ["--label", "label"], "two values"),
        (["a,1", "b,2", "a,1", "b,2"], ["--label", "label", "--author", "text2"], "text2"),
        ([], ["--label", "label", "--author", "text"], "two values"),
    ],
)
def test_what_nothing_can_be_learned_of_is_refused_in_a_sentence(tmp_path, lines, asked, message):
    path = tmp_path / "texts.csv"
    path.write_text("\n".join(["text,label", *lines]) + "\n")
    given = ["dx", "experiment", "tasks", "--text", str(path), "-o", str(tmp_path / "o"), *asked]
    done = CliRunner().invoke(app, given)
    assert done.exit_code == 2, done.output
    assert message in done.output + done.stderr
