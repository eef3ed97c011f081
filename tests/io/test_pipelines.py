"""`--config` takes a config file, the folder of a saved pipeline, and an installed one's name."""

import shutil

import pytest
import spacy
from conftest import CONSTANT, COVER, REDACT, ok, refusal, run_dx

TEXT = "the doctor saw Zorblatt"


@pytest.fixture
def config(file_space, tmp_path, request):
    """The pipeline in one of the three forms, as --config takes it."""
    settings = {"space": file_space, "mechanism": CONSTANT, "unknown": REDACT}
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_sanitizer", config=settings)
    if request.param == "file":
        nlp.config.to_disk(tmp_path / "nlp.cfg")
        return str(tmp_path / "nlp.cfg")
    nlp.meta.update(name="my_sanitizer", version="0.0.0")
    nlp.to_disk(tmp_path / "nlp")
    if request.param == "folder":
        return str(tmp_path / "nlp")
    package = tmp_path / "en_my_sanitizer"
    shutil.copytree(tmp_path / "nlp", package / "en_my_sanitizer-0.0.0")
    shutil.copy(tmp_path / "nlp" / "meta.json", package)
    lines = [
        "from pathlib import Path",
        "from spacy.util import load_model_from_init_py",
        "def load(**overrides):",
        "    return load_model_from_init_py(__file__, **overrides)",
    ]
    (package / "__init__.py").write_text("\n".join(lines), encoding="utf8")
    about = tmp_path / "en_my_sanitizer-0.0.0.dist-info"
    about.mkdir()
    metadata = "Metadata-Version: 2.1\nName: en_my_sanitizer\nVersion: 0.0.0\n"
    (about / "METADATA").write_text(metadata, encoding="utf8")
    request.getfixturevalue("monkeypatch").syspath_prepend(tmp_path)
    return "en_my_sanitizer"


FORMS = pytest.mark.parametrize("config", ["file", "folder", "package"], indirect=True)


@FORMS
def test_each_form_sanitises(config):
    done = ok(run_dx("sanitize", "--text", TEXT, "--config", config))
    assert done.stdout.strip().lower() == f"{COVER} {COVER} {COVER} [redacted]"


@FORMS
def test_each_form_takes_overrides(config):
    words = ["--selector.@dx_selectors", "dx.WordList.v1", "--selector.words", '["doctor"]']
    done = ok(run_dx("sanitize", "--text", TEXT, "-c", config, *words, "--unknown.text", "?"))
    assert done.stdout.strip() == f"the {COVER} saw Zorblatt"
    wrong = refusal(run_dx("sanitize", "--text", TEXT, "-c", config, "--unknown.txt", "?"))
    assert "unknown.txt" in wrong and "Did you mean" in wrong


def test_anything_else_is_refused_in_one_line(tmp_path):
    says = "no such config file, no saved pipeline, and no installed one"
    assert says in refusal(run_dx("sanitize", "--text", TEXT, "-c", "en_no_pipeline"))
    assert "no config.cfg" in refusal(run_dx("sanitize", "--text", TEXT, "-c", tmp_path))
    spacy.blank("en").to_disk(tmp_path / "blank")
    assert "no active dx_sanitizer" in refusal(
        run_dx("sanitize", "--text", TEXT, "-c", tmp_path / "blank")
    )
    other = run_dx("sanitize", "--text", TEXT, "-c", tmp_path / "blank", "--unknown.text", "?")
    assert "which the config does not have" in refusal(other)
