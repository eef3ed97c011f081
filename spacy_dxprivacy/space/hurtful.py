"""Words that demean are never an output, whatever came in.

They stay in the table, and go into the mechanism like any word: an input that is one of them is
drawn under the stated guarantee, and is not told apart as unknown. Where one of them was drawn, the
nearest word that is none comes out, by a fixed public function of what was drawn. That is
post-processing: the guarantee of the draw holds for what comes out, in which they do not occur.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ..about import DATA
from ..arrays import Bools1d, Floats2d, Ints1d, blocks
from .sources import OFFENSIVE, SpaceSource, read_words
from .space import Allowed, Space

HURTFUL = DATA / "hurtful.txt"
MOST_NUMBERS = 2**25  # of a table that is searched for the nearest: larger ones are not read for it
BLOCK_NUMBERS = 2**21  # distances at once: 16 MB


_found: WeakKeyDictionary[Space, Mapping[str, str]] = WeakKeyDictionary()


def stand_ins(space: Space) -> Mapping[str, str]:
    """For each word of the space that must not come out, the one that does: the nearest in the
    metric of the vectors, or, in a large table, the next one in the table."""
    if space not in _found:
        allowed = _allowed()
        bad = np.array([not allowed(word) for word in space.words], dtype=bool)
        _found[space] = {} if bad.all() else Instead(space, bad)
    return _found[space]


def allowed_by(source: SpaceSource) -> Allowed:
    """Which words may come out of a pipeline with this table: for editors, whose words need not be
    those of the table."""
    return _allowed() if source.spares else Allowed(None, source.excluded())


class Instead(Mapping[str, str]):
    """Looked for, of all of them at once, when the first one is asked for.

    bad: bool (n,), the words that must not come out, not all of them."""

    def __init__(self, space: Space, bad: Bools1d) -> None:
        # Not the space: it is the key by which this is kept as long as the space is there.
        self._words, self._vectors, self._bad = space.words, space.vectors, bad
        self._rows = {space.words[row]: row for row in np.flatnonzero(bad).tolist()}

    def __getitem__(self, word: str) -> str:
        return self._known[word]

    @cached_property
    def _known(self) -> dict[str, str]:
        rows = np.array(list(self._rows.values()), dtype=np.int64)
        small = self._vectors.size <= MOST_NUMBERS
        near = _nearest(self._vectors, rows, self._bad) if small else _next(rows, self._bad)
        found = [self._words[row] for row in near.tolist()]
        return dict(zip(self._rows, found, strict=True))

    def get(self, word: str, default: Any = None) -> Any:
        """Asked of every word that comes out: no exception for those that may."""
        return self[word] if word in self._rows else default

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


@lru_cache(maxsize=1)
def _allowed() -> Allowed:
    return Allowed(None, [*read_words(OFFENSIVE), *read_words(HURTFUL)])


def _nearest(vectors: Floats2d, rows: Ints1d, bad: Bools1d) -> Ints1d:
    A, found = vectors[rows].astype(np.float64), _next(rows, bad)
    least = np.full(len(rows), np.inf)
    for part in blocks(len(vectors), max(1, BLOCK_NUMBERS // len(rows))):
        B = vectors[part].astype(np.float64)
        S = np.einsum("nd,nd->n", B, B) - 2 * (A @ B.T)  # squares of distances, but for A's own
        S[:, bad[part]] = np.inf
        near = S.argmin(axis=1)
        nearer = S[np.arange(len(rows)), near] < least
        found[nearer] = part.start + near[nearer]
        least = np.minimum(least, S.min(axis=1))
    return found


def _next(rows: Ints1d, bad: Bools1d) -> Ints1d:
    good = np.flatnonzero(~bad)
    return good[np.searchsorted(good, rows) % len(good)]
