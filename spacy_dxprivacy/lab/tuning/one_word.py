"""What one word becomes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Floats1d, Ints1d
from ...errors import DxError
from ...randomness import Rng
from ...ty import HasMetric, Mechanism, StatesProbabilities


@dataclass(frozen=True)
class Outputs:
    """What one word becomes. rows (n,) by falling probability, those of no share left out; shares
    (n,), exact or counted in `draws` draws."""

    rows: Ints1d
    shares: Floats1d
    exact: bool


def outputs_of(mechanism: Mechanism, row: int, *, draws: int = 2000) -> Outputs:
    """mechanism: fitted. row: of its space."""
    if exact := isinstance(mechanism, StatesProbabilities):
        shares = mechanism.distribution(np.array([row]))[0]
        rows = np.flatnonzero(shares > 0)
        shares = shares[rows]
    else:
        rng, asked = Rng(seed=0), np.full(draws, row)
        rows, counts = np.unique(mechanism.sample(asked, rng).rows, return_counts=True)
        shares = counts / draws
    order = np.argsort(-shares, kind="stable")
    return Outputs(rows[order], shares[order], exact)


def nearest_by(mechanism: Mechanism, row: int, k: int) -> tuple[Ints1d, Floats1d] | None:
    """The k words nearest to a word in the metric of the guarantee, and how far they are; None
    where it is not in a metric of the space."""
    if not isinstance(mechanism, HasMetric):
        return None
    try:
        D = mechanism.distances(np.array([row]))[0]
    except DxError:
        return None
    D[row] = np.inf
    order = np.argsort(D, kind="stable")[:k]
    order = order[np.isfinite(D[order])]
    return order, D[order]
