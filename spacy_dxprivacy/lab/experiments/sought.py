"""The epsilon at which an attacker finds as much as is wanted, in few tries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")
CLOSE = 0.015  # of shares of words
SLOPE, LEAST, MOST = 0.7, 0.25, 2.0  # of a share over ln epsilon: taken first, and its bounds
FARTHEST = np.log(4.0)


def sought(
    measure: Callable[[float], T],
    share: Callable[[T], float],
    start: float,
    target: float,
    tries: int,
) -> list[tuple[float, T]]:
    """What was measured at each epsilon that was tried, in their order: from start on by regula
    falsi over ln epsilon, until the share is near to the target. It should rise with epsilon."""
    found = [(start, measure(start))]
    while len(found) < tries and abs(share(nearest(found, share, target)[1]) - target) > CLOSE:
        epsilon = _next([(e, share(what)) for e, what in found], target)
        found.append((epsilon, measure(epsilon)))
    return found


def nearest(
    found: Sequence[tuple[float, T]], share: Callable[[T], float], target: float
) -> tuple[float, T]:
    """The one of them whose share is nearest to the target."""
    return min(found, key=lambda one: abs(share(one[1]) - target))


def _next(found: Sequence[tuple[float, float]], target: float) -> float:
    below = max((one for one in found if one[1] <= target), default=None, key=lambda one: one[1])
    above = min((one for one in found if one[1] > target), default=None, key=lambda one: one[1])
    if below and above:
        part = (target - below[1]) / (above[1] - below[1])
        logs = np.log([below[0], above[0]])
        return _rounded(float(logs[0] + np.clip(part, 0.1, 0.9) * (logs[1] - logs[0])))
    last = below or above or found[-1]
    step = (target - last[1]) / _slope(found)
    return _rounded(float(np.log(last[0]) + np.clip(step, -FARTHEST, FARTHEST)))


def _slope(found: Sequence[tuple[float, float]]) -> float:
    if len(found) < 2:
        return SLOPE
    (a, first), (b, last) = found[-2:]
    return float(np.clip((last - first) / np.log(b / a), LEAST, MOST)) if a != b else SLOPE


def _rounded(log: float) -> float:
    return float(f"{np.exp(log):.3g}")
