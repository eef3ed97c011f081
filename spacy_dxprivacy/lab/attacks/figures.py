"""Attack success rates, their confidence intervals, and a figure of them over epsilon."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from ...arrays import Floats1d, Ints1d
from ..audit.claims import lower, upper
from ..results import COLOURS, Result, plain_log

REPLICATES = 400
ALPHA = 0.05


@dataclass(frozen=True)
class AttackFigure:
    """One success rate. setting: what else was set ("" if nothing). measure: what `value` is; low,
    high: its 95 % interval. baseline: the same measure without the output. bound: the most that the
    guarantee allows; nan if unknown. n: number of tries. unchanged: the share of the words of the
    text that came out as themselves."""

    attack: str
    mechanism: str
    epsilon: float
    unchanged: float
    attacker: str
    setting: str
    measure: str
    value: float
    low: float
    high: float
    baseline: float
    bound: float
    n: int


Measured = tuple[float, float, float, int]  # value, low, high, of how many


def share(right: Any) -> Measured:
    """Return the share and Clopper and Pearson's interval of independent tries, (n,) of 0 to 1."""
    hits, n = float(np.sum(right)), len(right)
    half = ALPHA / 2
    return hits / n, float(lower(hits, n, half)), float(upper(hits, n, half)), n


def share_by_document(right: Any, doc_of: Ints1d) -> Measured:
    """Return the share of places in documents, with its interval by the bootstrap of whole
    documents (Efron 1979), or that of independent tries where it has no width."""
    n = len(right)
    _, at = np.unique(doc_of, return_inverse=True)
    hits, sizes = np.bincount(at, weights=right), np.bincount(at)
    low, high = bootstrap(len(hits), lambda times: float(times @ hits / (times @ sizes)))
    if low == high:
        return share(right)
    return float(hits.sum() / n), low, high, n


def bootstrap(units: int, figure: Callable[[Floats1d], float]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a figure of the weights of units, float64 (units,)."""
    generator = np.random.default_rng(0)
    times = generator.multinomial(units, np.full(units, 1 / units), REPLICATES).astype(np.float64)
    low, high = np.percentile([figure(row) for row in times], [50 * ALPHA, 100 - 50 * ALPHA])
    return float(low), float(high)


def result_of(figures: Sequence[AttackFigure]) -> Result:
    """Return a row for each figure of an attack, and a picture: a column of panels for each
    mechanism, a row for each measure."""
    mechanisms = list(dict.fromkeys(figure.mechanism for figure in figures))
    measures = list(dict.fromkeys(figure.measure for figure in figures))
    size = (2.4 + 2.6 * len(mechanisms), 1.0 + 2.4 * len(measures))
    draw = partial(_draw, figures=figures, mechanisms=mechanisms, measures=measures)
    return Result([asdict(figure) for figure in figures], draw, size, digits=4)


def _draw(
    figure: Any, *, figures: Sequence[AttackFigure], mechanisms: list[str], measures: list[str]
) -> None:
    shape = len(measures), len(mechanisms)
    panels = figure.subplots(*shape, squeeze=False, sharey="row")
    for row, measure in zip(panels, measures, strict=True):
        for axes, mechanism in zip(row, mechanisms, strict=True):
            some = [f for f in figures if (f.measure, f.mechanism) == (measure, mechanism)]
            _panel(axes, some)
        row[0].set_ylabel(textwrap.fill(measure, 26), fontsize=8)
        lines = max(row, key=lambda axes: len(axes.get_lines())).get_legend_handles_labels()
        place: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1.02, 0.5)}
        row[-1].legend(*lines, fontsize=7, frameon=False, **place)
    for axes, mechanism in zip(panels[0], mechanisms, strict=True):
        axes.set_title(mechanism, fontsize=9)
    for axes in panels[-1]:
        axes.set_xlabel("epsilon", fontsize=8)


def _panel(axes: Any, figures: Sequence[AttackFigure]) -> None:
    """Values with their 95 % intervals over epsilon, the bound of the guarantee where all have one,
    the baseline, and the share of unchanged words."""
    bounded = all(figure.bound == figure.bound for figure in figures)
    lines: dict[str, list[AttackFigure]] = {}
    for f in figures:
        lines.setdefault(", ".join(part for part in (f.attacker, f.setting) if part), []).append(f)
    for i, (name, points) in enumerate(lines.items()):
        colour, line = COLOURS[i % len(COLOURS)], sorted(points, key=lambda f: f.epsilon)
        x = [f.epsilon for f in line]
        axes.plot(x, [f.value for f in line], color=colour, label=name, linewidth=1.3, marker=".")
        spread = [f.low for f in line], [f.high for f in line]
        axes.fill_between(x, *spread, color=colour, alpha=0.15, linewidth=0)
        if bounded:
            label = None if i else "the promise allows"
            axes.plot(x, [f.bound for f in line], "-.", color=colour, linewidth=0.8, label=label)
    first = {f.epsilon: f for f in reversed(figures)}
    epsilons = sorted(first)
    for style, label, values in (
        ("--", "without the output", [first[e].baseline for e in epsilons]),
        (":", "words unchanged", [first[e].unchanged for e in epsilons]),
    ):
        axes.plot(epsilons, values, color="#777777", linestyle=style, linewidth=1, label=label)
    axes.set(ylim=(0, 1.02))
    plain_log(axes, epsilons)
    axes.tick_params(labelsize=7)
