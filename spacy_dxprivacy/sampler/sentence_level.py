r"""Sample sentences exactly, by forward filtering and backward sampling.

    P(y_1..y_n | w_1..w_n) = q(y_1..y_n) exp(-beta sum of path(w_i, y_i)) / Z(w_1..w_n)

The words of the input are the emissions of a chain. Sentences are packed side by side into lanes.
Forward messages, sums over all previous states, are computed from the first word to the last
(without subtraction; in float32, or in float64 if epsilon is too large for float32). Then states
are sampled from the last word to the first, and words given states.

Paper  Scott 2002, "Bayesian methods for hidden Markov models" (forward filtering, backward
       sampling); Carter and Kohn 1994
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from threading import Lock
from typing import Any

import numpy as np

from ..arrays import Bools1d, Bools2d, Floats2d, Ints1d, Ints2d, Numbers1d
from ..machine import map_ordered, product_threads
from ..prior.chain import Chain
from ..privacy.randomness import Rng
from .emissions import Emissions, SparseNumbers
from .forward_backward import (
    Backward,
    BlockSums,
    FoldContexts,
    Forward,
    ForwardMessage,
    weigh_states,
)

MEMORY = 3 * 2**26  # bytes of forward messages for the backward pass
MIN_SUM = 1e-37  # of a forward message, by which it is divided
MULTITHREAD_FROM = 256  # words: for fewer, one thread is faster
LANES = 128
MAX_BUFFERS = 8  # kept for the next draw


@dataclass(frozen=True, eq=False, repr=False)
class InputRows:
    """The k words of an input."""

    rows: Ints1d  # UNKNOWN_ROW for words that the space lacks
    starts: Bools1d  # where sentences begin
    fixed: Bools1d  # words that stay unchanged


@dataclass(frozen=True, eq=False, repr=False)
class Lanes:
    """Packed sequences: sentences in lanes of about equal length, longest first."""

    place: Ints2d  # (steps, lanes), the input word, -1 beyond the end of a lane
    begins: Bools2d  # (steps, lanes), whether a sentence begins there
    ends: Bools2d

    def parts(self, words: int) -> tuple[list[slice], int]:
        """Split into slices of about `words` words; also return the largest size."""
        live = np.count_nonzero(self.place >= 0, axis=1)
        part = (np.cumsum(live) - 1) // max(words, int(live[0]))
        sizes = np.bincount(np.unique(part, return_inverse=True)[1], live)
        cuts = [*np.flatnonzero(np.diff(part, prepend=-1)).tolist(), len(live)]
        return [slice(a, b) for a, b in pairwise(cuts)], int(sizes.max())


def spans(starts: Bools1d) -> tuple[Ints1d, Ints1d]:
    """Return the first word of each sentence, and its length."""
    first = np.flatnonzero(starts)
    return first, np.diff(np.append(first, len(starts)))


def batches(lengths: Ints1d, words: int, threads: int = 1) -> Iterator[Ints1d]:
    """Yield batches of sentences of similar length, of `words` words in total or a single sentence.

    If possible, the sentences of a batch fill the lanes of all threads.
    """
    order = np.argsort(-lengths, kind="stable")
    total, start = np.concatenate([[0], np.cumsum(lengths[order])]), 0
    while start < len(order):
        fit = int(np.searchsorted(total, total[start] + words, side="right")) - 1 - start
        group = next((n for n in (LANES * threads, LANES) if n <= fit < len(order) - start), 1)
        stop = start + max(1, fit - fit % group)
        yield order[start:stop]
        start = stop


def pack(first: Ints1d, lengths: Ints1d, lanes: int = LANES) -> Lanes:
    """Pack sentences, given the first word (s,) and the length (s,), above 0, of each."""
    heap = [(0, lane) for lane in range(min(lanes, len(lengths)))]
    packed: list[list[int]] = [[] for _ in heap]
    for sentence in np.argsort(-lengths, kind="stable").tolist():
        length, lane = heapq.heappop(heap)  # the shortest so far
        packed[lane].append(sentence)
        heapq.heappush(heap, (length + int(lengths[sentence]), lane))
    # Longest first, so that lanes that still run are adjacent.
    packed.sort(key=lambda sentences: -int(lengths[sentences].sum()))
    place = np.full((int(lengths[packed[0]].sum()), len(packed)), -1, dtype=np.int64)
    begins, ends = np.zeros(place.shape, dtype=bool), np.zeros(place.shape, dtype=bool)
    for lane, sentences in enumerate(packed):
        words = np.concatenate([first[s] + np.arange(lengths[s]) for s in sentences])
        stops = np.cumsum(lengths[sentences])
        place[: len(words), lane] = words
        begins[stops - lengths[sentences], lane] = ends[stops - 1, lane] = True
    return Lanes(place, begins, ends)


@dataclass(frozen=True, eq=False)
class PackedSentences:
    """Some sentences of a text, packed."""

    text: InputRows
    lanes: Lanes
    emissions: dict[int, SparseNumbers]  # by row; see Emissions.of
    uniforms: Floats2d  # (3, k), for each word of the text


class SentenceSampler:
    """Forward filtering and backward sampling of sentences, given emissions."""

    def __init__(self, chain: Chain, emissions: Emissions) -> None:
        self.chain, self.emissions = chain, emissions
        self._height = chain.states + len(chain.base_types) + 1  # the rows of a forward message
        self._end = chain.end[:, None].copy()  # over lower for contexts: see FoldContexts
        self._end[chain.types :, 0] /= chain.lower
        self._forward = Forward(chain, emissions.totals, emissions.dtype)
        self._backward = Backward(chain)
        self._fold = FoldContexts(chain, emissions.dtype) if len(chain.base) else None
        self._sums = BlockSums(chain, emissions.dtype)
        self._free_buffers: list[Numbers1d] = []

    def __call__(self, text: InputRows, rng: Rng) -> Ints1d:
        """Sample the replacements, int64 (k,); fixed words stay unchanged."""
        first, lengths = spans(text.starts)
        drawn = text.rows.copy()
        uniforms = rng.uniform(3 * len(drawn)).reshape(3, -1)
        # The number of words whose forward messages fit into MEMORY.
        capacity = max(1, MEMORY // (np.dtype(self.emissions.dtype).itemsize * (self._height - 1)))
        lock = Lock()

        def draw(lanes: Lanes) -> None:
            places = lanes.place[lanes.place >= 0]
            # One thread at a time, so that no search is repeated; it holds the GIL anyway.
            with lock:
                emitted = self.emissions.of(text.rows[places[~text.fixed[places]]].tolist())
            self._draw(PackedSentences(text, lanes, emitted, uniforms), capacity, drawn)

        with product_threads(len(drawn) >= MULTITHREAD_FROM) as threads:
            parts = (
                sentences[i::threads]
                for sentences in batches(lengths, capacity, threads)
                for i in range(min(threads, len(sentences)))
            )
            packed = (pack(first[part], lengths[part]) for part in parts)
            for _ in map_ordered(draw, packed, threads, 2 * threads):
                pass
        return drawn

    def _draw(self, packed: PackedSentences, capacity: int, drawn: Ints1d) -> None:
        """Fill in the words of packed sentences. If their messages exceed the memory, only some are
        kept on the forward pass, and the others are computed again on the backward pass."""
        text, place = packed.text, packed.lanes.place
        states = np.zeros(place.shape, dtype=np.int64)
        parts, words = packed.lanes.parts(capacity)
        marks: list[Any] = [np.empty((self._height, 0), self.emissions.dtype)]
        with self._buffer(words * self._height) as buffer:
            for part in parts[:-1]:
                marks.append(self._filter(packed, part, buffer, marks[-1])[-1].X.copy())
            for part, mark in zip(reversed(parts), reversed(marks), strict=True):
                self._sample(packed, part, self._filter(packed, part, buffer, mark), states)
            live = place >= 0
            places, chosen = place[live], states[live]
            free = ~text.fixed[places]
            places, uniforms = places[free], packed.uniforms[2, places[free]]
            drawn[places] = self.emissions.words(text.rows[places], chosen[free], uniforms)

    @contextmanager
    def _buffer(self, size: int) -> Iterator[Numbers1d]:
        """Lend an uninitialised scratch buffer, for any thread; allocation would be slow."""
        try:
            buffer = self._free_buffers.pop()
        except IndexError:
            buffer = np.empty(0, dtype=self.emissions.dtype)
        if buffer.size < size:
            buffer = np.empty(size, dtype=self.emissions.dtype)
        yield buffer[:size]
        if len(self._free_buffers) < MAX_BUFFERS:
            self._free_buffers.append(buffer)

    def _filter(
        self, packed: PackedSentences, part: slice, buffer: Numbers1d, before: Floats2d
    ) -> list[ForwardMessage]:
        """Return the forward messages of some steps. before: the message of the step before."""
        text, lanes, messages = packed.text, packed.lanes, []
        K = self.chain.states
        lives = np.count_nonzero(lanes.place[part] >= 0, axis=1).tolist()
        for step, live in zip(range(part.start, part.stop), lives, strict=True):
            size = self._height * live
            X, buffer = buffer[:size].reshape(self._height, live), buffer[size:]
            M = X[1 : K + 1]
            begins, ends = lanes.begins[step, :live], lanes.ends[step, :live]
            if not begins.all():
                self._forward(np.ascontiguousarray(before[:, :live]), M)
            M[:, begins] = (self.chain.begin * self.emissions.totals)[:, None]
            place = lanes.place[step, :live]
            weigh_states(M, self.emissions, text.rows[place], text.fixed[place], packed.emissions)
            if ends.any():
                M[:, ends] *= self._end
            if self._fold is not None:
                self._fold(X[1:])
            sums = self._sums(M[: self.chain.types])
            scale = 1 / np.maximum(sums[:, 0].sum(axis=0), MIN_SUM)
            X[1:] *= scale.astype(M.dtype)
            sums *= scale
            X[0] = sums[:, 1].sum(axis=0)
            messages.append(ForwardMessage(X, sums))
            before = X
        return messages

    def _sample(
        self, packed: PackedSentences, part: slice, messages: list[ForwardMessage], states: Ints2d
    ) -> None:
        """Sample the states of some steps, given the next states and the forward messages."""
        lanes, (back_uniforms, state_uniforms, _) = packed.lanes, packed.uniforms
        for step in range(part.stop - 1, part.start - 1, -1):
            message = messages[step - part.start]
            live = message.X.shape[1]
            place, ends = lanes.place[step, :live], lanes.ends[step, :live]
            after = np.zeros(live, np.int64) if ends.all() else states[step + 1, :live]
            uniforms = back_uniforms[place], state_uniforms[place]
            states[step, :live] = self._backward(message, ends, after, *uniforms)
