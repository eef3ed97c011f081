"""Results of evaluations: success rates and their confidence intervals, tables and figures."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from wasabi import table

from ..arrays import Floats1d, Ints1d
from ..errors import UsageError
from ..files.atomic import check_new, write_bytes
from ..validate import needs

# Paul Tol's bright scheme, for all kinds of colour vision.
COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#888888", "#222222")
STYLES = ("o-", "s--", "^:")
NAN = float("nan")
REPLICATES, ALPHA = 400, 0.05

Row = dict[str, Any]
Progress = Callable[[Iterable[Any], str], Iterable[Any]]  # wraps the steps of a long task


def no_progress(steps: Iterable[Any], label: str) -> Iterable[Any]:
    """Return the steps, without a progress bar."""
    return steps


def bootstrap(units: int, figure: Callable[[Floats1d], float]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a figure of unit weights, float64 (units,)."""
    generator = np.random.default_rng(0)
    times = generator.multinomial(units, np.full(units, 1 / units), REPLICATES).astype(np.float64)
    low, high = np.percentile([figure(row) for row in times], [50 * ALPHA, 100 - 50 * ALPHA])
    return float(low), float(high)


def interpolate(rows: Iterable[Row], column: str, at: float) -> list[Row]:
    """Return the row of each mechanism at this value of a column, interpolated linearly; mechanisms
    without measurements on both sides are left out."""
    at_value = []
    by_mechanism: dict[str, list[Row]] = {}
    for row in rows:
        by_mechanism.setdefault(row["mechanism"], []).append(row)
    for points in by_mechanism.values():
        for a, b in pairwise(sorted(points, key=lambda row: float(row[column]))):
            if a[column] <= at <= b[column] and a[column] < b[column]:
                part = (at - a[column]) / (b[column] - a[column])
                numbers = {name: value for name, value in a.items() if isinstance(value, float)}
                at_value.append(a | {k: (1 - part) * v + part * b[k] for k, v in numbers.items()})
                break
    return at_value


@dataclass(frozen=True)
class Panel:
    """A part of a figure: a line through the columns xy for each value of the column `by`. label:
    of the x axis. log: whether it is logarithmic."""

    title: str
    rows: Sequence[Row]
    xy: tuple[str, str]
    by: str
    label: str = ""
    log: bool = False


@dataclass(frozen=True)
class ResultTable:
    """Rows with equal columns. panels: of the figure, if any. digits: of numbers in CSV."""

    rows: list[Row]
    panels: Sequence[Panel] = ()
    digits: int = 6

    def write(self, out: Path, name: str, *, force: bool = False, figure: bool = True) -> None:
        """Write NAME.csv, and the figure NAME.svg beside it, if there is one and it is wanted."""
        file = io.StringIO()
        writer = csv.DictWriter(file, list(self.rows[0]), lineterminator="\n")
        writer.writeheader()
        for row in self.rows:
            writer.writerow({name: plain(value, self.digits) for name, value in row.items()})
        write_bytes(out / f"{name}.csv", file.getvalue().encode(), force=force)
        if self.panels and figure:
            write_bytes(out / f"{name}.svg", as_figure(self.panels), force=force)


