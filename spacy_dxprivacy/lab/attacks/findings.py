"""What an attack found, and how sure that is."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ...arrays import Floats1d, Ints1d
from ..audit.claims import lower, upper

REPLICATES = 400
ALPHA = 0.05


@dataclass(frozen=True)
class AttackFigure:
    """One figure. attacker: who guesses. setting: what else was set ("" if nothing). measure: what
    `value` is; low, high: its 95 % interval. baseline: the same measure for who does not see the
    output. bound: what theory allows at most; nan if nothing is known. n: of how many. unchanged:
    the share of the words of the text that came out as themselves."""

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
    bound: float
    n: int

    def as_dict(self) -> dict[str, Any]:
        """Its fields by name, for json and CSV."""
        return asdict(self)


Measured = tuple[float, float, float, int]  # value, low, high, of how many


def share(right: Any) -> Measured:
    """Of independent tries: Clopper and Pearson's interval. right: (n,), from 0 to 1."""
    hits, n = float(np.sum(right)), len(right)
    half = ALPHA / 2
    return hits / n, float(lower(hits, n, half)), float(upper(hits, n, half)), n


def share_by_document(right: Any, doc_of: Ints1d) -> Measured:
    """Of places in documents: the interval is of other documents like these, by the bootstrap of
    whole documents (Efron 1979). Where that has no width, as for single tries."""
    n = len(right)
    _, at = np.unique(doc_of, return_inverse=True)
    hits, sizes = np.bincount(at, weights=right), np.bincount(at)

    def again(times: Floats1d) -> float:
        return float(times @ hits / (times @ sizes))

    low, high = bootstrap(len(hits), again)
    if low == high:
        return share(right)
    return float(hits.sum() / n), low, high, n


def bootstrap(units: int, figure: Callable[[Floats1d], float]) -> tuple[float, float]:
    """95 % interval of a figure of how often each unit is taken: float64 (units,)."""
    generator = np.random.default_rng(0)
    shares = np.full(units, 1 / units)
    times = generator.multinomial(units, shares, REPLICATES).astype(np.float64)
    low, high = np.percentile([figure(row) for row in times], [50 * ALPHA, 100 - 50 * ALPHA])
    return float(low), float(high)


def as_csv(findings: Sequence[AttackFigure]) -> bytes:
    """A row a finding; numbers with four digits."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(findings[0].as_dict()), lineterminator="\n")
    writer.writeheader()
    for found in findings:
        values = found.as_dict().items()
        writer.writerow({k: f"{v:.4g}" if isinstance(v, float) else v for k, v in values})
    return text.getvalue().encode()
