"""`dx` as a program of its own, and the commands around `dx sanitize`."""

import re

import numpy as np
import pytest
from conftest import space_options
from spacy.cli._util import app as spacy_app
from typer.testing import CliRunner

from spacy_dxprivacy import Space, __version__
from spacy_dxprivacy.cli import COMMANDS, dx_cli, split_overrides
from spacy_dxprivacy.pipeline.component import DEFAULT_CONFIG


@pytest.fixture
def dx():
    return lambda *args: CliRunner().invoke(dx_cli, list(map(str, args)))


# -- the program -------------------------------------------------------------------------------


def test_help_lists_every_command_in_two_groups(dx):
    use, evaluate = dx("--help").stdout.split("Use:")[1].split("Evaluate:")
    named = [re.findall(r"^  (\w+) ", part, re.M) for part in (use, evaluate)]
    assert {*named[0], *named[1]} == set(COMMANDS)
    assert "sanitize" in named[0] and "attack" in named[1]


def test_the_version_is_that_of_the_package(dx):
    assert dx("--version").stdout == f"dx {__version__}\n"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["nosuch"], "dx: no such command 'nosuch'"),
        (["sanitise"], "dx: no such command 'sanitise'. Did you mean sanitize?"),
        (["audit", "relase"], "dx audit: no such command 'relase'. Did you mean release?"),
        (["sanitize", "--nosuch"], "dx sanitize: no such option"),
        (
            ["sanitize", "--entites", "x"],
            "dx sanitize: no such option --entites. Did you mean --entities?",
        ),
        (["sanitize", "a", "b", "Zorblatt"], "dx sanitize: too many arguments"),
        (["tune", "--mechanism.epsilon", "1"], "dx tune: no such option"),
        (["sanitize", "-n", "x"], "dx sanitize: invalid value"),
        (["config", "--mechanism", "laplce"], "dx config: no mechanism"),
    ],
)
@pytest.mark.parametrize("app", [dx_cli, spacy_app])
def test_every_mistake_is_one_line_in_one_voice(app, args, message):
    done = CliRunner().invoke(app, args if app is dx_cli else ["dx", *args])
    assert done.exit_code == 2 and not done.stdout and "Zorblatt" not in done.stderr
    assert done.stderr.startswith(message) and len(done.stderr.splitlines()) == 1


def test_overrides_may_stand_anywhere_and_take_one_value():
    args = ["--a.b", "1", "in.txt", "--c.d=2", "-e", ".5", "out.txt", "--e.f", "--", "--g.h"]
    others, overrides = split_overrides(args)
    assert others == ["in.txt", "-e", ".5", "out.txt", "--", "--g.h"]
    assert overrides == ["--a.b", "1", "--c.d=2", "--e.f"]
    assert split_overrides(["--text=Hello. You."]) == (["--text=Hello. You."], [])


# -- configs -----------------------------------------------------------------------------------


def test_a_config_has_every_default_and_makes_a_pipeline(dx, tmp_path):
    text = dx("config").stdout
    assert f"epsilon = {DEFAULT_CONFIG['mechanism']['epsilon']}" in text
    for name in DEFAULT_CONFIG:
        assert f"\n{name} = " in text or f"[components.dx_sanitizer.{name}]" in text
    Space.from_vectors(["cat", "dog", "sun"], np.eye(3)).save(tmp_path / "small")
    chosen = ["--mechanism", "exponential", "--epsilon", 4, "--entities", "person"]
    chosen += ["--components.dx_entity_sanitizer.scope", "type", *space_options(tmp_path / "small")]
    assert dx("config", tmp_path / "my.cfg", *chosen).exit_code == 0
    checked = dx("config", "--check", tmp_path / "my.cfg")
    assert checked.exit_code == 0 and "my.cfg: valid. dx.Contact.v1, dx.Name.v1" in checked.stdout
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
