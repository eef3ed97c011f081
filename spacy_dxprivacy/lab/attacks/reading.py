"""Recover words from all outputs of a text, by a language model and the exact channel.

The attacker knows the mechanism, its space, a language model of word pairs, and word frequencies of
similar texts. Success is the share of words recovered. Candidates of a place are the likeliest
words by channel and frequency, and by channel and the word before; their posteriors are computed by
forward-backward over the sentence (Rabiner 1989).

The channel is exact for word-level sampling with stated probabilities. For sentence-level sampling
it is that of a word given the current guess of all others, and the guess is improved in sweeps;
candidates that are unlikely even by an upper bound keep this bound. For noise the channel is
estimated (channel.py), so success against noise is a lower bound.

With a causal model, beam search finds the likeliest text among the same candidates, by .6 of the
model and .4 of known frequencies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from ...arrays import Bools1d, Bools2d, Floats1d, Floats2d, Ints1d, Ints2d, blocks
from ...privacy.noise import squares_about
from ...privacy.randomness import Rng
from ...space import Space
from ...ty import HasMetric, Mechanism, Needed, StatesLikelihoods, facts_of
from ..causal import BeamSearch, TextToFill, WordTokens, open_model, word_tokens
from ..corpus import EncodedCorpus
from .channel import MIN_LOG, Channel, GrowingChannel, channel_of, draws_by_frequency
from .language import FREQUENCY_SHARE, MIN_PROBABILITY, Language

CANDIDATES, CAUSAL_CANDIDATES = 100, 32
FIRST_SWEEP, NEXT_SWEEP = 40, 10  # candidates for the exact channel
SWEEPS = 2
NEGLIGIBLE = 1e-3  # posterior, up to which an upper bound of a likelihood suffices
OUTPUTS_AT_ONCE = 64
GROUPS = 4  # of scores, for each that is sought
DRAWS = 8  # of a word on average, if probabilities are simulated
BEAM = 4

# guess (k,), candidates (k, m), which must be exact -> (k, m)
EmissionLogs = Callable[[Ints1d, Ints2d, Needed | None], Floats2d]


@dataclass(frozen=True)
class SeenRelease:
    """The attacker's view: outputs int64 (k,), and where sentences begin, bool (k,)."""

    outputs: Ints1d
    starts: Bools1d

    @property
    def spans(self) -> Iterator[slice]:
        ends = np.append(np.flatnonzero(self.starts), len(self.outputs)).tolist()
        return (slice(a, b) for a, b in pairwise(ends))


@dataclass(frozen=True, eq=False)
class Lattice:
    """Candidates of each place of a sentence, C (length, m), with P(candidate) at its
    start, first (m,), and P(candidate | the one before), moves: float32 (length - 1, m, m)."""

    C: Ints2d
    first: Floats1d
    moves: Floats2d

    @classmethod
    def of(cls, C: Ints2d, language: Language) -> Lattice:
        length, m = C.shape
        moves = np.empty((length - 1, m, m), dtype=np.float32)
        for P, (before, after) in zip(moves, pairwise(C), strict=True):
            P[:] = language.moves(before, after)
        return cls(C, language.first(C[0]), moves)

    def posteriors(self, logs: Floats2d) -> Floats2d:
        """Return the posteriors of the candidates, given their emission logs (length, m)."""
        E = np.exp(logs - logs.max(axis=1, keepdims=True))
        A, B = np.empty_like(E), np.ones_like(E)
        A[0] = self.first * E[0]
        for i, P in enumerate(self.moves, start=1):
            A[i] = E[i] * (A[i - 1] / max(A[i - 1].sum(), MIN_PROBABILITY) @ P)
        for i in range(len(self.moves) - 1, -1, -1):
            B[i] = self.moves[i] @ (E[i + 1] * B[i + 1])
            B[i] /= max(B[i].max(), MIN_PROBABILITY)
        joint = A * B
        posteriors: Floats2d = joint / np.maximum(joint.sum(axis=1, keepdims=True), MIN_PROBABILITY)
        return posteriors

    def best(self, P: Floats2d, count: int) -> Lattice:
        """Return the likeliest candidates by posteriors P (length, m), best first."""
        order = np.argsort(-P, axis=1, kind="stable")[:, :count]
        pairs = zip(self.moves, pairwise(order), strict=True)
        moves = [table.take(before, axis=0).take(after, axis=1) for table, (before, after) in pairs]
        narrow = np.array(moves, dtype=np.float32).reshape(-1, *order.shape[1:], order.shape[1])
        return Lattice(np.take_along_axis(self.C, order, axis=1), self.first[order[0]], narrow)


