"""How long the graph of a large space takes to learn, and how much memory:

    OMP_NUM_THREADS=2 python benchmarks/fits.py [--words 50000] [--dimensions 300]

A synthetic space whose norms and distances are like those of GloVe; its near words, the walks from
all of them, and beta of `dx.Path.v1`, each with the seconds by the clock and of the processor (all
threads together). Near words are held against a brute force for some of them.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
import synthetic

from spacy_dxprivacy import Space
from spacy_dxprivacy.mechanisms.path import exact_epsilon
from spacy_dxprivacy.metric import word_graph
from spacy_dxprivacy.metric.word_graph import WordGraph
from spacy_dxprivacy.privacy.noise import solved_beta
from spacy_dxprivacy.space.search.faiss_index import load_faiss

EPSILON = 2.2
PROBES = 300


def timed(what: str, work: Callable[[], Any]) -> Any:
    """What the work gives; prints how long it took."""
    processor, start = time.process_time(), time.perf_counter()
    found = work()
    took = time.perf_counter() - start, time.process_time() - processor
    print(f"  {what}: {took[0]:.1f} s, {took[1]:.1f} of the processor", flush=True)
    return found


def recall(space: Space, lists: np.ndarray) -> str:
    """The share of the nearest ten, and of all in the lists, that are found."""
    X = np.ascontiguousarray(space.vectors, dtype=np.float32)
    rows = np.random.default_rng(0).choice(len(X), PROBES, replace=False)
    exact = load_faiss().knn(X[rows], X, lists.shape[1] + 1)[1][:, 1:]
    shares = [
        np.mean([np.isin(a[:k], b[:k]).mean() for a, b in zip(exact, lists[rows], strict=True)])
        for k in (10, lists.shape[1])
    ]
    return f"{shares[0]:.3f} of the nearest 10, {shares[1]:.3f} of {lists.shape[1]}"


def walked(space: Space, lists: np.ndarray) -> WordGraph:
    """The graph, with these near words."""
    with patch.object(word_graph, "neighbour_lists", lambda *_: lists):
        return word_graph.build(space)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--words", type=int, default=50_000)
    parser.add_argument("--dimensions", type=int, default=300)
    given = parser.parse_args()
    n, d = given.words, given.dimensions
    space = Space.from_vectors(synthetic.words(n), synthetic.glove_like(n, d))
    print(f"{n:,} words x {d}")
    start, parts = time.perf_counter(), np.zeros(n, dtype=np.int64)
    lists = timed("near words", lambda: word_graph.neighbour_lists(space, parts))
    graph = timed("edges and walks", lambda: walked(space, lists))
    timed("beta", lambda: solved_beta(partial(exact_epsilon, graph), EPSILON))
    all_of_it = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"  all of it: {all_of_it:.1f} s; {peak:.2f} GB at most, with the vectors")
    print(f"  near words: {recall(space, lists)}")
    print(f"  a word reaches {graph.counts.sum(dtype=np.int64) / n:,.0f} others")


if __name__ == "__main__":
    main()
