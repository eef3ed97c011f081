"""Contexts of two words as further states of a chain of word pairs: exact beyond pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats1d, Ints1d

BEGIN = -1  # as the first word of a context: the second one begins a sentence
# Of a context by its base: so every type can follow, and float32 holds all sums
# (docs/explanation/sentences.md).
LEAST_LOWER = 1e-3
NO_KEY = -(2**62)


@dataclass(frozen=True, eq=False, repr=False)
class Contexts:
    """C different contexts (x, y): P(z | x, y) = lower P(z | y) + more[z]."""

    x: Ints1d  # (C,), types of words, or BEGIN
    y: Ints1d  # (C,)
    lower: Floats1d  # (C,)
    end: Floats1d  # (C,), as Chain has it
    more: Any  # csr float64 (C, K), not negative

    def some(self, which: Any) -> Contexts:
        """Return those that a mask or an order picks."""
        return Contexts(
            *(part[which] for part in (self.x, self.y, self.lower, self.end, self.more))
        )


def with_contexts(pairs: Mapping[str, Any], contexts: Contexts) -> dict[str, Any]:
    """Return the fields of a chain, in float64, with contexts as states.

    A share f of P(y | x) comes by back-off to y, which forgets x. What follows the context makes up
    for it, exactly where lower is at least f:

        P(z | x, y) = f P(z | y) + (1 - f) T[c, z]

    Contexts are left out where no listed pair leads to them.

    Args:
        pairs: The fields of a chain without contexts.
        contexts: Of its types.
    """
    from scipy.sparse import csr_array

    K, u = len(pairs["u"]), pairs["u"] / pairs["u"].sum()
    delta = pairs["delta"].tocsr().copy()
    contexts = contexts.some(np.lexsort((contexts.y, contexts.x)))
    first = contexts.x == BEGIN
    # No sentence begins by back-off.
    at = places_of(delta, contexts.x, contexts.y)  # -1 also where a sentence begins
    listed = np.where(first, pairs["begin"][contexts.y], np.append(delta.data, 0.0)[at])
    by_back = np.where(first, 0.0, pairs["back"][contexts.x] * u[contexts.y])
    there = listed > 0
    if not there.any():
        return dict(pairs)
    contexts, first = contexts.some(there), first[there]
    f = (by_back / (by_back + listed + (listed == 0)))[there]
    C, y = len(f), contexts.y

    indices, at = delta.indices.copy(), at[there]
    indices[at[~first]] = K + np.flatnonzero(~first)
    table = csr_array((delta.data, indices, delta.indptr), shape=(K, K + C))
    table.sort_indices()

    beyond = contexts.more.sum(axis=1)
    total = (contexts.lower + beyond - f) / (1 - f)
    lower = np.maximum((contexts.lower - f) / (1 - f), LEAST_LOWER)
    scale = np.maximum(total - lower, 0) / np.maximum(beyond, 1e-30)
    cells = contexts.more.tocoo()
    c, z = cells.coords
    to = found_in(contexts.x * K + y, y[c] * K + z)
    # What leads on to another context does so in the shares in which its pair does.
    forget = np.where(to < 0, 1.0, f[to])
    on, data = np.flatnonzero(to >= 0), cells.data * scale[c]
    values = np.append(data * forget, (data * (1 - forget))[on])
    places = np.append(c, c[on]), np.append(z, K + to[on])
    more = csr_array((values, places), shape=(C, K + C))
    more.eliminate_zeros()

    begin = np.append(pairs["begin"], pairs["begin"][y] * first)
    begin[y[first]] = 0
    end = np.maximum((contexts.end - f * pairs["end"][y]) / (1 - f), 0)
    return {
        **pairs, "begin": begin, "end": np.append(pairs["end"], end), "delta": table,
        "base": y, "lower": lower, "more": more,
    }  # fmt: skip


def cells_of(table: Any, x: Ints1d, y: Ints1d) -> Floats1d:
    """Return the cells of a csr table in float64, 0 where it has none."""
    at = places_of(table, x, y)
    found: Floats1d = np.append(table.data, 0.0)[at]
    return found


def places_of(table: Any, x: Ints1d, y: Ints1d) -> Ints1d:
    """Return where the data of a csr table has the cells (x, y), -1 where it has none; its indices
    are sorted."""
    table.sort_indices()
    keys = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr)) * table.shape[1]
    return found_in(keys + table.indices, x.astype(np.int64) * table.shape[1] + y)


def found_in(keys: Ints1d, wanted: Ints1d) -> Ints1d:
    """Return where rising keys have what is wanted, -1 where they have not."""
    at = np.searchsorted(keys, wanted)
    found: Ints1d = np.where(np.append(keys, NO_KEY)[at] == wanted, at, -1)
    return found
