"""A mechanism over epsilon."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...arrays import Floats1d, Floats2d
from ...ty import Mechanism
from ...validate import fail
from .bench import Bench, WordFigures
from .bounds import most_unchanged
from .losses import Losses

Make = Callable[[float], Mechanism]  # epsilon -> a mechanism fitted on the space

FIGURES = ("unchanged", "near", "farther", "distinct", "similarity", "guesser", "loss")
SHARES = ("unchanged", "near", "farther", "guesser")


@dataclass(frozen=True)
class Point:
    """One epsilon. words: the figures of each probed word. loss: see Losses. weights: (m,).
    at_most: the share unchanged that no mechanism of this promise passes; None without one. reads:
    nats a word over clear by a language model; None without one."""

    epsilon: float
    words: WordFigures
    loss: dict[str, float] | None
    weights: Floats1d = field(repr=False)
    at_most: float | None = None
    reads: float | None = None

    def __getitem__(self, name: str) -> float:
        """A figure by its name in FIGURES. "loss" is that between nearest words; nan if none."""
        if name == "loss":
            return self.loss["nearest"] if self.loss else np.nan
        return float(self.weights @ self.words[name])

    def interval(self, name: str, replicates: Floats2d) -> tuple[float, float]:
        """95 %: where the figure would be for other words drawn like these."""
        low, high = np.percentile(replicates @ self.words[name], [2.5, 97.5])
        return float(low), float(high)


@dataclass(frozen=True)
class Curve:
    """A mechanism over epsilon. mechanism: at the last epsilon. points: by rising epsilon."""

    mechanism: Mechanism
    points: list[Point]

    @property
    def exact(self) -> bool:
        """Whether all figures are computed, and none simulated."""
        return all(point.words.exact for point in self.points)


class Tuner:
    """Measures one mechanism at any epsilon, each once.

    make: epsilon -> the mechanism, fitted; it may raise DxError where there is none. mechanism: the
    last one that was made. read: how what it draws reads, see judging.Reading.
    """

    mechanism: Mechanism

    def __init__(
        self,
        make: Make,
        bench: Bench,
        losses: Losses,
        read: Callable[[Mechanism], float | None] | None = None,
    ) -> None:
        self.make, self.bench, self.losses, self.read = make, bench, losses, read
        self._points: dict[float, Point] = {}

    def __call__(self, epsilon: float) -> Point:
        if epsilon not in self._points:
            self.mechanism = self.make(epsilon)
            words, loss = self.bench.measure(self.mechanism), self.losses(self.mechanism)
            weights = self.bench.probes.weights
            at_most = most_unchanged(self.mechanism, self.bench.probes)
            reads = None if self.read is None else self.read(self.mechanism)
            self._points[epsilon] = Point(epsilon, words, loss, weights, at_most, reads)
        return self._points[epsilon]

    def curve(self, epsilons: Sequence[float]) -> Curve:
        """Raises DxError where there is no mechanism for one of them, or none is given."""
        if not len(epsilons):
            raise fail("epsilons", "one or more", "none")
        points = [self(float(epsilon)) for epsilon in sorted(set(epsilons))]
        return Curve(self.mechanism, points)
