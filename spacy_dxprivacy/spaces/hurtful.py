"""Words that demean are never an output, whatever came in.

They stay in the table, and go into the mechanism like any word: an input that is one of them is
drawn under the stated guarantee, and is not told apart as unknown. Where one of them was drawn, the
nearest word that is none comes out, by a fixed public function of what was drawn. That is
post-processing: the guarantee of the draw holds for what comes out, in which they do not occur.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np

from ..arrays import Bools1d, Ints1d
from ..search.metric import neighbours
from ..space import Allowed, Space
from .sources import OFFENSIVE, read_words

HURTFUL = Path(__file__).parent.parent / "data" / "hurtful.txt"
MOST_NUMBERS = 2**25  # of a table that is searched for the nearest: larger ones are not read for it
NEAR = 64


_found: WeakKeyDictionary[Space, Mapping[str, str]] = WeakKeyDictionary()


def stand_ins(space: Space) -> Mapping[str, str]:
    """For each word of the space that must not come out, the one that does: the nearest in the
    metric of the vectors, or, in a large table, the next one in the table."""
    if space not in _found:
        _found[space] = _stand_ins(space)
    return _found[space]


def _stand_ins(space: Space) -> Mapping[str, str]:
    allowed = _allowed()
    bad = np.array([not allowed(word) for word in space.words], dtype=bool)
    rows = np.flatnonzero(bad)
    if not len(rows) or bad.all():
        return {}
    small = space.vectors.size <= MOST_NUMBERS
    instead = _nearest(space, rows, bad) if small else _next(rows, bad)
    pairs = zip(rows.tolist(), instead.tolist(), strict=True)
    return {space.words[row]: space.words[other] for row, other in pairs}


@lru_cache(maxsize=1)
def _allowed() -> Allowed:
    return Allowed(None, [*read_words(OFFENSIVE), *read_words(HURTFUL)])


def _nearest(space: Space, rows: Ints1d, bad: Bools1d) -> Ints1d:
    near = neighbours(space.vectors[rows], space.vectors, min(NEAR, len(space)))[0]
    first = np.argmax(~bad[near], axis=1)
    found = near[np.arange(len(rows)), first]
    instead: Ints1d = np.where(bad[found], _next(rows, bad), found)
    return instead


def _next(rows: Ints1d, bad: Bools1d) -> Ints1d:
    good = np.flatnonzero(~bad)
    instead: Ints1d = good[np.searchsorted(good, rows) % len(good)]
    return instead
