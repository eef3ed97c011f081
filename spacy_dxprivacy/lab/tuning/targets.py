"""The epsilon that meets a target, and how sure that is."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Bools1d, Floats1d
from ...validate import fail
from .curve import FIGURES, SHARES, Curve, Point
from .probes import Probes

TOLERANCE = 0.0005  # of an epsilon that is sought, relative


_TARGET = re.compile(r"\s*([a-z]+)\s*(<=|>=)\s*([0-9]*\.?[0-9]+(?:e-?[0-9]+)?)\s*(%?)\s*")


@dataclass(frozen=True)
class Target:
    """figure: one of FIGURES. at_most: "<=", else ">="."""

    figure: str
    at_most: bool
    value: float

    @classmethod
    def parse(cls, text: str) -> Target:
        """ "unchanged <= 0.3". Raises DxError for anything else."""
        found = _TARGET.fullmatch(text)
        if not found or found[1] not in FIGURES:
            expected = f"FIGURE <= NUMBER or FIGURE >= NUMBER, FIGURE one of {', '.join(FIGURES)}"
            raise fail("a target", expected, text)
        value = float(found[3]) / (100 if found[4] else 1)
        if found[1] in SHARES and not 0 <= value <= 1:
            raise fail(f"the share in {text!r}", "from 0 to 1", value)
        return cls(found[1], found[2] == "<=", value)

    def met(self, values: Any) -> Bools1d:
        """False where there is no figure."""
        values = np.asarray(values)
        good: Bools1d = values <= self.value if self.at_most else values >= self.value
        return good

    def __str__(self) -> str:
        return f"{self.figure} {'<=' if self.at_most else '>='} {self.value:g}"


@dataclass(frozen=True)
class Answer:
    """point: at the epsilon that meets the target. interval: 95 %, for other words drawn like the
    probed ones; None for "loss", which takes no sample. bounded: whether the target ends here; if
    not, all of the range meets it."""

    target: Target
    point: Point
    interval: tuple[float, float] | None
    bounded: bool

    @property
    def epsilon(self) -> float:
        """In the unit of the mechanism."""
        return self.point.epsilon


def solve(target: Target, curve: Curve, measure: Callable[[float], Point],
          probes: Probes) -> Answer | None:  # fmt: skip
    """The epsilon that meets a target, within the range of the curve; None where none does.

    Where the least epsilon meets it, that is the largest one up to which all do: the most useful.
    Where it does not, it is the least that does: the most private.
    """
    points = list(curve.points)
    met = [bool(target.met(point[target.figure])) for point in points]
    if not any(met):
        return None
    turn = met.index(not met[0]) if len(set(met)) > 1 else len(met)
    if turn == len(met):
        return Answer(target, points[-1], None, bounded=False)
    good, bad = (points[turn - 1], points[turn])[:: 1 if met[0] else -1]
    tries = 0
    while max(good.epsilon, bad.epsilon) > (1 + TOLERANCE) * min(good.epsilon, bad.epsilon):
        middle = measure(_between(target, good, bad, tries))
        tries += 1
        if middle.epsilon in (good.epsilon, bad.epsilon):
            break
        points.append(middle)
        good, bad = (middle, bad) if target.met(middle[target.figure]) else (good, middle)
    points.sort(key=lambda point: point.epsilon)
    return Answer(target, good, _interval(target, points, met[0], probes), bounded=True)


def _between(target: Target, good: Point, bad: Point, tries: int) -> float:
    """Where a line would cross the target, now a little on this side and then on that, so that both
    ends close in; every third time the middle, as no line may fit. Of five digits."""
    ends = np.log([good.epsilon, bad.epsilon])
    values = good[target.figure], bad[target.figure]
    share = 0.5 if tries % 3 == 2 else (target.value - values[0]) / (values[1] - values[0])
    aside = (0.4, -0.4, 0)[tries % 3] * TOLERANCE
    share = share if 0 <= share <= 1 else 0.5
    at = np.clip(ends[0] + share * (ends[1] - ends[0]) + aside, *_inner(ends))
    return float(f"{np.exp(at):.5g}")


def _inner(ends: Floats1d) -> tuple[float, float]:
    low, high = float(ends.min()), float(ends.max())
    return low + 0.02 * (high - low), high - 0.02 * (high - low)


def _interval(
    target: Target, points: list[Point], first: bool, probes: Probes
) -> tuple[float, float] | None:
    """Of the crossing, over samples of the words; held to the range."""
    if target.figure == "loss":
        return None
    values = np.stack([point.words[target.figure] for point in points], axis=1)
    logs = np.log([point.epsilon for point in points])
    crossings = [_crossing(target, logs, row, first) for row in probes.replicates() @ values]
    low, high = np.exp(np.percentile(crossings, [2.5, 97.5]))
    return float(low), float(high)


def _crossing(target: Target, logs: Floats1d, values: Floats1d, first: bool) -> float:
    """ln epsilon where the values leave the side that the whole sample begins on."""
    turned = np.flatnonzero(target.met(values) != first)
    if not len(turned):
        return float(logs[-1])
    j = int(turned[0])
    if j == 0:
        return float(logs[0])
    share = (target.value - values[j - 1]) / (values[j] - values[j - 1])
    return float(logs[j - 1] + share * (logs[j] - logs[j - 1]))
