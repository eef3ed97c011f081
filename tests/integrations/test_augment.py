"""Training on private text: the words are new, the labels stay, and nothing else comes along."""

from pathlib import Path

import pytest
import spacy
from conftest import CONSTANT, COVER, KNOWN_SECRETS, UNKNOWN_SECRETS, leaks
from spacy.tokens import Doc, DocBin, Span
from spacy.training import Corpus, Example
from spacy.util import load_config, registry

from spacy_dxprivacy import DxError, assert_sanitized
from spacy_dxprivacy.integrations.augment import annotate, sanitize_corpus

BAG_OF_WORDS = {
    "@architectures": "spacy.TextCatBOW.v3", "exclusive_classes": True, "ngram_size": 1,
    "no_output_layer": False,
}  # fmt: skip
CONFIGS = sorted((Path(__file__).parents[2] / "configs" / "training").glob("*.cfg"))
WORDS = ["Zorblattovich", "had", "asthma", "in", "prison", "."]
# What the doubles cannot draw, and what a lemma or an id would say.
SECRETS = (*KNOWN_SECRETS, *UNKNOWN_SECRETS)


def labelled(nlp):
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
    )
    doc.ents = [Span(doc, 0, 1, label="PERSON", kb_id="Zorblattovich")]
    doc.spans["places"] = [Span(doc, 4, 5, label="PLACE", kb_id="prison", span_id="prison")]
    doc.cats = {"ill": 1.0, "well": 0.0}
    doc.user_data["note"] = "asthma"
    return doc


@pytest.fixture
def nlp(make_nlp):
    return make_nlp(mechanism=CONSTANT)


@pytest.fixture
def sanitizer(nlp):
    return nlp.get_pipe("dx_sanitizer")


def augmenter(file_space, **settings):
    block = {"@augmenters": "dx.Sanitize.v1", "mechanism": CONSTANT, "space": file_space}
    return registry.resolve({"a": {**block, **settings}})["a"]


def labels(doc):
    return {
        "ents": [(e.start, e.end, e.label_) for e in doc.ents],
        "spans": {
            key: [(s.start, s.end, s.label_) for s in group]
            for key, group in doc.spans.items()
            if key != "dx"
        },
        "cats": doc.cats,
        "tags": [t.tag_ for t in doc],
        "pos": [t.pos_ for t in doc],
        "morphs": [str(t.morph) for t in doc],
        "heads": [(t.head.i, t.dep_) for t in doc],
        "sents": [t.is_sent_start for t in doc],
    }


def test_labels_of_a_corpus_stay_its_words_go_and_so_does_what_says_which_they_were(nlp, sanitizer):
    doc = labelled(nlp)
    (clean,) = sanitize_corpus([doc], sanitizer)
    assert labels(clean) == labels(doc) and not any(t.lemma_ for t in clean)
    assert {t.text.lower() for t in clean if not t.is_punct} == {COVER, "[redacted]"}
    assert_sanitized(clean)
    assert not leaks(DocBin(docs=[clean], store_user_data=True).to_bytes(), SECRETS)


def test_the_receipt_names_the_labels_that_are_in_plaintext(nlp, sanitizer):
    (both,) = sanitize_corpus([labelled(nlp)], sanitizer, ["ents", "cats"])
    named = " ".join(both._.dx.in_clear)
    assert "entities" in named and "categories" in named and "parse" not in named
    assert not both.has_annotation("DEP") and not both.has_annotation("TAG")


def test_labels_that_are_not_there_are_neither_made_nor_named(nlp, sanitizer):
    doc = nlp.make_doc("the doctor had asthma")
    (clean,) = sanitize_corpus([doc], sanitizer)
    assert not any(clean.has_annotation(name) for name in ("ENT_IOB", "TAG", "DEP", "SENT_START"))
    assert clean._.dx.in_clear == nlp(doc)._.dx.in_clear
    doc.set_ents([Span(doc, 0, 1, label="X")], default="missing")
    (clean,) = sanitize_corpus([doc], sanitizer)
    assert [t.ent_iob_ for t in clean] == ["B", "", "", ""]


