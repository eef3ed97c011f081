"""Words of running text to probe, and the range of epsilon in which a mechanism changes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ..arrays import Floats1d, Ints1d
from ..errors import DxError
from ..privacy.randomness import Rng
from ..ty import Mechanism, StatesProbabilities
from ..validate import fail, whole
from .corpus import drawn

Make = Callable[[float], Mechanism]  # epsilon -> a mechanism fitted on a space

LOW, HIGH = 0.02, 0.98  # shares unchanged at the ends of a range
MOST_STEPS, WIDEST = 40, 1000  # by a factor of 4 each; the range that is shown
SEARCH_WORDS, SEARCH_DRAWS = 48, 8  # enough to find a range


@dataclass(frozen=True)
class Probes:
    """Distinct words of a space, rows int64 (m,), and how often each counts, counts (m,)."""

    rows: Ints1d
    counts: Ints1d

    @property
    def size(self) -> int:
        """Number of words, repeats counted."""
        return int(self.counts.sum())

    @property
    def weights(self) -> Floats1d:
        """Share of each word, (m,); they sum to 1."""
        return np.asarray(self.counts / self.size)


def sampled(rows: Ints1d, frequencies: Any, size: int) -> Probes:
    """Return a systematic sample of rows (m,), proportional to frequencies (m,) above 0.

    With as many places as there are tokens, every token is taken.
    """
    size = whole("the number of words", size, least=1)
    if not len(rows):
        raise fail("rows", "one word or more", "none")
    ends = np.cumsum(np.asarray(frequencies, dtype=np.float64))
    places = (np.arange(size) + 0.5) * (ends[-1] / size)
    hit = np.minimum(np.searchsorted(ends, places, side="right"), len(rows) - 1)
    distinct, counts = np.unique(hit, return_counts=True)
    return Probes(np.asarray(rows, dtype=np.int64)[distinct], counts.astype(np.int64))


def unchanged_share(mechanism: Mechanism, probes: Probes, draws: int = SEARCH_DRAWS) -> float:
    """Return the share of probed words that come out as themselves."""
    rows = probes.rows
    if isinstance(mechanism, StatesProbabilities):
        stay = mechanism.distribution(rows)[np.arange(len(rows)), rows]
    else:
        outputs = drawn(mechanism, np.repeat(rows, draws), Rng(seed=0)).rows
        stay = (outputs.reshape(-1, draws) == rows[:, None]).mean(axis=1)
    return float(probes.weights @ stay)


def epsilon_range(unchanged: Callable[[float], float]) -> tuple[float, float]:
    """Return the epsilons from about 2 % to about 98 % unchanged words.

    unchanged: epsilon -> a share that rises with it; it raises DxError where there is no mechanism,
    and the range then ends there. Where the share levels out before, so does the range.
    """

    @cache
    def share(epsilon: float) -> float:
        try:
            return unchanged(epsilon)
        except DxError:
            return np.nan

    tries = [4.0 ** (sign * i) for i in range(MOST_STEPS) for sign in (1, -1)]
    start = next((e for e in tries if not np.isnan(share(e))), None)
    if start is None:
        unchanged(1.0)  # raises with the reason
        raise fail("epsilon", "one that works on this space", "none")
    ladder = [*_search(share, start, 1 / 4)[::-1], *_search(share, start, 4.0)[1:]]
    shares = np.array([share(e) for e in ladder])
    first = np.flatnonzero(shares <= max(LOW, shares[0] + 0.005))[-1]
    last = np.flatnonzero(shares >= min(HIGH, shares[-1] - 0.005))[0]
    if first >= last:
        return ladder[0], ladder[-1]
    low = _halved(share, ladder[first], ladder[first + 1], max(LOW, shares[0] + 0.005))
    return low[0], _halved(share, ladder[last - 1], ladder[last], min(HIGH, shares[-1] - 0.005))[1]


def epsilons_for(make: Make, rows: Ints1d, counts: Ints1d, steps: int = 6) -> list[float]:
    """Return `steps` epsilons in the range where rows (m,) of a text, which has counts (m,) of
    them, change, the largest at most WIDEST times the least."""
    few = sampled(rows, counts, min(SEARCH_WORDS, int(counts.sum())))
    low, high = epsilon_range(lambda epsilon: unchanged_share(make(epsilon), few))
    return evenly(low, min(high, WIDEST * low), steps)


def _search(share: Callable[[float], float], start: float, factor: float) -> list[float]:
    """Return steps from start until the share is HIGH (LOW for a factor below 1) or levels out, or
    nothing works. It is level before it begins to move as well, which does not count."""

    def part(epsilon: float) -> float:
        return share(epsilon) if factor > 1 else 1 - share(epsilon)

    path, level = [start], 0
    while len(path) < MOST_STEPS and part(path[-1]) < HIGH and level < 2:
        last, ahead = path[-1], path[-1] * factor
        if np.isnan(part(ahead)):
            break
        level = level + 1 if abs(part(ahead) - part(last)) < 0.002 and part(ahead) > 0.1 else 0
        path.append(ahead)
    return path


def _halved(
    share: Callable[[float], float], low: float, high: float, aim: float
) -> tuple[float, float]:
    """Return a small part of low to high in which the share passes the aim."""
    for _ in range(4):
        middle = float(np.sqrt(low * high))
        if np.isnan(share(middle)):
            break
        low, high = (middle, high) if share(middle) <= aim else (low, middle)
    return low, high


def evenly(low: float, high: float, steps: int) -> list[float]:
    """Return `steps` epsilons of three digits, by equal factors from low to high."""
    return sorted({float(f"{e:.3g}") for e in np.geomspace(low, high, steps)})
