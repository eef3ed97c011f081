"""What stands in for unknown words is never the word."""

import re

import numpy as np
import pytest
from conftest import sanitizing

from spacy_dxprivacy import Rng, Space, registry

SPACE = Space.from_vectors(["apple", "pear"], [[0.0], [1.0]])
WORDS = ["Zorblatt", "078-05-1120", "https://zorb.example/?q=7", "zorb@blatt.example", "MRN00417"]


def replace(name, words, **settings):
    policy = registry.resolve({"u": {"@dx_unknowns": name, **settings}})["u"]
    return policy.replace(words, SPACE, Rng(seed=0))


def test_a_random_word_is_drawn_uniformly_from_the_space():
    drawn = replace("dx.RandomWord.v1", ["Zorblatt"] * 10_000)
    assert abs(drawn.count("apple") - 5000) < 4 * np.sqrt(2500)


@pytest.mark.parametrize(
    "number", ["7", "078-05-1120", "3,141.59", "12:45", "03/05/2023", "+4479", "85%", "#417"]
)
@pytest.mark.parametrize("name", ["dx.RandomDigits.v1", "dx.Context.v1"])
def test_random_digits_keep_the_shape_of_a_number_and_no_digit(name, number):
    drawn = replace(name, [number] * 200)
    shape = re.sub(r"\d", "0", number)
    assert {re.sub(r"\d", "0", d) for d in drawn} == {shape}
    digits = np.array([[c for c in d if c.isdigit()] for d in drawn])
    assert all(len(set(column)) > 5 for column in digits.T)


@pytest.mark.parametrize("word", ["Zorblatt", "MRN00417", "zorb@blatt.example", "4u", "٣٤"])
def test_random_digits_redact_what_is_no_number(word):
    assert replace("dx.RandomDigits.v1", [word]) == ["[REDACTED]"]


def shape(text):
    return re.sub("[a-z]", "a", re.sub("[A-Z]", "A", re.sub(r"[0-9]", "0", text)))


@pytest.mark.parametrize("code", ["A1234567", "B12", "L4-L5", "v22H2", "0x80070057", "3/14/2021"])
def test_a_code_has_the_same_form_and_uniform_digits_and_letters(code):
    drawn = replace("dx.Context.v1", [code] * 20_000)
    assert {shape(text) for text in drawn} == {shape(code)}
    for column, character in zip(zip(*drawn, strict=True), code, strict=True):
        if character.isalnum():
            kinds, counts = np.unique(column, return_counts=True)
            expected = 20_000 / (10 if character.isdigit() else 26)
            assert len(kinds) == 20_000 / expected
            assert abs(counts - expected).max() < 6 * np.sqrt(expected)


def test_a_time_of_day_has_am_or_pm():
    drawn = replace("dx.Context.v1", ["4:30PM"] * 100)
    assert {shape(text[:4]) + text[4:] for text in drawn} == {"0:00am", "0:00pm"}


@pytest.mark.parametrize(
    "word",
    ["Zorblatt", "zorb77", "zorb1@quux.example", "٣٤", "x²", ":)8", "9" * 99, "+", "\U0001f44d"],
)
def test_what_is_no_code_becomes_a_word_and_shows_no_form(word):
    assert set(replace("dx.Context.v1", [word] * 50)) == {"apple", "pear"}


def test_the_default_leaves_no_holes_and_states_the_form():
    nlp = sanitizing()
    docs = [nlp("Call Dr. Zorblatt at 617-555-0142, MRN A1234567.") for _ in range(20)]
    assert len({doc[2].text for doc in docs}) > 5 and len({doc.text for doc in docs}) == 20
    for doc in docs:
        assert re.fullmatch(r".* \d{3}-\d{3}-\d{4}, .*[A-Z]\d{7}\.", doc.text)
        assert "REDACTED" not in doc.text and "Zorblatt" not in doc.text
        assert {token._.dx for token in doc if not token.is_punct} == {"SAMPLED"}
        assert doc._.dx.unknown == 6 and "form of numbers and codes" in " ".join(doc._.dx.in_clear)


def test_an_unknown_word_has_no_influence():
    """Under one seed, whatever the unknown word and digits are, the same text comes out."""
    texts = ["we met Zorblatt at 617-555-0142 today", "we met Quuxington at 983-555-7760 today"]
    assert len({sanitizing(seed=5)(text).text for text in texts}) == 1


@pytest.mark.parametrize(
    "more", [{"scope": "type"}, {"mechanism": {"@dx_mechanisms": "dx.Path.v1", "epsilon": 1.0}}]
)
def test_words_that_are_drawn_alone_are_words_of_the_space(more):
    nlp = sanitizing(**more)
    doc = nlp("we met Zorblatt at 983")
    space = nlp.get_pipe("dx_sanitizer").space
    assert space.find(doc[2].text) >= 0 and re.fullmatch(r"\d{3}", doc[4].text)
