"""A grep for every secret of the input over all that leaves, with controls that the grep can fail.

Secrets are words that the space does not contain (names, numbers, addresses) and words that it
contains and that the mechanism replaced (a double puts one word in every place).
"""

import io
import json
import logging
import pickle
import traceback
import warnings

import numpy as np
import pytest
import spacy
import srsly
from conftest import (
    CONSTANT,
    EXPONENTIAL,
    KNOWN_SECRETS,
    LAPLACE,
    REDACT,
    SECRET_TEXT,
    SECRETS,
    UNKNOWN_SECRETS,
    blank_with_vectors,
    leaks,
    make_space,
    sanitizing,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

import spacy_dxprivacy as dx
from spacy_dxprivacy import DxError, DxWarning, Rng, release
from spacy_dxprivacy.pipeline.context import StageContext
from spacy_dxprivacy.pipeline.stages import run_stages
from spacy_dxprivacy.privacy.randomness import Rng as RngClass

W109 = pytest.mark.filterwarnings("ignore:.*W109")  # hooks of vectors are not saved
LEAKY = ("sentencizer", "test_leaky_annotator")
# Every setting that adds something to the output.
CONFIGS = {
    "plain": {},
    "carry": {"carry": ["ents", "sents"]},
    "noisy": {"vectors": "noisy"},
    "preserve": {"casing": "preserve"},
    "type": {"scope": "type"},
    "random word": {
        "unknown": {"@dx_unknowns": "dx.RandomWord.v1"},
        # A random word may be any word of the space, these too, unless they are not in it.
        "space": {"@dx_spaces": "dx.PipelineVectors.v1", "exclude": list(KNOWN_SECRETS)},
    },
    "random digits": {"unknown": {"@dx_unknowns": "dx.RandomDigits.v1"}},
}


@pytest.fixture(scope="module", params=CONFIGS.values(), ids=CONFIGS.keys())
def nlp(request, space):
    """A component before the sanitizer has written the text wherever a Doc has room for it."""
    nlp = blank_with_vectors(space)
    for name in LEAKY:
        nlp.add_pipe(name)
    nlp.add_pipe("dx_sanitizer", config={"mechanism": CONSTANT, "unknown": REDACT, **request.param})
    return nlp


def sanitised(nlp):
    return [nlp(SECRET_TEXT), *nlp.pipe([SECRET_TEXT, f"He said: {SECRET_TEXT}"])]


# -- the grep itself -------------------------------------------------------------------------------


def test_the_grep_finds_every_secret_in_what_was_not_sanitised(make_nlp):
    nlp = make_nlp()
    doc = nlp.make_doc(SECRET_TEXT)
    for data in (doc.to_bytes(), DocBin(docs=[doc]).to_bytes(), doc.text, doc.text.lower()):
        assert {s.lower() for s in SECRETS} <= {s.lower() for s in leaks(data)}
    assert leaks(json.dumps("Ærøskøbing")) and leaks(repr("Ærøskøbing"))
    assert not leaks("the dog saw a cat")


# -- documents -------------------------------------------------------------------------------------


@W109
def test_doc_bytes_hold_no_secret(nlp):
    for doc in sanitised(nlp):
        assert not leaks(doc.to_bytes())
        assert not leaks(srsly.json_dumps(doc.to_json(underscore=["dx"])))


@pytest.mark.parametrize("store_user_data", [True, False])
def test_doc_bins_hold_no_secret(nlp, store_user_data):
    doc_bin = DocBin(docs=sanitised(nlp), store_user_data=store_user_data)
    assert not leaks(doc_bin.to_bytes())
    attributes = "LEMMA NORM TAG DEP ENT_ID ENT_KB_ID ENT_TYPE SHAPE MORPH".split()
    assert not leaks(DocBin(attrs=attributes, docs=sanitised(nlp)).to_bytes())


@pytest.mark.parametrize("vocab", [Vocab, lambda: spacy.blank("en").vocab], ids=["bare", "blank"])
def test_released_docs_can_be_pickled_and_docs_of_the_pipeline_cannot(nlp, vocab):
    for doc in sanitised(nlp):
        with pytest.raises(DxError, match="DX039"):  # it has read the text
            release(doc, nlp.vocab)
        free = release(doc, vocab())
        assert free.text == doc.text and free._context is None
        assert not leaks(pickle.dumps(free))
        assert not leaks(" ".join(free.vocab.strings))
        # The vocabulary of the pipeline has read the text, and pickle takes it along.
        assert set(leaks(pickle.dumps(doc))) >= set(UNKNOWN_SECRETS)


def test_every_attribute_is_of_the_new_word_and_receipts_hold_no_secret(nlp):
    for doc in sanitised(nlp):
        strings = [name for name in dir(doc[0]) if name.endswith("_") and not name.startswith("_")]
        told = [str(getattr(token, name)) for token in doc for name in strings]
        told += [repr(doc), str(doc.spans), str(doc.cats), str(doc.user_data), str(doc.ents)]
        told += [str(span) + span.label_ + span.kb_id_ + span.id_ for span in doc.ents]
        assert not leaks("\n".join(told))
        assert doc.sentiment == 0 and not doc.user_hooks
        assert not leaks(str(doc._.dx) + repr(doc._.dx) + json.dumps(doc._.dx, ensure_ascii=False))


@W109
def test_outputs_for_different_texts_are_bit_for_bit_alike(make_nlp):
    texts = ["Zorblattovich had ASTHMA, in Prison.", "Quuxington HAD divorce, In prison."]
    nlp = make_nlp(before=LEAKY[:1], mechanism=CONSTANT, vectors="noisy")
    assert len({nlp(text).to_bytes() for text in texts}) == 1
    assert len({nlp(text).to_bytes(exclude=["user_data"]) for text in [*texts, "a b"]}) == 2


@pytest.fixture(scope="module")
def forgetful(space):
    nlp = blank_with_vectors(space)
    nlp.add_pipe("dx_sanitizer", config={"mechanism": CONSTANT, "unknown": REDACT})
    return nlp


two_texts = st.lists(
    st.tuples(
        st.sampled_from(make_space().words),
        st.sampled_from(make_space().words),
        st.sampled_from([str.lower, str.upper, str.title, str]),
        st.sampled_from(["", ".", ",", "\n\n", "'"]),
        st.booleans(),
    )
)


@settings(derandomize=True, max_examples=100, deadline=None)
@given(two_texts)
def test_words_and_their_case_leave_no_trace(forgetful, places):
    """Any two documents of one layout are the same document after a mechanism that forgets."""

    def made(which):
        words, spaces = [], []
        for place in places:
            word = place[which] if which else place[2](place[which])
            words += [word, place[3]] if place[3] else [word]
            spaces += [False, place[4]] if place[3] else [place[4]]
        return forgetful(Doc(forgetful.vocab, words=words, spaces=spaces))

    assert made(0).to_bytes() == made(1).to_bytes()


# -- the component ---------------------------------------------------------------------------------


def test_the_component_keeps_nothing_of_what_it_read(make_nlp):
    nlp = make_nlp(mechanism=LAPLACE, vectors="noisy", scope="type")
    component = nlp.get_pipe("dx_sanitizer")
    clean = set(component.__getstate__())
    sanitised(nlp)
    data = pickle.dumps(component)
    assert not leaks(data, UNKNOWN_SECRETS)  # the others are words of the public table
    assert set(component.__getstate__()) == clean and pickle.dumps(component) == data


def test_str_and_repr_of_public_objects_tell_no_text(make_nlp, space):
    nlp = make_nlp(mechanism=LAPLACE)
    component = nlp.get_pipe("dx_sanitizer")
    doc = nlp(SECRET_TEXT)
    rows = np.array([space.find(word) for word in KNOWN_SECRETS])
    parts = component.settings
    context = StageContext(parts, component.space)
    drawn = run_stages([nlp.make_doc(SECRET_TEXT)], context)
    objects = [
        component, parts, parts.mechanism, parts.selector, parts.unknown, parts.space, parts.rng,
        component.space, component.terms, parts.mechanism.guarantee, doc._.dx, RngClass,
        dx.registry, parts.mechanism.sample(rows[:0], Rng()),
    ]  # fmt: skip
    for thing in objects:
        assert not leaks(str(thing) + repr(thing)), type(thing)
    assert not leaks(repr(drawn), UNKNOWN_SECRETS)


# -- logs, warnings, errors ------------------------------------------------------------------------


@pytest.fixture
def everything_logged(caplog):
    """Every logger at its most talkative, those of spaCy included, which do not propagate."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    names = ["", "spacy", *logging.root.manager.loggerDict]
    before = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.DEBUG)
    for name in ("", "spacy"):
        logging.getLogger(name).addHandler(handler)
    logging.getLogger("anything").debug("it listens")
    yield stream
    assert "it listens" in stream.getvalue()
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)
        logging.getLogger(name).removeHandler(handler)


def test_nothing_is_logged_printed_or_warned_of(nlp, everything_logged, capfd):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        docs = sanitised(nlp)
        nlp.to_bytes()
        for doc in docs:
            release(doc, Vocab())
    assert not leaks("".join(str(w.message) for w in caught))
    assert not leaks(everything_logged.getvalue())
    assert not leaks("".join(capfd.readouterr()))


def refusals(make_nlp):
    """Calls that must fail while a secret text is at hand."""

    def run(**config):
        return lambda: make_nlp(**config)(SECRET_TEXT)

    def from_blank(**config):
        nlp = sanitizing(**config)
        return lambda: nlp(SECRET_TEXT)

    component = make_nlp(mechanism=LAPLACE).get_pipe("dx_sanitizer")
    fitted = component.settings.mechanism.fit(component.space)
    raw = make_nlp().make_doc(SECRET_TEXT)
    # In the place of a row number or a vector a text may arrive by mistake.
    words = SECRET_TEXT.split()
    return {
        "entities without a recogniser": run(name="dx_entity_sanitizer"),
        "unknown words refused": run(unknown={"@dx_unknowns": "dx.Raise.v1"}),
        "no vectors": from_blank(space={"@dx_spaces": "dx.PipelineVectors.v1"}),
        "no file": from_blank(space={"@dx_spaces": "dx.FileSpace.v1", "path": "/no/such"}),
        "no receipt": lambda: dx.assert_sanitized(raw),
        "no release": lambda: release(raw, Vocab()),
        "noisy vectors that are not": run(vectors="noisy", mechanism=EXPONENTIAL),
        "texts for rows": lambda: fitted.sample(words, Rng()),
        "a text for a Doc": lambda: component(SECRET_TEXT),
        "texts for Docs": lambda: list(component.pipe([SECRET_TEXT])),
        "no Doc": lambda: component(None),
    }


def test_no_refusal_tells_the_text(make_nlp, everything_logged):
    for name, call in refusals(make_nlp).items():
        with pytest.raises(DxError) as caught:
            call()
        told = "".join(traceback.format_exception(caught.value)) + repr(caught.value.args)
        assert not leaks(told), name
    assert not leaks(everything_logged.getvalue())


# -- saved pipelines -------------------------------------------------------------------------------


def files(folder):
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    assert paths
    return b"\n".join(str(path.relative_to(folder)).encode() + path.read_bytes() for path in paths)


def test_a_pipeline_saved_after_use_holds_the_text_and_warns(make_nlp, tmp_path):
    """The control: this is the leak that the warning is about."""
    nlp = make_nlp(mechanism=CONSTANT)
    nlp(SECRET_TEXT)
    with pytest.warns(DxWarning, match="DX102") as caught:
        nlp.to_disk(tmp_path)
    assert set(leaks(files(tmp_path), UNKNOWN_SECRETS)) >= set(UNKNOWN_SECRETS[:3])
    assert not leaks("".join(str(w.message) for w in caught))
    with pytest.warns(DxWarning, match="DX102"):
        assert leaks(nlp.to_bytes(), UNKNOWN_SECRETS)


def test_it_is_said_each_time_whatever_filters_say(make_nlp):
    nlp = make_nlp(mechanism=CONSTANT)
    nlp(SECRET_TEXT)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        for _ in range(3):
            nlp.to_bytes()
    assert sum("DX102" in str(w.message) for w in caught) == 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(DxWarning, match="DX102"):
            nlp.to_bytes()


def test_a_pipeline_saved_before_use_holds_nothing(make_nlp, tmp_path):
    nlp = make_nlp(mechanism=CONSTANT)
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    again(SECRET_TEXT)
    assert not leaks(files(tmp_path), UNKNOWN_SECRETS)


def test_a_pipeline_that_reads_in_a_memory_zone_can_be_saved_after_it(make_nlp, tmp_path):
    nlp = make_nlp(mechanism=CONSTANT)
    with nlp.memory_zone():
        data = [doc.to_bytes() for doc in sanitised(nlp)]
    nlp.to_disk(tmp_path)
    assert not leaks(files(tmp_path), UNKNOWN_SECRETS)
    assert not leaks(nlp.to_bytes(), UNKNOWN_SECRETS)
    assert not any(map(leaks, data))


def test_a_pipeline_saved_within_the_zone_that_it_reads_in_warns(make_nlp):
    """spaCy saves the words of a zone as long as it lasts."""
    nlp = make_nlp(mechanism=CONSTANT)
    with nlp.memory_zone():
        nlp.to_bytes()
        nlp(SECRET_TEXT)
        with pytest.warns(DxWarning, match="DX102"):
            assert leaks(nlp.to_bytes(), UNKNOWN_SECRETS)


def test_a_document_that_was_refused_counts_as_read(make_nlp):
    nlp = make_nlp(mechanism=CONSTANT, unknown={"@dx_unknowns": "dx.Raise.v1"})
    with pytest.raises(DxError):
        nlp(SECRET_TEXT)
    with pytest.warns(DxWarning, match="DX102"):
        nlp.to_bytes()


def test_a_packed_space_holds_public_words_alone(file_space, tmp_path):
    nlp = sanitizing(mechanism=CONSTANT, space=file_space)
    nlp(SECRET_TEXT)
    with pytest.warns(DxWarning, match="DX102"):
        nlp.to_disk(tmp_path)
    assert not leaks(files(tmp_path / "dx_sanitizer"), UNKNOWN_SECRETS)
