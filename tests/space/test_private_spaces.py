"""Tables that may be private, and texts of another language: both are said."""

import warnings

import numpy as np
import pytest
import spacy
from conftest import sanitizing
from spacy.vectors import Vectors

from spacy_dxprivacy import DxError, DxWarning, Space
from spacy_dxprivacy.io.jobs import plan_jobs
from spacy_dxprivacy.io.run import sanitize
from spacy_dxprivacy.io.statements import alarms
from spacy_dxprivacy.space.sources import OWN_WORDS

WORDS = ["the", "dog", "house", "Zorblattovich", "Quuxington"]
GERMAN = "Der Patient klagt seit gestern über starke Schmerzen und hat nachts schlecht geschlafen. "
ENGLISH = "The patient has had strong pain since yesterday and slept badly at night. "
MECHANISM = {"@dx_mechanisms": "dx.Exponential.v1", "epsilon": 1.0}


def own_vectors(kind="dx.AutoSpace.v1", words=WORDS, lang="en", **settings):
    nlp = spacy.blank(lang)
    vectors = np.random.default_rng(0).standard_normal((len(words), 8)).astype("f")
    for word in words:
        nlp.vocab.strings.add(word)
    nlp.vocab.vectors = Vectors(strings=nlp.vocab.strings, data=vectors, keys=words)
    space = {"@dx_spaces": kind, **settings}
    nlp.add_pipe("dx_sanitizer", config={"mechanism": MECHANISM, "space": space})
    return nlp


@pytest.mark.parametrize("kind", ["dx.AutoSpace.v1", "dx.PipelineVectors.v1"])
def test_the_receipt_states_that_own_words_may_be_private(kind):
    assert OWN_WORDS in own_vectors(kind)("the dog")._.dx.in_clear
    nlp = sanitizing(mechanism=MECHANISM)
    assert OWN_WORDS not in nlp.get_pipe("dx_sanitizer").terms.in_clear


def frequent(count):
    return Space.builtin().words[:count]


def test_that_own_vectors_lack_words_of_english_is_said():
    with pytest.warns(DxWarning, match=r"DX104.*lack 1\d%.*BuiltinSpace"):
        assert len(own_vectors(words=frequent(3000)).get_pipe("dx_sanitizer").space) > 2000


@pytest.mark.parametrize(
    ("kind", "words", "lang"),
    [
        ("dx.PipelineVectors.v1", frequent(6000), "en"),  # somebody wants these
        ("dx.AutoSpace.v1", frequent(6000), "de"),
        ("dx.AutoSpace.v1", WORDS, "en"),  # nobody knows what these are for
        ("dx.AutoSpace.v1", frequent(50000), "en"),
    ],
)
def test_but_not_where_that_was_wanted_or_is_not_so(kind, words, lang):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert own_vectors(kind, words=words, lang=lang).get_pipe("dx_sanitizer").space


@pytest.mark.parametrize("kind", ["dx.AutoSpace.v1", "dx.PipelineVectors.v1"])
@pytest.mark.parametrize("listed", ["builtin", "file"])
def test_a_public_list_keeps_private_words_from_coming_out(tmp_path, kind, listed):
    (tmp_path / "public.txt").write_text("the\ndog\nHouse\ncat\n")
    path = str(tmp_path / "public.txt") if listed == "file" else listed
    nlp = own_vectors(kind, public_words=path)
    space = nlp.get_pipe("dx_sanitizer").space
    assert sorted(space.words) == ["dog", "house", "the"] and space.find("Quuxington") < 0
    doc = nlp("Zorblattovich saw the dog " * 50)
    assert "Zorblatt" not in doc.text and OWN_WORDS not in doc._.dx.in_clear
    with pytest.raises(DxError, match="DX023"):
        Space.from_vectors(WORDS, np.eye(5)).of_words(["cat"])


@pytest.mark.parametrize("text, told", [(GERMAN, True), (ENGLISH, False)])
def test_text_of_another_language_is_told_with_the_share_not_held(tmp_path, text, told):
    (tmp_path / "a.txt").write_text(text * 5, encoding="utf8")
    nlp = sanitizing(mechanism=MECHANISM, language="en")
    jobs = plan_jobs(str(tmp_path / "a.txt"), str(tmp_path / "b.txt"))
    tally = sanitize(nlp, jobs, language="en")  # as its owner says
    assert (tally.unknown_share > 0.4) == told
    assert any("UNKNOWN WORDS" in alarm for alarm in alarms(tally)) == told
