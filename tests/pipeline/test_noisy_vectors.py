"""vectors = "noisy": token.vector is the perturbed vector, wherever the Doc goes."""

import numpy as np
import pytest
import spacy
from conftest import on_space, sanitizing
from spacy.tokens import DocBin

from spacy_dxprivacy import DxError, Space, attach_vectors, release

WORDS = [f"word{i}" for i in range(50)]
TEXT = "word1 word2, unheard word3."
MECHANISMS = ["dx.Laplace.v1", "dx.Gaussian.v1", "dx.Mahalanobis.v1", "dx.NADP.v1"]


@pytest.fixture
def make(tmp_path):
    matrix = np.random.default_rng(0).normal(size=(50, 8))
    Space.from_vectors(WORDS, matrix).save(tmp_path / "space")

    def make_nlp(mechanism):
        settings = {"@dx_mechanisms": mechanism, "epsilon": 1.0}
        space = on_space(tmp_path / "space")
        return sanitizing(space=space, mechanism=settings, vectors="noisy")

    return make_nlp


def through_bytes(doc):
    raw = doc.to_bytes(exclude=["user_hooks"])
    return spacy.tokens.Doc(spacy.blank("en").vocab).from_bytes(raw)


def through_docbin(doc, **how):
    stored = DocBin(docs=[doc], **{"store_user_data": True, **how}).to_bytes()
    return next(iter(DocBin().from_bytes(stored).get_docs(spacy.blank("en").vocab)))


def released(doc):
    return release(doc, spacy.blank("en").vocab)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_every_drawn_word_has_a_vector_that_no_word_of_the_table_has(make, mechanism):
    nlp = make(mechanism)
    doc = nlp(TEXT)
    table = nlp.get_pipe("dx_sanitizer").space.vectors
    for place in (0, 1, 3, 4):  # that of the unknown word looks like any
        assert doc[place].vector.any()  # drawn, and not left at zero
        assert not (doc[place].vector == table).all(axis=1).any()
    assert doc[0].has_vector and np.isfinite(doc.vector).all()


def test_vectors_of_unknown_words_are_those_of_uniform_words(make):
    """Their mean is that of the table, and not of any word: all noise is added up."""
    nlp, times = make("dx.Laplace.v1"), 3000
    doc = nlp(" ".join(["unheard"] * times))
    table = nlp.get_pipe("dx_sanitizer").space.vectors
    X = np.array([token.vector for token in doc])
    errors = np.sqrt((X.var(axis=0)) / times)
    assert (np.abs(X.mean(axis=0) - table.mean(axis=0)) < 5 * errors).all()
    apart = np.abs(table - table.mean(axis=0)) / errors
    assert (apart.max(axis=1) > 10).all()  # the mean tells a word that would be taken each time


@pytest.mark.parametrize("journey", [through_bytes, through_docbin, released])
def test_the_vectors_come_along(make, journey):
    doc = make("dx.Gaussian.v1")(TEXT)
    moved = attach_vectors(journey(doc))
    for old, new in zip(doc, moved, strict=True):
        assert np.array_equal(old.vector, new.vector)
        assert np.array_equal(new._.dx_vector, new.vector)


def test_vectors_that_do_not_fit_or_were_not_kept_are_refused(make):
    with pytest.raises(DxError, match="DX035"):
        make("dx.RandomProjection.v1").get_pipe("dx_sanitizer").warm_up()
    doc = through_docbin(make("dx.Laplace.v1")(TEXT), store_user_data=False)
    with pytest.raises(DxError, match="DX028"):
        attach_vectors(doc)
