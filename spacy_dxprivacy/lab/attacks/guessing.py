"""The attacks on arrays: the attacker's knowledge, its goal, and the measure of success.

All attackers know the mechanism, its space and public word frequencies. Below, logs (m, q) are
ln P(output | word) of m words and q outputs (channel.py), log_prior (m,) the ln of word
frequencies, and columns (t,) the index of the output at each place.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...arrays import Floats1d, Floats2d, Ints1d, Ints2d, blocks
from ...space.search.exact import in_blocks, neighbours

LOGS_AT_ONCE = 2**24


# -- one output: which word? Measured by the recovery rate -----------------------------------------
# Baseline: the most frequent word.


def nearest_guess(X: Floats2d, words: Ints1d, outputs: Ints1d) -> Ints1d:
    """Return the candidate of words (m,) nearest to each of outputs (t,), by X (n, d)."""
    distinct, at = np.unique(outputs, return_inverse=True)
    nearest: Ints1d = words[neighbours(X[distinct], X[words], 1)[0][:, 0]]
    return nearest[at]


def bayes_guess(logs: Floats2d, log_prior: Floats1d) -> Ints1d:
    """Return the index of the word of highest posterior for each output, (q,)."""
    best = np.empty(logs.shape[1], dtype=np.int64)
    prior = log_prior.astype(np.float32)[:, None]
    for part in blocks(logs.shape[1], max(1, LOGS_AT_ONCE // len(logs))):
        best[part] = (logs[:, part] + prior).argmax(axis=0)
    return best


def bounded_guess(
    bounds: Floats2d, log_prior: Floats1d, excess: Callable[[Ints1d], Floats1d]
) -> Ints1d:
    """Return the guess of bayes_guess from upper bounds on its logs, (q,). excess: indices of words
    (k,) -> by how much their bounds exceed their logs, (k,); few words are asked for."""
    scores = bounds + log_prior.astype(np.float32)[:, None]
    is_exact = np.zeros(len(scores), dtype=bool)
    while True:
        best: Ints1d = scores.argmax(axis=0)
        words = np.unique(best[~is_exact[best]])
        if not len(words):
            return best
        scores[words] -= excess(words)[:, None].astype(np.float32)
        is_exact[words] = True


# -- several outputs of a word: which word? --------------------------------------------------------
# The same text released several times, or a word that a document repeats at known places. With
# scope = "type" these places are visible, and there is only one draw.


def averaged_guess(
    logs: Floats2d, log_prior: Floats1d, columns: Ints1d, groups: Ints1d
) -> Ints1d:  # fmt: skip
    """Return the indices (g,) of the words of highest posterior given all draws of a group.

    columns: (t,), the output of each draw. groups: (t,), from 0 to g - 1, the word of each draw.
    """
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    ends = np.append(starts[1:], len(order))
    prior = log_prior.astype(np.float32)[:, None]
    max_draws = max(1, LOGS_AT_ONCE // len(logs))  # draws at once
    first, guesses = 0, []
    while first < len(starts):
        last = max(first + 1, int(np.searchsorted(ends, starts[first] + max_draws, side="right")))
        block = logs[:, columns[order[starts[first] : ends[last - 1]]]]
        posteriors = prior + np.add.reduceat(block, starts[first:last] - starts[first], axis=1)
        guesses.append(posteriors.argmax(axis=0))
        first = last
    return np.concatenate(guesses)


def mean_vector_guess(X: Floats2d, words: Ints1d, Z: Floats2d, groups: Ints1d) -> Ints1d:
    """Return the words (g,) nearest to the mean of each group of released vectors Z (t, d)."""
    sums = np.zeros((int(groups.max()) + 1, Z.shape[1]))
    np.add.at(sums, groups, Z)
    means = sums / np.bincount(groups)[:, None]
    return np.concatenate([words[D.argmin(axis=1)] for _, D in in_blocks(means, X[words])])


# -- membership: was a word in a document? ---------------------------------------------------------
# The score is the likelihood ratio of "the word is at one place, each equally likely" against "all
# words follow the prior", the most powerful test (Neyman and Pearson 1933). Measured by the area
# under the curve (AUC) and the true positives at 1 % false alarms. Baseline: the number of words.


def background(logs: Floats2d, log_prior: Floats1d) -> Floats1d:
    """Return ln P(output) for words that follow the prior, (q,)."""
    prior = np.exp(log_prior - log_prior.max())
    top = logs.max(axis=0)
    total = np.empty(logs.shape[1])
    for part in blocks(logs.shape[1], 512):
        total[part] = prior @ np.exp(logs[:, part] - top[part])
    mean: Floats1d = np.log(total / prior.sum()) + top
    return mean


def membership_score(logs: Floats1d, background: Floats1d) -> float:
    """Return ln mean P(output | word) / P(output) over the places of a document, from the logs of
    both, (length,)."""
    ratios = np.asarray(logs, dtype=np.float64) - background
    top = float(ratios.max())
    return top + float(np.log(np.mean(np.exp(ratios - top))))


def auc(members: Floats1d, non_members: Floats1d) -> float:
    """Return the probability that a member scores higher than a non-member; ties count half."""
    from scipy.stats import mannwhitneyu

    return float(mannwhitneyu(members, non_members).statistic / (len(members) * len(non_members)))


def true_positives(members: Floats1d, non_members: Floats1d, alarms: float = 0.01) -> float:
    """Return the share of members above a threshold that a share `alarms` of others exceeds."""
    threshold = np.sort(non_members)[len(non_members) - 1 - int(alarms * len(non_members))]
    return float((members > threshold).mean())


def pairs_to_test(
    starts: Ints1d, rows: Ints1d, each: int, generator: np.random.Generator
) -> tuple[Ints1d, Ints1d, Ints1d]:
    """Return words (p,), a document (p,) that contains each, and one (p,) that does not: at random,
    up to `each` distinct words of every document, without words of all documents."""
    held = [set(part.tolist()) for part in np.split(rows, starts[1:-1])]
    triples: list[tuple[int, int, int]] = []
    for i, words_held in enumerate(held):
        for word in generator.permutation(sorted(words_held))[:each].tolist():
            tries = generator.integers(len(held), size=16).tolist()
            without = [j for j in tries if word not in held[j]]
            if without:
                triples.append((word, i, without[0]))
    words, members, non_members = np.array(triples, dtype=np.int64).reshape(-1, 3).T
    return words, members, non_members


# -- linking: which sanitised document was made of which original? ---------------------------------
# The attacker knows N originals. Measured by the share of correct links; baseline 1 / N. Documents
# are cut to one length, since the number of words would link many.


def rare_word_scores(outputs: Ints2d, originals: Ints2d) -> Floats2d:
    """Return scores (N, N), releases by originals, of rows (N, length): the sum over distinct
    shared words of ln(N / number of originals with the word)."""
    documents = np.stack([outputs, originals])
    words, at = np.unique(documents, return_inverse=True)
    held = np.zeros((*documents.shape[:2], len(words)))
    np.put_along_axis(held, at.reshape(documents.shape), 1.0, axis=2)
    sanitised, original = held
    scores: Floats2d = (
        sanitised * np.log(len(originals) / np.maximum(original.sum(axis=0), 1))
    ) @ original.T
    return scores


def likelihood_scores(logs: Floats2d, columns: Ints2d, places: Ints2d) -> Floats2d:
    """Return ln P(all outputs | original), word by word, (N, N), releases by originals. columns,
    places: (N, length), the outputs of each release, and the words of each original."""
    return np.stack([logs[places, row[None, :]].sum(axis=1, dtype=np.float64) for row in columns])


def link_probabilities(scores: Floats2d) -> Floats1d:
    """Return the probability (N,) that the best original is correct, ties broken at random."""
    best = scores >= scores.max(axis=1, keepdims=True) - 1e-9
    right: Floats1d = np.diag(best) / best.sum(axis=1)
    return right
