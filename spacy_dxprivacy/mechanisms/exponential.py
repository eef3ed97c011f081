r"""The exponential mechanism on Euclidean distance (dx.Exponential.v1), known as SanText.

Probability P(y | w) = exp(-beta d(w, y)) / Z_w over the whole space, beta = epsilon / 2 or more
Guarantee   epsilon nats per unit of Euclidean distance, for all pairs of words (metric-dp)
Use         for words without vectors, in spaces of at most 50,000 words or so; it preserves more
            meaning than noise at the same epsilon
Papers      McSherry, Talwar 2007, theorem 6; Yue et al. 2021 (arXiv 2106.01221)
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ..arrays import Floats2d, blocks
from ..privacy.guarantee import Guarantee
from ..privacy.noise import solved_beta
from ..registries import registry
from ..space import Space
from ..space.search.exact import euclidean
from ..validate import one_of, positive
from .choice import (
    BLOCK_NUMBERS,
    Choice,
    ChoiceMechanism,
    clamped_score,
    euclidean_choice,
)


@registry.dx_mechanisms("dx.Exponential.v1")
def make_exponential(epsilon: float, calibration: str = "standard") -> ChoiceMechanism:
    """Create the exponential mechanism on Euclidean distance.

    Args:
        epsilon: Nats per unit of Euclidean distance, above 0.
        calibration: "standard" takes beta = epsilon / 2, which holds on every space. "exact" solves
            for the largest beta, epsilon at most, whose exact loss on this space is epsilon: up to
            twice less noise for the same guarantee. Its fit takes several passes over all pairs of
            words.
    """
    epsilon = positive("epsilon", epsilon)
    one_of("calibration", calibration, ("standard", "exact"))
    guarantee = Guarantee(
        kind="metric-dp",
        epsilon=epsilon,
        metric="euclidean",
        covers="all",
        status="computed" if calibration == "exact" else "proven",
        source="McSherry and Talwar 2007, theorem 6; Yue et al. 2021",
        loss_range=1.0 if calibration == "standard" else 2.0,
        notes=(
            "Distances are clamped where the score passes 700, which keeps the guarantee. "
            "Draws use 53 random bits: a word of probability below 2**-53 may never come out."
        ),
    )
    return ChoiceMechanism("dx.Exponential.v1", guarantee, partial(build, calibration=calibration))


def build(space: Space, guarantee: Guarantee, *, calibration: str) -> Choice:
    epsilon = guarantee.epsilon
    beta = epsilon / 2
    if calibration == "exact":
        beta = solved_beta(partial(exact_epsilon, space.vectors), epsilon)
        notes = f"The choice uses exp(-{beta:.6g} d) on this space. {guarantee.notes}"
        guarantee = replace(guarantee, notes=notes, loss_range=2 * beta / epsilon)
    return euclidean_choice(space, guarantee, partial(clamped_score, beta=beta))


def exact_epsilon(X: Floats2d, beta: float) -> float:
    """Return the least epsilon for which P(y|w) ~ exp(-beta d(w, y)) is metric private on the rows.

    The loss from w to v is beta (d(v, y) - d(w, y)) + ln Z_v - ln Z_w, greatest at y = w, where
    the difference is d(w, v); so epsilon = beta + max |ln Z_w - ln Z_v| / d(w, v). Words at
    distance 0 share their Z.
    """
    rows, at_once = np.arange(len(X)), max(1, BLOCK_NUMBERS // len(X))
    parts = [rows[part] for part in blocks(len(X), at_once)]
    scores = (clamped_score(euclidean(X, part), beta=beta) for part in parts)
    logs = np.concatenate([np.log(np.exp(-S).sum(axis=1)) for S in scores])
    steepest = 0.0
    for part in parts:
        D = euclidean(X, part)
        gaps = np.abs(logs[part, None] - logs[None, :])
        slopes = np.divide(gaps, D, out=np.zeros_like(gaps), where=D > 0)
        steepest = max(steepest, float(slopes.max()))
    # ln Z moves by beta d at most; for words very near each other rounding says more.
    return beta + min(steepest, beta)
