"""Forward filtering and backward sampling of many sentences in parallel.

A few states, those of frequent words, have many successors and come first. So a corner of the
transition table is dense enough that a dense product is faster there; the rest is sparse.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..arrays import Bools1d, Floats1d, Floats2d, Floats3d, Ints1d, Numbers1d, blocks
from ..prior.chain import Chain
from .emissions import UNKNOWN_ROW, Emissions, SparseNumbers

MIN_SIDE = 64  # of a corner
MIN_DENSITY = 1 / 10  # of a corner: sparse products are about eight times as slow
COLUMNS_AT_ONCE = (
    2000  # of a sparse table: 1 MB for 128 lanes in float32, which fits the cache of a core
)
BLOCK_STATES = 128  # states in a block; sampling reads the sums of blocks first
ROW_PAIRS = 32  # pairs in a row; sampling reads the sums of rows first


@dataclass(frozen=True, eq=False)
class ForwardMessage:
    """The forward message M = P(state | words so far) of a step, for each lane.

    Attributes:
        X: float (K + 1, lanes), the sum of M times back, then M; with contexts, see FoldContexts.
        sums: float64 (blocks, 2, lanes), of every BLOCK_STATES states of M, and of M times back.
    """

    X: Floats2d
    sums: Floats3d


class Forward:
    """The transition T of a chain, times a weight of each new state."""

    def __init__(self, chain: Chain, weights: Numbers1d, dtype: Any) -> None:
        """Prepare T, with weights of all states, not negative, and the type of all sums."""
        from scipy.sparse import csr_array

        K, w = chain.states, weights.astype(np.float64)
        u = (chain.zero_pad_to_states(chain.u) * w).astype(dtype)[:, None]
        table = chain.incoming_transitions()
        counts = np.diff(table.indptr)
        table.data = (table.data * np.repeat(w, counts)).astype(dtype)
        sides = MIN_SIDE * 2 ** np.arange(32)
        edges: Ints1d = np.concatenate([[0], sides[sides < K], [K]])
        self.corners: list[tuple[slice, Floats2d]] = []
        for rows in (slice(a, b) for a, b in pairwise(edges.tolist())):
            columns = table.indices[table.indptr[rows.start] : table.indptr[rows.stop]]
            pairs = np.histogram(columns, edges)[0]
            full = pairs >= MIN_DENSITY * np.diff(edges) * (rows.stop - rows.start)
            width = int(edges[np.cumprod(full).sum()])
            self.corners.append((rows, np.hstack([u[rows], table[rows, :width].toarray()])))
        widths = np.concatenate(
            [np.full(len(corner), corner.shape[1] - 1) for _, corner in self.corners]
        )
        sparse = table.indices >= np.repeat(widths, counts)
        ends = np.concatenate([[0], np.cumsum(sparse)])[table.indptr].astype(np.int32)
        cells = (table.data[sparse], table.indices[sparse], ends)
        self.sparse = Product(csr_array(cells, table.shape))

    def __call__(self, X: Floats2d, Y: Floats2d) -> None:
        """Fill Y (states, lanes), C-contiguous, with the message after X, see ForwardMessage."""
        for rows, corner in self.corners:
            product = np.matmul if corner.shape[1] > 1 else np.multiply  # the faster one
            product(corner, X[: corner.shape[1]], out=Y[rows])
        self.sparse.add(X[1:], Y)


def weigh_states(
    M: Floats2d,
    emissions: Emissions,
    rows: Ints1d,
    fixed: Bools1d,
    emitted: Mapping[int, SparseNumbers],
) -> None:
    """Multiply by emission likelihoods, in place and up to a factor for each of k words.

    Args:
        M: float (states, k), P(state | words before) times the totals of the emissions.
        emissions: The emissions of all words.
        rows: int64 (k,), the words.
        fixed: bool (k,), words that stay unchanged.
        emitted: The factors of the words by row, see Emissions.of.
    """
    emit = emissions.chain.emitters
    for lane in np.flatnonzero(fixed).tolist():
        part = slice(*emit.indptr[rows[lane] : rows[lane] + 2])
        states = emit.indices[part]
        rounded = emissions.totals[states].astype(np.float64)
        weights = M[states, lane] * (emit.data[part] / rounded).astype(M.dtype)
        M[:, lane] = 0
        M[states, lane] = weights
    silent = (rows == UNKNOWN_ROW) & ~fixed
    if silent.any():
        M[:, silent] *= emissions.silent[:, None]
    for lane in np.flatnonzero(~(fixed | silent)).tolist():
        np.multiply.at(M[:, lane], *emitted[int(rows[lane])])


class Product:
    """A sparse matrix times many columns, in parts that fit the cache of a core."""

    def __init__(self, table: Any) -> None:
        """Prepare a table, csr float (k, n); its terms are added in order of the index."""
        columns = table.tocsc()  # fast to slice by columns
        parts = blocks(table.shape[1], COLUMNS_AT_ONCE)
        self.parts = [(part, columns[:, part].tocsr()) for part in parts]

    def add(self, X: Floats2d, Y: Floats2d) -> None:
        """Add the product with X (n, lanes) to Y (k, lanes), both C-contiguous, of the table's
        type."""
        try:  # not public; scipy's operator would allocate an array for each part
            from scipy.sparse._sparsetools import csr_matvecs
        except ImportError:
            for columns, part in self.parts:
                Y += part @ X[columns]
            return
        for columns, part in self.parts:
            tables = (part.indptr, part.indices, part.data)
            csr_matvecs(*part.shape, X.shape[1], *tables, X[columns].reshape(-1), Y.reshape(-1))


class FoldContexts:
    """Add each two-word context's forward message, scaled by `lower`, to that of its base word, so
    that the transition is applied once a word.

    The rows of ForwardMessage.X are: the sum of X0 times back; X0, (K,), these sums; M of the
    contexts, (C,); M of each type with contexts. At the end of a sentence, M of a context is
    divided by `lower`.
    """

    def __init__(self, chain: Chain, dtype: Any) -> None:
        self._types, self._states, self._bases = chain.types, chain.states, chain.base_types
        self._contexts = Product(chain.base_shares.astype(dtype))

    def __call__(self, X: Floats2d) -> None:
        """Replace M, the first rows of X, by X0, and fill in the last rows."""
        X[self._states :] = X[self._bases]
        self._contexts.add(X[self._types : self._states], X[: self._types])


class BlockSums:
    """Sums over states in blocks, so that rounding errors do not accumulate."""

    def __init__(self, chain: Chain, dtype: Any) -> None:
        weights = np.stack([np.ones(chain.types), chain.back]).astype(dtype)
        end = chain.types // BLOCK_STATES * BLOCK_STATES
        self._blocks = np.swapaxes(weights[:, :end].reshape(2, -1, BLOCK_STATES), 0, 1)
        self._remainder = weights[:, end:]

    def __call__(self, M: Floats2d) -> Floats3d:
        """Return float64 (blocks, 2, lanes), see ForwardMessage, for M (K, lanes)."""
        end = len(M) - self._remainder.shape[1]
        sums = np.empty((len(self._blocks) + 1, 2, M.shape[1]))
        sums[:-1] = self._blocks @ M[:end].reshape(-1, BLOCK_STATES, M.shape[1])
        sums[-1] = self._remainder @ M[end:]
        return sums


# -- backward ------------------------------------------------------------------------------------


class PredecessorLists:
    """Lists of the predecessors of each state, in rows of ROW_PAIRS numbers.

    states and weights, (r, ROW_PAIRS): rows of M and transitions, 0 beyond the end of a list.
    first and rows, (k,): the first row of the list of a state, and its number of rows.
    """

    def __init__(self, into: Any) -> None:
        """Prepare a table, csr float (k, rows of M)."""
        counts = np.diff(into.indptr)
        self.rows = np.maximum(1, -(-counts // ROW_PAIRS))
        self.first = np.cumsum(self.rows) - self.rows
        cells = np.arange(len(into.data)) + np.repeat(
            self.first * ROW_PAIRS - into.indptr[:-1], counts
        )
        shape = (int(self.rows.sum()), ROW_PAIRS)
        self.states, self.weights = np.zeros(shape, np.int64), np.zeros(shape, into.dtype)
        self.states.reshape(-1)[cells], self.weights.reshape(-1)[cells] = into.indices, into.data

    def __call__(
        self, X: Floats2d, lanes: Ints1d, after: Ints1d, uniform: Floats1d
    ) -> tuple[Ints1d, Floats1d]:
        """Sample predecessors by M times weights. Return these rows of M, (m,), arbitrary if all
        weights are 0, and the sums of M times weights, (m,)."""
        counts = self.rows[after]
        begins = np.cumsum(counts) - counts
        owner = np.repeat(np.arange(len(after)), counts)
        column = np.arange(len(owner)) - begins[owner]
        rows = self.first[after][owner] + column
        states = self.states[rows]
        M = X.reshape(-1)[X.shape[1] :]
        cells = self.weights[rows] * M.take(states * X.shape[1] + lanes[owner, None])
        table = np.zeros((len(after), int(counts.max())))
        table[owner, column] = cells.sum(axis=1, dtype=np.float64)
        places, marks = _sample_each(table, uniform)
        row = np.minimum(begins + places, len(cells) - 1)
        return states[row, _within(cells[row], marks)], table.sum(axis=1)


class Backward:
    """Backward sampling."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self._u, self._ones = chain.zero_pad_to_states(chain.u), np.ones_like(chain.back)
        self._listed = PredecessorLists(chain.incoming_transitions())
        self._choose_context = ContextChoice(chain) if len(chain.base) else None

    def __call__(
        self,
        message: ForwardMessage,
        ends: Bools1d,
        after: Ints1d,
        back_uniforms: Floats1d,
        state_uniforms: Floats1d,
    ) -> Ints1d:
        """Sample a state for each lane.

        Args:
            message: The forward message of the step.
            ends: bool (lanes,), where a sentence ends: sampled by M.
            after: int64 (lanes,), the next state in other lanes: sampled by M[z] T[z, after].
            back_uniforms: float64 (lanes,), uniform numbers to choose back-off or a listed pair.
            state_uniforms: float64 (lanes,), uniform numbers to choose the state.

        Returns:
            State ids, int64 (lanes,).
        """
        drawn, by_back = np.empty(len(ends), dtype=np.int64), np.zeros(len(ends), dtype=bool)
        inside = np.flatnonzero(~ends)
        if len(inside):
            drawn[inside], direct = self._listed(
                message.X, inside, after[inside], state_uniforms[inside]
            )
            backed = message.X[0, inside].astype(np.float64) * self._u[after[inside]]
            marks = back_uniforms[inside] * (direct + backed)
            by_back[inside] = marks >= direct
        for lanes, weighting, weights in (
            (np.flatnonzero(ends), 0, self._ones),
            (np.flatnonzero(by_back), 1, self.chain.back),
        ):
            if len(lanes):
                drawn[lanes] = _drawn_from_sums(
                    message, lanes, weighting, weights, state_uniforms[lanes]
                )
        if self._choose_context is None:
            return drawn
        context_uniforms = back_uniforms.copy()
        if len(inside):  # the remainder of the uniform number, given its choice
            begin = np.where(by_back[inside], direct, 0)
            width = np.where(by_back[inside], backed, direct)
            context_uniforms[inside] = (marks - begin) / np.where(width > 0, width, 1)
        return self._choose_context(message.X, drawn, context_uniforms)


