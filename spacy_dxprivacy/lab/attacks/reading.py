"""Recover words from all outputs of a text, by a language model and the exact channel.

The attacker knows the mechanism, its space, a language model of word pairs, and word frequencies of
similar texts. Success is the share of words recovered. Candidates of a place are the likeliest
words by channel and frequency, and by channel and the word before; their posteriors are computed by
forward-backward over the sentence (Rabiner 1989).

The channel is exact for word-level sampling with stated probabilities. For sentence-level sampling
it is that of a word given the current guess of all others, and the guess is improved in sweeps. For
noise it is estimated (channel.py), so success against noise is a lower bound.

With a causal model, beam search finds the likeliest text among the same candidates, by .6 of the
model and .4 of known frequencies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...arrays import Bools1d, Floats2d, Ints1d, Ints2d, blocks
from ...privacy.randomness import Rng
from ...space import Space
from ...space.search.exact import euclidean
from ...ty import HasMetric, Mechanism, StatesLikelihoods, StatesProbabilities, facts_of
from ..causal import BeamSearch, TextToFill, WordTokens, open_model, word_tokens
from ..corpus import EncodedCorpus
from .channel import MIN_LOG, Channel, GrowingChannel, channel_of, draws_by_frequency
from .language import FREQUENCY_SHARE, MIN_PROBABILITY, Language

CANDIDATES, CAUSAL_CANDIDATES = 100, 32
FIRST_SWEEP, NEXT_SWEEP = 40, 10  # candidates for the exact channel
SWEEPS = 2
OUTPUTS_AT_ONCE = 64
DRAWS = 8  # of a word on average, if probabilities are simulated
BEAM = 4

EmissionLogs = Callable[[Ints1d, Ints2d], Floats2d]  # guess (k,), candidates (k, m) -> (k, m)


@dataclass(frozen=True)
class SeenRelease:
    """The attacker's view: outputs int64 (k,), and where sentences begin, bool (k,)."""

    outputs: Ints1d
    starts: Bools1d

    @property
    def spans(self) -> Iterator[slice]:
        ends = np.append(np.flatnonzero(self.starts), len(self.outputs)).tolist()
        return (slice(a, b) for a, b in pairwise(ends))


