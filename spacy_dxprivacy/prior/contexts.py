"""Add contexts of two words to a chain of word pairs, as further states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats1d, Ints1d
from .cells import places_in, places_of

BEGIN = -1  # as x of a context: y begins a sentence
# Of `lower`, so that every type can follow, and float32 suffices (docs/explanation/sentences.md).
MIN_LOWER = 1e-3


@dataclass(frozen=True, eq=False, repr=False)
class Contexts:
    """C distinct contexts (x, y): P(z | x, y) = lower P(z | y) + beyond[z]."""

    x: Ints1d  # (C,), types of words, or BEGIN
    y: Ints1d  # (C,)
    lower: Floats1d  # (C,)
    end: Floats1d  # (C,), as Chain has it
    beyond: Any  # csr float64 (C, K), not negative

    def take(self, index: Any) -> Contexts:
        """Return the contexts of a mask or order."""
        return Contexts(
            *(part[index] for part in (self.x, self.y, self.lower, self.end, self.beyond))
        )


def with_contexts(pairs: Mapping[str, Any], contexts: Contexts) -> dict[str, Any]:
    """Return the fields of a chain, in float64, with contexts as states.

    A share f of P(y | x) comes by back-off to the state y, which forgets x. The transitions T of
    the context compensate for it, exactly if lower is at least f:

        P(z | x, y) = f P(z | y) + (1 - f) T[c, z]

    Contexts without a listed pair are left out.

    Args:
        pairs: The fields of a chain without contexts.
        contexts: Contexts of its types.
    """
    from scipy.sparse import csr_array

    K, u = len(pairs["u"]), pairs["u"] / pairs["u"].sum()
    delta = pairs["delta"].tocsr().copy()
    contexts = contexts.take(np.lexsort((contexts.y, contexts.x)))
    first = contexts.x == BEGIN
    # No sentence begins by back-off.
    at = places_of(delta, contexts.x, contexts.y)  # -1 also at the begin of a sentence
    listed = np.where(first, pairs["begin"][contexts.y], np.append(delta.data, 0.0)[at])
    by_back = np.where(first, 0.0, pairs["back"][contexts.x] * u[contexts.y])
    has_pair = listed > 0
    if not has_pair.any():
        return dict(pairs)
    contexts, first = contexts.take(has_pair), first[has_pair]
    f = (by_back / (by_back + listed + (listed == 0)))[has_pair]
    C, y = len(f), contexts.y

    indices, at = delta.indices.copy(), at[has_pair]
    indices[at[~first]] = K + np.flatnonzero(~first)
    table = csr_array((delta.data, indices, delta.indptr), shape=(K, K + C))
    table.sort_indices()

    beyond = contexts.beyond.sum(axis=1)
    total = (contexts.lower + beyond - f) / (1 - f)
    lower = np.maximum((contexts.lower - f) / (1 - f), MIN_LOWER)
    scale = np.maximum(total - lower, 0) / np.maximum(beyond, 1e-30)
    cells = contexts.beyond.tocoo()
    c, z = cells.coords
    to = places_in(contexts.x * K + y, y[c] * K + z)
    # A successor is a context or its base, in the shares of its pair.
    forget = np.where(to < 0, 1.0, f[to])
    on, data = np.flatnonzero(to >= 0), cells.data * scale[c]
    values = np.append(data * forget, (data * (1 - forget))[on])
    places = np.append(c, c[on]), np.append(z, K + to[on])
    context_delta = csr_array((values, places), shape=(C, K + C))
    context_delta.eliminate_zeros()

    begin = np.append(pairs["begin"], pairs["begin"][y] * first)
    begin[y[first]] = 0
    end = np.maximum((contexts.end - f * pairs["end"][y]) / (1 - f), 0)
    return {
        **pairs, "begin": begin, "end": np.append(pairs["end"], end), "delta": table,
        "base": y, "lower": lower, "context_delta": context_delta,
    }  # fmt: skip
