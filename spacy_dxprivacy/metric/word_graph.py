"""The graph of near words of a space, and the number of words at each distance from each word.

The graph takes time of about n log n. The numbers take a search from every word, which reaches a
quarter of all words or so: the square of n. Only dx.Path.v1 needs them.

A word is joined to its JOINED nearest words. The edge of w and v has length OFFSET + ln sqrt(r q),
where r and q are their ranks in each other's neighbour lists: short if each is among the nearest of
the other, long if one is a hub that is near to many. Lengths are rounded up to steps.

A word without a short edge (its neighbours all have nearer ones) gets a companion: the first of its
neighbours with fewer than MAX_COMPANIONS such words ranks it first. So nearly every word has a near
word, and no hub is near to all of them.

Any two words are joined by an edge of length `reach`. The length of the shortest path is a metric,
at most the reach. All of this is public.

Above 100,000 words, the neighbours are approximate. They are public all the same, and the metric is
defined by them: a missed neighbour changes which words are near, and not what epsilon promises.

It is saved beside the space:

graph.json   format, the digest of the space, reach
starts.npy ends.npy steps.npy   edges of each word
counts.npy   (n, reach), the number of words at each distance, if dx.Path.v1 was fitted

The arrays are mapped into memory. Samples of a graph from files are compared with the vectors:
random words, which nobody can predict, and words with extreme or steepest normalisers Z, which
determine the stated epsilon. Errors at a few other words are not detected.
"""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import cycle
from typing import Any

import numpy as np

from .. import progress
from ..arrays import Floats1d, Floats2d, Ints1d, Ints2d, Numbers1d, Numbers2d, blocks
from ..errors import DxError, DxWarning, Errors, Warnings
from ..files.checkpoint import Checkpoint
from ..machine import RowCache, map_ordered, product_threads
from ..privacy.randomness import Rng
from ..space import Space, learned
from .neighbourhoods import Neighbourhoods
from .path_search import PathSearch, Scratch

STEPS = 4  # steps of the grid in a unit of length
JOINED = 10
MAX_RANK = 100
OFFSET = 0.75
ISOLATED_ABOVE = 1.25  # length of its shortest edge, above which a word gets a companion
MAX_COMPANIONS = 2  # words with the same companion
CLASS_WEIGHT = 2.0  # of a class that one of two words has, in distances to the nearest word
MIN_WORDS = 3
RANKS_AT_ONCE = 65_536  # edges whose ranks are looked up
SLOW_FROM = 60_000  # words whose numbers are counted: above, a warning
BEYOND_ALL = 1.5  # the reach less ln n
KEPT_AT_ONCE = 4096  # words counted, after which their numbers are kept
MULTITHREAD_FROM = 5_000  # words: for fewer, one thread is faster
CACHE_BYTES = 2**28  # of words within reach
FORMAT = 1
NEEDED = ("starts", "ends", "steps")
COUNTS = "counts"