def _words(sentences: Sequence[Lattice]) -> Ints2d:
    """Return the candidates of all places, int64 (k, m)."""
    return np.concatenate([lattice.C for lattice in sentences])


def highest(scores: Floats1d, count: int) -> Ints1d:
    """Return the places of the highest scores, (count,), in no order.

    The least of them is at or above the count-th of the greatest scores of groups, and few others
    are: it is sought among these.
    """
    groups = GROUPS * count
    size = len(scores) // groups
    if size < 2:
        places: Ints1d = np.argpartition(-scores, count - 1)[:count]
        return places
    tops = scores[: size * groups].reshape(size, groups).max(axis=0)
    above = np.flatnonzero(scores >= np.partition(tops, groups - count)[groups - count])
    return above[np.argpartition(-scores[above], count - 1)[:count]]


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
        sentences, emission_logs = self._candidates()
        guess = self.seen.outputs
        for _ in range(1 if self._by_word else SWEEPS):
            logs = emission_logs(guess, _words(sentences), self._likely(sentences))
            sentences = self._best(sentences, logs, NEXT_SWEEP)
            guess = _words(sentences)[:, 0]
        return guess

    def likeliest(self, count: int) -> tuple[Ints2d, Floats2d]:
        """Return the likeliest words of each place, int64 (k, count), best first, and ln P(outputs
        | word) up to a constant of the place, given the best words of all other places."""
        sentences, emission_logs = self._candidates()
        logs = emission_logs(self.seen.outputs, _words(sentences), self._likely(sentences))
        C = _words(self._best(sentences, logs, count))
        return C, emission_logs(C[:, 0], C, None)

    @property
    def _by_word(self) -> bool:
        """Whether outputs depend on one word each, by a channel that no guess of others changes."""
        return not (
            isinstance(self.mechanism, StatesLikelihoods) and _draws_sentences(self.mechanism)
        )

    def _candidates(self) -> tuple[list[Lattice], EmissionLogs]:
        """Return candidates of each sentence by distance and language, and their emission logs."""
        C, logs = self._preselected(min(CANDIDATES, len(self.X)))
        sentences = []
        for s in self.seen.spans:  # one by one, since moves of all candidates take much memory
            lattice = Lattice.of(C[s], self.language)
            sentences.append(lattice.best(lattice.posteriors(logs[s]), FIRST_SWEEP))
        seen, mechanism = self.seen, self.mechanism
        if isinstance(mechanism, StatesLikelihoods) and not self._by_word:
            stating = mechanism

            def stated(guess: Ints1d, candidates: Ints2d, needed: Needed | None) -> Floats2d:
                logs = stating.log_likelihood(
                    guess, seen.outputs, seen.starts, candidates=candidates, needed=needed
                )
                top = logs.max(axis=1, keepdims=True)  # -inf if no candidate is possible
                floored: Floats2d = np.maximum(logs - np.where(top == -np.inf, 0.0, top), MIN_LOG)
                return floored

            return sentences, stated
        channel = self.channel.to(_words(sentences).ravel())
        words, columns = channel.words, channel.columns(seen.outputs)[:, None]
        return sentences, lambda _, C, __: channel.logs[np.searchsorted(words, C), columns]

    def _likely(self, sentences: Sequence[Lattice]) -> Needed:
        """Return which candidates of some places have more than a negligible posterior."""

        def likely(places: slice, logs: Floats2d) -> Bools2d:
            parts = [
                lattice.posteriors(logs[s.start - places.start : s.stop - places.start])
                for lattice, s in zip(sentences, self.seen.spans, strict=True)
                if places.start <= s.start < places.stop
            ]
            is_likely: Bools2d = np.concatenate(parts) > NEGLIGIBLE
            return is_likely

        return likely

    def _best(self, sentences: Sequence[Lattice], logs: Floats2d, count: int) -> list[Lattice]:
        """Return the likeliest candidates of each sentence, given the emission logs of all."""
        spans = zip(sentences, self.seen.spans, strict=True)
        return [lattice.best(lattice.posteriors(logs[s]), count) for lattice, s in spans]

    def _preselected(self, count: int) -> tuple[Ints2d, Floats2d]:
        """Return distinct words of each place, int64 (k, count), and approximate logs of their
        channel: the output, two thirds by distance and frequency, the others by distance and the
        output before."""
        outputs, usual = self.seen.outputs, _log(self.language.usual)
        distinct, of_place = np.unique(outputs, return_inverse=True)
        if count == len(self.X):
            all_words = np.tile(np.arange(count), (len(outputs), 1))
            return all_words, self._approximate_logs(distinct)[of_place]
        alone, language = max(1, count - count // 3), self.language
        first = _log(language.first(np.arange(len(language.frequencies))))
        fits = dict[int, Floats1d]()  # words often come after the same one
        places = np.split(np.argsort(of_place, kind="stable"), np.cumsum(np.bincount(of_place)))
        C = np.empty((len(outputs), count), dtype=np.int64)
        logs = np.empty(C.shape)
        for block in blocks(len(distinct), OUTPUTS_AT_ONCE):
            block_logs = self._approximate_logs(distinct[block])
            for j, output_logs in enumerate(block_logs, start=block.start):
                score = usual + output_logs
                score[distinct[j]] = np.inf
                C[places[j], :alone] = likely = highest(score, alone)
                for place in places[j].tolist() if count > alone else ():
                    before = int(outputs[place - 1])
                    if self.seen.starts[place]:
                        score = first + output_logs
                    else:
                        if before not in fits:
                            fits[before] = _log(language.moves_from(before))
                        score = fits[before] + output_logs
                    score[likely] = -np.inf
                    C[place, alone:] = highest(score, count - alone)
                logs[places[j]] = output_logs[C[places[j]]]
        return C, logs

    @cached_property
    def _squares(self) -> Callable[[Floats2d], Floats2d]:
        return squares_about(self.X)

    def _approximate_logs(self, outputs: Ints1d) -> Floats2d:
        """Return logs of the channel by distance, (k, n), approximately up to a constant."""
        mechanism, guarantee, slope = self.mechanism, self.mechanism.guarantee, 1.0
        logs: Floats2d | None = None
        if guarantee.kind == "metric-dp" and isinstance(mechanism, HasMetric):
            slope = guarantee.epsilon / 2
            if (guarantee.metric, guarantee.covers) != ("euclidean", "all"):
                logs = mechanism.distances(outputs).astype(np.float32)
        if logs is None:
            logs = np.sqrt(self._squares(self.X[outputs]))
        np.clip(logs, 0, -MIN_LOG, out=logs)
        logs *= -slope
        return logs


def _log(P: Floats1d) -> Floats1d:
    logs: Floats1d = np.log(np.maximum(P, MIN_PROBABILITY).astype(np.float32))
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
                after = language.moves_from(rows[place - 1])
                C[place] = np.argsort(-after, kind="stable")[:count]
        logs = np.where(gaps[:, None] | (np.arange(count) == 0), 0.0, MIN_LOG)
        best = Lattice.of(C, language).posteriors(logs).argmax(axis=1)
        guess[span] = C[np.arange(len(C)), best]
    return guess


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
