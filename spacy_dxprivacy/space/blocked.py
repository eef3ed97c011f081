"""Substitute blocked outputs: offensive and harmful words are never released.

They stay in the space, so that an offensive input is sampled under the stated guarantee like any
word. A sampled blocked word is replaced by its substitute, the nearest other word. This is a fixed
public function of the sample, and so post-processing.
"""

from __future__ import annotations

from functools import lru_cache
from weakref import WeakKeyDictionary

import numpy as np

from ..about import DATA
from ..arrays import Bools1d, Floats2d, Ints1d, blocks
from ..files.word_lists import read_words
from .space import Allowed, Space

OFFENSIVE = DATA / "offensive.txt"
MORE_OFFENSIVE = DATA / "more_offensive.txt"
HARMFUL = DATA / "harmful.txt"
MAX_NUMBERS = 2**25  # of a table that is searched for nearest words
DISTANCES_AT_ONCE = 2**18  # 2 MB, which fits the cache of a core

_blocked: WeakKeyDictionary[Space, frozenset[str]] = WeakKeyDictionary()
_substitutes: WeakKeyDictionary[Space, dict[str, str]] = WeakKeyDictionary()


def blocked_words(space: Space) -> frozenset[str]:
    """Return the words of the space that are never released; none if that would be all."""
    if space not in _blocked:
        allowed = allowed_words()
        words = frozenset(word for word in space.words if not allowed(word))
        _blocked[space] = words if len(words) < len(space) else frozenset()
    return _blocked[space]


def substitutes_of(space: Space) -> dict[str, str]:
    """Return the substitute of each blocked word of the space: the Euclidean nearest word, or, in a
    large space, the next word in the table. The first call searches them all."""
    if space not in _substitutes:
        words, blocked = space.words, blocked_words(space)
        is_blocked = np.array([word in blocked for word in words], dtype=bool)
        rows = np.flatnonzero(is_blocked)
        nearest = _nearest(space.vectors, rows, is_blocked) if len(rows) else rows
        pairs = zip(rows.tolist(), nearest.tolist(), strict=True)
        _substitutes[space] = {words[row]: words[substitute] for row, substitute in pairs}
    return _substitutes[space]


@lru_cache(maxsize=1)
def allowed_words() -> Allowed:
    """Return the predicate of the words that are not blocked."""
    lists = (OFFENSIVE, MORE_OFFENSIVE, HARMFUL)
    return Allowed(None, [word for path in lists for word in read_words(path)])


def _nearest(vectors: Floats2d, rows: Ints1d, blocked: Bools1d) -> Ints1d:
    """Return the nearest rows that are not blocked; in a large table, the next ones."""
    allowed = np.flatnonzero(~blocked)
    nearest = allowed[np.searchsorted(allowed, rows) % len(allowed)]
    if vectors.size > MAX_NUMBERS:
        return nearest
    A = -2 * vectors[rows].astype(np.float64)
    least, places = np.full(len(rows), np.inf), np.arange(len(rows))
    for part in blocks(len(vectors), max(1, DISTANCES_AT_ONCE // len(rows))):
        B = vectors[part].astype(np.float64)
        lengths = np.einsum("nd,nd->n", B, B)
        lengths[blocked[part]] = np.inf
        S = A @ B.T  # squared distances, less the squares of A
        S += lengths
        candidates = S.argmin(axis=1)
        nearer = S[places, candidates] < least
        nearest[nearer] = part.start + candidates[nearer]
        least = np.minimum(least, S[places, candidates])
    return nearest
