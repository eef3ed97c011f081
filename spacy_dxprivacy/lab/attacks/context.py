"""Guessing words from all outputs of a document and what follows what in public text.

Knows: what the Bayes guesser knows, and how often words follow each other in public text. Wants:
the words. Measured by the share of places that are guessed right. It is no language model: pairs of
words are counted, and the posterior of the chain that they make (Rabiner 1989, forward-backward) is
exact.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ...arrays import Floats2d, Ints1d
from .prior import Bigrams


def context_guess(logs: Floats2d, columns: Ints1d, starts: Ints1d, bigrams: Bigrams) -> Ints1d:
    """The likeliest word at each place, given all outputs of its document.

    logs (m, q), ln P(output | word); columns (t,), which output each is; starts (documents + 1,)
    -> places (t,) of words.
    """
    guesses = [
        posterior(logs[:, columns[first:last]].T, bigrams).argmax(axis=1)
        for first, last in pairwise(starts.tolist())
    ]
    return np.concatenate(guesses)


def posterior(logs: Floats2d, bigrams: Bigrams) -> Floats2d:
    """logs (t, m), ln P(output | word) at each place of a document -> (t, m), proportional to
    P(word at this place | all outputs)."""
    E = np.exp(logs.astype(np.float64) - logs.max(axis=1, keepdims=True))
    A, B = np.empty_like(E), np.ones_like(E)
    forth = bigrams.seen.T.tocsr()
    A[0] = bigrams.start * E[0]
    for i in range(1, len(E)):
        before = A[i - 1] / A[i - 1].sum()
        A[i] = E[i] * (forth @ before + (before @ bigrams.rest) * bigrams.start)
    for i in range(len(E) - 2, -1, -1):
        after = E[i + 1] * B[i + 1]
        B[i] = bigrams.seen @ after + bigrams.rest * (after @ bigrams.start)
        B[i] /= B[i].max()
    both: Floats2d = A * B
    return both
