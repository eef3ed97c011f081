"""`dx space`: vectors in, a folder that loads at once out."""

import shutil
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import srsly
from conftest import ok, refusal, run_dx, sanitizing
from spacy.cli._util import app
from typer.testing import CliRunner

from spacy_dxprivacy import Space
from spacy_dxprivacy.files import checkpoint
from spacy_dxprivacy.io.build import make_pipeline
from spacy_dxprivacy.lab.mechanisms import load_space
from spacy_dxprivacy.metric import stored_graph, word_graph
from spacy_dxprivacy.space import learned, sources
from spacy_dxprivacy.space.search import all_pairs

MISTAKES = srsly.read_yaml(Path(__file__).with_name("mistakes.yaml"))

dx = partial(run_dx, "space")


@pytest.fixture
def vectors(tmp_path):
    return vectors_of(60, tmp_path)


def vectors_of(n, tmp_path):
    X = np.random.default_rng(0).normal(size=(n, 5))
    lines = [f"word{i} " + " ".join(f"{x:.6f}" for x in row) for i, row in enumerate(X)]
    return pipeline_of(["shit " + " ".join(["0.5"] * 5), *lines], tmp_path)


def pipeline_of(lines, tmp_path):
    """What `spacy init vectors` makes of the lines of a file."""
    path, folder = tmp_path / "vectors.txt", tmp_path / "vectors"
    path.write_text("\n".join(lines) + "\n", encoding="utf8")
    ok(CliRunner().invoke(app, ["init", "vectors", "en", str(path), str(folder)]))
    return folder


def test_vectors_become_a_space_with_its_graph(tmp_path):
    result = dx(vectors_of(1_200, tmp_path), tmp_path / "out", "--max-words", 1_100)
    assert result.exit_code == 0 and not result.stdout
    space = Space.load(tmp_path / "out", verify=True)
    assert len(space) == 1_100 and stored_graph(space) is not None and "shit" not in space.words
    assert space.digest in result.stderr and "1100 words of 5 dimensions" in result.stderr
    plain = {"mechanism.policy": "plain", "mechanism.prior.@dx_priors": "dx.Uniform.v1"}
    nlp = make_pipeline(space=str(tmp_path / "out"), overrides=plain)
    assert nlp("word3 word4")._.dx.mechanism == "dx.Path.v2"


def test_the_graph_can_be_left_out_and_a_space_taken_up_again(vectors, tmp_path):
    assert dx(vectors, tmp_path / "plain", "-m", "laplace", "--exclude", "nothing").exit_code == 0
    plain = Space.load(tmp_path / "plain")
    assert stored_graph(plain) is None and "shit" in plain.words
    assert dx(tmp_path / "plain", tmp_path / "less", "--pattern", "word1.*").exit_code == 0
    assert set(Space.load(tmp_path / "less").words) == {"word1", *(f"word1{i}" for i in range(10))}


def test_a_space_is_replaced_on_request_alone_and_anything_else_never(vectors, tmp_path):
    assert dx(vectors, tmp_path / "out", "-m", "laplace").exit_code == 0
    assert dx(vectors, tmp_path / "out", "-m", "laplace").exit_code == 2
    assert dx(vectors, tmp_path / "out", "-m", "laplace", "--force").exit_code == 0
    (tmp_path / "mine").mkdir()
    assert dx(vectors, tmp_path / "mine", "--force").exit_code == 2


@pytest.mark.parametrize(("arguments", "message"), MISTAKES["space"])
def test_a_mistake_is_told_in_a_line(tmp_path, arguments, message):
    source, *options = arguments
    said = refusal(dx(source, tmp_path / "out", *options))
    assert message in said and not (tmp_path / "out").exists()


@pytest.mark.parametrize("most", [None, 40])
def test_one_space_has_one_digest_by_every_road(vectors, tmp_path, most):
    """A command, a config file, and Python, with one filter."""
    given = [] if most is None else ["--max-words", str(most)]
    assert dx(vectors, tmp_path / "saved", "-m", "laplace", *given).exit_code == 0
    config = {"@dx_spaces": "dx.FileSpace.v1", "path": str(vectors), "max_words": most}
    nlp = sanitizing(space=config)
    digests = {
        sources.load(vectors, sources.Filter(max_words=most)).digest,
        sources.load(tmp_path / "saved").digest,
        Space.load(tmp_path / "saved").digest,
        load_space(str(vectors), most).digest,
        nlp.get_pipe("dx_sanitizer").space.digest,
    }
    assert len(digests) == 1


