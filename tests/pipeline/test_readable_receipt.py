"""A receipt is read at a glance: in a terminal, in a notebook, and by its attributes."""

import json
from html import unescape

import pytest
import spacy
from spacy import displacy

from spacy_dxprivacy import Receipt

TEXT = "Dr. Lopez saw Maria Jones on 3 May."


def sanitised(component, text=TEXT, **config):
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_entity_ruler")
    nlp.add_pipe(component, config=config)
    return nlp(text)


@pytest.mark.filterwarnings("ignore:.DX106")
@pytest.mark.parametrize("component", ["dx_sanitizer", "dx_entity_sanitizer"])
@pytest.mark.parametrize("text", [TEXT, "", "No name."])
def test_its_repr_has_six_lines_at_most_and_no_text(component, text):
    receipt = sanitised(component, text)._.dx
    lines = repr(receipt).splitlines()
    assert 1 < len(lines) <= 6 and all(len(line) < 100 for line in lines)
    assert not any(word in repr(receipt) for word in ("Lopez", "Maria", "Jones", "name."))


def test_a_notebook_shows_the_same_as_a_terminal():
    receipt = sanitised("dx_entity_sanitizer")._.dx
    html = receipt._repr_html_()
    assert html.startswith("<pre>") and unescape(html[5:-6]) == repr(receipt)


def test_dir_names_its_attributes():
    receipt = sanitised("dx_entity_sanitizer")._.dx
    for name in ("guarantee", "tokens", "perturbed", "in_clear", "surrogates", "casing", "stage"):
        assert name in dir(receipt) and hasattr(receipt, name)


@pytest.mark.parametrize("damaged", [{}, {"count": {}, "stages": []}, {"stages": 3}])
def test_a_receipt_of_another_program_is_shown_as_it_is(damaged):
    assert repr(Receipt(damaged)) == repr(damaged)


def test_a_label_has_one_line_of_terms_though_recognisers_call_it_differently():
    receipt = sanitised("dx_entity_sanitizer")._.dx
    labels = receipt.stage("surrogates")["labels"]
    assert {"PERSON", "DATE"} <= set(labels) and not {"PER", "per", "PATIENT", "DOB"} & set(labels)
    assert len(json.dumps(receipt)) < 5_000


@pytest.mark.parametrize("label", ["PER", "PATIENT", "Person"])
def test_a_recogniser_that_calls_it_differently_is_served_all_the_same(label):
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": label, "pattern": "Zorblatt"}])
    nlp.add_pipe("dx_entity_sanitizer", config={"selector": {"labels": [label]}})
    doc = nlp("Ask Zorblatt now.")
    assert "Zorblatt" not in doc.text and doc._.dx.mentions["PERSON"]["replaced"] == 1


def test_displacy_shows_what_was_replaced():
    doc = sanitised("dx_entity_sanitizer")
    html = displacy.render(doc, style="ent", jupyter=False)
    assert all(f"{ent.text}\n" in html for ent in doc.ents) and "PERSON" in html