@dataclass(eq=False, repr=False)
class WordGraph:
    """The graph of one space. All lengths are in steps of the grid, STEPS to a unit.

    digest: that of the space. reach: the length of the edge between any two words.
    starts (n + 1,), ends (m,), steps (m,): the edges of each word, in both directions.
    counts (n, reach): the number of words at each distance, from 0 to reach - 1; None until
    `count_words` is called.
    """

    digest: str
    reach: int
    starts: Numbers1d
    ends: Numbers1d
    steps: Numbers1d
    counts: Numbers2d | None = None
    name = learned.GRAPH

    def __len__(self) -> int:
        return len(self.starts) - 1

    def count_words(self, checkpoint: Checkpoint | None = None) -> Numbers2d:
        """Return `counts`, which the first call computes by a search from every word, and warns of
        if they are many. What is counted is kept in the checkpoint."""
        if self.counts is None:
            if len(self) > SLOW_FROM:
                warnings.warn(Warnings.DX103.format(n=len(self)), DxWarning, stacklevel=2)
            self.counts = counts_of(self.search, checkpoint)
        return self.counts

    @cached_property
    def search(self) -> PathSearch:
        """The shortest-path search on the edges."""
        return PathSearch(self.starts, self.ends, self.steps, self.reach)

    @cached_property
    def _cache(self) -> RowCache:  # of words within reach and their steps
        return RowCache(CACHE_BYTES)

    @cached_property
    def reached(self) -> Neighbourhoods:
        """The words near a word, by rising distance."""
        return Neighbourhoods(self.search, self.count_words())

    @cached_property
    def edges(self) -> tuple[Ints1d, Ints1d, Ints1d]:
        """low, high, steps (m / 2,): each edge once."""
        low = np.repeat(np.arange(len(self)), np.diff(self.starts))
        once = low < self.ends
        return low[once], self.ends[once].astype(np.int64), self.steps[once].astype(np.int64)

    def to_fields(self) -> dict[str, Any]:
        """Return the graph as fields for msgpack."""
        arrays = {name: getattr(self, name) for name in NEEDED}
        if self.counts is not None:
            arrays[COUNTS] = self.counts
        about = {"format": FORMAT, "digest": self.digest, "reach": self.reach}
        return {"about": about, "arrays": arrays}

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> WordGraph:
        """Return the graph of to_fields. Raise ValueError for arrays that do not fit."""
        about, arrays = fields["about"], fields["arrays"]
        if about["format"] != FORMAT:
            raise ValueError("another format")
        starts, ends, steps = (arrays[name] for name in NEEDED)
        counts, n, reach = arrays.get(COUNTS), len(starts) - 1, int(about["reach"])
        edges_fit = len(ends) == len(steps) == starts[-1] and ends.max(initial=0) < n
        if not edges_fit or (counts is not None and counts.shape != (n, reach)):
            raise ValueError("files that do not fit together")
        return cls(about["digest"], reach, starts, ends, steps, counts)

    def beyond(self) -> Ints1d:
        """Return the number of words at the reach from each word, (n,)."""
        counts: Ints1d = len(self) - self.count_words().sum(axis=1, dtype=np.int64)
        return counts

    def distances(self, rows: Ints1d) -> Floats2d:
        """Return the distances of k words from all, float64 (k, n), in units of length."""
        cached, distinct = self._cache.find(rows.tolist()), np.unique(rows)
        missing = np.array([row for row in distinct.tolist() if row not in cached], dtype=np.int64)
        for part, ball in self.search(missing):
            cuts = np.cumsum(ball.sizes)[:-1]
            words = np.split(ball.words.astype(self.ends.dtype), cuts)
            steps = np.split(ball.steps.astype(self.steps.dtype), cuts)
            found = dict(zip(missing[part].tolist(), zip(words, steps, strict=True), strict=True))
            self._cache.add(found)
            cached |= found
        D: Floats2d = np.full((len(rows), len(self)), self.reach / STEPS)
        for row, distances in zip(rows.tolist(), D, strict=True):
            words_near, at = cached[row]
            distances[words_near] = at / STEPS
        return D


def build(space: Space, checkpoint: Checkpoint | None = None) -> WordGraph:
    """Build the graph of a public space, without counts.

    checkpoint: keeps what is learned; its basis should have `basis_of` this space. Raises DxError
    for fewer than 3 words, and if all vectors are equal.
    """
    n = len(space)
    if n < MIN_WORDS:
        raise DxError(Errors.DX043.format(why=f"this space has {n}", least=MIN_WORDS))
    if not (space.vectors != space.vectors[0]).any():
        raise DxError(Errors.DX043.format(why="all vectors are the same", least=MIN_WORDS))
    starts, ends, steps = both_ways(n, *edges(neighbour_lists(space, checkpoint)))
    ends = ends.astype(np.min_scalar_type(n - 1))
    arrays = (starts.astype(np.int32), ends, steps.astype(np.uint8))
    return WordGraph(space.digest, reach_of(n), *arrays)


def basis_of(space: Space) -> str:
    """Return what the graph of a space is made of."""
    classes = space.classes if space.classes is not None else np.zeros(0, dtype=np.uint64)
    named = f"{FORMAT} {space.digest} {','.join(space.class_names)} "
    return learned.basis_of(named + hashlib.sha256(classes.tobytes()).hexdigest())


def counts_of(search: PathSearch, checkpoint: Checkpoint | None = None) -> Numbers2d:
    """Return `counts` of a WordGraph, by as many threads as matrix products use."""
    n = search.n
    kept = (checkpoint or Checkpoint()).rows(COUNTS, (n, search.reach), np.min_scalar_type(n))
    counts, first = kept.array, kept.done

    def work(job: tuple[slice, Scratch]) -> slice:
        part, scratch = job
        reached = search.search(np.arange(part.start, part.stop), None, scratch, by_number=True)
        counts[part] = reached.counts(search.reach)
        return part

    bar = progress.bar(n, "words within reach", initial=first)
    with bar, product_threads(n >= MULTITHREAD_FROM) as threads:
        buffers = [search.scratch(search.at_once) for _ in range(threads + 1 if threads > 1 else 1)]
        parts = (slice(first + p.start, first + p.stop) for p in blocks(n - first, search.at_once))
        for part in map_ordered(work, zip(parts, cycle(buffers)), threads, len(buffers)):
            bar.update(part.stop - part.start)
            if part.stop == n or part.stop // KEPT_AT_ONCE > part.start // KEPT_AT_ONCE:
                kept.mark(part.stop)
    return np.array(counts)


