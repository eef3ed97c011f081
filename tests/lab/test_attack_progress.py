"""Attacks say how far they are, find epsilons, and leave a file when they are stopped."""

import csv
import os
import time

import pytest
from conftest import run_dx
from threadpoolctl import threadpool_limits

pytest.importorskip("matplotlib", reason="needs the extra 'plots'")  # --out draws a figure

from spacy_dxprivacy import progress
from spacy_dxprivacy.lab.commands import attack
from spacy_dxprivacy.lab.mechanisms import all_tunable, longest_first

NOISE = ["-m", "laplace", "-m", "exponential"]


@pytest.fixture
def notes(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("The doctor saw the patient. The nurse came at nine and left.\n" * 20)
    return path


@pytest.fixture
def dx(notes, space_path, tmp_path):
    options = ["--space", space_path, "--words", "30", "--candidates", "30"]
    return lambda *more: run_dx(
        "attack", "guess", notes, *options, "--out", tmp_path / "out", "--force", *more
    )


def rows_of(tmp_path):
    with open(tmp_path / "out" / "guess.csv", newline="", encoding="utf8") as file:
        return list(csv.DictReader(file))


def test_each_mechanism_is_attacked_over_a_range_of_its_own(dx, tmp_path):
    result = dx(*NOISE)
    assert result.exit_code == 0, result.output
    found = {name: set() for name in ("dx.Laplace.v1", "dx.Exponential.v1")}
    for row in rows_of(tmp_path):
        found[row["mechanism"]].add(float(row["epsilon"]))
    assert all(len(epsilons) == 5 for epsilons in found.values())
    assert found["dx.Laplace.v1"] != found["dx.Exponential.v1"]


def test_tables_and_the_file_of_what_is_done_are_there_after_a_stop(dx, tmp_path, monkeypatch):
    tries, attacked = [], attack.attack_all

    def stopping(names, trial):
        tries.append(trial.label)
        if len(tries) == 4:
            raise KeyboardInterrupt
        return attacked(names, trial)

    monkeypatch.setattr(attack, "attack_all", stopping)
    with threadpool_limits(1):  # one mechanism after the other
        result = dx(*NOISE, "-e", "2,4")
    assert result.exit_code == 130 and "guess: dx.Laplace.v1" in result.stdout
    done = {(row["mechanism"], row["epsilon"]) for row in rows_of(tmp_path)}
    assert done == {("dx.Laplace.v1", "2"), ("dx.Laplace.v1", "4"), ("dx.Exponential.v1", "2")}


def test_processes_change_no_figure(dx, tmp_path):
    found = []
    for processes in (1, 3):
        with threadpool_limits(processes):
            assert dx(*NOISE, "-m", "nadp", "-e", "2,4").exit_code == 0
        found.append(rows_of(tmp_path))
    assert found[0] == found[1]


@pytest.mark.parametrize("processes", [1, 2])
def test_lines_come_while_a_mechanism_shows_a_task_of_its_own(dx, monkeypatch, processes):
    def slow(label, trial, attacked=attack.attack_all):
        with progress.bar(None, "within"):
            time.sleep(0.1)
        return attacked(label, trial)

    monkeypatch.setattr(attack, "attack_all", slow)
    monkeypatch.setattr(attack, "attack_lines", lambda label: progress.lines(0.01, label))
    with threadpool_limits(processes):
        result = dx(*NOISE, "-e", "2,4")
    labels = [line.partition(":")[0] for line in result.stderr.splitlines()]
    # Other processes show nothing themselves.
    expected = "within" if processes == 1 else "dx.Laplace.v1, dx.Exponential.v1"
    assert result.exit_code == 0 and expected in labels and not progress._shown


def test_a_process_that_dies_is_an_error(dx, monkeypatch):
    monkeypatch.setattr(attack, "attack_all", lambda names, trial: os._exit(1))
    with threadpool_limits(2):
        result = dx(*NOISE, "-e", "2,4")
    assert result.exit_code == 2 and "A worker process died" in result.stderr


def test_attacks_on_sentences_begin_first_and_rows_are_in_order(dx, tmp_path, monkeypatch):
    log, made = tmp_path / "begun.txt", attack.make_mechanism

    def making(config, space, epsilon):
        with log.open("a") as file:  # of several processes
            file.write(config["@dx_mechanisms"] + "\n")
        return made(config, space, epsilon)

    monkeypatch.setattr(attack, "make_mechanism", making)
    with threadpool_limits(2):
        result = dx(*NOISE, "-m", "path", "-e", "2,4")
    begun = log.read_text().splitlines()
    assert begun.index("dx.Path.v2") < begun.index("dx.Exponential.v1")
    names = ["dx.Laplace.v1", "dx.Exponential.v1", "dx.Path.v2"]
    assert result.exit_code == 0, result.output
    assert list(dict.fromkeys(row["mechanism"] for row in rows_of(tmp_path))) == names
    tables = [line for line in result.stdout.splitlines() if line.startswith("guess: ")]
    assert sorted(tables) == sorted(f"guess: {name}" for name in names)  # as they end


def test_a_stop_waits_for_no_mechanism_that_has_not_begun(dx, monkeypatch):
    begun = []

    def stopping(make, target):
        begun.append(make)
        raise KeyboardInterrupt

    monkeypatch.setattr(attack, "epsilons_of", stopping)
    assert dx("-m", "all").exit_code == 130 and len(begun) <= 4


def test_lines_come_all_the_time_and_say_what_is_attacked(dx, monkeypatch):
    """At the interval of the command, which is shorter here."""
    assert attack.attack_lines.args[0] * 2 < 2
    monkeypatch.setattr(attack, "attack_lines", lambda label: progress.lines(0.01, label))
    labels = [line.partition(":")[0] for line in dx(*NOISE, "-e", "2").stderr.splitlines()]
    running = {name for label in labels for name in label.split(", ")}
    assert {"guess", "dx.Laplace.v1", "dx.Exponential.v1"} <= running


def test_attacks_that_take_longest_begin_first():
    """A long one that began last would leave the other processes idle."""
    begun = longest_first(all_tunable())
    assert begun[:2] == ["dx.Path.v2", "dx.Path.v1"] and sorted(begun) == sorted(all_tunable())
    noise = [begun.index(name) for name in ("dx.Laplace.v1", "dx.Gaussian.v1", "dx.NADP.v1")]
    stated = [begun.index(name) for name in ("dx.CusText.v1", "dx.TEM.v1", "dx.Exponential.v1")]
    assert max(noise) < min(stated)
