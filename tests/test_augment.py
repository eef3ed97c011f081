"""Training on private text: the words are new, the labels stay, and nothing else comes along."""

from pathlib import Path

import pytest
import spacy
from conftest import CONSTANT, COVER, KNOWN_SECRETS, UNKNOWN_SECRETS, leaks
from spacy.tokens import Doc, DocBin, Span
from spacy.training import Corpus, Example
from spacy.util import load_config, registry

from spacy_dxprivacy import DxError, assert_sanitized
from spacy_dxprivacy.integrations.augment import ANNOTATIONS, annotate, sanitize_corpus

BAG_OF_WORDS = {
    "@architectures": "spacy.TextCatBOW.v3", "exclusive_classes": True, "ngram_size": 1,
    "no_output_layer": False,
}  # fmt: skip
CONFIGS = sorted((Path(__file__).parent.parent / "configs" / "training").glob("*.cfg"))
WORDS = ["Zorblattovich", "had", "asthma", "in", "prison", "."]
# What the doubles cannot draw, and what a lemma or an id would say.
SECRETS = (*KNOWN_SECRETS, *UNKNOWN_SECRETS)


@pytest.fixture
def labelled():
    def make(nlp):
        doc = Doc(
            nlp.vocab,
            words=WORDS,
            spaces=[True, True, True, True, False, False],
            tags=["NNP", "VBD", "NN", "IN", "NN", "."],
            pos=["PROPN", "VERB", "NOUN", "ADP", "NOUN", "PUNCT"],
            morphs=["", "Tense=Past", "", "", "", ""],
            lemmas=[word.lower() for word in WORDS],
            heads=[1, 1, 1, 1, 3, 1],
            deps=["nsubj", "ROOT", "dobj", "prep", "pobj", "punct"],
            ents=["B-PERSON", "O", "O", "O", "O", "O"],
        )
        doc.ents = [Span(doc, 0, 1, label="PERSON", kb_id="Zorblattovich")]
        doc.spans["places"] = [Span(doc, 4, 5, label="PLACE", kb_id="prison", span_id="prison")]
        doc.cats = {"ill": 1.0, "well": 0.0}
        doc.user_data["note"] = "asthma"
        return doc

    return make


@pytest.fixture
def nlp(make_nlp):
    return make_nlp(mechanism=CONSTANT)


def augmenter(file_space, **settings):
    block = {"@augmenters": "dx.Sanitize.v1", "mechanism": CONSTANT, "space": file_space}
    return registry.resolve({"a": {**block, **settings}})["a"]


def labels(doc):
    return {
        "ents": [(e.start, e.end, e.label_) for e in doc.ents],
        "spans": {k: [(s.start, s.end, s.label_) for s in v] for k, v in doc.spans.items()},
        "cats": doc.cats,
        "tags": [t.tag_ for t in doc],
        "pos": [t.pos_ for t in doc],
        "morphs": [str(t.morph) for t in doc],
        "heads": [(t.head.i, t.dep_) for t in doc],
        "sents": [t.is_sent_start for t in doc],
    }


def test_the_labels_of_a_corpus_stay_and_its_words_go(nlp, labelled):
    doc = labelled(nlp)
    (clean,) = sanitize_corpus([doc], nlp.get_pipe("dx_sanitizer"))
    assert labels(clean) == labels(doc)
    assert {t.text.lower() for t in clean if not t.is_punct} == {COVER, "[redacted]"}
    assert_sanitized(clean)


def test_what_says_which_word_it_was_does_not_come_along(nlp, labelled):
    (clean,) = sanitize_corpus([labelled(nlp)], nlp.get_pipe("dx_sanitizer"))
    assert not any(t.lemma_ for t in clean)
    assert not leaks(DocBin(docs=[clean], store_user_data=True).to_bytes(), SECRETS)


def test_the_receipt_names_the_labels_that_are_in_clear(nlp, labelled):
    sanitizer = nlp.get_pipe("dx_sanitizer")
    (both,) = sanitize_corpus([labelled(nlp)], sanitizer, ["ents", "cats"])
    told = " ".join(both._.dx.in_clear)
    assert "entities" in told and "categories" in told and "parse" not in told
    assert not both.has_annotation("DEP") and not both.has_annotation("TAG")


def test_labels_that_are_not_there_are_neither_made_nor_named(nlp):
    doc = nlp.make_doc("the doctor had asthma")
    (clean,) = sanitize_corpus([doc], nlp.get_pipe("dx_sanitizer"))
    assert not any(clean.has_annotation(name) for name in ("ENT_IOB", "TAG", "DEP", "SENT_START"))
    assert clean._.dx.in_clear == nlp(doc)._.dx.in_clear


def test_missing_entity_labels_stay_missing(nlp):
    doc = Doc(nlp.vocab, words=["the", "doctor"])
    doc.set_ents([Span(doc, 0, 1, label="X")], default="missing")
    (clean,) = sanitize_corpus([doc], nlp.get_pipe("dx_sanitizer"))
    assert [t.ent_iob_ for t in clean] == ["B", ""]


def test_a_document_of_no_tokens_and_one_without_a_receipt(nlp, labelled):
    assert len(next(sanitize_corpus([Doc(nlp.vocab)], nlp.get_pipe("dx_sanitizer")))) == 0
    with pytest.raises(DxError, match="DX032"):
        annotate(labelled(nlp), labelled(nlp))
    with pytest.raises(DxError, match="tokens"):
        annotate(nlp(labelled(nlp)), nlp.make_doc("two words"))


