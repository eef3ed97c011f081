"""Pictures of what attacks find. They need matplotlib: pip install "spacy-dxprivacy[plots]"."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Sequence
from typing import Any

from .findings import AttackFigure
from .frontier import Point

# Paul Tol's muted scheme: told apart by all kinds of sight.
COLORS = ("#332288", "#cc6677", "#117733", "#ddcc77", "#88ccee", "#882255", "#44aa99", "#aa4499")
FRONTIER = {
    "kept": "words unchanged",
    "rare_found": "rare words found",
    "cosine": "cosine of output to input",
    "nats": "nats a word over the clear text",
}


def plot_findings(findings: Sequence[AttackFigure]) -> bytes:
    """An svg of one attack: a column of panels for each mechanism, a row for each measure; values
    with their 95 % intervals over epsilon, the bound of the promise where all have one, the
    baseline, and the share of unchanged words."""
    import matplotlib
    from matplotlib.figure import Figure

    mechanisms = list(dict.fromkeys(found.mechanism for found in findings))
    measures = list(dict.fromkeys(found.measure for found in findings))
    # Text stays text in svg, and the file is the same each time.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "dx"}):
        size = (2.4 + 2.6 * len(mechanisms), 1.0 + 2.4 * len(measures))
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(len(measures), len(mechanisms), squeeze=False, sharey="row")
        for row, measure in zip(panels, measures, strict=True):
            for axes, mechanism in zip(row, mechanisms, strict=True):
                some = [f for f in findings if (f.measure, f.mechanism) == (measure, mechanism)]
                _panel(axes, some)
            row[0].set_ylabel(textwrap.fill(measure, 26), fontsize=8)
            fullest = max(row, key=lambda axes: len(axes.get_lines()))
            row[-1].legend(
                *fullest.get_legend_handles_labels(),
                loc="center left",
                bbox_to_anchor=(1.02, 0.5),
                fontsize=7,
                frameon=False,
            )
        for axes, mechanism in zip(panels[0], mechanisms, strict=True):
            axes.set_title(mechanism, fontsize=9)
        for axes in panels[-1]:
            axes.set_xlabel("epsilon", fontsize=8)
        file = io.BytesIO()
        figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()


def _panel(axes: Any, findings: list[AttackFigure]) -> None:
    from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter

    epsilons = sorted({found.epsilon for found in findings})
    for color, label in zip(_repeated(COLORS), _labels(findings), strict=False):
        line = sorted((f for f in findings if _label(f) == label), key=lambda f: f.epsilon)
        x = [f.epsilon for f in line]
        axes.plot(x, [f.value for f in line], color=color, label=label, linewidth=1.3, marker=".")
        spread = [f.low for f in line], [f.high for f in line]
        axes.fill_between(x, *spread, color=color, alpha=0.15, linewidth=0)
    if all(found.bound == found.bound for found in findings):
        for color, label in zip(_repeated(COLORS), _labels(findings), strict=False):
            line = sorted((f for f in findings if _label(f) == label), key=lambda f: f.epsilon)
            x, bounds = [f.epsilon for f in line], [f.bound for f in line]
            told = "the promise allows" if label == _label(findings[0]) else None
            axes.plot(x, bounds, color=color, linestyle="-.", linewidth=0.8, label=told)
    first = {f.epsilon: f for f in reversed(findings)}
    for style, label, values in (
        ("--", "without the output", [first[e].baseline for e in epsilons]),
        (":", "words unchanged", [first[e].unchanged for e in epsilons]),
    ):
        axes.plot(epsilons, values, color="#777777", linestyle=style, linewidth=1, label=label)
    axes.set(xscale="log", ylim=(0, 1.02))
    axes.xaxis.set_major_locator(FixedLocator(epsilons))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:.3g}"))
    axes.tick_params(labelsize=7)


def _label(found: AttackFigure) -> str:
    return ", ".join(part for part in (found.attacker, found.setting) if part)


def _labels(findings: list[AttackFigure]) -> list[str]:
    return list(dict.fromkeys(_label(found) for found in findings))


def _repeated(colors: Sequence[str]) -> Any:
    while True:
        yield from colors


def plot_frontier(points: Sequence[Point]) -> bytes:
    """An svg: what stays of a text over what the attacker finds, a line for each mechanism."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "dx"}):
        figure = Figure(figsize=(9.5, 6.0), layout="constrained")
        for axes, (name, title) in zip(figure.subplots(2, 2).flat, FRONTIER.items(), strict=True):
            _frontier_panel(axes, points, name)
            axes.set_title(title, fontsize=9)
            axes.set_xlabel("words found by the attacker", fontsize=8)
            axes.tick_params(labelsize=7)
        handles = figure.axes[0].get_legend_handles_labels()
        figure.legend(*handles, loc="outside lower center", ncols=2, fontsize=7, frameon=False)
        file = io.BytesIO()
        figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()


def _frontier_panel(axes: Any, points: Sequence[Point], name: str) -> None:
    labels = dict.fromkeys(point.mechanism for point in points)
    for color, label in zip(_repeated(COLORS), labels, strict=False):
        own = sorted((p for p in points if p.mechanism == label), key=lambda p: p.found)
        x, y = [p.found for p in own], [getattr(p, name) for p in own]
        axes.plot(x, y, color=color, label=label, linewidth=1.3, marker=".")
    if name == "kept":
        # Whoever guesses that nothing was changed finds what was kept.
        ends = [min(p.found for p in points), max(p.found for p in points)]
        axes.plot(ends, ends, ":", color="black", label="no mechanism keeps more", linewidth=1)
