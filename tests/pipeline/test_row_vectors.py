"""vectors = "table": a sampled word has the vector of its row, whatever its case."""

import warnings

import numpy as np
import pytest
import spacy
from spacy.tokens import DocBin
from spacy.vectors import Vectors
from spacy.vocab import Vocab

from spacy_dxprivacy import DxError, Space, attach_vectors, release

WORDS = ["the", "doctor", "sleeps", "London", "iPhone", *(f"word{c}" for c in "abcdefghij")]
TEXT = "the doctor sleeps. the doctor sleeps."
TABLE = np.random.default_rng(0).normal(size=(len(WORDS), 4)).astype("f")


def make_nlp(attr="ORTH", **settings):
    nlp = spacy.blank("en")
    vectors = Vectors(strings=nlp.vocab.strings, shape=TABLE.shape, attr=attr)
    for word, vector in zip(WORDS, TABLE, strict=True):
        nlp.vocab.strings.add(word)
        vectors.add(word.lower() if attr == "LOWER" else word, vector=vector)
    nlp.vocab.vectors = vectors
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nlp.add_pipe("dx_sanitizer", config={"mechanism": "identity", **settings})
        nlp("the")
    return nlp


def through_docbin(doc, nlp):
    stored = DocBin(docs=[doc], store_user_data=True).to_bytes()
    return next(iter(DocBin().from_bytes(stored).get_docs(nlp.vocab)))


@pytest.mark.parametrize("attr", ["ORTH", "LOWER"])
def test_the_first_word_of_a_sentence_has_the_vector_of_its_row(attr):
    nlp = make_nlp(attr)
    doc = nlp(TEXT)
    first = doc[4]
    assert first.text == "The" and first.has_vector
    assert np.array_equal(first.vector, TABLE[0]) and first.vector_norm > 0
    assert first.similarity(nlp.vocab["the"]) == pytest.approx(1.0)
    assert np.allclose(doc[4:7].vector, TABLE[:3].mean(axis=0))
    assert np.allclose(doc[4:7].as_doc()[0].vector, TABLE[0])
    assert not doc[3].has_vector and not doc[3].vector.any()  # a full stop has none


@pytest.mark.parametrize("written", ["LONDON", "london", "IPHONE", "iphone"])
def test_a_row_is_found_in_any_case(written):
    doc = make_nlp(casing="preserve")(f"the {written} sleeps.")
    row = [word.lower() for word in WORDS].index(doc[1].lower_)
    assert np.array_equal(doc[1].vector, TABLE[row])


def test_a_word_that_stays_has_what_spacy_gives_it():
    selector = {"@dx_selectors": "dx.WordList.v1", "words": ["doctor"]}
    doc = make_nlp(selector=selector)("The doctor sleeps.")
    assert not doc[0].has_vector and doc[1].has_vector


def test_the_vectors_come_along():
    nlp = make_nlp()
    doc = nlp(TEXT)
    assert np.array_equal(doc.copy()[4].vector, TABLE[0])
    assert np.array_equal(attach_vectors(through_docbin(doc, nlp))[4].vector, TABLE[0])
    clean = Vocab()
    clean.vectors = nlp.vocab.vectors
    assert np.array_equal(release(doc, clean)[4].vector, TABLE[0])
    blank = attach_vectors(through_docbin(doc, spacy.blank("en")))
    assert not blank[4].has_vector and not blank[4].vector.size


@pytest.mark.slow
def test_workers_warn_of_no_hooks():
    nlp = make_nlp()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        docs = list(nlp.pipe([TEXT] * 4, n_process=2, batch_size=2))
    assert all(np.array_equal(attach_vectors(doc)[4].vector, TABLE[0]) for doc in docs)


def test_the_table_and_the_digest_of_the_space_stay():
    nlp = make_nlp()
    keys, digest = nlp.vocab.vectors.n_keys, nlp.get_pipe("dx_sanitizer").space.digest
    nlp(TEXT)
    assert nlp.vocab.vectors.n_keys == keys == len(WORDS)
    assert Space.from_nlp(nlp).digest == digest


def test_a_doc_without_vectors_has_no_hooks():
    for doc in (make_nlp()("London London"), spacy.blank("en")("doctor")):
        assert not doc.user_token_hooks
        with pytest.raises(DxError, match="DX028"):
            attach_vectors(doc)
