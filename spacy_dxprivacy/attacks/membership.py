"""Was a word in a document?

Knows: what the Bayes guesser knows. Wants: whether a word is in a document. The score is the
likelihood ratio of "it stands at one place, all as likely" against "these are words as any"; by
Neyman and Pearson (1933) no test does better for that. Measured by the area under the curve (AUC)
and the share of true members at 1 % false alarms. Without the words of the output, the number of
words is left: a long document holds more.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints1d, blocks


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
