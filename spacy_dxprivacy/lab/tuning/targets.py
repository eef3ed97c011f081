"""Measure a mechanism over epsilon, and find the epsilon that meets a target, for `dx tune`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ...about import __version__
from ...arrays import Bools1d, Floats1d, Floats2d, blocks
from ...errors import DxError
from ...privacy.levels import scale_of
from ...space import Space
from ...ty import HasMetric, Mechanism
from ...validate import fail
from ..bounds import bound_unchanged
from ..mechanisms import make_mechanism, short
from ..results import Progress, Result, as_figure, counted, no_progress, plain_log
from .bench import SEARCH_WORDS, Bench, Probes, WordFigures, epsilon_range_on, evenly, sampled

Make = Callable[[float], Mechanism]  # epsilon -> a mechanism fitted on the space

FIGURES = ("unchanged", "near", "farther", "distinct", "similarity", "guesser", "loss")
SHARES = ("unchanged", "near", "farther", "guesser")
LOSSES = ("nearest", "median", "diameter")
STEPS = 12
TOLERANCE = 0.0005  # relative, of an epsilon that is searched for
# Blue, grey-green and sand of Paul Tol's light scheme.
UNCHANGED, NEAR, FARTHER = "#77aadd", "#bbcc33", "#eedd88"
GUESSER, LOSS, TARGET = "#333333", "#882255", "#cc3311"
_TARGET = re.compile(r"\s*([a-z]+)\s*(<=|>=)\s*([0-9]*\.?[0-9]+(?:e-?[0-9]+)?)\s*(%?)\s*")


@dataclass(frozen=True)
class Point:
    """Figures at one epsilon. words: of each probed word. loss: see Losses. weights: (m,).
    at_most: upper bound of the unchanged share under this guarantee; None without one."""

    epsilon: float
    words: WordFigures
    loss: dict[str, float] | None
    weights: Floats1d = field(repr=False)
    at_most: float | None = None

    def __getitem__(self, name: str) -> float:
        """Return a figure by its name in FIGURES; "loss" is that of nearest words, nan if none."""
        if name == "loss":
            return self.loss["nearest"] if self.loss else np.nan
        return float(self.weights @ self.words[name])

    def interval(self, name: str, replicates: Floats2d) -> tuple[float, float]:
        """Return the 95 % bootstrap interval of a figure over the probed words."""
        low, high = np.percentile(replicates @ self.words[name], [2.5, 97.5])
        return float(low), float(high)


@dataclass(frozen=True)
class Curve:
    """A mechanism, at the last epsilon, and its points by rising epsilon."""

    mechanism: Mechanism
    points: list[Point]

    @property
    def exact(self) -> bool:
        """Whether no figure is simulated."""
        return all(point.words.exact for point in self.points)


class Tuner:
    """Measures a mechanism at any epsilon, once each; `mechanism` is the last one that was made."""

    mechanism: Mechanism

    def __init__(self, make: Make, bench: Bench, losses: Losses) -> None:
        self.make, self.bench, self.losses = make, bench, losses
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
            )
        return self._points[epsilon]

    def curve(self, epsilons: Sequence[float]) -> Curve:
        """Return the curve at some epsilons; raise DxError where `make` does, or for none."""
        if not len(epsilons):
            raise fail("epsilons", "one or more", "none")
        points = [self(float(epsilon)) for epsilon in sorted(set(epsilons))]
        return Curve(self.mechanism, points)


def most_unchanged(mechanism: Mechanism, probes: Probes) -> float | None:
    """Return the largest share unchanged, and guessed right, under this mechanism's guarantee.

    None where nothing is guaranteed, or nothing in a metric of the space.
    """
    guarantee = mechanism.guarantee
    metric = guarantee.holds and guarantee.kind == "metric-dp"
    if not (metric and guarantee.covers in ("all", "finite") and isinstance(mechanism, HasMetric)):
        return None
    rows = probes.rows
    try:
        parts = [mechanism.distances(rows[b])[:, rows] for b in blocks(len(rows), 64)]
    except DxError:
        return None
    return bound_unchanged(np.concatenate(parts), probes.weights, guarantee.epsilon)


class Losses:
    """Privacy losses in a space of n words, nats: between a word and its nearest one ("nearest"),
    two at random ("median") and any two ("diameter")."""

    def __init__(self, n: int) -> None:
        self.n = n
        self._known: dict[str, tuple[Floats2d, dict[str, float] | None]] = {}

    def __call__(self, mechanism: Mechanism) -> dict[str, float] | None:
        """Return the losses; None without a guarantee in a metric that covers all words."""
        guarantee = mechanism.guarantee
        if not guarantee.holds:
            return None
        if guarantee.kind == "approx-dp":
            covers_all = guarantee.covers == "all"
            return dict.fromkeys(LOSSES, guarantee.epsilon) if covers_all else None
        distances = self._distances(mechanism)
        return distances and {name: guarantee.epsilon * d for name, d in distances.items()}

    def _distances(self, mechanism: Mechanism) -> dict[str, float] | None:
        """Measure distances once for all epsilons, unless they change with epsilon."""
        if not isinstance(mechanism, HasMetric):
            return None
        row = mechanism.distances(np.zeros(1, dtype=np.int64))
        known = self._known.get(mechanism.name)
        if known is None or not np.allclose(known[0], row, rtol=1e-9):
            scale = scale_of(mechanism, self.n)
            apart = {name: scale[name]["distance"] for name in LOSSES} if scale else None
            known = self._known[mechanism.name] = row, apart
        return known[1]


@dataclass(frozen=True)
class Target:
    """A bound on one of FIGURES: "<=" if at_most, else ">="."""

    figure: str
    at_most: bool
    value: float

    @classmethod
    def parse(cls, text: str) -> Target:
        """Parse "unchanged <= 0.3"; raise DxError for anything else."""
        found = _TARGET.fullmatch(text)
        if not found or found[1] not in FIGURES:
            expected = f"FIGURE <= NUMBER or FIGURE >= NUMBER, FIGURE one of {', '.join(FIGURES)}"
            raise fail("a target", expected, text)
        value = float(found[3]) / (100 if found[4] else 1)
        if found[1] in SHARES and not 0 <= value <= 1:
            raise fail(f"the share in {text!r}", "from 0 to 1", value)
        return cls(found[1], found[2] == "<=", value)

    def met(self, values: Any) -> Bools1d:
        """Return whether values meet the target; nan does not."""
        values = np.asarray(values)
        return np.asarray(values <= self.value if self.at_most else values >= self.value)

    def __str__(self) -> str:
        return f"{self.figure} {'<=' if self.at_most else '>='} {self.value:g}"


@dataclass(frozen=True)
class Answer:
    """The epsilon that meets a target. interval: 95 %, over samples of the probed words; None for
    "loss", which takes no sample. bounded: False where all of the range meets the target."""

    target: Target
    point: Point
    interval: tuple[float, float] | None
    bounded: bool

    @property
    def epsilon(self) -> float:
        """Epsilon, in the unit of the mechanism."""
        return self.point.epsilon


Tuned = tuple[Curve, Answer | None]


@dataclass(frozen=True)
class Study:
    """Settings of `dx tune`. epsilons: None for STEPS of them in a range that is found."""

    space: Space
    bench: Bench
    epsilons: Sequence[float] | None = None
    target: Target | None = None
    progress: Progress = no_progress

    def tune(self, name: str) -> Tuned:
        """Return the curve of a registered mechanism, and the epsilon for the target, if any."""
        make, probes = partial(make_mechanism, name, self.space), self.bench.probes
        tuner = Tuner(make, self.bench, Losses(len(self.space)))
        epsilons = self.epsilons
        if epsilons is None:  # by fewer words: the ends of a range need not be exact
            few = sampled(probes.rows, probes.counts, min(SEARCH_WORDS, probes.size))
            look = counted(make, f"{short(name)}: looking for a range", self.progress)
            epsilons = evenly(*epsilon_range_on(self.space.vectors, few, look), STEPS)
        for epsilon in self.progress(epsilons, f"{short(name)}: measuring"):
            tuner(epsilon)
        curve = tuner.curve(epsilons)
        if self.target is None:
            return curve, None
        look_for = counted(tuner, f"{short(name)}: looking for the target", self.progress)
        return curve, solve(self.target, curve, look_for, probes)

    def to_dict(self, about: dict[str, Any], results: Sequence[Tuned]) -> dict[str, Any]:
        """Return plain values for JSON, without any word of a text; about: of probed_words."""
        probes = self.bench.probes
        replicates = probes.replicates()
        names = [name for name in FIGURES if name != "loss"]
        return {
            "spacy_dxprivacy": __version__,
            "space": f"{self.space.name} ({self.space.digest})",
            "probed": {**about, "different": len(probes.rows)},
            "k": self.bench.k,
            "draws": self.bench.draws,
            "guesser_without_output": float(probes.weights.max()),
            "mechanisms": [
                {
                    "mechanism": curve.mechanism.name,
                    "exact": curve.exact,
                    "kind": curve.mechanism.guarantee.kind,
                    "metric": curve.mechanism.guarantee.metric,
                    "status": curve.mechanism.guarantee.status,
                    "points": [
                        {
                            "epsilon": point.epsilon,
                            **{name: point[name] for name in names},
                            "interval": {name: point.interval(name, replicates) for name in names},
                            "loss": point.loss,
                            "unchanged_at_most": point.at_most,
                        }
                        for point in curve.points
                    ],
                    **({} if self.target is None else {"target": _answer(self.target, answer)}),
                }
                for curve, answer in results
            ],
        }


def _answer(target: Target, answer: Answer | None) -> dict[str, Any]:
    if answer is None:
        return {"target": str(target), "epsilon": None}
    return {
        "target": str(target),
        "epsilon": answer.epsilon,
        "interval": answer.interval,
        "bounded": answer.bounded,
        target.figure: answer.point[target.figure],
    }


# -- the epsilon that meets a target -------------------------------------------------------------


def solve(target: Target, curve: Curve, measure: Callable[[float], Point],
          probes: Probes) -> Answer | None:  # fmt: skip
    """Return the epsilon that meets a target within the range of the curve, or None.

    Where the least epsilon meets it, this is the largest up to which all do, the most useful one;
    else it is the least that does, the most private one.
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
    """Return the epsilon to try next, of five digits.

    It is where a line crosses the target, in turn a little to either side, so that both ends close
    in; every third time it is the middle, as no line may fit.
    """
    ends = np.log([good.epsilon, bad.epsilon])
    values = good[target.figure], bad[target.figure]
    share = 0.5 if tries % 3 == 2 else (target.value - values[0]) / (values[1] - values[0])
    aside = (0.4, -0.4, 0)[tries % 3] * TOLERANCE
    share = share if 0 <= share <= 1 else 0.5
    low, high = float(ends.min()), float(ends.max())
    inner = low + 0.02 * (high - low), high - 0.02 * (high - low)
    at = np.clip(ends[0] + share * (ends[1] - ends[0]) + aside, *inner)
    return float(f"{np.exp(at):.5g}")


