"""`dx` as a program of its own, and the commands around `dx sanitize`."""

import importlib.util
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from spacy_dxprivacy import Space, UsageError
from spacy_dxprivacy.batch.build import make_pipeline, the_sanitizer
from spacy_dxprivacy.batch.readable import reading
from spacy_dxprivacy.cli import COMMANDS, dx_cli, program
from spacy_dxprivacy.component import DEFAULT_CONFIG
from spacy_dxprivacy.spaces.join import join

FILE = Path(__file__).parent.parent / "dx_command.py"
beside = pytest.mark.skipif(not FILE.exists(), reason="the program is not beside the tests")


@pytest.fixture
def dx():
    return lambda *args: CliRunner().invoke(dx_cli, list(map(str, args)))


def table():
    spec = importlib.util.spec_from_file_location("dx_command", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.COMMANDS


# -- the program -------------------------------------------------------------------------------


@beside
def test_help_imports_nothing_and_is_quick():
    before = os.times()
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-X", "importtime", FILE, "--help"],
                          capture_output=True, text=True, timeout=60)  # fmt: skip
    after = os.times()
    seconds = after.children_user + after.children_system
    seconds -= before.children_user + before.children_system
    assert done.returncode == 0 and "sanitize" in done.stdout
    assert seconds < 0.6, time.perf_counter() - start
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert not loaded & {"spacy", "typer", "numpy", "spacy_dxprivacy"}


OUTLINE = """
import json, sys, dx_outline
dx_outline.of()
from typer.testing import CliRunner
from spacy_dxprivacy.cli import dx_cli
names = json.loads(sys.argv[1])
print(json.dumps({n: CliRunner().invoke(dx_cli, [*n.split(), "--help"]).output for n in names}))
"""


@pytest.mark.slow
@beside
def test_help_of_a_command_is_read_without_what_it_works_with(dx):
    """Word for word as the command itself has it."""
    names = [*table(), "audit mechanism", "audit sides", "audit release"]
    env = {**os.environ, "PYTHONPATH": str(FILE.parent), "COLUMNS": "80"}
    call = [sys.executable, "-c", OUTLINE, json.dumps(names)]
    told = json.loads(subprocess.run(call, capture_output=True, env=env, timeout=60).stdout)
    for name in names:
        shown = CliRunner().invoke(dx_cli, [*name.split(), "--help"], env={"COLUMNS": "80"}).output
        assert "--help" in shown and told[name] == shown


@beside
@pytest.mark.parametrize("command", ["sanitize", "audit release"])
def test_help_of_a_command_is_quick(command):
    before = os.times()
    call = [sys.executable, "-X", "importtime", FILE, *command.split(), "--help"]
    done = subprocess.run(call, capture_output=True, text=True, timeout=60)
    after = os.times()
    seconds = after.children_user - before.children_user
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert done.returncode == 0 and f"dx {command}" in done.stdout
    assert (
        not loaded & {"spacy.strings", "numpy.linalg", "murmurhash", "pydantic.main"}
        and seconds < 1.0
    )


@beside
def test_help_names_every_command():
    assert set(table()) == set(COMMANDS)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["nosuch"], "dx: no such command 'nosuch'"),
        (["sanitize", "--nosuch"], "dx sanitize: no such option"),
        (["sanitize", "-b", "x"], "dx sanitize: invalid value"),
        (["config", "--mechanism", "laplce"], "dx config: no mechanism"),
    ],
)
def test_every_mistake_is_one_line_in_one_voice(args, message, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["dx", *args])
    assert program.run() == 2
    told = capsys.readouterr()
    assert told.err.startswith(message) and len(told.err.splitlines()) == 1 and not told.out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_commands_and_options(dx, shell):
    told = dx("completion", shell).stdout
    for word in ("sanitize", "dry-run", "audit", "mechanism", "completion"):
        assert word in told
    assert dx("completion", "tcsh").exit_code == 2


