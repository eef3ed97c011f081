r"""The truncated exponential mechanism (dx.TEM.v1): far words are equally likely.

Probability P(y | w) = exp(-epsilon min(d(w, y), g) / 2) / Z_w over the whole space, with
            g = (2 / epsilon) ln((1 - beta)(n - 1) / beta)
Guarantee   epsilon nats per unit of Euclidean distance, for all pairs of words (metric-dp)
Use         as dx.Exponential.v1, where the loss should be at most that of words g apart
Paper       Carvalho, Vasiloudis, Feyisetan, Wang 2023 (arXiv 2107.07928)

The paper draws with Gumbel noise and a bottom element that stands for the words beyond g, of score
-g + 2 ln(their number) / epsilon, then one of them uniformly. That is the exponential mechanism on
the metric min(d, g), which is how it is drawn here.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..arrays import Floats2d
from ..privacy.guarantee import Guarantee
from ..registries import registry
from ..space import Space
from ..validate import between, positive
from .choice import Choice, ChoiceMechanism, clamped_score, euclidean_choice


@registry.dx_mechanisms("dx.TEM.v1")
def make_tem(epsilon: float, beta: float = 0.001) -> ChoiceMechanism:
    """Create the truncated exponential mechanism.

    Args:
        epsilon: Nats per unit of Euclidean distance, above 0.
        beta: Probability, between 0 and 1, of an output beyond g if all other words are beyond g.
    """
    epsilon = positive("epsilon", epsilon)
    beta = between("beta", beta, 0.0, 1.0)
    guarantee = Guarantee(
        kind="metric-dp",
        epsilon=epsilon,
        metric="euclidean",
        covers="all",
        status="proven",
        source="Carvalho et al. 2023; as the exponential mechanism on min(d, g)",
        loss_range=1.0,
        notes="The loss between two words is at most epsilon min(d, g).",
    )
    return ChoiceMechanism("dx.TEM.v1", guarantee, partial(build, beta=beta))


def build(space: Space, guarantee: Guarantee, *, beta: float) -> Choice:
    epsilon = guarantee.epsilon
    odds = (1 - beta) * max(len(space) - 1, 1) / beta
    g = max(0.0, 2 / epsilon * float(np.log(odds)))

    def score(D: Floats2d) -> Floats2d:
        return clamped_score(np.clip(D, 0, g), beta=epsilon / 2)

    return euclidean_choice(space, guarantee, score)
