"""Which words are looked at, what becomes of them, and in which range of epsilon."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ...arrays import Floats1d, Floats2d, Ints1d, Ints2d, blocks
from ...errors import DxError, UsageError
from ...privacy.randomness import Rng
from ...space import Space
from ...space.search.metric import neighbours
from ...ty import Mechanism, StatesProbabilities
from ...validate import fail, whole
from ..corpus import sentences_of_file

REPLICATES = 1000
BLOCK_NUMBERS = 2**22  # numbers at once
SAMPLED_AT_ONCE = 2**13
LOW, HIGH = 0.02, 0.98  # shares unchanged at the ends of a range
MOST_STEPS = 40  # by a factor of 4 each
SEARCH_WORDS, SEARCH_DRAWS = 48, 8  # enough to find a range


@dataclass(frozen=True)
class Probes:
    """Words of a space and how often each counts. rows: int64 (m,), all different. counts: (m,)."""

    rows: Ints1d
    counts: Ints1d

    @property
    def size(self) -> int:
        """How many words there are, repeats counted."""
        return int(self.counts.sum())

    @property
    def weights(self) -> Floats1d:
        """float64 (k,): the share of each word; they add up to 1."""
        shares: Floats1d = self.counts / self.size
        return shares

    def replicates(self, number: int = REPLICATES) -> Floats2d:
        """(number, m): the weights of as many samples of this size."""
        draws = np.random.default_rng(0).multinomial(self.size, self.weights, number)
        return draws / self.size


def sampled(rows: Ints1d, frequencies: Any, size: int) -> Probes:
    """A systematic sample: `size` places, evenly spread over the words laid end to end, each as
    long as it is frequent. With as many places as there are tokens, every one is taken.

    rows: (m,); frequencies: (m,), above 0. Raises DxError where there is no word.
    """
    size = whole("the number of words", size, least=1)
    if not len(rows):
        raise fail("rows", "one word or more", "none")
    ends = np.cumsum(np.asarray(frequencies, dtype=np.float64))
    places = (np.arange(size) + 0.5) * (ends[-1] / size)
    hit = np.minimum(np.searchsorted(ends, places, side="right"), len(rows) - 1)
    which, counts = np.unique(hit, return_counts=True)
    return Probes(np.asarray(rows, dtype=np.int64)[which], counts.astype(np.int64))


def running_text(n: int, size: int) -> Probes:
    """A sample of the words of running text, for a space of n words in the order of their
    frequency: by Zipf's law, the word of rank r comes 1 / r as often as the first."""
    return sampled(np.arange(n), 1 / np.arange(1, n + 1), size)


def probed_words(
    space: Space, size: int, text: str | None, field: str
) -> tuple[Probes, dict[str, Any]]:  # fmt: skip
    """The words to look at: a sample of the space, or of the words of a file; and what may be
    reported of them. Raises UsageError for a file without a word that the space holds."""
    if text is None:
        return running_text(len(space), size), {"source": "the space", "words": size}
    counts, unknown, failed = np.zeros(len(space), dtype=np.int64), 0, 0
    for documents, lost in sentences_of_file(text, "`text`", field=field, space=space):
        rows = np.concatenate([np.zeros(0, dtype=np.int64), *(some for some, *_ in documents)])
        counts += np.bincount(rows[rows >= 0], minlength=len(space))
        unknown += int((rows < 0).sum())
        failed += lost
    known = int(counts.sum())
    if not known:
        raise UsageError("`text` has no word that the space holds.")
    there = np.flatnonzero(counts)
    probes = sampled(there, counts[there], min(size, known))
    about = {
        "source": "a text",
        "words": probes.size,
        "words_of_text": known + unknown,
        "unknown": unknown,
        "records_that_failed": failed,
    }
    return probes, about


@dataclass(frozen=True)
class WordFigures:
    """float64 (m,) each, of the probed words.

    unchanged, near: the probability to come out as itself, and as one of its nearest words.
    distinct: expected number of different outputs in some draws. similarity: mean cosine of output
    and input. guesser: how often the best guesser is right about this word.
    exact: whether these are probabilities, or counted in a simulation.
    """

    unchanged: Floats1d
    near: Floats1d
    distinct: Floats1d
    similarity: Floats1d
    guesser: Floats1d
    exact: bool

    def __getitem__(self, name: str) -> Floats1d:
        values: Floats1d = self.farther if name == "farther" else getattr(self, name)
        return values

    @property
    def farther(self) -> Floats1d:
        """float64 (k,): the share that becomes neither the word nor a near one."""
        return np.maximum(0.0, 1 - self.unchanged - self.near)


