"""One word of a space: its neighbours, what it becomes, and how often it stays over epsilon."""

from __future__ import annotations

from collections.abc import Iterable
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

STEPS = 10
STAY_DRAWS = 200  # for each epsilon, where nothing is exact

Shares = list[tuple[str, float]]


@dataclass(frozen=True)
class Inspected:
    """mechanism: fitted, at its epsilon. by_euclid: the nearest words, with their distances;
    by_metric: the same in the metric of the guarantee, None where it is in none of the space.
    becomes: the outputs, the likeliest first, with their shares. exact: whether these are
    probabilities. stays: (epsilon, how often the word comes out as itself)."""

    space: Space
    word: str
    mechanism: Mechanism
    by_euclid: Shares
    by_metric: Shares | None
    becomes: Shares
    exact: bool
    stays: list[tuple[float, float]]

    def over_epsilon(self, make: Make, epsilons: Iterable[float] | None, draws: int) -> Inspected:
        """The same with `stays`. make: the mechanism at an epsilon. epsilons: None for STEPS of
        them in a range that is found. draws: where nothing is exact."""
        one = Probes(np.array([self.space.find(self.word)]), np.ones(1, dtype=np.int64))
        bench = Bench(self.space.vectors, one, k=1, draws=min(draws, STAY_DRAWS))

        def unchanged(epsilon: float) -> float:
            return bench.unchanged(make(epsilon))

        over = evenly(*epsilon_range(unchanged), STEPS) if epsilons is None else epsilons
        return replace(self, stays=[(at, unchanged(at)) for at in over])

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for json. It names the word."""
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
    """A word by its row, as other spellings lead to it as well, with no `stays`. mechanism: fitted
    on the space. k: how many neighbours. draws: where nothing is exact."""

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
    by_metric = _nearest_by(mechanism, row, k)
    return Inspected(
        space, space.words[row], mechanism, named(near, apart), by_metric and named(*by_metric),
        named(rows[order], shares[order]), exact, [],
    )  # fmt: skip


def _nearest_by(mechanism: Mechanism, row: int, k: int) -> tuple[Ints1d, Floats1d] | None:
    """The k words nearest in the metric of the guarantee, and how far they are; None where it is
    not in a metric of the space."""
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
