"""Both ways between the package and presidio, with the real packages; skipped without them."""

import importlib.util

import pytest
import spacy

from spacy_dxprivacy import DxError
from spacy_dxprivacy.integrations.recognisers import DxPresidio, make_dx_presidio

HERE = importlib.util.find_spec("presidio_analyzer") is not None
needs_presidio = pytest.mark.skipif(not HERE, reason="presidio is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")

TEXT = "Dr. Maria Kowalczyk paid with 4111 1111 1111 1111; write to maria@example.org. All is well."
EXPONENTIAL = {"@dx_mechanisms": "dx.Exponential.v1", "epsilon": 0.01}


@pytest.fixture(scope="module")
def ours():
    from spacy_dxprivacy.integrations import presidio

    return presidio


@pytest.fixture(scope="module")
def analyzer(ours):
    from presidio_analyzer import AnalyzerEngine

    return AnalyzerEngine(nlp_engine=ours.nlp_engine())


def named(results, text=TEXT):
    return {(r.entity_type, text[r.start : r.end]) for r in results}


@needs_presidio
def test_the_engine_puts_our_rules_under_their_analyzer(analyzer):
    found = named(analyzer.analyze(TEXT, "en"))
    assert ("PERSON", "Maria Kowalczyk") in found
    assert ("CREDIT_CARD", "4111 1111 1111 1111") in found  # theirs, beside ours


def pipeline(analyzer=None, **config):
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_presidio", config=config)
    if analyzer is not None:
        nlp.get_pipe("dx_presidio").analyzer = analyzer  # type: ignore[attr-defined]
    labels = ["PERSON", "CREDIT_CARD", "EMAIL_ADDRESS"]
    selector = {"@dx_selectors": "dx.Entities.v1", "labels": labels}
    nlp.add_pipe("dx_entity_sanitizer", config={"selector": selector, "mechanism": EXPONENTIAL})
    return nlp


@needs_presidio
def test_places_are_those_of_the_text_with_its_signs_that_nobody_sees(analyzer):
    text = "It was \u200b\u2068Maria Kowalczyk\u2069 who saw \u200b\u200bPeter Okafor."
    found = named(analyzer.analyze(text, language="en"), text)
    names = {name.strip("\u2068\u2069\u200b") for kind, name in found if kind == "PERSON"}
    assert names == {"Maria Kowalczyk", "Peter Okafor"}


@needs_presidio
def test_their_recognisers_tell_our_sanitizer_what_to_replace(analyzer):
    doc = pipeline(analyzer)(TEXT)
    for secret in ("Kowalczyk", "4111", "maria@"):
        assert secret not in doc.text
    assert doc.text.endswith("All is well.") and doc.text.startswith("Dr. ")


@needs_presidio
def test_the_operator_draws_the_words_of_an_entity(ours, analyzer):
    from presidio_anonymizer import AnonymizerEngine
    from presidio_anonymizer.entities import OperatorConfig

    engine = AnonymizerEngine()
    engine.add_anonymizer(ours.DxOperator)
    how = {"DEFAULT": OperatorConfig("dx", {"mechanism": EXPONENTIAL})}
    results = analyzer.analyze(TEXT, "en")
    new = {engine.anonymize(TEXT, results, operators=how).text for _ in range(3)}
    assert len(new) > 1 and not any("Kowalczyk" in text or "4111" in text for text in new)
    assert all(text.endswith("All is well.") for text in new)
    with pytest.raises(DxError):
        ours.DxOperator().validate({"mechanism": {**EXPONENTIAL, "epsilon": -1.0}})


class Broken:
    def analyze(self, *args, **kwargs):
        raise ValueError("Maria Kowalczyk")


def test_a_recogniser_that_fails_lets_nothing_through_and_tells_no_text():
    with pytest.raises(DxError, match="DX130") as raised:
        DxPresidio(analyzer=Broken())(spacy.blank("en")("Maria Kowalczyk"))
    assert "Maria" not in str(raised.value) and raised.value.__context__ is None


@pytest.mark.parametrize("wrong", [{"threshold": 2.0}, {"threshold": -1}])
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(DxError):
        DxPresidio(analyzer=Broken(), **wrong)


@pytest.mark.skipif(HERE, reason="presidio is installed")
def test_without_presidio_it_says_what_to_install():
    with pytest.raises(DxError, match=r"DX131.*presidio"):
        make_dx_presidio(spacy.blank("en"), "x", None, "en", 0.0)
