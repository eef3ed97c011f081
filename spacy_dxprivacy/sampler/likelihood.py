"""Compute exact likelihoods of sentences, ln P(outputs | inputs), for audits and attacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints1d, Ints2d, blocks
from ..machine import RowCache
from ..prior.chain import Chain
from ..ty import Needed
from .emissions import UNKNOWN_ROW, Emissions
from .sentence_level import InputRows, spans

LANES, STORED_LANES = 32, 16  # sentences in parallel, and those with all messages in memory
CANDIDATES_AT_ONCE = 2**8
MAX_MESSAGE_NUMBERS = 2**24  # in memory: 128 MB
CACHE_BYTES = 2**26


class SentenceLikelihood:
    """Likelihoods of sentences in float64."""

    def __init__(self, chain: Chain, emissions: Emissions) -> None:
        self.chain, self.emissions, self.kernel = chain, emissions, emissions.kernel
        self._cache = RowCache(CACHE_BYTES)  # of emissions

    def __call__(self, text: InputRows, outputs: Ints1d) -> Floats1d:
        """Return ln P(outputs | rows), float64 (sentences,); -inf if a fixed word was changed.
        Fixed words are plaintext context, and have no factor of their own."""
        released = InputRows(outputs, text.starts, np.ones(len(outputs), dtype=bool))
        weights = [
            1.0 if row == UNKNOWN_ROW else self.kernel.weights(row, np.array([out]))[0]
            for row, out in zip(text.rows.tolist(), outputs.tolist(), strict=True)
        ]
        cost = np.where(text.fixed, 0.0, np.log(weights))
        cost[text.fixed & (outputs != text.rows)] = -np.inf
        first, _ = spans(text.starts)
        logs: Floats1d = self.log_sums(released) - self.log_sums(text)
        return logs + np.add.reduceat(cost, first)

    def log_sums(self, text: InputRows) -> Floats1d:
        """Return ln Z, float64 (sentences,), up to the factors of the weights; ln q for a sentence
        of fixed words."""
        first, lengths = spans(text.starts)
        order, sums = np.argsort(-lengths, kind="stable"), np.zeros(len(first))
        for batch in blocks(len(order), LANES):
            lanes = order[batch]
            steps = self._steps(text, first[lanes], lengths[lanes])
            for step, (_, M) in enumerate(self._forward(steps)):
                live = lanes[: M.shape[1]]
                total, ends = M.sum(axis=0), lengths[live] == step + 1
                total[ends] = self.chain.end @ M[:, ends]
                sums[live] += np.log(total)
        return sums

    def of_candidates(
        self, text: InputRows, outputs: Ints1d, candidates: Ints2d, needed: Needed | None = None
    ) -> Floats2d:
        """Return ln P(outputs | rows) with rows[i] replaced by candidates[i, j], float64 (k, m), up
        to a constant for each i; 0 at fixed words. needed: see ty.StatesLikelihoods."""
        logs = np.zeros(candidates.shape)
        first, lengths = spans(text.starts)
        part = (np.cumsum(lengths) - 1) // max(1, MAX_MESSAGE_NUMBERS // len(self.kernel.outputs))
        for number in np.unique(part):
            inside = part == number
            begin, end = int(first[inside][0]), int(first[inside][-1] + lengths[inside][-1])
            around = self._around(text, first[inside], lengths[inside])
            span = slice(begin, end)
            logs[span] = self._as_needed(span, candidates[span], outputs[span], around, needed)
        logs[text.fixed] = 0
        return logs

    def _as_needed(
        self, places: slice, candidates: Ints2d, outputs: Ints1d, around: Floats2d,
        needed: Needed | None,
    ) -> Floats2d:  # fmt: skip
        """Return the logs at some places: exact where needed, else upper bounds."""
        if needed is None:
            every = np.arange(candidates.size)
            return self._exact(every, candidates, outputs, around).reshape(candidates.shape)
        logs = self._bounds(candidates, outputs, around)
        is_exact = np.zeros(logs.shape, dtype=bool)
        while (cells := np.flatnonzero(needed(places, logs) & ~is_exact)).size:
            logs.flat[cells] = self._exact(cells, candidates, outputs, around)
            is_exact.flat[cells] = True
        return logs

    def _bounds(self, candidates: Ints2d, outputs: Ints1d, around: Floats2d) -> Floats2d:
        """Return upper bounds on the logs, without a search from candidates: Z is at least the sum
        by radii, with the candidate itself as the only nearer word."""
        kernel = self.kernel
        itself = np.take_along_axis(around, candidates, axis=1)
        itself *= (kernel.unchanged - kernel.outputs)[candidates]
        bounds: Floats2d = -np.log((around @ kernel.outputs)[:, None] + itself)
        distinct = np.unique(outputs)
        for block in blocks(len(distinct), CANDIDATES_AT_ONCE):
            for output, steps in kernel.prepare(distinct[block].tolist()).items():
                places = outputs == output
                weights = kernel.outputs[output] * kernel.times(output, candidates[places], steps)
                bounds[places] += np.log(weights)
        return bounds

    def _around(self, text: InputRows, first: Ints1d, lengths: Ints1d) -> Floats2d:
        """Return the likelihood of each output given the other words, float64 (places, n)."""
        likelihoods = np.empty((int(lengths.sum()), len(self.kernel.outputs)))
        order = np.argsort(-lengths, kind="stable")
        for batch in blocks(len(order), STORED_LANES):
            lanes = order[batch]
            E = list(self._steps(text, first[lanes], lengths[lanes]))
            ahead = (M for M, _ in self._forward(E))
            behind = reversed(list(self._backward(E)))
            for step, (M, N) in enumerate(zip(ahead, behind, strict=True)):
                places = first[lanes[: M.shape[1]]] + step - first[0]
                likelihoods[places] = (self.chain.emitters @ (M * N)).T
        return likelihoods

    def _steps(self, text: InputRows, first: Ints1d, lengths: Ints1d) -> Iterator[Floats2d]:
        """Yield the emissions of each step, float64 (K, live), longest sentence first."""
        for step in range(int(lengths[0])):
            places = first[: np.count_nonzero(lengths > step)] + step
            words = np.stack([text.rows[places], text.fixed[places]])
            distinct, inverse = np.unique(words, axis=1, return_inverse=True)
            emitted = [self._emitted(row, bool(stays)) for row, stays in distinct.T.tolist()]
            yield np.stack(emitted, axis=1)[:, inverse.reshape(-1)]

    def _emitted(self, row: int, fixed: bool) -> Floats1d:
        """Return the emissions of a word, which most texts repeat."""
        if fixed or row == UNKNOWN_ROW:
            return self.emissions.exact(row, fixed)
        if not (cached := self._cache.find([row])):
            cached = {row: (self.emissions.exact(row),)}
            self._cache.add(cached)
        emitted: Floats1d = cached[row][0]
        return emitted

    def _forward(self, E: Iterable[Floats2d]) -> Iterator[tuple[Floats2d, Floats2d]]:
        """Yield P(state | words before), and its product with the emissions, (K, live) each, for
        each step."""
        ahead: Floats2d | None = None
        begin = self.chain.begin.astype(np.float64)[:, None]
        for e in E:
            live = e.shape[1]
            begun = np.repeat(begin, live, axis=1)
            messages = begun if ahead is None else self.chain.forward(ahead[:, :live])
            M = messages * e
            yield messages, M
            ahead = M / M.sum(axis=0)

    def _backward(self, E: list[Floats2d]) -> Iterator[Floats2d]:
        """Yield P(words after | state), (K, live), up to a factor, for each step from the last."""
        end = self.chain.end.astype(np.float64)[:, None]
        behind: Floats2d | None = None
        for e, after in zip(reversed(E), (None, *reversed(E[1:])), strict=True):
            messages = np.repeat(end, e.shape[1], axis=1)
            if behind is not None and after is not None:
                M = behind * after
                messages[:, : after.shape[1]] = self.chain.backward(M / M.sum(axis=0))
            behind = messages
            yield messages

    def _exact(
        self, cells: Ints1d, candidates: Ints2d, outputs: Ints1d, around: Floats2d
    ) -> Floats1d:
        """Return -beta path(c, output) - ln Z of the sentence with candidate c, for flat indices
        of candidates (cells,), with one search for each distinct candidate."""
        distinct, of_cell = np.unique(candidates.flat[cells], return_inverse=True)
        order = np.argsort(of_cell, kind="stable")
        of_candidate = np.split(order, np.cumsum(np.bincount(of_cell))[:-1])
        logs = np.empty(len(cells))
        for block in blocks(len(distinct), CANDIDATES_AT_ONCE):
            prepared = self.kernel.prepare(distinct[block].tolist())
            for (candidate, steps), own in zip(prepared.items(), of_candidate[block], strict=True):
                places = cells[own] // candidates.shape[1]
                weights = self.kernel.all_weights(candidate, steps)
                Z = [around[place] @ weights for place in places.tolist()]  # without a copy
                logs[own] = np.log(weights[outputs[places]]) - np.log(Z)
        return logs
