"""Which sanitised document was made of which original?

Knows: a set of originals, one of which is the wanted one, and (by likelihood) the mechanism. Wants:
to link each sanitised document to its original. Measured by the share that is linked right, out of
N. Documents are cut to one length, since the number of words alone would link many; without the
words, one guess of N is right.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints2d


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


def linked(scores: Floats2d) -> Floats1d:
    """(N,): the chance that the best original is the right one, ties broken at random."""
    best = scores >= scores.max(axis=1, keepdims=True) - 1e-9
    right: Floats1d = np.diag(best) / best.sum(axis=1)
    return right
