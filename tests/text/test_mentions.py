"""Entities of any recogniser, read alike, merged, and found wherever they are mentioned again."""

import pytest
import spacy
from conftest import pipeline_of
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc, Span

from spacy_dxprivacy import DxError
from spacy_dxprivacy.registries import registry
from spacy_dxprivacy.text.mentions import (
    Entity,
    find_entities,
    further_mentions,
    plain_label,
    unite,
)

NLP = spacy.blank("en")


def doc_of(text, *found):
    """found: (text of an entity's first mention, label), as an NER would give them."""
    doc = NLP.make_doc(text)
    starts = [(text.index(part), part, label) for part, label in found]
    how = {"alignment_mode": "expand"}
    doc.set_ents([doc.char_span(i, i + len(p), label, **how) for i, p, label in starts])
    return doc


def left(doc, *labels, **config):
    block = {"@dx_selectors": "dx.Entities.v1", "labels": list(labels), **config}
    mask = registry.resolve({"it": block})["it"].select(doc)
    return " ".join("_" if hidden else t.text for t, hidden in zip(doc, mask, strict=True))


@pytest.mark.parametrize("again", [
    "Lopez", "Maria", "LOPEZ", "maria", "Lopez's", "Lopez/Brown", "m.lopez@example.org", "mlopez42",
    "maria lopez",
])  # fmt: skip
def test_what_is_found_once_is_found_again(again):
    doc = doc_of(f"We met Maria Lopez. Later {again} called.", ("Maria Lopez", "PERSON"))
    assert "opez" not in left(doc, "PERSON").lower() and "maria" not in left(doc, "PERSON").lower()
    assert "We met" in left(doc, "PERSON") and left(doc, "PERSON").endswith("called .")


@pytest.mark.parametrize(("text", "name", "expected"), [
    ("I saw Will Park. Will you park? Then Park left, and so will we.", "Will Park",
     "I saw _ _ . Will you park ? Then _ left , and so will we ."),
    ("hi mark, mark says hello", "mark", "hi _ , _ says hello"),
    ("Dr. J de Vries and Dr. B. Out of de facto J use.", "Dr. J de Vries",
     "_ _ _ _ and Dr. B. Out of de facto J use ."),  # titles, particles, initials
])  # fmt: skip
def test_a_part_of_a_name_has_to_be_written_as_one(text, name, expected):
    assert left(doc_of(text, (name, "PERSON")), "PERSON") == expected


def test_places_and_numbers_are_found_again_as_a_whole():
    text = "In New Ulm, 555-0199: not new, but NEW ULM and 555-0199."
    doc = doc_of(text, ("New Ulm", "GPE"), ("555-0199", "PHONE"))
    told = left(doc, "GPE", "PHONE")
    assert "555" not in told and "Ulm" not in told and "ULM" not in told and "not new" in told


@pytest.mark.parametrize(
    "label", ["PERSON", "PER", "per", "B-PER", "person", "PATIENT", "full name"]
)
def test_labels_of_all_makes_are_read_alike(label):
    assert plain_label(label) == "PERSON"
    assert left(doc_of("It is Zorblatt.", ("Zorblatt", label)), "PERSON") == "It is _ ."
    assert left(doc_of("It is Zorblatt.", ("Zorblatt", "PERSON")), label) == "It is _ ."


def test_a_label_that_nobody_knows_stays_itself_and_again_is_an_option():
    assert plain_label("WARD") == "WARD"
    doc = doc_of("In ward 12, not ward 12.", ("ward 12", "WARD"))
    assert left(doc, "WARD", again=False) == "In _ _ , not ward 12 ."


def test_spans_of_a_key_are_taken_as_well_and_need_no_entities():
    doc = NLP.make_doc("We met Zorblatt Quimby there.")
    doc.spans["pii"] = [Span(doc, 2, 4, "name"), Span(doc, 3, 4, "location")]
    assert left(doc, "PERSON", spans_key="pii") == "We met _ _ there ."
    with pytest.raises(DxError, match="DX030"):
        left(doc, "PERSON")
    for other in (NLP.make_doc("We met."), doc_of("We met Lopez.", ("Lopez", "PERSON"))):
        with pytest.raises(DxError, match=r"DX188.*spans_key names 'pii'"):
            left(other, "PERSON", spans_key="pii")
    assert left(NLP.make_doc(""), "PERSON", spans_key="pii") == ""


def test_a_span_of_another_label_takes_nothing_away():
    doc = doc_of("At Maria Lopez Street now.", ("Maria Lopez", "PERSON"))
    doc.spans["more"] = [Span(doc, 1, 4, "ADDRESS")]
    assert left(doc, "PERSON", spans_key="more") == "At _ _ Street now ."
    assert left(doc, "PERSON", "ADDRESS", spans_key="more") == "At _ _ _ now ."


def test_a_number_takes_no_mention_in():
    """A surrogate near a number leaves the words beside it as they are."""
    assert unite([Entity("QUANTITY", 0, 5), Entity("PERSON", 1, 2)]) == [("PERSON", 0, 5)]
    assert unite([Entity("CARDINAL", 0, 2), Entity("PHONE", 0, 2)]) == [("PHONE", 0, 2)]


SPANS = st.lists(
    st.tuples(st.sampled_from(["PER", "LOC", "X"]), st.integers(0, 8), st.integers(1, 4)).map(
        lambda s: (s[0], s[1], s[1] + s[2])
    )
)


@given(spans=SPANS)
def test_the_union_has_all_words_and_no_overlap(spans):
    found = unite(Entity(plain_label(label), first, last) for label, first, last in spans)
    places = [i for _, first, last in found for i in range(first, last)]
    assert len(places) == len(set(places))
    assert set(places) == {i for _, first, last in spans for i in range(first, last)}
    assert {label for label, _, _ in found} <= {"PERSON", "GPE", "X"}


WORDS = [
    "Maria", "maria", "MARIA", "Lopez", "of", "will", "Will", ".", "x@maria.org", "house", "'s",
]  # fmt: skip


@settings(max_examples=50, deadline=None)
@given(words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=12))
def test_mentions_are_new_and_leave_no_part_of_a_name(words):
    # Where all sentences begin with capitals, a name in small letters may be a common word.
    small = [".", "house"] * 4
    doc = Doc(NLP.vocab, [*words, "Maria", "Lopez", *small])
    known = [("PERSON", len(words), len(words) + 2)]
    again = further_mentions(doc, known)
    places = [i for _, first, last in again for i in range(first, last)]
    assert len(places) == len(set(places)) and all(i < len(words) for i in places)
    rest = " ".join(word for i, word in enumerate(words) if i not in places).lower()
    assert "maria" not in rest and "lopez" not in rest
    doc.set_ents([Span(doc, len(words), len(words) + 2, "PERSON")])
    assert find_entities(doc, {"PERSON"})[-1] == known[0]


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("Jürgen Müller", "jmueller@web.de"), ("Jürgen Müller", "juergen.muller@web.de"),
        ("José García", "jose.garcia@x.es"), ("Łucja Wałęsa", "lwalesa@x.pl"),
        ("Zoë Groß", "gross_zoe@x.org"),
    ],
)  # fmt: skip
def test_names_with_accents_are_found_as_mail_addresses_have_them(name, address):
    text = f"Please write to Mr. {name} at {address} today."
    nlp = pipeline_of("dx_entity_ruler")
    found = find_entities(nlp(text), {"PERSON"})
    assert address in [nlp(text)[start:end].text for _, start, end in found]
