"""The last steps: rows that coincide are parted, files are written."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from builtin_space.embed import Matrix, unit
from spacy_dxprivacy.space import Space

CLOSE = 0.08  # rows nearer than this to another one are moved
JITTER = 0.15  # by a vector of about this norm, which the spelling decides
DERIVED_JITTER = 0.4
LENGTH = 5.0  # of the rows that are shipped: about that of GloVe's, so that epsilon is as there


def part_twins(words: Sequence[str], X: Matrix, derived: NDArray[np.bool_]) -> Matrix:
    """Moves every row that (almost) coincides with another; the same words give the same rows."""
    jitter = np.where(nearest_distance(X) < CLOSE, JITTER, 0.0)
    jitter = np.where(derived, DERIVED_JITTER, jitter)
    moved = X.copy()
    for row in np.flatnonzero(jitter).tolist():
        moved[row] += jitter[row] * spelling_noise(words[row], X.shape[1])
    return unit(moved)


def spelling_noise(word: str, dims: int) -> NDArray[np.float64]:
    """A unit vector that the word's spelling alone decides."""
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
    noise = np.random.Generator(np.random.PCG64(seed)).standard_normal(dims)
    return noise / np.linalg.norm(noise)


def nearest_distance(X: Matrix, block: int = 1000) -> NDArray[np.float64]:
    """Distance of each unit row to its nearest other row."""
    best = np.empty(len(X))
    table = X.astype(np.float32)
    for begin in range(0, len(X), block):
        cosine = table[begin : begin + block] @ table.T
        rows = np.arange(len(cosine))
        cosine[rows, begin + rows] = -1
        best[begin : begin + block] = cosine.max(axis=1)
    return np.sqrt(np.maximum(0, 2 - 2 * best))


def write(
    out: Path, words: Sequence[str], X: Matrix, masks: NDArray[np.uint64], names: Sequence[str]
) -> None:
    """Saves the table as the package reads it: int8 rows, with a scale each. X: unit rows."""
    Y = (LENGTH * X).astype(np.float32)
    scales = np.abs(Y).max(axis=1) / np.float32(127)
    codes = np.rint(Y / scales[:, None]).astype(np.int8)
    rounded = codes.astype(np.float32) * scales[:, None]
    Space.from_vectors(words, rounded, classes=masks, class_names=names, name="dx_en").save(out)
    np.save(out / "vectors.npy", codes)
    np.save(out / "scales.npy", scales)