class Bench:
    """Measures mechanisms on one space and some words of it.

    X: (n, d), the vectors. k: how many words are near, by Euclidean distance, the word itself not
    counted. draws: for each word, in simulations and for `distinct`.

    The guesser sees one output, and knows the mechanism, the probed words and how often each comes.
    It is exact where the mechanism states its probabilities; elsewhere it learns from one half of
    the draws and is scored on the other, so it may do a little less than the best.
    """

    def __init__(self, X: Floats2d, probes: Probes, *, k: int = 20, draws: int = 20) -> None:
        self.X, self.probes = X, probes
        self.k = min(whole("k", k, least=1), len(X) - 1)
        self.draws = whole("draws", draws, least=2)
        self.near = nearest_others(X, probes.rows, self.k)
        norms = np.linalg.norm(X.astype(np.float64), axis=1, keepdims=True)
        self.units = (X / np.where(norms > 0, norms, 1)).astype(np.float32)

    def measure(self, mechanism: Mechanism) -> WordFigures:
        """mechanism: fitted on this space."""
        if isinstance(mechanism, StatesProbabilities):
            return self._exact(mechanism)
        return self._simulated(mechanism)

    def unchanged(self, mechanism: Mechanism) -> float:
        """The share of words that come out as themselves, alone."""
        rows, weights = self.probes.rows, self.probes.weights
        if isinstance(mechanism, StatesProbabilities):
            stay = [P[np.arange(len(P)), rows[part]] for part, P in self._probabilities(mechanism)]
            return float(weights @ np.concatenate(stay))
        return float(weights @ (self._drawn(mechanism) == rows[:, None]).mean(axis=1))

    # -- by probabilities --

    def _exact(self, mechanism: Any) -> WordFigures:
        m, n = len(self.probes.rows), len(self.X)
        figures = np.empty((4, m))
        best, winner = np.zeros(n), np.zeros(n, dtype=np.int64)
        for part, P in self._probabilities(mechanism):
            figures[:, part] = self._of_block(part, P)
            joint = P * self.probes.weights[part, None]
            first = joint.argmax(axis=0)
            top = joint[first, np.arange(n)]
            better = top > best
            best[better], winner[better] = top[better], part.start + first[better]
        guessed = np.bincount(winner, weights=best, minlength=m) / self.probes.weights
        unchanged, near, distinct, similarity = figures
        return WordFigures(unchanged, near, distinct, similarity, guessed, exact=True)

    def _of_block(self, part: slice, P: Floats2d) -> Floats2d:
        """(4, words of the part): unchanged, near, distinct, similarity."""
        rows = self.probes.rows[part]
        misses = np.log1p(-np.minimum(P, 1 - 2.0**-24)) * self.draws
        return np.stack(
            [
                P[np.arange(len(P)), rows],
                np.take_along_axis(P, self.near[part], axis=1).sum(axis=1, dtype=np.float64),
                -np.expm1(misses).sum(axis=1, dtype=np.float64),
                np.einsum("kn,kn->k", P, self.units[rows] @ self.units.T, dtype=np.float64),
            ]
        )

    def _probabilities(self, mechanism: Any) -> Iterator[tuple[slice, Floats2d]]:
        """P(y | w) of all outputs, by parts of the probed words."""
        rows = self.probes.rows
        for part in blocks(len(rows), max(1, BLOCK_NUMBERS // len(self.X))):
            yield part, mechanism.distribution(rows[part])

    # -- by simulation --

    def _drawn(self, mechanism: Mechanism) -> Ints2d:
        """int64 (m, draws)."""
        rows, rng = np.repeat(self.probes.rows, self.draws), Rng(seed=0)
        parts = blocks(len(rows), SAMPLED_AT_ONCE)
        drawn = [mechanism.sample(rows[part], rng).rows for part in parts]
        return np.concatenate(drawn).reshape(-1, self.draws)

    def _simulated(self, mechanism: Mechanism) -> WordFigures:
        rows, Y = self.probes.rows, self._drawn(mechanism)
        ordered = np.sort(Y, axis=1)
        similar = [self.units[y] @ self.units[row] for row, y in zip(rows, Y, strict=True)]
        return WordFigures(
            unchanged=(Y == rows[:, None]).mean(axis=1),
            near=(Y[:, :, None] == self.near[:, None, :]).any(axis=2).mean(axis=1),
            distinct=1.0 + (np.diff(ordered, axis=1) > 0).sum(axis=1),
            similarity=np.mean(similar, axis=1, dtype=np.float64),
            guesser=self._guessed(Y),
            exact=False,
        )

    def _guessed(self, Y: Ints2d) -> Floats1d:
        """How often the guesser is right about each word. Each half learns from the other; an
        output that it has not met is taken for the probed word nearest to it."""
        outputs, at = np.unique(Y, return_inverse=True)
        at = at.reshape(Y.shape)
        nearest = neighbours(self.X[outputs], self.X[self.probes.rows], 1)[0][:, 0]
        halves = at[:, : self.draws // 2], at[:, self.draws // 2 :]
        right = [
            (self._guesses(seen, nearest)[hidden] == np.arange(len(Y))[:, None]).mean(axis=1)
            for seen, hidden in (halves, halves[::-1])
        ]
        found: Floats1d = np.mean(right, axis=0)
        return found

    def _guesses(self, seen: Ints2d, nearest: Ints1d) -> Ints1d:
        """seen: (m, half) of output numbers -> for each output number, the place of a word. The
        nearest word is given one draw that did not happen, as a prior."""
        m, half = seen.shape
        words, outputs = np.repeat(np.arange(m), half), seen.ravel()
        words = np.concatenate([words, nearest])
        outputs = np.concatenate([outputs, np.arange(len(nearest))])
        pairs, counts = np.unique(outputs * m + words, return_counts=True)
        scores = counts * self.probes.weights[pairs % m]
        last = np.lexsort((scores, pairs // m))  # of each output, the word of the highest score
        guesses = np.empty(len(nearest), dtype=np.int64)
        guesses[pairs[last] // m] = pairs[last] % m
        return guesses


def nearest_others(X: Floats2d, rows: Ints1d, k: int) -> Ints2d:
    """int64 (len(rows), k): the k words nearest to each by Euclidean distance, without itself."""
    if k < 1:
        return np.empty((len(rows), 0), dtype=np.int64)
    found = neighbours(X[rows], X, k + 1)[0]
    itself = found == rows[:, None]
    itself[~itself.any(axis=1), -1] = True  # crowded out by others at the same point
    made: Ints2d = found[~itself].reshape(len(rows), k)
    return made


def epsilon_range(unchanged: Callable[[float], float]) -> tuple[float, float]:
    """From where about 2 % of words are unchanged to where about 98 % are.

    unchanged: epsilon -> a share that rises with it; it raises DxError where there is no mechanism,
    and the range then ends there. Where the share levels out before 2 or 98 %, so does the range.
    Raises DxError where no epsilon works.
    """

    @cache
    def share(epsilon: float) -> float:
        try:
            return unchanged(epsilon)
        except DxError:
            return np.nan

    tries = [4.0 ** (sign * i) for i in range(MOST_STEPS) for sign in (1, -1)]
    start = next((e for e in tries if not np.isnan(share(e))), None)
    if start is None:
        unchanged(1.0)  # says why
        raise fail("epsilon", "one that works on this space", "none")
    down = _walk(share, start, 1 / 4, lambda s: s <= LOW, lambda s: s < 0.9)
    up = _walk(share, start, 4.0, lambda s: s >= HIGH, lambda s: s > 0.1)
    ladder = [*down[::-1], *up[1:]]
    shares = np.array([share(e) for e in ladder])
    first = np.flatnonzero(shares <= max(LOW, shares[0] + 0.005))[-1]
    last = np.flatnonzero(shares >= min(HIGH, shares[-1] - 0.005))[0]
    if first >= last:
        return ladder[0], ladder[-1]
    low = _halved(share, ladder[first], ladder[first + 1], max(LOW, shares[0] + 0.005))
    return low[0], _halved(share, ladder[last - 1], ladder[last], min(HIGH, shares[-1] - 0.005))[1]


def epsilon_range_on(
    X: Floats2d, probes: Probes, make: Callable[[float], Mechanism]
) -> tuple[float, float]:
    """The same, of the mechanisms that `make` gives, by some probed words (about SEARCH_WORDS) of a
    space. X: float32 (n, d), its vectors."""
    bench = Bench(X, probes, k=1, draws=SEARCH_DRAWS)
    return epsilon_range(lambda epsilon: bench.unchanged(make(epsilon)))


def _walk(
    share: Callable[[float], float],
    start: float,
    factor: float,
    arrived: Callable[[float], bool],
    begun: Callable[[float], bool],
) -> list[float]:
    """Steps from start until the share has arrived, has levelled out, or there is no mechanism.
    Level ground counts once the share has begun to move: it is level before that as well."""
    path, level = [start], 0
    while len(path) < MOST_STEPS and not arrived(share(path[-1])) and level < 2:
        ahead = path[-1] * factor
        if np.isnan(share(ahead)):
            break
        flat = abs(share(ahead) - share(path[-1])) < 0.002
        level = level + 1 if flat and begun(share(ahead)) else 0
        path.append(ahead)
    return path


def _halved(
    share: Callable[[float], float], low: float, high: float, aim: float
) -> tuple[float, float]:
    """The ends of a small part of low to high in which the share passes the aim."""
    for _ in range(4):
        middle = float(np.sqrt(low * high))
        if np.isnan(share(middle)):
            break
        low, high = (middle, high) if share(middle) <= aim else (low, middle)
    return low, high


def evenly(low: float, high: float, steps: int) -> list[float]:
    """`steps` epsilons of three digits, by equal factors from low to high."""
    return sorted({float(f"{e:.3g}") for e in np.geomspace(low, high, steps)})
