"""The component in a spaCy pipeline: what it replaces, what it keeps, and that it fails closed."""

import itertools
import traceback
from functools import partial

import numpy as np
import pytest
import spacy
from conftest import (
    CONSTANT,
    COUNTING,
    COVER,
    DIMS,
    LAPLACE,
    REDACT,
    SECRET_TEXT,
    UNKNOWN_SECRETS,
    Failing,
    Garbage,
    leaks,
    pipeline_of,
    sanitizing,
)
from spacy.tokens import Doc
from spacy.util import ignore_error

from spacy_dxprivacy import DxError, assert_sanitized, release
from spacy_dxprivacy.pipeline.carrying import describe_carry
from spacy_dxprivacy.pipeline.receipt import RECEIPT_KEY
from spacy_dxprivacy.pipeline.vectors import ROWS_KEY

TEXTS = [
    "The doctor went to the hospital.",
    "",
    "Anna and Peter walked home in the rain, not in the snow!",
    "   \n\n  ",
    "She doesn't know why.",
    "?!... --",
    "Zorblattovich met Mary on Monday.",
]
UNKNOWN = "Zorblatt paid 1,234.50 for 42 x7y and 👍"
FORKED = pytest.mark.filterwarnings("ignore:.*W109", "ignore:.*fork:DeprecationWarning")
PROCESSES = pytest.mark.parametrize("n_process", [1, 2])


def unknown(name, **settings):
    return {"@dx_unknowns": f"dx.{name}.v1", **settings}


def word_list(*words):
    return {"@dx_selectors": "dx.WordList.v1", "words": list(words)}


def with_ruler(make_nlp, patterns, **config):
    """An entity sanitizer behind a ruler with these (label, pattern)."""
    nlp = make_nlp(before=("entity_ruler",), name="dx_entity_sanitizer", **config)
    nlp.get_pipe("entity_ruler").add_patterns([{"label": a, "pattern": b} for a, b in patterns])
    return nlp


# -- out of the box ------------------------------------------------------------------------------


def test_it_works_on_a_blank_pipeline_with_nothing_else():
    nlp = sanitizing()
    doc = nlp(SECRET_TEXT)
    assert_sanitized(doc)
    assert doc._.dx.guarantee["kind"] == "metric-dp" and doc._.dx.perturbed > 10
    assert not leaks(doc.to_bytes(), UNKNOWN_SECRETS)


# -- what comes out --------------------------------------------------------------------------------

