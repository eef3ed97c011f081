r"""The exponential mechanism on Euclidean distance (dx.Exponential.v1), known as SanText.

Probability P(y | w) = exp(-epsilon d(w, y) / 2) / Z_w over the whole space
Guarantee   epsilon nats per unit of Euclidean distance, for all pairs of words (metric-dp)
Papers      McSherry, Talwar 2007, theorem 6; Yue et al. 2021 (arXiv 2106.01221), theorem 1
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..guarantee import Guarantee
from ..registries import registry
from ..ty import Floats2d
from ..validate import positive
from .choice import ChoiceMechanism

# exp(-700) is above the smallest float64: no word's probability is rounded to 0.
LARGEST_SCORE = 700.0


@registry.dx_mechanisms("dx.Exponential.v1")
def make_exponential(epsilon: float) -> ChoiceMechanism:
    """epsilon: nats per unit of Euclidean distance, above 0."""
    epsilon = positive("epsilon", epsilon)
    guarantee = Guarantee(
        kind="metric-dp",
        epsilon=epsilon,
        metric="euclidean",
        adjacency="all pairs of words of the space",
        status="proven",
        source="McSherry and Talwar 2007, theorem 6; Yue et al. 2021, theorem 1",
        notes=(
            "Distances are clamped where epsilon d / 2 passes 700, which keeps the guarantee. "
            "Draws use 53 random bits: a word of probability below 2**-53 may never come out."
        ),
    )
    score = partial(clamped_score, epsilon=epsilon)
    return ChoiceMechanism("dx.Exponential.v1", guarantee, score)


def clamped_score(D: Floats2d, *, epsilon: float) -> Floats2d:
    """epsilon min(d, g) / 2. min(d, g) is a metric and at most d, so the guarantee holds for d.

    Scores are shifted by their least before exp, so the clamp is on the difference; the least is
    that of the word itself, 0.
    """
    return np.minimum(D * (epsilon / 2), LARGEST_SCORE)