def test_bash_completes(dx, tmp_path):
    (tmp_path / "dx.bash").write_text(dx("completion", "bash").stdout)
    code = (
        '. ./dx.bash; COMP_WORDS=(dx sanitize --dry); COMP_CWORD=2; _dx; echo "${COMPREPLY[@]}"; '
        'COMP_WORDS=(dx sanit); COMP_CWORD=1; _dx; echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.split() == ["--dry-run", "sanitize"] and not done.stderr


# -- configs -----------------------------------------------------------------------------------


def test_a_config_has_every_default_and_makes_a_pipeline(dx, tmp_path):
    text = dx("config").stdout
    assert f"epsilon = {DEFAULT_CONFIG['mechanism']['epsilon']}" in text
    for name in DEFAULT_CONFIG:
        assert f"\n{name} = " in text or f"[components.dx_sanitizer.{name}]" in text
    Space.from_vectors(["cat", "dog", "sun"], np.eye(3)).save(tmp_path / "small")
    chosen = ["--mechanism", "exponential", "--epsilon", 4, "--entities", "person"]
    chosen += ["--scope", "type", "--space", tmp_path / "small"]
    assert dx("config", tmp_path / "my.cfg", *chosen).exit_code == 0
    checked = dx("config", "--check", tmp_path / "my.cfg")
    assert checked.exit_code == 0 and "my.cfg: good. dx.Exponential.v1" in checked.stdout
    assert dx("config", tmp_path / "my.cfg").exit_code == 2  # it is there already


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "no such config file"),
        ("Zorblatt was here", "not a config file"),
        ('[nlp]\nlang = "en"\npipeline = []\n', "no active dx_sanitizer"),
    ],
)
def test_a_config_that_is_none_is_told_in_a_line(dx, tmp_path, text, message):
    if text is not None:
        (tmp_path / "my.cfg").write_text(text)
    result = dx("config", "--check", tmp_path / "my.cfg")
    assert result.exit_code == 2 and message in result.stderr
    assert len(result.stderr.splitlines()) == 1 and "Zorblatt" not in result.stderr


# -- vectors of one's own ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def own():
    """A part of the built-in space, turned and blurred, with 500 words beside it."""
    space, rng = Space.builtin(), np.random.default_rng(0)
    X = space.vectors[:3000] @ rng.normal(size=(space.vectors.shape[1], 40)).astype(np.float32)
    new = X[1000:1500] + 0.1 * X.std() * rng.normal(size=(500, 40))
    words = [*space.words[:3000], *(f"zork{i}" for i in range(500))]
    return Space.from_vectors(words, np.vstack([X, new]), name="own")


def test_own_words_are_joined_to_the_built_in_space(own):
    joined = join(own)
    assert (joined.new, joined.shared) == (500, 3000) and joined.found > 0.5
    builtin, space = Space.builtin(), joined.space
    assert len(space) == len(builtin) + 500 and space.class_names == builtin.class_names
    np.testing.assert_array_equal(space.vectors[: len(builtin)], builtin.vectors)
    nearest = ((space.vectors[:3000] - space.vectors[len(builtin)]) ** 2).sum(axis=1).argmin()
    assert abs(int(nearest) - 1000) < 2000 and space.find("zork7") == len(builtin) + 7


def test_what_cannot_be_joined_is_refused():
    with pytest.raises(UsageError, match="share 0 words"):
        join(Space.from_vectors([f"zork{i}" for i in range(9)], np.eye(9)))
    space = Space.builtin()
    with pytest.raises(UsageError, match="holds all words"):
        join(Space.from_vectors(space.words[:300], space.vectors[:300]))


@pytest.mark.slow
def test_a_space_that_writes_salad_is_told(own, tmp_path):
    own.save(tmp_path / "own")

    def read(epsilon):
        nlp = make_pipeline(space=str(tmp_path / "own"), mechanism="exponential", epsilon=epsilon)
        return reading(the_sanitizer(nlp))

    salad, fair = read(0.001), read(1e4)
    assert salad.is_hard and salad.rare > 0.1
    assert not fair.is_hard and fair.nats == pytest.approx(0, abs=0.1)
    small = Space.from_vectors(["der", "die", "das"], np.eye(3))
    small.save(tmp_path / "small")
    how = {"space": str(tmp_path / "small"), "mechanism": "exponential", "epsilon": 1.0}
    assert reading(the_sanitizer(make_pipeline(**how))) is None
    assert reading(the_sanitizer(make_pipeline(mechanism="exponential", epsilon=5.0))) is None
