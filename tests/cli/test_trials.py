"""Machines that have too little, or are set up in odd ways: nothing is lost, and one sentence says
what happened."""

import json
import os
import subprocess
import sys

import pytest
from conftest import EPSILON, UNKNOWN_SECRETS, leaks, space_options

pytestmark = [pytest.mark.slow, pytest.mark.posix]
TEXT = f"the dog saw the old house by the river {UNKNOWN_SECRETS[0]}"
START = "from spacy.cli import setup_cli\nsetup_cli()"


def corpus(path, documents=20):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps({"text": TEXT}) for _ in range(documents)))
    return path


def dx(*args, before="", env=None):
    """The command as a person starts it, after some Python. No text and no stack is printed."""
    call = [sys.executable, "-c", f"{before}\n{START}", "dx", *map(str, args)]
    env = {**os.environ, **(env or {})}
    done = subprocess.run(call, capture_output=True, text=True, timeout=240, env=env)
    printed = done.stdout + done.stderr
    assert "Traceback" not in printed and not leaks(printed, UNKNOWN_SECRETS), printed
    return done


@pytest.fixture
def options(space_path):
    return [*space_options(space_path), "-m", "exponential", "-e", EPSILON]


@pytest.mark.posix
def test_too_little_memory_ends_with_a_sentence(tmp_path, options):
    """RLIMIT_AS: what is in use when the command begins, and 48 MB more."""
    before = (
        "import resource, spacy, spacy_dxprivacy.cli.sanitizing\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + 48 * 2**20,) * 2)"
    )
    source = tmp_path / "in.jsonl"
    source.write_text(json.dumps({"text": TEXT * 400_000}) + "\n" + json.dumps({"text": TEXT}))
    done = dx("sanitize", source, tmp_path / "out.jsonl", *options, before=before)
    assert done.returncode != 0
    left = list(tmp_path.glob("out*"))
    assert not left or len(left[0].read_text().splitlines()) == 1  # the record that did fit
    assert source.stat().st_size > 16e6


@pytest.mark.parametrize("name", ["a folder with blanks", "Ordner-Grüße", "папка", "文書 1"])
def test_paths_with_blanks_and_of_other_scripts(tmp_path, options, name):
    source, out = corpus(tmp_path / name / "in ü.jsonl"), tmp_path / name / "out ß"
    out.mkdir()
    given = [source, out / "clean é.jsonl", *options, "--receipt", out / "receipt ñ.json"]
    done = dx("sanitize", *given, env={"LC_ALL": "C", "PYTHONUTF8": "0"})
    assert done.returncode == 0, done.stderr
    assert json.loads((out / "receipt ñ.json").read_text("utf8"))["count"]["documents"] == 20


@pytest.mark.parametrize("home", ["read-only", "none", "a file"])
def test_homes_that_cannot_be_written(tmp_path, options, home):
    env = {**os.environ, "HOME": str(tmp_path / "home")}
    if home == "read-only":
        (tmp_path / "home").mkdir(mode=0o500)
    elif home == "a file":
        (tmp_path / "home").write_text("")
    else:
        del env["HOME"]
    source, out = corpus(tmp_path / "in.jsonl"), tmp_path / "out.jsonl"
    given = ["-m", "spacy", "dx", "sanitize", source, out, *options, "--entities", "person"]
    call = [sys.executable, *map(str, given)]
    done = subprocess.run(call, capture_output=True, text=True, timeout=240, env=env)
    assert done.returncode == 0, done.stderr
    assert len(out.read_text().splitlines()) == 20
