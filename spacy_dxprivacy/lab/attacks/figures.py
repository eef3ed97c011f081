"""Attack success rates, their confidence intervals, and a figure of them over epsilon."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Ints1d
from ..audit.claims import lower, upper
from ..results import ALPHA, Panel, ResultTable, Row, bootstrap

WORDS_FOUND = "words found"


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
    measure: str = WORDS_FOUND


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


def result_of(figures: Sequence[AttackFigure]) -> ResultTable:
    """Return a row for each figure of an attack, and a picture with a panel for each mechanism and
    measure: values over epsilon, and what is reached without the output."""
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
