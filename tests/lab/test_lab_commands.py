"""Commands that evaluate: every mistake is one line on stderr, exit status 2, and no text."""

import json
import shlex

import pytest
from conftest import SECRET_TEXT, UNKNOWN_SECRETS, leaks, run_dx

ATTACK = [
    ("bribery notes.jsonl", "NAME"),
    ("guess missing.jsonl", "no such file"),
    ("guess .", "one file"),
    ("guess notes.jsonl -m nonsense", "nonsense"),
    ("guess notes.jsonl -e -1", "--epsilon"),
    ("guess notes.jsonl -m 'path colour=blue'", "no setting"),
    ("guess notes.jsonl -m 'path prior=Nonsense'", "no prior"),
    ("guess notes.jsonl -m 'path prior'", "NAME=VALUE"),
    ("link letter.txt -e 1", "DX090"),
    ("frontier notes.jsonl --at 1.5", "--at"),
    ("guess notes.jsonl --out letter.txt", "is not a folder"),
]
INSPECT = [
    ("Zorblattovich", "does not hold this word"),
    ("doctor -m laplace", "--epsilon"),
    ("doctor -e -2", "epsilon"),
    ("doctor -e 1e9", "epsilon"),
    ("doctor -m identity", "no epsilon"),
    ("doctor --space /nowhere", "/nowhere"),
]
COMMANDS = {"attack": ATTACK, "inspect": INSPECT}
CASES = [(command, *case) for command, cases in COMMANDS.items() for case in cases]


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
    assert len(done.stderr.splitlines()) == 1 and "Traceback" not in done.stderr
    assert not leaks(done.stderr) and not (folder / "results").exists()
