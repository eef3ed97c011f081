"""Beam search reads what stands between words, prompts and known frequencies.

(test_causal_attacker.py compares it with brute force.)
"""

import numpy as np
import pytest

from spacy_dxprivacy import DxError, Space
from spacy_dxprivacy.lab.causal import BeamSearch, TextToFill, word_tokens

from .fakes import FakeModel, small_law

N = 5


def sheet(*between, logs=0.0):
    """A text of which what stands before each word is known, and how likely each word is."""
    k = len(between)
    every = np.tile(np.arange(N), (k, 1))
    return TextToFill([*between], np.zeros(k, dtype=bool), every, np.zeros((k, N)) + logs)


@pytest.fixture
def search():
    """search(...): a search with these settings."""
    space = Space.from_vectors([f"w{i}" for i in range(N)], np.eye(N))
    words = word_tokens(FakeModel(*small_law(N)), space)
    default = {"frequencies": np.full(N, 1 / N), "share": 0.0, "beam": 1}
    return lambda **settings: BeamSearch(words, **default | settings)


def test_what_stands_between_is_read_and_prompts_come_first(search):
    T, _ = small_law(N)
    assert search().fill([sheet("w2 ")])[0].tolist() == [T[2].argmax()]
    assert search(prompt="w3").fill([sheet(" ")])[0].tolist() == [T[3].argmax()]
    # Known frequencies count where the model does not.
    only = search(frequencies=np.eye(N)[4], share=1.0, beam=2)
    assert only.fill([sheet("", " ")])[0].tolist() == [4, 4]
    with pytest.raises(DxError, match=r"DX151.*40 tokens"):
        search(prompt="w1 " * 40).fill([sheet("", " ")])


def test_texts_side_by_side_are_each_filled_as_alone(search):
    rng = np.random.default_rng(0)
    texts = [sheet("", *[" "] * k, logs=rng.normal(size=(k + 1, N))) for k in (3, 1, 2, 0, 3)]
    alone = [search(beam=40).fill([text])[0].tolist() for text in texts]
    assert [words.tolist() for words in search(beam=40).fill(texts)] == alone
