"""Averaging over several releases of one word.

Knows: what the Bayes guesser knows, and which places hold the same word: the same text released
several times, or a word that a document repeats at places that its form gives away. With
scope = "type" that is in clear, and there is one draw to average over. Wants: the word. Measured by
the share of words guessed right.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...arrays import Floats1d, Floats2d, Ints1d
from ...search.metric import in_blocks

BLOCK_NUMBERS = 2**24


def averaged_guess(
    logs: Floats2d, log_prior: Floats1d, columns: Ints1d, groups: Ints1d
) -> Ints1d:  # fmt: skip
    """The likeliest word of each group of draws: the product of their posteriors, the prior counted
    once. logs (m, q), ln P(output | word); columns (t,), which output each draw was; groups (t,),
    from 0 to g - 1, which draws are of one word -> places (g,) of words."""
    guesses = [S.argmax(axis=0) for S in summed(logs, log_prior, columns, groups)]
    return np.concatenate(guesses)


def summed(
    logs: Floats2d, log_prior: Floats1d, columns: Ints1d, groups: Ints1d
) -> Iterator[Floats2d]:  # fmt: skip
    """Blocks (m, some) of ln P(word, all draws of the group), group by group."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    ends = np.append(starts[1:], len(order))
    prior = log_prior.astype(np.float32)[:, None]
    most = max(1, BLOCK_NUMBERS // len(logs))  # draws at once
    first = 0
    while first < len(starts):
        last = max(first + 1, int(np.searchsorted(ends, starts[first] + most, side="right")))
        block = logs[:, columns[order[starts[first] : ends[last - 1]]]]
        yield prior + np.add.reduceat(block, starts[first:last] - starts[first], axis=1)
        first = last


def mean_vector_guess(X: Floats2d, words: Ints1d, Z: Floats2d, groups: Ints1d) -> Ints1d:
    """Of released vectors Z (t, d): the word (g,) nearest to the mean of each group. The noise of
    a mean of k is 1/sqrt(k) of that of one."""
    sums = np.zeros((int(groups.max()) + 1, Z.shape[1]))
    np.add.at(sums, groups, Z)
    means = sums / np.bincount(groups)[:, None]
    return np.concatenate([words[D.argmin(axis=1)] for _, D in in_blocks(means, X[words])])


def told_apart(D: Floats1d, epsilon: float, draws: int) -> Floats1d:
    """The most that a guesser can be right who knows the word is one of two, equally likely, D
    apart: exp(x) / (1 + exp(x)), x = draws epsilon D, by the promise of metric-dp."""
    bound: Floats1d = 1 / (1 + np.exp(-draws * epsilon * D))
    return bound
