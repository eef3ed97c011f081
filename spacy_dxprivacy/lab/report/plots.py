"""Plots as SVG for a page: drawn by matplotlib, with no window, date or reference outwards."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np

from ...arrays import Floats1d
from .extra import need

COLOUR = "#2f6f8f"


def by_document(shares: Floats1d, name: str = "documents") -> str:
    """How many documents keep which share of their words. shares: float64 (documents,)."""
    figure, axes = _figure(3.0)
    shares = shares[~np.isnan(shares)]
    axes.hist(shares, bins=np.linspace(0, 1, 21), color=COLOUR, edgecolor="white")
    if len(shares):
        axes.axvline(float(np.mean(shares)), color="#b03a2e", linestyle="--", linewidth=1.5)
    axes.set(xlim=(0, 1), xlabel="share of words that are as they were", ylabel="documents")
    return _svg(figure, name)


def by_part(parts: dict[str, tuple[int, int]], name: str = "parts") -> str:
    """The share of words kept, by kind of word: a bar each, with the number of words."""
    figure, axes = _figure(0.9 + 0.4 * len(parts))
    names = list(reversed(parts))
    shares = [parts[n][0] / parts[n][1] for n in names]
    bars = axes.barh(names, shares, color=COLOUR)
    texts = [f"{share:.0%} of {parts[n][1]:,}" for share, n in zip(shares, names, strict=True)]
    axes.bar_label(bars, texts, padding=4, fontsize=9)
    axes.set(xlim=(0, 1.25), xlabel="share of words that are as they were")
    axes.set_xticks(np.linspace(0, 1, 6))
    return _svg(figure, name)


def _figure(height: float) -> tuple[Any, Any]:
    # Not pyplot: it would open a window where there is a screen, and keep every figure.
    need("matplotlib")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, height), layout="constrained")
    axes = figure.subplots()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure, axes


def _svg(figure: Any, name: str) -> str:
    """The <svg> element. Its ids begin with the name: several plots share a page."""
    from matplotlib import rc_context

    buffer = io.StringIO()
    nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": name, "font.family": "sans-serif"}):
        figure.savefig(buffer, format="svg", metadata=nothing)
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    return re.sub(r'(url\(|href=")#', rf"\1#{name}-", svg)