def _interval(
    target: Target, points: list[Point], first: bool, probes: Probes
) -> tuple[float, float] | None:
    """Return the 95 % interval of the crossing over samples of the words, within the range.

    In each sample it is where the figure leaves the side that the whole sample begins on.
    """
    if target.figure == "loss":
        return None
    figures = np.stack([point.words[target.figure] for point in points], axis=1)
    logs = np.log([point.epsilon for point in points])
    crossings = []
    for values in probes.replicates() @ figures:
        turned = np.flatnonzero(target.met(values) != first)
        j = int(turned[0]) if len(turned) else len(logs) - 1
        crossing = logs[j]
        if len(turned) and j > 0:
            share = (target.value - values[j - 1]) / (values[j] - values[j - 1])
            crossing = logs[j - 1] + share * (logs[j] - logs[j - 1])
        crossings.append(crossing)
    low, high = np.exp(np.percentile(crossings, [2.5, 97.5]))
    return float(low), float(high)


# -- the figure ----------------------------------------------------------------------------------


def plot_curves(tuned: Sequence[Tuned], kind: str) -> bytes:
    """Draw a panel for each mechanism: shares as areas, the best guesser dashed, the upper bound
    under the guarantee dotted, and the loss between nearest words on an axis of its own."""

    def draw(figure: Any) -> None:
        panels = figure.subplots(len(tuned), squeeze=False)[:, 0]
        for axes, (curve, answer) in zip(panels, tuned, strict=True):
            _draw_curve(axes, curve, answer)

    return as_figure(Result([], draw, (7.6, 0.6 + 3.6 * len(tuned))), kind)


