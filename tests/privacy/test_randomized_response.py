"""A sampled category has its stated probabilities, and 2 % more loss is noticed."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom, chisquare

from spacy_dxprivacy import Rng
from spacy_dxprivacy.privacy.randomized_response import respond, response_guarantee
from spacy_dxprivacy.privacy.randomness import accept

DRAWS = 200_000


def shares(epsilon, k, category, draws=20_000):
    stream = Rng(1)
    return np.bincount([respond(category, k, epsilon, stream) for _ in range(draws)], minlength=k)


@pytest.mark.parametrize(("epsilon", "k"), [(0.5, 2), (1.0, 5), (3.0, 3)])
def test_categories_have_the_probabilities_of_the_density(epsilon, k):
    expected = np.ones(k)
    expected[1] = math.exp(epsilon)
    counts = shares(epsilon, k, 1)
    assert chisquare(counts, expected / expected.sum() * counts.sum()).pvalue > 1e-4


@pytest.mark.slow
def test_the_ratio_of_two_categories_is_the_stated_loss_and_2_percent_more_is_noticed():
    epsilon, k = 2.0, 2
    kept = int(shares(epsilon, k, 0, DRAWS)[0])
    stated, more = (1 / (1 + math.exp(-e)) for e in (epsilon, 1.02 * epsilon))
    assert abs(kept - DRAWS * stated) < 4 * math.sqrt(DRAWS * stated * (1 - stated))
    assert binom.cdf(kept, DRAWS, more) < 1e-4


@pytest.mark.parametrize("rate", [0.0, 0.3, 1.0, 2.5])
def test_an_event_has_the_probability_of_its_rate(rate):
    stream, draws = Rng(2), 20_000
    count = sum(accept(Fraction(rate), stream) for _ in range(draws))
    p = math.exp(-rate)
    assert abs(count - draws * p) <= 4 * math.sqrt(draws * p * (1 - p))


def test_the_guarantee_is_for_all_pairs_of_categories():
    guarantee = response_guarantee(1.5)
    assert (guarantee.kind, guarantee.epsilon, guarantee.delta) == ("approx-dp", 1.5, 0)
