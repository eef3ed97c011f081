"""Spaces and texts made of random numbers, shaped like GloVe 300d and like English."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ROWS_PER_CLUSTER = 50
SHARED = 1 / 3  # cosine of two rows of a cluster; sets the distance to the nearest neighbour
LETTERS = "bcdghjklmnpqrstvwxyz"  # no f: the list of offensive words has a stem without vowels


def glove_like(n: int, d: int = 300, seed: int = 0) -> NDArray[np.float32]:
    """float32 (n, d): clusters of about 50 rows, norms 4 to 7.5, nearest neighbour at about 5.7."""
    rng = np.random.default_rng(seed)
    centres = _unit(rng.standard_normal((max(1, n // ROWS_PER_CLUSTER), d), dtype=np.float32))
    X = _unit(rng.standard_normal((n, d), dtype=np.float32))
    X *= np.float32(np.sqrt(1 - SHARED))
    X += np.float32(np.sqrt(SHARED)) * centres[rng.integers(len(centres), size=n)]
    _unit(X)
    X *= rng.uniform(4, 7.5, (n, 1)).astype(np.float32)
    return X


def words(n: int) -> list[str]:
    """n different strings, all consonants, which no tokenizer splits."""
    return ["".join(LETTERS[i // 20**place % 20] for place in range(5)) for i in range(n)]


def zipf_rows(n: int, k: int, seed: int = 1) -> NDArray[np.int64]:
    """k rows out of n, the r-th drawn with a frequency of about 1/r."""
    rng = np.random.default_rng(seed)
    cumulative = np.cumsum(1 / np.arange(1, n + 1))
    return np.searchsorted(cumulative, rng.random(k) * cumulative[-1]).astype(np.int64)


def texts(vocabulary: list[str], rows: NDArray[np.int64], words_per_text: int = 200) -> list[str]:
    """The words of these rows as texts, with a full stop after every 20."""
    stopped = [
        vocabulary[row] + ("." if i % 20 == 19 else "") for i, row in enumerate(rows.tolist())
    ]
    starts = range(0, len(stopped), words_per_text)
    return [" ".join(stopped[start : start + words_per_text]) for start in starts]


def _unit(X: NDArray[np.float32]) -> NDArray[np.float32]:
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X