def _draw_curve(axes: Any, curve: Curve, answer: Answer | None) -> None:
    points, guarantee = curve.points, curve.mechanism.guarantee
    epsilons = [point.epsilon for point in points]
    shares = [[100 * p[name] for p in points] for name in SHARES]
    labels = ("unchanged", "near words", "farther words")
    axes.stackplot(epsilons, *shares[:3], labels=labels, colors=(UNCHANGED, NEAR, FARTHER))
    axes.plot(epsilons, shares[3], color=GUESSER, linestyle="--", linewidth=1, label="best guesser")
    limits = [(p.epsilon, 100 * p.at_most) for p in points if p.at_most is not None]
    if limits:
        label = "no mechanism keeps more,\nno guesser finds more"
        axes.plot(*zip(*limits, strict=True), color=GUESSER, linestyle=":", label=label)
    low, high = epsilons[0], epsilons[-1]
    limits_x = (low, high) if low < high else (low / 1.1, high * 1.1)
    unit = f"epsilon, {guarantee.unit}" if guarantee.kind == "metric-dp" else "epsilon"
    axes.set(xlim=limits_x, ylim=(0, 100), title=curve.mechanism.name)
    axes.set(xlabel=unit, ylabel="of words, %")
    plain_log(axes, epsilons[:: max(1, len(epsilons) // 6)])
    handles, names = axes.get_legend_handles_labels()
    if any(point.loss for point in points):
        other = axes.twinx()
        losses = [point["loss"] for point in points]
        handles += other.plot(epsilons, losses, color=LOSS, linewidth=1.5)
        names.append("loss")
        other.set(ylim=(0, None))
        other.set_ylabel("loss to the nearest word, nats", color=LOSS)
    if answer is not None:
        handles.append(axes.axvline(answer.epsilon, color=TARGET, linewidth=1.2))
        names.append(f"{answer.target}:\nepsilon = {answer.epsilon:.4g}")
        if answer.interval is not None:
            axes.axvspan(*answer.interval, color=TARGET, alpha=0.15, linewidth=0)
    place: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1.16, 0.5)}
    axes.legend(handles, names, fontsize=8, frameon=False, **place)
