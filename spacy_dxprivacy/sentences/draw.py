r"""Whole sentences, drawn exactly: forward filtering, backward sampling.

    P(y_1..y_n | w_1..w_n) = q(y_1..y_n) exp(-beta sum of path(w_i, y_i)) / Z(w_1..w_n)

The words of the input are the emissions of a chain. From the first word to the last, the sums over
all that may come before a state are carried along (float32, no number is ever subtracted); then the
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
LEAST = np.float32(1e-37)


@dataclass(frozen=True)
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
        for some in batches(lengths, MEMORY // (4 * self.chain.states)):
            tapes = lay(first[some], lengths[some])
            states = self._back(tapes, self._forth(text, tapes), rng)
            self._words(text, tapes, states, drawn, rng)
        return drawn

    def _forth(self, text: Text, tapes: Tapes) -> list[Floats2d]:
        """For each step float32 (lanes, K), in sum 1: how likely the states are, given all words of
        the sentence up to here."""
        free = tapes.place[tapes.place >= 0]
        self.emissions.prepare(set(text.rows[free[~text.fixed[free]]].tolist()))
        sums: list[Floats2d] = []
        M = np.empty((self.chain.states, 0), dtype=np.float32)
        for place, begins, ends in zip(tapes.place, tapes.begins, tapes.ends, strict=True):
            live = int(np.count_nonzero(place >= 0))
            here = place[:live]
            M = self._ahead(M[:, :live], begins[:live])
            M = self.emissions.weigh(M, text.rows[here].tolist(), text.fixed[here].tolist())
            M[:, ends[:live]] *= self.chain.end[:, None]
            M /= np.maximum(M.sum(axis=0), LEAST)
            sums.append(np.ascontiguousarray(M.T))
        return sums

    def _ahead(self, M: Floats2d, begins: Bools1d) -> Floats2d:
        """M: (K, S) of the words before -> (K, S) of the next ones, some of which begin sentences."""
        if begins.all():
            return np.repeat(self.chain.begin[:, None], len(begins), axis=1)
        ahead = self.chain.forward(M)
        ahead[:, begins] = self.chain.begin[:, None]
        return ahead

    def _back(self, tapes: Tapes, sums: list[Floats2d], rng: Rng) -> Ints2d:
        """(steps, lanes): the states."""
        states = np.zeros(tapes.place.shape, dtype=np.int64)
        for step in reversed(range(len(sums))):
            M = sums[step]
            by_back = (M @ self.chain.back).tolist()
            uniforms = rng.uniform(2 * len(M)).reshape(2, len(M)).T.tolist()
            for lane, (which, uniform) in enumerate(uniforms):
                if tapes.ends[step, lane]:
                    states[step, lane] = pick(M[lane], uniform)
                else:
                    after = int(states[step + 1, lane])
                    found = self._before(M[lane], after, by_back[lane], which, uniform)
                    states[step, lane] = found
        return states

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
