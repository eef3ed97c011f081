"""What is publicly known of words, beside their vectors: classes, frequency, opposites.

The built-in space knows it of its own words; of the words of another space it is known by their
spelling.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ..arrays import Bools1d, Floats1d, Ints1d
from ..space import BUILTIN, Space

PROPER = (
    "first_name", "surname", "city", "country", "state", "region", "nationality", "month",
    "weekday", "year", "number", "ordinal",
)  # fmt: skip
FUNCTION = (
    "pronoun", "possessive", "determiner", "preposition", "conjunction", "auxiliary", "modal",
    "wh_word", "adverb_particle", "adverb_function",
)  # fmt: skip


UNIT = 63  # steps of a place in axes.npz


@dataclass(frozen=True, eq=False, repr=False)
class Features:
    """bool (n,) each. axes: csr float32 (n, A), places from -1 to 1; the first axis is sentiment.
    known: how many of the words are known at all."""

    proper: Bools1d
    function: Bools1d
    negation: Bools1d
    unit: Bools1d
    rare: Bools1d
    axes: Any
    known: int

    def apart(self, low: Ints1d, high: Ints1d, sentiment: float) -> Floats1d:
        """(m,): the largest step along any axis, for each edge; that of sentiment counts by its
        share."""
        weights = np.ones(self.axes.shape[1], dtype=np.float32)
        weights[0] = sentiment
        steps = abs(self.axes[low] - self.axes[high]).multiply(weights[None, :])
        largest: Floats1d = np.asarray(steps.max(axis=1).todense()).reshape(-1)
        return largest

    def of(self, rows: Ints1d) -> Features:
        """rows: (n,) rows of this table, -1 where a word is not in it -> features of n words."""
        known = rows >= 0
        pick = np.where(known, rows, 0)
        flags = (self.proper, self.function, self.negation, self.unit)
        proper, function, negation, unit = (flag[pick] & known for flag in flags)
        axes, rare = self.axes[pick].multiply(known[:, None]).tocsr(), self.rare[pick] | ~known
        return Features(proper, function, negation, unit, rare, axes, int(known.sum()))


def features_of(space: Space) -> Features:
    """Of the words of a space, by their spelling, exact case first."""
    rows = builtin_rows(space)
    return builtin_features().of(rows)


def builtin_rows(space: Space) -> Ints1d:
    """(n,): the row of each word of a space in the built-in one, -1 where it is not there."""
    ours = Space.builtin()
    if space is ours or space.digest == ours.digest:
        return np.arange(len(ours))
    return ours.find_all(space.words)


@lru_cache(maxsize=1)
def builtin_features() -> Features:
    """Of the words of the built-in space: its classes, and what lies beside it in axes.npz."""
    from scipy.sparse import csr_array

    space = Space.builtin()
    n = len(space)
    with np.load(BUILTIN / "axes.npz") as saved:
        shape = (n, int(saved["axes"]))
        places = saved["places"].astype(np.float32) / UNIT
        axes = csr_array((places, saved["indices"], saved["indptr"]), shape=shape)
        rare, negation = (np.unpackbits(saved[k], count=n) > 0 for k in ("rare", "negation"))
    function = _any(space, FUNCTION)
    proper = _any(space, PROPER) & ~function
    return Features(proper, function, negation, space.with_class("unit"), rare, axes, n)


def _any(space: Space, names: tuple[str, ...]) -> Bools1d:
    found = np.zeros(len(space), dtype=bool)
    for name in names:
        found |= space.with_class(name)
    return found
