"""Attack success rates, their confidence intervals, and a figure of them over epsilon."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from ...arrays import Floats1d, Ints1d
from ..audit.claims import lower, upper
from ..results import Result, Row, draw_lines, finish

REPLICATES = 400
ALPHA = 0.05


@dataclass(frozen=True)
class AttackFigure:
    """One success rate. setting: what else was set ("" if nothing). measure: what `value` is; low,
    high: its 95 % interval. baseline: the same measure without the output. n: number
    of tries. unchanged: the share of the words of the
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
    """Return a row for each figure of an attack, and a picture with a panel for each mechanism and
    measure: values over epsilon, and what is reached without the output."""
    by_panel: dict[str, list[Row]] = {}
    for f in figures:
        some = by_panel.setdefault(f"{f.mechanism}: {f.measure}", [])
        name = ", ".join(part for part in (f.attacker, f.setting) if part)
        some.append({"epsilon": f.epsilon, "share": f.value, "line": name})
        some.append({"epsilon": f.epsilon, "share": f.baseline, "line": "without the output"})
    size = 4.2 * min(2, len(by_panel)), 1.0 + 2.8 * -(-len(by_panel) // 2)
    return Result([asdict(f) for f in figures], partial(_draw, by_panel=by_panel), size, digits=4)


def _draw(figure: Any, *, by_panel: dict[str, list[Row]]) -> None:
    columns = min(2, len(by_panel))
    panels = figure.subplots(-(-len(by_panel) // columns), columns, squeeze=False)
    for axes, (title, rows) in zip(panels.flat, by_panel.items(), strict=False):
        draw_lines(axes, rows, ("epsilon", "share"), "line")
        finish(axes, title, "epsilon", "")
        axes.legend(fontsize=7, frameon=False)
