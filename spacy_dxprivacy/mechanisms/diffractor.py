r"""1-Diffractor (dx.Diffractor.v1): the geometric mechanism on a list of words.

Probability the words are one list, each next to a near word; position i is replaced by i + j with
            P(j) proportional to exp(-epsilon |j|), clamped to the ends of the list
Guarantee   epsilon nats per place between two words on the list (metric-dp)
Use         to study the paper; making the list is slow
Paper       Meisenbacher, Chevli, Matthes 2024 (IWSPA), section 3 (the geometric mechanism of Ghosh,
            Roughgarden, Sundararajan 2009 on a list)

The list starts with the first row and continues with the nearest row that is not on it yet. That is
a search for each word, so the list is made once and stored beside the space. (The paper samples
from several lists; each sample is a release.)
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..arrays import Floats2d, Ints1d
from ..privacy.guarantee import Guarantee
from ..privacy.randomness import Rng
from ..registries import registry
from ..space import Space
from ..space.learned import once
from ..validate import positive
from .choice import Choice, ChoiceMechanism, clamped_score

PROBES = 8  # places of a stored list that are checked
LIST = "dx.Diffractor.v1, the list from row 0 on, always to the nearest row that is left"


@registry.dx_mechanisms("dx.Diffractor.v1")
def make_diffractor(epsilon: float) -> ChoiceMechanism:
    """Create the geometric mechanism on a list of words.

    Args:
        epsilon: Nats per place of the list, above 0.
    """
    epsilon = positive("epsilon", epsilon)
    guarantee = Guarantee(
        kind="metric-dp",
        epsilon=epsilon,
        metric="list positions",
        covers="all",
        status="proven",
        source="Ghosh et al. 2009, on the list of Meisenbacher et al. 2024; clamping is free",
        notes="Words that are near in the space can be far apart on the list.",
    )
    return ChoiceMechanism("dx.Diffractor.v1", guarantee, build)


def build(space: Space, guarantee: Guarantee) -> Choice:
    X, epsilon = space.vectors, guarantee.epsilon
    place = np.argsort(once(space, LIST, partial(nearest_order, X), partial(_is_nearest_order, X)))
    is_end = (place == 0) | (place == len(place) - 1)

    def metric(rows: Ints1d, outputs: Ints1d | slice = slice(None)) -> Floats2d:
        D: Floats2d = np.abs(place[rows][:, None] - place[outputs]).astype(np.float64)
        return D

    def weights(rows: Ints1d, outputs: Ints1d | slice = slice(None)) -> Floats2d:
        W = np.exp(-clamped_score(metric(rows, outputs), beta=epsilon))
        # An end gets all probability beyond it: a geometric series.
        W[:, is_end[outputs]] /= -np.expm1(-epsilon)
        return W

    def probabilities(rows: Ints1d, outputs: Ints1d) -> Floats2d:
        # With what is beyond the ends, the weights of every word have the same sum.
        P: Floats2d = weights(rows, outputs) / weights(np.zeros(1, dtype=np.int64)).sum()
        return P

    return Choice(weights, metric, guarantee, probabilities=probabilities)


def _is_nearest_order(X: Floats2d, order: Ints1d) -> bool:
    """Return whether an order has each row once and, at random places, the nearest remaining row
    next, up to rounding."""
    n = len(order)
    if n != len(X) or not (np.sort(order) == np.arange(n)).all():
        return False
    for place in Rng().integers(n - 1, PROBES).tolist() if n > 1 else ():
        distances = np.linalg.norm(X[order[place + 1 :]] - X[order[place]], axis=1)
        if distances[0] > distances.min() * 1.001 + 1e-6:
            return False
    return True


def nearest_order(X: Floats2d) -> Ints1d:
    """Return the rows (n,) in the order of the list: row 0, then always the nearest remaining."""
    pool = np.arange(len(X))
    squares = np.einsum("nd,nd->n", X, X, dtype=np.float64) / 2
    table = np.array(X)
    order = np.empty(len(X), dtype=np.int64)
    place = 0
    for step in range(len(X)):
        order[step] = row = pool[place]
        # The last row of the pool replaces the removed one.
        pool[place], table[place], squares[place] = (
            pool[-1],
            table[len(pool) - 1],
            squares[len(pool) - 1],
        )
        pool = pool[:-1]
        if len(pool):
            place = int(np.argmin(squares[: len(pool)] - table[: len(pool)] @ X[row]))
    return order
