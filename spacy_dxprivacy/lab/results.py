"""Results of evaluations: rows, a figure and notes, and how they are written."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from wasabi import table

from ..arrays import Floats1d
from ..errors import UsageError
from ..io.files.atomic import check_new, write_bytes
from ..validate import needs

# Paul Tol's bright scheme: its colours differ for all kinds of sight.
COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#888888", "#222222")
STYLES = ("o-", "s--", "^:")
NAN = float("nan")
REPLICATES, ALPHA = 400, 0.05

Row = dict[str, Any]
Progress = Callable[[Iterable[Any], str], Iterable[Any]]  # wraps the steps of what takes long


def no_progress(steps: Iterable[Any], label: str) -> Iterable[Any]:
    """Return the steps, without a progress bar."""
    return steps


def bootstrap(units: int, figure: Callable[[Floats1d], float]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a figure of the weights of units, float64 (units,)."""
    generator = np.random.default_rng(0)
    times = generator.multinomial(units, np.full(units, 1 / units), REPLICATES).astype(np.float64)
    low, high = np.percentile([figure(row) for row in times], [50 * ALPHA, 100 - 50 * ALPHA])
    return float(low), float(high)


def interpolated(rows: Iterable[Row], column: str, at: float) -> list[Row]:
    """Return for each mechanism the row with this value of a column, interpolated linearly; none
    where it is not measured on both sides."""
    met = []
    by_mechanism: dict[str, list[Row]] = {}
    for row in rows:
        by_mechanism.setdefault(row["mechanism"], []).append(row)
    for points in by_mechanism.values():
        for a, b in pairwise(sorted(points, key=lambda row: float(row[column]))):
            if a[column] <= at <= b[column] and a[column] < b[column]:
                part = (at - a[column]) / (b[column] - a[column])
                numbers = {name: value for name, value in a.items() if isinstance(value, float)}
                met.append(a | {k: (1 - part) * v + part * b[k] for k, v in numbers.items()})
                break
    return met


@dataclass(frozen=True)
class Panel:
    """A part of a figure: lines through the columns xy of rows, one for each value of the column
    `by`. label: of the x axis. log: whether that is logarithmic."""

    title: str
    rows: Sequence[Row]
    xy: tuple[str, str]
    by: str
    label: str = ""
    log: bool = False


@dataclass(frozen=True)
class ResultTable:
    """Rows with the same columns. panels: of the figure, if any. digits: of numbers in CSV."""

    rows: list[Row]
    panels: Sequence[Panel] = ()
    digits: int = 6

    def write(self, out: Path, name: str, *, force: bool = False) -> None:
        """Write NAME.csv, and the figure NAME.svg beside it."""
        file = io.StringIO()
        writer = csv.DictWriter(file, list(self.rows[0]), lineterminator="\n")
        writer.writeheader()
        for row in self.rows:
            writer.writerow({name: plain(value, self.digits) for name, value in row.items()})
        write_bytes(out / f"{name}.csv", file.getvalue().encode(), force=force)
        if self.panels:
            write_bytes(out / f"{name}.svg", as_figure(self.panels), force=force)


def check_out(out: Path, names: Iterable[str], *, force: bool) -> None:
    """Raise UsageError where results cannot be written, and DxError without matplotlib."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out}: is not a folder.")
    needs("matplotlib", "a figure", extra="plots")
    for name in names:
        for ending in ("csv", "svg"):
            check_new(out / f"{name}.{ending}", force=force)


def plain(value: Any, digits: int = 6) -> str:
    """Return a number in so many digits; "" for None and nan."""
    if value is None or value != value:
        return ""
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def text_table(header: Sequence[str], rows: Iterable[Sequence[Any]], aligns: str = "") -> str:
    """Return a table for the terminal; aligns has "l" or "r" a column, the last for the rest."""
    column_aligns: Any = tuple(aligns.ljust(len(header), aligns[-1:] or "l")[: len(header)])
    cells = [[str(cell) for cell in row] for row in rows]
    # The longest column would else be cut.
    text = table(cells, header=header, divider=True, aligns=column_aligns, spacing=2, max_col=10**6)
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))


def as_figure(panels: Sequence[Panel]) -> bytes:
    """Return the panels, two in a row, as an .svg file, the same each time."""
    import matplotlib
    from matplotlib.figure import Figure

    columns, rows = min(2, len(panels)), -(-len(panels) // 2)
    names = list(dict.fromkeys(row[panel.by] for panel in panels for row in panel.rows))
    # Text stays text in svg.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "dx", "font.size": 9}):
        figure = Figure(figsize=(4.8 * columns, 1 + 3 * rows), layout="constrained")
        for number, panel in enumerate(panels, 1):
            _draw(figure.add_subplot(rows, columns, number), panel, names)
        lines = {line.get_label(): line for axes in figure.axes for line in axes.lines}
        handles = [lines[name] for name in names if name in lines]
        figure.legend(handles=handles, loc="outside lower center", ncols=columns, frameon=False)
        file = io.BytesIO()
        figure.savefig(file, format="svg", dpi=130, metadata={"Date": None})
    return file.getvalue()


def _draw(axes: Any, panel: Panel, names: Sequence[str]) -> None:
    """Draw a line, with a marker for each row, for each of the names in the column `by`; the title
    and labels, and plain numbers on a log axis."""
    from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

    x, y = panel.xy
    lines: dict[Any, list[Row]] = {}
    for row in panel.rows:
        if row[y] is not None and row[y] == row[y]:
            lines.setdefault(row[panel.by], []).append(row)
    for name, points in lines.items():
        at, i = ([p[x] for p in points], [p[y] for p in points]), names.index(name)
        style, colour = STYLES[i // len(COLOURS) % len(STYLES)], COLOURS[i % len(COLOURS)]
        axes.plot(*at, style, color=colour, label=name, linewidth=1.3)
    axes.set(title=panel.title, xlabel=panel.label)
    if panel.log:
        axes.set_xscale("log")
        low, high = axes.get_xlim()
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 300 * low else (1,)))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:.3g}"))
    axes.spines[["top", "right"]].set_visible(False)
