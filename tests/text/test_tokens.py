"""No text stalls who reads it, and ordinary ones have the tokens that spaCy gives them."""

import time
from itertools import product

import pytest
import spacy
from spacy.tokens import Doc

from spacy_dxprivacy.entities.extent import Bounds
from spacy_dxprivacy.text.language import language_of_doc
from spacy_dxprivacy.text.tokens import Tokens, cuts_of, text_of, tokenize

# spaCy alone takes 4 seconds (100,000 letters after 2,000 brackets) to 2 minutes for each.
ODD_PARTS = [
    "_", "'s", "\u2019S", "%", "\U0001f600", "(:", "US$", "_'s", "...", "\u2026%", "a(", "'",
]  # fmt: skip
ODD = [*(part * (20_000 // len(part)) for part in ODD_PARTS), "(" * 2000 + "a" * 100_000]


@pytest.fixture(scope="module")
def nlp():
    return spacy.blank("en")


@pytest.mark.parametrize("text", ODD, ids=[*map(ascii, ODD_PARTS), "then letters"])
def test_odd_characters_take_the_time_that_their_number_asks_for(nlp, text):
    start = time.process_time()
    doc = tokenize(nlp, f"the dog {text} a cat")
    assert time.process_time() - start < 2
    assert doc.text == f"the dog {text} a cat"
    assert [doc[0].text, doc[1].text, doc[-2].text, doc[-1].text] == ["the", "dog", "a", "cat"]


@pytest.mark.parametrize("text", [
    'He didn\'t say (as of 3.5 mg/day): "no"...',
    "https://example.org/" + "path-of-it/" * 60 + "?a=1&b=2", '"' + "QUJD" * 500 + '=="',
    "=" * 120 + "\n" + "_" * 200 + " the end.", "a" * 5000 + "!!!",
    '{"a":1,"b":[2,3],"time":"12:30:45"}' * 100,
])  # fmt: skip
def test_ordinary_texts_have_the_tokens_of_spacy(nlp, text):
    assert not cuts_of(text)
    cut = "see " + "_" * 600 + "dog" + "?" * 100 + "'s end"
    assert cuts_of(cut)
    for one in (text, cut):
        assert [t.text_with_ws for t in tokenize(nlp, one)] == [t.text_with_ws for t in nlp(one)]


def test_a_text_of_colons_is_cut_at_some_of_them(nlp):
    """spaCy alone takes 18 seconds for 78,000 characters."""
    short, long = "ab:" * 1_000, "ab:" * 26_000
    assert not cuts_of(short) and cuts_of(long)
    start = time.process_time()
    doc = tokenize(nlp, f"see {long} there")
    assert time.process_time() - start < 2
    words = [token.text for token in doc]
    assert doc.text == f"see {long} there"
    assert words[1:2001] == [token.text for token in nlp(short + "ab")][:2000]


def test_the_text_between_tokens_is_that_of_their_span(nlp):
    doc = nlp.make_doc("Ann  saw\n(Bo) at 5pm, in “Bonn”.  ")
    tokens = Tokens(doc)
    for start, end in product(range(len(doc) + 1), range(len(doc) + 3)):
        assert tokens.between(start, end) == doc[start:end].text
        assert tokens.between_with_blank(start, end) == doc[start:end].text_with_ws
    assert tokens.text == tokens.between_with_blank(-5, len(doc)) == doc.text


def test_tokens_know_their_doc_and_let_it_go(nlp):
    doc = nlp.make_doc("Ann saw Bo.")
    tokens, bounds = Tokens(doc), Bounds.of(doc)
    assert tokens.doc is doc and Bounds.of(doc) is bounds
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
    assert not tokens.are_of(doc) and Bounds.of(doc).texts == ["Ann saw", "Bo", "."]
    del doc, retokenizer
    for gone in (tokens, bounds):
        with pytest.raises(ReferenceError):
            gone.doc  # noqa: B018


def test_a_kept_text_is_that_of_its_doc_and_goes_with_it(nlp):
    doc = Doc(nlp.vocab)
    assert text_of(doc) == ""
    doc.from_bytes(nlp.make_doc("Ann  saw Bo. ").to_bytes())
    assert text_of(doc) == text_of(doc) == doc.text == "Ann  saw Bo. "
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
    assert text_of(doc) == doc.text
    with pytest.raises(ValueError, match="E033"):  # so no other text can come into a Doc
        doc.from_bytes(nlp.make_doc("Cy left.").to_bytes())
    assert text_of(nlp.make_doc("Cy left.")) == "Cy left."


def test_the_language_of_a_doc_that_gets_its_words_later_is_that_of_these(nlp):
    doc = Doc(nlp.vocab)
    assert language_of_doc(doc) == "en"
    german = nlp.make_doc("Der Hund ist nicht da und die Katze ist auch nicht mit ihm im Haus.")
    doc.from_bytes(german.to_bytes())
    assert language_of_doc(doc) == language_of_doc(german) == "de"
