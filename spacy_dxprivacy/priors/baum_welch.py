"""A hidden Markov model learned from sentences by expectation and maximisation.

Paper  Baum, Petrie, Soules, Weiss 1970; Rabiner 1989 (scaled forward and backward sums)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from ..arrays import Bools2d, Floats1d, Floats2d, Ints1d, Ints2d
from .chain import chain_of
from .corpus import STOP
from .law import Law, joint
from .measure import batches

AT_ONCE = 2**14  # words whose sums are in memory
LEAST = 1e-8  # of any transition or word
LEAST_SCALE = np.float32(1e-30)
LEAST_SHARE = 1e-7  # of a state's words, of those that are kept
BORROWED = 100.0  # words, at the end
SPREAD = 0.5  # nats, of the random start


@dataclass(frozen=True, eq=False)
class Model:
    """K states, V words, the last of them any other word. begin (K,), move (K, K), stop (K,): row
    sums of move and stop are 1. words (V, K): columns sum to 1."""

    begin: Floats1d
    move: Floats2d
    stop: Floats1d
    words: Floats2d


@dataclass(eq=False)
class Expected:
    """How often each thing is expected to have happened, and ln of how likely all is."""

    begin: Floats1d
    move: Floats2d
    stop: Floats1d
    words: Floats2d
    log: float = 0.0
    count: int = 0


def start(states: int, frequency: Floats1d, seed: int) -> Model:
    """frequency: (V,). Words of each state are the frequent ones, each a little more or less."""
    rng = np.random.default_rng(seed)
    words = (frequency + LEAST)[:, None] * np.exp(
        SPREAD * rng.normal(size=(len(frequency), states))
    )
    move = np.exp(SPREAD * rng.normal(size=(states, states + 1)))
    move /= move.sum(axis=1, keepdims=True)
    begin = np.full(states, 1 / states)
    return Model(begin, move[:, :-1], move[:, -1], words / words.sum(axis=0))


def learn(
    model: Model,
    chunks: Callable[[], Iterable[Ints1d]],
    iterations: int,
    say: Callable[[int, float], object] = lambda number, nats: None,
) -> Model:
    """chunks: gives sentences of types, each followed by STOP, anew for each iteration. say: called
    with the number of the iteration and the nats a word before it."""
    for number in range(1, iterations + 1):
        expected = expect(model, chunks())
        say(number, -expected.log / max(expected.count, 1))
        model = maximise(expected, BORROWED if number == iterations else 0.0)
    return model


def expect(model: Model, chunks: Iterable[Ints1d]) -> Expected:
    """Sums of one sentence in float32, of all in float64."""
    parts = [model.begin, model.move, model.stop, model.words]
    begin, move, stop, words = (np.zeros(a.shape) for a in parts)
    found = Expected(begin, move, stop, words)
    quick = Model(*(a.astype(np.float32) for a in parts))  # type: ignore[arg-type]
    for types in chunks:
        for sentences in batches(types, AT_ONCE):
            _add(found, quick, sentences)
    return found


def maximise(found: Expected, borrowed: float = 0.0) -> Model:
    """borrowed: how many words of any state, and moves of any, are added to what each state has, so
    that it knows of more than it has seen."""
    moves = np.hstack([found.move, found.stop[:, None]])
    move = moves + borrowed * moves.sum(axis=0) / moves.sum() + LEAST
    move /= move.sum(axis=1, keepdims=True)
    any_state = found.words.sum(axis=1, keepdims=True) / found.words.sum()
    words, begin = found.words + borrowed * any_state + LEAST, found.begin + LEAST
    return Model(begin / begin.sum(), move[:, :-1], move[:, -1], words / words.sum(axis=0))


def _add(found: Expected, model: Model, sentences: Ints2d) -> None:
    """sentences: (s, length), STOP behind the end of each."""
    live, E = _emissions(model, sentences)
    A, scale = _forth(model, E, live)
    B, after = _back(model, E, live, scale)
    G = A * B  # how likely each state is
    K, ends = len(model.begin), _ends(live)
    found.begin += G[:, 0].sum(axis=0)
    found.stop += G[ends].sum(axis=0)
    found.move += model.move * (A[:, :-1].reshape(-1, K).T @ after.reshape(-1, K))
    _add_words(found.words, sentences[live], G[live])
    found.log += float(np.log(scale[live], dtype=np.float64).sum())
    found.count += int(live.sum())


def _emissions(model: Model, sentences: Ints2d) -> tuple[Bools2d, Floats2d]:
    """Where there are words (s, length), and what each says of the states (s, length, K); the last
    word of a sentence, that it ends there too."""
    live = sentences != STOP
    E = model.words[np.where(live, sentences, 0)]
    E[_ends(live)] *= model.stop
    return live, E


def _ends(live: Bools2d) -> Bools2d:
    ends: Bools2d = live & ~np.hstack([live[:, 1:], np.zeros((len(live), 1), dtype=bool)])
    return ends


def _forth(model: Model, E: Floats2d, live: Bools2d) -> tuple[Floats2d, Floats2d]:
    """A (s, length, K): how likely states are, given the words up to here. scale (s, length): how
    likely the word was, given those before it."""
    A, scale = np.zeros_like(E), np.ones(E.shape[:2], dtype=E.dtype)
    ahead = np.broadcast_to(model.begin, E[:, 0].shape)
    for place in range(E.shape[1]):
        on = live[:, place]
        M = ahead[on] * E[on, place]
        scale[on, place] = np.maximum(M.sum(axis=1), LEAST_SCALE)
        A[on, place] = M / scale[on, place, None]
        ahead = A[:, place] @ model.move
    return A, scale


def _back(model: Model, E: Floats2d, live: Bools2d, scale: Floats2d) -> tuple[Floats2d, Floats2d]:
    """B (s, length, K): A * B is how likely states are, given the whole sentence. after
    (s, length - 1, K): what follows says of the next state; 0 where nothing follows."""
    B, after = np.ones_like(E), np.zeros_like(E[:, 1:])
    for place in reversed(range(E.shape[1] - 1)):
        on = live[:, place + 1]
        after[on, place] = B[on, place + 1] * E[on, place + 1] / scale[on, place + 1, None]
        B[on, place] = after[on, place] @ model.move.T
    return B, after


def foretold(model: Model, types: Ints1d) -> Floats1d:
    """types: sentences, each followed by STOP -> (k,), -ln of each known word, given the words
    before it in its sentence and that the sentence goes on by a known word."""
    found: list[Floats1d] = []
    other = len(model.words) - 1
    for sentences in batches(types, AT_ONCE):
        left = np.arange(len(sentences))
        ahead = np.repeat(model.begin[None], len(left), axis=0)
        for column in sentences.T:
            on = column[left] != STOP
            left, ahead = left[on], ahead[on]
            words = column[left]
            M = ahead * model.words[words]
            p = M.sum(axis=1) / (1 - ahead @ model.words[other])
            found.append(-np.log(np.maximum(p[words != other], 1e-30)))
            ahead = M @ model.move
            ahead /= ahead.sum(axis=1, keepdims=True)
    return np.concatenate(found) if found else np.zeros(0)


def _add_words(table: Floats2d, words: Ints1d, weights: Floats2d) -> None:
    """table[word] += weights, for each of k words."""
    order = np.argsort(words, kind="stable")
    distinct, first = np.unique(words[order], return_index=True)
    table[distinct] += np.add.reduceat(weights[order], first, axis=0)


def law_of(model: Model, types: list[str], name: str) -> Law:
    """The model as a law; its last word, any other, is left out."""
    from scipy.sparse import csr_array

    words = model.words[:-1]
    often = _stationary(model)
    weak = words < LEAST_SHARE * words.max(axis=0)
    weak[np.arange(len(words)), words.argmax(axis=1)] = False
    u = np.full(len(model.begin), 1 / len(model.begin))
    move, _, end, stays = joint(csr_array(model.move), model.stop, u, 0 * u)
    delta = move.toarray() / move.sum(axis=1)[:, None]
    emit = csr_array(np.where(weak, 0.0, words) * stays)
    return Law(types, chain_of(model.begin, often / stays, end, 0 * u, u, delta, emit), name)


def _stationary(model: Model) -> Floats1d:
    """(K,): how common states are, where an end is followed by a begin."""
    whole = model.move + np.outer(model.stop, model.begin)
    often = np.full(len(whole), 1 / len(whole))
    for _ in range(200):
        often = (often + often @ whole) / 2  # half, since states may take turns
    weights: Floats1d = often / often.sum()
    return weights
