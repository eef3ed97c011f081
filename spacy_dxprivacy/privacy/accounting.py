"""Adding up approximate promises.

Promises of Gaussian noise add up exactly. For others Google's dp-accounting (the extra
"accounting") composes privacy loss distributions; without it, epsilons and deltas are summed. The
total says which of these it was.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from importlib.util import find_spec

from ..guarantee import Guarantee

BASIC = "basic composition (Dwork and Roth 2014, theorem 3.16)"
GAUSSIAN = "Gaussian composition (Dong, Roth and Su 2019, corollary 3.3)"
PLD = "privacy loss distributions (dp-accounting)"
STEPS = 1000  # of a discretised loss, up to one epsilon


def total(counts: Mapping[Guarantee, int]) -> tuple[float, float, str]:
    """epsilon, delta and the way they were found, for so many draws under each approximate promise.

    delta is the sum of the deltas in every case, and epsilon the least that is known for it.
    """
    counts = {g: n for g, n in counts.items() if n}
    epsilon = math.fsum(g.epsilon * n for g, n in counts.items())
    delta = min(1.0, math.fsum(g.delta * n for g, n in counts.items()))
    if sum(counts.values()) < 2 or not 0 < delta < 1:
        return epsilon, delta, BASIC
    if all(g.mu for g in counts):
        found, how = gaussian_epsilon(math.hypot(*_repeated_mus(counts)), delta), GAUSSIAN
    elif find_spec("dp_accounting") is not None:
        parts = tuple(sorted((g.epsilon, g.delta, n) for g, n in counts.items()))
        found, how = pld_epsilon(parts, delta), PLD
    else:
        return epsilon, delta, BASIC
    return (found, delta, how) if found < epsilon else (epsilon, delta, BASIC)


def _repeated_mus(counts: Mapping[Guarantee, int]) -> list[float]:
    return [g.mu * math.sqrt(n) for g, n in counts.items()]


@lru_cache(maxsize=4096)
def gaussian_epsilon(mu: float, delta: float) -> float:
    """The least epsilon of two unit normals mu apart, at delta (Balle and Wang 2018, theorem 8)."""
    from scipy.optimize import brentq

    from .gaussian import log_delta

    def excess(epsilon: float) -> float:
        return log_delta(epsilon, mu) - math.log(delta)

    if excess(0.0) <= 0:
        return 0.0
    high = mu * mu / 2 + mu * math.sqrt(2 * math.log(1 / delta))
    return float(brentq(excess, 0.0, high, xtol=1e-10))


@lru_cache(maxsize=4096)
def pld_epsilon(parts: tuple[tuple[float, float, int], ...], delta: float) -> float:
    """The epsilon at delta of n draws of each (epsilon, delta, n): Kairouz, Oh, Viswanath 2015,
    theorem 3.3, composed numerically with pessimistic rounding."""
    from dp_accounting.pld import common, privacy_loss_distribution

    interval = min(epsilon for epsilon, _, _ in parts) / STEPS
    whole = privacy_loss_distribution.identity(value_discretization_interval=interval)
    for epsilon, part_delta, times in parts:
        one = privacy_loss_distribution.from_privacy_parameters(
            common.DifferentialPrivacyParameters(epsilon, part_delta),
            value_discretization_interval=interval,
        )
        whole = whole.compose(one.self_compose(times))
    return float(whole.get_epsilon_for_delta(delta))