def test_the_first_words_that_may_be_output_are_taken(tmp_path):
    """The first words may not be output: those further on take their places."""
    lines = [f"other{i} 1 {i}" for i in range(30)] + [f"word{i} 2 {i}" for i in range(30)]
    first = sources.Filter(max_words=10, pattern="word.*")
    whole = sources.load(pipeline_of(lines, tmp_path), first)
    assert whole.words == [f"word{i}" for i in range(10)]


def test_words_keep_their_order_and_equal_vectors_share_a_row(tmp_path):
    """spaCy merges equal rows, and sorts them by their numbers where it does."""
    folder = pipeline_of(["cat 5 5", "dog 1 2", "Cat 5 5", "cow 3 4"], tmp_path)
    space = sources.load(folder)
    assert space.words == ["cat", "dog", "cow"] and space.vectors[0].tolist() == [5, 5]
    assert space.find("Cat") == 0
    assert sources.load(folder, sources.Filter(max_words=2)).words == ["cat", "dog"]


def test_an_installed_package_is_a_space(tmp_path, monkeypatch, vectors):
    """As `spacy package` and pip lay it out."""
    home = tmp_path / "site" / "en_mine"
    shutil.copytree(vectors, home / "en_mine-1.2.3")
    meta = {"lang": "en", "name": "mine", "version": "1.2.3"}
    srsly.write_json(home / "meta.json", meta)
    (home / "__init__.py").write_text("raise_if_loaded = 1\n")
    about = tmp_path / "site" / "en_mine-1.2.3.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: en-mine\nVersion: 1.2.3\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert sources.load("en_mine").digest == sources.load(vectors).digest


def test_a_file_of_vectors_is_told_which_command_it_needs(tmp_path):
    (tmp_path / "vectors.txt").write_text("cat 1 2\ndog 3 4\n")
    (tmp_path / "empty").mkdir()
    for source in (tmp_path / "vectors.txt", tmp_path / "empty"):
        assert "spacy init vectors" in refusal(dx(source, tmp_path / "out"))


def test_a_graph_is_learned_for_path_mechanisms_alone(tmp_path):
    vectors = vectors_of(1_200, tmp_path)
    for mechanism, has_graph in {"nadp tau=0.5": False, "dx.Path.v1": True}.items():
        assert dx(vectors, tmp_path / "out", "-m", mechanism, "--force").exit_code == 0
        assert (stored_graph(Space.load(tmp_path / "out")) is not None) is has_graph


def test_nothing_is_excluded_in_a_config_as_by_the_command(vectors):
    words = sources.load(str(vectors), sources.Filter(exclude="nothing")).words
    assert "shit" in words and len(words) == 61
    settings = {"space.@dx_spaces": "dx.FileSpace.v1", "space.exclude": "nothing"}
    nlp = make_pipeline(
        mechanism="laplace", epsilon=10.0, overrides={**settings, "space.path": str(vectors)}
    )
    nlp("word3")
    assert "shit" in nlp.get_pipe("dx_sanitizer").space.words


@pytest.mark.parametrize("stop", [2, 4, 8])
def test_what_was_learned_is_kept_and_taken_up_by_the_same_command(tmp_path, monkeypatch, stop):
    """A stop between lists, or between counts; the result is that of a run without one."""
    monkeypatch.setattr(all_pairs, "EXACT_ROWS", 0)
    monkeypatch.setattr(all_pairs, "ROWS_AT_ONCE", 256)
    monkeypatch.setattr(all_pairs, "LINKED_AT_ONCE", 512)
    monkeypatch.setattr(word_graph, "KEPT_AT_ONCE", 256)
    marked, mark = [], checkpoint.Rows.mark

    def marking(rows, done):
        mark(rows, done)
        marked.append(done)
        if len(marked) == stop:
            raise KeyboardInterrupt

    vectors = vectors_of(1_200, tmp_path)
    monkeypatch.setattr(checkpoint.Rows, "mark", marking)
    stopped = dx(vectors, tmp_path / "out", "-m", "dx.Path.v1")
    kept = tmp_path / "out.learning"
    assert stopped.exit_code == 130 and str(kept) in stopped.stderr and kept.is_dir()
    assert not (tmp_path / "out").exists()
    learned.forget(sources.load(vectors))  # as in another process
    assert dx(vectors, tmp_path / "out", "-m", "dx.Path.v1").exit_code == 0
    assert marked == 2 * [256, 512, 768, 1_024, 1_200]  # lists, then counts: none is made twice
    assert not kept.exists()
    resumed = stored_graph(Space.load(tmp_path / "out"))
    whole = word_graph.build(sources.load(vectors))
    assert np.array_equal(resumed.edges, whole.edges)
    assert np.array_equal(resumed.counts, whole.count_words())