def check_out(out: Path, names: Iterable[str], *, force: bool) -> None:
    """Raise UsageError if results cannot be written, and DxError without matplotlib."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out}: is not a folder.")
    needs("matplotlib", "a figure", extra="plots")
    for name in names:
        for ending in ("csv", "svg"):
            check_new(out / f"{name}.{ending}", force=force)


def plain(value: Any, digits: int = 6) -> str:
    """Return a number with `digits` digits; "" for None and nan."""
    if value is None or value != value:
        return ""
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def text_table(header: Sequence[str], rows: Iterable[Sequence[Any]], aligns: str = "") -> str:
    """Return a table for the terminal; aligns has "l" or "r" a column, the last one repeated."""
    column_aligns: Any = tuple(aligns.ljust(len(header), aligns[-1:] or "l")[: len(header)])
    cells = [[str(cell) for cell in row] for row in rows]
    # By default wasabi truncates long columns.
    text = table(cells, header=header, divider=True, aligns=column_aligns, spacing=2, max_col=10**6)
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))


def as_figure(panels: Sequence[Panel]) -> bytes:
    """Return the panels, two in a row, as a reproducible .svg file."""
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
    """Draw the lines, title and labels of a panel."""
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


# -- confidence bounds on a probability (Clopper and Pearson 1934) ---------------------------------


def lower(hits: Any, n: int, alpha: float) -> Any:
    """Return a lower bound on the probability that fails with probability alpha."""
    from scipy.special import betaincinv

    k = np.asarray(hits, dtype=np.float64)
    return np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, alpha), 0.0)


def upper(hits: Any, n: int, alpha: float) -> Any:
    """Return an upper bound on the probability that fails with probability alpha."""
    return 1.0 - lower(n - np.asarray(hits, dtype=np.float64), n, alpha)


def wilson(hits: Any, n: int, z: float) -> Any:
    """Return an approximate lower bound at z standard errors, a fast criterion for events."""
    p = np.asarray(hits, dtype=np.float64) / n
    middle = p + z * z / (2 * n)
    half = z * np.sqrt(p * (1 - p) / n + z * z / (4.0 * n * n))
    return np.maximum((middle - half) / (1 + z * z / n), 0.0)


def ceiling(n: int, alpha: float) -> float:
    """Return the largest epsilon (nats) that n draws can refute: all draws of one word are in the
    event, and none of the other."""
    return float(-np.log(upper(0, n, alpha)))


# -- attack success rates --------------------------------------------------------------------------

WORDS_RECOVERED = "words recovered"


@dataclass(frozen=True)
class AttackFigure:
    """One success rate. setting: other settings, or "". measure: the name of `value`; low, high:
    its 95 % interval. baseline: the measure without outputs. n: number of tries. unchanged:
    retention rate of the release."""

    attack: str
    mechanism: str
    epsilon: float
    unchanged: float
    attacker: str
    setting: str
    measure: str
    baseline: float
    value: float
    low: float
    high: float
    n: int


Measured = tuple[float, float, float, int]  # value, low, high, of how many


class Success(NamedTuple):
    """One success rate of an attacker; see AttackFigure."""

    attacker: str
    measured: Measured
    baseline: float
    setting: str = ""
    measure: str = WORDS_RECOVERED


def figures_of(
    attack: str, release: tuple[str, float], unchanged: float, successes: Iterable[Success]
) -> list[AttackFigure]:
    """Return the figures of an attack. release: the label of the mechanism, and epsilon."""
    name, epsilon = release
    return [
        AttackFigure(
            attack, name, epsilon, unchanged, attacker, setting, measure, baseline, *measured
        )
        for attacker, measured, baseline, setting, measure in successes
    ]


def share(right: Any) -> Measured:
    """Return the share and Clopper-Pearson interval of independent tries, (n,) from 0 to 1."""
    hits, n = float(np.sum(right)), len(right)
    half = ALPHA / 2
    return hits / n, float(lower(hits, n, half)), float(upper(hits, n, half)), n


def share_by_document(right: Any, doc_of: Ints1d) -> Measured:
    """Return the share of hits, with its interval by the bootstrap of documents (Efron 1979), or,
    if that has no width, that of independent tries."""
    n = len(right)
    _, at = np.unique(doc_of, return_inverse=True)
    hits, sizes = np.bincount(at, weights=right), np.bincount(at)
    low, high = bootstrap(len(hits), lambda times: float(times @ hits / (times @ sizes)))
    if low == high:
        return share(right)
    return float(hits.sum() / n), low, high, n


def attack_result(figures: Sequence[AttackFigure]) -> ResultTable:
    """Return a row for each figure of an attack, and a panel for each mechanism and measure, with
    values and baselines over epsilon."""
    by_panel: dict[str, list[Row]] = {}
    for f in figures:
        panel_rows = by_panel.setdefault(f"{f.mechanism}: {f.measure}", [])
        name = ", ".join(part for part in (f.attacker, f.setting) if part)
        panel_rows.append({"epsilon": f.epsilon, "share": f.value, "line": name})
        panel_rows.append({"epsilon": f.epsilon, "share": f.baseline, "line": "without the output"})
    panels = [
        Panel(title, rows, ("epsilon", "share"), "line", "epsilon", log=True)
        for title, rows in by_panel.items()
    ]
    return ResultTable([asdict(f) for f in figures], panels, digits=4)
