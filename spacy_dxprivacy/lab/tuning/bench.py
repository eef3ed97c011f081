"""Measure what a mechanism does to probed words, and find the range of epsilon that matters."""

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

LOW, HIGH = 0.02, 0.98  # shares unchanged at the ends of a range
MOST_STEPS = 40  # by a factor of 4 each
SEARCH_WORDS, SEARCH_DRAWS = 48, 8  # enough to find a range


@dataclass(frozen=True)
class Probes:
    """Distinct words of a space, rows int64 (m,), and how often each counts, counts (m,)."""

    rows: Ints1d
    counts: Ints1d

    @property
    def size(self) -> int:
        """Number of words, repeats counted."""
        return int(self.counts.sum())

    @property
    def weights(self) -> Floats1d:
        """Share of each word, (m,); they sum to 1."""
        return np.asarray(self.counts / self.size)


def sampled(rows: Ints1d, frequencies: Any, size: int) -> Probes:
    """Return a systematic sample of rows (m,), proportional to frequencies (m,) above 0.

    With as many places as there are tokens, every token is taken.
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
    """Return a sample by Zipf's law from a space of n words in the order of their frequency."""
    return sampled(np.arange(n), 1 / np.arange(1, n + 1), size)


def probed_words(
    space: Space, size: int, text: str | None, field: str
) -> tuple[Probes, dict[str, Any]]:  # fmt: skip
    """Return a sample of the space, or of the words of a file, and what may be reported of it."""
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
        raise UsageError("`text` has no word of the space. Give another text or space.")
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
    """Figures of the probed words, float64 (m,) each.

    unchanged: probability that the output is the word itself. similarity: mean cosine of output
    and input. guesser: how often the best guesser is right. exact: computed from probabilities,
    not simulated.
    """

    unchanged: Floats1d
    similarity: Floats1d
    guesser: Floats1d
    exact: bool


