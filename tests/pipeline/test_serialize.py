"""A saved pipeline is the same pipeline elsewhere: same space, same promise, or a refusal."""

import copy
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pytest
import spacy
from conftest import CONSTANT, LAPLACE, REDACT, blank_with_vectors, sanitizing
from spacy.tokens import DocBin

from spacy_dxprivacy import DxError, Space, assert_sanitized

TEXT = "the dog saw Zorblattovich."
COVERED = "Blue blue blue [REDACTED]."


def component_of(nlp):
    return nlp.get_pipe("dx_sanitizer")


def packed(space, mechanism=LAPLACE):
    return sanitizing(mechanism=mechanism, space=space, unknown=REDACT)


@pytest.fixture(params=["pipeline vectors", "file space"])
def nlp(request, make_nlp, file_space):
    """Of both kinds: the table comes with the pipeline, or it is packed."""
    vectors = request.param == "pipeline vectors"
    return make_nlp(mechanism=LAPLACE) if vectors else packed(file_space)


def test_a_folder_holds_the_whole_pipeline_and_can_be_written_again(nlp, tmp_path):
    """The second time the space is read from the very files that are written."""
    nlp.to_disk(tmp_path / "p")
    for _ in range(2):
        again = spacy.load(tmp_path / "p")
        assert component_of(again).space.digest == component_of(nlp).space.digest
        assert component_of(again).space.words == component_of(nlp).space.words
        assert np.array_equal(component_of(again).space.vectors, component_of(nlp).space.vectors)
        assert again.config.to_str() == nlp.config.to_str()
        again.to_disk(tmp_path / "p")
        assert again(TEXT)._.dx == nlp(TEXT)._.dx


def test_bytes_hold_the_whole_pipeline(nlp):
    data = nlp.to_bytes()
    again = spacy.blank(nlp.lang)
    config = {k: v for k, v in nlp.config["components"]["dx_sanitizer"].items() if k != "factory"}
    again.add_pipe("dx_sanitizer", config=config)
    again.from_bytes(data)
    assert component_of(again).space.digest == component_of(nlp).space.digest
    assert again(TEXT)._.dx == nlp(TEXT)._.dx


def test_a_packed_space_needs_its_first_file_no_more(space, tmp_path):
    space.save(tmp_path / "space")
    block = {"@dx_spaces": "dx.FileSpace.v1", "path": str(tmp_path / "space")}
    packed(block, CONSTANT).to_disk(tmp_path / "p")
    shutil.rmtree(tmp_path / "space")
    shutil.move(tmp_path / "p", tmp_path / "elsewhere")
    again = spacy.load(tmp_path / "elsewhere")
    assert again(TEXT).text == COVERED
    assert component_of(again).space.digest == space.digest


FRESH = """
import sys, spacy
from spacy.tokens import Doc
nlp = spacy.load(sys.argv[1])
doc = nlp("the dog saw Zorblattovich.")
print(doc._.dx.guarantee["space"], doc._.dx.perturbed, doc._.dx.unknown)
"""


@pytest.mark.slow
def test_a_fresh_process_loads_it_by_entry_points_alone(nlp, tmp_path):
    nlp.to_disk(tmp_path / "p")
    # Deprecations are between spaCy's own requirements: typer 0.16 beside click 8.5.
    strict = ["-W", "error", "-W", "ignore::DeprecationWarning"]
    command = [sys.executable, *strict, "-c", FRESH, str(tmp_path / "p")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [component_of(nlp).space.digest, "3", "1"]
    assert done.stderr == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "change", [{"space.path": "other"}, {"space.max_words": 100}, {"space.pattern": "[a-z]+"}]
)
def test_another_space_named_at_load_is_used_and_told(space, file_space, tmp_path, change):
    """Never the packed one without a word."""
    Space.from_vectors(space.words, np.array(space.vectors) * 2).save(tmp_path / "other")
    packed(file_space).to_disk(tmp_path / "p")
    if "space.path" in change:
        change = {"space.path": str(tmp_path / "other")}
    config = {f"components.dx_sanitizer.{key}": value for key, value in change.items()}
    again = spacy.load(tmp_path / "p", config=config)
    assert component_of(again).space.digest != space.digest
    assert again(TEXT)._.dx.guarantee["space"] == component_of(again).space.digest


def test_another_table_than_it_was_saved_with_is_refused(make_nlp, space, tmp_path):
    make_nlp(mechanism=LAPLACE).to_disk(tmp_path / "p")
    other = Space.from_vectors(space.words, np.array(space.vectors) + 1)
    blank_with_vectors(other).vocab.to_disk(tmp_path / "p" / "vocab")
    again = spacy.load(tmp_path / "p")
    with pytest.raises(DxError, match="DX025"):
        again(TEXT)


def test_vectors_that_are_gone_are_not_replaced_by_the_builtin_space(make_nlp, tmp_path):
    """AutoSpace would take another table without a word; the digest stops it."""
    make_nlp(mechanism=LAPLACE, space={"@dx_spaces": "dx.PipelineVectors.v1"}).to_disk(tmp_path)
    spacy.blank("en").vocab.to_disk(tmp_path / "vocab")
    with pytest.raises(DxError, match="DX021"):
        spacy.load(tmp_path)(TEXT)


def test_a_packed_space_that_is_damaged_or_another_one_is_refused(space, file_space, tmp_path):
    packed(file_space).to_disk(tmp_path)
    folder = tmp_path / "dx_sanitizer" / "space"
    Space.from_vectors(space.words, np.array(space.vectors) * 2).save(folder)
    with pytest.raises(DxError, match="DX025"):
        spacy.load(tmp_path)
    (folder / "words.txt").write_text("a\nb\n")
    with pytest.raises(DxError, match="DX024"):
        spacy.load(tmp_path)


@pytest.mark.parametrize(
    "made",
    [copy.copy, copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))],  # noqa: S301
)
def test_copies_of_the_component_do_the_same(nlp, made):
    component = component_of(nlp)
    for _ in range(2):  # unused, and used
        doc = made(component)(nlp.make_doc(TEXT))
        assert doc._.dx == component(nlp.make_doc(TEXT))._.dx
        assert doc._.dx.perturbed == 3
        assert made(component).space.words == component.space.words


def test_doc_bins_keep_the_receipt_with_the_user_data(make_nlp):
    nlp = make_nlp(mechanism=CONSTANT)
    docs = list(nlp.pipe([TEXT, "", "the dog"]))
    for store in (True, False):
        data = DocBin(docs=docs, store_user_data=store).to_bytes()
        read = list(DocBin().from_bytes(data).get_docs(spacy.blank("en").vocab))
        assert [d.text for d in read] == [d.text for d in docs]
        assert [d._.dx for d in read] == ([d._.dx for d in docs] if store else [None] * 3)
    with pytest.raises(DxError, match="DX032"):
        assert_sanitized(read[0])
