"""doc.spans["dx"]: how each token of a release was made, and nothing of what was sampled."""

from dataclasses import fields

import pytest
import spacy
from conftest import sanitizing
from spacy import displacy
from spacy.tokens import DocBin, Span

from spacy_dxprivacy import registry
from spacy_dxprivacy.pipeline.draft import _provenance

TEXT = "Anna Smith saw the zzyzx dog, the cat."
EXPONENTIAL = {"@dx_mechanisms": "dx.Exponential.v1", "epsilon": 1.0}
PERSONS = {"selector": {"@dx_selectors": "dx.Entities.v1", "labels": ["PERSON"]}}


def spans(doc):
    return [(span.start, span.end, span.label_) for span in doc.spans["dx"]]


@pytest.fixture
def nlp():
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "PERSON", "pattern": "Anna Smith"}])
    return nlp


def test_each_token_is_in_one_span(nlp):
    config = {"surrogates": "standard", "mechanism": EXPONENTIAL}
    nlp.add_pipe("dx_sanitizer", config={**config, "unknown": {"@dx_unknowns": "dx.Redact.v1"}})
    doc = nlp(TEXT)
    person, *rest = spans(doc)
    names = person[1]
    assert person == (0, names, "PERSON")
    assert [(a - names, b - names, label) for a, b, label in rest] == [
        (0, 2, "SAMPLED"), (2, 3, "UNKNOWN"), (3, 4, "SAMPLED"), (4, 5, "UNMODIFIED"),
        (5, 7, "SAMPLED"), (7, 8, "UNMODIFIED"),
    ]  # fmt: skip
    assert [token._.dx for token in doc] == doc[:]._.dx
    assert doc[-2]._.dx == "SAMPLED" and doc[-1:]._.dx == ["UNMODIFIED"]


def test_a_word_outside_of_the_selected_entities_is_unmodified(nlp):
    nlp.add_pipe("dx_entity_sanitizer", config=PERSONS)
    assert [label for *_, label in spans(nlp(TEXT))] == ["PERSON", "UNMODIFIED"]


@pytest.mark.parametrize("unknown", ["dx.RandomWord.v1", "dx.Context.v1"])
def test_a_word_that_hides_that_it_was_unknown_is_sampled(unknown):
    nlp = sanitizing(unknown={"@dx_unknowns": unknown})
    assert [label for *_, label in spans(nlp("the zzyzx dog"))] == ["SAMPLED"]


class Onlooker:
    """A stage of another package that keeps what it sees."""

    def __init__(self):
        self.seen = []

    def __call__(self, draft, rng):
        shown = {field.name: getattr(draft, field.name) for field in fields(draft)}
        del shown["words"], shown["vectors"]  # what was drawn
        self.seen.append({name: str(value) for name, value in shown.items()})
        return draft


@pytest.mark.parametrize(
    ("unknown", "shows"), [("RandomWord", False), ("Context", False), ("Redact", True)]
)
def test_a_stage_of_another_package_sees_no_more_of_unknown_words_than_a_reader(unknown, shows):
    onlooker = Onlooker()
    registry.dx_stages("test.Onlooker.v1", func=lambda: onlooker)
    stages = {"onlooker": {"@dx_stages": "test.Onlooker.v1"}}
    nlp = sanitizing(unknown={"@dx_unknowns": f"dx.{unknown}.v1"}, stages=stages)
    nlp("the zzyzx dog"), nlp("the small dog")
    one, other = onlooker.seen[-2:]
    assert (one != other) == shows


def shows_what_came_out(new, *how):
    """The control: it marks the words that came out unchanged."""
    made = _provenance(new, *how)
    same = [token for token in new if token.text in TEXT.split()]
    return [*made, *(Span(new, token.i, token.i + 1, label="UNCHANGED") for token in same)]


@pytest.mark.parametrize("control", [False, True])
def test_spans_are_the_same_whatever_was_sampled(monkeypatch, control):
    if control:
        monkeypatch.setattr("spacy_dxprivacy.pipeline.draft._provenance", shows_what_came_out)
    nlp = sanitizing(mechanism={**EXPONENTIAL, "epsilon": 8.0})
    docs = [nlp(TEXT) for _ in range(30)]
    assert len({doc.text for doc in docs}) > 1
    assert (len({tuple(spans(doc)) for doc in docs}) > 1) == control


def test_spans_travel_and_are_shown(nlp):
    nlp.add_pipe("dx_entity_sanitizer", config=PERSONS)
    doc = nlp(TEXT)
    (back,) = DocBin().from_bytes(DocBin(docs=[doc]).to_bytes()).get_docs(spacy.blank("en").vocab)
    assert spans(back) == spans(doc) and back[0]._.dx == "PERSON"
    shown = displacy.render(doc, style="span", options={"spans_key": "dx"}, jupyter=False)
    assert "PERSON" in shown and "UNMODIFIED" in shown


def test_a_doc_that_was_not_sanitised_says_nothing():
    doc = spacy.blank("en")("the dog")
    assert doc._.dx is None and doc[0]._.dx == "" and doc[:]._.dx == ["", ""]