@dataclass(frozen=True)
class ReleaseReading:
    """A release and an attacker's knowledge. mechanism: fitted on the vectors X (n, d). channel: of
    words that are sampled one by one, to these outputs."""

    seen: SeenRelease
    mechanism: Mechanism
    X: Floats2d
    language: Language
    channel: GrowingChannel

    @classmethod
    def of(
        cls, seen: SeenRelease, mechanism: Mechanism, X: Floats2d, language: Language, rng: Rng,
        known: Channel | None = None,
    ) -> ReleaseReading:  # fmt: skip
        """Return the reading of a release. rng: to simulate mechanisms without stated
        probabilities. known: a channel to the outputs, whose words are not computed again."""
        outputs = seen.outputs if known is None else known.outputs

        def make(words: Ints1d) -> Channel:
            times = draws_by_frequency(DRAWS, language.usual, words)
            return channel_of(mechanism, X, words, outputs, rng, times)

        return cls(seen, mechanism, X, language, GrowingChannel(make, known))

    def guess(self) -> Ints1d:
        """Return the likeliest word of each place, int64 (k,)."""
        C, emission_logs = self._candidates()
        guess = self.seen.outputs
        for _ in range(SWEEPS if isinstance(self.mechanism, StatesLikelihoods) else 1):
            C = _best(C, self._posteriors(C, emission_logs(guess, C)), NEXT_SWEEP)
            guess = C[:, 0]
        return guess

    def likeliest(self, count: int) -> tuple[Ints2d, Floats2d]:
        """Return the likeliest words of each place, int64 (k, count), best first, and ln P(outputs
        | word) up to a constant of the place, given the best words of all other places."""
        C, emission_logs = self._candidates()
        C = _best(C, self._posteriors(C, emission_logs(self.seen.outputs, C)), count)
        return C, emission_logs(C[:, 0], C)

    def _candidates(self) -> tuple[Ints2d, EmissionLogs]:
        """Return candidates of each place by distance and language, and their emission logs."""
        C, logs = self._preselected(min(CANDIDATES, len(self.X)))
        C = _best(C, self._posteriors(C, logs), FIRST_SWEEP)
        seen = self.seen
        mechanism = self.mechanism
        by_word = isinstance(mechanism, StatesProbabilities) and not _draws_sentences(mechanism)
        if isinstance(mechanism, StatesLikelihoods) and not by_word:
            stating = mechanism

            def stated(guess: Ints1d, candidates: Ints2d) -> Floats2d:
                logs = stating.log_likelihood(
                    guess, seen.outputs, seen.starts, candidates=candidates
                )
                top = logs.max(axis=1, keepdims=True)  # -inf if no candidate is possible
                floored: Floats2d = np.maximum(logs - np.where(top == -np.inf, 0.0, top), MIN_LOG)
                return floored

            return C, stated
        channel = self.channel.to(C.ravel())
        words, columns = channel.words, channel.columns(seen.outputs)[:, None]
        return C, lambda _, candidates: channel.logs[np.searchsorted(words, candidates), columns]

    def _posteriors(self, C: Ints2d, logs: Floats2d) -> Floats2d:
        parts = [_sentence_posteriors(C[s], logs[s], self.language) for s in self.seen.spans]
        return np.concatenate(parts)

    def _preselected(self, count: int) -> tuple[Ints2d, Floats2d]:
        """Return distinct words of each place, int64 (k, count), and approximate logs of their
        channel: the output, two thirds by distance and frequency, the others by distance and the
        output before."""
        outputs, usual = self.seen.outputs, np.log(np.maximum(self.language.usual, MIN_PROBABILITY))
        distinct, of_place = np.unique(outputs, return_inverse=True)
        if count == len(self.X):
            all_words = np.tile(np.arange(count), (len(outputs), 1))
            return all_words, self._approximate_logs(distinct)[of_place]
        alone, language = max(1, count - count // 3), self.language
        first = language.first(np.arange(len(language.frequencies)))
        C = np.empty((len(outputs), count), dtype=np.int64)
        logs = np.empty(C.shape)
        for block in blocks(len(distinct), OUTPUTS_AT_ONCE):
            block_logs = self._approximate_logs(distinct[block])
            for j, output_logs in enumerate(block_logs, start=block.start):
                score = usual + output_logs
                score[distinct[j]] = np.inf
                C[of_place == j, :alone] = np.argpartition(-score, alone - 1)[:alone]
                for place in np.flatnonzero(of_place == j).tolist() if count > alone else ():
                    before = outputs[place - 1 : place]
                    fit = first if self.seen.starts[place] else language.moves(before)[0]
                    score = np.log(np.maximum(fit, MIN_PROBABILITY)) + output_logs
                    score[C[place, :alone]] = -np.inf
                    n_moves = count - alone
                    C[place, alone:] = np.argpartition(-score, n_moves - 1)[:n_moves]
                logs[of_place == j] = output_logs[C[of_place == j]]
        return C, logs

    def _approximate_logs(self, outputs: Ints1d) -> Floats2d:
        """Return logs of the channel by distance, (k, n), approximately up to a constant."""
        mechanism = self.mechanism
        if mechanism.guarantee.kind == "metric-dp" and isinstance(mechanism, HasMetric):
            D, slope = mechanism.distances(outputs), mechanism.guarantee.epsilon / 2
        else:
            D, slope = euclidean(self.X, outputs), 1.0
        logs: Floats2d = -slope * np.minimum(D, -MIN_LOG)
        return logs


def _draws_sentences(mechanism: Mechanism) -> bool:
    return facts_of(mechanism).draws_sentences


def filled_guess(seen: SeenRelease, hidden: Bools1d, language: Language) -> Ints1d:
    """Return the words of a text in plaintext, and the likeliest ones for hidden words, int64 (k,).
    hidden: bool (k,). An attacker who knows that only names are hidden recovers more."""
    guess = seen.outputs.astype(np.int64)
    usual = np.argsort(-language.usual, kind="stable")[:CANDIDATES]
    count = len(usual)
    for span in seen.spans:
        gaps = hidden[span]
        if not gaps.any():
            continue
        rows = guess[span]
        C = np.repeat(rows[:, None], count, axis=1)
        for place in np.flatnonzero(gaps).tolist():
            C[place] = usual
            if place and not gaps[place - 1]:
                after = language.moves(rows[place - 1 : place])[0]
                C[place] = np.argsort(-after, kind="stable")[:count]
        logs = np.where(gaps[:, None] | (np.arange(count) == 0), 0.0, MIN_LOG)
        best = _sentence_posteriors(C, logs, language).argmax(axis=1)
        guess[span] = C[np.arange(len(C)), best]
    return guess


def _sentence_posteriors(C: Ints2d, logs: Floats2d, language: Language) -> Floats2d:
    """Return the posteriors of candidates C (length, m), given their emission logs (length, m)."""
    E = np.exp(logs - logs.max(axis=1, keepdims=True))
    moves = [language.moves(a, b) for a, b in pairwise(C)]
    A, B = np.empty_like(E), np.ones_like(E)
    A[0] = language.first(C[0]) * E[0]
    for i, P in enumerate(moves, start=1):
        A[i] = E[i] * (A[i - 1] / max(A[i - 1].sum(), MIN_PROBABILITY) @ P)
    for i in range(len(moves) - 1, -1, -1):
        B[i] = moves[i] @ (E[i + 1] * B[i + 1])
        B[i] /= max(B[i].max(), MIN_PROBABILITY)
    joint = A * B
    posteriors: Floats2d = joint / np.maximum(joint.sum(axis=1, keepdims=True), MIN_PROBABILITY)
    return posteriors


def _best(C: Ints2d, P: Floats2d, count: int) -> Ints2d:
    """Return the likeliest candidates of each place, (k, count)."""
    best: Ints2d = np.take_along_axis(C, np.argsort(-P, axis=1, kind="stable")[:, :count], axis=1)
    return best


@dataclass(frozen=True, eq=False)
class Reader:
    """An attacker's causal model, with a prompt of public words, if any."""

    words: WordTokens
    prompt: str = ""
    beam: int = BEAM
    name: str = "causal model"  # as tables call it

    @classmethod
    def of(cls, model: str, space: Space, prompt: str = "") -> Reader:
        """Open a model. Raise DxError as open_model does."""
        return cls(word_tokens(open_model(model), space), prompt)


def causal_guess(text: EncodedCorpus, reading: ReleaseReading, reader: Reader) -> Ints1d:
    """Return the words of the likeliest texts by a causal model, mixed with known frequencies,
    int64 (k,). text: only its layout is used: plaintext between words, starts of documents."""
    C, logs = reading.likeliest(min(CAUSAL_CANDIDATES, len(reading.X)))
    # Words after a full stop, and the first of each document.
    capital = np.array([mark.rstrip()[-1:] in {".", "!", "?"} for mark in text.before])
    capital[text.starts[:-1]] = True
    sheets = [
        TextToFill(text.before[a:b], capital[a:b], C[a:b], logs[a:b])
        for a, b in pairwise(text.starts.tolist())
    ]
    frequencies = reading.language.frequencies
    search = BeamSearch(
        reader.words, frequencies, share=FREQUENCY_SHARE, prompt=reader.prompt, beam=reader.beam
    )
    return np.concatenate(search.fill(sheets))
