"""The component as a part of a spaCy pipeline: it works wherever a component may stand, replaces
what it says it replaces, keeps what it says it keeps, and lets nothing through when it fails."""

from __future__ import annotations

import itertools
import subprocess
import sys
import traceback
from collections import Counter
from typing import Any

import numpy as np
import pytest
import spacy
from confection import Config
from conftest import (
    CONSTANT,
    COUNTING,
    COVER,
    DIMS,
    LAPLACE,
    SECRET_TEXT,
    UNKNOWN_SECRETS,
    MakeNlp,
    leaks,
)
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import ignore_error
from spacy.vectors import Vectors

from spacy_dxprivacy import DxError, Space, assert_sanitized
from spacy_dxprivacy.pipeline.parts import CARRIED_IN_CLEAR
from spacy_dxprivacy.pipeline.receipt import RECEIPT_KEY

TEXTS = [
    "The doctor went to the hospital.",
    "",
    "Anna and Peter walked home in the rain, not in the snow!",
    "   \n\n  ",
    "She doesn't know why.",
    "?!... --",
    "Zorblattovich met Mary on Monday.",
]


def words_of(doc: Doc) -> list[str]:
    return [token.text for token in doc if not token.is_space and not token.is_punct]


# -- out of the box ------------------------------------------------------------------------------


def test_it_works_on_a_blank_pipeline_with_nothing_else() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_sanitizer")
    doc = nlp(SECRET_TEXT)
    assert_sanitized(doc)
    assert doc._.dx.guarantee["kind"] == "metric-dp" and doc._.dx.perturbed > 10
    assert not leaks(doc.to_bytes(), UNKNOWN_SECRETS)


IMPORTS = """
import sys, spacy
before = set(sys.modules)
import spacy_dxprivacy
spacy.blank("en")
print(*{m.split(".")[0] for m in set(sys.modules) - before})
"""


