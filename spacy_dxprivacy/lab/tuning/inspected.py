"""Inspect one word: its neighbours and its outputs."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats1d, Ints1d
from ...errors import DxError
from ...privacy.randomness import Rng
from ...space import Space
from ...ty import HasMetric, Mechanism, StatesProbabilities
from .bench import nearest_others

Shares = list[tuple[str, float]]


@dataclass(frozen=True)
class Inspected:
    """A word under a fitted mechanism.

    by_euclid: the nearest words, with their distances; by_metric: the same in the metric of the
    guarantee, None where that is none of the space. becomes: outputs with their shares, the
    likeliest first. exact: whether these are probabilities.
    """

    space: Space
    word: str
    mechanism: Mechanism
    by_euclid: Shares
    by_metric: Shares | None
    becomes: Shares
    exact: bool


def look_at(space: Space, row: int, mechanism: Mechanism, *, k: int, draws: int) -> Inspected:
    """Inspect the word of a row; draws count where nothing is exact."""

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
        named(rows[order], shares[order]), exact,
    )  # fmt: skip
