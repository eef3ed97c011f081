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

from ..arrays import Bools1d, Floats2d, Ints1d, Ints2d
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
        """For each step float32 (K, lanes), in sum 1: how likely the states are, given all words of
        the sentence up to here."""
        sums: list[Floats2d] = []
        begin = self.chain.begin[:, None]
        for place, begins, ends in zip(tapes.place, tapes.begins, tapes.ends, strict=True):
            live = place >= 0
            M = np.repeat(begin, len(place), axis=1)
            on = np.flatnonzero(live & ~begins)
            if len(on):
                M[:, on] = self.chain.forward(sums[-1][:, on])
            E = self.emissions.of(text.rows[place].tolist(), (text.fixed[place] & live).tolist())
            M *= E
            M[:, ends] *= self.chain.end[:, None]
            M /= np.maximum(M.sum(axis=0), LEAST)
            sums.append(M)
        return sums

    def _back(self, tapes: Tapes, sums: list[Floats2d], rng: Rng) -> Ints2d:
        """(steps, lanes): the states."""
        states = np.zeros(tapes.place.shape, dtype=np.int64)
        for step in reversed(range(len(sums))):
            M, lanes = sums[step], tapes.place.shape[1]
            by_back = self.chain.back @ M
            uniforms = rng.uniform(2 * lanes).reshape(2, lanes).T.tolist()
            for lane in np.flatnonzero(tapes.place[step] >= 0).tolist():
                if tapes.ends[step, lane]:
                    states[step, lane] = pick(M[:, lane], uniforms[lane][1])
                else:
                    after = int(states[step + 1, lane])
                    states[step, lane] = self._before(
                        M[:, lane], after, float(by_back[lane]), *uniforms[lane]
                    )
        return states

    def _before(self, M: Floats2d, after: int, by_back: float, which: float, uniform: float) -> int:
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
