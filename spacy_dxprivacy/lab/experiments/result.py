"""What an experiment gives back: a table of rows, a figure, and what it ran on."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from ...errors import DxError, Errors
from ...validate import one_of

FORMATS = ("svg", "png")
Row = dict[str, Any]
# Told apart by all kinds of sight: Paul Tol's bright scheme.
COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#888888", "#222222")


@dataclass(frozen=True)
class Result:
    """rows: all with the same columns. draw: puts the figure on a matplotlib Figure. size: of the
    figure, in inches. notes: what the figures are, and what they were measured on. shown: the rows
    to be printed, where they are not all."""

    rows: list[Row]
    draw: Callable[[Any], None]
    size: tuple[float, float]
    notes: list[str]
    shown: list[Row] | None = None


def as_csv(rows: Sequence[Row]) -> bytes:
    """Numbers with six digits; nothing where there is no figure."""
    file = io.StringIO()
    writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: plain(value) for name, value in row.items()} for row in rows)
    return file.getvalue().encode()


def plain(value: Any, digits: int = 6) -> str:
    """A number in so many digits, as CSV has it; "" for None and for what is no number."""
    if value is None or value != value:
        return ""
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def check_figure(kind: str) -> None:
    """Raises DxError where there is no matplotlib, or the kind is none of FORMATS."""
    one_of("the format of the figure", kind, FORMATS)
    if find_spec("matplotlib") is None:
        raise DxError(Errors.DX084)


def as_figure(result: Result, kind: str) -> bytes:
    """A file of one of FORMATS, the same each time."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "dx", "font.size": 9}):
        figure = Figure(figsize=result.size, layout="constrained")
        result.draw(figure)
        file = io.BytesIO()
        metadata = {"Date": None} if kind == "svg" else None
        figure.savefig(file, format=kind, dpi=130, metadata=metadata)
    return file.getvalue()


def draw_lines(
    axes: Any, rows: Iterable[Row], *, x: str, y: str, by: str, styles: dict[Any, str] | None = None
) -> None:
    """A line for each value of the column `by`, in the order of the rows."""
    lines: dict[Any, list[Row]] = {}
    for row in rows:
        if row[y] is not None and row[y] == row[y]:
            lines.setdefault(row[by], []).append(row)
    for i, (name, points) in enumerate(lines.items()):
        style = (styles or {}).get(name, "-")
        colour = COLOURS[i % len(COLOURS)]
        at = [p[x] for p in points], [p[y] for p in points]
        axes.plot(*at, style, color=colour, label=name, linewidth=1.3)


def finish(axes: Any, title: str, x: str, y: str, *, log: bool = True) -> None:
    """Title and labels of a panel, without the lines at its top and right. log: of the x axis."""
    axes.set(title=title, xlabel=x, ylabel=y)
    if log:
        _plain_log(axes)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _plain_log(axes: Any) -> None:
    """A log axis with numbers as people write them: a decade may have no power of ten."""
    from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

    axes.set_xscale("log")
    low, high = axes.get_xlim()
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 300 * low else (1,)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
