"""Which sanitised document was made of which original?

Knows: a set of originals, one of which is the wanted one, and (by likelihood) the mechanism. Wants:
to link each sanitised document to its original. Measured by the share that is linked right, out of
N. Documents are cut to one length, since the number of words alone would link many; without the
words, one guess of N is right.

Where sentences are drawn as a whole, the words after the cut matter as well, and the attacker does
not know them. Who has a causal model guesses them (causal.py), and weighs the likeliest originals
by the exact channel. It needs no language for the words that it knows: all originals are as likely.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Bools1d, Floats1d, Floats2d, Ints1d, Ints2d

WEIGHED = 16  # originals, for each document, that the exact channel is asked for


def rare_word_scores(outputs: Ints2d, originals: Ints2d, n: int) -> Floats2d:
    """float64 (N, N), sanitised by originals: the sum over the distinct words that both have of
    ln(N / originals that have it). It takes no knowledge of the mechanism. outputs, originals:
    rows (N, length) of a space of n words."""
    S, known = _held(outputs, n), _held(originals, n)
    found = np.asarray(known.sum(axis=0)).ravel()
    weights = np.log(len(originals) / np.maximum(found, 1))
    scores: Floats2d = (S.multiply(weights[None, :]) @ known.T).toarray()
    return scores


def _held(rows: Ints2d, n: int) -> Any:
    from scipy.sparse import csr_matrix

    documents = np.repeat(np.arange(len(rows)), rows.shape[1])
    table = csr_matrix((np.ones(rows.size), (documents, rows.ravel())), shape=(len(rows), n))
    table.data[:] = 1.0
    return table


def likelihood_scores(logs: Floats2d, columns: Ints2d, places: Ints2d) -> Floats2d:
    """float64 (N, N), sanitised by originals: ln P(all outputs | the original), word by word.

    logs (m, q), ln P(output | word); columns (N, length), which output each is; places (N, length),
    which word each original has.
    """
    return np.stack([logs[places, some[None, :]].sum(axis=1, dtype=np.float64) for some in columns])


def sentence_scores(
    mechanism: Any,
    outputs: Ints1d,
    guess: Ints1d,
    starts: Bools1d,
    originals: Ints2d,
    first: Ints1d,
) -> Floats1d:
    """float64 (j,): ln P(outputs of a document's first sentences | each original, and the guess of
    what comes after it). mechanism: one that states the likelihood of sentences. outputs, guess,
    starts: (length,), of the document. originals: rows (N, cut). first: (j,), which of them."""
    cut = originals.shape[1]
    later = np.flatnonzero(starts[cut:])
    end = cut + int(later[0]) if len(later) else len(outputs)
    rows = np.tile(guess[:end], (len(first), 1))
    rows[:, :cut] = originals[first]
    times = len(first)
    logs = mechanism.log_likelihood(
        rows.reshape(-1), np.tile(outputs[:end], times), np.tile(starts[:end], times)
    )
    scores: Floats1d = logs.reshape(times, -1).sum(axis=1)
    return scores


def linked(scores: Floats2d) -> Floats1d:
    """(N,): the chance that the best original is the right one, ties broken at random."""
    best = scores >= scores.max(axis=1, keepdims=True) - 1e-9
    right: Floats1d = np.diag(best) / best.sum(axis=1)
    return right
