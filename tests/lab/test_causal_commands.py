"""dx attack --model, the judge; and every bad input in a line."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest
import srsly
from conftest import ok, run_dx, without_progress

from spacy_dxprivacy import DxError, Space
from spacy_dxprivacy.lab import causal
from spacy_dxprivacy.lab.report.pairs import judge_texts

from .fakes import FakeModel, small_law

MISTAKES = srsly.read_yaml(Path(__file__).with_name("mistakes.yaml"))

N = 5


@pytest.fixture
def folder(tmp_path, monkeypatch):
    T, first = small_law(N)
    model = FakeModel(T, first)
    monkeypatch.setitem(causal.OPENERS, "fake", lambda: model)
    X = np.random.default_rng(0).normal(size=(N, 3))
    Space.from_vectors([f"w{i}" for i in range(N)], X).save(tmp_path / "space")
    rows = np.random.default_rng(1).integers(0, N, (6, 8))
    texts = [" ".join(f"w{i}" for i in some) + "." for some in rows]
    records = [{"text": text, "id": i} for i, text in enumerate(texts)]
    srsly.write_jsonl(tmp_path / "in.jsonl", records)
    monkeypatch.chdir(tmp_path)
    return tmp_path


MECHANISM = ["-m", "exponential", "-e", "2", "--space", "space"]


def test_files_that_are_no_models_are_refused_and_a_missing_extra_is_named(folder, monkeypatch):
    (folder / "cut.gguf").write_bytes(b"GG")
    for name, why in (("cut.gguf", "a GGUF file"), ("none.gguf", "a GGUF file")):
        with pytest.raises(DxError, match=why):
            causal.open_model(name)
    (folder / "model").mkdir()
    (folder / "model" / "config.json").write_text("{}")
    monkeypatch.setattr(causal, "find_spec", lambda name: None)
    with pytest.raises(DxError, match=r"DX154.*torch, transformers.*\[lm\]"):
        causal.open_model("model")


def test_the_frontier_goes_by_who_finds_more_and_names_it(folder):
    pytest.importorskip("matplotlib", reason="plots (matplotlib)")
    given = ["attack", "frontier", "in.jsonl", *MECHANISM, "--out"]
    said = ok(run_dx(*given, "found", "--model", "fake"))
    assert "recovered by" in said.output and "(whichever recovers more)" in said.output
    (row,) = csv.DictReader((folder / "found" / "frontier.csv").read_text().splitlines())
    assert {row["attacker"], row["rare_attacker"]} <= {"word frequencies", "causal model"}
    pairs = ok(run_dx(*given, "pairs"))
    (alone,) = csv.DictReader((folder / "pairs" / "frontier.csv").read_text().splitlines())
    assert float(row["found"]) >= float(alone["found"]) and "recovered by" not in pairs.output


@pytest.mark.parametrize(("name", "more", "why"), MISTAKES["attack with a model"])
def test_what_cannot_attack_is_a_mistake_in_a_line(folder, name, more, why):
    said = run_dx("attack", name, "in.jsonl", *MECHANISM, *more)
    assert said.exit_code and len(without_progress(said.output)) == 1
    assert re.search(why, " ".join(said.output.split()))


def test_a_judge_counts_nats_a_word():
    T, first = small_law(N)
    found = judge_texts(FakeModel(T, first), ["w0 w1", "w2"], ["w1 w1", "w2"])
    before = np.log(first[0]) + np.log(T[0, 1]) + np.log(first[2])
    assert found.before == pytest.approx(-before / 3)
    assert found.after != found.before and found.model == "fake"
    assert judge_texts(FakeModel(T, first), [""], [""]) is None
