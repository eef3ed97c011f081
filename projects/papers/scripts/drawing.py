"""Figures as papers print them: .svg for light and dark pages, and .pdf.

Units and symbols are typeset, percentiles are bands, and the legend stands beside the panels.
"""

import re

import numpy as np

EPSILON, LAMBDA, DELTA = r"$\varepsilon$", r"$\lambda$", r"$\delta$"
N_W, S_W = r"$N_w$", r"$S_w$"
NATS = f"{EPSILON} (nats)"
PER_UNIT = f"{EPSILON} (nats per unit of Euclidean distance)"
INK = "#1f2933"
# Okabe and Ito 2008: distinct for all readers, on white and on black.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#8c8c8c")
MARKS = "osD^vP*X"
STYLE = {
    "svg.fonttype": "path",
    "svg.hashsalt": "dx",
    "pdf.fonttype": 42,
    "font.size": 8,
    "mathtext.fontset": "dejavusans",
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "savefig.transparent": True,
    "lines.linewidth": 1.3,
    "lines.markersize": 3.5,
}
DARK = """<style>@media (prefers-color-scheme: dark) {{
 [style*="fill: {ink}"] {{ fill: #e4e7eb !important }}
 [style*="stroke: {ink}"] {{ stroke: #e4e7eb !important }}
}}</style>"""


def draw(stem, panels, paint, *, size=(2.8, 2.5), columns=None, legend=True):
    """Write stem.svg and stem.pdf: paint(axes, panel) for each panel, and one legend on the right.

    Nothing is written without matplotlib."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        return print("No figure: matplotlib is not installed.")
    columns = len(panels) if columns is None else columns
    lines = -(-len(panels) // columns)
    with matplotlib.rc_context(STYLE):
        width = size[0] * columns + (1.4 if legend else 0)
        drawing = Figure(figsize=(width, size[1] * lines), layout="constrained")
        cells = drawing.subplots(lines, columns, squeeze=False).ravel()
        for axes, panel in zip(cells, panels, strict=False):
            paint(axes, panel)
        for axes in cells[len(panels) :]:
            axes.set_visible(False)
        if legend:
            named = {}
            for axes in cells:
                for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
                    named.setdefault(label, handle)
            drawing.legend([*named.values()], [*named], loc="outside right center")
        drawing.savefig(f"{stem}.pdf", metadata={"CreationDate": None})
        drawing.savefig(f"{stem}.svg", metadata={"Date": None})
    with open(f"{stem}.svg", encoding="utf8") as file:
        text = file.read()
    text = re.sub(r"(<svg [^>]*>)", lambda tag: tag[1] + DARK.format(ink=INK), text, count=1)
    with open(f"{stem}.svg", "w", encoding="utf8") as file:
        file.write(text)
    print(f"Figure: {stem}.svg, {stem}.pdf")


def line(axes, i, x, y, label, *, low=None, high=None, **style):
    """Draw the i-th line, with a band from low to high if these are given."""
    style = {"color": COLOURS[i % len(COLOURS)], "marker": MARKS[i % len(MARKS)], **style}
    axes.plot(x, y, label=label, **style)
    if low is not None:
        axes.fill_between(x, low, high, color=style["color"], alpha=0.15, linewidth=0)


def ticks(axes, values):
    """Set the ticks of a logarithmic axis of epsilon to these values."""
    axes.set_xscale("log")
    axes.set_xticks(list(values), [f"{v:g}".removeprefix("0") or "0" for v in values])
    axes.minorticks_off()


def interval(values):
    """Return the mean of values, (k,), and half of its 95 % interval."""
    values = np.asarray(values, dtype=float)
    if len(values) < 2:
        return float(values.mean()), float("nan")
    return float(values.mean()), float(1.96 * values.std(ddof=1) / np.sqrt(len(values)))
