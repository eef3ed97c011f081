"""Inspect one word: its neighbours, its outputs, and how often it is unchanged over epsilon."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...about import __version__
from ...arrays import Floats1d, Ints1d
from ...errors import DxError
from ...privacy.randomness import Rng
from ...space import Space
from ...ty import HasMetric, Mechanism, StatesProbabilities
from .bench import Bench, Probes, epsilon_range, evenly, nearest_others
from .targets import Make

Shares = list[tuple[str, float]]


@dataclass(frozen=True)
class Inspected:
    """A word under a fitted mechanism.

    by_euclid: the nearest words, with their distances; by_metric: the same in the metric of the
    guarantee, None where that is none of the space. becomes: outputs with their shares, the
    likeliest first. exact: whether these are probabilities. stays: (epsilon, share unchanged).
    """

    space: Space
    word: str
    mechanism: Mechanism
    by_euclid: Shares
    by_metric: Shares | None
    becomes: Shares
    exact: bool
    stays: list[tuple[float, float]]

    def over_epsilon(self, make: Make, epsilons: Iterable[float] | None, draws: int) -> Inspected:
        """Return a copy with `stays`, at ten epsilons of a range that is found if None."""
        one = Probes(np.array([self.space.find(self.word)]), np.ones(1, dtype=np.int64))
        bench = Bench(self.space.vectors, one, k=1, draws=min(draws, 200))

        def unchanged(epsilon: float) -> float:
            return bench.unchanged(make(epsilon))

        over = evenly(*epsilon_range(unchanged), 10) if epsilons is None else epsilons
        return replace(self, stays=[(at, unchanged(at)) for at in over])

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, the word among them."""
        return {
            "spacy_dxprivacy": __version__,
            "space": f"{self.space.name} ({self.space.digest})",
            "word": self.word,
            "mechanism": self.mechanism.name,
            "epsilon": self.mechanism.guarantee.epsilon,
            "exact": self.exact,
            "metric": self.mechanism.guarantee.metric,
            "nearest_by_euclid": [list(pair) for pair in self.by_euclid],
            "nearest_by_metric": [list(pair) for pair in self.by_metric or ()],
            "outputs": [list(pair) for pair in self.becomes],
            "stays": [list(pair) for pair in self.stays],
        }


def look_at(space: Space, row: int, mechanism: Mechanism, *, k: int, draws: int) -> Inspected:
    """Inspect the word of a row, without `stays`; draws count where nothing is exact."""

    def named(rows: Ints1d, values: Floats1d) -> Shares:
        return [(space.words[r], v) for r, v in zip(rows.tolist(), values.tolist(), strict=True)]

    near = nearest_others(space.vectors, np.array([row]), min(k, len(space) - 1))[0]
    apart = np.linalg.norm(space.vectors[near].astype(np.float64) - space.vectors[row], axis=1)
    if exact := isinstance(mechanism, StatesProbabilities):
        shares = mechanism.distribution(np.array([row]))[0]
        rows = np.flatnonzero(shares > 0)
        shares = shares[rows]
    else:
        asked = np.full(draws, row)
        rows, counts = np.unique(mechanism.sample(asked, Rng(seed=0)).rows, return_counts=True)
        shares = counts / draws
    order = np.argsort(-shares, kind="stable")
    by_metric = None
    if isinstance(mechanism, HasMetric):
        with suppress(DxError):  # a guarantee that is in no metric of the space
            D = mechanism.distances(np.array([row]))[0]
            D[row] = np.inf
            close = np.argsort(D, kind="stable")[:k]
            close = close[np.isfinite(D[close])]
            by_metric = named(close, D[close])
    return Inspected(
        space, space.words[row], mechanism, named(near, apart), by_metric,
        named(rows[order], shares[order]), exact, [],
    )  # fmt: skip
