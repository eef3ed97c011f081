"""Which words of a space are joined, and by how long an edge.

A word is joined to its JOINED nearest words. The edge of w and v is OFFSET + ln sqrt(r q) long,
r and q being their ranks in each other's neighbour lists: short where each is among the nearest of
the other, long where one of them is a hub that is near to many. Lengths are rounded up to steps.

A word that no such edge brings near anybody (its neighbours all have nearer ones) gets a companion:
the first of its neighbours that is not yet a companion of two takes it as if it were its own
nearest. So nearly every word can be taken for another, and no hub is near to all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints1d, Ints2d
from ..space import Space

STEPS = 4  # steps of the grid in a unit of length
JOINED = 10
RANKED = 100  # ranks beyond count as this one
OFFSET = 0.75
NEAR = 1.25  # a word with no edge as short as this gets a companion
COMPANIONS = 2  # words that one word can be the companion of
CLASS_WEIGHT = 2.0  # a class that one of two words has, in distances to the nearest word


@dataclass(frozen=True, eq=False, repr=False)
class Edges:
    """Each once: low[i] < high[i] are joined by an edge of steps[i] steps of the grid."""

    low: Ints1d
    high: Ints1d
    steps: Ints1d


def edges(lists: Ints2d) -> Edges:
    """lists: (n, RANKED or fewer) rows by rising distance, -1 where a list ends."""
    depth = lists.shape[1]
    low, high, ranks = _pairs(lists)
    joined = ((ranks > 0) & (ranks <= JOINED)).any(axis=1)
    low, high, ranks = low[joined], high[joined], ranks[joined]
    ranks[ranks == 0] = depth + 1
    lengths = OFFSET + 0.5 * np.log(ranks).sum(axis=1)
    lengths = _with_companions(lists, low, high, lengths)
    return Edges(low, high, np.ceil(lengths * STEPS - 1e-9).astype(np.int64))


def _pairs(lists: Ints2d) -> tuple[Ints1d, Ints1d, Ints2d]:
    """low (m,), high (m,) and ranks (m, 2): that of high in the list of low, and of low in that of
    high, from 1 on; 0 where it is not in the list."""
    n = len(lists)
    owner, place = np.nonzero(lists >= 0)
    other = lists[owner, place].astype(np.int64)
    keys = np.minimum(owner, other) * n + np.maximum(owner, other)
    distinct, pair = np.unique(keys, return_inverse=True)
    ranks = np.zeros((len(distinct), 2), dtype=np.int64)
    ranks[pair, (owner > other).astype(np.int64)] = place + 1
    return distinct // n, distinct % n, ranks


def _with_companions(lists: Ints2d, low: Ints1d, high: Ints1d, lengths: Floats1d) -> Floats1d:
    n = len(lists)
    keys = low * n + high
    shortest = np.full(n, np.inf)
    np.minimum.at(shortest, low, lengths)
    np.minimum.at(shortest, high, lengths)
    lonely = np.flatnonzero(shortest > NEAR)
    lonely = lonely[np.argsort(-shortest[lonely], kind="stable")]
    lengths, taken = lengths.copy(), np.zeros(n, dtype=np.int64)
    for word in lonely.tolist():
        rank = _first_free(lists[word, :JOINED], taken)
        if rank:
            friend = int(lists[word, rank - 1])
            taken[friend] += 1
            edge = np.searchsorted(keys, min(word, friend) * n + max(word, friend))
            lengths[edge] = min(lengths[edge], OFFSET + 0.5 * np.log(rank))
    return lengths


def _first_free(neighbours: Ints1d, taken: Ints1d) -> int:
    """The rank of the first that may be taken once more, from 1 on; 0 where there is none."""
    for rank, word in enumerate(neighbours.tolist(), start=1):
        if word >= 0 and taken[word] < COMPANIONS:
            return rank
    return 0


def neighbour_lists(space: Space, parts: Ints1d, depth: int = RANKED) -> Ints2d:
    """(n, depth) rows by rising distance within the same part, -1 where there are no more."""
    from ..search.all_pairs import nearest_others  # a saved graph needs no search

    Y = with_classes(space)
    lists = np.full((len(space), min(depth, len(space) - 1)), -1, dtype=np.int64)
    for part in np.unique(parts):
        rows = np.flatnonzero(parts == part)
        found = nearest_others(Y[rows], min(lists.shape[1], len(rows) - 1))
        lists[rows, : found.shape[1]] = np.where(found < 0, -1, rows[found])
    return lists


def with_classes(space: Space) -> Floats2d:
    """float32 (n, d + number of classes): the vectors, and a dimension for each class.

    Words of one part of speech and form come first among the neighbours, and function words stay
    with their like. Vectors and classes are public, and a rank can be made of anything public.
    """
    X = np.ascontiguousarray(space.vectors, dtype=np.float32)
    if space.classes is None or not space.class_names:
        return X
    bits = [space.with_class(name) for name in space.class_names]
    weight = CLASS_WEIGHT * _typical_gap(X)
    return np.hstack([X, weight * np.stack(bits, axis=1).astype(np.float32)])


def _typical_gap(X: Floats2d, probes: int = 512) -> np.float32:
    """The median distance of a row to its nearest other."""
    from ..search.faiss_index import load_faiss

    rows = np.unique(np.linspace(0, len(X) - 1, probes).astype(np.int64))
    squares, _ = load_faiss().knn(X[rows], X, 2)
    return np.float32(np.sqrt(np.median(squares[:, 1])))