class Bench:
    """Measures mechanisms on probed words of a space with vectors X (n, d).

    draws: for each word, in simulations.

    The guesser sees one output, and knows the mechanism, the probed words and how often each comes.
    It is exact where the mechanism states its probabilities; elsewhere it learns from one half of
    the draws and is scored on the other, so it may do a little less than the best.
    """

    def __init__(self, X: Floats2d, probes: Probes, *, draws: int = 20) -> None:
        self.X, self.probes = X, probes
        self.draws = whole("draws", draws, least=2)
        norms = np.linalg.norm(X.astype(np.float64), axis=1, keepdims=True)
        self.units = (X / np.where(norms > 0, norms, 1)).astype(np.float32)

    def measure(self, mechanism: Mechanism) -> WordFigures:
        """Return the figures of a mechanism that is fitted on this space."""
        if isinstance(mechanism, StatesProbabilities):
            return self._exact(mechanism)
        return self._simulated(mechanism)

    def unchanged(self, mechanism: Mechanism) -> float:
        """Return the share of words that are unchanged, and nothing else."""
        rows, weights = self.probes.rows, self.probes.weights
        if isinstance(mechanism, StatesProbabilities):
            stay = [P[np.arange(len(P)), rows[part]] for part, P in self._probabilities(mechanism)]
            return float(weights @ np.concatenate(stay))
        return float(weights @ (self._drawn(mechanism) == rows[:, None]).mean(axis=1))

    def _exact(self, mechanism: Any) -> WordFigures:
        m, n = len(self.probes.rows), len(self.X)
        figures = np.empty((2, m))
        best, winner = np.zeros(n), np.zeros(n, dtype=np.int64)
        for part, P in self._probabilities(mechanism):
            rows = self.probes.rows[part]
            figures[:, part] = (
                P[np.arange(len(P)), rows],
                np.einsum("kn,kn->k", P, self.units[rows] @ self.units.T, dtype=np.float64),
            )
            joint = P * self.probes.weights[part, None]
            first = joint.argmax(axis=0)
            top = joint[first, np.arange(n)]
            better = top > best
            best[better], winner[better] = top[better], part.start + first[better]
        guessed = np.bincount(winner, weights=best, minlength=m) / self.probes.weights
        return WordFigures(figures[0], figures[1], guessed, exact=True)

    def _probabilities(self, mechanism: Any) -> Iterator[tuple[slice, Floats2d]]:
        """Yield P(y | w) of all outputs, by blocks of the probed words."""
        rows = self.probes.rows
        for part in blocks(len(rows), max(1, 2**22 // len(self.X))):
            yield part, mechanism.distribution(rows[part])

    def _drawn(self, mechanism: Mechanism) -> Ints2d:
        """Return seeded outputs, int64 (m, draws)."""
        rows, rng = np.repeat(self.probes.rows, self.draws), Rng(seed=0)
        parts = blocks(len(rows), 2**13)
        drawn = [mechanism.sample(rows[part], rng).rows for part in parts]
        return np.concatenate(drawn).reshape(-1, self.draws)

    def _simulated(self, mechanism: Mechanism) -> WordFigures:
        rows, Y = self.probes.rows, self._drawn(mechanism)
        similar = [self.units[y] @ self.units[row] for row, y in zip(rows, Y, strict=True)]
        return WordFigures(
            unchanged=(Y == rows[:, None]).mean(axis=1),
            similarity=np.mean(similar, axis=1, dtype=np.float64),
            guesser=self._guessed(Y),
            exact=False,
        )

    def _guessed(self, Y: Ints2d) -> Floats1d:
        """Return how often the guesser is right about each word, (m,).

        Each half of the draws learns from the other. An output that was not seen is taken for the
        probed word nearest to it, which has one draw that did not happen as a prior.
        """
        outputs, at = np.unique(Y, return_inverse=True)
        at = at.reshape(Y.shape)
        m, k = len(Y), len(outputs)
        nearest = neighbours(self.X[outputs], self.X[self.probes.rows], 1)[0][:, 0]
        halves = at[:, : self.draws // 2], at[:, self.draws // 2 :]
        right = []
        for seen, hidden in (halves, halves[::-1]):
            words = np.concatenate([np.repeat(np.arange(m), seen.shape[1]), nearest])
            met = np.concatenate([seen.ravel(), np.arange(k)])
            pairs, counts = np.unique(met * m + words, return_counts=True)
            scores = counts * self.probes.weights[pairs % m]
            last = np.lexsort((scores, pairs // m))  # of each output, the word of the highest score
            guesses = np.empty(k, dtype=np.int64)
            guesses[pairs[last] // m] = pairs[last] % m
            right.append((guesses[hidden] == np.arange(m)[:, None]).mean(axis=1))
        return np.asarray(np.mean(right, axis=0))


def nearest_others(X: Floats2d, rows: Ints1d, k: int) -> Ints2d:
    """Return the k other words nearest to each row by Euclidean distance, int64 (len(rows), k)."""
    if k < 1:
        return np.empty((len(rows), 0), dtype=np.int64)
    found = neighbours(X[rows], X, k + 1)[0]
    itself = found == rows[:, None]
    itself[~itself.any(axis=1), -1] = True  # crowded out by others at the same point
    return np.asarray(found[~itself].reshape(len(rows), k))


def epsilon_range(unchanged: Callable[[float], float]) -> tuple[float, float]:
    """Return the epsilons from about 2 % to about 98 % unchanged words.

    unchanged: epsilon -> a share that rises with it; it raises DxError where there is no mechanism,
    and the range then ends there. Where the share levels out before, so does the range.
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
        unchanged(1.0)  # raises with the reason
        raise fail("epsilon", "one that works on this space", "none")
    down = _search(share, start, 1 / 4, lambda s: s <= LOW, lambda s: s < 0.9)
    up = _search(share, start, 4.0, lambda s: s >= HIGH, lambda s: s > 0.1)
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
    """Return the range for mechanisms that `make` gives, by about SEARCH_WORDS probed words."""
    bench = Bench(X, probes, draws=SEARCH_DRAWS)
    return epsilon_range(lambda epsilon: bench.unchanged(make(epsilon)))


def _search(
    share: Callable[[float], float],
    start: float,
    factor: float,
    arrived: Callable[[float], bool],
    begun: Callable[[float], bool],
) -> list[float]:
    """Return steps from start until the share has arrived or levelled out, or nothing works.

    A level share counts once it has begun to move: it is level before that as well.
    """
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
    """Return a small part of low to high in which the share passes the aim."""
    for _ in range(4):
        middle = float(np.sqrt(low * high))
        if np.isnan(share(middle)):
            break
        low, high = (middle, high) if share(middle) <= aim else (low, middle)
    return low, high


def evenly(low: float, high: float, steps: int) -> list[float]:
    """Return `steps` epsilons of three digits, by equal factors from low to high."""
    return sorted({float(f"{e:.3g}") for e in np.geomspace(low, high, steps)})
