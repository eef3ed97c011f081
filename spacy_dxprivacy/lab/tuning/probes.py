"""Which words are looked at, and how often each counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Floats1d, Floats2d, Ints1d
from ...validate import fail, whole

REPLICATES = 1000


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
