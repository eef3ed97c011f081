"""What several promises add up to, over the words of a document.

Promises of Gaussian noise add up exactly. For other approximate ones Google's dp-accounting (the
extra "accounting") composes privacy loss distributions; without it, epsilons and deltas are summed.
The total says which of these it was.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from importlib.util import find_spec

from ..errors import DxError, Errors
from .guarantee import STATUSES, Guarantee

BASIC = "basic composition (Dwork and Roth 2014, theorem 3.16)"
GAUSSIAN = "Gaussian composition (Dong, Roth and Su 2019, corollary 3.3)"
PLD = "privacy loss distributions (dp-accounting)"
STEPS = 1000  # of a discretised loss, up to one epsilon


def total(counts: Mapping[Guarantee, int]) -> tuple[float, float, str]:
    """epsilon, delta and the way they were found, for so many draws under each approximate promise.

    delta is the sum of the deltas in every case, and epsilon the least that is known for it.
    """
    counts = {g: n for g, n in counts.items() if n}
    epsilon = _sum_of("epsilon", counts)
    delta = min(1.0, _sum_of("delta", counts))
    if sum(counts.values()) < 2 or not 0 < delta < 1:
        return epsilon, delta, BASIC
    if all(g.mu for g in counts):
        found, how = gaussian_epsilon(_mu_of(counts), delta), GAUSSIAN
    elif find_spec("dp_accounting") is not None:
        parts = tuple(sorted((g.epsilon, g.delta, n) for g, n in counts.items()))
        found, how = pld_epsilon(parts, delta), PLD
    else:
        return epsilon, delta, BASIC
    return (found, delta, how) if found < epsilon else (epsilon, delta, BASIC)


def _sum_of(name: str, counts: Mapping[Guarantee, int]) -> float:
    return math.fsum(getattr(g, name) * n for g, n in counts.items())


def _mu_of(counts: Mapping[Guarantee, int]) -> float:
    return math.hypot(*(g.mu * math.sqrt(n) for g, n in counts.items()))


@lru_cache(maxsize=4096)
def gaussian_epsilon(mu: float, delta: float) -> float:
    """The least epsilon of two unit normals mu apart, at delta (Balle and Wang 2018, theorem 8)."""
    from scipy.optimize import brentq

    from .noise import log_delta

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


def compose(guarantees: Iterable[Guarantee]) -> Guarantee:
    """The promise for a document whose words were each drawn under one of these promises.

    For "metric-dp" epsilons add up (Chatzikokolakis et al. 2013, section 4), and the sum is nats
    per unit of the largest distance between two words at one place. For "approx-dp" see
    `total`. One word without a promise leaves none.

    Raises DxError for promises that differ in kind, metric, space or in the pairs they cover.
    """
    parts = list(guarantees)
    if not parts:
        raise DxError(Errors.DX040.format(why="there are none"))
    return _add(Counter(parts))


@lru_cache(maxsize=1024)  # a corpus has many documents of as many words
def repeat(guarantee: Guarantee, times: int) -> Guarantee:
    """compose([guarantee] * times), for a document of `times` perturbed words; 0 is allowed."""
    return _add({guarantee: times})


def _add(counts: Mapping[Guarantee, int]) -> Guarantee:
    first = next(iter(counts))
    if any(g.kind == "none" for g in counts):
        return Guarantee("none", adjacency=_DOCUMENT, notes="A part of it has no guarantee.")
    for name in ("kind", "metric", "adjacency", "covers", "protects", "space"):
        if len({getattr(g, name) for g in counts}) > 1:
            raise DxError(Errors.DX040.format(why=f"they differ in their {name}"))
    approximate = first.kind == "approx-dp"
    epsilon, delta, how = total(counts) if approximate else (_sum_of("epsilon", counts), 0.0, BASIC)
    worst = max(counts, key=lambda g: STATUSES.index(g.status))
    return replace(
        first,
        epsilon=epsilon,
        delta=delta,
        adjacency=f"{_DOCUMENT}; at each place: {first.adjacency}",
        status=worst.status,
        source=worst.source,
        notes=f"Added up over the perturbed words by {how}; a word said twice counts twice. "
        f"{first.notes}".strip(),
        mu=_mu_of(counts),
    )


_DOCUMENT = (
    "documents of the same length that differ in the perturbed words alone; all else that is "
    "released (the receipt's in_clear) is alike"
)
