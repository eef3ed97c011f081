"""Was a word in a document?

Knows: what the Bayes guesser knows. Wants: whether a word is in a document. The score is the
likelihood ratio of "it stands at one place, all as likely" against "these are words as any"; by
Neyman and Pearson (1933) no test does better for that. Measured by the area under the curve (AUC)
and the share of true members at 1 % false alarms. Without the words of the output, the number of
words is left: a long document holds more.

Who has a causal model scores by the posterior that the word is at some place, against how often the
model expects it at the places that it was asked about (causal.py).
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats1d, Floats2d, Ints1d, Ints2d, blocks

LEAST = 1e-12


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
