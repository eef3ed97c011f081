"""`--config` takes a config file, the folder of a saved pipeline, and an installed one's name."""

import re
import shutil

import pytest
import spacy
from conftest import (
    CONSTANT,
    COVER,
    REDACT,
    SECRET_TEXT,
    leaks,
    ok,
    pipeline_of,
    refusal,
    run_dx,
    sanitizing,
)

from spacy_dxprivacy import UsageError
from spacy_dxprivacy.io.build import make_pipeline

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
    assert "without config.cfg" in refusal(run_dx("sanitize", "--text", TEXT, "-c", tmp_path))
    spacy.blank("en").to_disk(tmp_path / "blank")
    assert "no active dx_sanitizer" in refusal(
        run_dx("sanitize", "--text", TEXT, "-c", tmp_path / "blank")
    )
    other = run_dx("sanitize", "--text", TEXT, "-c", tmp_path / "blank", "--unknown.text", "?")
    assert "which the config does not have" in refusal(other)


@pytest.mark.parametrize("form", ["file", "folder"])
def test_overrides_change_a_part_of_what_is_null(form, file_space, tmp_path):
    nlp = pipeline_of("dx_entity_ruler")
    nlp.add_pipe("dx_entity_sanitizer", config={"space": file_space})
    nlp.config.to_disk(tmp_path / "file")
    nlp.to_disk(tmp_path / "folder")

    def settings(**overrides):
        made = make_pipeline(config=tmp_path / form, overrides=overrides)
        return made.get_pipe("dx_entity_sanitizer").settings

    words = settings(**{"surrogates": None, "mechanism.epsilon": 0.5})
    assert (words.mechanism.name, words.mechanism.guarantee.epsilon) == ("dx.Path.v2", 0.5)
    assert settings(labels="PERSON,GPE").selector.labels == ("PERSON", "GPE")
    assert settings(epsilon=2, surrogates=None).mechanism.guarantee.epsilon == 2.0
    with pytest.raises(UsageError, match=r"no setting `mechanism\.epsilonn`.*mechanism\.epsilon\?"):
        settings(**{"mechanism.epsilonn": 2})


def test_a_wrong_file_or_folder_is_named_with_what_is_wrong(file_space, tmp_path):
    def told(path):
        return refusal(run_dx("sanitize", "--text", TEXT, "-c", path))

    nlp = sanitizing(space=file_space, mechanism=CONSTANT, unknown=REDACT)
    nlp.to_disk(tmp_path / "nlp")
    (tmp_path / "nlp" / "dx_sanitizer" / "dx.json").unlink()
    assert "DX186" in told(tmp_path / "nlp")
    (tmp_path / "nlp" / "tokenizer").write_bytes(b"x")
    assert f"{tmp_path / 'nlp'}: it or a file in it is damaged" in told(tmp_path / "nlp")
    assert "numpy: no such config file, no saved pipeline" in told("numpy")
    wheel = tmp_path / "en_dx_words-1.0-py3-none-any.whl"
    wheel.write_bytes(b"PK\x03\x04")
    assert f"{wheel}: is not a config file of spaCy" in told(wheel)


WRITTEN = {
    "a language": ('lang = "en"', 'lang = "zz"', "E048.*zz"),
    "no factory": ('factory = "dx_sanitizer"', 'factory = "dx_sanitiser"', "E002.*dx_sanitiser"),
    "no block": ('pipeline = ["dx_sanitizer"]', 'pipeline = ["nope"]', "E956.*nope"),
    "a value": ('scope = "token"', 'scope = "word"', "DX001.*scope must be one of"),
    "a setting": ('scope = "token"', "scop = 3", "-> scop unexpected argument: 'scop'\n"),
    "a part": ("test.Constant.v1", "dx.Laplce.v1", "DX007.*Did you mean dx.Laplace.v1"),
    "a variable": ('scope = "token"', "scope = ${vars.x}", "scope.*vars.x"),
    "twice": ("[nlp]", '[nlp]\nlang = "en"\n[nlp]', "is not a config file of spaCy"),
    "text": ("[nlp]", SECRET_TEXT, "is not a config file of spaCy"),
}


@pytest.mark.parametrize("form", ["file", "folder"])
@pytest.mark.parametrize("name", WRITTEN)
def test_a_wrong_config_is_told_in_one_line(form, name, file_space, tmp_path):
    old, new, says = WRITTEN[name]
    sanitizing(space=file_space, mechanism=CONSTANT, unknown=REDACT).to_disk(tmp_path / "nlp")
    path = tmp_path / "nlp" / "config.cfg"
    text = path.read_text(encoding="utf8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf8")
    told = refusal(
        run_dx("sanitize", "--text", TEXT, "-c", path if form == "file" else path.parent)
    )
    assert re.search(says, told) and not leaks(told)
