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

import numpy as np

from ..arrays import Bools1d, Floats2d, Ints1d, Ints2d, Numbers1d
from ..priors.chain import Chain
from ..randomness import Rng
from .emissions import NOTHING, Emissions, pick
from .tapes import Tapes, batches, lay, spans

MEMORY = 2**28  # bytes of sums that are kept from the way there for the way back
LEAST = 1e-37


@dataclass(frozen=True, eq=False, repr=False)
class Text:
    """k words of an input. rows: int64 (k,), NOTHING for words that the space lacks. starts: bool
    (k,), where sentences begin. fixed: bool (k,), words that stay as they are."""

    rows: Ints1d
    starts: Bools1d
    fixed: Bools1d


class SentenceDraw:
    """Draws sentences of a chain whose words are weighed by emissions."""

    def __init__(self, chain: Chain, emissions: Emissions) -> None:
        self.chain, self.emissions = chain, emissions

    def __call__(self, text: Text, rng: Rng) -> Ints1d:
        """int64 (k,): the replacements; fixed words as they are."""
        drawn = text.rows.copy()
        first, lengths = spans(text.starts)
        for some in batches(lengths, self._room):
            tapes = lay(first[some], lengths[some])
            self._words(text, tapes, self._states(text, tapes, rng), drawn, rng)
        return drawn

    @property
    def _room(self) -> int:
        """How many words the sums of which fit into the memory."""
        return max(1, MEMORY // (np.dtype(self.emissions.dtype).itemsize * self.chain.states))

    def _states(self, text: Text, tapes: Tapes, rng: Rng) -> Ints2d:
        """(steps, lanes): the states. Of tapes that are too long for the memory only some sums are
        kept on the way there, and those between them are made again on the way back."""
        steps, lanes = tapes.place.shape
        states = np.zeros(tapes.place.shape, dtype=np.int64)
        length = max(1, self._room // lanes)
        parts = [slice(start, min(start + length, steps)) for start in range(0, steps, length)]
        marks = [np.empty((self.chain.states, 0), dtype=self.emissions.dtype)]
        for part in parts[:-1]:
            marks.append(self._forth(text, tapes, part, marks[-1])[-1].T)
        for part, mark in zip(reversed(parts), reversed(marks), strict=True):
            self._back(tapes, part, self._forth(text, tapes, part, mark), states, rng)
        return states

    def _forth(self, text: Text, tapes: Tapes, part: slice, M: Floats2d) -> list[Floats2d]:
        """For each step of a part float (lanes, K), in sum 1: how likely the states are, given
        all words of the sentence up to here. M: (K, lanes), those of the step before."""
        self._prepare(text, tapes.place[part])
        sums: list[Floats2d] = []
        laid = (tapes.place[part], tapes.begins[part], tapes.ends[part])
        for place, begins, ends in zip(*laid, strict=True):
            live = int(np.count_nonzero(place >= 0))
            here = place[:live]
            M = self._ahead(M[:, :live], begins[:live])
            M = self.emissions.weigh(M, text.rows[here].tolist(), text.fixed[here].tolist())
            M[:, ends[:live]] *= self.chain.end[:, None]
            M /= np.maximum(M.sum(axis=0), LEAST)
            sums.append(np.ascontiguousarray(M.T))
        return sums

    def _prepare(self, text: Text, place: Ints2d) -> None:
        live = place[place >= 0]
        self.emissions.prepare(set(text.rows[live[~text.fixed[live]]].tolist()))

    def _ahead(self, M: Floats2d, begins: Bools1d) -> Floats2d:
        """M: (K, S) of the words before -> (K, S) of the next, some of which begin sentences."""
        if begins.all():
            begin = self.chain.begin.astype(self.emissions.dtype)
            return np.repeat(begin[:, None], len(begins), axis=1)
        ahead = self.chain.forward(M)
        ahead[:, begins] = self.chain.begin[:, None]
        return ahead

    def _back(
        self, tapes: Tapes, part: slice, sums: list[Floats2d], states: Ints2d, rng: Rng
    ) -> None:
        """Draw the states of a part, those of what follows it being drawn."""
        for step, M in zip(range(part.stop - 1, part.start - 1, -1), reversed(sums), strict=True):
            by_back = (M @ self.chain.back).tolist()
            uniforms = rng.uniform(2 * len(M)).reshape(2, len(M)).T.tolist()
            for lane, (which, uniform) in enumerate(uniforms):
                if tapes.ends[step, lane]:
                    states[step, lane] = pick(M[lane], uniform)
                else:
                    after = int(states[step + 1, lane])
                    found = self._before(M[lane], after, by_back[lane], which, uniform)
                    states[step, lane] = found

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

    def _words(self, text: Text, tapes: Tapes, states: Ints2d, drawn: Ints1d, rng: Rng) -> None:
        live = tapes.place >= 0
        places, chosen = tapes.place[live], states[live]
        uniforms = rng.uniform(len(places))
        free = ~text.fixed[places]
        for place, state, uniform in zip(
            places[free].tolist(), chosen[free].tolist(), uniforms[free].tolist(), strict=True
        ):
            drawn[place] = self.emissions.word(int(text.rows[place]), state, uniform)


__all__ = ["NOTHING", "SentenceDraw", "Text"]
