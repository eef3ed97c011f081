"""Vectors: personalised PageRank on two graphs, PPMI, SVD, a block of types, PCA."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.extmath import randomized_svd, svd_flip

from builtin_space.graph import Graph
from builtin_space.vocabulary import Word

Matrix = NDArray[np.float64]

DAMPING = 0.85
STEPS = 6
KEEP = 500  # nodes kept of a walk after each step
CHUNK = 500  # rows walked at once
SVD_DIMS = 150
SINGULAR_POWER = 0.25
COLUMN_POWER = 0.75
RELATION_WEIGHT = 0.8
TYPE_WEIGHT = 0.55
BASE_FEATURE = 1.0
FORM_FEATURE = 1.6
GROUP_FEATURE = 1.5
LISTS = ("first_name", "surname", "city")
NAMES_FITTED = 3000


def walk(graph: Graph, start: sparse.csr_array) -> sparse.csr_array:
    """Truncated personalised PageRank of each row of ``start``; (words, nodes), rows sum to 1."""
    chunks = [
        _walk_chunk(graph.transition, start[begin : begin + CHUNK])
        for begin in range(0, start.shape[0], CHUNK)
    ]
    return sparse.csr_array(sparse.vstack(chunks, format="csr"))


def _walk_chunk(transition: sparse.csr_array, start: sparse.csr_array) -> sparse.csr_array:
    restart = (start * (1 - DAMPING)).astype(np.float32)
    state = start.astype(np.float32)
    for _ in range(STEPS):
        state = _truncate(sparse.csr_array(restart + (state @ transition) * np.float32(DAMPING)))
    return state


def _truncate(matrix: sparse.csr_array) -> sparse.csr_array:
    """The KEEP largest entries of each row, scaled to sum to 1."""
    kept = []
    for begin, end in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True):
        values = matrix.data[begin:end]
        top = np.arange(end - begin)
        if end - begin > KEEP:
            top = np.sort(np.argpartition(-values, KEEP)[:KEEP])
        kept.append((matrix.indices[begin:end][top], values[top] / values[top].sum()))
    lengths = np.cumsum([0] + [len(columns) for columns, _ in kept])
    columns = np.concatenate([columns for columns, _ in kept])
    data = np.concatenate([values for _, values in kept])
    return sparse.csr_array((data, columns, lengths), shape=matrix.shape)


def ppmi(counts: sparse.csr_array, fit: NDArray[np.int64]) -> sparse.csr_array:
    """Positive pointwise mutual information; column masses come from the rows ``fit`` alone."""
    mass = np.asarray(counts[fit].sum(axis=0)).ravel() ** COLUMN_POWER
    chance = mass / mass.sum()
    scaled = counts.tocoo()
    columns = scaled.coords[1]
    seen = chance[columns] > 0
    values = np.log(scaled.data[seen] / chance[columns[seen]])
    positive = values > 0
    coords = (scaled.coords[0][seen][positive], columns[seen][positive])
    return sparse.csr_array((values[positive], coords), shape=counts.shape)


def reduce(table: sparse.csr_array, fit: NDArray[np.int64]) -> Matrix:
    """SVD fitted on the rows ``fit``, every row projected, rows of norm 1; (words, SVD_DIMS)."""
    _, singular, components = randomized_svd(
        table[fit], n_components=SVD_DIMS, n_iter=4, random_state=0
    )
    projected = (table @ components.T) * singular ** (SINGULAR_POWER - 1)
    return unit(projected)


def unit(X: Matrix) -> Matrix:
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(norms > 0, norms, 1)


def pca(X: Matrix, dims: int, fit: NDArray[np.int64]) -> Matrix:
    """Principal components of the rows ``fit``, with fixed signs; every row projected."""
    centred = X - X[fit].mean(axis=0)
    u, _, axes = np.linalg.svd(centred[fit], full_matrices=False)
    _, axes = svd_flip(u, axes, u_based_decision=False)
    return np.asarray(centred @ axes[:dims].T)


def type_block(words: Sequence[Word]) -> Matrix:
    """Parts of speech, forms, groups and case of each word; rows of norm 1."""
    features: dict[str, int] = {}
    cells: list[tuple[int, int, float]] = []
    for row, word in enumerate(words):
        for name, value in sorted(type_features(word).items()):
            cells.append((row, features.setdefault(name, len(features)), value))
    rows, columns, values = zip(*cells, strict=True)
    table = sparse.csr_array((values, (rows, columns)), shape=(len(words), len(features)))
    dense = np.asarray(table.todense(), dtype=np.float64)
    return unit(dense)


def type_features(word: Word) -> dict[str, float]:
    found: Counter[str] = Counter()
    for reading in word.readings:
        found["part:" + reading.part] += reading.weight
        form = FORM_FEATURE if reading.form else BASE_FEATURE
        found[f"{reading.part}:{reading.form or 'base'}"] += form * reading.weight
        found[f"form:{reading.form}"] += reading.weight
    for group, share in word.groups.items():
        for depth in range(1, group.count("/") + 2):
            found["g:" + "/".join(group.split("/")[:depth])] += GROUP_FEATURE * math.sqrt(share)
    if "proper" in word.classes:
        found["proper"] = 1.0
    return dict(found) or {"none": 1.0}


def view(graph: Graph, start: sparse.csr_array, fit: NDArray[np.int64]) -> Matrix:
    """What one graph says of each word; unit rows (words, SVD_DIMS)."""
    return reduce(ppmi(walk(graph, start), fit), fit)


def combine(relation: Matrix, gloss: Matrix, words: Sequence[Word], dims: int) -> Matrix:
    """Unit rows (words, dims)."""
    types = type_block(words) * TYPE_WEIGHT
    joined = unit(np.hstack([relation * RELATION_WEIGHT, gloss, types]))
    return unit(pca(joined, dims, balanced_rows(words)))


def balanced_rows(words: Sequence[Word]) -> NDArray[np.int64]:
    """Rows the PCA is fitted on: all common words, and the commoner names."""
    named = [any(g.startswith(LISTS) for g in word.groups) for word in words]
    rows = [i for i, listed in enumerate(named) if not listed]
    listed_rows = [i for i, listed in enumerate(named) if listed]
    return np.array(sorted(rows + listed_rows[:NAMES_FITTED]), dtype=np.int64)


def fit_rows(words: Sequence[Word]) -> NDArray[np.int64]:
    """Rows the SVD is fitted on: the commonest base forms, and some capitalised words."""
    base = [i for i, w in enumerate(words) if any(r.form is None for r in w.readings)]
    plain = [i for i in base if words[i].text.islower()][:10000]
    proper = [i for i in base if words[i].text[0].isupper()][:1000]
    return np.array(sorted(plain + proper), dtype=np.int64)
