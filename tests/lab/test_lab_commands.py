"""Commands that evaluate: every mistake is one line on stderr, exit status 2, and no text."""

import json
import shlex
from pathlib import Path

import pytest
import srsly
from conftest import SECRET_TEXT, UNKNOWN_SECRETS, leaks, run_dx, without_progress

MISTAKES = srsly.read_yaml(Path(__file__).with_name("mistakes.yaml"))

CASES = [(command, *case) for command in ("attack", "inspect") for case in MISTAKES[command]]


@pytest.fixture
def folder(tmp_path, monkeypatch, space):
    texts = {
        "notes": {"text": " ".join(space.words[:60])},
        "secret": {"text": SECRET_TEXT},
        "unknown": {"text": " ".join(UNKNOWN_SECRETS)},
    }
    for name, record in texts.items():
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(record) + "\n")
    (tmp_path / "broken.jsonl").write_text(SECRET_TEXT)
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "letter.txt").write_text("the doctor was good")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("command", "given", "says"), CASES)
def test_a_mistake_is_one_line(command, given, says, folder, space_path):
    if "--out" in given:
        pytest.importorskip("matplotlib", reason="matplotlib is not installed: the extra plots")
    args = [*command.split(), *shlex.split(given)]
    if "--space" not in given:
        args += ["--space", space_path]
    done = run_dx(*args)
    assert done.exit_code == 2 and done.stdout == "", done.output
    assert done.stderr.startswith(f"dx {command}: ") and says in done.stderr
    assert len(without_progress(done.stderr)) == 1 and "Traceback" not in done.stderr
    assert not leaks(done.stderr) and not (folder / "results").exists()
