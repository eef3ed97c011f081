"""dx.Rewrite.v1: what is taken of an answer, what stays, and that it sees the release alone."""

import pickle
import warnings

import numpy as np
import pytest
from conftest import EXPONENTIAL, SECRET_TEXT, UNKNOWN_SECRETS

from spacy_dxprivacy import Draw, DxError, assert_sanitized, registry, release
from spacy_dxprivacy.editors.passages import Released, joined, passages
from spacy_dxprivacy.editors.rewrite import REQUEST, cleaned
from spacy_dxprivacy.errors import DxWarning
from spacy_dxprivacy.language import opened

from .fakes import FakeWriter

PROMPT = "Clinical note of a patient's visit."
REWRITE = {"@dx_editors": "dx.Rewrite.v1", "model": "writer", "prompt": PROMPT}
SEEDED = {"mechanism": EXPONENTIAL, "seed": 3}


def louder(passage):
    return "Well, " + passage


@pytest.fixture
def writer(monkeypatch):
    model = FakeWriter(louder)
    monkeypatch.setitem(opened.OPENERS, "writer", lambda: model)
    return model


@pytest.fixture
def editor(writer):
    return registry.dx_editors.get("dx.Rewrite.v1")("writer", PROMPT).fit(None, None)


def test_what_it_answers_is_the_new_text(editor, writer):
    texts = [Released("The dog saw the cat.\n\nOne.\n"), Released("")]
    assert editor.rewrite(texts) == ["Well, The dog saw the cat.\n\nOne.\n", ""]
    assert writer.asked_of[-1] == f"{REQUEST} {PROMPT}\n\nThe dog saw the cat."


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("", r"no answer \(1\)"),
        (None, r"without end \(1\)"),
        (f"{REQUEST} Ann saw 12 dogs.", r"request repeated \(1\)"),
        (f"{PROMPT} Ann saw 12 dogs.", r"request repeated \(1\)"),
        ("He saw 12 dogs.", r"a name or a number lost or changed \(1\)"),
        ("Ann saw 2 dogs.", r"a name or a number lost or changed \(1\)"),
        ("Ann saw 112 dogs.", r"a name or a number lost or changed \(1\)"),
        ("Ann saw 12 dogs, not 13.", r"a name or a number lost or changed \(1\)"),
        ("Annabel saw 12 dogs.", r"a name or a number lost or changed \(1\)"),
    ],
)
def test_answers_that_are_none_leave_the_release(editor, writer, answer, why):
    writer.write = lambda passage: answer
    text = "There Ann saw some 12 dogs."
    with pytest.warns(DxWarning, match=f"DX160.*1 of 1 passages.*{why}") as caught:
        assert editor.rewrite([Released(text, [(6, 9)])]) == [text]
    assert "dogs" not in str(caught[0].message)


def test_answers_with_a_word_that_never_comes_out_leave_the_release(editor, writer):
    editor.avoid(lambda word: not word.startswith(("wench", "half-caste")))
    for text, answer, taken in (
        ("There were some dogs.", "There the Wenches were.", False),
        ("There were some dogs.", "A half-caste saw some dogs.", False),
        ("There the wench saw dogs.", "The wench saw some dogs.", True),  # it stood there
        ("There were some dogs.", "Half of the dogs were there.", True),
    ):
        writer.write = lambda passage, answer=answer: answer
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert editor.rewrite([Released(text)]) == [answer if taken else text]
        told = "".join(str(one.message) for one in caught)
        assert ("word that never comes out (1)" in told) == (not taken) and "dogs" not in told


def test_a_pipeline_tells_its_editor_what_never_comes_out(writer, make_nlp):
    writer.write = lambda passage: "What a gypsy, what a bitch."
    with pytest.warns(DxWarning, match="DX160.*never comes out"):
        doc = make_nlp(**SEEDED, editor=REWRITE)("the dog saw the cat")
    assert len(doc) == 5 and not {"gypsy", "bitch"} & {token.lower_ for token in doc}


def test_answers_that_keep_what_stays_are_taken(editor, writer):
    writer.write = lambda passage: '"Twelve dogs: 12 of them, and two saw Ann Lee [REDACTED]."'
    text = "two dogs saw 12 [REDACTED] with Ann Lee"
    spans = [(0, 3), (text.index("Ann"), len(text))]
    assert editor.rewrite([Released(text, spans)]) == [writer.write("")[1:-1]]


def test_of_many_some_are_refused_and_counted(editor, writer):
    writer.write = lambda passage: None if "cat" in passage else louder(passage)
    lines = ["The dog saw a dog.", "A cat saw a cat.", "A fish saw a fish."]
    with pytest.warns(DxWarning, match="1 of 3 passages"):
        found = editor.rewrite([Released("\n".join(lines))])
    assert found == ["\n".join([louder(lines[0]), lines[1], louder(lines[2])])]


def test_a_model_that_fails_leaves_all_of_it(editor, writer):
    writer.room = 0
    with pytest.warns(DxWarning, match="DX159.*1 text.*DX152"):
        assert editor.rewrite([Released("The dog saw the cat.")]) == ["The dog saw the cat."]


def test_where_memory_is_short_fewer_stand_side_by_side(editor, writer):
    writer.room = 1
    text = "The dog saw it.\nThe cat saw it.\nThe fish saw it."
    with pytest.warns(DxWarning, match="DX157"):
        assert editor.rewrite([Released(text)]) == ["\n".join(map(louder, text.split("\n")))]


