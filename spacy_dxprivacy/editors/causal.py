r"""The most likely original by a causal language model (dx.Remap.v1 with a model).

    w = argmax P(w_1..w_k) P(y | w)       P(w_1..w_k): of the model, given the prompt and what is in
                                          clear; P(y | w): exp(-beta path) for dx.Path.v2, else the
                                          probabilities that the mechanism states

Candidates are the words near to what was released. What comes out is neither more private nor less:
a reader with the same model can do the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..arrays import Floats2d, Ints1d, Ints2d
from ..errors import DxError, Warnings, warn_always
from ..language.beam import Search, Sheet, search
from ..language.words import WordTokens
from .shown import Shown
from .viterbi import Place

CANDIDATES = 32
NEVER = -1e9

Find = Callable[[int], Place]


def edit_by_model(
    texts: Sequence[Shown],
    guesses: Sequence[Ints1d],
    find: Find,
    how: Search,
) -> list[Ints1d]:
    """For each text int64 (k,), its words. guesses: of each, by word pairs. find: what a word that
    was released may have been. Where the model fails, texts stay as they were, and a warning says
    so."""
    pairs = zip(texts, guesses, strict=True)
    sheets = [_sheet(text, guess, find, how.words) for text, guess in pairs]
    try:
        found = search(sheets, how)
    except DxError as error:
        told = Warnings.DX159.format(editor="dx.Remap.v1", texts=len(texts), why=error)
        warn_always(told, stacklevel=4)
        return [text.rows for text in texts]
    return [_filled(text, words) for text, words in zip(texts, found, strict=True)]


def _filled(text: Shown, words: Ints1d) -> Ints1d:
    new = text.rows.astype(np.int64)
    new[~text.fixed] = words
    return new


def _sheet(text: Shown, guess: Ints1d, find: Find, words: WordTokens) -> Sheet:
    free = ~text.fixed
    C, logs = _candidates(text.rows[free], guess[free], find, words)
    before = text.clear_before(words.words)
    return Sheet(before, text.begins[free], C, logs)


def _candidates(
    rows: Ints1d, guess: Ints1d, find: Find, words: WordTokens
) -> tuple[Ints2d, Floats2d]:
    """int64 (k, CANDIDATES): the released word, the one by word pairs, and those near that are
    likeliest by public frequency; repeated where they are fewer. And ln of their weights."""
    C = np.empty((len(rows), CANDIDATES), dtype=np.int64)
    logs = np.full(C.shape, NEVER)
    usual = np.log(words.known)
    for i, (row, other) in enumerate(zip(rows.tolist(), guess.tolist(), strict=True)):
        near, weights = find(row)
        score = np.where(words.can_be_said[near], weights + usual[near], -np.inf)
        score[(near == row) | (near == other)] = np.inf
        best = np.argsort(-score, kind="stable")[:CANDIDATES]
        C[i], logs[i, : len(best)] = row, weights[best]
        C[i, : len(best)] = near[best]
    return C, logs
