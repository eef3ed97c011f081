"""Side channels that no guarantee covers: the time of a draw, and words that the space lacks.

Both are measured against a limit that is stated here.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ...arrays import Ints1d
from ...privacy.randomness import Rng
from ...space import Space
from ...ty import Mechanism

MOST_SPREAD = 1.0  # milliseconds between draws of two words, once each was drawn before
MOST_SUCCESS = 0.95  # of telling an unknown word from a known one by what dx.RandomWord.v1 drew
REPEATS = 7
WARMTH = 20.0  # of a rank, in the frequency of words 1 / (rank + WARMTH)


@dataclass(frozen=True)
class Sides:
    """cold, warm: milliseconds of processor time of the first draw of a word, and of later ones:
    minimum, median, maximum over words. spread: warm, from the fastest word to the slowest.
    success: how often it is guessed at even odds whether an output stands for an unknown word
    (dx.RandomWord.v1) or for a known one, of the frequencies of language."""

    mechanism: str
    epsilon: float
    words: int
    cold: tuple[float, float, float]
    warm: tuple[float, float, float]
    spread: float
    success: float

    @property
    def within(self) -> bool:
        """Whether both are within the limits."""
        return self.spread <= MOST_SPREAD and self.success <= MOST_SUCCESS

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        limits = {"spread": MOST_SPREAD, "success": MOST_SUCCESS}
        return {**asdict(self), "limits": limits, "within": self.within}

    def lines(self) -> list[str]:
        """Return lines for a terminal."""
        cold, warm = (" / ".join(f"{ms:.2f}" for ms in some) for some in (self.cold, self.warm))
        return [
            f"{self.mechanism} at epsilon {self.epsilon:g}, {self.words} words",
            f"  first draw of a word: {cold} ms (minimum, median, maximum): it reveals which words "
            "were drawn before",
            f"  later draws: {warm} ms; {self.spread:.2f} ms from the fastest word to the slowest "
            f"(limit {MOST_SPREAD:g})",
            f"  an unknown word (dx.RandomWord.v1) is recognised as such in {self.success:.1%} "
            f"of guesses at even odds (limit {MOST_SUCCESS:.0%})",
            f"  {'within' if self.within else 'BEYOND'} the limits",
        ]


def sides(mechanism: Mechanism, space: Space, *, words: int = 40, draws: int = 4000) -> Sides:
    """Fit a mechanism on a space and measure it. words: how many are timed, chosen at random.
    draws: of outputs, to tell unknown words by."""
    mechanism.fit(space)
    rng, choose = Rng(), np.random.default_rng(0)
    mechanism.sample(np.zeros(1, dtype=np.int64), rng)  # the first draw of all builds caches
    rows = choose.choice(len(space), min(words, len(space)), replace=False)

    def milliseconds(row: int, repeats: int) -> float:
        """The least of some draws, as other processes disturb them."""
        times = []
        for _ in range(repeats):
            start = time.process_time()
            mechanism.sample(np.array([row]), rng)
            times.append(time.process_time() - start)
        return 1e3 * min(times)

    cold, warm = (
        np.array([milliseconds(row, repeats) for row in rows]) for repeats in (1, REPEATS)
    )
    # Outputs for words of the frequencies of language, by their rank in the table.
    weights = 1 / (np.arange(len(space)) + WARMTH)
    edges = np.cumsum(weights / weights.sum())
    known = np.minimum(np.searchsorted(edges, rng.uniform(draws)), len(space) - 1)
    outputs = np.asarray(mechanism.sample(known, rng).rows)
    return Sides(
        mechanism.name,
        mechanism.guarantee.epsilon,
        len(rows),
        (cold.min(), float(np.median(cold)), cold.max()),
        (warm.min(), float(np.median(warm)), warm.max()),
        float(warm.max() - warm.min()),
        distinguished(outputs, rng.integers(len(space), draws)),
    )


def distinguished(known: Ints1d, unknown: Ints1d) -> float:
    """Return how often a threshold on the rank of an output tells the two at even odds: the best
    threshold of every second output, on the others."""
    places = np.unique(np.concatenate([known[::2], unknown[::2]]))
    below = np.searchsorted(np.sort(known[::2]), places, "right") / len(known[::2])
    below = below - np.searchsorted(np.sort(unknown[::2]), places, "right") / len(unknown[::2])
    best = int(np.argmax(np.abs(below)))
    side = np.sign(below[best])
    right = np.mean(known[1::2] <= places[best]) - np.mean(unknown[1::2] <= places[best])
    return float((1 + side * right) / 2)
