"""The attacks, arrays in and arrays out: what attackers know and want, and how it is measured.

All know the mechanism and its space, and how often words come in public text. In what follows logs
(m, q) are ln P(output | word) of m words and q outputs (channel.py), log_prior (m,) is ln of how
often each word comes, and columns (t,) say which output stands at each place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...arrays import Bools1d, Floats1d, Floats2d, Ints1d, Ints2d, blocks
from ...space.search.metric import in_blocks, neighbours
from ..corpus import Corpus

BLOCK_NUMBERS = 2**24
LEAST = 1e-12
WEIGHED = 16  # originals, for each document, that the exact channel is asked for


# -- one output: the word at a place; measured by the share of places that are guessed right -------
# Without the output the best guess is always the most frequent word.


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


def success_bound(D: Floats2d, prior: Floats1d, epsilon: float) -> float:
    """No guesser that sees one output of a word is right more often than this.

    D: (c, m), distances from some centres to the m words, in the metric of a metric-dp guarantee;
    prior: (m,). The sum over y of max over w of prior(w) P(y | w) is at most the maximum over w of
    prior(w) exp(epsilon d(c, w)), for any centre c: P(y | w) <= exp(epsilon d) P(y | c).
    """
    with np.errstate(divide="ignore"):
        logs = np.log(prior) + epsilon * D
    return float(np.exp(min(0.0, float(logs.max(axis=1).min()))))


# -- several outputs of a word: which word? --------------------------------------------------------
# The same text released several times, or a word that a document repeats at places that its form
# gives away. With scope = "type" these are in plaintext, and there is one draw to average over.


def averaged_guess(
    logs: Floats2d, log_prior: Floats1d, columns: Ints1d, groups: Ints1d
) -> Ints1d:  # fmt: skip
    """The likeliest word of each group of draws: the product of their posteriors, the prior counted
    once. logs (m, q), ln P(output | word); columns (t,), which output each draw was; groups (t,),
    from 0 to g - 1, which draws are of one word -> places (g,) of words."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    ends = np.append(starts[1:], len(order))
    prior = log_prior.astype(np.float32)[:, None]
    most = max(1, BLOCK_NUMBERS // len(logs))  # draws at once
    first, guesses = 0, []
    while first < len(starts):
        last = max(first + 1, int(np.searchsorted(ends, starts[first] + most, side="right")))
        block = logs[:, columns[order[starts[first] : ends[last - 1]]]]
        both = prior + np.add.reduceat(block, starts[first:last] - starts[first], axis=1)
        guesses.append(both.argmax(axis=0))
        first = last
    return np.concatenate(guesses)


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


# -- membership: was a word in a document? ---------------------------------------------------------
# The score is the likelihood ratio of "it stands at one place, all as likely" against "these are
# words as any"; by Neyman and Pearson (1933) no test does better for that. Measured by the area
# under the curve (AUC) and the share of true members at 1 % false alarms. Without the outputs, the
# number of words is left: a long document holds more. Who has a causal model scores by the
# posterior that the word is at some place, against how often the model expects it at such places.


def background(logs: Floats2d, log_prior: Floats1d) -> Floats1d:
    """logs (m, q), ln P(output | word) -> (q,), ln P(output): of words as the prior says."""
    prior = np.exp(log_prior - log_prior.max())
    top = logs.max(axis=0)
    total = np.empty(logs.shape[1])
    for part in blocks(logs.shape[1], 512):
        total[part] = prior @ np.exp(logs[:, part] - top[part])
    mean: Floats1d = np.log(total / prior.sum()) + top
    return mean


def membership_score(logs: Floats1d, background: Floats1d) -> float:
    """ln of the mean over the places of a document of P(output | word) / P(output). logs and
    background: (length,), ln P(output | word) and ln P(output) at each place."""
    ratios = np.asarray(logs, dtype=np.float64) - background
    top = float(ratios.max())
    return top + float(np.log(np.mean(np.exp(ratios - top))))


def posterior_score(shares: Floats1d, usual: float) -> float:
    """ln of P(the word is in the document | outputs) / P(word). shares: (length,), the posterior of
    the word at each place. usual: how often it is to be expected at a place."""
    absent = np.log1p(-np.minimum(shares, 1 - LEAST)).sum()
    return float(np.log(-np.expm1(absent) + LEAST) - np.log(usual + LEAST))


def auc(members: Floats1d, others: Floats1d) -> float:
    """How often a member scores higher than another; ties count half."""
    from scipy.stats import rankdata

    ranks = rankdata(np.concatenate([members, others]))[: len(members)]
    above = ranks.sum() - len(members) * (len(members) + 1) / 2
    return float(above / (len(members) * len(others)))


def true_positives(members: Floats1d, others: Floats1d, alarms: float = 0.01) -> float:
    """The share of members above the threshold that a share `alarms` of others passes at most."""
    allowed = int(alarms * len(others))
    threshold = np.sort(others)[len(others) - 1 - allowed]
    return float((members > threshold).mean())


def pairs_to_test(
    starts: Ints1d, rows: Ints1d, each: int, generator: np.random.Generator
) -> tuple[Ints1d, Ints1d, Ints1d]:
    """Words (p,), for each a document (p,) that holds it and one (p,) that does not: up to `each`
    distinct words of every document, at random. Words that all documents hold are left out."""
    held = [set(some.tolist()) for some in np.split(rows, starts[1:-1])]
    found: list[tuple[int, int, int]] = []
    for i, some in enumerate(held):
        for word in generator.permutation(sorted(some))[:each].tolist():
            tries = generator.integers(len(held), size=16).tolist()
            without = [j for j in tries if word not in held[j]]
            if without:
                found.append((word, i, without[0]))
    words, members, others = np.array(found, dtype=np.int64).reshape(-1, 3).T
    return words, members, others


def asked_words(starts: Ints1d, words: Ints1d, documents: Ints1d) -> Ints2d:
    """int64 (t, m): at each place of a text the words that are tested in its document, repeated
    where they are fewer. words, documents: (q,), each word and where it is tested."""
    tested = [np.unique(words[documents == d]) for d in range(len(starts) - 1)]
    most = max(map(len, tested))
    rows = np.stack([np.resize(some if len(some) else words[:1], most) for some in tested])
    found: Ints2d = np.repeat(rows, np.diff(starts), axis=0)
    return found


# -- linking: which sanitised document was made of which original? ---------------------------------
# Knows a set of originals, one of which is the wanted one. Measured by the share that is linked
# right, out of N; without the words, one guess of N is right. Documents are cut to one length,
# since the number of words alone would link many. Where sentences are drawn as a whole, the words
# after the cut matter as well: who has a causal model guesses them, and weighs the likeliest
# originals by the exact channel.


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
    mechanism: Any, outputs: Ints1d, guess: Ints1d, starts: Bools1d, originals: Ints2d
) -> Floats1d:
    """float64 (j,): ln P(outputs of a document's first sentences | each original, and the guess of
    what comes after it). mechanism: one that states the likelihood of sentences. outputs, guess,
    starts: (length,), of the document. originals: rows (j, cut)."""
    times, cut = originals.shape
    later = np.flatnonzero(starts[cut:])
    end = cut + int(later[0]) if len(later) else len(outputs)
    rows = np.tile(guess[:end], (times, 1))
    rows[:, :cut] = originals
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


# -- words of documents, wherever they stand -------------------------------------------------------
# An original's words are counted, each as often as it comes, that are among the attacker's guesses
# for its document.


def found_anywhere(text: Corpus, guesses: Sequence[Ints1d]) -> Bools1d:
    """bool (t,): for each word of the text whether it is among the guesses for its document, int64
    (any,) each, a guess for one word at most."""
    hits = np.zeros(len(text.rows), dtype=bool)
    for begin, rows, guess in zip(text.starts.tolist(), text, guesses, strict=False):
        left = Counter(guess.tolist())
        for place, row in enumerate(rows.tolist(), start=begin):
            hits[place] = left[row] > 0
            left[row] -= 1
    return hits
