r"""Whole sentences, drawn exactly: forward filtering, backward sampling.

    P(y_1..y_n | w_1..w_n) = q(y_1..y_n) exp(-beta sum of path(w_i, y_i)) / Z(w_1..w_n)

The words of the input are the emissions of a chain. Sentences are packed side by side into lanes.
From the first word to the last, the sums over all that may come before a state are carried along
(no number is ever subtracted; in float32, and in float64 at an epsilon that float32 cannot hold);
then the states are drawn from the last word to the first, and the words given their states.

Paper  Scott 2002, "Bayesian methods for hidden Markov models" (forward filtering, backward
       sampling); Carter and Kohn 1994
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from threading import Lock
from typing import Any

import numpy as np

from ..arrays import Bools1d, Bools2d, Floats2d, Ints1d, Ints2d, Numbers1d
from ..machine.compute import in_order, product_threads
from ..prior.chain import Chain
from ..privacy.randomness import Rng
from .emissions import Emissions, Some
from .forward_backward import Backward, Filtered, Forward, Sums

MEMORY = 2**27  # bytes of forward messages that are kept for the way back
LEAST = 1e-37
MANY = 256  # words that are worth a second thread
LANES = 128
MOST_BUFFERS = 8  # that are kept for the next draw


@dataclass(frozen=True, eq=False, repr=False)
class Text:
    """k words of an input. rows: int64 (k,), NOTHING for words that the space lacks. starts: bool
    (k,), where sentences begin. fixed: bool (k,), words that stay as they are."""

    rows: Ints1d
    starts: Bools1d
    fixed: Bools1d


@dataclass(frozen=True, eq=False, repr=False)
class Lanes:
    """Sentences packed end to end into lanes that are about equally long, the longest first.

    place: int64 (steps, lanes), which word of the input, -1 behind the end of a lane. begins, ends:
    bool (steps, lanes), whether a sentence begins or ends there.
    """

    place: Ints2d
    begins: Bools2d
    ends: Bools2d

    def parts(self, words: int) -> tuple[list[slice], int]:
        """Steps with about so many words each, and how many words the largest part has."""
        live = np.count_nonzero(self.place >= 0, axis=1)
        part = (np.cumsum(live) - 1) // max(words, int(live[0]))
        sizes = np.bincount(np.unique(part, return_inverse=True)[1], live)
        cuts = [*np.flatnonzero(np.diff(part, prepend=-1)).tolist(), len(live)]
        return [slice(a, b) for a, b in pairwise(cuts)], int(sizes.max())


def spans(starts: Bools1d) -> tuple[Ints1d, Ints1d]:
    """starts: bool (k,) -> the first word of each sentence, and its length."""
    first = np.flatnonzero(starts)
    return first, np.diff(np.append(first, len(starts)))


def batches(lengths: Ints1d, words: int, threads: int = 1) -> Iterator[Ints1d]:
    """Sentences of like lengths that have so many words together, or a single longer one; as many
    as fill the lanes of all threads some times where they can, so that no lane runs alone."""
    order = np.argsort(-lengths, kind="stable")
    total, start = np.concatenate([[0], np.cumsum(lengths[order])]), 0
    while start < len(order):
        fit = int(np.searchsorted(total, total[start] + words, side="right")) - 1 - start
        whole = next((n for n in (LANES * threads, LANES) if n <= fit < len(order) - start), 1)
        stop = start + max(1, fit - fit % whole)
        yield order[start:stop]
        start = stop


def pack(first: Ints1d, lengths: Ints1d, lanes: int = LANES) -> Lanes:
    """first, lengths: (s,), where each sentence begins and how many words it has, above 0."""
    heap = [(0, lane) for lane in range(min(lanes, len(lengths)))]
    packed: list[list[int]] = [[] for _ in heap]
    for sentence in np.argsort(-lengths, kind="stable").tolist():
        length, lane = heapq.heappop(heap)  # the shortest so far
        packed[lane].append(sentence)
        heapq.heappush(heap, (length + int(lengths[sentence]), lane))
    # The longest first: those that still run are then side by side.
    packed.sort(key=lambda some: -int(lengths[some].sum()))
    place = np.full((int(lengths[packed[0]].sum()), len(packed)), -1, dtype=np.int64)
    begins, ends = np.zeros(place.shape, dtype=bool), np.zeros(place.shape, dtype=bool)
    for lane, some in enumerate(packed):
        words = np.concatenate([first[s] + np.arange(lengths[s]) for s in some])
        stops = np.cumsum(lengths[some])
        place[: len(words), lane] = words
        begins[stops - lengths[some], lane] = ends[stops - 1, lane] = True
    return Lanes(place, begins, ends)


@dataclass(frozen=True, eq=False)
class Batch:
    """Some sentences of a text. said: of each of their words, see Emissions.of. uniforms: (3, k),
    for each word of the text."""

    text: Text
    lanes: Lanes
    said: dict[int, Some]
    uniforms: Floats2d


class SentenceDraw:
    """Draws sentences of a chain whose words are weighed by emissions."""

    def __init__(self, chain: Chain, emissions: Emissions) -> None:
        self.chain, self.emissions = chain, emissions
        self._free: list[Numbers1d] = []

    @cached_property
    def _forward(self) -> Forward:
        return Forward(self.chain, self.emissions.totals, self.emissions.dtype)

    @cached_property
    def _backward(self) -> Backward:
        return Backward(self.chain)

    @cached_property
    def _sums(self) -> Sums:
        return Sums(self.chain, self.emissions.dtype)

    def __call__(self, text: Text, rng: Rng) -> Ints1d:
        """int64 (k,): the replacements; fixed words as they are."""
        drawn = text.rows.copy()
        uniforms = rng.uniform(3 * len(drawn)).reshape(3, -1)
        first, lengths = spans(text.starts)
        draw = partial(self._draw, text, uniforms, drawn, Lock())
        with product_threads(len(drawn) >= MANY) as threads:
            parts = (
                some[i::threads]
                for some in batches(lengths, self._room, threads)
                for i in range(min(threads, len(some)))
            )
            packed = (pack(first[part], lengths[part]) for part in parts)
            for _ in in_order(draw, packed, threads, 2 * threads):
                pass
        return drawn

    @property
    def _room(self) -> int:
        """How many words the sums of which fit into the memory."""
        return max(1, MEMORY // (np.dtype(self.emissions.dtype).itemsize * self.chain.states))

    def _draw(
        self, text: Text, uniforms: Floats2d, drawn: Ints1d, turn: Lock, lanes: Lanes
    ) -> None:
        places = lanes.place[lanes.place >= 0]
        # One at a time: what one has searched, the next need not; a search keeps others from
        # python anyway. Meanwhile those who have what they need make their products.
        with turn:
            said = self.emissions.of(text.rows[places[~text.fixed[places]]].tolist())
        batch = Batch(text, lanes, said, uniforms)
        parts, words = lanes.parts(self._room)
        size = (words + lanes.place.shape[1]) * (self.chain.states + 1)
        with self._buffer(size) as buffer:
            self._words(batch, self._states(batch, parts, buffer), drawn)

    @contextmanager
    def _buffer(self, size: int) -> Iterator[Numbers1d]:
        """So many numbers, with anything in them, for as long as the block lasts. To get memory
        anew takes longer than much of what is done in it; several threads may ask."""
        dtype = np.dtype(self.emissions.dtype)
        try:
            buffer = self._free.pop()
        except IndexError:
            buffer = np.empty(0, dtype=dtype)
        if buffer.size < size:
            buffer = np.empty(size, dtype=dtype)
        yield buffer[:size]
        if len(self._free) < MOST_BUFFERS:
            self._free.append(buffer)

    def _states(self, batch: Batch, parts: list[slice], buffer: Numbers1d) -> Ints2d:
        """(steps, lanes): the states. Of lanes that are too long for the memory only some messages
        are kept on the way forward, and those between them are made again on the way back. parts:
        steps whose messages fit into the buffer."""
        states = np.zeros(batch.lanes.place.shape, dtype=np.int64)
        marks: list[Any] = [np.empty((self.chain.states + 1, 0), self.emissions.dtype)]
        for part in parts[:-1]:
            marks.append(self._filter(batch, part, buffer, marks[-1])[-1].X.copy())
        for part, mark in zip(reversed(parts), reversed(marks), strict=True):
            self._sample(batch, part, self._filter(batch, part, buffer, mark), states)
        return states

    def _filter(self, batch: Batch, part: slice, buffer: Numbers1d, X: Floats2d) -> list[Filtered]:
        """What is known at each step of a part, in the buffer. X: at the step before."""
        found: list[Filtered] = []
        K, lanes = self.chain.states, batch.lanes.place.shape[1]
        work, buffer = buffer[: K * lanes], buffer[K * lanes :]
        lives = np.count_nonzero(batch.lanes.place[part] >= 0, axis=1).tolist()
        for step, live in zip(range(part.start, part.stop), lives, strict=True):
            size = (K + 1) * live
            here, buffer = buffer[:size].reshape(K + 1, live), buffer[size:]
            M = work[: K * live].reshape(K, live)
            found.append(self._step(batch, step, X, M, here))
            X = here
        return found

    def _step(
        self, batch: Batch, step: int, before: Floats2d, M: Floats2d, here: Floats2d
    ) -> Filtered:
        """What is known at a step, in `here`. M: scratch space, kept near."""
        text, lanes, live = batch.text, batch.lanes, here.shape[1]
        begins, ends = lanes.begins[step, :live], lanes.ends[step, :live]
        if not begins.all():
            self._forward(np.ascontiguousarray(before[:, :live]), M)
        M[:, begins] = (self.chain.begin * self.emissions.totals)[:, None]
        place = lanes.place[step, :live]
        self.emissions.weigh(M, text.rows[place], text.fixed[place], batch.said)
        if ends.any():
            M[:, ends] *= self.chain.end[:, None]
        sums = self._sums(M)
        scale = 1 / np.maximum(sums[:, 0].sum(axis=0), LEAST)
        np.multiply(M, scale.astype(M.dtype), out=here[1:])
        sums *= scale
        here[0] = sums[:, 1].sum(axis=0)
        return Filtered(here, sums)

    def _sample(self, batch: Batch, part: slice, known: list[Filtered], states: Ints2d) -> None:
        """Draw the states of a part, those of what follows it being drawn. known: at its steps."""
        lanes, (which, uniform, _) = batch.lanes, batch.uniforms
        for step in range(part.stop - 1, part.start - 1, -1):
            here = known[step - part.start]
            live = here.X.shape[1]
            place, ends = lanes.place[step, :live], lanes.ends[step, :live]
            after = np.zeros(live, np.int64) if ends.all() else states[step + 1, :live]
            found = self._backward(here, ends, after, which[place], uniform[place])
            states[step, :live] = found

    def _words(self, batch: Batch, states: Ints2d, drawn: Ints1d) -> None:
        live = batch.lanes.place >= 0
        places, chosen = batch.lanes.place[live], states[live]
        free = ~batch.text.fixed[places]
        places, uniforms = places[free], batch.uniforms[2, places[free]]
        drawn[places] = self.emissions.words(batch.text.rows[places], chosen[free], uniforms)

    # What is made of the chain is made again from a copy of it; buffers hold what was drawn for,
    # which is no business of anybody who gets a copy.
    def __getstate__(self) -> dict[str, Any]:
        return {"chain": self.chain, "emissions": self.emissions, "_free": []}
