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
from functools import partial
from threading import Lock
from typing import Any

import numpy as np

from ..arrays import Bools1d, Floats2d, Ints1d, Ints2d, Numbers1d, blocks
from ..machine.threads import in_order, product_threads
from ..priors.chain import Chain
from ..randomness import Rng
from .emissions import NOTHING, Emissions, Some, pick
from .rooms import Rooms
from .tapes import Tapes, batches, lay, spans

MEMORY = 2**27  # bytes of sums that are kept from the way there for the way back
LEAST = 1e-37
MANY = 256  # words that are worth a second thread
STATES_AT_ONCE = 512  # that are turned from lanes beside each other to one after the other


@dataclass(frozen=True, eq=False, repr=False)
class Text:
    """k words of an input. rows: int64 (k,), NOTHING for words that the space lacks. starts: bool
    (k,), where sentences begin. fixed: bool (k,), words that stay as they are."""

    rows: Ints1d
    starts: Bools1d
    fixed: Bools1d


@dataclass(frozen=True, eq=False)
class Sums:
    """What is known of the state at some steps of tapes, given all words of its sentence up to
    there: for each step M (lanes, K), in sum 1, and its sums times back (lanes,)."""

    steps: list[tuple[Numbers1d, Numbers1d]]

    @property
    def last(self) -> tuple[Numbers1d, Numbers1d]:
        M, by_back = self.steps[-1]
        return M.copy(), by_back


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

    def __call__(self, text: Text, rng: Rng) -> Ints1d:
        """int64 (k,): the replacements; fixed words as they are."""
        drawn = text.rows.copy()
        uniforms = rng.uniform(3 * len(drawn)).reshape(3, -1)
        first, lengths = spans(text.starts)
        draw = partial(self._draw, text, uniforms, drawn, Lock())
        with product_threads(len(drawn) >= MANY) as threads:
            parts = (
                some[i::threads]
                for some in batches(lengths, self._room)
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
        with self._rooms.borrowed(words * self.chain.states, self.emissions.dtype) as room:
            self._words(batch, self._states(batch, parts, room), drawn)

    def _said(self, text: Text, tapes: Tapes) -> dict[int, Some]:
        places = tapes.place[tapes.place >= 0]
        return self.emissions.of(text.rows[places[~text.fixed[places]]].tolist())

    def _states(self, batch: Batch, parts: list[slice], room: Numbers1d) -> Ints2d:
        """(steps, lanes): the states. Of tapes that are too long for the memory only some sums are
        kept on the way there, and those between them are made again on the way back. parts: steps
        whose sums fit into the room."""
        states = np.zeros(batch.tapes.place.shape, dtype=np.int64)
        none = np.empty((0, self.chain.states), self.emissions.dtype)
        marks: list[tuple[Any, Any]] = [(none, none[:, 0])]
        for part in parts[:-1]:
            marks.append(self._forth(batch, part, room, *marks[-1]).last)
        for part, mark in zip(reversed(parts), reversed(marks), strict=True):
            self._back(batch, part, self._forth(batch, part, room, *mark), states)
        return states

    def _forth(
        self, batch: Batch, part: slice, room: Numbers1d, M: Numbers1d, by_back: Numbers1d
    ) -> Sums:
        """The sums of a part, in the room. M, by_back: those of the step before."""
        text, tapes, found = batch.text, batch.tapes, Sums([])
        live = np.count_nonzero(tapes.place[part] >= 0, axis=1)
        sums = room[: int(live.sum()) * self.chain.states].reshape(-1, self.chain.states)
        back = self.chain.back.astype(room.dtype)
        for step, here in zip(
            range(part.start, part.stop), np.split(sums, np.cumsum(live)[:-1]), strict=True
        ):
            place = tapes.place[step, : len(here)]
            self._ahead(here, M, by_back, tapes.begins[step, : len(here)])
            for one, row, stays in zip(
                here, text.rows[place].tolist(), text.fixed[place].tolist(), strict=True
            ):
                self.emissions.weigh(one, row, stays, batch.said.get(row))
            here[tapes.ends[step, : len(here)]] *= self.chain.end
            here *= 1 / np.maximum(here.sum(axis=1, keepdims=True), LEAST)
            M, by_back = here, here @ back
            found.steps.append((M, by_back))
        return found

    def _ahead(self, here: Floats2d, M: Floats2d, by_back: Numbers1d, begins: Bools1d) -> None:
        """Fill here, (lanes, K), with the next states times totals. M: (lanes or more, K), by_back:
        those of the words before. begins: (lanes,), whether a sentence does."""
        here[begins] = self.chain.begin * self.emissions.totals
        goes = np.flatnonzero(~begins)
        if not len(goes):
            return
        # Parts of arrays are looked at where they are; chosen rows are copied.
        lanes: Any = slice(0, len(here)) if len(goes) == len(here) else goes
        X = np.empty((self.chain.states + 1, len(goes)), dtype=here.dtype)
        X[:-1], X[-1] = M[lanes].T, by_back[lanes]
        ahead = self.chain.step(X)
        for some in blocks(len(ahead), STATES_AT_ONCE):
            here[lanes, some] = (ahead[some] * self.emissions.totals[some, None]).T

    def _back(self, batch: Batch, part: slice, sums: Sums, states: Ints2d) -> None:
        """Draw the states of a part, those of what follows it being drawn."""
        tapes, (which, uniform, _) = batch.tapes, batch.uniforms
        for step in range(part.stop - 1, part.start - 1, -1):
            M, by_back = sums.steps[step - part.start]
            place = tapes.place[step, : len(M)]
            numbers = zip(which[place].tolist(), uniform[place].tolist(), strict=True)
            for lane, one in enumerate(numbers):
                if tapes.ends[step, lane]:
                    states[step, lane] = pick(M[lane], one[1])
                else:
                    after = int(states[step + 1, lane])
                    states[step, lane] = self._before(M[lane], after, float(by_back[lane]), *one)

    def _before(
        self, M: Numbers1d, after: int, by_back: float, which: float, uniform: float
    ) -> int:
        """A state, drawn by M[z] T[z, after]."""
        chain = self.chain
        states, delta = chain.before(after)
        cells = delta * M[states]
        direct, by_back = float(cells.sum(dtype=np.float64)), by_back * float(chain.u[after])
        if which * (direct + by_back) < direct:
            return int(states[pick(cells, uniform)])
        return pick(chain.back * M, uniform)

    def _words(self, batch: Batch, states: Ints2d, drawn: Ints1d) -> None:
        live = batch.tapes.place >= 0
        places, chosen = batch.tapes.place[live], states[live]
        free = ~batch.text.fixed[places]
        for place, state in zip(places[free].tolist(), chosen[free].tolist(), strict=True):
            row, uniform = int(batch.text.rows[place]), float(batch.uniforms[2, place])
            drawn[place] = self.emissions.word(row, state, uniform)


__all__ = ["NOTHING", "SentenceDraw", "Text"]
