"""write = "annotations" leaves the text as it is, and says that the Doc is no release."""

from unicodedata import normalize

import pytest
import spacy
from conftest import refusal, run_dx
from spacy.tokens import DocBin
from spacy.vocab import Vocab

from spacy_dxprivacy import DxError, assert_sanitized, release
from spacy_dxprivacy.io.build import get_sanitizer

TEXTS = [
    "Dr. Maria Whitcombe saw Jane Doe on 3 May 2021 in Leeds.",
    "Ma\u0301ria Whitcombe came, and Ma\u0301ria left on 4 May 2021.",  # not in normal form
    "No name here.",
]


def pipeline(**config):
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_entity_ruler")
    nlp.add_pipe("dx_entity_sanitizer", config={"write": "annotations", "seed": 1, **config})
    return nlp


@pytest.mark.parametrize("text", TEXTS)
def test_the_text_stays_and_its_replacements_are_annotations_of_one_draw(text):
    doc, new = pipeline()(text), pipeline(write="text")(text)
    assert doc.text == normalize("NFC", text) and doc._.dx_text == new.text
    replaced = [span._.dx_replacement for span in doc.spans["dx"]]
    surrogates = [span.text for span in new.spans["dx"] if span.label_ in ("PERSON", "DATE")]
    assert replaced == surrogates
    names = [ent for ent in doc.ents if ent.label_ in ("PERSON", "DATE")]
    assert [ent._.dx_replacement for ent in names] == replaced


def test_a_span_with_the_place_of_a_mention_has_its_replacement():
    doc = pipeline()(TEXTS[0])
    for ent in doc.ents:
        assert doc.char_span(ent.start_char, ent.end_char)._.dx_replacement == ent._.dx_replacement
    assert doc[0:1]._.dx_replacement is None


def test_the_receipt_and_the_checks_say_that_the_doc_is_no_release():
    doc = pipeline()(TEXTS[0])
    assert doc._.dx.stage("release")["write"] == "annotations"
    assert any("this Doc is the original" in part for part in doc._.dx.in_clear)
    (again,) = DocBin(docs=[doc], store_user_data=True).get_docs(spacy.blank("en").vocab)
    for original in (doc, again):
        with pytest.raises(DxError, match="DX184"):
            assert_sanitized(original)
        with pytest.raises(DxError, match="DX184"):
            release(original, Vocab())
    assert again._.dx_text == doc._.dx_text


def test_no_run_writes_it(tmp_path):
    nlp = pipeline(seed=None)
    with pytest.raises(DxError, match="annotations"):
        get_sanitizer(nlp)
    (tmp_path / "config.cfg").write_text(nlp.config.to_str())
    (tmp_path / "a.txt").write_text(TEXTS[0])
    args = ["sanitize", tmp_path / "a.txt", tmp_path / "b.txt", "-c", tmp_path / "config.cfg"]
    assert "annotations" in refusal(run_dx(*args))
    assert not (tmp_path / "b.txt").exists()


def test_components_after_it_read_the_original_and_processes_keep_the_annotations():
    nlp = pipeline(seed=None)
    nlp.add_pipe("sentencizer")
    docs = list(nlp.pipe([TEXTS[0]] * 4, n_process=2, batch_size=2))
    assert all(doc.text == TEXTS[0] and len(list(doc.sents)) for doc in docs)
    assert len({doc._.dx_text for doc in docs}) > 1


def test_a_text_with_a_redacted_passage_has_its_new_text_alone():
    doc = pipeline(unknown_language="redact")("Maria Whitcombe came. Я живу в Москве с мамой.")
    assert "Москве" not in doc._.dx_text and doc.text.startswith("Maria")


@pytest.mark.parametrize("config", [{"write": "doc"}, {"write": None}, {"vectors": "noisy"}])
def test_what_cannot_be_written_is_an_error(config):
    with pytest.raises(Exception, match=r"write|vectors"):
        pipeline(**config)
