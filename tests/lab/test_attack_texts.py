"""Attacks on whole texts: what a reader infers of the author, and whose text it was."""

import csv
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import srsly
from conftest import ok, run_dx, without_progress

from lab.fakes import FakeModel, small_law
from spacy_dxprivacy.lab.attacks.whole import (
    ADAPTIVE,
    CAUSAL,
    KEPT,
    LINKED,
    ONLY,
    STATIC,
    Posts,
    infer,
    link_texts,
)
from spacy_dxprivacy.lab.causal import OPENERS

MISTAKES = srsly.read_yaml(Path(__file__).with_name("mistakes.yaml"))

pytest.importorskip("sklearn")
NAN = float("nan")
TRADES = {"a nurse": "ward shift", "a cook": "stove salt", "a pilot": "runway wind"}


def posts(n=60, authors=None):
    trades = [list(TRADES)[i % 3] for i in range(n)]
    texts = [f"today {TRADES[trade]} again number{i % 7}" for i, trade in enumerate(trades)]
    own = np.arange(n) if authors is None else np.asarray(authors)
    return Posts(texts, {"job": trades, "age": [str(20 + i % 40) for i in range(n)]}, own)


def by_attacker(figures, name):
    return {f.attacker: f for f in figures if f.setting == name}


def test_what_posts_say_is_inferred_and_what_they_do_not_say_is_not():
    figures = list(infer(posts(), posts().texts, ("plaintext", NAN), None))
    job, age = (by_attacker(figures, name)[STATIC] for name in ("job", "age"))
    assert job.value == 1 and job.baseline == pytest.approx(1 / 3)
    assert job.low <= job.value <= job.high and job.unchanged == 1
    assert age.value < 0.6  # the ages are quarters of numbers


def test_a_release_of_other_words_gives_away_nothing_and_a_code_only_to_who_learns_it():
    some = posts()
    silent = ["the same for all"] * 60
    figures = by_attacker(infer(some, silent, ("none", 1.0), None), "job")
    assert max(f.value for f in figures.values()) <= 0.4 and figures[STATIC].unchanged == 0
    coded = [text.translate(str.maketrans("wsr", "xyz")) for text in some.texts]
    code = by_attacker(infer(some, coded, ("code", 1.0), None), "job")
    assert code[ADAPTIVE].value == 1


def test_posts_of_one_author_are_never_trained_on_and_tested_on():
    n = 60
    texts = [f"word{i % 20} again" for i in range(n)]  # 20 authors, a word of their own each
    jobs = [list(TRADES)[i % 20 % 3] for i in range(n)]
    known = Posts(texts, {"job": jobs}, np.arange(n))
    unknown = Posts(texts, {"job": jobs}, np.arange(n) % 20)
    found = [next(infer(p, texts, ("x", NAN), None)).value for p in (known, unknown)]
    assert found[0] >= 0.8 and found[1] < 0.5


def test_a_causal_model_chooses_among_the_values():
    model = FakeModel(*small_law(4))
    figures = by_attacker(infer(posts(), posts().texts, ("plaintext", NAN), model), "job")
    assert figures[CAUSAL].value == pytest.approx(1 / 3)  # it says the same of all


def test_a_text_that_stands_is_linked_and_one_that_does_not_is_not():
    texts = [f"visit {i} of number{'abcdefgh'[i]} to the ward" for i in range(8)]
    same = {f.measure: f for f in link_texts(texts, texts, ("same", NAN))}
    assert same[LINKED].value == same[KEPT].value == 1
    texts = [f"{name} went to the ward" for name in ("ann", "bob", "eve", "joe")]
    new = [text.replace(text.split()[0], "somebody") for text in texts]
    other = {f.measure: f for f in link_texts(texts, new, ("new", NAN))}
    assert other[LINKED].value == other[LINKED].baseline == 0.25
    assert other[KEPT].value == 0.8 and other[ONLY].value == 0 and other[ONLY].n == 4


run = partial(run_dx, "attack")


@pytest.fixture
def source(tmp_path):
    some = posts()
    rows = [
        {"post": text, "who": {"job": job, "alone": f"x{i}", "all": 1}, "other": text.upper()}
        for i, (text, job) in enumerate(zip(some.texts, some.attributes["job"], strict=True))
    ]
    srsly.write_jsonl(tmp_path / "posts.jsonl", rows)
    return tmp_path / "posts.jsonl"


def read(path):
    return list(csv.DictReader(path.read_text().splitlines()))


def test_the_commands_print_and_write_both_attacks(source, tmp_path, monkeypatch):
    given = [source, "--field", "post", "-e", "0.9", "--out", str(tmp_path)]
    monkeypatch.setitem(OPENERS, "fake", lambda: FakeModel(*small_law(4)))
    done = ok(run("attributes", *given, "--attribute", "who.job", "--model", "fake"))
    assert ".46 to .79" in done.stdout and "nurse" not in done.output
    rows = read(tmp_path / "attributes.csv")
    releases = [(row["mechanism"], row["epsilon"], row["attacker"]) for row in rows]
    at = ("dx.Path.v2", "0.9")
    plain = [("plaintext", "", STATIC), ("plaintext", "", CAUSAL)]
    assert releases == [*plain, (*at, STATIC), (*at, ADAPTIVE), (*at, CAUSAL)]
    ok(run("link", *given, "--released", "other"))
    rows = read(tmp_path / "link.csv")
    assert [row["mechanism"] for row in rows] == ["other"] * 3 + ["dx.Path.v2"] * 3
    assert float(rows[1]["value"]) == 1  # capitals are no change of a word


@pytest.mark.parametrize("given, message", MISTAKES["attack on texts"])
def test_what_cannot_be_measured_is_refused_in_a_sentence(source, given, message):
    done = run(given[0], source, "--field", "post", *given[1:])
    assert done.exit_code == 2 and message in done.stderr, done.output
    assert len(without_progress(done.stderr)) == 1 and "ward" not in done.output
