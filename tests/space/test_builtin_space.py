"""The built-in English space has the properties that its documentation claims."""

from pathlib import Path

import numpy as np
import pytest
import srsly

import spacy_dxprivacy
from spacy_dxprivacy import Space
from spacy_dxprivacy.files.word_lists import read_words
from spacy_dxprivacy.space.blocked import OFFENSIVE
from spacy_dxprivacy.space.folder import digest_of

WORDS = srsly.read_yaml(Path(__file__).with_suffix(".yaml"))
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
    pairs = [(name, word) for name, words in WORDS["members"].items() for word in words.split()]
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
    innocent = WORDS["innocent"].split()
    others = Space.from_vectors(innocent, np.eye(len(innocent)))
    assert others.filtered(exclude=read_words(OFFENSIVE)).words == innocent
