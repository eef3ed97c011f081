"""ln P(outputs | inputs) of sentences, exactly: what audits and attackers ask of the mechanism."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints1d, Ints2d
from ..priors.chain import Chain
from .draw import Text
from .emissions import Emissions
from .tapes import spans

CANDIDATES_AT_ONCE = 2**12


class SentenceLikelihood:
    """In float64, sentence by sentence."""

    def __init__(self, chain: Chain, emissions: Emissions) -> None:
        self.chain, self.emissions, self.kernel = chain, emissions, emissions.kernel

    def __call__(self, text: Text, outputs: Ints1d) -> Floats1d:
        """float64 (sentences,): ln P(outputs | rows); -inf where a fixed word came out as another.
        What a fixed word of the text says is in clear, and not counted as drawn."""
        released = Text(outputs, text.starts, np.ones(len(outputs), dtype=bool))
        lost = text.fixed & (outputs != text.rows)
        cost = np.where(text.fixed, 0.0, -self.kernel.beta * self._paths(text.rows, outputs))
        cost[lost] = -np.inf
        first, _ = spans(text.starts)
        found: Floats1d = self.log_sums(released) - self.log_sums(text)
        return found + np.add.reduceat(cost, first)

    def _paths(self, rows: Ints1d, outputs: Ints1d) -> Floats1d:
        """(k,): of NOTHING to any word 0, since it says nothing."""
        found = [
            0.0 if row < 0 else -np.log(self.kernel.weights(row, np.array([out]))[0])
            for row, out in zip(rows.tolist(), outputs.tolist(), strict=True)
        ]
        return np.asarray(found) / self.kernel.beta

    def log_sums(self, text: Text) -> Floats1d:
        """float64 (sentences,): ln Z of each sentence; of one whose words are all fixed, ln q."""
        first, lengths = spans(text.starts)
        E = [self._emission(text, i) for i in range(len(text.rows))]
        sums = np.empty(len(first))
        for number, (begin, length) in enumerate(
            zip(first.tolist(), lengths.tolist(), strict=True)
        ):
            _, logs = self._forth(E[begin : begin + length])
            sums[number] = logs
        return sums

    def _emission(self, text: Text, place: int) -> Floats1d:
        return self.emissions.exact(int(text.rows[place]), bool(text.fixed[place]))

    def _forth(self, E: list[Floats1d]) -> tuple[list[Floats1d], float]:
        """What is known of each state from the words before it, in sum 1; and ln of the whole."""
        ahead, log = [self.chain.begin.astype(np.float64)], 0.0
        for place, e in enumerate(E):
            M = ahead[-1] * e
            if place == len(E) - 1:
                M = M * self.chain.end
            total = float(M.sum())
            log += float(np.log(total))
            ahead.append(self.chain.forward((M / total)[:, None])[:, 0])
        return ahead[:-1], log

    def _back(self, E: list[Floats1d]) -> list[Floats1d]:
        """For each place, how likely all words after it are, given its state; up to a factor."""
        behind = [self.chain.end.astype(np.float64)]
        for e in reversed(E[1:]):
            M = behind[-1] * e
            behind.append(self.chain.backward((M / M.sum())[:, None])[:, 0])
        return behind[::-1]

    def of_candidates(self, text: Text, outputs: Ints1d, candidates: Ints2d) -> Floats2d:
        """candidates: int64 (k, m) -> float64 (k, m): ln P(outputs | rows) with rows[i] replaced by
        candidates[i, j], up to one constant for each i. 0 at fixed words."""
        found = np.zeros(candidates.shape)
        first, lengths = spans(text.starts)
        for begin, length in zip(first.tolist(), lengths.tolist(), strict=True):
            places = range(begin, begin + length)
            E = [self._emission(text, i) for i in places]
            messages = zip(places, self._forth(E)[0], self._back(E), strict=True)
            for place, ahead, behind in messages:
                if not text.fixed[place]:
                    around = ahead * behind
                    found[place] = self._each(candidates[place], int(outputs[place]), around)
        return found

    def _each(self, candidates: Ints1d, output: int, around: Floats1d) -> Floats1d:
        """(m,): -beta path(c, output) - ln Z of the sentence with c, for each candidate c."""
        self.kernel.prepare(candidates.tolist())
        spread = self.chain.emit @ around  # (n,): what each word would weigh here
        whole = self.kernel.far * float(spread.sum())
        one = np.array([output])
        logs = np.empty(len(candidates))
        for j, candidate in enumerate(candidates.tolist()):
            words, extra = self.kernel.near(candidate)
            Z = whole + float(extra @ spread[words])
            logs[j] = np.log(self.kernel.weights(candidate, one)[0]) - np.log(Z)
        return logs
