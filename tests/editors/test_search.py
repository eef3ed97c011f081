"""Beam search against brute force, on a model of known law."""

import itertools

import numpy as np
import pytest

from spacy_dxprivacy import DxError, Space
from spacy_dxprivacy.editors.beam import Search, Sheet, search
from spacy_dxprivacy.editors.model import word_tokens
from spacy_dxprivacy.errors import DxWarning

from .fakes import FakeModel, small_law

N = 5


def space():
    words = [f"w{i}" for i in range(N)]
    return Space.from_vectors(words, np.random.default_rng(0).normal(size=(N, 3)))


def setup(beam=40, **more):
    T, first = small_law(N)
    model = FakeModel(T, first, **more)
    words = word_tokens(model, space())
    return T, first, model, Search(words, words.known, share=0.0, beam=beam)


def sheets(lengths, seed=0):
    rng = np.random.default_rng(seed)
    found = []
    for k in lengths:
        before = ["", *[" "] * (k - 1)]
        logs = rng.normal(size=(k, N))
        found.append(Sheet(before, np.zeros(k, dtype=bool), np.tile(np.arange(N), (k, 1)), logs))
    return found


def best(sheet, T, first):
    ways = np.array(list(itertools.product(range(N), repeat=len(sheet))))
    logs = np.log(first)[ways[:, 0]] + np.log(T)[ways[:, :-1], ways[:, 1:]].sum(axis=1)
    logs = logs + sheet.logs[np.arange(len(sheet)), ways].sum(axis=1)
    p = np.exp(logs - logs.max())
    return [int(np.bincount(column, p, N).argmax()) for column in ways.T]


def test_texts_side_by_side_are_each_filled_by_the_likeliest_words():
    T, first, _, how = setup(beam=600)
    some = sheets([4, 2, 3, 1, 4])
    found = search(some, how)
    assert [one.tolist() for one in found] == [best(sheet, T, first) for sheet in some]


def test_what_stands_between_is_read_and_prompts_come_first():
    T, _, _, how = setup(beam=1)
    flat = np.zeros((1, N))
    sheet = Sheet(["w2 "], np.zeros(1, dtype=bool), np.arange(N)[None], flat)
    assert search([sheet], how)[0].tolist() == [int(T[2].argmax())]
    prompted = Search(how.words, how.known, share=0.0, beam=1, prompt="w3")
    sheet = Sheet([" "], np.zeros(1, dtype=bool), np.arange(N)[None], flat)
    assert search([sheet], prompted)[0].tolist() == [int(T[3].argmax())]
    # Known frequencies count where the model does not.
    only = Search(how.words, np.eye(N)[4], share=1.0, beam=2)
    sheet = Sheet(
        ["", " "], np.zeros(2, dtype=bool), np.tile(np.arange(N), (2, 1)), np.zeros((2, N))
    )
    assert search([sheet], only)[0].tolist() == [4, 4]
    long = Search(how.words, how.known, prompt="w1 " * 40)
    with pytest.raises(DxError, match=r"DX151.*40 tokens"):
        search(sheets([2]), long)


def test_where_memory_is_short_fewer_texts_stand_side_by_side():
    _, _, model, how = setup(beam=5, room=10)
    some = sheets([3, 3, 3, 3])
    with pytest.warns(DxWarning, match="DX157"):
        found = search(some, how)
    assert max(model.asked_of) <= 10
    whole = search(some, Search(how.words, how.known, share=0.0, beam=5, side_by_side=1))
    assert [w.tolist() for w in found] == [w.tolist() for w in whole]
    model.room = 1
    with pytest.warns(DxWarning), pytest.raises(DxError, match="DX152"):
        search(some, how)
