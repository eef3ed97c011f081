"""The range of epsilon in which something happens."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...arrays import Floats2d
from ...errors import DxError
from ...ty import Mechanism
from ...validate import fail
from .bench import Bench
from .probes import Probes

LOW, HIGH = 0.02, 0.98  # shares unchanged at the ends of a range
MOST_STEPS = 40  # by a factor of 4 each
SEARCH_WORDS, SEARCH_DRAWS = 48, 8  # enough to find a range


def epsilon_range(unchanged: Callable[[float], float]) -> tuple[float, float]:
    """From where about 2 % of words are unchanged to where about 98 % are.

    unchanged: epsilon -> a share that rises with it; it raises DxError where there is no mechanism,
    and the range then ends there. Where the share levels out before 2 or 98 %, so does the range.
    Raises DxError where no epsilon works.
    """
    share = _Remembered(unchanged)
    tries = [4.0 ** (sign * i) for i in range(MOST_STEPS) for sign in (1, -1)]
    start = next((e for e in tries if not np.isnan(share(e))), None)
    if start is None:
        unchanged(1.0)  # says why
        raise fail("epsilon", "one that works on this space", "none")
    down = _walk(share, start, 1 / 4, lambda s: s <= LOW, lambda s: s < 0.9)
    up = _walk(share, start, 4.0, lambda s: s >= HIGH, lambda s: s > 0.1)
    ladder = [*down[::-1], *up[1:]]
    shares = np.array([share(e) for e in ladder])
    first = np.flatnonzero(shares <= max(LOW, shares[0] + 0.005))[-1]
    last = np.flatnonzero(shares >= min(HIGH, shares[-1] - 0.005))[0]
    if first >= last:
        return ladder[0], ladder[-1]
    low = _halved(share, ladder[first], ladder[first + 1], max(LOW, shares[0] + 0.005))
    return low[0], _halved(share, ladder[last - 1], ladder[last], min(HIGH, shares[-1] - 0.005))[1]


def epsilon_range_on(
    X: Floats2d, probes: Probes, make: Callable[[float], Mechanism]
) -> tuple[float, float]:
    """The same, of the mechanisms that `make` gives, by some probed words (about SEARCH_WORDS) of a
    space. X: float32 (n, d), its vectors."""
    bench = Bench(X, probes, k=1, draws=SEARCH_DRAWS)
    return epsilon_range(lambda epsilon: bench.unchanged(make(epsilon)))


class _Remembered:
    def __init__(self, unchanged: Callable[[float], float]) -> None:
        self.unchanged = unchanged
        self.known: dict[float, float] = {}

    def __call__(self, epsilon: float) -> float:
        """nan where there is no mechanism."""
        if epsilon not in self.known:
            try:
                self.known[epsilon] = self.unchanged(epsilon)
            except DxError:
                self.known[epsilon] = np.nan
        return self.known[epsilon]


def _walk(
    share: _Remembered,
    start: float,
    factor: float,
    arrived: Callable[[float], bool],
    begun: Callable[[float], bool],
) -> list[float]:
    """Steps from start until the share has arrived, has levelled out, or there is no mechanism.
    Level ground counts once the share has begun to move: it is level before that as well."""
    path, level = [start], 0
    while len(path) < MOST_STEPS and not arrived(share(path[-1])) and level < 2:
        ahead = path[-1] * factor
        if np.isnan(share(ahead)):
            break
        flat = abs(share(ahead) - share(path[-1])) < 0.002
        level = level + 1 if flat and begun(share(ahead)) else 0
        path.append(ahead)
    return path


def _halved(share: _Remembered, low: float, high: float, aim: float) -> tuple[float, float]:
    """The ends of a small part of low to high in which the share passes the aim."""
    for _ in range(4):
        middle = float(np.sqrt(low * high))
        if np.isnan(share(middle)):
            break
        low, high = (middle, high) if share(middle) <= aim else (low, middle)
    return low, high


def evenly(low: float, high: float, steps: int) -> list[float]:
    """`steps` epsilons of three digits, by equal factors from low to high."""
    return sorted({float(f"{e:.3g}") for e in np.geomspace(low, high, steps)})
