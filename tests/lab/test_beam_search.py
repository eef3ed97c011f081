"""Beam search against brute force, on a model of known law."""

import itertools

import numpy as np
import pytest

from spacy_dxprivacy import DxError, Space
from spacy_dxprivacy.lab.causal import Search, Sheet, word_tokens

from .fakes import FakeModel, small_law

N = 5


def space():
    words = [f"w{i}" for i in range(N)]
    return Space.from_vectors(words, np.random.default_rng(0).normal(size=(N, 3)))


def setup(beam=40):
    T, first = small_law(N)
    model = FakeModel(T, first)
    words = word_tokens(model, space())
    return T, first, Search(words, np.full(N, 1 / N), share=0.0, beam=beam)


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
    T, first, how = setup(beam=600)
    some = sheets([4, 2, 3, 1, 4])
    found = how.fill(some)
    assert [one.tolist() for one in found] == [best(sheet, T, first) for sheet in some]


def test_what_stands_between_is_read_and_prompts_come_first():
    T, _, how = setup(beam=1)
    flat = np.zeros((1, N))
    sheet = Sheet(["w2 "], np.zeros(1, dtype=bool), np.arange(N)[None], flat)
    assert how.fill([sheet])[0].tolist() == [int(T[2].argmax())]
    prompted = Search(how.words, how.frequencies, share=0.0, beam=1, prompt="w3")
    sheet = Sheet([" "], np.zeros(1, dtype=bool), np.arange(N)[None], flat)
    assert prompted.fill([sheet])[0].tolist() == [int(T[3].argmax())]
    # Known frequencies count where the model does not.
    only = Search(how.words, np.eye(N)[4], share=1.0, beam=2)
    sheet = Sheet(
        ["", " "], np.zeros(2, dtype=bool), np.tile(np.arange(N), (2, 1)), np.zeros((2, N))
    )
    assert only.fill([sheet])[0].tolist() == [4, 4]
    long = Search(how.words, how.frequencies, share=0.02, prompt="w1 " * 40)
    with pytest.raises(DxError, match=r"DX151.*40 tokens"):
        long.fill(sheets([2]))
