"""Files of released versions (tests/fixtures/VERSION, never written anew) mean what they meant."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
import spacy
from spacy.tokens import DocBin
from typer.testing import CliRunner

from spacy_dxprivacy import DxWarning, Rng, Space, assert_sanitized, registry
from spacy_dxprivacy.cli import dx_cli
from spacy_dxprivacy.lab.audit import audit_release
from spacy_dxprivacy.metric import graph_of
from spacy_dxprivacy.space import learned

ROOT = Path(__file__).parent.parent
SAVED = Path("tests") / "fixtures" / "0.1.0"  # the pipelines name their space from the root
SPACE_DIGEST = "8e68fa03189976f21551ed099700c3548c9644b43e98b72236a7cecc8c20ebba"
BUILTIN_DIGEST = "a89ae7941cca7a07e81338c3c0702a9035252c17a51d9c85e21c4380df7069ce"
PIPELINES = {
    "pipeline_file": ("dx.Path.v1", SPACE_DIGEST),
    "pipeline_rank": ("dx.Laplace.v1", SPACE_DIGEST),
    "pipeline_builtin": ("dx.Path.v1", BUILTIN_DIGEST),
    "pipeline_entities": ("dx.Path.v1", BUILTIN_DIGEST),
}
# Of the kind that released.spacy was made of, and of the same eleven tokens.
TEXT = "Maria visited her doctor in Paris because she slept badly."
SEEDED = json.loads((ROOT / SAVED / "seeded.json").read_text(encoding="utf8"))


@pytest.fixture(autouse=True)
def root(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="module")
def saved_space():
    return Space.load(ROOT / SAVED / "space")


@pytest.fixture
def original(tmp_path):
    path = tmp_path / "original.txt"
    path.write_text(TEXT + "\n", encoding="utf8")
    return str(path)


def test_a_saved_space_is_the_same_one_also_when_it_is_saved_again(saved_space, tmp_path):
    assert saved_space.digest == SPACE_DIGEST
    assert saved_space.vectors.shape == (120, 16) and saved_space.vectors.dtype == np.float32
    graph = learned.read(ROOT / SAVED / "space" / "graph", SPACE_DIGEST)
    assert np.array_equal(graph_of(saved_space).counts, graph.counts)
    saved_space.save(tmp_path / "again")
    again = Space.load(tmp_path / "again")
    assert again.digest == SPACE_DIGEST and again.words == saved_space.words


@pytest.mark.parametrize("name", PIPELINES)
def test_a_saved_pipeline_sanitises_and_promises_what_it_did_and_is_saved_again(name, tmp_path):
    mechanism, digest = PIPELINES[name]
    nlp = spacy.load(SAVED / name)
    nlp.to_disk(tmp_path / "again")
    assert spacy.load(tmp_path / "again").config["components"] == nlp.config["components"]
    doc = nlp(TEXT)
    assert_sanitized(doc)
    assert len(doc) == 11 and doc._.dx.draws >= 1
    assert doc._.dx.mechanism == mechanism
    assert doc._.dx.guarantee["space"] == digest
    (stored,) = (SAVED / name).glob("dx_*sanitizer/dx.json")
    stored = json.loads(stored.read_text(encoding="utf8"))
    assert stored["digest"] == digest and doc._.dx.found == stored["found"]


@pytest.mark.parametrize("name", SEEDED)
def test_a_seed_draws_the_rows_that_it_drew(name, saved_space):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DxWarning)
        mechanism = registry.resolve({"mechanism": SEEDED[name]["mechanism"]})["mechanism"]
    mechanism.fit(saved_space)
    draw = mechanism.sample(np.arange(40) % 120, Rng(seed=7))
    assert draw.rows.tolist() == SEEDED[name]["rows"]


def test_a_released_doc_has_its_receipt():
    vocab = spacy.blank("en").vocab
    (doc,) = DocBin().from_disk(SAVED / "released.spacy").get_docs(vocab)
    assert_sanitized(doc)
    assert doc._.dx.mechanism == "dx.Path.v1" and doc._.dx.perturbed == 10
    assert doc._.dx.guarantee["space"] == BUILTIN_DIGEST
    assert doc._.dx.total["epsilon"] == pytest.approx(22.0)


def test_a_released_file_is_audited(original):
    found = audit_release(SAVED / "released.spacy", original)
    assert not found.leaked
    done = CliRunner().invoke(
        dx_cli, ["audit", "release", str(SAVED / "released.spacy"), "--against", original]
    )
    assert done.exit_code == 0, done.output


def test_a_released_file_is_reported(original, tmp_path):
    page = tmp_path / "report.html"
    done = CliRunner().invoke(
        dx_cli, ["report", original, str(SAVED / "released.spacy"), "--output", str(page)]
    )
    assert done.exit_code == 0, done.output
    html = page.read_text(encoding="utf8")
    assert "dx.Path.v1" in html and "2.2" in html
