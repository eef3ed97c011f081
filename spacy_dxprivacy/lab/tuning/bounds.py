"""What no mechanism of a promise can beat, on the words that are looked at."""

from __future__ import annotations

import numpy as np

from ...arrays import blocks
from ...errors import DxError
from ...privacy.bounds import most_kept
from ...ty import HasMetric, Mechanism
from .probes import Probes

AT_ONCE = 64


def most_unchanged(mechanism: Mechanism, probes: Probes) -> float | None:
    """The share of probed words that stays, and that is guessed right, at most: with any mechanism
    that keeps what the guarantee of this one promises. None where it promises nothing, or nothing
    in a metric of the space."""
    guarantee = mechanism.guarantee
    metric = guarantee.holds and guarantee.kind == "metric-dp"
    if not (metric and guarantee.covers in ("all", "finite") and isinstance(mechanism, HasMetric)):
        return None
    try:
        parts = [
            mechanism.distances(probes.rows[some])[:, probes.rows]
            for some in blocks(len(probes.rows), AT_ONCE)
        ]
    except DxError:
        return None
    return most_kept(np.concatenate(parts), probes.weights, guarantee.epsilon)
