"""Likelihoods of several texts that differ in a few words, given one release."""

from __future__ import annotations

import numpy as np

from ..arrays import Bools1d, Floats1d, Floats2d, Ints1d, Ints2d, blocks
from ..sampler.emissions import UNKNOWN_ROW
from ..sampler.likelihood import LANES, SentenceLikelihood
from ..sampler.sentence_level import InputRows, spans


class VariantLikelihood(SentenceLikelihood):
    """Likelihoods of texts that differ in several words of a sentence."""

    def of_variants(self, text: InputRows, outputs: Ints1d, variants: Ints2d) -> Floats2d:
        """Return ln P(outputs | variants[:, j]), float64 (sentences, m), up to a constant for each
        sentence. Unlike candidates, a column is a whole text; only sampled words may differ, and
        outputs count only at these."""
        logs = np.empty((int(text.starts.sum()), variants.shape[1]))
        differs = (variants != text.rows[:, None]).any(axis=1)
        first, lengths = spans(text.starts)
        order = np.argsort(-lengths, kind="stable")
        for batch in blocks(len(order), LANES):
            lanes = order[batch]
            begins, ends = first[lanes], first[lanes] + lengths[lanes] - 1
            pairs = zip(begins, ends, strict=True)
            changed = [[*np.flatnonzero(differs[a : b + 1])] or [0] for a, b in pairs]
            leftmost, rightmost = (np.array([places[i] for places in changed]) for i in (0, -1))
            E = list(self._steps(text, begins, lengths[lanes]))
            ahead, behind = np.empty((2, self.chain.states, len(lanes)))
            steps = range(leftmost.max() + 1)
            for step, (message, _) in zip(steps, self._forward(E), strict=False):
                ahead[:, leftmost == step] = message[:, np.flatnonzero(leftmost == step)]
            steps = range(len(E) - 1, rightmost.min() - 1, -1)
            for step, message in zip(steps, self._backward(E), strict=False):
                behind[:, rightmost == step] = message[:, np.flatnonzero(rightmost == step)]
            for lane, sentence in enumerate(lanes.tolist()):
                span = slice(begins[lane] + leftmost[lane], begins[lane] + rightmost[lane] + 1)
                messages = ahead[:, lane], behind[:, lane]
                logs[sentence] = -self._of_span(text.fixed[span], variants[span], messages)
        sentence_of = np.cumsum(text.starts) - 1
        for place in np.flatnonzero(differs).tolist():
            logs[sentence_of[place]] += [
                np.log(self.kernel.weights(row, outputs[place : place + 1])[0])
                for row in variants[place].tolist()
            ]
        return logs

    def _of_span(
        self, fixed: Bools1d, variants: Ints2d, messages: tuple[Floats1d, Floats1d]
    ) -> Floats1d:
        """Return ln Z with some words replaced, (m,), given the messages at both ends."""
        ahead, behind = messages
        self.kernel.prepare(set(variants.reshape(-1).tolist()) - {UNKNOWN_ROW})  # at once: faster
        *leading, (last, last_fixed) = zip(variants, fixed.tolist(), strict=True)
        if not leading:
            logs: Floats1d = np.log(self._sum_over_states(last, last_fixed, ahead * behind))
            return logs
        logs = np.zeros(variants.shape[1])
        for part in blocks(variants.shape[1], LANES):
            X = np.repeat(ahead.astype(self.emissions.dtype)[:, None], len(logs[part]), axis=1)
            for rows, is_fixed in leading:
                X *= self._emissions_of(rows[part], is_fixed)
                sums = X.sum(axis=0)
                X, logs[part] = self.chain.forward(X / sums), logs[part] + np.log(sums)
            logs[part] += np.log(behind @ (X * self._emissions_of(last[part], last_fixed)))
        return logs

    def _emissions_of(self, rows: Ints1d, fixed: bool) -> Floats2d:
        """Return the emissions of words at one place, (K, m), up to a common factor."""
        emissions = self.emissions
        if (rows == rows[0]).all():
            return np.repeat(emissions.exact(int(rows[0]), fixed)[:, None], len(rows), axis=1)
        factors_of = emissions.of(rows.tolist())
        E = np.repeat(emissions.totals[None], len(rows), axis=0)
        for e, row in zip(E, rows.tolist(), strict=True):
            states, factors = factors_of[row]
            e[states] *= factors
        return E.T

    def _sum_over_states(self, rows: Ints1d, fixed: bool, messages: Floats1d) -> Floats1d:
        """Return the sums over states (k,) of emissions of each word times messages (states,)."""
        emissions = self.emissions
        if fixed:
            return np.array([emissions.exact(row, fixed) @ messages for row in rows.tolist()])
        by_word = self.chain.emit @ self.chain.sum_by_type(messages)
        far = float(emissions.exact_totals @ messages)
        additions = (self.kernel.nearer_words(row) for row in rows.tolist())
        return np.array([far + extra @ by_word[words] for words, extra in additions])
