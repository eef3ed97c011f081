"""Vectors: personalised PageRank on two graphs, PPMI, SVD, a block of types, PCA."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.extmath import randomized_svd

from builtin_space.graph import Graph
from builtin_space.vocabulary import Word

Matrix = NDArray[np.float64]

DAMPING = 0.85
STEPS = 6
KEEP = 400  # nodes kept of a walk after each step
CHUNK = 500  # rows walked at once
SVD_DIMS = 150
SINGULAR_POWER = 0.25
COLUMN_POWER = 0.75
RELATION_WEIGHT = 0.65
TYPE_WEIGHT = 0.2
FORM_WEIGHT = 1.0
FORM_SHARPNESS = 2.0
CAPITAL = 0.5
PART = 0.45
PART_COLUMNS = {"v": 1, "a": 2}
OTHER_CODES = ("capital", "verb", "adjective")
FORM_CODES: dict[str, dict[str, float]] = {
    name: {name: 1.0}
    for name in "plural past gerund third_person comparative superlative adverb".split()
} | {"past_participle": {"past": 0.3, "past_participle": math.sqrt(0.91)}}
BASE_FEATURE = 1.0
FORM_FEATURE = 1.0
GROUP_FEATURE = 0.5
LISTS = ("first_name", "surname", "city")
NAME_SHARE = 0.05


def walk(graph: Graph, start: sparse.csr_array) -> sparse.csr_array:
    """Truncated personalised PageRank of each row of ``start``; (words, nodes), rows sum to 1."""
    distinct, place = _distinct_rows(start)
    chunks = [
        _walk_chunk(graph.transition, start[distinct[begin : begin + CHUNK]])
        for begin in range(0, len(distinct), CHUNK)
    ]
    return sparse.csr_array(sparse.csr_array(sparse.vstack(chunks, format="csr"))[place])


def _distinct_rows(matrix: sparse.csr_array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows that differ, and for each row its place among them (many names start alike)."""
    first: dict[bytes, int] = {}
    distinct: list[int] = []
    place: list[int] = []
    for row, (begin, end) in enumerate(zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)):
        values = np.round(matrix.data[begin:end], 2)
        key = matrix.indices[begin:end].tobytes() + values.tobytes()
        if key not in first:
            first[key] = len(distinct)
            distinct.append(row)
        place.append(first[key])
    return np.array(distinct, dtype=np.int64), np.array(place, dtype=np.int64)


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


def pca(X: Matrix, dims: int, weights: NDArray[np.float64]) -> Matrix:
    """Principal components of weighted rows, with fixed signs; (words, dims)."""
    share = weights / weights.sum()
    centred = X - share @ X
    _, axes = np.linalg.eigh((centred * share[:, None]).T @ centred)
    largest = axes[:, ::-1][:, :dims]
    signs = np.sign(largest[np.abs(largest).argmax(axis=0), np.arange(dims)])
    return np.asarray(centred @ (largest * signs))


def type_block(words: Sequence[Word]) -> Matrix:
    """Parts of speech, forms, groups and case of each word; rows of norm 1."""
    features: dict[str, int] = {}
    cells: list[tuple[int, int, float]] = []
    for row, word in enumerate(words):
        for name, value in sorted(type_features(word).items()):
            cells.append((row, features.setdefault(name, len(features)), value))
    rows, columns, values = zip(*cells, strict=True)
    table = sparse.csr_array((values, (rows, columns)), shape=(len(words), len(features)))
    return unit(np.asarray(table.todense(), dtype=np.float64))


def type_features(word: Word) -> dict[str, float]:
    found: dict[str, float] = defaultdict(float)
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
    """Unit rows (words, dims): principal components, and a code of the inflected form.

    The form has dimensions of its own, in which base forms are zero: PCA would drop the rarer
    forms, and a type block strong enough to keep them costs the meaning of all words.
    """
    types = type_block(words) * TYPE_WEIGHT
    joined = unit(np.hstack([relation * RELATION_WEIGHT, gloss, types]))
    meaning = unit(pca(joined, dims - len(FORM_CODES) - len(OTHER_CODES), row_weights(words)))
    return unit(np.hstack([meaning, form_block(words)]))


def form_block(words: Sequence[Word]) -> Matrix:
    """Codes of each word's inflected form, part of speech and case; (words, codes)."""
    names = list(FORM_CODES)
    forms = np.zeros((len(words), len(names)))
    others = np.zeros((len(words), len(OTHER_CODES)))
    for row, word in enumerate(words):
        others[row, 0] = CAPITAL * word.text[0].isupper()
        for reading in word.readings:
            code = reading.form or ("adverb" if reading.part == "r" else "")
            for name, value in FORM_CODES.get(code, {}).items():
                forms[row, names.index(name)] += reading.weight * value
            if reading.part in PART_COLUMNS:
                others[row, PART_COLUMNS[reading.part]] += PART * reading.weight
    norms = np.linalg.norm(forms, axis=1, keepdims=True)
    sharp = np.minimum(1, FORM_SHARPNESS * norms) / np.where(norms > 0, norms, 1)
    return np.hstack([forms * sharp * FORM_WEIGHT, others])


def row_weights(words: Sequence[Word]) -> NDArray[np.float64]:
    """How much each row counts for the PCA: names less, since their lists are long."""
    named = [any(g.startswith(LISTS) for g in word.groups) for word in words]
    return np.where(named, NAME_SHARE, 1.0)


def fit_rows(words: Sequence[Word]) -> NDArray[np.int64]:
    """Rows the SVD is fitted on: the commonest base forms, and some capitalised words."""
    base = [i for i, w in enumerate(words) if any(r.form is None for r in w.readings)]
    plain = [i for i in base if words[i].text.islower()][:10000]
    proper = [i for i in base if words[i].text[0].isupper()][:1000]
    return np.array(sorted(plain + proper), dtype=np.int64)
