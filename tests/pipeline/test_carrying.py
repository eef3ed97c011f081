"""`carry` copies annotations of words that stay, and nothing of words that go."""

import warnings

import pytest
import spacy
from spacy.tokens import Doc, DocBin, Span, Token

from spacy_dxprivacy import DxError, DxWarning, assert_sanitized

WORDS = ["Yesterday", "Maria", "Whitcombe", "told", "her", "old", "doctor", ".", "He", "slept", "."]
TAGS = ["NN", "NNP", "NNP", "VBD", "PRP$", "JJ", "NN", ".", "PRP", "VBD", "."]
POS = ["NOUN", "PROPN", "PROPN", "VERB", "PRON", "ADJ", "NOUN", "PUNCT", "PRON", "VERB", "PUNCT"]
HEADS = [3, 2, 3, 3, 6, 6, 3, 3, 9, 9, 9]
DEPS = ["npadvmod", "compound", "nsubj", "ROOT", "poss", "amod", "dobj", "punct", "nsubj", "ROOT",
        "punct"]  # fmt: skip
NAME = range(1, 3)  # the tokens of the name


@pytest.fixture(autouse=True, scope="module")
def extensions():
    Doc.set_extension("pid", default=None)
    Token.set_extension("weight", default=0)
    yield
    Doc.remove_extension("pid")
    Token.remove_extension("weight")


def pipeline(**config):
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_entity_sanitizer", config={"surrogates": "standard", **config})
    return nlp


def annotated(vocab):
    doc = Doc(vocab, words=WORDS, tags=TAGS, pos=POS, heads=HEADS, deps=DEPS,
              lemmas=[word.lower() for word in WORDS],
              morphs=["Number=Sing"] * len(WORDS))  # fmt: skip
    doc.ents = [Span(doc, 1, 3, label="PERSON", kb_id="Q1")]
    doc.spans["work"] = [Span(doc, 5, 7, label="JOB", kb_id="Q2"), Span(doc, 1, 2, label="PART")]
    doc._.pid = 7
    doc[6]._.weight, doc[1]._.weight = 3, 9
    return doc


def sanitised(*carry):
    nlp = pipeline(carry=[*carry])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DxWarning)
        return nlp.get_pipe("dx_entity_sanitizer")(annotated(nlp.vocab))


def replaced(doc):
    return {i for ent in doc.ents for i in range(ent.start, ent.end)}


def rest(doc):
    """The tokens that stayed, in order, beside those of the input."""
    gone = {i for i, token in enumerate(doc) if token._.dx == "PERSON"}
    old = [i for i in range(len(WORDS)) if i not in NAME]
    return list(zip([token for token in doc if token.i not in gone], old, strict=True))


@pytest.mark.parametrize(
    ("item", "of_new", "of_old"),
    [
        ("tags", lambda t: (t.tag_, t.pos_), lambda i: (TAGS[i], POS[i])),
        ("tags", lambda t: str(t.morph), lambda i: "Number=Sing"),
        ("lemmas", lambda t: t.lemma_, lambda i: WORDS[i].lower()),
        ("deps", lambda t: t.dep_, lambda i: DEPS[i] if HEADS[i] not in NAME else ""),
        ("sents", lambda t: bool(t.is_sent_start), lambda i: i in (0, 8)),
        ("_.weight", lambda t: t._.weight, lambda i: 3 if i == 6 else 0),
    ],
)  # fmt: skip
def test_words_that_stay_keep_their_annotation_and_surrogates_have_none(item, of_new, of_old):
    doc = sanitised("ents", item)
    assert [of_new(token) for token, _ in rest(doc)] == [of_old(i) for _, i in rest(doc)]
    names = [token for token in doc if token._.dx == "PERSON"]
    assert names and not any(
        t.tag_ or t.pos_ or t.lemma_ or t.dep_ or t._.weight or t.morph for t in names
    )
    assert {token.ent_type_ for token in names} == {"PERSON"}


