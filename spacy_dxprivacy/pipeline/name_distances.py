"""How far apart the names of a space are, and how often an attacker can tell them apart."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Bools1d, Ints1d
from ..errors import DxError
from ..privacy.loss import best_guess
from ..space import Space
from ..ty import (
    HasMetric,
    Mechanism,
    facts_of,
)

NAMES, NAMES_PROBED = ("first_name", "surname"), 4


def name_rows(space: Space) -> Ints1d:
    """Return the rows of names of a space; all rows if the space has no classes of names."""
    flags: Bools1d = np.any([space.with_class(name) for name in NAMES], axis=0)
    return np.flatnonzero(flags if flags.sum() > 1 else ~flags | True)


def max_name_distance(mechanism: Mechanism, space: Space) -> float:
    """Return an upper bound on the distance of two names, in the metric of the guarantee: twice the
    least, over probed names, of the distance to the farthest name (triangle inequality). Infinity
    if the guarantee does not cover all pairs.
    """
    guarantee, rows = mechanism.guarantee, name_rows(space)
    if guarantee.kind == "approx-dp" and guarantee.covers == "all":
        return 1.0
    if guarantee.kind != "metric-dp" or not isinstance(mechanism, HasMetric):
        return math.inf
    facts = facts_of(mechanism)
    if (bound := facts.farthest(rows)) is not None:
        return bound
    probes = np.unique(rows[np.linspace(0, len(rows) - 1, NAMES_PROBED).astype(np.int64)])
    try:
        D = np.asarray(mechanism.distances(probes))[:, rows]
    except DxError:
        return math.inf
    longest = facts.longest or math.inf
    return min(2 * float(D.max(axis=1).min()), longest)


def naming_rate(mechanism: Mechanism, words: int) -> float | None:
    """Return an upper bound on the probability that an attacker names a typical person who is
    mentioned in `words` words. The attacker knows everything else, and that the name is one of 100
    near names. None without known distances of near names."""
    distances = facts_of(mechanism).near_names
    if not distances:
        return None
    per_unit = mechanism.guarantee.epsilon * words
    return best_guess([per_unit * distance for distance in distances])
