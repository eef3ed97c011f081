"""`python -m spacy dx space`: vectors in, a folder that loads at once out."""

import numpy as np
import pytest
import spacy
from spacy.cli._util import app
from typer.testing import CliRunner

from spacy_dxprivacy import Space
from spacy_dxprivacy.io.build import make_pipeline
from spacy_dxprivacy.lab.mechanisms import load_space
from spacy_dxprivacy.metric import stored_graph
from spacy_dxprivacy.space import sources


@pytest.fixture
def dx():
    return lambda *args: CliRunner().invoke(app, ["dx", "space", *map(str, args)])


@pytest.fixture
def vectors(tmp_path):
    return vectors_of(60, tmp_path)


def vectors_of(n, tmp_path):
    X = np.random.default_rng(0).normal(size=(n, 5))
    lines = [f"word{i} " + " ".join(f"{x:.6f}" for x in row) for i, row in enumerate(X)]
    path = tmp_path / "vectors.txt"
    path.write_text("\n".join(["shit " + " ".join(["0.5"] * 5), *lines]) + "\n")
    return path


def test_a_file_of_vectors_becomes_a_space_with_its_graph(dx, tmp_path):
    result = dx(vectors_of(1_200, tmp_path), tmp_path / "out", "--max-words", 1_100)
    assert result.exit_code == 0 and not result.stdout
    space = Space.load(tmp_path / "out", verify=True)
    assert len(space) == 1_100 and stored_graph(space) is not None and "shit" not in space.words
    assert space.digest in result.stderr and "1100 words of 5 dimensions" in result.stderr
    nlp = make_pipeline(space=str(tmp_path / "out"), policy="plain", prior="uniform")
    assert nlp("word3 word4")._.dx.mechanism == "dx.Path.v2"


def test_the_graph_can_be_left_out_and_a_space_taken_up_again(dx, vectors, tmp_path):
    assert dx(vectors, tmp_path / "plain", "--no-graph", "--exclude", "nothing").exit_code == 0
    plain = Space.load(tmp_path / "plain")
    assert stored_graph(plain) is None and "shit" in plain.words
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
        (["/no/such/file"], "no such file"),
        (["builtin", "--max-words", 0], "max_words"),
        (["builtin", "--pattern", "("], "pattern"),
        (["builtin", "--pattern", "xyzzy"], "leave no word"),
        (["builtin", "--max-words", 2], "3 words"),
    ],
)
def test_a_mistake_is_told_in_a_line(dx, tmp_path, arguments, message):
    source, *options = arguments
    result = dx(source, tmp_path / "out", *options)
    assert result.exit_code == 2 and message in result.stderr
    assert result.stderr.count("\n") == 1 and not (tmp_path / "out").exists()


@pytest.mark.parametrize("most", [None, 40])
def test_one_space_has_one_digest_by_every_road(dx, vectors, tmp_path, most):
    """A command, a config file, and Python, with one filter."""
    given = [] if most is None else ["--max-words", str(most)]
    assert dx(vectors, tmp_path / "saved", "--no-graph", *given).exit_code == 0
    config = {"@dx_spaces": "dx.FileSpace.v1", "path": str(vectors), "max_words": most}
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_sanitizer", config={"space": config})
    digests = {
        sources.load(vectors, sources.Filter(max_words=most)).digest,
        sources.load(tmp_path / "saved").digest,
        Space.load(tmp_path / "saved").digest,
        load_space(str(vectors), most).digest,
        nlp.get_pipe("dx_sanitizer").space.digest,
    }
    assert len(digests) == 1


def test_as_much_of_a_large_file_is_read_as_it_takes(tmp_path):
    """The first words may not be output: those further on take their places."""
    lines = [f"other{i} 1 {i}" for i in range(30)] + [f"word{i} 2 {i}" for i in range(30)]
    path = tmp_path / "vectors.txt"
    path.write_text("\n".join(lines) + "\n")
    whole = sources.load(path, sources.Filter(max_words=10, pattern="word.*"))
    assert whole.words == [f"word{i}" for i in range(10)]
