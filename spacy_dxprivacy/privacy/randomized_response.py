"""Randomised response on a category, such as the label of a document.

Probability P(y | x) = exp(epsilon [y = x]) / (exp(epsilon) + k - 1), for k public categories
Guarantee   epsilon nats for all pairs of categories (approx-dp, delta 0)
Papers      Warner 1965, "Randomized response: a survey technique for eliminating evasive answer
            bias"; Kairouz, Bonawitz, Ramage 2016, "Discrete distribution estimation under local
            privacy", section 3.1 (k categories)
"""

from __future__ import annotations

from fractions import Fraction

from .guarantee import Guarantee
from .randomness import Integers, accept, below


def respond(category: int, k: int, epsilon: float, stream: Integers) -> int:
    """Sample a category from 0 to k - 1, which is the true one exp(epsilon) times as often as each
    other.

    A proposal is accepted with probability 1 if it is true, else with probability exp(-epsilon),
    which is exact: no float is compared.

    Args:
        category: The true category, from 0 to k - 1.
        k: The number of categories.
        epsilon: Nats, above 0.
        stream: Source of randomness.
    """
    rate = Fraction(epsilon)
    while True:
        proposal = below(k, stream)
        if proposal == category or accept(rate, stream):
            return proposal


def response_guarantee(epsilon: float) -> Guarantee:
    """Return the guarantee of `respond`."""
    return Guarantee(
        "approx-dp",
        epsilon,
        metric="discrete",
        adjacency="documents of which one has another category",
        status="proven",
        source="Kairouz, Bonawitz, Ramage 2016, section 3.1",
        loss_range=2.0,
    )
