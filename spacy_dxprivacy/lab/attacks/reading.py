"""Recovering words from all outputs of a text, by a language model and the exact channel.

The attacker knows the mechanism and its space, a language model of word pairs, and the frequencies
of words in texts like these. Success is the share of places that are guessed right. Candidates of a
place are the words likeliest by channel and frequency, and by channel and the word before; their
posteriors come from forward-backward over the sentence (Rabiner 1989).

The channel is exact where words are drawn alone and the mechanism states its probabilities. Of
mechanisms that draw whole sentences it is that of a word given the present guess of all others,
P(outputs | text) being known up to a constant; the guess is improved in sweeps. Of noise it is
learned from draws (channel.py), so success against noise is a lower bound.

With a causal model, beam search finds the likeliest text among the same candidates,
P(w | words before) being .6 of the model and .4 of known frequencies.
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
from ...ty import HasMetric, Mechanism, StatesLikelihoods
from ..causal import Search, Sheet, WordTokens, open_model, word_tokens
from ..corpus import EncodedCorpus
from .channel import LOWEST, channel_of, draws_by_frequency
from .language import FREQUENCY_SHARE, LEAST, Language

CANDIDATES, CAUSAL_CANDIDATES = 100, 32
CLOSE, FEW = 40, 10  # candidates of the exact channel, in the first sweep and the next
SWEEPS = 2
OUTPUTS_AT_ONCE = 64
DRAWS = 8  # of a word on average, where probabilities are learned
BEAM = 4

Channel = Callable[[Ints1d, Ints2d], Floats2d]  # a guess (k,), candidates (k, m) -> logs (k, m)


@dataclass(frozen=True)
class SeenRelease:
    """What the attacker sees: outputs int64 (k,), and where sentences begin, bool (k,)."""

    outputs: Ints1d
    starts: Bools1d

    @property
    def spans(self) -> Iterator[slice]:
        ends = np.append(np.flatnonzero(self.starts), len(self.outputs)).tolist()
        return (slice(a, b) for a, b in pairwise(ends))


@dataclass(frozen=True)
class ReleaseReading:
    """An attacker's view of a release. mechanism: fitted on the vectors X (n, d). rng: for
    mechanisms that have to be simulated."""

    seen: SeenRelease
    mechanism: Mechanism
    X: Floats2d
    language: Language
    rng: Rng

    def guess(self) -> Ints1d:
        """Return the likeliest word of each place, int64 (k,)."""
        C, channel = self._close()
        guess = self.seen.outputs
        for _ in range(SWEEPS if isinstance(self.mechanism, StatesLikelihoods) else 1):
            # FEW are enough to improve the guess
            C = _best(C, self._posteriors(C, channel(guess, C)), FEW)
            guess = C[:, 0]
        return guess

    def weighed(self, count: int) -> tuple[Ints2d, Floats2d]:
        """Return the likeliest words of each place, int64 (k, most), the first one first, and ln
        P(outputs | each) up to a constant of the place, all other words being the first ones."""
        C, channel = self._close()
        C = _best(C, self._posteriors(C, channel(self.seen.outputs, C)), count)
        return C, channel(C[:, 0], C)

    def _close(self) -> tuple[Ints2d, Channel]:
        """Candidates of each place by nearness and language, and their channel."""
        C, nearness = self._likely(min(CANDIDATES, len(self.X)))
        C = _best(C, self._posteriors(C, nearness), CLOSE)
        seen = self.seen
        if isinstance(self.mechanism, StatesLikelihoods):
            mechanism = self.mechanism

            def stated(guess: Ints1d, candidates: Ints2d) -> Floats2d:
                logs = mechanism.log_likelihood(
                    guess, seen.outputs, seen.starts, candidates=candidates
                )
                top = logs.max(axis=1, keepdims=True)  # -inf where none of them is possible
                floored: Floats2d = np.maximum(logs - np.where(top == -np.inf, 0.0, top), LOWEST)
                return floored

            return C, stated
        words = np.unique(C)
        times = draws_by_frequency(DRAWS, self.language.usual, words)
        table = channel_of(self.mechanism, self.X, (words, seen.outputs), self.rng, times)
        columns = table.columns(seen.outputs)
        return C, lambda _, candidates: table.logs[
            np.searchsorted(words, candidates), columns[:, None]
        ]

    def _posteriors(self, C: Ints2d, logs: Floats2d) -> Floats2d:
        return _posteriors(self.seen, C, logs, self.language)

    def _likely(self, count: int) -> tuple[Ints2d, Floats2d]:
        """Distinct words of each place, int64 (k, most), with about the ln of their channel: the
        output itself, two thirds by distance and frequency, the others by distance and the output
        before."""
        outputs, usual = self.seen.outputs, np.log(np.maximum(self.language.usual, LEAST))
        distinct, of_place = np.unique(outputs, return_inverse=True)
        if count == len(self.X):
            all_words = np.tile(np.arange(count), (len(outputs), 1))
            return all_words, self._nearness(distinct)[of_place]
        alone, language = max(1, count - count // 3), self.language
        first = language.first(np.arange(len(language.frequencies)))
        C = np.empty((len(outputs), count), dtype=np.int64)
        logs = np.empty(C.shape)
        for block in blocks(len(distinct), OUTPUTS_AT_ONCE):
            of_block = self._nearness(distinct[block])
            for j, nearness in enumerate(of_block, start=block.start):
                score = usual + nearness
                score[distinct[j]] = np.inf
                C[of_place == j, :alone] = np.argpartition(-score, alone - 1)[:alone]
                for place in np.flatnonzero(of_place == j).tolist() if count > alone else ():
                    before = outputs[place - 1 : place]
                    fit = first if self.seen.starts[place] else language.moves(before)[0]
                    score = np.log(np.maximum(fit, LEAST)) + nearness
                    score[C[place, :alone]] = -np.inf
                    n_moves = count - alone
                    C[place, alone:] = np.argpartition(-score, n_moves - 1)[:n_moves]
                logs[of_place == j] = nearness[C[of_place == j]]
        return C, logs

    def _nearness(self, outputs: Ints1d) -> Floats2d:
        """About the ln of the channel up to a constant, (k, n), to choose candidates by."""
        mechanism = self.mechanism
        if mechanism.guarantee.kind == "metric-dp" and isinstance(mechanism, HasMetric):
            D, slope = mechanism.distances(outputs), mechanism.guarantee.epsilon / 2
        else:
            D, slope = euclidean(self.X, outputs), 1.0
        logs: Floats2d = -slope * np.minimum(D, -LOWEST)
        return logs


def filled_guess(seen: SeenRelease, hidden: Bools1d, language: Language) -> Ints1d:
    """Return the words of a text in plaintext, and the likeliest ones where they are hidden, int64
    (k,). hidden: bool (k,). What hides them is not used: an attacker who knows that only names are
    hidden recovers more."""
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
        logs = np.where(gaps[:, None] | (np.arange(count) == 0), 0.0, LOWEST)
        best = _of_sentence(C, logs, language).argmax(axis=1)
        guess[span] = C[np.arange(len(C)), best]
    return guess


def _of_sentence(C: Ints2d, logs: Floats2d, language: Language) -> Floats2d:
    """The posteriors of candidates C (length, m), given the ln of their channel, logs (length,
    m)."""
    E = np.exp(logs - logs.max(axis=1, keepdims=True))
    moves = [language.moves(a, b) for a, b in pairwise(C)]
    A, B = np.empty_like(E), np.ones_like(E)
    A[0] = language.first(C[0]) * E[0]
    for i, P in enumerate(moves, start=1):
        A[i] = E[i] * (A[i - 1] / max(A[i - 1].sum(), LEAST) @ P)
    for i in range(len(moves) - 1, -1, -1):
        B[i] = moves[i] @ (E[i + 1] * B[i + 1])
        B[i] /= max(B[i].max(), LEAST)
    joint = A * B
    posteriors: Floats2d = joint / np.maximum(joint.sum(axis=1, keepdims=True), LEAST)
    return posteriors


def _posteriors(seen: SeenRelease, C: Ints2d, logs: Floats2d, language: Language) -> Floats2d:
    return np.concatenate([_of_sentence(C[s], logs[s], language) for s in seen.spans])


def _best(C: Ints2d, P: Floats2d, count: int) -> Ints2d:
    """(k, most): the likeliest candidates of each place."""
    best: Ints2d = np.take_along_axis(C, np.argsort(-P, axis=1, kind="stable")[:, :count], axis=1)
    return best


@dataclass(frozen=True, eq=False)
class Reader:
    """An attacker's causal model, and its prompt (public words, or none)."""

    words: WordTokens
    prompt: str = ""
    beam: int = BEAM
    name: str = "causal model"  # as tables call it

    @classmethod
    def of(cls, model: str, space: Space, prompt: str = "") -> Reader:
        """Open a model. Raise DxError as open_model does."""
        return cls(word_tokens(open_model(model), space), prompt)


def causal_guess(text: EncodedCorpus, reading: ReleaseReading, reader: Reader) -> Ints1d:
    """Return the words of the likeliest texts by a causal model, mixed with the known frequencies,
    int64 (k,).

    text: its layout alone is used, what stands between words and where sentences and documents
    begin. reading: of its release.
    """
    C, logs = reading.weighed(min(CAUSAL_CANDIDATES, len(reading.X)))
    # words after a full stop, and the first of each document
    capital = np.array([mark.rstrip()[-1:] in {".", "!", "?"} for mark in text.before])
    capital[text.starts[:-1]] = True
    sheets = [
        Sheet(text.before[a:b], capital[a:b], C[a:b], logs[a:b])
        for a, b in pairwise(text.starts.tolist())
    ]
    frequencies = reading.language.frequencies
    search = Search(
        reader.words, frequencies, share=FREQUENCY_SHARE, prompt=reader.prompt, beam=reader.beam
    )
    return np.concatenate(search.fill(sheets))
