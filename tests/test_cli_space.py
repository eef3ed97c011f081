"""`python -m spacy dx space`: vectors in, a folder that loads at once out."""

import numpy as np
import pytest
from spacy.cli._util import app
from typer.testing import CliRunner

from spacy_dxprivacy import Space
from spacy_dxprivacy.cli import make_pipeline


@pytest.fixture
def dx():
    return lambda *args: CliRunner().invoke(app, ["dx", "space", *map(str, args)])


@pytest.fixture
def vectors(tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 5))
    lines = [f"word{i} " + " ".join(f"{x:.6f}" for x in row) for i, row in enumerate(X)]
    path = tmp_path / "vectors.txt"
    path.write_text("\n".join(["shit " + " ".join(["0.5"] * 5), *lines]) + "\n")
    return path


def test_a_file_of_vectors_becomes_a_space_with_its_graph(dx, vectors, tmp_path):
    result = dx(vectors, tmp_path / "out", "--max-words", 50)
    assert result.exit_code == 0 and not result.stdout
    space = Space.load(tmp_path / "out", verify=True)
    assert len(space) == 50 and space.graph is not None and "shit" not in space.words
    assert space.digest in result.stderr and "50 words of 5 dimensions" in result.stderr
    nlp = make_pipeline(space=str(tmp_path / "out"))
    assert nlp("word3 word4")._.dx.mechanism == "dx.Path.v1"


def test_the_graph_can_be_left_out_and_a_space_taken_up_again(dx, vectors, tmp_path):
    assert dx(vectors, tmp_path / "plain", "--no-graph", "--exclude", "nothing").exit_code == 0
    plain = Space.load(tmp_path / "plain")
    assert plain.graph is None and "shit" in plain.words
    assert dx(tmp_path / "plain", tmp_path / "less", "--pattern", "word1.*").exit_code == 0
    assert set(Space.load(tmp_path / "less").words) == {"word1", *(f"word1{i}" for i in range(10))}


def test_a_space_is_replaced_on_request_alone_and_anything_else_never(dx, vectors, tmp_path):
    assert dx(vectors, tmp_path / "out", "--no-graph").exit_code == 0
    assert dx(vectors, tmp_path / "out", "--no-graph").exit_code == 2
    assert dx(vectors, tmp_path / "out", "--no-graph", "--force").exit_code == 0
    (tmp_path / "mine").mkdir()
    assert dx(vectors, tmp_path / "mine", "--force").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["/no/such/file"], "No such file"),
        (["builtin", "--max-words", 0], "max_words"),
        (["builtin", "--pattern", "("], "pattern"),
        (["builtin", "--pattern", "xyzzy"], "No word is left"),
        (["builtin", "--max-words", 2], "3 words"),
    ],
)
def test_a_mistake_is_told_in_a_line(dx, tmp_path, arguments, message):
    source, *options = arguments
    result = dx(source, tmp_path / "out", *options)
    assert result.exit_code == 2 and message in result.stderr
    assert result.stderr.count("\n") == 1 and not (tmp_path / "out").exists()
