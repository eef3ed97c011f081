"""Pictures of what epsilon does. They need matplotlib: pip install "spacy-dxprivacy[plots]"."""

from __future__ import annotations

import io
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ...errors import DxError, Errors
from ...validate import one_of
from . import Answer, Curve

FORMATS = ("svg", "png", "pdf")
# Blue, grey-green and sand of Paul Tol's light scheme: told apart by all kinds of sight.
UNCHANGED, NEAR, FARTHER = "#77aadd", "#bbcc33", "#eedd88"
GUESSER, LOSS, TARGET = "#333333", "#882255", "#cc3311"


def check_plot(path: Path) -> None:
    """Raises DxError where there is no matplotlib, or the ending is none of FORMATS."""
    one_of("the ending of `plot`", path.suffix[1:].lower(), FORMATS)
    if find_spec("matplotlib") is None:
        raise DxError(Errors.DX084)


def plot_curves(curves: Sequence[Curve], answers: Sequence[Answer | None], kind: str) -> bytes:
    """A file of one of FORMATS: for each mechanism what becomes of words, as areas over epsilon,
    the best guesser as a dashed line, what no mechanism of this promise passes as a dotted one, and
    the loss between nearest words on an axis of its own."""
    import matplotlib
    from matplotlib.figure import Figure

    # Text stays text in svg, and the file is the same each time.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "dx"}):
        figure = Figure(figsize=(7.6, 0.6 + 3.6 * len(curves)), layout="constrained")
        panels = figure.subplots(len(curves), squeeze=False)[:, 0]
        for panel, curve, answer in zip(panels, curves, answers, strict=True):
            _panel(panel, curve, answer)
        file = io.BytesIO()
        metadata = {"Date": None} if kind == "svg" else None
        figure.savefig(file, format=kind, dpi=150, metadata=metadata)
    return file.getvalue()


def _panel(axes: Any, curve: Curve, answer: Answer | None) -> None:
    epsilons = [point.epsilon for point in curve.points]
    shares = [[100 * point[name] for point in curve.points]
              for name in ("unchanged", "near", "farther", "guesser")]  # fmt: skip
    labels = ("unchanged", "near words", "farther words")
    axes.stackplot(epsilons, *shares[:3], labels=labels, colors=(UNCHANGED, NEAR, FARTHER))
    axes.plot(epsilons, shares[3], color=GUESSER, linestyle="--", linewidth=1, label="best guesser")
    limits = [(p.epsilon, 100 * p.at_most) for p in curve.points if p.at_most is not None]
    if limits:
        label = "no mechanism keeps more,\nno guesser finds more"
        axes.plot(*zip(*limits, strict=True), color=GUESSER, linestyle=":", label=label)
    axes.set(xscale="log", xlim=_limits(epsilons), ylim=(0, 100), title=curve.mechanism.name)
    axes.set(xlabel=_unit(curve), ylabel="of words, %")
    _plain_numbers(axes, epsilons)
    lines = axes.get_legend_handles_labels()
    if any(point.loss for point in curve.points):
        lines = _with_loss(axes.twinx(), curve, lines)
    if answer is not None:
        label = f"{answer.target}:\nepsilon = {answer.epsilon:.4g}"
        line = axes.axvline(answer.epsilon, color=TARGET, linewidth=1.2)
        lines = [*lines[0], line], [*lines[1], label]
        if answer.interval is not None:
            axes.axvspan(*answer.interval, color=TARGET, alpha=0.15, linewidth=0)
    axes.legend(*lines, loc="center left", bbox_to_anchor=(1.16, 0.5), fontsize=8, frameon=False)


def _with_loss(axes: Any, curve: Curve, lines: Any) -> Any:
    epsilons = [point.epsilon for point in curve.points]
    losses = [point["loss"] for point in curve.points]
    axes.plot(epsilons, losses, color=LOSS, linewidth=1.5, label="loss")
    axes.set(ylim=(0, None))
    axes.set_ylabel("loss to the nearest word, nats", color=LOSS)
    handles, labels = axes.get_legend_handles_labels()
    return lines[0] + handles, lines[1] + labels


def _limits(epsilons: list[float]) -> tuple[float, float]:
    low, high = epsilons[0], epsilons[-1]
    return (low, high) if low < high else (low / 1.1, high * 1.1)


def _unit(curve: Curve) -> str:
    guarantee = curve.mechanism.guarantee
    return f"epsilon, {guarantee.unit}" if guarantee.kind == "metric-dp" else "epsilon"


def _plain_numbers(axes: Any, epsilons: list[float]) -> None:
    """The epsilons themselves as ticks: a log axis over less than a decade has hardly any."""
    from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter

    every = max(1, len(epsilons) // 6)
    axes.xaxis.set_major_locator(FixedLocator(epsilons[::every]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:.3g}"))
