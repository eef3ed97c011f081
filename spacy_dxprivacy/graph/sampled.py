"""A graph that was read from files, compared with what the vectors give.

Of few words the graph is learned again. Of more, some words are looked at: those that a generator
draws, which nobody can foresee, and those at which the sums Z are extreme or steepest, since these
make the epsilon that is stated. What is wrong for a few other words is not seen.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from ..arrays import Floats2d, Ints1d, Ints2d
from ..errors import DxError, Errors
from ..randomness import Rng
from ..search.faiss_codes import load_faiss
from ..space import Space
from ..tables import learned
from .edges import JOINED, RANKED, Edges, edges, with_classes
from .word_graph import WordGraph, build, log_sums, parts_of, reach_of

SAMPLE = 32  # words whose shortest paths are searched again
JOINED_AGAIN = 3  # words whose neighbours are
# Edges of those that have to be alike. Few words that are near to nobody have shorter ones (of
# three words of the built-in space .76 were alike at least), nearly equal distances are ranked one
# way here and another there, and of more than 100,000 words some neighbours are missed.
ALIKE = 0.5
BETAS = (0.5, 1.0, 2.0, 4.0)  # at which extremes are looked for


def check_graph(graph: WordGraph, space: Space) -> bool:
    """Whether it is, in all of it, what the space gives; False where that holds of samples.

    Raises:
        DxError: It is not.
    """
    try:
        fits = len(graph) == len(space) and graph.reach == reach_of(len(space))
        fits = fits and np.array_equal(graph.parts, parts_of(space, graph.keep))
        if fits and len(space) <= learned.FEW and _are_equal(graph, build(space, graph.keep)):
            return True
        if fits and _paths_agree(graph) and _edges_agree(graph, space):
            return False
    except (ValueError, IndexError, TypeError):  # arrays that are no graph
        pass
    where = space.path or Path(space.name)
    why = (
        "its graph is not what its vectors give. Remove the folder of the graph, or learn it again."
    )
    raise DxError(Errors.DX024.format(path=where, why=why))


def random_words(n: int, k: int) -> Ints1d:
    """k of n words, some perhaps twice."""
    return Rng().integers(n, k)


def _are_equal(one: WordGraph, other: WordGraph) -> bool:
    if one.lists is None:
        other = replace(other, lists=None)
    names = ("starts", "ends", "steps", "counts", "lists")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


def _paths_agree(graph: WordGraph) -> bool:
    """Whether the words within reach are those that a search for the shortest paths finds."""
    rows = np.unique(np.concatenate([random_words(len(graph), SAMPLE), _extremes(graph)]))
    ends = np.cumsum(graph.counts.sum(axis=1, dtype=np.int64))
    for part, walks in graph.walker(rows):
        if not np.array_equal(walks.counts(graph.reach), graph.counts[rows[part]]):
            return False
        words = np.split(walks.words, np.cumsum(walks.sizes)[:-1])
        for row, found in zip(rows[part].tolist(), words, strict=True):
            listed = (
                found if graph.lists is None else graph.lists[ends[row] - len(found) : ends[row]]
            )
            if not np.array_equal(found, listed):
                return False
    return True


def _extremes(graph: WordGraph) -> Ints1d:
    """The words with the largest and smallest Z, and the ends of the edge where it differs most."""
    low, high, steps = graph.edges
    found: list[int] = []
    for beta in BETAS:
        logs = log_sums(graph, beta)
        found += [int(logs.argmax()), int(logs.argmin())]
        if len(low):
            steepest = int((np.abs(logs[low] - logs[high]) / steps).argmax())
            found += [int(low[steepest]), int(high[steepest])]
    return np.array(found)


def _edges_agree(graph: WordGraph, space: Space) -> bool:
    """Whether most edges of a few words are as long as the ranks of their ends say."""
    words, Y, n = np.unique(random_words(len(space), JOINED_AGAIN)), with_classes(space), len(space)
    near = _nearest(Y, graph.parts, words)
    around = np.concatenate([graph.walker.edges_of(words)[1], near[:, :JOINED].ravel()])
    others = np.setdiff1d(around, np.append(words, -1))
    near = np.concatenate([near, _nearest(Y, graph.parts, others)])
    # By numbers among those that are met, since lists of all words would be mostly empty.
    met, places = np.unique(near, return_inverse=True)
    here = np.unique(np.concatenate([met[met >= 0], words, others]))
    lists = np.full((len(here), near.shape[1]), -1, dtype=np.int64)
    found = np.where(met < 0, -1, np.searchsorted(here, met))[places].reshape(near.shape)
    lists[np.searchsorted(here, np.concatenate([words, others]))] = found
    made = edges(lists)
    theirs = _lengths(Edges(here[made.low], here[made.high], made.steps), words, n)
    ours = _lengths(Edges(*graph.edges), words, n)
    alike = len(ours.items() & theirs.items())
    return alike >= ALIKE * len(ours.keys() | theirs.keys())


def _nearest(Y: Floats2d, parts: Ints1d, words: Ints1d) -> Ints2d:
    """(k, RANKED or fewer): the words of its part that are nearest to each of k; -1 for none."""
    lists = np.full((len(words), min(RANKED, len(Y) - 1)), -1, dtype=np.int64)
    for part in np.unique(parts[words]):
        rows, within = np.flatnonzero(parts[words] == part), np.flatnonzero(parts == part)
        depth = min(lists.shape[1] + 1, len(within))
        X = Y if len(within) == len(Y) else Y[within]
        found = within[load_faiss().knn(Y[words[rows]], X, depth)[1]]
        for row, near in zip(rows.tolist(), found, strict=True):
            others = near[near != words[row]][: lists.shape[1]]
            lists[row, : len(others)] = others
    return lists


def _lengths(some: Edges, words: Ints1d, n: int) -> dict[int, int]:
    """Of the edges at these words, each by a number for both of its ends."""
    at = np.isin(some.low, words) | np.isin(some.high, words)
    return dict(
        zip((some.low[at] * n + some.high[at]).tolist(), some.steps[at].tolist(), strict=True)
    )