def test_heads_join_words_that_stay_and_sentences_begin_where_they_did():
    doc = sanitised("ents", "deps")
    new_of_old = {old: token.i for token, old in rest(doc)}
    for token, old in rest(doc):
        head = HEADS[old]
        assert token.head.i == (token.i if head in NAME else new_of_old[head])
    assert [sent[0].text for sent in doc.sents] == ["Yesterday", "He"]


def test_spans_keep_their_places_and_labels_and_no_ids():
    doc = sanitised("ents", "spans:work")
    job = doc.spans["work"][0]
    assert (job.text, job.label_, job.kb_id_) == ("old doctor", "JOB", "")
    assert [span.label_ for span in doc.spans["work"]] == ["JOB", "PART"]
    assert {*range(doc.spans["work"][1].start, doc.spans["work"][1].end)} == replaced(doc)


def test_an_extension_of_the_doc_is_copied():
    assert sanitised("_.pid")._.pid == 7 and sanitised()._.pid is None


@pytest.mark.parametrize("item", ["tags", "lemmas", "deps", "sents", "spans:work", "_.pid"])
def test_the_receipt_declares_what_is_carried_and_nothing_else_comes_along(item):
    without, carried = sanitised("ents"), sanitised("ents", item)
    extra = {*carried._.dx.in_clear} - {*without._.dx.in_clear}
    assert len(extra) == 1
    assert_sanitized(carried)
    assert not any(t.tag_ or t.lemma_ or t.dep_ for t in without) and not without.spans.get("work")


def test_a_sampled_word_has_no_annotation():
    nlp = spacy.blank("en")
    carry = ["tags", "lemmas", "deps", "_.weight"]
    nlp.add_pipe("dx_sanitizer", config={"carry": carry})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DxWarning)
        doc = nlp.get_pipe("dx_sanitizer")(annotated(nlp.vocab))
    sampled = [token for token in doc if token._.dx == "SAMPLED"]
    assert sampled
    assert not any(t.tag_ or t.pos_ or t.lemma_ or t.dep_ or t._.weight for t in sampled)


def test_annotations_survive_a_docbin():
    doc = sanitised("ents", "tags", "lemmas", "deps", "spans:work")
    (again,) = DocBin(docs=[doc], store_user_data=True).get_docs(spacy.blank("en").vocab)
    for token, copy in zip(doc, again, strict=True):
        assert (token.tag_, token.lemma_, token.dep_) == (copy.tag_, copy.lemma_, copy.dep_)


def test_what_is_dropped_is_named_once_with_both_remedies():
    nlp = pipeline()
    sanitizer = nlp.get_pipe("dx_entity_sanitizer")
    with pytest.warns(DxWarning, match="DX106") as caught:
        sanitizer(annotated(nlp.vocab))
        sanitizer(annotated(nlp.vocab))
    (message,) = (str(warning.message) for warning in caught)
    named = ("tags", "lemmas", "deps", "spans:work", "_.pid", "_.weight", "carry =", "after it")
    assert all(word in message for word in named)
    assert "Maria" not in message


def test_nothing_is_named_where_all_is_carried_or_nothing_was_there():
    carry = ["ents", "tags", "lemmas", "deps", "spans:work", "_.pid", "_.weight"]
    nlp = pipeline(carry=carry)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nlp.get_pipe("dx_entity_sanitizer")(annotated(nlp.vocab))
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_entity_ruler")
    nlp.add_pipe("dx_entity_sanitizer")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nlp("Maria Whitcombe came on 3 May.")


@pytest.mark.parametrize("carry", [["words"], ["spans:"], ["_."], ["tag"]])
def test_an_unknown_item_is_an_error(carry):
    with pytest.raises(DxError, match=r"carry.*'tags'"):
        pipeline(carry=carry)


def test_an_extension_that_does_not_exist_is_an_error():
    with pytest.raises(DxError, match="DX183"):
        sanitised("_.nothing")