OUTPUTS = {
    "layout": ({}, "the 'dog' sat (by \"a house\").", "Blue 'blue' blue (blue \"blue blue\")."),
    "hyphens": ({}, "a big-good, Zorblatt-free;", "Blue blue-blue, [REDACTED]-[REDACTED];"),
    "lines": ({}, "dog\n\n- cat\n* tree", "Blue\n\n- Blue\n* Blue"),
    "clitics": ({}, "Anna's dog", "Blue [REDACTED] blue"),
    "case of the output": ({}, "the DOG sat. it ate", "Blue blue blue. Blue blue"),
    "no case of the input": ({}, "THE Dog sat. It ATE", "Blue blue blue. Blue blue"),
    "case of the input": (
        {"casing": "preserve"}, "THE Dog sat by ZORBLATT", "BLUE Blue blue blue [REDACTED]"
    ),
    "another text": ({"unknown": {**REDACT, "text": "<unk>"}}, "dog Zorblatt", "Blue <unk>"),
    "a list, in any case": (
        {"selector": word_list("Dog", "zorblatt")}, "the DOG saw Zorblatt and dog",
        f"the {COVER} saw [REDACTED] and {COVER}",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OUTPUTS)
def test_what_comes_out(make_nlp, name):
    config, text, expected = OUTPUTS[name]
    doc = make_nlp(mechanism=CONSTANT, **config)(text)
    assert doc.text == expected
    assert ("the case of every word" in doc._.dx.in_clear) == (config.get("casing") == "preserve")


@pytest.mark.parametrize("text", TEXTS)
def test_punctuation_and_white_space_stay_and_every_token_is_counted_once(make_nlp, text):
    nlp = make_nlp(mechanism=CONSTANT)
    before = nlp.make_doc(text)
    after = nlp(before)
    assert after is not before and before.text == text and before._.dx is None
    for old, new in zip(before, after, strict=True):
        if old.is_space or old.is_punct:
            assert new.text == old.text
        else:
            assert new.text.lower() in (COVER, "[redacted]")
    assert_sanitized(after)
    receipt = make_nlp(mechanism=LAPLACE)(text)._.dx
    assert receipt.tokens == len(after) == receipt.perturbed + receipt.unknown + receipt.kept
    assert receipt.draws == receipt.perturbed
    assert receipt.total["epsilon"] == pytest.approx(receipt.perturbed * LAPLACE["epsilon"])


def test_scope_says_how_often_a_word_of_a_doc_is_drawn(make_nlp, mechanism):
    doc = make_nlp(mechanism={**mechanism, "epsilon": 0.5})("dog " * 60)
    assert len({t.text for t in doc}) > 10 and doc._.dx.draws == 60
    doc = make_nlp(mechanism=mechanism, scope="type", vectors="table")("dog cat " * 50)
    # "an" is "a" as it is spelt before a vowel: one word drawn, not two.
    words = [{"an": "a"}.get(t.lower_, t.lower_) for t in doc]
    assert len(set(words[0::2])) == len(set(words[1::2])) == 1
    assert doc._.dx.draws == 2 and doc._.dx.perturbed == 100
    assert doc._.dx.total["epsilon"] == pytest.approx(2 * mechanism["epsilon"])


def test_scope_type_holds_within_a_doc_and_for_unknown_words(make_nlp):
    nlp = make_nlp(mechanism={**LAPLACE, "epsilon": 0.01}, scope="type", vectors="noisy")
    first, second = nlp.pipe(["dog dog", "dog dog"])
    assert np.array_equal(first.tensor[0], first.tensor[1])
    assert not np.array_equal(first.tensor[0], second.tensor[0])
    nlp = make_nlp(mechanism=CONSTANT, scope="type", unknown=unknown("RandomWord"))
    doc = nlp("Zorblatt saw zorblatt and Quux saw Quux")
    assert doc[0].lower_ == doc[2].lower_ and doc[4].text == doc[6].text


# -- unknown words ---------------------------------------------------------------------------------


def test_unknown_words_are_redacted_drawn_or_get_other_digits(make_nlp, space):
    doc = make_nlp(mechanism=CONSTANT)(UNKNOWN)
    assert [t.text for t in doc].count("[REDACTED]") == doc._.dx.unknown == 6
    nlp = make_nlp(mechanism=CONSTANT, unknown=unknown("RandomWord"))
    drawn = {t.text.lower() for t in nlp("zorblatt " * 400)}
    assert drawn <= {w.lower() for w in space.words} and len(drawn) > 100
    doc = make_nlp(mechanism=CONSTANT, unknown=unknown("RandomDigits"))(UNKNOWN)
    assert doc[0].text == doc[5].text == doc[7].text == "[REDACTED]"
    assert [c if not c.isdigit() else "0" for c in doc[2].text] == list("0,000.00")


def test_documents_with_unknown_words_can_be_refused(make_nlp):
    nlp = make_nlp(mechanism=CONSTANT, unknown=unknown("Raise"))
    with pytest.raises(DxError, match="DX036") as caught:
        nlp("the dog Zorblattovich")
    assert not leaks(str(caught.value))
    out = []
    with pytest.raises(DxError, match="DX036"):  # batches before a failure come out, none after
        for doc in nlp.pipe(["the dog", "a cat", "red", "Zorblatt", "blue", "sun"], batch_size=2):
            out.append(doc.text)
    assert out == ["Blue blue", "Blue blue"]


# -- entities --------------------------------------------------------------------------------------


def test_the_entity_sanitizer_replaces_entities_alone(make_nlp):
    patterns = [("PERSON", "Anna"), ("DATE", "last Monday"), ("GPE", "Paris")]
    nlp = with_ruler(make_nlp, patterns, mechanism=CONSTANT, surrogates=None)
    doc = nlp("Then Anna went to Paris last Monday")
    assert doc.text == "Then blue went to Paris blue blue"
    found = [("blue", "PERSON"), ("Paris", "GPE"), ("blue blue", "DATE")]
    assert [(e.text, e.label_) for e in doc.ents] == found
    assert nlp("the dog sat").text == "the dog sat"  # none found is not the same as none looked for
    given = Doc(nlp.vocab, words=["Then", "Anna", "sat"], ents=["O", "B-PERSON", "O"])
    assert nlp(given).text == "Then blue sat "


def test_texts_that_no_recogniser_has_seen_are_refused(make_nlp):
    nlp = make_nlp(name="dx_entity_sanitizer", mechanism=CONSTANT)
    with pytest.raises(DxError, match=r"DX030.*add_pipe"):
        nlp(SECRET_TEXT)
    with pytest.raises(DxError, match="DX030"):
        list(nlp.pipe(["", SECRET_TEXT]))
    nlp = with_ruler(make_nlp, [("PERSON", "Anna"), ("DATE", "Anna")], mechanism=CONSTANT)
    with nlp.select_pipes(disable="entity_ruler"), pytest.raises(DxError, match="DX030"):
        nlp("Anna")
    with pytest.raises(DxError, match=r"DX031.*DATE.*PER"):  # labels that nothing predicts
        with_ruler(make_nlp, [("PER", "Anna")], mechanism=CONSTANT)("Anna")


# -- carried annotations -----------------------------------------------------------------------


def test_sentences_and_entities_are_carried_where_the_config_says_so(make_nlp):
    before = ("sentencizer", "entity_ruler")
    nlp = make_nlp(before=before, mechanism=CONSTANT, carry=["ents", "sents"])
    nlp.get_pipe("entity_ruler").add_patterns([{"label": "PERSON", "pattern": "Anna", "id": "x"}])
    doc = nlp("Anna sat. The dog ran.")
    assert [(e.start, e.end, e.label_, e.ent_id_) for e in doc.ents] == [(0, 1, "PERSON", "")]
    assert [(s.start, s.end) for s in doc.sents] == [(0, 3), (3, 7)]
    assert {describe_carry(item) for item in ("ents", "sents")} <= set(doc._.dx.in_clear)


def test_nothing_is_carried_by_default_and_what_is_not_there_changes_nothing(make_nlp):
    nlp = make_nlp(before=("sentencizer", "test_leaky_annotator"), mechanism=CONSTANT)
    doc = nlp("Anna sat. The dog ran.")
    for annotation in ("ENT_IOB", "SENT_START", "TAG", "LEMMA", "DEP"):
        assert not doc.has_annotation(annotation)
    assert not doc.cats and list(doc.spans) == ["dx"]
    assert set(doc.user_data) == {RECEIPT_KEY, ROWS_KEY}  # "Blue" has the vector of "blue"
    assert not doc.user_hooks and doc.tensor.size == 0
    nlp = make_nlp(mechanism=CONSTANT, carry=["ents", "sents"])
    for text in ("", " ", "Anna"):
        assert not nlp(text).ents and not any(t.ent_iob for t in nlp(text))


# -- vectors ---------------------------------------------------------------------------------------


def test_table_vectors_are_those_of_the_words_that_came_out(make_nlp, space):
    for token in make_nlp(mechanism=LAPLACE, vectors="table")("the dog saw a cat"):
        if space.words.count(token.text):
            assert np.array_equal(token.vector, space.vectors[space.find(token.text)])


@PROCESSES
@FORKED
def test_noisy_vectors_lie_on_the_docs_and_project_to_the_words(
    make_nlp, space, forking, n_process
):
    # The words as they were drawn: none that takes the place of an offensive one, no "an" for "a".
    space_of_all = {"@dx_spaces": "dx.PipelineVectors.v1", "exclude": "nothing"}
    nlp = make_nlp(mechanism=LAPLACE, vectors="noisy", space=space_of_all, casing="preserve")
    docs = list(nlp.pipe(["dog, Zorblatt cat.", "", "tree"] * 2, n_process=n_process))
    for doc in docs:
        assert doc.tensor.shape == (len(doc), DIMS) and doc.tensor.dtype == np.float32
    for token in docs[0]:
        noisy = token._.dx_vector
        if token.is_punct or token.text == "[REDACTED]":
            assert noisy.any() == (not token.is_punct)  # that of an unknown word looks like any
        else:
            row = np.argmin(((space.vectors - noisy) ** 2).sum(axis=1))
            assert token.text.lower() == space.words[row].lower()
            assert not np.array_equal(noisy, space.vectors[row])


# -- streams ---------------------------------------------------------------------------------------


def test_one_call_of_the_mechanism_serves_a_batch_of_docs(make_nlp):
    nlp = make_nlp(mechanism=COUNTING)
    nlp.get_pipe("dx_sanitizer").warm_up()
    calls = nlp.get_pipe("dx_sanitizer").settings.mechanism.calls
    calls.clear()
    list(nlp.pipe(["the dog sat", "", "a cat", "Zorblatt", "red"] * 4, batch_size=10))
    assert calls == [12, 12]
    calls.clear()
    list(nlp.pipe(["", "Zorblatt", "..."]))
    assert calls == []
    # No word moves from one Doc to another.
    assert [d.text for d in nlp.pipe(TEXTS)] == [nlp(t).text for t in TEXTS]


@PROCESSES
@FORKED
def test_pipe_gives_every_doc_in_order_with_its_context(make_nlp, mechanism, forking, n_process):
    nlp = make_nlp(mechanism=mechanism)
    inputs = [(text, {"id": i}) for i, text in enumerate(TEXTS * 3)]
    pairs = list(nlp.pipe(inputs, as_tuples=True, n_process=n_process, batch_size=4))
    assert [context for _, context in pairs] == [context for _, context in inputs]
    for (doc, _), (text, _) in zip(pairs, inputs, strict=True):
        assert len(doc) == len(nlp.make_doc(text)) and doc._context is None
        assert_sanitized(doc)
        assert doc._.dx.mechanism == mechanism["@dx_mechanisms"]


def test_a_stream_without_end_is_read_a_batch_at_a_time(make_nlp):
    read = []
    endless = (read.append(text) or text for text in itertools.repeat("the dog"))
    docs = make_nlp(mechanism=CONSTANT).pipe(endless, batch_size=5)
    assert next(docs).text == "Blue blue" and len(read) == 5


def test_docs_are_taken_as_well_as_texts_of_any_vocabulary(make_nlp):
    nlp = make_nlp(mechanism=CONSTANT)
    given = Doc(nlp.vocab, words=["Zorblatt", "saw", "dog"], spaces=[True, False, False])
    assert nlp(given).text == "[REDACTED] blue blue"
    assert [d.text for d in nlp.pipe([given, "a cat"])] == ["[REDACTED] blue blue", "Blue blue"]
    other = spacy.blank("en")
    _, component = nlp.remove_pipe("dx_sanitizer")  # outside of its pipeline it knows its space
    doc = component(other.make_doc("the dog"))
    assert doc.vocab is other.vocab and doc.text == "Blue blue"


# -- its place in the pipeline -----------------------------------------------------------------


def test_a_disabled_sanitizer_leaves_no_receipt_and_nothing_is_released_without(make_nlp):
    nlp = make_nlp(mechanism=CONSTANT)
    with nlp.select_pipes(disable="dx_sanitizer"):
        unprotected = [nlp(SECRET_TEXT), *nlp.pipe([SECRET_TEXT])]
    with nlp.select_pipes(enable="dx_sanitizer"):
        assert_sanitized(nlp(SECRET_TEXT))
    for doc in [*unprotected, nlp(SECRET_TEXT, disable=["dx_sanitizer"])]:
        assert doc._.dx is None
        for check in (assert_sanitized, lambda doc: release(doc, spacy.blank("en").vocab)):
            with pytest.raises(DxError, match="DX032") as caught:
                check(doc)
            assert not leaks(everything_told(caught.value))


# -- settings that are wrong -------------------------------------------------------------------


@pytest.fixture(scope="module")
def bare():
    return spacy.blank("en")


@pytest.mark.parametrize(
    "config, message",
    [
        ({"mechanism": {"@dx_mechanisms": "dx.Laplce.v1"}}, "dx.Laplce.v1.*Available.*dx.Laplace"),
        ({"mechanism": {"@dx_mechanism": "dx.Laplace.v1"}}, "dx_mechanism"),
        ({"mechanism": {"epsilonn": 1.0}}, "epsilonn"),
        ({"selector": {"@dx_selectors": "dx.AllWord.v1"}}, "Available.*dx.AllWords.v1"),
        ({"space": {"@dx_spaces": "dx.Auto.v1"}}, "Available.*dx.AutoSpace.v1"),
        ({"unknown": {"@dx_unknowns": "dx.Keep.v1"}}, "Available.*dx.Redact.v1"),
        ({"mechanism": LAPLACE | {"projection": {"@dx_projections": "x"}}}, "dx.Nearest.v1"),
        ({"scop": "type"}, "scop"),
        ({"scope": "types"}, "scope.*'token'.*'type'.*'types'"),
        ({"casing": "upper"}, "casing.*'truecase'"),
        ({"vectors": "original"}, "vectors.*'table'"),
        ({"carry": ["words"]}, "carry.*'ents'"),
        ({"seed": -1}, "seed.*-1"),
        ({"seed": "lucky"}, "seed"),
        ({"unknown": {**REDACT, "text": ""}}, "text.*white space.*''"),
        ({"unknown": {"text": "not known"}}, "text.*'not known'"),
        ({"selector": {"@dx_selectors": "dx.Entities.v1", "labels": []}}, "labels"),
        ({"selector": word_list()}, "words"),
        ({"selector": word_list() | {"words": "/no/such"}}, "/no/such"),
    ],
)  # fmt: skip
def test_typos_are_told_with_what_there_is(bare, config, message):
    with pytest.raises(ValueError, match=f"(?s){message}"):
        bare.add_pipe("dx_sanitizer", config=config)


# -- it fails closed ---------------------------------------------------------------------------


def failing(error):
    return {"@dx_mechanisms": "test.Failing.v1", "error": error}


GARBAGE = {"@dx_mechanisms": "test.Garbage.v1"}
FAILURES = [
    *({"mechanism": failing(error)} for error in "value key stop dx chained ours".split()),
    *({"mechanism": GARBAGE | {"kind": kind}}
      for kind in "few one negative beyond floats none".split()),
    *({"vectors": "noisy", "mechanism": GARBAGE | {"kind": kind}} for kind in ("vectors", "nan")),
    *({"selector": {"@dx_selectors": "test.Odd.v1", "kind": kind}}
      for kind in "raise none text ints short long square".split()),
    *({"unknown": {"@dx_unknowns": "test.Odd.v1", "kind": kind}}
      for kind in "raise few ints none".split()),
]  # fmt: skip


def everything_told(error):
    return "".join(traceback.format_exception(error)) + repr(error) + str(error.args)


@pytest.mark.parametrize("config", FAILURES, ids=repr)
def test_a_failure_lets_nothing_out_and_tells_no_text(make_nlp, config, caplog, capfd):
    caplog.set_level("DEBUG")
    nlp = make_nlp(**{"mechanism": CONSTANT, **config})
    out = []
    for _ in range(2):
        with pytest.raises(DxError) as one:
            out.append(nlp(SECRET_TEXT))
        with pytest.raises(DxError) as many:
            out.extend(nlp.pipe(["the dog", SECRET_TEXT, "the cat"], batch_size=3))
        assert not leaks(everything_told(one.value) + everything_told(many.value))
        nlp.set_error_handler(ignore_error)
        nlp.get_pipe("dx_sanitizer").set_error_handler(ignore_error)
    assert out == []
    assert not leaks(caplog.text) and not leaks("".join(capfd.readouterr()))


@pytest.mark.parametrize("kind", ["few", "one", "negative", "beyond", "floats"])
def test_a_mechanism_that_breaks_after_its_trial_lets_nothing_out(make_nlp, kind):
    nlp = make_nlp(mechanism=CONSTANT)
    mechanism = nlp.get_pipe("dx_sanitizer").settings.mechanism
    assert nlp("the dog").text.lower() == "blue blue"
    mechanism.kind, mechanism.draw = kind, partial(Garbage.draw, mechanism)
    with pytest.raises(DxError, match="DX038"):
        nlp("the dog in the house")


@pytest.mark.parametrize("error", "value key stop dx chained ours".split())
def test_an_error_after_the_trial_tells_no_text_and_names_no_other_that_does(make_nlp, error):
    nlp = make_nlp(mechanism=CONSTANT)
    mechanism = nlp.get_pipe("dx_sanitizer").settings.mechanism
    assert nlp("the dog").text.lower() == "blue blue"
    mechanism.error, mechanism.draw = error, partial(Failing.draw, mechanism)
    with pytest.raises(DxError) as caught:
        nlp(SECRET_TEXT)
    assert not leaks(everything_told(caught.value))
    assert caught.value.__cause__ is None and caught.value.__context__ is None


@FORKED
@pytest.mark.parametrize("handler", [None, ignore_error], ids=["raise", "ignore"])
@pytest.mark.parametrize("error", ["value", "key", "dx", "ours"])
def test_a_failure_in_a_worker_lets_nothing_out(make_nlp, forking, error, handler, capfd):
    nlp = make_nlp(mechanism=failing(error))
    if handler is not None:
        nlp.set_error_handler(handler)
    out, told = [], ""
    try:
        out.extend(nlp.pipe([SECRET_TEXT] * 3, n_process=2, batch_size=2))
    except ValueError as caught:
        told = everything_told(caught)
    assert out == []
    assert (told == "") == (handler is ignore_error)
    assert not leaks(told) and not leaks("".join(capfd.readouterr()))


def test_lone_surrogates_and_settings_that_are_not_known_stop_the_call(make_nlp):
    nlp = make_nlp(mechanism=CONSTANT)
    with pytest.raises(UnicodeEncodeError) as caught:
        nlp("Zorblattovich \ud800")
    assert not leaks(str(caught.value))
    nlp.set_error_handler(ignore_error)
    with pytest.raises(TypeError):
        nlp(SECRET_TEXT, component_cfg={"dx_sanitizer": {"epsilon": 1}})


def listening(model="tagger"):
    nlp = pipeline_of("tok2vec")
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 96, "upstream": "tok2vec"}
    pipe = nlp.add_pipe(model, config={"model": {"tok2vec": listener}})
    for label in ("NN", "VB", "JJ"):
        pipe.add_label(label)
    nlp.initialize()
    return nlp


def test_a_listener_behind_the_sanitizer_is_an_error_that_names_the_remedy():
    nlp = listening()
    nlp.add_pipe("dx_sanitizer", before="tagger")
    for read in (nlp, lambda text: next(iter(nlp.pipe([text])))):
        with pytest.raises(DxError, match="replace_listeners"):
            read("She saw him.")
    alone = listening()
    alone.add_pipe("dx_sanitizer")
    alone("She saw him.")  # all listeners are before it


def test_a_tagger_with_a_copy_of_its_tok2vec_reads_the_new_words():
    nlp = listening()
    nlp.replace_listeners("tok2vec", "tagger", ["model.tok2vec"])
    nlp.add_pipe("dx_sanitizer", before="tagger")
    doc = nlp("She saw him in the garden, and then went home.")
    words = [token.text for token in doc]
    with nlp.select_pipes(disable=["dx_sanitizer"]):
        again = nlp(spacy.tokens.Doc(nlp.vocab, words, [bool(t.whitespace_) for t in doc]))
    assert [token.tag_ for token in doc] == [token.tag_ for token in again]