def both_ways(n: int, low: Ints1d, high: Ints1d, steps: Ints1d) -> tuple[Ints1d, Ints1d, Ints1d]:
    """Return starts, ends and steps of each word by rising end, for edges in one direction."""
    from scipy.sparse import coo_array

    # Plus 1, since a sum of sparse tables drops zeros.
    one_way = coo_array((steps + 1, (low, high)), shape=(n, n)).tocsr()
    table = one_way + one_way.T.tocsr()
    table.sort_indices()
    starts, ends = table.indptr.astype(np.int64), table.indices.astype(np.int64)
    return starts, ends, table.data - 1


def reach_of(n: int) -> int:
    """Return the steps of the edge between any two of n words."""
    return round(STEPS * (float(np.log(n)) + BEYOND_ALL))


def log_sums(graph: WordGraph, beta: float) -> Floats1d:
    """Return ln Z (n,), Z_w the sum of exp(-beta path(w, y)) over all y: exact, from counts."""
    W = np.exp(-beta * np.arange(graph.reach) / STEPS)
    far = np.exp(-beta * graph.reach / STEPS)
    logs: Floats1d = np.log(graph.count_words() @ W + graph.beyond() * far)
    return logs


def edges(lists: Numbers2d) -> tuple[Ints1d, Ints1d, Ints1d]:
    """Return the edges (low, high, steps), low[i] < high[i], by neighbour lists: (n, MAX_RANK or
    fewer) rows by rising distance, -1 beyond the end of a list."""
    n = len(lists)
    nearest = lists[:, :JOINED].astype(np.int64)
    owner, place = np.nonzero(nearest >= 0)
    neighbour = nearest[owner, place]
    keys = np.unique(np.minimum(owner, neighbour) * n + np.maximum(owner, neighbour))
    low, high = keys // n, keys % n
    ranks = np.stack([_ranks(lists, low, high), _ranks(lists, high, low)], axis=1)
    lengths = OFFSET + 0.5 * np.log(ranks).sum(axis=1)
    shortest, guests = np.full(n, np.inf), np.zeros(n, dtype=np.int64)
    np.minimum.at(shortest, low, lengths)
    np.minimum.at(shortest, high, lengths)
    isolated = np.flatnonzero(shortest > ISOLATED_ABOVE)
    for word in isolated[np.argsort(-shortest[isolated], kind="stable")].tolist():
        for rank, companion in enumerate(lists[word, :JOINED].tolist(), start=1):
            if companion >= 0 and guests[companion] < MAX_COMPANIONS:
                guests[companion] += 1
                edge = np.searchsorted(keys, min(word, companion) * n + max(word, companion))
                lengths[edge] = min(lengths[edge], OFFSET + 0.5 * np.log(rank))
                break
    return low, high, np.ceil(lengths * STEPS - 1e-9).astype(np.int64)


def _ranks(lists: Numbers2d, words: Ints1d, others: Ints1d) -> Ints1d:
    """Return the rank of each of others (m,) in the list of its word, from 1; one more than the
    longest list for one that it lacks."""
    ranks = np.full(len(words), lists.shape[1] + 1, dtype=np.int64)
    for part in blocks(len(words), RANKS_AT_ONCE):
        listed = lists[words[part]] == others[part, None]
        has = np.flatnonzero(listed.any(axis=1))
        ranks[part.start + has] = 1 + listed[has].argmax(axis=1)
    return ranks


def neighbour_lists(space: Space, checkpoint: Checkpoint | None = None) -> Numbers2d:
    """Return the neighbours of words by rising distance, (n, MAX_RANK or fewer), -1 for none."""
    from ..space.search.all_pairs import neighbours_without_self  # a saved graph needs no search

    depth = min(MAX_RANK, len(space) - 1)
    return neighbours_without_self(with_classes(space), depth, checkpoint)


