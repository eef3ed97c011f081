r"""CusText (dx.CusText.v1): each word is replaced within a small group of similar words.

Probability P(y | w) = exp(epsilon u(w, y) / 2) / Z_w over the k words of w's group, u in [0, 1]
            the similarity of y to w: 1 minus their distance over the largest of the group
Guarantee   epsilon nats for words of one group (approx-dp with delta = 0), and none between groups:
            the output reveals the group
Use         where the group of a word may be revealed
Paper       Chen et al. 2023 (Findings of ACL)

Groups are made as in the paper: the most frequent word without a group forms one with its nearest
words without a group. (Its "aggressive" mapping, each word's own k nearest, protects no pair.)
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..arrays import Floats2d, Ints1d
from ..privacy.guarantee import Guarantee
from ..registries import registry
from ..space import Space
from ..space.learned import shared
from ..space.search.all_pairs import centred, rounding
from ..space.search.exact import distances
from ..ty import Facts
from ..validate import positive, whole
from .choice import Choice, ChoiceMechanism, clamped_score

BLOCK_GROUPS = 64  # made before rows that have a group leave the table


@registry.dx_mechanisms("dx.CusText.v1")
def make_custext(epsilon: float, k: int = 20) -> ChoiceMechanism:
    """Create the exponential mechanism within groups of similar words.

    Args:
        epsilon: Nats, above 0.
        k: Words in a group, 2 or more. The last group may have fewer; if it has one word, it is
            joined to the group before.
    """
    epsilon, k = positive("epsilon", epsilon), whole("k", k, least=2)
    guarantee = Guarantee(
        kind="approx-dp",
        epsilon=epsilon,
        metric="discrete",
        adjacency=f"pairs of words of one group of about {k}; no other pair",
        covers="finite",
        status="proven",
        source="McSherry and Talwar 2007, theorem 6, within the group; Chen et al. 2023",
        loss_range=1.0,
        notes="The output reveals the group of the word.",
    )
    facts = Facts(in_clear=("which group of words each word is of",))
    return ChoiceMechanism("dx.CusText.v1", guarantee, partial(build, k=k), facts)


def build(space: Space, guarantee: Guarantee, *, k: int) -> Choice:
    epsilon = guarantee.epsilon
    X = space.vectors
    group = shared(space, ("dx.CusText.v1", k), partial(groups, X, k))

    def within(number: int, rows: Ints1d) -> tuple[Ints1d, Ints1d, Floats2d]:
        """Return the places of the rows of a group, (p,), its members, (m,), and their weights."""
        places = np.flatnonzero(group[rows] == number)
        members = np.flatnonzero(group == number)
        D = distances(X[rows[places]], X[members])
        largest = D.max(axis=1, keepdims=True)
        similarity = 1 - np.divide(D, largest, out=np.zeros_like(D), where=largest > 0)
        return places, members, np.exp(-clamped_score(1 - similarity, beta=epsilon / 2))

    def weights(rows: Ints1d) -> Floats2d:
        W = np.zeros((len(rows), len(X)))
        for number in np.unique(group[rows]).tolist():
            places, members, of_members = within(number, rows)
            W[np.ix_(places, members)] = of_members
        return W

    def probabilities(rows: Ints1d, outputs: Ints1d) -> Floats2d:
        P, of_output = np.zeros((len(rows), len(outputs))), group[outputs]
        for number in np.unique(of_output).tolist():
            places, members, W = within(number, rows)
            W /= W.sum(axis=1, keepdims=True)
            columns = np.flatnonzero(of_output == number)
            P[np.ix_(places, columns)] = W[:, np.searchsorted(members, outputs[columns])]
        return P

    def metric(rows: Ints1d) -> Floats2d:
        """Return 0 from a word to itself, 1 within its group, infinity beyond."""
        D = np.where(group[rows][:, None] == group[None, :], 1.0, np.inf)
        D[np.arange(len(rows)), rows] = 0
        return D

    return Choice(weights, metric, guarantee, probabilities=probabilities)


def groups(X: Floats2d, k: int) -> Ints1d:
    """Return the number of each row's group (n,), made greedily from the first row on by Euclidean
    distance. A last group of one row joins the group before it."""
    Y, radii = centred(X)
    slack = 2 * rounding(X.shape[1], 2 * float(radii.max()))
    group = np.full(len(X), -1, dtype=np.int64)
    remaining, number = np.arange(len(X)), 0
    while len(remaining):
        table, squares = Y[remaining], (radii[remaining] ** 2).astype(np.float32)
        for _ in range(BLOCK_GROUPS):
            places = np.flatnonzero(group[remaining] < 0)
            if not len(places):
                break
            # float32 scores, with slack for rounding, preselect rows that may be the k nearest.
            scores = (squares - 2 * (table @ table[places[0]]))[places]
            scores[0] = -np.inf
            last = min(k, len(places)) - 1
            candidates = remaining[places[scores <= np.partition(scores, last)[last] + slack]]
            first = remaining[places[:1]]
            D = distances(X[first], X[candidates])[0]
            D[candidates == first] = -1.0
            nearest = candidates[np.argsort(D, kind="stable")[:k]]
            group[nearest] = max(number - 1, 0) if len(places) == 1 else number
            number += 1
        remaining = remaining[group[remaining] < 0]
    return group
