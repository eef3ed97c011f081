r"""Guessing words from all outputs of a text, by a language model and the exact channel.

Knows: the mechanism and its space; a language model of word pairs; how often words come in texts
like these. Wants: the words. Measured by the share of places that are guessed right. Each place has
candidates: the words that are likeliest by channel and frequency, and those by channel and the
words around. Among them the posterior of each place is computed by forward-backward over the
sentence (Rabiner 1989).

The channel is exact where words are drawn alone and the mechanism states its probabilities. Of
mechanisms that draw whole sentences it is that of a word given the present guess of all others,
P(outputs | text) being known up to a constant; the guess is made better in sweeps. Of noise it is
learned from draws (channel.py), so that figures of noise are from below.

Who has a causal model as well looks for the likeliest text among the same candidates by beam
search, P(w | words before) being .6 of the model and .4 of known frequencies. On the way it has the
posterior of each candidate, given the words before and the outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ...arrays import Bools1d, Floats1d, Floats2d, Ints1d, Ints2d, blocks
from ...editors.beam import Filled, Search, Sheet, search
from ...editors.model import WordTokens, word_tokens
from ...editors.opened import open_model
from ...privacy.randomness import Rng
from ...space import Space
from ...space.search.metric import euclidean
from ...ty import HasMetric, Mechanism
from ..corpus import Corpus
from .channel import LOWEST, channel_of, draws_by_frequency
from .language import KNOWN, LEAST, Language

CANDIDATES, CAUSAL_CANDIDATES = 100, 32
CLOSE, FEW = 40, 10  # that the exact channel is asked for, in the first sweep and the next
SWEEPS = 2
OUTPUTS_AT_ONCE = 64
DRAWS = 8  # of a word in the mean, where probabilities are learned
BEAM = 4

Channel = Callable[[Ints1d, Ints2d], Floats2d]  # a guess (k,), candidates (k, m) -> logs (k, m)


@dataclass(frozen=True)
class Seen:
    """What the attacker sees: outputs int64 (k,), and where sentences begin, bool (k,)."""

    outputs: Ints1d
    starts: Bools1d

    @property
    def spans(self) -> Iterator[slice]:
        ends = np.append(np.flatnonzero(self.starts), len(self.outputs)).tolist()
        return (slice(a, b) for a, b in pairwise(ends))


@dataclass(frozen=True)
class Reading:
    """One who looks at outputs. mechanism: fitted on the vectors X (n, d). language: what is known
    of language. rng: for mechanisms that have to be simulated."""

    seen: Seen
    mechanism: Mechanism
    X: Floats2d
    language: Language
    rng: Rng

    def guess(self) -> Ints1d:
        """The likeliest word of each place, int64 (k,)."""
        C, channel = self._close(None)
        guess = self.seen.outputs
        for _ in range(SWEEPS if self._is_stated else 1):
            C = _best(C, self._posteriors(C, channel(guess, C)), FEW)  # enough for a better guess
            guess = C[:, 0]
        return guess

    def weighed(self, most: int, asked: Ints2d | None = None) -> tuple[Ints2d, Floats2d]:
        """int64 (k, most): the likeliest words of each place, the first one first; and ln
        P(outputs | each) up to a constant of the place, all other words being the first ones.
        asked: int64 (k, m), words that are asked about at each place: they come after those, and
        weigh nothing where they are there already."""
        C, channel = self._close(asked)
        C = _best(C, self._posteriors(C, channel(self.seen.outputs, C)), most)
        first = C.shape[1]
        C = C if asked is None else np.concatenate([C, asked], axis=1)
        logs = channel(C[:, 0], C)
        for column in range(first, C.shape[1]):
            again = (C[:, :column] == C[:, column, None]).any(axis=1)
            logs[again, column] = LOWEST
        return C, logs

    @property
    def _is_stated(self) -> bool:
        """Whether the mechanism states the likelihood of texts."""
        return hasattr(self.mechanism, "log_likelihood")

    def _close(self, asked: Ints2d | None) -> tuple[Ints2d, Channel]:
        """Candidates of each place by what is known before the channel is asked, and the channel of
        these and of the words that are asked about."""
        C, near = self._likely(min(CANDIDATES, len(self.X)))
        C = _best(C, self._posteriors(C, near), CLOSE)
        if self._is_stated:
            return C, self._stated
        words = np.unique(C) if asked is None else np.union1d(C, asked)
        outputs, times = self.seen.outputs, draws_by_frequency(DRAWS, self.language.usual, words)
        table = channel_of(self.mechanism, self.X, (words, outputs), self.rng, times)
        columns = table.columns(outputs)
        return C, lambda _, some: table.logs[np.searchsorted(words, some), columns[:, None]]

    def _stated(self, guess: Ints1d, some: Ints2d) -> Floats2d:
        mechanism: Any = self.mechanism
        seen = self.seen
        logs = mechanism.log_likelihood(guess, seen.outputs, seen.starts, candidates=some)
        top = logs.max(axis=1, keepdims=True)  # -inf where none of them is possible
        floored: Floats2d = np.maximum(logs - np.where(top == -np.inf, 0.0, top), LOWEST)
        return floored

    def _posteriors(self, C: Ints2d, logs: Floats2d) -> Floats2d:
        return _posteriors(self.seen, C, logs, self.language)

    def _likely(self, most: int) -> tuple[Ints2d, Floats2d]:
        """int64 (k, most), different words of each place: the output itself, two thirds by distance
        and frequency, the others by distance and the output before. And about the ln of their
        channel."""
        outputs, usual = self.seen.outputs, np.log(np.maximum(self.language.usual, LEAST))
        distinct, of_place = np.unique(outputs, return_inverse=True)
        if most == len(self.X):
            found = np.tile(np.arange(most), (len(outputs), 1))
            return found, self._nearness(distinct)[of_place]
        alone = max(1, most - most // 3)
        found = np.empty((len(outputs), most), dtype=np.int64)
        logs = np.empty(found.shape)
        for block in blocks(len(distinct), OUTPUTS_AT_ONCE):
            nearness = self._nearness(distinct[block])
            for j, near in enumerate(nearness, start=block.start):
                score = usual + near
                score[distinct[j]] = np.inf
                words = np.argpartition(-score, alone - 1)[:alone]
                for place in np.flatnonzero(of_place == j).tolist():
                    more = self._fitting(place, near, words, most - alone)
                    found[place] = np.append(words, more)
                    logs[place] = near[found[place]]
        return found, logs

    def _fitting(self, place: int, near: Floats1d, words: Ints1d, most: int) -> Ints1d:
        """So many other words that go well with the output before."""
        if not most:
            return words[:0]
        if self.seen.starts[place]:
            fit = self.language.first(np.arange(len(self.language.known)))
        else:
            fit = self.language.onwards(self.seen.outputs[place - 1 : place])[0]
        score = np.log(np.maximum(fit, LEAST)) + near
        score[words] = -np.inf
        return np.argpartition(-score, most - 1)[:most]

    def _nearness(self, outputs: Ints1d) -> Floats2d:
        """(k, n): about the ln of the channel, up to a constant: to choose candidates by."""
        mechanism = self.mechanism
        if mechanism.guarantee.kind == "metric-dp" and isinstance(mechanism, HasMetric):
            D, slope = mechanism.distances(outputs), mechanism.guarantee.epsilon / 2
        else:
            D, slope = euclidean(self.X, outputs), 1.0
        near: Floats2d = -slope * np.minimum(D, -LOWEST)
        return near


def blind_guess(seen: Seen, language: Language, candidates: int = CANDIDATES) -> Ints1d:
    """The same without the outputs: int64 (k,)."""
    words = np.argsort(-language.usual, kind="stable")[:candidates]
    C = np.broadcast_to(words, (len(seen.outputs), len(words)))
    best: Ints1d = words[_posteriors(seen, C, np.zeros(C.shape), language).argmax(axis=1)]
    return best


def filled_guess(
    seen: Seen, hidden: Bools1d, language: Language, candidates: int = CANDIDATES
) -> Ints1d:
    """The words as they stand, and the likeliest ones where they are hidden, int64 (k,): of a text
    that is in clear but for some places. hidden: bool (k,). What hides them is not asked: a reader
    who knows that it hides names alone finds more."""
    guess = seen.outputs.astype(np.int64)
    for span in seen.spans:
        gaps = hidden[span]
        if gaps.any():
            C = _in_clear_or_any(guess[span], gaps, language, min(candidates, len(language.known)))
            logs = np.where(gaps[:, None] | (np.arange(C.shape[1]) == 0), 0.0, LOWEST)
            best = _of_sentence(C, logs, language).argmax(axis=1)
            guess[span] = C[np.arange(len(C)), best]
    return guess


def _in_clear_or_any(rows: Ints1d, gaps: Bools1d, language: Language, most: int) -> Ints2d:
    """int64 (length, most): the word itself, and at gaps those likely anywhere and after the word
    before."""
    C = np.repeat(rows[:, None], most, axis=1)
    for place in np.flatnonzero(gaps).tolist():
        after = place and not gaps[place - 1]
        fit = language.onwards(rows[place - 1 : place])[0] if after else language.usual
        C[place] = np.argsort(-fit, kind="stable")[:most]
    return C


def _of_sentence(C: Ints2d, logs: Floats2d, language: Language) -> Floats2d:
    """C (length, m), candidates of each place; logs (length, m), of the channel -> (length, m):
    the posterior of each."""
    E = np.exp(logs - logs.max(axis=1, keepdims=True))
    moves = [language.moves(a, b) for a, b in pairwise(C)]
    A, B = np.empty_like(E), np.ones_like(E)
    A[0] = language.first(C[0]) * E[0]
    for i, P in enumerate(moves, start=1):
        A[i] = E[i] * (A[i - 1] / max(A[i - 1].sum(), LEAST) @ P)
    for i in range(len(moves) - 1, -1, -1):
        B[i] = moves[i] @ (E[i + 1] * B[i + 1])
        B[i] /= max(B[i].max(), LEAST)
    both = A * B
    posteriors: Floats2d = both / np.maximum(both.sum(axis=1, keepdims=True), LEAST)
    return posteriors


def _posteriors(seen: Seen, C: Ints2d, logs: Floats2d, language: Language) -> Floats2d:
    return np.concatenate([_of_sentence(C[s], logs[s], language) for s in seen.spans])


def _best(C: Ints2d, P: Floats2d, most: int) -> Ints2d:
    """(k, most): the likeliest candidates of each place."""
    best: Ints2d = np.take_along_axis(C, np.argsort(-P, axis=1, kind="stable")[:, :most], axis=1)
    return best


# -- with a causal model -------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Reader:
    """An attacker with a causal model, and what it takes texts to be (public words, or none)."""

    words: WordTokens
    prompt: str = ""
    beam: int = BEAM

    @classmethod
    def of(cls, model: str, space: Space, prompt: str = "") -> Reader:
        """Raises DxError as open_model does."""
        return cls(word_tokens(open_model(model), space), prompt)

    @property
    def name(self) -> str:
        """As tables call it."""
        return "causal model"


@dataclass(frozen=True, eq=False)
class CausalReading:
    """words: int64 (k, m), candidates of each place; shares: float64 (k, m), their posterior, and
    priors, without the outputs of the place; guess: int64 (k,), the words of the likeliest texts.
    """

    words: Ints2d
    shares: Floats2d
    priors: Floats2d
    guess: Ints1d

    def of(self, word: int, places: slice) -> tuple[Floats1d, Floats1d]:
        """(length,) each: posterior and prior of a word at some places; 0 where it was not asked
        about, and is no candidate."""
        here = self.words[places] == word
        parts = self.shares[places], self.priors[places]
        shares, priors = (np.where(here, part, 0.0).max(axis=1) for part in parts)
        return shares, priors


def causal_reading(
    text: Corpus, reading: Reading, reader: Reader, asked: Ints2d | None = None
) -> CausalReading:
    """text: of which the layout alone is looked at, what stands between words and where sentences
    and documents begin. reading: of what was released of it; the known frequencies of its language
    are mixed in. asked: int64 (k, m), further candidates."""
    C, logs = reading.weighed(min(CAUSAL_CANDIDATES, len(reading.X)), asked)
    # words after a full stop, and the first of each document
    capital = np.array([mark.rstrip()[-1:] in {".", "!", "?"} for mark in text.before])
    capital[text.starts[:-1]] = True
    sheets = [
        Sheet(text.before[a:b], capital[a:b], C[a:b], logs[a:b])
        for a, b in pairwise(text.starts.tolist())
    ]
    known = reading.language.known
    how = Search(reader.words, known, share=KNOWN, prompt=reader.prompt, beam=reader.beam)
    found: list[Filled] = search(sheets, how)
    parts = zip(*[(one.shares, one.priors, one.words) for one in found], strict=True)
    return CausalReading(C, *(np.concatenate(part) for part in parts))
