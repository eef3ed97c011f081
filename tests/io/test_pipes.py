"""A named pipe in the place of a file has no end that ever comes: it is refused at once."""

import os
import signal

import pytest
from conftest import run_dx, space_options

from spacy_dxprivacy import DxError, Space, registry
from spacy_dxprivacy.config.code import import_code
from spacy_dxprivacy.files.keys import read_key
from spacy_dxprivacy.files.limits import digest_of, read_array, read_json
from spacy_dxprivacy.files.word_lists import read_words
from spacy_dxprivacy.prompts.table import read_table
from spacy_dxprivacy.space.sources import load

pytestmark = pytest.mark.posix
SECONDS = 5


@pytest.fixture(autouse=True)
def in_time():
    """A reader that waits is interrupted: nobody ever writes into these pipes."""

    def late(*_):
        raise AssertionError("it waits for somebody to write into the pipe")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe", 0o600)
    return tmp_path / "pipe"


def read_callers(path):
    pytest.importorskip("fastapi", reason="needs the extra 'serve'")
    from spacy_dxprivacy.serve import service

    return service.read_callers(path)


READERS = {
    "words": read_words,
    "a space": load,
    "a key": read_key,
    "callers": read_callers,
    "surrogates": lambda path: read_table(path, bytes(32)),
    "code": import_code,
    "JSON": read_json,
    "an array": read_array,
    "a digest": digest_of,
}


@pytest.mark.parametrize("name", READERS)
def test_a_pipe_is_no_file(pipe, name):
    with pytest.raises((DxError, OSError), match="pipe or a device"):
        READERS[name](pipe)


@pytest.mark.parametrize("name", ["words.txt", "vectors.npy", "classes.npy", "graph/counts.npy"])
def test_a_pipe_in_the_folder_of_a_space_is_refused(tmp_path, name):
    space = Space.from_vectors([f"w{i}" for i in range(1_100)], [[float(i)] for i in range(1_100)])
    registry.dx_mechanisms.get("dx.Path.v1")(1.0).fit(space)
    space.save(tmp_path / "space")
    (tmp_path / "space" / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / "space" / name)
    with pytest.raises(DxError, match="DX024"):
        Space.load(tmp_path / "space")


def test_the_command_line_ends_with_a_message(pipe, tmp_path):
    for command in (
        ["space", str(pipe), str(tmp_path / "out")],
        ["sanitize", "--text", "a word", *space_options(pipe)],
        ["sanitize", "--text", "a word", "--config", str(pipe)],
        ["space", "builtin", str(tmp_path / "out"), "--exclude", str(pipe)],
    ):
        done = run_dx(*command)
        assert done.exit_code in (1, 2), done.output
        assert "pipe or a device" in done.output or "no such config file" in done.output
