"""Guessing a word from one output.

Knows: the mechanism and its space, and how often words come in public text. Wants: the word at a
place. Measured by the share of places that are guessed right. Without the output the best guess is
always the most frequent word.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats1d, Floats2d, Ints1d, blocks
from ...search.metric import neighbours

BLOCK_NUMBERS = 2**24


def nearest_guess(X: Floats2d, words: Ints1d, outputs: Ints1d) -> Ints1d:
    """X (n, d), words (m,) to guess among, outputs (t,) -> (t,): for each the nearest word, which
    is the output itself where that is one of the words. It knows no mechanism."""
    distinct, at = np.unique(outputs, return_inverse=True)
    nearest: Ints1d = words[neighbours(X[distinct], X[words], 1)[0][:, 0]]
    return nearest[at]


def bayes_guess(logs: Floats2d, log_prior: Floats1d) -> Ints1d:
    """logs (m, q), ln P(output | word), log_prior (m,) -> (q,): the place of the likeliest word of
    each output. No guesser does better on words that come as the prior says."""
    best = np.empty(logs.shape[1], dtype=np.int64)
    at_once = max(1, BLOCK_NUMBERS // len(logs))
    prior = log_prior.astype(np.float32)[:, None]
    for part in blocks(logs.shape[1], at_once):
        best[part] = (logs[:, part] + prior).argmax(axis=0)
    return best


def success_bound(D: Floats2d, prior: Floats1d, epsilon: float, draws: int = 1) -> float:
    """No guesser that sees `draws` outputs of a word is right more often than this.

    D: (c, m), distances from some centres to the m words, in the metric of a metric-dp guarantee;
    prior: (m,). The sum over y of max over w of prior(w) P(y | w) is at most the maximum over w of
    prior(w) exp(draws epsilon d(c, w)), for any centre c: P(y | w) <= exp(epsilon d) P(y | c).
    """
    with np.errstate(divide="ignore"):
        logs = np.log(prior) + draws * epsilon * D
    return float(np.exp(min(0.0, float(logs.max(axis=1).min()))))
