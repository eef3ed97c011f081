"""One graph for a space: learned once, saved beside the space.

graph.json   format, the digest of the space, reach
starts.npy ends.npy steps.npy   edges of each word
counts.npy   (n, reach), how many words are at each distance

The arrays are mapped into memory. A sample of a graph that was read from files is compared with the
vectors: random words, which nobody can foresee, and those at which the normalisers Z are extreme or
steepest, since these make the epsilon that is stated. What is wrong for a few other words goes
unnoticed.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..arrays import Floats2d, Ints1d, Ints2d
from ..errors import DxError, Errors
from ..privacy.randomness import Rng
from ..space import Space, learned
from .word_graph import (
    JOINED,
    RANKED,
    WordGraph,
    build,
    edges,
    log_sums,
    reach_of,
    with_classes,
)

FORMAT = 1
NAME = "graph"
NEEDED = ("starts", "ends", "steps", "counts")


def to_fields(graph: WordGraph) -> dict[str, Any]:
    """Return the graph as fields for msgpack."""
    arrays = {name: getattr(graph, name) for name in NEEDED}
    about = {"format": FORMAT, "digest": graph.digest, "reach": graph.reach}
    return {"about": about, "arrays": arrays}


def from_fields(fields: dict[str, Any]) -> WordGraph:
    """Return the graph of the fields of to_fields. Raises ValueError for arrays that do not fit."""
    about, arrays = fields["about"], fields["arrays"]
    if about["format"] != FORMAT:
        raise ValueError("another format")
    starts, ends, steps, counts = (arrays[name] for name in NEEDED)
    n, reach = counts.shape
    edges_fit = len(starts) == n + 1 and len(ends) == len(steps) == starts[-1]
    if not edges_fit or reach != about["reach"] or ends.max(initial=0) >= n:
        raise ValueError("files that do not fit together")
    return WordGraph(about["digest"], reach, starts, ends, steps, counts)


SAMPLE = 32  # words whose shortest paths are searched again
JOINED_AGAIN = 3  # words whose neighbours are
# Edges of those that have to be alike. Few words that are near to nobody have shorter ones (of
# three words of the built-in space .76 were alike at least), nearly equal distances are ranked one
# way here and another there, and of more than 100,000 words some neighbours are missed.
ALIKE = 0.5
BETAS = (0.5, 1.0, 2.0, 4.0)  # at which extremes are looked for


def check_graph(graph: WordGraph, space: Space) -> None:
    """Raise DxError unless samples of a graph agree with the vectors of the space."""
    try:
        fits = len(graph) == len(space) and graph.reach == reach_of(len(space))
        if fits and _paths_agree(graph) and _edges_agree(graph, space):
            return
    except (ValueError, IndexError, TypeError):  # arrays that are no graph
        pass
    why = "its graph is not what its vectors give. Remove the folder of it, or learn it again."
    raise DxError(Errors.DX024.format(path=space.path or space.name, why=why))


def _paths_agree(graph: WordGraph) -> bool:
    """Return whether the words within reach agree with a search for shortest paths.

    Of random words, those with the largest and smallest Z, and where Z differs most on an edge.
    """
    low, high, steps = graph.edges
    words: list[Any] = Rng().integers(len(graph), SAMPLE).tolist()
    for beta in BETAS:
        logs = log_sums(graph, beta)
        words += [logs.argmax(), logs.argmin()]
        if len(low):
            steepest = (np.abs(logs[low] - logs[high]) / steps).argmax()
            words += [low[steepest], high[steepest]]
    rows = np.unique(words)
    return all(
        np.array_equal(reached.counts(graph.reach), graph.counts[rows[part]])
        for part, reached in graph.search(rows)
    )


def _edges_agree(graph: WordGraph, space: Space) -> bool:
    """Return whether most edges of a few words have the lengths of the ranks of their ends."""
    Y, n = with_classes(space), len(space)
    words = np.unique(Rng().integers(n, JOINED_AGAIN))
    nearest = _nearest(Y, words)
    around = np.concatenate([graph.search.edges_of(words)[1], nearest[:, :JOINED].ravel()])
    around_only = np.setdiff1d(around, np.append(words, -1))
    nearest = np.concatenate([nearest, _nearest(Y, around_only)])
    # By numbers among those that are met, since lists of all words would be mostly empty.
    met, places = np.unique(nearest, return_inverse=True)
    listed = np.unique(np.concatenate([met[met >= 0], words, around_only]))
    lists = np.full((len(listed), nearest.shape[1]), -1, dtype=np.int64)
    numbers = np.where(met < 0, -1, np.searchsorted(listed, met))[places].reshape(nearest.shape)
    lists[np.searchsorted(listed, np.concatenate([words, around_only]))] = numbers
    theirs = edges(lists)
    tables: list[dict[int, int]] = []  # edges at these words, by a number for both ends
    for low, high, steps in (graph.edges, (listed[theirs[0]], listed[theirs[1]], theirs[2])):
        at = np.isin(low, words) | np.isin(high, words)
        tables.append(dict(zip((low[at] * n + high[at]).tolist(), steps[at].tolist(), strict=True)))
    saved, expected = tables
    return len(saved.items() & expected.items()) >= ALIKE * len(saved.keys() | expected.keys())


def _nearest(Y: Floats2d, words: Ints1d) -> Ints2d:
    """Return the nearest words to each of k, (k, RANKED or fewer)."""
    from ..space.search.faiss_index import load_faiss

    depth = min(RANKED, len(Y) - 1)
    rows = load_faiss().knn(Y[words], Y, depth + 1)[1]
    pairs = zip(words.tolist(), rows, strict=True)
    lists = [neighbours[neighbours != word][:depth] for word, neighbours in pairs]
    return np.array(lists, dtype=np.int64).reshape(len(words), depth)


def graph_of(space: Space) -> WordGraph:
    """Return the graph of the space, built where there is none yet; raises as build does."""
    graph = stored_graph(space)
    if graph is None:
        graph = build(space)
        learned.keep(space, NAME, graph)
    return graph


def stored_graph(space: Space) -> WordGraph | None:
    """Return the graph of the space, where it is known already.

    Raises DxError for one that was read and is not what the vectors give.
    """
    graph: WordGraph | None = learned.find(space, NAME, partial(check_graph, space=space))
    return graph


CODEC = learned.Codec(lambda graph: NAME, to_fields, from_fields)