@pytest.mark.slow
def test_importing_it_brings_in_no_heavy_library() -> None:
    """Every spacy.blank() imports the package, through its entry points."""
    command = [sys.executable, "-c", IMPORTS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    heavy = {"faiss", "scipy", "randomgen", "pandas", "matplotlib", "torch", "cupy"}
    assert not heavy & set(done.stdout.split())


# -- what comes out --------------------------------------------------------------------------------


def test_every_word_is_replaced_by_a_word_of_the_space(
    make_nlp: MakeNlp, space: Space, mechanism: dict[str, Any]
) -> None:
    doc = make_nlp(mechanism=mechanism)("Anna saw the brown dog and the black cat near my house")
    known = {w.lower() for w in space.words}
    assert {w.lower() for w in words_of(doc)} <= known | {"[redacted]"}


@pytest.mark.parametrize("text", TEXTS)
def test_tokens_punctuation_and_white_space_stay(make_nlp: MakeNlp, text: str) -> None:
    nlp = make_nlp(mechanism=CONSTANT)
    before, after = nlp.make_doc(text), nlp(text)
    assert len(after) == len(before)
    for old, new in zip(before, after, strict=True):
        if old.is_space or old.is_punct:
            assert new.text == old.text
        else:
            assert new.text.lower() in (COVER, "[redacted]")
    assert_sanitized(after)


@pytest.mark.parametrize("text", TEXTS)
def test_the_receipt_counts_every_token_once(make_nlp: MakeNlp, text: str) -> None:
    doc = make_nlp(mechanism=LAPLACE)(text)
    receipt = doc._.dx
    assert receipt.tokens == len(doc) == receipt.perturbed + receipt.unknown + receipt.kept
    assert receipt.draws == receipt.perturbed
    assert receipt.total["epsilon"] == pytest.approx(receipt.perturbed * LAPLACE["epsilon"])


def test_the_input_doc_is_not_changed_and_a_new_one_comes_out(make_nlp: MakeNlp) -> None:
    nlp = make_nlp(mechanism=CONSTANT)
    given = nlp.make_doc("The doctor had a stroke.")
    made = nlp(given)
    assert made is not given
    assert given.text == "The doctor had a stroke."
    assert given._.dx is None and made._.dx is not None


@pytest.mark.parametrize(
    "text, out",
    [
        ("the 'dog' sat (by \"a house\").", "Blue 'blue' blue (blue \"blue blue\")."),
        ("a big-good dog, Zorblatt-free; she's", "Blue blue-blue blue, [REDACTED]-[REDACTED]; "),
        ("dog\n\n- cat\n* tree", "Blue\n\n- Blue\n* Blue"),
        ("Anna's dog", "Blue [REDACTED] blue"),
    ],
)
def test_layout_is_kept_and_no_words_run_together(make_nlp: MakeNlp, text: str, out: str) -> None:
    assert make_nlp(mechanism=CONSTANT)(text).text.startswith(out)


def test_case_comes_from_the_output_alone(make_nlp: MakeNlp) -> None:
    nlp = make_nlp(mechanism=CONSTANT)
    inputs = ["the DOG sat. it ate", "The dog SAT. IT ate", "THE Dog sat. It ATE"]
    assert {nlp(text).text for text in inputs} == {"Blue blue blue. Blue blue"}


def test_case_can_be_preserved_and_the_receipt_says_so(make_nlp: MakeNlp) -> None:
    doc = make_nlp(mechanism=CONSTANT, casing="preserve")("THE Dog sat by ZORBLATT")
    assert doc.text == "BLUE Blue blue blue [REDACTED]"
    assert "the case of every word" in doc._.dx.in_clear


def test_scope_type_draws_once_for_every_word_of_a_doc(
    make_nlp: MakeNlp, mechanism: dict[str, Any]
) -> None:
    nlp = make_nlp(mechanism=mechanism, scope="type", vectors="table")
    doc = nlp("dog cat " * 50)
    # "an" is "a" as it is spelt before a vowel: one word drawn, not two.
    words = [{"an": "a"}.get(t.lower_, t.lower_) for t in doc]
    assert len(set(words[0::2])) == len(set(words[1::2])) == 1
    assert doc._.dx.draws == 2 and doc._.dx.perturbed == 100
    assert doc._.dx.total["epsilon"] == pytest.approx(2 * mechanism["epsilon"])


def test_scope_token_draws_anew_every_time(make_nlp: MakeNlp, mechanism: dict[str, Any]) -> None:
    doc = make_nlp(mechanism={**mechanism, "epsilon": 0.5})("dog " * 60)
    assert len({t.text for t in doc}) > 10
    assert doc._.dx.draws == 60


def test_scope_type_holds_within_a_doc_and_not_across_docs(make_nlp: MakeNlp) -> None:
    nlp = make_nlp(mechanism={**LAPLACE, "epsilon": 0.01}, scope="type", vectors="noisy")
    first, second = nlp.pipe(["dog dog", "dog dog"])
    assert np.array_equal(first.tensor[0], first.tensor[1])
    assert not np.array_equal(first.tensor[0], second.tensor[0])


def test_scope_type_gives_one_random_word_to_one_unknown_word(make_nlp: MakeNlp) -> None:
    nlp = make_nlp(mechanism=CONSTANT, scope="type", unknown={"@dx_unknowns": "dx.RandomWord.v1"})
    doc = nlp("Zorblatt saw zorblatt and Quux saw Quux")
    assert doc[0].text.lower() == doc[2].text.lower()
    assert doc[4].text == doc[6].text


# -- unknown words ---------------------------------------------------------------------------------

UNKNOWN = "Zorblatt paid 1,234.50 for 42 x7y and 👍"


def test_unknown_words_are_redacted_by_default(make_nlp: MakeNlp) -> None:
    doc = make_nlp(mechanism=CONSTANT)(UNKNOWN)
    assert [t.text for t in doc].count("[REDACTED]") == doc._.dx.unknown == 6
    assert make_nlp(unknown={"text": "<unk>"})("Zorblatt").text == "<unk>"


def test_random_words_stand_for_unknown_ones(make_nlp: MakeNlp, space: Space) -> None:
    nlp = make_nlp(mechanism=CONSTANT, unknown={"@dx_unknowns": "dx.RandomWord.v1"})
    drawn = Counter(t.text.lower() for t in nlp("zorblatt " * 400))
    assert set(drawn) <= {w.lower() for w in space.words} and len(drawn) > 100


def test_digits_are_drawn_anew_and_all_else_is_redacted(make_nlp: MakeNlp) -> None:
    nlp = make_nlp(mechanism=CONSTANT, unknown={"@dx_unknowns": "dx.RandomDigits.v1"})
    outputs = {tuple(t.text for t in nlp(UNKNOWN)) for _ in range(20)}
    assert len({o[2] for o in outputs}) > 10
    for output in outputs:
        assert output[0] == output[5] == output[7] == "[REDACTED]"
        assert [c if not c.isdigit() else "0" for c in output[2]] == list("0,000.00")


def test_documents_with_unknown_words_can_be_refused(make_nlp: MakeNlp) -> None:
    nlp = make_nlp(unknown={"@dx_unknowns": "dx.Raise.v1"})
    assert_sanitized(nlp("the dog"))
    with pytest.raises(DxError, match="DX036") as caught:
        nlp("the dog Zorblattovich")
    assert not leaks(str(caught.value))


# -- selectors -------------------------------------------------------------------------------------


def test_a_word_list_selects_its_words_in_any_case(make_nlp: MakeNlp) -> None:
    selector = {"@dx_selectors": "dx.WordList.v1", "words": ["Dog", "zorblatt"]}
    doc = make_nlp(mechanism=CONSTANT, selector=selector)("the DOG saw Zorblatt and dog")
    assert [t.text for t in doc] == ["the", COVER, "saw", "[REDACTED]", "and", COVER]


def test_the_entity_sanitizer_replaces_entities_alone(make_nlp: MakeNlp) -> None:
    words = {"mechanism": CONSTANT, "surrogates": None}
    nlp = make_nlp(before=("entity_ruler",), name="dx_entity_sanitizer", **words)
    patterns = [("PERSON", "Anna"), ("DATE", "last Monday"), ("GPE", "Paris")]
    nlp.get_pipe("entity_ruler").add_patterns([{"label": a, "pattern": b} for a, b in patterns])
    doc = nlp("Then Anna went to Paris last Monday")
    assert doc.text == "Then blue went to Paris blue blue"
    assert [(e.text, e.label_) for e in doc.ents] == [
        ("blue", "PERSON"),
        ("Paris", "GPE"),
        ("blue blue", "DATE"),
    ]


def test_the_entity_sanitizer_refuses_texts_that_no_recogniser_has_seen(make_nlp: MakeNlp) -> None:
    nlp = make_nlp(name="dx_entity_sanitizer", mechanism=CONSTANT)
    with pytest.raises(DxError, match=r"DX030.*add_pipe"):
        nlp(SECRET_TEXT)
    with pytest.raises(DxError, match="DX030"):
        list(nlp.pipe(["", SECRET_TEXT]))


def test_no_entities_found_is_not_the_same_as_no_recogniser(make_nlp: MakeNlp) -> None:
    nlp = make_nlp(before=("entity_ruler",), name="dx_entity_sanitizer", mechanism=CONSTANT)
    ruler = nlp.get_pipe("entity_ruler")
    ruler.add_patterns([{"label": a, "pattern": "Anna"} for a in ("PERSON", "DATE")])
    assert nlp("the dog sat").text == "the dog sat"


def test_entities_that_came_with_a_doc_are_sanitised(make_nlp: MakeNlp) -> None:
    nlp = make_nlp(name="dx_entity_sanitizer", mechanism=CONSTANT, surrogates=None)
    doc = Doc(nlp.vocab, words=["Then", "Anna", "sat"], ents=["O", "B-PERSON", "O"])
    assert nlp(doc).text == "Then blue sat "


def test_labels_that_nothing_predicts_are_an_error_that_names_them(make_nlp: MakeNlp) -> None:
    nlp = make_nlp(before=("entity_ruler",), name="dx_entity_sanitizer", mechanism=CONSTANT)
    nlp.get_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Anna"}])
    with pytest.raises(DxError, match=r"DX031.*DATE.*PER"):
        nlp("Anna")


def test_a_disabled_recogniser_protects_nothing_and_is_refused(make_nlp: MakeNlp) -> None:
    nlp = make_nlp(before=("entity_ruler",), name="dx_entity_sanitizer", mechanism=CONSTANT)
    ruler = nlp.get_pipe("entity_ruler")
    ruler.add_patterns([{"label": a, "pattern": "Anna"} for a in ("PERSON", "DATE")])
    with nlp.select_pipes(disable="entity_ruler"), pytest.raises(DxError, match="DX030"):
        nlp("Anna")


# -- carried annotations -----------------------------------------------------------------------


def test_sentences_and_entities_are_carried_where_the_config_says_so(make_nlp: MakeNlp) -> None:
    nlp = make_nlp(
        before=("sentencizer", "entity_ruler"), mechanism=CONSTANT, carry=["ents", "sents"]
    )
    nlp.get_pipe("entity_ruler").add_patterns([{"label": "PERSON", "pattern": "Anna", "id": "x"}])
    doc = nlp("Anna sat. The dog ran.")
    assert [(e.start, e.end, e.label_, e.ent_id_) for e in doc.ents] == [(0, 1, "PERSON", "")]
    assert [(s.start, s.end) for s in doc.sents] == [(0, 3), (3, 7)]
    assert set(CARRIED_IN_CLEAR.values()) <= set(doc._.dx.in_clear)


def test_nothing_is_carried_by_default(make_nlp: MakeNlp) -> None:
    nlp = make_nlp(before=("sentencizer", "test_leaky_annotator"), mechanism=CONSTANT)
    doc = nlp("Anna sat. The dog ran.")
    for annotation in ("ENT_IOB", "SENT_START", "TAG", "LEMMA", "DEP"):
        assert not doc.has_annotation(annotation)
    assert not doc.cats and not doc.spans and set(doc.user_data) == {RECEIPT_KEY}
    assert not doc.user_hooks and doc.tensor.size == 0


@pytest.mark.parametrize("text", ["", " ", "Anna"])
def test_carrying_what_is_not_there_changes_nothing(make_nlp: MakeNlp, text: str) -> None:
    doc = make_nlp(mechanism=CONSTANT, carry=["ents", "sents"])(text)
    assert not doc.ents and not any(t.ent_iob for t in doc)


# -- vectors ---------------------------------------------------------------------------------------


def test_table_vectors_are_those_of_the_words_that_came_out(
    make_nlp: MakeNlp, space: Space
) -> None:
    doc = make_nlp(mechanism=LAPLACE, vectors="table")("the dog saw a cat")
    for token in doc:
        if space.words.count(token.text):
            assert np.array_equal(token.vector, space.vectors[space.find(token.text)])


@pytest.mark.parametrize("n_process", [1, 2])
@pytest.mark.filterwarnings("ignore:.*W109", "ignore:.*fork:DeprecationWarning")
def test_noisy_vectors_lie_on_the_docs_and_project_to_the_words(
    make_nlp: MakeNlp, space: Space, forking: str, n_process: int
) -> None:
    nlp = make_nlp(mechanism=LAPLACE, vectors="noisy")
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


@pytest.mark.filterwarnings("ignore:.*W109")
def test_noisy_vectors_are_token_vectors_and_survive_bytes(make_nlp: MakeNlp) -> None:
    from spacy_dxprivacy import attach_vectors

    nlp = make_nlp(mechanism=LAPLACE, vectors="noisy")
    doc = nlp("the dog saw a cat")
    assert np.array_equal(doc[1].vector, doc.tensor[1])
    assert np.allclose(doc.vector, doc.tensor.mean(axis=0))
    assert np.array_equal(doc[1:3].as_doc()[0].vector, doc.tensor[1])
    loaded = attach_vectors(Doc(nlp.vocab).from_bytes(doc.to_bytes()))
    assert np.array_equal(loaded.tensor, doc.tensor)
    assert np.array_equal(loaded[1].vector, doc.tensor[1])


def test_words_left_in_the_clear_keep_the_vectors_of_the_table(
    make_nlp: MakeNlp, space: Space
) -> None:
    selector = {"@dx_selectors": "dx.WordList.v1", "words": ["dog"]}
    doc = make_nlp(mechanism=LAPLACE, vectors="noisy", selector=selector)("the dog Zorblatt")
    assert np.array_equal(doc.tensor[0], space.vectors[space.find("the")])
    assert not doc.tensor[2].any()


def test_noisy_vectors_need_a_mechanism_that_makes_them(make_nlp: MakeNlp) -> None:
    mechanism = {"@dx_mechanisms": "dx.Exponential.v1", "epsilon": 1.0}
    with pytest.raises(DxError, match=r"DX035.*dx\.Exponential\.v1"):
        make_nlp(mechanism=mechanism, vectors="noisy")("the dog")


# -- streams ---------------------------------------------------------------------------------------


def test_one_call_of_the_mechanism_serves_a_batch_of_docs(make_nlp: MakeNlp) -> None:
    nlp = make_nlp(mechanism=COUNTING)
    nlp.get_pipe("dx_sanitizer").warm_up()
    calls = nlp.get_pipe("dx_sanitizer").mechanism.calls
    calls.clear()
    list(nlp.pipe(["the dog sat", "", "a cat", "Zorblatt", "red"] * 4, batch_size=10))
    assert calls == [12, 12]
    calls.clear()
    list(nlp.pipe(["", "Zorblatt", "..."]))
    assert calls == []


@pytest.mark.parametrize("n_process", [1, 2])
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_pipe_gives_every_doc_in_order(
    make_nlp: MakeNlp, mechanism: dict[str, Any], forking: str, n_process: int
) -> None:
    nlp = make_nlp(mechanism=mechanism)
    docs = list(nlp.pipe(TEXTS * 3, n_process=n_process, batch_size=4))
    assert [len(d) for d in docs] == [len(nlp.make_doc(t)) for t in TEXTS * 3]
    for doc in docs:
        assert_sanitized(doc)
        assert doc._.dx.mechanism == mechanism["@dx_mechanisms"]


@pytest.mark.parametrize("n_process", [1, 2])
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_as_tuples_keeps_the_contexts(make_nlp: MakeNlp, forking: str, n_process: int) -> None:
    nlp = make_nlp(mechanism=CONSTANT)
    contexts = [{"id": i} for i in range(len(TEXTS))]
    inputs = list(zip(TEXTS, contexts, strict=True))
    pairs = list(nlp.pipe(inputs, as_tuples=True, n_process=n_process, batch_size=2))
    assert [context for _, context in pairs] == contexts
    assert all(doc._context is None for doc, _ in pairs)


@pytest.mark.parametrize("stream", [[], iter(()), [""], [" "], ["."]])
def test_streams_without_a_word(make_nlp: MakeNlp, mechanism: dict[str, Any], stream: Any) -> None:
    for doc in make_nlp(mechanism=mechanism).pipe(stream):
        assert doc._.dx.perturbed == doc._.dx.unknown == doc._.dx.draws == 0


def test_a_stream_without_end_is_read_a_batch_at_a_time(make_nlp: MakeNlp) -> None:
    read: list[str] = []
    endless = (read.append(text) or text for text in itertools.repeat("the dog"))
    docs = make_nlp(mechanism=CONSTANT).pipe(endless, batch_size=5)
    assert next(docs).text == "Blue blue" and len(read) == 5


def test_docs_are_taken_as_well_as_texts(make_nlp: MakeNlp) -> None:
    nlp = make_nlp(mechanism=CONSTANT)
    given = Doc(nlp.vocab, words=["Zorblatt", "saw", "dog"], spaces=[True, False, False])
    assert nlp(given).text == "[REDACTED] blue blue"
    assert [d.text for d in nlp.pipe([given, "a cat"])] == ["[REDACTED] blue blue", "Blue blue"]


def test_docs_on_another_vocabulary_are_taken_too(make_nlp: MakeNlp) -> None:
    other = spacy.blank("en")
    doc = make_nlp(mechanism=CONSTANT).get_pipe("dx_sanitizer")(other.make_doc("the dog"))
    assert doc.vocab is other.vocab and doc.text == "Blue blue"


def test_a_mask_is_taken_doc_by_doc(make_nlp: MakeNlp) -> None:
    """A batch gives what its Docs give one by one: no word moves from one to another."""
    nlp = make_nlp(mechanism=COUNTING)
    assert [d.text for d in nlp.pipe(TEXTS)] == [nlp(t).text for t in TEXTS]


# -- its place in the pipeline -----------------------------------------------------------------


def test_components_before_and_after_do_their_work(make_nlp: MakeNlp) -> None:
    nlp = make_nlp(before=("sentencizer",), after=("entity_ruler",), mechanism=CONSTANT)
    nlp.add_pipe("sentencizer", name="again", last=True)
    nlp.get_pipe("entity_ruler").add_patterns([{"label": "COLOUR", "pattern": "Blue"}])
    doc = nlp("the dog ran. A cat saw.")
    assert doc.text == "Blue blue blue. Blue blue blue."
    assert [e.text for e in doc.ents if e.label_ == "COLOUR"] == ["Blue"] * 2
    assert len(list(doc.sents)) == 2
    assert_sanitized(doc)


def test_a_disabled_sanitizer_leaves_no_receipt(make_nlp: MakeNlp) -> None:
    nlp = make_nlp(mechanism=CONSTANT)
    with nlp.select_pipes(disable="dx_sanitizer"):
        unprotected = [nlp(SECRET_TEXT), *nlp.pipe([SECRET_TEXT])]
    with nlp.select_pipes(enable="dx_sanitizer"):
        protected = nlp(SECRET_TEXT)
    assert_sanitized(protected)
    for doc in [*unprotected, nlp(SECRET_TEXT, disable=["dx_sanitizer"])]:
        assert doc._.dx is None
        with pytest.raises(DxError, match="DX032") as caught:
            assert_sanitized(doc)
        assert not leaks(str(caught.value))


def test_a_renamed_or_second_component_works(make_nlp: MakeNlp) -> None:
    nlp = make_nlp(mechanism=CONSTANT)
    nlp.rename_pipe("dx_sanitizer", "first")
    nlp.add_pipe("dx_sanitizer", name="second", config={"mechanism": CONSTANT})
    assert nlp("the dog").text == "Blue blue"


def test_analyze_pipes_reports_what_the_entity_sanitizer_lacks(make_nlp: MakeNlp) -> None:
    problems = make_nlp(name="dx_entity_sanitizer").analyze_pipes()["problems"]
    assert problems["dx_entity_sanitizer"] == ["doc.ents", "token.ent_iob"]
    with_ruler = make_nlp(name="dx_entity_sanitizer", before=("entity_ruler",))
    assert with_ruler.analyze_pipes()["problems"]["dx_entity_sanitizer"] == []
    assert make_nlp().analyze_pipes()["problems"]["dx_sanitizer"] == []


def test_the_config_is_complete_and_makes_the_same_pipeline(
    make_nlp: MakeNlp, mechanism: dict[str, Any], file_space: dict[str, Any]
) -> None:
    nlp = make_nlp(mechanism=mechanism, scope="type", space=file_space)
    written = nlp.config.to_str()
    config = Config().from_str(written, interpolate=False)
    again = spacy.util.load_model_from_config(config, validate=True)
    assert again.config.to_str() == written
    assert again("the dog")._.dx == nlp("the dog")._.dx
    assert nlp.config["components"]["dx_sanitizer"]["scope"] == "type"


def test_initialize_and_labels_leave_it_alone(make_nlp: MakeNlp) -> None:
    nlp = make_nlp(mechanism=CONSTANT)
    nlp.initialize()
    assert "dx_sanitizer" not in nlp.pipe_labels
    assert "dx_sanitizer" in nlp.meta["pipeline"]


def test_memory_zones_end_without_taking_words_along(make_nlp: MakeNlp) -> None:
    nlp = make_nlp(mechanism=CONSTANT)
    for _ in range(3):
        with nlp.memory_zone():
            assert nlp("the dog saw Zorblattovich.").text == "Blue blue blue [REDACTED]."
        assert nlp("a dog saw Quuxington").text == "Blue blue blue [REDACTED]"
    assert "Zorblattovich" not in nlp.vocab.strings


def test_a_component_that_was_taken_out_of_its_pipeline_still_knows_its_space(
    make_nlp: MakeNlp,
) -> None:
    nlp = make_nlp(mechanism=CONSTANT)
    _, component = nlp.remove_pipe("dx_sanitizer")
    assert component(nlp.make_doc("the dog")).text == "Blue blue"


# -- hostile texts -----------------------------------------------------------------------------

HOSTILE = {
    "emoji": "👩‍👩‍👧‍👦 the 👍🏽 dog 🇩🇪",
    "right to left": "שלום the עולם dog مرحبا\u200f\u202e",
    "combining marks": "z\u0335\u0321a\u0337l\u0334g\u0300\u0301\u0302o the e\u0301",
    "nul": "the\x00dog \x00 \x00\x00 cat",
    "controls": "the\x1b[31mdog\x07 \x7f \ufeffcat",
    "wide spaces": "the\u2003dog\u00a0cat\u2028rain\u3000",
    "one long word": "x" * 200_000,
    "markup": "<script>alert('dog')</script> {{dog}} %s {0} \\n",
    "digits of other scripts": "٣٤٥ ४५६ 12³ ½",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize("unknown", ["dx.Redact.v1", "dx.RandomWord.v1", "dx.RandomDigits.v1"])
def test_hostile_texts_are_sanitised_like_others(
    make_nlp: MakeNlp, text: str, unknown: str
) -> None:
    nlp = make_nlp(mechanism=CONSTANT, unknown={"@dx_unknowns": unknown})
    before, after = nlp.make_doc(text), nlp(text)
    assert len(before) == len(after) == after._.dx.tokens
    for old, new in zip(before, after, strict=True):
        assert old.is_space or old.is_punct or new.text != old.text or old.text.isdecimal()
    assert Doc(nlp.vocab).from_bytes(after.to_bytes()).text == after.text


def test_lone_surrogates_are_refused_without_naming_the_text(make_nlp: MakeNlp) -> None:
    with pytest.raises(UnicodeEncodeError) as caught:
        make_nlp(mechanism=CONSTANT)("Zorblattovich \ud800")
    assert not leaks(str(caught.value))


@pytest.fixture(scope="module")
def bare() -> Language:
    """A pipeline to which nothing is added, since all that is tried is refused."""
    return spacy.blank("en")


# -- settings that are wrong -------------------------------------------------------------------


@pytest.mark.parametrize("name", ["dx.Laplace.v1", "dx.Exponential.v1"])
@pytest.mark.parametrize("epsilon", [0, 0.0, -1.5, float("nan"), True, "high", "10", None, [1.0]])
def test_epsilon_has_to_be_a_finite_number_above_0(bare: Language, name: str, epsilon: Any) -> None:
    mechanism = {"@dx_mechanisms": name, "epsilon": epsilon}
    with pytest.raises(ValueError, match="epsilon") as caught:
        bare.add_pipe("dx_sanitizer", config={"mechanism": mechanism})
    assert repr(epsilon).strip("'") in str(caught.value)


@pytest.mark.parametrize("epsilon", ["0", "-1.5", "nan", "inf", "NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("name", ["dx.Laplace.v1", "dx.Exponential.v1"])
def test_epsilon_has_to_be_a_number_in_a_config_file(name: str, epsilon: str) -> None:
    text = f"""
    [nlp]
    lang = "xx"
    pipeline = ["dx_sanitizer"]
    [components]
    [components.dx_sanitizer]
    factory = "dx_sanitizer"
    [components.dx_sanitizer.mechanism]
    @dx_mechanisms = "{name}"
    epsilon = {epsilon}
    """
    with pytest.raises(ValueError, match="epsilon"):
        spacy.util.load_model_from_config(Config().from_str(text), auto_fill=True)


@pytest.mark.parametrize("epsilon", [0, -1.0, float("nan"), float("inf"), True, "10", None])
@pytest.mark.parametrize("name", ["dx.Laplace.v1", "dx.Exponential.v1"])
def test_epsilon_has_to_be_a_number_in_python(name: str, epsilon: Any) -> None:
    from spacy_dxprivacy import registry

    with pytest.raises(ValueError, match=r"epsilon must be") as caught:
        registry.dx_mechanisms.get(name)(epsilon=epsilon)
    assert repr(epsilon) in str(caught.value)


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
        ({"carry": ["tags"]}, "carry.*'ents'"),
        ({"carry": "ents"}, "carry"),
        ({"seed": -1}, "seed.*-1"),
        ({"seed": "lucky"}, "seed"),
        ({"unknown": {"text": ""}}, "text.*white space.*''"),
        ({"unknown": {"text": "not known"}}, "text.*'not known'"),
        ({"selector": {"@dx_selectors": "dx.Entities.v1", "labels": []}}, "labels"),
        ({"selector": {"@dx_selectors": "dx.WordList.v1", "words": []}}, "words"),
        ({"selector": {"@dx_selectors": "dx.WordList.v1", "words": "/no/such"}}, "/no/such"),
    ],
)  # fmt: skip
def test_typos_are_told_with_what_there_is(
    bare: Language, config: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=f"(?s){message}"):
        bare.add_pipe("dx_sanitizer", config=config)


PIPELINE_VECTORS = {"@dx_spaces": "dx.PipelineVectors.v1"}


def test_missing_vectors_are_an_error_that_says_what_to_do() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_sanitizer", config={"space": PIPELINE_VECTORS})
    with pytest.raises(DxError, match=r"DX021.*spacy init vectors.*dx\.BuiltinSpace\.v1"):
        nlp("the dog")


def test_contextual_vectors_are_no_table_of_words() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec")
    nlp.add_pipe("dx_sanitizer", config={"space": PIPELINE_VECTORS})
    nlp.initialize()
    with pytest.raises(DxError, match="DX021"):
        nlp("the dog")


def with_floret_vectors() -> Language:
    nlp = spacy.blank("en")
    nlp.vocab.vectors = Vectors(
        strings=nlp.vocab.strings,
        data=np.random.default_rng(0).standard_normal((40, DIMS)).astype("f"),
        mode="floret",
        hash_count=2,
        minn=3,
        maxn=4,
    )
    return nlp


@pytest.mark.parametrize("space", ["dx.PipelineVectors.v1", "dx.AutoSpace.v1"])
def test_floret_vectors_need_a_list_of_words(space: str) -> None:
    nlp = with_floret_vectors()
    nlp.add_pipe("dx_sanitizer", config={"space": {"@dx_spaces": space}})
    with pytest.raises(DxError, match=r"DX022.*words"):
        nlp("the dog")


def test_floret_vectors_with_a_list_of_words_do(tmp_path: Any) -> None:
    nlp = with_floret_vectors()
    (tmp_path / "words.txt").write_text("dog\ncat\ntree\n")
    space = {**PIPELINE_VECTORS, "words": str(tmp_path / "words.txt")}
    nlp.add_pipe("dx_sanitizer", config={"space": space, "mechanism": LAPLACE})
    assert {t.text.lower() for t in nlp("dog cat tree dog")} <= {"dog", "cat", "tree"}


# -- it fails closed ---------------------------------------------------------------------------

ERRORS = ["value", "key", "stop", "dx", "chained", "ours"]


FAILURES: dict[str, dict[str, Any]] = {
    **{
        f"mechanism raises {e}": {"mechanism": {"@dx_mechanisms": "test.Failing.v1", "error": e}}
        for e in ERRORS
    },
    **{
        f"mechanism gives {k}": {"mechanism": {"@dx_mechanisms": "test.Garbage.v1", "kind": k}}
        for k in ("few", "one", "negative", "beyond", "floats", "none")
    },
    **{
        f"noisy {k}": {
            "vectors": "noisy",
            "mechanism": {"@dx_mechanisms": "test.Garbage.v1", "kind": k},
        }
        for k in ("vectors", "nan")
    },
    **{
        f"selector: {k}": {"selector": {"@dx_selectors": "test.Odd.v1", "kind": k}}
        for k in ("raise", "none", "text", "ints", "short", "long", "square")
    },
    **{
        f"unknown: {k}": {"unknown": {"@dx_unknowns": "test.Odd.v1", "kind": k}}
        for k in ("raise", "few", "ints", "none")
    },
}


def everything_told(error: BaseException) -> str:
    return "".join(traceback.format_exception(error)) + repr(error) + str(error.args)


@pytest.mark.parametrize("config", FAILURES.values(), ids=FAILURES.keys())
def test_a_failure_lets_nothing_out_and_tells_no_text(
    make_nlp: MakeNlp,
    config: dict[str, Any],
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """With spaCy's own error handler, and with one that ignores errors and hands Docs on."""
    caplog.set_level("DEBUG")
    nlp = make_nlp(**{"mechanism": CONSTANT, **config})
    out: list[Doc] = []
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


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("handler", [None, ignore_error], ids=["raise", "ignore"])
@pytest.mark.parametrize("error", ["value", "key", "dx", "ours"])
def test_a_failure_in_a_worker_lets_nothing_out(
    make_nlp: MakeNlp, forking: str, error: str, handler: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    nlp = make_nlp(mechanism={"@dx_mechanisms": "test.Failing.v1", "error": error})
    told = ""
    if handler is not None:
        nlp.set_error_handler(handler)
    out: list[Doc] = []
    try:
        out.extend(nlp.pipe([SECRET_TEXT] * 3, n_process=2, batch_size=2))
    except ValueError as caught:
        told = everything_told(caught)
    assert out == []
    assert (told == "") == (handler is ignore_error)
    assert not leaks(told) and not leaks("".join(capfd.readouterr()))


def test_batches_before_a_failure_come_out_and_none_after(make_nlp: MakeNlp) -> None:
    nlp = make_nlp(mechanism=CONSTANT, unknown={"@dx_unknowns": "dx.Raise.v1"})
    out = []
    with pytest.raises(DxError, match="DX036"):
        for doc in nlp.pipe(["the dog", "a cat", "red", "Zorblatt", "blue", "sun"], batch_size=2):
            out.append(doc.text)
    assert out == ["Blue blue", "Blue blue"]


def test_a_receipt_is_needed_to_release(make_nlp: MakeNlp) -> None:
    from spacy_dxprivacy import release

    raw = make_nlp().make_doc(SECRET_TEXT)
    for check in (assert_sanitized, lambda doc: release(doc, spacy.blank("en").vocab)):
        with pytest.raises(DxError, match="DX032") as caught:
            check(raw)
        assert not leaks(everything_told(caught.value))


def test_settings_that_the_component_does_not_know_stop_the_call(make_nlp: MakeNlp) -> None:
    nlp = make_nlp(mechanism=CONSTANT)
    nlp.set_error_handler(ignore_error)
    with pytest.raises(TypeError):
        nlp(SECRET_TEXT, component_cfg={"dx_sanitizer": {"epsilon": 1}})
