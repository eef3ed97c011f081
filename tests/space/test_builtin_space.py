"""The built-in English space has the properties that its documentation claims."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import spacy_dxprivacy
from spacy_dxprivacy import Space
from spacy_dxprivacy.space.folder import digest_of
from spacy_dxprivacy.space.sources import OFFENSIVE, read_words

DATA = Path(spacy_dxprivacy.__file__).parent / "data" / "en"
MONTHS = "January February March April May June July August September October November December"
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"


@pytest.fixture(scope="module")
def space() -> Space:
    return Space.builtin()


def classes_of(space: Space, word: str) -> set[str]:
    row = space.words.index(word)
    return {name for name in space.class_names if space.with_class(name)[row]}


def test_the_table_is_complete_and_of_rows_of_length_five(space):
    assert len(space) > 40_000
    assert space.vectors.shape == (len(space), 64)
    assert space.vectors.dtype == np.float32
    assert space.digest == digest_of(space.words, space.vectors)
    assert np.abs(np.linalg.norm(space.vectors, axis=1) - 5).max() < 0.1
    assert len(set(space.words)) == len(space)
    assert len(np.unique(np.load(DATA / "vectors.npy"), axis=0)) == len(space)


def test_each_class_has_its_members(space):
    expected = {
        "month": MONTHS, "weekday": WEEKDAYS, "year": "1900 1987 2024", "number": "7 42 seven",
        "ordinal": "first 3rd", "first_name_female": "Maria Fatima Priya Olga Linda",
        "first_name_male": "John Ahmed Carlos Ivan Robert", "surname": "Smith Garcia Nguyen Patel",
        "city": "London Paris Chicago Mumbai", "country": "France Canada Nigeria",
        "state": "Texas California", "nationality": "Spanish American", "pronoun": "she it myself",
        "preposition": "of in with", "determiner": "the a", "conjunction": "and because",
        "auxiliary": "is have 's 're 've", "modal": "would can 'll", "negation": "not n't",
        "wh_word": "who when", "interjection": "hello yes", "acronym": "FBI DNA",
        "plural": "doctors children", "past": "walked ran", "past_participle": "gone taken",
        "gerund": "walking", "third_person": "walks", "comparative": "bigger",
        "superlative": "biggest", "noun": "doctor", "verb": "walk", "adjective": "happy",
        "adverb": "quickly", "title": "Mr. Dr.", "possessive": "my 's",
    }  # fmt: skip
    pairs = [(name, word) for name, words in expected.items() for word in words.split()]
    assert not [pair for pair in pairs if pair[0] not in classes_of(space, pair[1])]
    for word in "he at in a as or so it".split():
        assert "noun" not in classes_of(space, word)


def test_lists_that_can_be_complete_are(space):
    assert all("month" in classes_of(space, month) for month in MONTHS.split())
    assert all("weekday" in classes_of(space, day) for day in WEEKDAYS.split())
    assert all("year" in classes_of(space, str(year)) for year in range(1900, 2036))
    assert all("number" in classes_of(space, str(number)) for number in range(101))
    least = {"first_name": 3000, "surname": 6000, "city": 3000, "country": 180, "state": 100}
    assert all(space.with_class(name).sum() >= count for name, count in least.items())


def test_no_word_of_the_deny_list_is_in_the_table_and_innocent_words_pass(space):
    assert space.filtered(exclude=read_words(OFFENSIVE)) is space
    innocent = (
        "Scunthorpe cocktail assess class classic bass passage grape therapist analysis Essex "
        "Dickens Hancock peacock shuttle shitake title constitution circumvent document cucumber "
        "cumulative Cummings raccoon cocoon spicy despicable suspicion homogeneous homework "
        "pianist niggle Niger Nigeria snigger Japan japanned gypsum swank tittle Titan pussycat "
        "injunction milfoil arsenal arsenic arson button rebuttal embassy mandate Negroni scrap"
    ).split()
    others = Space.from_vectors(innocent, np.eye(len(innocent)))
    assert others.filtered(exclude=read_words(OFFENSIVE)).words == innocent
