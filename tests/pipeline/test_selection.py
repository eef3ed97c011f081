"""Selectors say which tokens are perturbed; what they leave is in clear, and they say so."""

import pytest
import spacy
from conftest import pipeline_of, sanitizing

from spacy_dxprivacy import DxError, registry

TEXT = "Dr. Zorblatt, 42, saw  3% of it: a@b.example 😀 — ok?!\n\n“Ça va”"


def selected(name, doc, **settings):
    selector = registry.resolve({"s": {"@dx_selectors": name, **settings}})["s"]
    mask = selector.select(doc)
    assert mask.dtype == bool and mask.shape == (len(doc),)
    return [token.text for token, yes in zip(doc, mask, strict=True) if yes]


@pytest.fixture
def doc():
    return spacy.blank("en")(TEXT)


def test_all_words_leaves_punctuation_and_white_space_alone(doc):
    left = {t.text for t in doc} - set(selected("dx.AllWords.v1", doc))
    assert left == {",", " ", ":", "—", "?", "!", "\n\n", "“", "”", "%"}
    for name, settings in [("dx.AllWords.v1", {}), ("dx.Entities.v1", {"labels": ["PERSON"]}),
                           ("dx.WordList.v1", {"words": ["a"]})]:  # fmt: skip
        assert selected(name, spacy.blank("en")(""), **settings) == []


def test_a_word_list_is_read_in_any_case(doc, tmp_path):
    assert selected("dx.WordList.v1", doc, words=["zorblatt", "OK", "never"]) == ["Zorblatt", "ok"]
    (tmp_path / "list.txt").write_text("zorblatt\n", encoding="utf8")
    assert selected("dx.WordList.v1", doc, words=str(tmp_path / "list.txt")) == ["Zorblatt"]


@pytest.mark.filterwarnings("ignore:.*W036")
def test_a_recogniser_that_predicts_nothing_protects_nothing_and_is_refused():
    nlp = pipeline_of("entity_ruler", "dx_entity_sanitizer")
    with pytest.raises(DxError, match=r"DX031.*no label at all"):
        nlp("Meet Zorblatt")


def test_a_listed_word_that_the_tokenizer_splits_is_refused_without_naming_it():
    selector = {"@dx_selectors": "dx.WordList.v1", "words": ["zorblatt", "New York", "can't"]}
    nlp = sanitizing(selector=selector)
    with pytest.raises(DxError, match=r"DX029.* 2 word") as caught:
        nlp("Meet Zorblatt")
    assert "York" not in str(caught.value)