# -- the augmenter ------------------------------------------------------------------------------


def test_the_augmenter_gives_an_example_of_new_words_and_old_labels(file_space, labelled):
    nlp = spacy.blank("en")
    doc = labelled(nlp)
    (new,) = augmenter(file_space)(nlp, Example(nlp.make_doc(doc.text), doc))
    assert labels(new.reference) == labels(doc)
    assert new.predicted.text == new.reference.text
    assert not leaks(new.text, SECRETS)


@pytest.mark.parametrize("level, words", [(0.0, WORDS), (1.0, None)])
def test_level_is_the_share_of_examples_that_are_replaced(file_space, labelled, level, words):
    nlp = spacy.blank("en")
    example = Example(nlp.make_doc("x"), labelled(nlp))
    (new,) = augmenter(file_space, level=level)(nlp, example)
    assert (new is example) == (words is not None)


def test_a_level_between_replaces_some(file_space, labelled):
    nlp = spacy.blank("en")
    augment = augmenter(file_space, level=0.5, seed=0)
    example = Example(nlp.make_doc("x"), labelled(nlp))
    kept = sum(next(augment(nlp, example)) is example for _ in range(400))
    assert 140 < kept < 260  # 6 standard deviations of a fair coin


def test_every_pass_over_the_corpus_draws_anew(file_space, tmp_path):
    nlp = spacy.blank("en")
    DocBin(docs=[nlp.make_doc("the doctor told a story about fire and water " * 5)]).to_disk(
        tmp_path / "corpus.spacy"
    )
    laplace = {"@dx_mechanisms": "dx.Laplace.v1", "epsilon": 1.0}
    augment = augmenter(file_space, mechanism=laplace)
    corpus = Corpus(tmp_path / "corpus.spacy", augmenter=augment)
    first, second = (next(iter(corpus(nlp))).text for _ in range(2))
    assert first != second


def test_a_seed_repeats_the_words(file_space, labelled):
    nlp = spacy.blank("en")
    laplace = {"@dx_mechanisms": "dx.Laplace.v1", "epsilon": 1.0}
    texts = {
        next(augmenter(file_space, mechanism=laplace, seed=3)(nlp, Example(doc, doc))).text
        for doc in (labelled(nlp), labelled(nlp))
    }
    assert len(texts) == 1


@pytest.mark.parametrize("wrong", [{"level": 1.5}, {"annotations": ["lemmas"]}])
def test_settings_out_of_range_are_refused(file_space, wrong):
    with pytest.raises(DxError, match=next(iter(wrong))):
        augmenter(file_space, **wrong)


# -- training -----------------------------------------------------------------------------------


def test_the_defaults_are_those_of_the_sanitizer():
    augment = registry.resolve({"a": {"@augmenters": "dx.Sanitize.v1"}})["a"]
    assert augment.settings["mechanism"].name == "dx.Path.v2"
    assert augment.settings["seed"] is None
    assert augment.level == 1 and augment.annotations == ANNOTATIONS


@pytest.mark.parametrize("path", CONFIGS, ids=lambda p: p.stem)
def test_a_config_trains(path, tmp_path, file_space):
    """A few documents, one pass: that it learns is measured in docs/how-to/spacy.md."""
    from spacy.training.initialize import init_nlp
    from spacy.training.loop import train

    nlp = spacy.blank("en")
    docs = [nlp.make_doc(f"the {word} had asthma in London") for word in ("man", "woman") * 8]
    for i, doc in enumerate(docs):
        doc.cats = {"a": float(i % 2), "b": float(1 - i % 2)}
        doc.ents = [Span(doc, len(doc) - 1, len(doc), label="GPE")]
    corpus = tmp_path / "corpus.spacy"
    DocBin(docs=docs).to_disk(corpus)
    overrides = {"paths.train": str(corpus), "paths.dev": str(corpus), "training.max_epochs": 1}
    config = load_config(path, overrides=overrides, interpolate=False)
    if "augmenter" in config["corpora"]["train"]:
        augmenter = config["corpora"]["train"]["augmenter"]
        augmenter["space"], augmenter["mechanism"] = file_space, CONSTANT
    trained = init_nlp(config)
    train(trained, tmp_path)
    assert (tmp_path / "model-last" / "meta.json").exists()


def test_a_trained_pipeline_holds_the_words_it_read_until_it_is_saved_without(tmp_path, file_space):
    """spaCy keeps every string that it has seen, and an augmenter reads the clear text."""
    nlp = spacy.blank("en")
    textcat = nlp.add_pipe("textcat", config={"model": BAG_OF_WORDS})
    text = " ".join(SECRETS)
    doc = nlp.make_doc(text)
    doc.cats = {"a": 1.0, "b": 0.0}
    (example,) = augmenter(file_space)(nlp, Example(doc, doc))
    nlp.initialize(lambda: [example])
    nlp.update([example])
    nlp.to_disk(tmp_path / "trained")
    assert leaks((tmp_path / "trained" / "vocab" / "strings.json").read_bytes(), SECRETS)

    spacy.load(tmp_path / "trained", exclude=["vocab"]).to_disk(tmp_path / "clean")
    files = [path for path in (tmp_path / "clean").rglob("*") if path.is_file()]
    assert not any(leaks(path.read_bytes(), SECRETS) for path in files)
    clean = spacy.load(tmp_path / "clean")
    assert clean("the doctor").cats == pytest.approx(nlp("the doctor").cats)
    assert clean.get_pipe("textcat").labels == textcat.labels
