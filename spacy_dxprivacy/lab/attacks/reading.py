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
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays import Bools1d, Floats1d, Floats2d, Ints1d, Ints2d, blocks
from ...search.metric import euclidean
from ...ty import HasMetric, Mechanism
from .channel import LOWEST, channel_of
from .language import LEAST, Language

if TYPE_CHECKING:
    from ...randomness import Rng

CANDIDATES = 100
CLOSE, FEW = 40, 10  # that the exact channel is asked for, in the first sweep and the next
SWEEPS = 2
OUTPUTS_AT_ONCE = 64
DRAWS = 8  # of a word in the mean, where probabilities are learned

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


def language_guess(
    seen: Seen,
    mechanism: Mechanism,
    X: Floats2d,
    language: Language,
    rng: Rng,
    *,
    candidates: int = CANDIDATES,
    sweeps: int = SWEEPS,
) -> Ints1d:
    """The likeliest word of each place, int64 (k,). X (n, d): the vectors of the space. rng: for
    mechanisms that have to be simulated."""
    none = np.zeros((0, 0), dtype=np.int64)
    C, channel = _close(seen, mechanism, X, language, rng, candidates, none)
    guess = seen.outputs
    for _ in range(sweeps if _says(mechanism) else 1):
        P = _posteriors(seen, C, channel(guess, C), language)
        C = _best(C, P, FEW)  # enough to make the guess better
        guess = C[:, 0]
    return guess


def weighed(
    seen: Seen,
    mechanism: Mechanism,
    X: Floats2d,
    language: Language,
    rng: Rng,
    most: int,
    more: Ints2d | None = None,
) -> tuple[Ints2d, Floats2d]:
    """int64 (k, most): the likeliest words of each place, the first one first; and ln P(outputs |
    each) up to a constant of the place, all other words being the first ones. more: int64 (k, m),
    words that are asked about at each place: they come after those, and weigh nothing where they
    are there already."""
    asked = np.zeros((len(seen.outputs), 0), dtype=np.int64) if more is None else more
    C, channel = _close(seen, mechanism, X, language, rng, CANDIDATES, asked)
    P = _posteriors(seen, C, channel(seen.outputs, C), language)
    C = np.concatenate([_best(C, P, most), asked], axis=1)
    logs = channel(C[:, 0], C)
    for column in range(C.shape[1] - asked.shape[1], C.shape[1]):
        again = (C[:, :column] == C[:, column, None]).any(axis=1)
        logs[again, column] = LOWEST
    return C, logs


def _close(
    seen: Seen,
    mechanism: Mechanism,
    X: Floats2d,
    language: Language,
    rng: Rng,
    candidates: int,
    more: Ints2d,
) -> tuple[Ints2d, Channel]:
    """Candidates of each place by what is known before the channel is asked, and the channel of
    these and of more words."""
    C, near = likely(seen, mechanism, X, language, min(candidates, len(X)))
    C = _best(C, _posteriors(seen, C, near, language), CLOSE)
    words = np.union1d(C, more)
    return C, _channel(seen, mechanism, X, words, language, rng)


def _best(C: Ints2d, P: Floats2d, most: int) -> Ints2d:
    """(k, most): the likeliest candidates of each place."""
    best: Ints2d = np.take_along_axis(C, np.argsort(-P, axis=1, kind="stable")[:, :most], axis=1)
    return best


def _posteriors(seen: Seen, C: Ints2d, logs: Floats2d, language: Language) -> Floats2d:
    return np.concatenate([_of_sentence(C[s], logs[s], language) for s in seen.spans])


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


# -- candidates ----------------------------------------------------------------------------------


def likely(
    seen: Seen, mechanism: Mechanism, X: Floats2d, language: Language, most: int
) -> tuple[Ints2d, Floats2d]:  # fmt: skip
    """int64 (k, most), different words of each place: the output itself, two thirds by distance and
    frequency, the others by distance and the output before. And about the ln of their channel."""
    distinct, of_place = np.unique(seen.outputs, return_inverse=True)
    if most == len(X):
        found = np.tile(np.arange(most), (len(seen.outputs), 1))
        return found, _nearness(mechanism, X, distinct)[of_place]
    found = np.empty((len(seen.outputs), most), dtype=np.int64)
    logs = np.empty(found.shape)
    for block in blocks(len(distinct), OUTPUTS_AT_ONCE):
        some = zip(distinct[block].tolist(), _nearness(mechanism, X, distinct[block]), strict=True)
        for j, (output, near) in enumerate(some, start=block.start):
            words = _alone(output, near, language, max(1, most - most // 3))
            for place in np.flatnonzero(of_place == j).tolist():
                found[place] = _with_context(words, near, seen, place, language, most)
                logs[place] = near[found[place]]
    return found, logs


def _alone(output: int, near: Floats1d, language: Language, most: int) -> Ints1d:
    score = np.log(np.maximum(language.usual, LEAST)) + near
    score[output] = np.inf
    return np.argpartition(-score, most - 1)[:most]


def _with_context(
    words: Ints1d, near: Floats1d, seen: Seen, place: int, language: Language, most: int
) -> Ints1d:  # fmt: skip
    """The words, and others up to `most` that go well with the output before."""
    rest = most - len(words)
    if not rest:
        return words
    n = len(language.known)
    if seen.starts[place]:
        fit = language.first(np.arange(n))
    else:
        fit = language.onwards(seen.outputs[place - 1 : place])[0]
    score = np.log(np.maximum(fit, LEAST)) + near
    score[words] = -np.inf
    return np.append(words, np.argpartition(-score, rest - 1)[:rest])


def _nearness(mechanism: Mechanism, X: Floats2d, outputs: Ints1d) -> Floats2d:
    """(k, n): about the ln of the channel, up to a constant: to choose candidates by, no more."""
    if mechanism.guarantee.kind == "metric-dp" and isinstance(mechanism, HasMetric):
        D, slope = mechanism.distances(outputs), mechanism.guarantee.epsilon / 2
    else:
        D, slope = euclidean(X, outputs), 1.0
    near: Floats2d = -slope * np.minimum(D, -LOWEST)
    return near


# -- the channel ---------------------------------------------------------------------------------


def _says(mechanism: Mechanism) -> bool:
    """Whether it states the likelihood of texts."""
    return hasattr(mechanism, "log_likelihood")


def _channel(seen: Seen, mechanism: Any, X: Floats2d, words: Ints1d, language: Language,
             rng: Rng) -> Channel:  # fmt: skip
    """words: those that it may be asked for, rising."""
    if _says(mechanism):

        def stated(guess: Ints1d, some: Ints2d) -> Floats2d:
            logs = mechanism.log_likelihood(guess, seen.outputs, seen.starts, candidates=some)
            top = logs.max(axis=1, keepdims=True)  # -inf where none of them is possible
            floored: Floats2d = np.maximum(logs - np.where(top == -np.inf, 0.0, top), LOWEST)
            return floored

        return stated
    often = language.usual[words] / language.usual[words].sum()
    times = np.maximum(DRAWS // 2, DRAWS / 2 * len(words) * often).astype(np.int64)
    table = channel_of(mechanism, X, words, seen.outputs, rng, draws=times)
    columns = table.columns(seen.outputs)
    return lambda guess, some: table.logs[np.searchsorted(words, some), columns[:, None]]
