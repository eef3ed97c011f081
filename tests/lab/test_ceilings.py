"""Bounds on the share of documents with a readable name: they hold, and they are reached."""

import math

import numpy as np
import pytest
from scipy.stats import beta

from spacy_dxprivacy.lab.ceilings import (
    bound_next,
    bound_share,
    choose,
    fewest_documents,
    never_rising,
)
from spacy_dxprivacy.lab.results import ALPHA


def chances(n, share):
    """P(k of n documents), for k from 0 to n."""
    return np.array([math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(n + 1)])


@pytest.mark.parametrize("n", [1, 20, 60])
def test_the_bound_on_a_share_is_the_exact_one(n):
    for k in range(n):
        # At the bound, so few documents are as improbable as the bound says: it is exact.
        assert chances(n, bound_share(k, n))[: k + 1].sum() == pytest.approx(ALPHA)
        assert bound_share(k, n) == pytest.approx(beta.ppf(1 - ALPHA, k + 1, n - k))
    assert bound_share(n, n) == 1
    assert bound_share(0, n) == pytest.approx(1 - ALPHA ** (1 / n))


def test_the_bound_on_a_share_holds_as_often_as_stated_and_hardly_more_often():
    n = 50
    bounds = np.array([bound_share(k, n) for k in range(n + 1)])
    shares = [*np.linspace(0.01, 0.99, 50), *(bounds[:-1] + 1e-9)]
    held = [chances(n, share)[bounds >= share].sum() for share in shares]
    assert 1 - ALPHA - 1e-6 <= min(held) < 1 - ALPHA + 1e-3


@pytest.mark.parametrize(("n", "ceiling"), [(99, 0.1), (49, 0.25)])
def test_the_chosen_threshold_keeps_the_ceiling_on_average_and_reaches_it(n, ceiling):
    rng = np.random.default_rng(0)
    thresholds = np.linspace(1, 0, 400)  # a document is left readable below its score
    risks = []
    for _ in range(1500):
        scores = np.sort(rng.random(n))
        left = np.searchsorted(scores, thresholds)
        risks.append(thresholds[choose(left, n, ceiling)])
    error = 4 * np.std(risks) / math.sqrt(len(risks))
    gap = 2 / (n + 1) + 1 / 400  # theorem 2 of the paper, and the steps of the thresholds
    assert ceiling - gap - error <= np.mean(risks) <= ceiling + error


def test_too_few_documents_reach_no_ceiling():
    for ceiling in (0.5, 0.1, 0.05, 0.02):
        least = fewest_documents(ceiling)
        assert bound_next(0, least) <= ceiling < bound_next(0, least - 1)
        assert choose(np.zeros(3, dtype=int), least - 1, ceiling) is None
        assert choose(np.zeros(3, dtype=int), least, ceiling) == 0
    assert fewest_documents(0) == math.inf and choose(np.zeros(3, dtype=int), 10**6, 0.0) is None


def test_a_name_that_comes_back_at_a_lower_threshold_counts_at_the_higher_one():
    left = np.array([[1, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1]], dtype=bool)
    assert never_rising(left).tolist() == [3, 2, 1]