def test_a_document_of_no_tokens_and_one_without_a_receipt(nlp, sanitizer):
    assert len(next(sanitize_corpus([Doc(nlp.vocab)], sanitizer))) == 0
    with pytest.raises(DxError, match="DX032"):
        annotate(labelled(nlp), labelled(nlp))
    with pytest.raises(DxError, match="tokens"):
        annotate(nlp(labelled(nlp)), nlp.make_doc("two words"))


def test_the_augmenter_gives_an_example_of_new_words_and_old_labels(file_space):
    nlp = spacy.blank("en")
    doc = labelled(nlp)
    (new,) = augmenter(file_space)(nlp, Example(nlp.make_doc(doc.text), doc))
    assert labels(new.reference) == labels(doc)
    assert new.predicted.text == new.reference.text
    assert not leaks(new.text, SECRETS)


@pytest.mark.parametrize("level, low, high", [(0.0, 400, 400), (1.0, 0, 0), (0.5, 140, 260)])
def test_level_is_the_share_of_examples_that_are_replaced(file_space, level, low, high):
    """Between: 6 standard deviations of a fair coin."""
    nlp = spacy.blank("en")
    augment = augmenter(file_space, level=level, seed=0)
    example = Example(nlp.make_doc("x"), labelled(nlp))
    assert low <= sum(next(augment(nlp, example)) is example for _ in range(400)) <= high


def test_every_pass_over_the_corpus_draws_anew_and_a_seed_repeats_the_words(file_space, tmp_path):
    nlp = spacy.blank("en")
    doc = nlp.make_doc("the doctor told a story about fire and water " * 5)
    DocBin(docs=[doc]).to_disk(tmp_path / "corpus.spacy")
    settings = {"mechanism": {"@dx_mechanisms": "dx.Laplace.v1", "epsilon": 1.0}}
    corpus = Corpus(tmp_path / "corpus.spacy", augmenter=augmenter(file_space, **settings))
    assert len({next(iter(corpus(nlp))).text for _ in range(2)}) == 2
    seeded = [augmenter(file_space, **settings, seed=3) for _ in range(2)]
    assert len({next(augment(nlp, Example(doc, doc))).text for augment in seeded}) == 1


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


def test_categories_are_sampled_and_their_loss_is_in_the_receipt(nlp, sanitizer):
    docs = [labelled(nlp) for _ in range(60)]
    clean = list(sanitize_corpus(docs, sanitizer, label_epsilon=1.0, labels=["well", "ill"]))
    ill = sum(doc.cats["ill"] for doc in clean)
    assert 20 < ill < 60 and all(sorted(doc.cats.values()) == [0, 1] for doc in clean)
    (plain,) = sanitize_corpus([labelled(nlp)], sanitizer, ["tags"])
    receipt = clean[0]._.dx
    assert receipt.loss.plain == pytest.approx(plain._.dx.loss.plain + 1)
    assert receipt.stage("categories")["guarantee"]["epsilon"] == 1.0
    assert "the categories of the document" not in receipt.in_clear
    assert_sanitized(clean[0])


@pytest.mark.parametrize(
    "settings",
    [
        {"label_epsilon": 1.0},
        {"label_epsilon": 0.0, "labels": ["ill", "well"]},
        {"label_epsilon": 1.0, "labels": ["ill"]},
        {"label_epsilon": 1.0, "labels": ["ill", "ill"]},
        {"label_epsilon": 1.0, "labels": ["ill", "tired"]},
        {"label_epsilon": 1.0, "labels": "ill"},
        {"labels": ["ill", "well"]},
    ],
)
def test_what_would_leave_a_category_without_its_guarantee_is_an_error(nlp, sanitizer, settings):
    with pytest.raises(DxError, match="label"):
        list(sanitize_corpus([labelled(nlp)], sanitizer, **settings))


@pytest.mark.parametrize(
    "cats", [{}, {"ill": 1.0, "well": 1.0}, {"ill": 0.0}, {"ill": 0.5, "well": 0.5}]
)
def test_a_document_without_exactly_one_category_is_an_error_without_its_labels(
    nlp, sanitizer, cats
):
    doc = labelled(nlp)
    doc.cats = cats
    with pytest.raises(DxError, match="cats must be"):
        list(sanitize_corpus([doc], sanitizer, label_epsilon=1.0, labels=["ill", "well"]))
