"""What stands in for unknown words is never the word."""

import re

import numpy as np
import pytest

from spacy_dxprivacy import Rng, Space, registry

SPACE = Space.from_vectors(["apple", "pear"], [[0.0], [1.0]])
WORDS = ["Zorblatt", "078-05-1120", "https://zorb.example/?q=7", "zorb@blatt.example", "MRN00417"]


def replace(name, words, **settings):
    policy = registry.resolve({"u": {"@dx_unknowns": name, **settings}})["u"]
    return policy.replace(words, SPACE, Rng(seed=0))


def test_a_random_word_is_drawn_uniformly_from_the_space():
    drawn = replace("dx.RandomWord.v1", ["Zorblatt"] * 10_000)
    assert abs(drawn.count("apple") - 5000) < 4 * np.sqrt(2500)


@pytest.mark.parametrize("name", ["dx.RandomWord.v1", "dx.Context.v1"])
def test_words_by_another_distribution_say_so(name):
    policy = registry.resolve({"u": {"@dx_unknowns": name}})["u"]
    assert "to some degree" in " ".join(policy.in_clear)


@pytest.mark.parametrize(
    "number", ["7", "078-05-1120", "3,141.59", "12:45", "03/05/2023", "+4479", "85%", "#417"]
)
def test_random_digits_keep_the_shape_of_a_number_and_no_digit(number):
    drawn = replace("dx.RandomDigits.v1", [number] * 200)
    shape = re.sub(r"\d", "0", number)
    assert {re.sub(r"\d", "0", d) for d in drawn} == {shape}
    digits = np.array([[c for c in d if c.isdigit()] for d in drawn])
    assert all(len(set(column)) > 5 for column in digits.T)


@pytest.mark.parametrize("word", ["Zorblatt", "MRN00417", "zorb@blatt.example", "4u", "٣٤"])
def test_random_digits_redact_what_is_no_number(word):
    assert replace("dx.RandomDigits.v1", [word]) == ["[REDACTED]"]


@pytest.mark.parametrize("text", ["", "two words", "line\n"])
@pytest.mark.parametrize("name", ["dx.Redact.v1", "dx.RandomDigits.v1"])
def test_a_text_that_would_change_the_tokens_is_refused(name, text):
    with pytest.raises(ValueError, match="text"):
        replace(name, ["x"], text=text)
