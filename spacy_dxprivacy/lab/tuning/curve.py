"""A mechanism over epsilon: what becomes of words, and what is promised between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...arrays import Floats1d, Floats2d, blocks
from ...errors import DxError
from ...privacy.bounds import most_kept
from ...privacy.levels import scale_of
from ...ty import HasMetric, Mechanism
from ...validate import fail
from .bench import Bench, Probes, WordFigures

Make = Callable[[float], Mechanism]  # epsilon -> a mechanism fitted on the space

AT_ONCE = 64
FIGURES = ("unchanged", "near", "farther", "distinct", "similarity", "guesser", "loss")
SHARES = ("unchanged", "near", "farther", "guesser")
LOSSES = ("nearest", "median", "diameter")


@dataclass(frozen=True)
class Point:
    """One epsilon. words: the figures of each probed word. loss: see Losses. weights: (m,).
    at_most: the share unchanged that no mechanism of this promise passes; None without one. reads:
    excess nats a word by a language model; None without one."""

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
    last one that was made. read: how what it draws reads, see inspected.Reading.
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
            self.mechanism = made = self.make(epsilon)
            self._points[epsilon] = Point(
                epsilon,
                self.bench.measure(made),
                self.losses(made),
                self.bench.probes.weights,
                most_unchanged(made, self.bench.probes),
                None if self.read is None else self.read(made),
            )
        return self._points[epsilon]

    def curve(self, epsilons: Sequence[float]) -> Curve:
        """Raises DxError where there is no mechanism for one of them, or none is given."""
        if not len(epsilons):
            raise fail("epsilons", "one or more", "none")
        points = [self(float(epsilon)) for epsilon in sorted(set(epsilons))]
        return Curve(self.mechanism, points)


def most_unchanged(mechanism: Mechanism, probes: Probes) -> float | None:
    """The share of probed words that stays, and that is guessed right, at most: with any mechanism
    that keeps what the guarantee of this one promises. None where it promises nothing, or nothing
    in a metric of the space."""
    guarantee = mechanism.guarantee
    metric = guarantee.holds and guarantee.kind == "metric-dp"
    if not (metric and guarantee.covers in ("all", "finite") and isinstance(mechanism, HasMetric)):
        return None
    rows = probes.rows
    try:
        parts = [mechanism.distances(rows[b])[:, rows] for b in blocks(len(rows), AT_ONCE)]
    except DxError:
        return None
    return most_kept(np.concatenate(parts), probes.weights, guarantee.epsilon)


class Losses:
    """The loss in nats between two words: a word and its nearest one ("nearest"), two at random
    ("median"), any two ("diameter"). n: words of the space."""

    def __init__(self, n: int) -> None:
        self.n = n
        self._known: dict[str, tuple[Floats2d, dict[str, float] | None]] = {}

    def __call__(self, mechanism: Mechanism) -> dict[str, float] | None:
        """None where there is no guarantee, or none in a metric that covers all words."""
        guarantee = mechanism.guarantee
        if not guarantee.holds:
            return None
        if guarantee.kind == "approx-dp":
            covers_all = guarantee.covers == "all"
            return dict.fromkeys(LOSSES, guarantee.epsilon) if covers_all else None
        distances = self._distances(mechanism)
        return distances and {name: guarantee.epsilon * d for name, d in distances.items()}

    def _distances(self, mechanism: Mechanism) -> dict[str, float] | None:
        """As scale_of does it: once for all epsilons, unless the distances change with them."""
        if not isinstance(mechanism, HasMetric):
            return None
        row = mechanism.distances(np.zeros(1, dtype=np.int64))
        known = self._known.get(mechanism.name)
        if known is None or not np.allclose(known[0], row, rtol=1e-9):
            scale = scale_of(mechanism, self.n)
            apart = {name: scale[name]["distance"] for name in LOSSES} if scale else None
            known = self._known[mechanism.name] = row, apart
        return known[1]
