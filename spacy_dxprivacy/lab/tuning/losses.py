"""What epsilon promises, in nats between words."""

from __future__ import annotations

import numpy as np

from ...arrays import Floats2d
from ...privacy.scale import scale_of
from ...ty import HasMetric, Mechanism

LOSSES = ("nearest", "median", "diameter")


class Losses:
    """The loss in nats between two words: a word and its nearest one ("nearest"), two at random
    ("median"), any two ("diameter"). n: words of the space."""

    def __init__(self, n: int) -> None:
        self.n = n
        self._known: dict[str, tuple[Floats2d, dict[str, float] | None]] = {}

    def __call__(self, mechanism: Mechanism) -> dict[str, float] | None:
        """None where there is no guarantee, or none in a metric that covers all words."""
        guarantee = mechanism.guarantee
        if not guarantee.holds:
            return None
        if guarantee.kind == "approx-dp":
            covers_all = guarantee.covers == "all"
            return dict.fromkeys(LOSSES, guarantee.epsilon) if covers_all else None
        distances = self._distances(mechanism)
        return distances and {name: guarantee.epsilon * d for name, d in distances.items()}

    def _distances(self, mechanism: Mechanism) -> dict[str, float] | None:
        """As scale_of does it: once for all epsilons, unless the distances change with them."""
        if not isinstance(mechanism, HasMetric):
            return None
        row = mechanism.distances(np.zeros(1, dtype=np.int64))
        known = self._known.get(mechanism.name)
        if known is None or not np.allclose(known[0], row, rtol=1e-9):
            scale = scale_of(mechanism, self.n)
            apart = {name: scale[name]["distance"] for name in LOSSES} if scale else None
            known = row, apart
            self._known[mechanism.name] = known
        return known[1]
