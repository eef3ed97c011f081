"""Look up the words near a word, in lists that are searched on demand and cached.

The cache and its size have no influence on the results.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bools1d, Ints1d, Numbers1d, Numbers2d
from ..machine import RowCache
from .path_search import PathSearch

POOL_BYTES = 2**26  # of cached reached sets: 64 MB
STEPS_AT_ONCE = 6  # search depths are multiples of this


class Neighbourhoods:
    """The words near each word by rising distance, itself first, searched on demand. counts: (n,
    reach), the number of words at each distance."""

    def __init__(self, search: PathSearch, counts: Numbers2d) -> None:
        self._search, self._counts = search, counts
        self._cache = RowCache(POOL_BYTES)

    def at(self, rows: Ints1d, places: Ints1d) -> Ints1d:
        """Return the words at these places of the lists of k rows, shape (k,)."""
        distinct, inverse = np.unique(rows, return_inverse=True)
        farthest = np.zeros(len(distinct), dtype=np.int64)
        np.maximum.at(farthest, inverse, places)
        lists = self._lists_of(distinct, farthest)
        words_at = np.empty(len(rows), dtype=np.int64)
        cells = np.split(np.argsort(inverse, kind="stable"), np.cumsum(np.bincount(inverse))[:-1])
        for cell, words in zip(cells, lists, strict=False):  # without rows: one empty cell
            words_at[cell] = words[places[cell]]
        return words_at

    def are_near(self, rows: Ints1d, targets: Ints1d) -> Bools1d:
        """Return whether the path from each row to its target is below the reach, bool (k,).

        The search is from both ends: on a path, the last word within some distance of one end is
        followed by a word within the remaining distance of the other. Results for rows are often
        cached, so the search from targets is the shorter one.
        """
        if not len(rows):
            return np.zeros(0, dtype=bool)
        n, longest = self._search.n, self._search.reach - 1
        far = 3 * longest // 8
        owners, words, steps = self._within(rows, longest - far - 1)
        target_owners, ends, end_steps = self._within(targets, far)
        over, to, lengths = self._search.edges_of(words)
        keys = np.concatenate([owners * n + words, owners[over] * n + to])
        lengths = np.concatenate([steps, steps[over] + lengths])
        order = np.argsort(target_owners * n + ends)
        target_keys, end_steps = (target_owners * n + ends)[order], end_steps[order]
        places = np.minimum(np.searchsorted(target_keys, keys), len(target_keys) - 1)
        joined = (target_keys[places] == keys) & (lengths + end_steps[places] <= longest)
        are_joined: Bools1d = np.bincount(keys[joined] // n, minlength=len(rows)) > 0
        return are_joined

    def _within(self, rows: Ints1d, depth: int) -> tuple[Ints1d, Ints1d, Ints1d]:
        """Return the index of the row, the word, and its steps, for words within `depth` steps."""
        counts = self._counts[rows, : depth + 1].astype(np.int64)
        sizes = counts.sum(axis=1)
        distinct, first, inverse = np.unique(rows, return_index=True, return_inverse=True)
        lists = self._lists_of(distinct, sizes[first] - 1)
        words = [lists[i][:size] for i, size in zip(inverse.tolist(), sizes.tolist(), strict=True)]
        steps = np.repeat(np.tile(np.arange(depth + 1), len(rows)), counts.reshape(-1))
        return np.repeat(np.arange(len(rows)), sizes), np.concatenate(words).astype(np.int64), steps

    def _lists_of(self, rows: Ints1d, least: Ints1d) -> list[Numbers1d]:
        """Return the list of each of k different rows, up to place `least` (k,) or beyond."""
        cached, nothing = self._cache.find(rows.tolist()), (np.empty(0, dtype=np.int64),)
        words_of = [cached.get(row, nothing)[0] for row in rows.tolist()]
        lengths = np.array([len(words) for words in words_of], dtype=np.int64)
        too_short = np.flatnonzero(lengths <= least)
        # Deeper than needed, so that few searches are repeated.
        ends = np.cumsum(self._counts[rows[too_short]], axis=1, dtype=np.int64)
        depths = (ends <= least[too_short, None]).sum(axis=1)
        depths = np.maximum(1, -(-depths // STEPS_AT_ONCE)) * STEPS_AT_ONCE
        depths = np.minimum(depths, self._search.reach - 1)
        for part, reached in self._search(rows[too_short], depths):
            words = reached.words.astype(np.min_scalar_type(self._search.n - 1))
            lists = np.split(words, np.cumsum(reached.sizes)[:-1])
            for i, words_near in zip(too_short[part].tolist(), lists, strict=True):
                words_of[i] = words_near
            self._cache.add(dict(zip(rows[too_short[part]].tolist(), zip(lists), strict=True)))
        return words_of