def with_classes(space: Space) -> Floats2d:
    """Append to the vectors a dimension for each class, float32 (n, d + number of classes), so that
    words of the same part of speech and form are nearest. Vectors and classes are public."""
    from ..space.search.faiss_index import load_faiss

    X = np.ascontiguousarray(space.vectors, dtype=np.float32)
    if space.classes is None or not space.class_names:
        return X
    bits = [space.with_class(name) for name in space.class_names]
    sampled = np.unique(np.linspace(0, len(X) - 1, 512).astype(np.int64))
    squares, _ = load_faiss().knn(X[sampled], X, 2)
    typical = np.float32(np.sqrt(np.median(squares[:, 1])))  # distance to the nearest other
    return np.hstack([X, CLASS_WEIGHT * typical * np.stack(bits, axis=1).astype(np.float32)])


# -- the graph of a space: built once, saved beside it -------------------------------------------

WORDS_CHECKED = 32  # words whose shortest paths are checked
EDGES_CHECKED = 3  # words whose edges are checked
# Share of their edges that has to agree. Companions, nearly equal distances, and, above 100,000
# words, approximate neighbours make some differ (.76 of the edges of three words of the built-in
# space agreed at least).
AGREEMENT = 0.5
BETAS_CHECKED = (0.5, 1.0, 2.0, 4.0)  # at which extremes are checked


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
    """Return whether the numbers of words within reach, if any, agree with a search, for random
    words, those with the largest and smallest Z, and the edge with the steepest ln Z."""
    counts = graph.counts
    if counts is None:
        return True
    low, high, steps = graph.edges
    words: list[Any] = Rng().integers(len(graph), WORDS_CHECKED).tolist()
    for beta in BETAS_CHECKED:
        logs = log_sums(graph, beta)
        words += [logs.argmax(), logs.argmin()]
        if len(low):
            steepest = (np.abs(logs[low] - logs[high]) / steps).argmax()
            words += [low[steepest], high[steepest]]
    rows = np.unique(words)
    return all(
        np.array_equal(reached.counts(graph.reach), counts[rows[part]])
        for part, reached in graph.search(rows)
    )


def _edges_agree(graph: WordGraph, space: Space) -> bool:
    """Return whether most edges of a few words have the lengths that ranks imply."""
    Y, n = with_classes(space), len(space)
    words = np.unique(Rng().integers(n, EDGES_CHECKED))
    nearest = _nearest(Y, words)
    around = np.concatenate([graph.search.edges_of(words)[1], nearest[:, :JOINED].ravel()])
    around_only = np.setdiff1d(around, np.append(words, -1))
    nearest = np.concatenate([nearest, _nearest(Y, around_only)])
    # Numbered among the listed words, since lists of all words would be mostly empty.
    distinct, places = np.unique(nearest, return_inverse=True)
    listed = np.unique(np.concatenate([distinct[distinct >= 0], words, around_only]))
    lists = np.full((len(listed), nearest.shape[1]), -1, dtype=np.int64)
    numbers = np.where(distinct < 0, -1, np.searchsorted(listed, distinct))
    rows = np.searchsorted(listed, np.concatenate([words, around_only]))
    lists[rows] = numbers[places].reshape(nearest.shape)
    implied = edges(lists)
    tables: list[dict[int, int]] = []  # edges at these words, by a number for both ends
    for low, high, steps in (graph.edges, (listed[implied[0]], listed[implied[1]], implied[2])):
        at = np.isin(low, words) | np.isin(high, words)
        tables.append(dict(zip((low[at] * n + high[at]).tolist(), steps[at].tolist(), strict=True)))
    saved, expected = tables
    return len(saved.items() & expected.items()) >= AGREEMENT * len(saved.keys() | expected.keys())


def _nearest(Y: Floats2d, words: Ints1d) -> Ints2d:
    """Return the nearest words of k words, (k, MAX_RANK or fewer)."""
    from ..space.search.faiss_index import load_faiss

    depth = min(MAX_RANK, len(Y) - 1)
    rows = load_faiss().knn(Y[words], Y, depth + 1)[1]
    pairs = zip(words.tolist(), rows, strict=True)
    lists = [neighbours[neighbours != word][:depth] for word, neighbours in pairs]
    return np.array(lists, dtype=np.int64).reshape(len(words), depth)


def graph_of(space: Space, checkpoint: Checkpoint | None = None) -> WordGraph:
    """Return the graph of the space, built if there is none yet. Raise as build does."""
    graph = stored_graph(space)
    if graph is None:
        graph = build(space, checkpoint)
        learned.keep(space, graph)
    return graph


def stored_graph(space: Space) -> WordGraph | None:
    """Return the graph of the space if it is built or stored. Raise DxError for a stored one that
    does not agree with the vectors."""
    check = partial(check_graph, space=space)
    return learned.find(space, WordGraph.name, WordGraph.from_fields, check)