def test_long_texts_are_cut_and_nothing_is_lost(editor, writer):
    rng = np.random.default_rng(0)
    ends = rng.choice(["", ".", "!", "\n", "\r\n \n"], 400, p=[0.9, 0.04, 0.02, 0.02, 0.02])
    text = " ".join(f"w{i % 7}{end}" for i, end in enumerate(ends))
    span = (text.index("w3"), text.index("w3") + 400)  # is never cut
    found = passages(Released(text, [span]), lambda part: len(part.split()) <= 20)
    assert joined(text, [(one, one.text) for one in found]) == text
    assert all(len(p.text.split()) <= 20 for p in found if not p.start <= span[0] < p.end)
    assert sum(p.start <= span[0] and span[1] <= p.end for p in found) == 1
    writer.window = 64
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        editor.rewrite([Released(text)])


def test_a_line_before_the_answer_is_no_part_of_it():
    assert cleaned("Here is the text:\n\nA dog\nsaw it.\n", "a dog saw it") == "A dog saw it."
    assert cleaned('"A dog."', '"a dog') == '"A dog."'


def test_settings_that_cannot_be_used_are_refused(writer, make_nlp):
    made = registry.dx_editors.get("dx.Rewrite.v1")
    with pytest.raises(DxError, match=r"DX151.*tokens"):
        made("writer", "word " * 600).fit(None, None)
    with pytest.raises(DxError, match="DX153"):
        made("no-such-model").fit(None, None)
    with pytest.raises(DxError, match="carry"):
        make_nlp(mechanism=EXPONENTIAL, editor=REWRITE, carry=["sents"])
    assert made("writer").edit(np.array([1]), None).tolist() == [1]


# -- in a pipeline -------------------------------------------------------------------------------


def test_a_document_has_the_tokens_of_the_new_text_and_its_own_receipt(writer, make_nlp):
    nlp, plain = make_nlp(**SEEDED, editor=REWRITE), make_nlp(**SEEDED)
    doc, old = nlp("the dog saw the cat"), plain("the dog saw the cat")
    assert doc.text == "Well, " + old.text and len(doc) == len(old) + 2
    told = dict(doc._.dx)
    assert (told.pop("editor"), told.pop("rewritten")) == ("dx.Rewrite.v1", len(doc))
    assert told.pop("editor_model") == writer.digest
    assert told == dict(old._.dx)
    assert_sanitized(doc)
    copy = release(doc, make_nlp(**SEEDED).vocab)
    assert copy.text == doc.text
    assert_sanitized(type(doc)(doc.vocab).from_bytes(doc.to_bytes()))


def test_what_is_refused_is_the_document_as_it_was_drawn(writer, make_nlp):
    writer.write = lambda passage: ""
    with pytest.warns(DxWarning, match="DX160"):
        doc = make_nlp(**SEEDED, editor=REWRITE)("the dog saw the cat")
    assert doc.text == make_nlp(**SEEDED)("the dog saw the cat").text
    assert "rewritten" not in doc._.dx


def test_the_model_is_shown_nothing_of_the_input(writer, make_nlp):
    make_nlp(**SEEDED, editor=REWRITE)(SECRET_TEXT)
    shown = " ".join(writer.asked_of)
    assert len(writer.asked_of) > 1
    assert not [secret for secret in UNKNOWN_SECRETS if secret in shown]


def test_one_release_is_written_alike_whatever_the_input_was(writer, make_nlp, monkeypatch):
    """The input is taken away: the mechanism gives the same rows for two texts."""
    nlp = make_nlp(**SEEDED, editor=REWRITE)
    sanitizer = nlp.get_pipe("dx_sanitizer")
    rows = np.array([sanitizer.space.find(word) for word in "fish tea bread milk".split()])
    sanitizer.warm_up()
    monkeypatch.setattr(
        type(sanitizer.mechanism), "sample", lambda self, r, rng, *a, **k: Draw(rows[: len(r)])
    )
    texts = [nlp(text).text for text in ("My brother was sad.", "Her doctor saw cancer.")]
    assert texts[0] == texts[1] and texts[0].startswith("Well, ")


def test_stand_ins_stay(writer, make_nlp):
    writer.write = lambda passage: passage.replace(" ", "  ").lower()
    nlp = make_nlp(before=["dx_entity_ruler"], **SEEDED, surrogates="standard", editor=REWRITE)
    plain = make_nlp(before=["dx_entity_ruler"], **SEEDED, surrogates="standard")
    text = "Mr. John Smith drank tea with his sad brother in Boston."
    with pytest.warns(DxWarning, match="a name or a number lost"):
        assert nlp(text).text == plain(text).text
    writer.write = lambda passage: "It is said that " + passage
    assert nlp(text).text.startswith("It is said that ")


def test_a_worker_without_the_pipeline_edits_as_well(writer, make_nlp):
    nlp = make_nlp(mechanism=EXPONENTIAL, editor=REWRITE)
    copy = pickle.loads(pickle.dumps(nlp.get_pipe("dx_sanitizer")))  # noqa: S301
    assert copy(nlp.make_doc("the dog saw the cat")).text.startswith("Well, ")
