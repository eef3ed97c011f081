"""Results of evaluations: rows, a figure and notes, and how they are written."""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from wasabi import table

from ..errors import UsageError
from ..io.files.atomic import check_new, write_bytes
from ..validate import needs, one_of

FORMATS = ("svg", "png")
# Paul Tol's bright scheme: its colours differ for all kinds of sight.
COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#888888", "#222222")
STYLES = ("o-", "s--", "^:")
NAN = float("nan")

Row = dict[str, Any]
Progress = Callable[[Iterable[Any], str], Iterable[Any]]  # wraps the steps of what takes long


def no_progress(steps: Iterable[Any], label: str) -> Iterable[Any]:
    """Return the steps, without a progress bar."""
    return steps


def counted(
    look: Callable[[float], Any], label: str, progress: Progress
) -> Callable[[float], Any]:  # fmt: skip
    """Return the same function of epsilon, with a bar that counts its calls."""
    ticks = iter(progress(itertools.count(), label))

    def at(epsilon: float) -> Any:
        next(ticks)
        return look(epsilon)

    return at


def resumed(
    path: Path | None, settings: Row, cases: Iterable[Any], measure: Callable[..., Row]
) -> Iterator[Row]:  # fmt: skip
    """Yield the row of each case, which is a tuple of arguments of `measure`.

    path: of finished rows, which are kept there and not measured again. settings: what they depend
    on; rows of other settings are not used.
    """
    found = json.loads(path.read_bytes()) if path is not None and path.is_file() else {}
    finished = found["rows"] if found.get("settings") == settings else {}
    for case in cases:
        key = json.dumps(case)
        if key not in finished:
            finished[key] = measure(*case)
            if path is not None:
                state = {"settings": settings, "rows": finished}
                write_bytes(path, json.dumps(state, indent=1).encode(), force=True)
        yield finished[key]


def interpolated(rows: Iterable[Row], column: str, at: float) -> list[Row]:
    """Return for each mechanism the row with this value of a column, interpolated linearly; none
    where it is not measured on both sides."""
    met = []
    by_mechanism: dict[str, list[Row]] = {}
    for row in rows:
        by_mechanism.setdefault(row["mechanism"], []).append(row)
    for own in by_mechanism.values():
        for a, b in pairwise(sorted(own, key=lambda row: float(row[column]))):
            if a[column] <= at <= b[column] and a[column] < b[column]:
                part = (at - a[column]) / (b[column] - a[column])
                numbers = {name: value for name, value in a.items() if isinstance(value, float)}
                met.append(a | {k: (1 - part) * v + part * b[k] for k, v in numbers.items()})
                break
    return met


@dataclass(frozen=True)
class Result:
    """Rows with the same columns. draw: draws on a matplotlib Figure of a size in inches. notes:
    what was measured, on what. shown: the rows to print, if not all. digits: of numbers in CSV."""

    rows: list[Row]
    draw: Callable[[Any], None] | None = None
    size: tuple[float, float] = (6.4, 3.6)
    notes: Sequence[str] = ()
    shown: list[Row] | None = None
    digits: int = 6

    def write(self, out: Path, name: str, kind: str = "svg", *, force: bool = False) -> None:
        """Write NAME.csv, and the figure beside it."""
        file = io.StringIO()
        writer = csv.DictWriter(file, list(self.rows[0]), lineterminator="\n")
        writer.writeheader()
        for row in self.rows:
            writer.writerow({name: plain(value, self.digits) for name, value in row.items()})
        write_bytes(out / f"{name}.csv", file.getvalue().encode(), force=force)
        if self.draw is not None:
            write_bytes(out / f"{name}.{kind}", as_figure(self, kind), force=force)


def check_out(out: Path, names: Iterable[str], kind: str = "svg", *, force: bool) -> None:
    """Raise UsageError where results cannot be written, and DxError without matplotlib."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out}: is not a folder.")
    one_of("the format of the figure", kind, FORMATS)
    needs("matplotlib", "a figure", extra="plots")
    for name in names:
        for ending in ("csv", kind):
            check_new(out / f"{name}.{ending}", force=force)


def plain(value: Any, digits: int = 6) -> str:
    """Return a number in so many digits; "" for None and nan."""
    if value is None or value != value:
        return ""
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def text_table(header: Sequence[str], rows: Iterable[Sequence[Any]], aligns: str = "") -> str:
    """Return a table for the terminal; aligns has "l" or "r" a column, the last for the rest."""
    each: Any = tuple(aligns.ljust(len(header), aligns[-1:] or "l")[: len(header)])
    cells = [[str(cell) for cell in row] for row in rows]
    # The longest column would else be cut.
    text = table(cells, header=header, divider=True, aligns=each, spacing=2, max_col=10**6)
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))


def as_figure(result: Result, kind: str) -> bytes:
    """Return the figure as a file of one of FORMATS, the same each time."""
    import matplotlib
    from matplotlib.figure import Figure

    # Text stays text in svg.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "dx", "font.size": 9}):
        figure = Figure(figsize=result.size, layout="constrained")
        if result.draw is not None:
            result.draw(figure)
        file = io.BytesIO()
        metadata = {"Date": None} if kind == "svg" else None
        figure.savefig(file, format=kind, dpi=130, metadata=metadata)
    return file.getvalue()


def draw_lines(axes: Any, rows: Iterable[Row], xy: tuple[str, str], by: str) -> None:
    """Draw a line through columns xy for each value of the column `by`."""
    x, y = xy
    lines: dict[Any, list[Row]] = {}
    for row in rows:
        if row[y] is not None and row[y] == row[y]:
            lines.setdefault(row[by], []).append(row)
    for i, (name, points) in enumerate(lines.items()):
        at = [p[x] for p in points], [p[y] for p in points]
        style, colour = STYLES[i // len(COLOURS) % len(STYLES)], COLOURS[i % len(COLOURS)]
        axes.plot(*at, style, color=colour, label=name, linewidth=1.3)


def finish(axes: Any, title: str, x: str, y: str, *, log: bool = True) -> None:
    """Set title and labels of a panel, plain numbers on a log axis, and remove its top and right
    lines."""
    from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

    axes.set(title=title, xlabel=x, ylabel=y)
    if log:
        axes.set_xscale("log")
        low, high = axes.get_xlim()
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 300 * low else (1,)))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:.3g}"))
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def legend_below(figure: Any, axes: Any, columns: int) -> None:
    """Draw the labels of a panel below all of them."""
    handles = axes.get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=columns, frameon=False, fontsize=8)
