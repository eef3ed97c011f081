"""Blocked outputs: offensive and harmful words are replaced by substitutes, whatever the input is.

They stay in the table, and go into the mechanism like any word: an offensive input is sampled under
the stated guarantee, and is not treated as unknown. A sampled offensive word is replaced by the
nearest other word, a fixed public function of the sample. That is post-processing: the guarantee
holds for the output, in which they do not occur.
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

MORE_OFFENSIVE = DATA / "more_offensive.txt"
HARMFUL = DATA / "harmful.txt"
MOST_NUMBERS = 2**25  # of a table that is searched for the nearest: larger ones are not read for it
BLOCK_NUMBERS = 2**18  # distances at once: 2 MB, which a core has for itself

_substitutes: WeakKeyDictionary[Space, Mapping[str, str]] = WeakKeyDictionary()


def substitutes_of(space: Space) -> Mapping[str, str]:
    """Map each blocked word of the space to its substitute: the nearest word in the metric of the
    vectors, or, in a large table, the next one in the table."""
    if space not in _substitutes:
        allowed = _allowed()
        blocked = np.array([not allowed(word) for word in space.words], dtype=bool)
        _substitutes[space] = {} if blocked.all() else Substitutes(space, blocked)
    return _substitutes[space]


def allowed_by(source: SpaceSource) -> Allowed:
    """Return which words may come out of a pipeline with this table, for editors, whose words need
    not be those of the table."""
    return _allowed() if source.spares else Allowed(None, source.excluded())


class Substitutes(Mapping[str, str]):
    """Substitutes of blocked words (n,), all searched for at the first lookup."""

    def __init__(self, space: Space, blocked: Bools1d) -> None:
        # Not the space: it is the weak key of this.
        self._words, self._vectors, self._blocked = space.words, space.vectors, blocked
        self._rows = {space.words[row]: row for row in np.flatnonzero(blocked).tolist()}

    def __getitem__(self, word: str) -> str:
        return self._known[word]

    @cached_property
    def _known(self) -> dict[str, str]:
        rows = np.array(list(self._rows.values()), dtype=np.int64)
        substitutes = _nearest(self._vectors, rows, self._blocked)
        found = [self._words[row] for row in substitutes.tolist()]
        return dict(zip(self._rows, found, strict=True))

    def get(self, word: str, default: Any = None) -> Any:
        """Look up every word that comes out: no exception for those that may."""
        return self[word] if word in self._rows else default

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


@lru_cache(maxsize=1)
def _allowed() -> Allowed:
    lists = (OFFENSIVE, MORE_OFFENSIVE, HARMFUL)
    return Allowed(None, [word for path in lists for word in read_words(path)])


def _nearest(vectors: Floats2d, rows: Ints1d, bad: Bools1d) -> Ints1d:
    good = np.flatnonzero(~bad)
    found = good[np.searchsorted(good, rows) % len(good)]  # the next ones in the table
    if vectors.size > MOST_NUMBERS:
        return found
    A = -2 * vectors[rows].astype(np.float64)
    least, each = np.full(len(rows), np.inf), np.arange(len(rows))
    for part in blocks(len(vectors), max(1, BLOCK_NUMBERS // len(rows))):
        B = vectors[part].astype(np.float64)
        lengths = np.einsum("nd,nd->n", B, B)
        lengths[bad[part]] = np.inf
        S = A @ B.T  # squares of distances, but for A's own
        S += lengths
        near = S.argmin(axis=1)
        nearer = S[each, near] < least
        found[nearer] = part.start + near[nearer]
        least = np.minimum(least, S[each, near])
    return found
