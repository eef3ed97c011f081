r"""Words drawn one after the other, each given those that were released before it.

    P(y_i | w_i, y_1 .. y_(i-1)) = q(y_i | y_1 .. y_(i-1)) exp(-beta path(w_i, y_i)) / Z

For public laws whose sentences cannot be summed, such as n-grams longer than pairs. Each word has
the bound 2 beta path(w_i, v_i) whatever was released before it, so the losses of a text add up
(adaptive composition): the guarantee is that of whole sentences.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints1d, Ints2d
from ..graph.kernel import Kernel
from ..randomness import Rng
from .draw import Text
from .emissions import NOTHING, pick
from .tapes import spans


class NextWord(Protocol):
    """A public law of the next word."""

    def after(self, history: Ints1d) -> Floats1d:
        """history: int64 (h,), the words before it in its sentence -> float64 (n,), above 0."""
        ...


class LeftToRight:
    """Draws, and probabilities, of texts word by word."""

    def __init__(self, law: NextWord, kernel: Kernel) -> None:
        self.law, self.kernel = law, kernel

    def draw(self, text: Text, rng: Rng) -> Ints1d:
        """int64 (k,): the replacements; fixed words as they are."""
        released, uniforms = text.rows.copy(), rng.uniform(len(text.rows)).tolist()
        for place, q in self._laws(text, released):
            if not text.fixed[place]:
                weights = q * self._weights(int(text.rows[place]))
                released[place] = pick(weights, uniforms[place])
        return released

    def _laws(self, text: Text, released: Ints1d) -> Iterator[tuple[int, Floats1d]]:
        """For each place the law of its word, given what is released before it by then."""
        first, lengths = spans(text.starts)
        for begin, length in zip(first.tolist(), lengths.tolist(), strict=True):
            for place in range(begin, begin + length):
                yield place, self.law.after(released[begin:place])

    def _weights(self, row: int) -> Floats1d:
        """float64 (n,): exp(-beta path) to every word, up to a factor; of a word that says
        nothing 1."""
        if row == NOTHING:
            return np.ones(len(self.kernel.outputs))
        weights = self.kernel.outputs.copy()
        words, extra = self.kernel.near(row)
        weights[words] += extra
        return weights

    def likelihood(self, text: Text, outputs: Ints1d) -> Floats1d:
        """float64 (sentences,): ln P(outputs | rows)."""
        logs = np.empty(len(outputs))
        for place, q in self._laws(text, outputs):
            if text.fixed[place]:
                logs[place] = 0.0 if outputs[place] == text.rows[place] else -np.inf
                continue
            weights = q * self._weights(int(text.rows[place]))
            logs[place] = np.log(weights[outputs[place]]) - np.log(weights.sum())
        sums: Floats1d = np.add.reduceat(logs, spans(text.starts)[0])
        return sums

    def of_candidates(self, text: Text, outputs: Ints1d, candidates: Ints2d) -> Floats2d:
        """candidates: int64 (k, m) -> float64 (k, m), up to one constant for each place; 0 at fixed
        words."""
        found = np.zeros(candidates.shape)
        for place, q in self._laws(text, outputs):
            if text.fixed[place]:
                continue
            for j, candidate in enumerate(candidates[place].tolist()):
                weights = self._weights(candidate)
                found[place, j] = np.log(weights[outputs[place]]) - np.log(q @ weights)
        return found
