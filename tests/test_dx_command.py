"""`dx` as a program of its own, and the commands around `dx sanitize`."""

import re

import numpy as np
import pytest
from conftest import space_options
from spacy.cli._util import app as spacy_app
from typer.testing import CliRunner

from spacy_dxprivacy import Space, UsageError, __version__
from spacy_dxprivacy.cli import COMMANDS, dx_cli, split_overrides
from spacy_dxprivacy.pipeline.component import DEFAULT_CONFIG
from spacy_dxprivacy.space.join import join


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
    assert checked.exit_code == 0 and "my.cfg: valid. dx.Exponential.v1" in checked.stdout
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
