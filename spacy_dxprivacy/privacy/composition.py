"""Compose the guarantees of words to that of a document.

Guarantees of Gaussian noise compose exactly; of all others epsilons and deltas are summed. The
notes of the result name the theorem.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from ..errors import DxError, Errors
from .guarantee import STATUSES, Guarantee

BASIC = "basic composition (Dwork and Roth 2014, theorem 3.16)"
GAUSSIAN = "Gaussian composition (Dong, Roth and Su 2019, corollary 3.3)"
_DOCUMENT = (
    "documents of the same length that differ in the perturbed words only; all else that is "
    "released (the receipt's in_clear) is alike"
)


def compose(guarantees: Iterable[Guarantee]) -> Guarantee:
    """Return the guarantee of a document with one of these guarantees for each word.

    For "metric-dp" epsilons add up (Chatzikokolakis et al. 2013, section 4), and the sum is nats
    per unit of the largest distance between two words at one place. For "approx-dp" the deltas
    add up, and epsilon is the least known one at their sum: that of the composed noise for Gaussian
    noise, else the sum of the epsilons. A word without a guarantee leaves none.

    Raises:
        DxError: For guarantees that differ in kind, metric, space or in the pairs they cover.
    """
    counts = Counter(guarantees)
    if not counts:
        raise DxError(Errors.DX040.format(why="there are none"))
    return _compose(counts)


@lru_cache(maxsize=1024)  # a corpus has many documents of as many words
def repeat(guarantee: Guarantee, times: int) -> Guarantee:
    """Return compose([guarantee] * times); times may be 0."""
    return _compose({guarantee: times})


def _compose(counts: Mapping[Guarantee, int]) -> Guarantee:
    first = next(iter(counts))
    if any(g.kind == "none" for g in counts):
        return Guarantee("none", adjacency=_DOCUMENT, notes="A part of it has no guarantee.")
    for name in ("kind", "metric", "adjacency", "covers", "protects", "space"):
        if len({getattr(g, name) for g in counts}) > 1:
            raise DxError(Errors.DX040.format(why=f"they differ in their {name}"))
    epsilon, delta, mu, theorem = _total(counts)
    worst = max(counts, key=lambda g: STATUSES.index(g.status))
    return replace(
        first,
        epsilon=epsilon,
        delta=delta,
        adjacency=f"{_DOCUMENT}; at each place: {first.adjacency}",
        status=worst.status,
        source=worst.source,
        notes=f"Added up over the perturbed words by {theorem}; a repeated word counts twice. "
        f"{first.notes}".strip(),
        mu=mu,
        loss_range=max(g.loss_range for g in counts),
    )


def _total(counts: Mapping[Guarantee, int]) -> tuple[float, float, float, str]:
    """Return epsilon, delta, mu and the theorem, for counts[g] draws under each guarantee g."""
    drawn = {g: n for g, n in counts.items() if n}
    epsilon = math.fsum(g.epsilon * n for g, n in drawn.items())
    delta = min(1.0, math.fsum(g.delta * n for g, n in drawn.items() if g.kind == "approx-dp"))
    mu = math.hypot(*(g.mu * math.sqrt(n) for g, n in drawn.items()))
    if sum(drawn.values()) < 2 or not 0 < delta < 1:
        return epsilon, delta, mu, BASIC
    if not all(g.mu for g in drawn):
        return epsilon, delta, mu, BASIC
    least = gaussian_epsilon(mu, delta)
    return (least, delta, mu, GAUSSIAN) if least < epsilon else (epsilon, delta, mu, BASIC)


@lru_cache(maxsize=4096)
def gaussian_epsilon(mu: float, delta: float) -> float:
    """Return the least epsilon at delta of two unit normals mu apart.

    Reference:
        Balle and Wang 2018, theorem 8.
    """
    from scipy.optimize import brentq

    from .noise import log_delta

    def excess(epsilon: float) -> float:
        return log_delta(epsilon, mu) - math.log(delta)

    if excess(0.0) <= 0:
        return 0.0
    high = mu * mu / 2 + mu * math.sqrt(2 * math.log(1 / delta))
    return float(brentq(excess, 0.0, high, xtol=1e-10))
