"""What figures share: symbols, lines with bands of percentiles, axes of epsilon, intervals."""

import numpy as np
from common import COLOURS

EPSILON, LAMBDA, DELTA = r"$\varepsilon$", r"$\lambda$", r"$\delta$"
N_W, S_W = r"$N_w$", r"$S_w$"
NATS = f"{EPSILON} (nats)"
PER_UNIT = f"{EPSILON} (nats per unit of Euclidean distance)"
MARKS = "osD^vP*X"
INK = "#444444"


def line(axes, i, x, y, label, *, low=None, high=None, **style):
    """Draw the i-th line, with a band from low to high if these are given."""
    style = {"color": COLOURS[i % len(COLOURS)], "marker": MARKS[i % len(MARKS)], **style}
    axes.plot(x, y, label=label, **style)
    if low is not None:
        axes.fill_between(x, low, high, color=style["color"], alpha=0.06, linewidth=0)
        for edge in (low, high):
            axes.plot(x, edge, color=style["color"], lw=0.7, ls=":", label="_")


def level(axes, height, label, dashes=":"):
    """Draw a level across the panel."""
    axes.plot(axes.get_xlim(), [height] * 2, color=INK, lw=0.8, ls=dashes, label=label)


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
