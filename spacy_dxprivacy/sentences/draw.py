r"""Whole sentences, drawn exactly: forward filtering, backward sampling.

    P(y_1..y_n | w_1..w_n) = q(y_1..y_n) exp(-beta sum of path(w_i, y_i)) / Z(w_1..w_n)

The words of the input are the emissions of a chain. From the first word to the last, the sums over
all that may come before a state are carried along (no number is ever subtracted; in float32, and in
float64 at budgets that float32 cannot hold); then the
states are drawn from the last word to the first, and the words given their states.

Paper  Scott 2002, "Bayesian methods for hidden Markov models" (forward filtering, backward
       sampling); Carter and Kohn 1994
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from threading import Lock
from typing import Any

import numpy as np

from ..arrays import Bools1d, Floats2d, Ints1d, Ints2d, Numbers1d
from ..machine.threads import in_order, product_threads
from ..priors.ahead import Ahead
from ..priors.chain import Chain
from ..randomness import Rng
from .back import Back, Known, Sums
from .emissions import NOTHING, Emissions, Some
from .rooms import Rooms
from .tapes import Tapes, batches, lay, spans

MEMORY = 2**27  # bytes of sums that are kept from the way there for the way back
LEAST = 1e-37
MANY = 256  # words that are worth a second thread


@dataclass(frozen=True, eq=False, repr=False)
class Text:
    """k words of an input. rows: int64 (k,), NOTHING for words that the space lacks. starts: bool
    (k,), where sentences begin. fixed: bool (k,), words that stay as they are."""

    rows: Ints1d
    starts: Bools1d
    fixed: Bools1d


@dataclass(frozen=True, eq=False)
class Batch:
    """Some sentences of a text. said: of each of their words, see Emissions.of. uniforms: (3, k),
    for each word of the text."""

    text: Text
    tapes: Tapes
    said: dict[int, Some]
    uniforms: Floats2d


class SentenceDraw:
    """Draws sentences of a chain whose words are weighed by emissions."""

    def __init__(self, chain: Chain, emissions: Emissions) -> None:
        self.chain, self.emissions, self._rooms = chain, emissions, Rooms()

    @cached_property
    def _ahead(self) -> Ahead:
        return Ahead(self.chain, self.emissions.totals, self.emissions.dtype)

    @cached_property
    def _back(self) -> Back:
        return Back(self.chain)

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
            tapes = (lay(first[part], lengths[part]) for part in parts)
            for _ in in_order(draw, tapes, threads, 2 * threads):
                pass
        return drawn

    @property
    def _room(self) -> int:
        """How many words the sums of which fit into the memory."""
        return max(1, MEMORY // (np.dtype(self.emissions.dtype).itemsize * self.chain.states))

    def _draw(
        self, text: Text, uniforms: Floats2d, drawn: Ints1d, turn: Lock, tapes: Tapes
    ) -> None:
        # One at a time: what one has walked to, the next need not; a walk keeps others from
        # python anyway. Meanwhile those who have what they need make their products.
        with turn:
            batch = Batch(text, tapes, self._said(text, tapes), uniforms)
        parts, words = batch.tapes.parts(self._room)
        size = (words + batch.tapes.place.shape[1]) * (self.chain.states + 1)
        with self._rooms.borrowed(size, self.emissions.dtype) as room:
            self._words(batch, self._states(batch, parts, room), drawn)

    def _said(self, text: Text, tapes: Tapes) -> dict[int, Some]:
        places = tapes.place[tapes.place >= 0]
        return self.emissions.of(text.rows[places[~text.fixed[places]]].tolist())

    def _states(self, batch: Batch, parts: list[slice], room: Numbers1d) -> Ints2d:
        """(steps, lanes): the states. Of tapes that are too long for the memory only some sums are
        kept on the way there, and those between them are made again on the way back. parts: steps
        whose sums fit into the room."""
        states = np.zeros(batch.tapes.place.shape, dtype=np.int64)
        marks: list[Any] = [np.empty((self.chain.states + 1, 0), self.emissions.dtype)]
        for part in parts[:-1]:
            marks.append(self._forth(batch, part, room, marks[-1])[-1].X.copy())
        for part, mark in zip(reversed(parts), reversed(marks), strict=True):
            self._choose(batch, part, self._forth(batch, part, room, mark), states)
        return states

    def _forth(self, batch: Batch, part: slice, room: Numbers1d, X: Floats2d) -> list[Known]:
        """What is known at each step of a part, in the room. X: at the step before."""
        found: list[Known] = []
        K, lanes = self.chain.states, batch.tapes.place.shape[1]
        work, room = room[: K * lanes], room[K * lanes :]
        lives = np.count_nonzero(batch.tapes.place[part] >= 0, axis=1).tolist()
        for step, live in zip(range(part.start, part.stop), lives, strict=True):
            size = (K + 1) * live
            here, room = room[:size].reshape(K + 1, live), room[size:]
            M = work[: K * live].reshape(K, live)
            found.append(self._step(batch, step, X, M, here))
            X = here
        return found

    def _step(
        self, batch: Batch, step: int, before: Floats2d, M: Floats2d, here: Floats2d
    ) -> Known:
        """What is known at a step, in `here`. M: room to work in, kept near."""
        text, tapes, live = batch.text, batch.tapes, here.shape[1]
        begins, ends = tapes.begins[step, :live], tapes.ends[step, :live]
        if not begins.all():
            self._ahead(np.ascontiguousarray(before[:, :live]), M)
        M[:, begins] = (self.chain.begin * self.emissions.totals)[:, None]
        place = tapes.place[step, :live]
        self.emissions.weigh(M, text.rows[place], text.fixed[place], batch.said)
        if ends.any():
            M[:, ends] *= self.chain.end[:, None]
        sums = self._sums(M)
        scale = 1 / np.maximum(sums[:, 0].sum(axis=0), LEAST)
        np.multiply(M, scale.astype(M.dtype), out=here[1:])
        sums *= scale
        here[0] = sums[:, 1].sum(axis=0)
        return Known(here, sums)

    def _choose(self, batch: Batch, part: slice, known: list[Known], states: Ints2d) -> None:
        """Draw the states of a part, those of what follows it being drawn. known: at its steps."""
        tapes, (which, uniform, _) = batch.tapes, batch.uniforms
        for step in range(part.stop - 1, part.start - 1, -1):
            here = known[step - part.start]
            live = here.X.shape[1]
            place, ends = tapes.place[step, :live], tapes.ends[step, :live]
            after = np.zeros(live, np.int64) if ends.all() else states[step + 1, :live]
            found = self._back(here, ends, after, which[place], uniform[place])
            states[step, :live] = found

    def _words(self, batch: Batch, states: Ints2d, drawn: Ints1d) -> None:
        live = batch.tapes.place >= 0
        places, chosen = batch.tapes.place[live], states[live]
        free = ~batch.text.fixed[places]
        places, uniforms = places[free], batch.uniforms[2, places[free]]
        drawn[places] = self.emissions.words(batch.text.rows[places], chosen[free], uniforms)

    # What is made of the chain is made again from a copy of it.
    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in ("chain", "emissions", "_rooms")}


__all__ = ["NOTHING", "SentenceDraw", "Text"]
