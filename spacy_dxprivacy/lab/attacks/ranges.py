"""Find the epsilons at which an attacker recovers stated shares of a text.

Epsilons of mechanisms have different units: 5 is nothing to one and much to another. The range is
found by the words that a release leaves unchanged, which costs no attack. Within it, attacks are
tried at the epsilon where the line through the nearest tries meets the wanted share (regula falsi
over ln epsilon).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ...errors import DxError
from ...privacy.randomness import Rng
from ...ty import Mechanism
from ..corpus import sample_release
from .frontier import AttackTarget, FrontierPoint, point

Make = Callable[[float], Mechanism]  # epsilon -> a fitted mechanism, or DxError
LEAST, MOST = 1e-4, 1e7
FOUND = 5  # epsilons, if none is given
FEW_UNCHANGED, MANY_UNCHANGED = 0.02, 0.9
LITTLE = 0.02  # of the words
STEP = 4.0  # from one epsilon to the next, until the range is enclosed
TOLERANCE, MAX_TRIES = 0.04, 3  # of the share, and of attacks for each share
CLOSEST = 1.02  # ratio of epsilons between which no further one is tried


def epsilon_range(make: Make, target: AttackTarget, seed: int = 1) -> tuple[float, float]:
    """Return epsilons at which a release leaves few and many words of the text unchanged.

    Where a mechanism leaves many words unchanged at any epsilon, never leaves many, or has no
    solution below, the ends are those from which on more epsilons change little.

    Raises:
        DxError: If the mechanism has no solution at any epsilon.
    """
    shares = dict[float, float]()

    def unchanged(epsilon: float) -> float:
        if epsilon not in shares:
            shares[epsilon] = _unchanged(make, target, epsilon, seed)
        return shares[epsilon]

    low = high = 1.0
    while low > LEAST and unchanged(low) > FEW_UNCHANGED:
        low /= STEP
    while high < MOST and not unchanged(high) >= MANY_UNCHANGED:
        high *= STEP
    solved = sorted(e for e, share in shares.items() if share == share)
    if not solved:
        _unchanged(make, target, high, seed, strict=True)
    of_solved = [shares[e] for e in solved]
    most = min(MANY_UNCHANGED, max(of_solved) - LITTLE)
    least = max(FEW_UNCHANGED, min(of_solved) + LITTLE)
    high = min(e for e in solved if shares[e] >= most)
    below = [e for e in solved if e < high]
    few = [e for e in below if shares[e] <= least]
    return max(few) if few else min(below, default=high), high


def _unchanged(
    make: Make, target: AttackTarget, epsilon: float, seed: int, *, strict: bool = False
) -> float:
    """Return the share of unchanged words of a release; nan without a solution."""
    try:
        mechanism = make(epsilon)
    except DxError:
        if strict:
            raise
        return float("nan")
    rows = sample_release(target.text, mechanism, Rng(seed)).rows
    return float(np.mean(rows == target.text.rows))


def epsilons_of(make: Make, target: AttackTarget) -> list[float]:
    """Return FOUND epsilons over the range of a mechanism, in equal ratios. Raise DxError as
    epsilon_range does."""
    low, high = epsilon_range(make, target)
    return sorted({float(f"{epsilon:.3g}") for epsilon in np.geomspace(low, high, FOUND)})


def points_at(
    label: str, make: Make, target: AttackTarget, shares: Sequence[float]
) -> Iterator[FrontierPoint]:
    """Yield points of a mechanism, as they are tried, around the epsilons where the attacker
    recovers these shares."""
    points = dict[float, FrontierPoint]()

    def attack(epsilon: float) -> Iterator[FrontierPoint]:
        epsilon = float(f"{epsilon:.4g}")
        if epsilon not in points:
            points[epsilon] = point(label, make(epsilon), target)
            yield points[epsilon]

    for epsilon in epsilon_range(make, target):
        yield from attack(epsilon)
    for share in sorted(shares):
        for _ in range(MAX_TRIES):
            # None once a point is near enough.
            between = _between([*points.values()], share)
            if between is None:
                break
            yield from attack(between)


def _between(points: Sequence[FrontierPoint], share: float) -> float | None:
    """Return the next epsilon to try; None if the share is met or out of reach."""
    if min(abs(p.found - share) for p in points) <= TOLERANCE:
        return None
    ordered = sorted(points, key=lambda p: p.epsilon)
    below = [p for p in ordered if p.found < share]
    above = [p for p in ordered if p.found > share]
    if not below or not above:
        return None
    low, high = below[-1], min(above, key=lambda p: p.epsilon)
    if not low.epsilon * CLOSEST < high.epsilon:
        return None
    # Away from both ends, where the curve is flat and the line would creep.
    part = np.clip((share - low.found) / (high.found - low.found), 0.25, 0.75)
    return float(low.epsilon * (high.epsilon / low.epsilon) ** part)
