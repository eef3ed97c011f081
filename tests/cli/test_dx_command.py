"""`dx` as a program of its own, and the commands around `dx sanitize`."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import srsly
from conftest import ok, refusal, run_dx
from spacy.cli._util import app as spacy_app
from typer.testing import CliRunner

from spacy_dxprivacy import Space, __version__
from spacy_dxprivacy.cli import COMMANDS, dx_cli, load_commands, split_overrides
from spacy_dxprivacy.cli.sanitizing import NOTE
from spacy_dxprivacy.pipeline.component import DEFAULT_CONFIG

MISTAKES = srsly.read_yaml(Path(__file__).with_name("mistakes.yaml"))


def test_help_lists_every_command_in_two_groups():
    use, evaluate = run_dx("--help").stdout.split("Use:")[1].split("Evaluate:")
    named = [re.findall(r"^  (\w+) ", part, re.M) for part in (use, evaluate)]
    assert named[0] == list(COMMANDS) and [*named[0], *named[1]] == list(load_commands())
    assert "sanitize" in named[0] and "attack" in named[1]


def test_the_version_is_that_of_the_package():
    assert run_dx("--version").stdout == f"dx {__version__}\n"


@pytest.mark.parametrize(("args", "message"), MISTAKES["any command"])
@pytest.mark.parametrize("app", [dx_cli, spacy_app])
def test_every_mistake_is_one_line_in_one_voice(app, args, message):
    said = refusal(CliRunner().invoke(app, args if app is dx_cli else ["dx", *args]))
    assert said.startswith(message) and "Zorblatt" not in said


def test_without_arguments_a_note_is_shown_in_both_modes():
    lines = ok(run_dx("sanitize")).stdout.splitlines()
    assert lines[1] == NOTE
    by_entities, sampled = (lines[i - 1] for i, line in enumerate(lines) if "  Use " in line)
    assert "retired teacher" in by_entities and "Whitcombe" not in by_entities + sampled
    uses = [line.split(maxsplit=1)[1] for line in lines if line.startswith("  Use ")]
    assert uses == ["for readers", "for training and counting, not for reading"]


@pytest.mark.parametrize(
    "option", [("--entities", "person"), ("-q",), ("--field", "note"), ("-F",)]
)
def test_an_option_without_an_input_is_a_mistake(option):
    assert "name an INPUT" in refusal(run_dx("sanitize", *option))


def test_a_pipe_without_a_dash_is_a_mistake():
    command = [sys.executable, "-m", "spacy", "dx", "sanitize"]
    done = subprocess.run(command, input="Maria slept.", capture_output=True, text=True)
    assert done.returncode == 2 and "- for stdin" in done.stderr and not done.stdout


def test_no_line_of_a_summary_is_cut():
    many = "person,date,gpe,address,org,email,phone,url,id,secret,cardinal,quantity"
    text = f"{NOTE} Call (415) 867-5309, id AX-4419-77, 12 Main Street, Boston, a@b.org, 3 kg."
    for how in (["--entities", many], ["--surrogates", "standard"], []):
        done = ok(run_dx("sanitize", "-", *how, input=text))
        lines = done.stderr.splitlines()
        assert "..." not in done.stderr and "…" not in done.stderr
        assert all(len(line) <= 92 for line in lines) and len(lines) < 16


def test_overrides_may_stand_anywhere_and_take_one_value():
    args = ["--a.b", "1", "in.txt", "--c.d=2", "-e", ".5", "out.txt", "--e.f", "--", "--g.h"]
    others, overrides = split_overrides(args)
    assert others == ["in.txt", "-e", ".5", "out.txt", "--", "--g.h"]
    assert overrides == ["--a.b", "1", "--c.d=2", "--e.f"]
    assert split_overrides(["--text=Hello. You."]) == (["--text=Hello. You."], [])


def test_a_config_of_spacy_has_every_default_and_makes_the_same_pipeline(tmp_path):
    Space.from_vectors(["cat", "dog", "sun"], np.eye(3)).save(tmp_path / "small")
    base, filled = tmp_path / "base.cfg", tmp_path / "filled.cfg"
    base.write_text(
        '[nlp]\nlang = "en"\npipeline = ["dx_sanitizer"]\n[components]\n[components.dx_sanitizer]\n'
        'factory = "dx_sanitizer"\nscope = "type"\n[components.dx_sanitizer.space]\n'
        f'@dx_spaces = "dx.FileSpace.v1"\npath = "{tmp_path / "small"}"\n'
    )
    ok(CliRunner().invoke(spacy_app, ["init", "fill-config", str(base), str(filled)]))
    text = filled.read_text()
    assert f"epsilon = {DEFAULT_CONFIG['mechanism']['epsilon']}" in text
    for name in DEFAULT_CONFIG:
        assert f"\n{name} = " in text or f"[components.dx_sanitizer.{name}]" in text
    (tmp_path / "a.txt").write_text("cat dog sun")
    sanitized = ok(run_dx("sanitize", tmp_path / "a.txt", "--config", filled))
    assert set(sanitized.stdout.lower().split()) <= {"cat", "dog", "sun"}
