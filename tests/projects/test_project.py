"""project.yml: its commands are there, and all of it runs without a network."""

import hashlib
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import srsly
from conftest import run_dx
from typer.main import get_command

from spacy_dxprivacy.cli import dx_cli, split_overrides
from spacy_dxprivacy.space.sources import load

ROOT = Path(__file__).parents[2]
PROJECT = ROOT / "project.yml"

pytestmark = pytest.mark.skipif(not PROJECT.exists(), reason="project.yml is not beside the tests")


def commands():
    found = srsly.read_yaml(PROJECT)["commands"] if PROJECT.exists() else []
    return [
        command for command in found if command["name"] not in ("verify", "init", "package", "ner")
    ]


@pytest.mark.parametrize("command", commands(), ids=lambda command: command["name"])
def test_a_command_names_what_there_is(command):
    (line,) = command["script"]
    python, m, spacy, dx, name, *arguments = shlex.split(line)
    assert [python, m, spacy, dx] == ["python", "-m", "spacy", "dx"]
    known = get_command(dx_cli).get_command(None, name)
    options = {option for p in known.params for option in p.opts}
    arguments, overrides = split_overrides(arguments)
    assert {a for a in arguments if a.startswith("--")} <= options
    assert name == "sanitize" or not overrides
    assert run_dx(name, "--help").exit_code == 0


def test_a_file_of_vectors_becomes_a_pipeline_with_vectors(tmp_path):
    (command,) = [c for c in srsly.read_yaml(PROJECT)["commands"] if c["name"] == "init"]
    (tmp_path / "file.txt").write_text("the 1 2\ncat 3 4\ndog 5 6\n")
    for line in command["script"]:
        for name, value in {"lang": "en", "truncate": "2", "file": "file.txt"}.items():
            line = line.replace(f"${{vars.{name}}}", value)
        words = [sys.executable if word == "python" else word for word in shlex.split(line)]
        subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    assert load(tmp_path / "output" / "vectors").words == ["the", "cat"]


def test_every_asset_is_listed_and_extra():
    project, listed = srsly.read_yaml(PROJECT), ROOT / "configs" / "assets.sha256"
    lines = [line.split() for line in listed.read_text().splitlines() if line[0] != "#"]
    assert {Path(asset["dest"]).name for asset in project["assets"]} == {name for _, name in lines}
    assert all(asset["extra"] for asset in project["assets"])
    assert all(project["workflows"][name][0] == "verify" for name in ("all", "vectors"))


@pytest.mark.skipif(not shutil.which("sha256sum"), reason="needs sha256sum")
@pytest.mark.parametrize("own", [False, True], ids=["", "own file"])
@pytest.mark.parametrize(
    ("content", "stops"), [(None, False), (b"good", False), (b"forged", True)], ids=str
)
def test_a_download_that_differs_stops_the_workflow(tmp_path, content, stops, own):
    (command,) = [c for c in srsly.read_yaml(PROJECT)["commands"] if c["name"] == "verify"]
    for folder in ("assets", "configs"):
        (tmp_path / folder).mkdir()
    digest = hashlib.sha256(b"good").hexdigest()
    (tmp_path / "configs" / "assets.sha256").write_text(f"# a comment\n{digest}  a.zip\n")
    if own:  # which nobody listed
        (tmp_path / "assets" / "my vectors.txt").write_text("the 1 2")
    if content is not None:
        (tmp_path / "assets" / "a.zip").write_bytes(content)
    (line,) = command["script"]
    done = subprocess.run(shlex.split(line), cwd=tmp_path, capture_output=True, timeout=60)
    assert bool(done.returncode) is stops
