"""Lines of progress where stderr is no terminal: at equal intervals, and in a command alone."""

import re
import time

import pytest
import spacy

from spacy_dxprivacy import progress

EVERY = 0.05


@pytest.mark.parametrize(
    ("done", "total", "seconds", "initial", "line"),
    [
        (0, 200, 9, 0, "words: 00:09, 0% of 200"),
        (50, 200, 10, 0, "words: 00:10, 25% of 200, 00:30 left"),
        (100, 200, 10, 50, "words: 00:10, 50% of 200, 00:20 left"),
        (1, None, 61, 0, "words: 01:01"),
    ],
)
def test_a_line_says_how_far_and_how_long(done, total, seconds, initial, line):
    assert progress.line_of("words", done, total, seconds, initial) == line


def test_lines_come_while_a_step_runs_and_end_with_it(capsys):
    with progress.lines(EVERY):
        for step in progress.over([1, 2], "steps"):
            time.sleep(3 * EVERY if step == 1 else 0)
    first = capsys.readouterr().err.splitlines()
    assert len(first) >= 2 and all("0% of 2" in line for line in first)
    time.sleep(2 * EVERY)
    assert not capsys.readouterr().err


def test_a_library_call_says_nothing(capsys):
    for _ in progress.over([1], "steps"):
        time.sleep(2 * EVERY)
    assert not capsys.readouterr().err


def test_only_the_innermost_task_writes(capsys):
    with progress.lines(EVERY, "attack"):
        time.sleep(3 * EVERY)
        with progress.bar(None, "within"):
            time.sleep(3 * EVERY)
    labels = [line.partition(":")[0] for line in capsys.readouterr().err.splitlines()]
    assert set(labels) == {"attack", "within"}
    first, last = labels.index("within"), len(labels) - labels[::-1].index("within")
    assert set(labels[first:last]) == {"within"}  # on a slow machine the other one goes on after it


def next_lines(capsys):
    """The lines that come next, within ten seconds."""
    for _ in range(1000):
        time.sleep(0.01)
        if lines := capsys.readouterr().err.splitlines():
            return lines
    raise AssertionError("no line came")


@pytest.mark.parametrize("name", ["dx_entity_ruler", "dx_entity_recognizer"])
def test_the_steps_of_a_long_text_are_shown_and_those_of_a_short_one_are_not(
    name, capsys, monkeypatch
):
    nlp = spacy.blank("en")
    nlp.add_pipe(name)
    with progress.lines(EVERY), progress.bar(9, "note"):
        nlp("A note of a few words.")
        assert all(line.endswith("of 9") for line in next_lines(capsys))
        monkeypatch.setattr(progress, "LONG", 4)
        nlp("A note of a few words.")
        next_lines(capsys)  # the first may have begun before
        steps = [line.partition("of 9, ")[2].partition(",")[0] for line in next_lines(capsys)]
        assert {*steps} <= {*progress.STEPS}


def test_a_long_text_says_its_share_and_the_time_left_until_it_is_done(capsys, monkeypatch):
    """Soon, where other lines are farther apart."""
    monkeypatch.setattr(progress, "SOON", EVERY)
    monkeypatch.setattr(progress, "STEPS", {"first": 0.2, "second": 0.6, "last": 0.8})
    with progress.lines(8 * EVERY), progress.bar(9, "note") as shown:
        progress.step("first")
        assert {line.rpartition("of 9, ")[2] for line in next_lines(capsys)} == {"first"}
        progress.step("second", 0.5)
        pattern = r"note: 00:\d\d, 0% of 9, second, about 62% of a text, 00:0\d left"
        next_lines(capsys)  # the first may have begun before
        assert all(re.fullmatch(pattern, line) for line in next_lines(capsys))
        progress.step("first")  # of the next text
        next_lines(capsys)
        assert all(line.endswith(", first") for line in next_lines(capsys))
        shown.update(1)
        capsys.readouterr()
        time.sleep(3 * EVERY)
        assert len(capsys.readouterr().err.splitlines()) < 2  # that one may have begun before


def test_the_steps_come_in_the_order_of_the_work():
    shares = [*progress.STEPS.values()]
    assert shares == sorted(shares) and shares[0] == 0 and shares[-1] < 1


def test_a_bar_shows_the_step_until_the_text_is_done():
    with progress._Bar(total=9, delay=0.0, leave=False) as shown:
        progress.step("rules")
        assert shown.postfix == "rules"
        progress.step("network")
        assert "about 50% of a text" in shown.postfix
        shown.update(1)
        assert not shown.postfix