class ContextChoice:
    """Sample a type or one of its contexts, given the row of their sum in X0."""

    def __init__(self, chain: Chain) -> None:
        from scipy.sparse import csr_array

        types, states, bases = chain.types, chain.states, chain.base_types
        # The rows of M without contexts: at the end for types with contexts.
        plain_rows = np.arange(types)
        plain_rows[bases] = states + np.arange(len(bases))
        rows = np.append(plain_rows, types + np.arange(len(chain.base)))
        weights = np.append(np.ones(types, chain.lower.dtype), chain.lower)
        shape = (types, states + len(bases))
        self._listed = PredecessorLists(
            csr_array((weights, (chain.expand_to_states(np.arange(types)), rows)), shape)
        )
        self._states = np.append(np.arange(states), bases)

    def __call__(self, X: Floats2d, rows_of_X: Ints1d, uniform: Floats1d) -> Ints1d:
        """Return states (lanes,) for rows of X0; rows of contexts are their states."""
        lanes = np.flatnonzero(rows_of_X < len(self._listed.rows))
        states = rows_of_X.copy()
        if len(lanes):
            rows, _ = self._listed(X, lanes, rows_of_X[lanes], uniform[lanes])
            states[lanes] = self._states[rows]
        return states


def _drawn_from_sums(
    message: ForwardMessage, lanes: Ints1d, weighting: int, weights: Floats1d, uniform: Floats1d
) -> Ints1d:
    """Sample states (m,) by M times weights, given block sums."""
    block, marks = _sample_each(message.sums[:, weighting, lanes].T, uniform)
    K = len(weights)
    states = block[:, None] * BLOCK_STATES + np.arange(BLOCK_STATES)
    inside = np.minimum(states, K - 1)
    cells = np.where(states < K, message.X[1 + inside, lanes[:, None]] * weights[inside], 0)
    drawn: Ints1d = states[np.arange(len(lanes)), _within(cells, marks)]
    return drawn


def _sample_each(weights: Floats2d, uniform: Floats1d) -> tuple[Ints1d, Floats1d]:
    """Sample a place of each row by weight; return it, and the mark within its weight."""
    sums = weights.cumsum(axis=1)
    # A mark may be rounded up to the total.
    marks = np.minimum(uniform * sums[:, -1], np.nextafter(sums[:, -1], 0))
    places = np.minimum(np.count_nonzero(sums <= marks[:, None], axis=1), sums.shape[1] - 1)
    before = np.take_along_axis(sums, np.maximum(places[:, None] - 1, 0), axis=1)[:, 0]
    return places, marks - np.where(places > 0, before, 0)


def _within(cells: Floats2d, marks: Floats1d) -> Ints1d:
    """Return the first place of each row with a cumulative sum above the mark."""
    sums = cells.cumsum(axis=1, dtype=np.float64)
    marks = np.minimum(marks, np.nextafter(sums[:, -1], 0))
    places = np.count_nonzero(sums <= marks[:, None], axis=1)
    first: Ints1d = np.minimum(places, cells.shape[1] - 1)
    return first
