"""What an attacker knows before it sees anything: how often words come, and what follows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import Floats1d, Ints1d
from ...validate import positive, whole
from .corpus import Corpus

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

DISCOUNT = 0.75  # of each pair that was seen


def zipf(n: int) -> Floats1d:
    """(n,): 1/(row + 1), summing to 1, for spaces that list their words by falling frequency."""
    weights = 1 / np.arange(1, whole("n", n, least=1) + 1)
    frequencies: Floats1d = weights / weights.sum()
    return frequencies


def word_frequencies(n: int, public: Corpus | None = None) -> Floats1d:
    """(n,), summing to 1: how often each word of a space comes in a public text.

    The share of words that were seen once goes to all words by Zipf's law: as many are yet to be
    seen (Good 1953, "The population frequencies of species"). Without a text all is Zipf's.
    """
    if public is None:
        return zipf(n)
    counts = np.bincount(public.rows, minlength=n).astype(np.float64)
    unseen = max(1.0, float((counts == 1).sum())) / (counts.sum() + 1)
    mixed: Floats1d = (1 - unseen) * counts / counts.sum() + unseen * zipf(n)
    return mixed


def likely_words(frequencies: Floats1d, most: int) -> Ints1d:
    """int64 (m,), rising: the `most` words that come most often, to guess among."""
    order = np.argsort(-frequencies, kind="stable")[: whole("most", most, least=1)]
    return np.sort(order)


def log_prior(frequencies: Floats1d, words: Ints1d) -> Floats1d:
    """(m,): of these words, summing to 1 as probabilities."""
    shares = frequencies[words]
    logs: Floats1d = np.log(shares / shares.sum())
    return logs


@dataclass(frozen=True)
class Bigrams:
    """Which word follows which: P(w | v) = seen[v, w] + rest[v] start[w].

    seen: sparse (m, m). rest: (m,), what is left of each row. start: (m,), the word frequencies,
    which also begin a document. Absolute discounting (Ney, Essen, Kneser 1994).
    """

    seen: csr_matrix
    rest: Floats1d
    start: Floats1d

    @classmethod
    def learn(cls, public: Corpus, words: Ints1d, start: Floats1d,
              discount: float = DISCOUNT) -> Bigrams:  # fmt: skip
        """words: int64 (m,), rising: those that are told apart; all others break the chain."""
        from scipy.sparse import csr_matrix, diags

        positive("discount", discount)
        m, places = len(words), places_in(words, public.rows)
        first, second = places[:-1], places[1:]
        within = (first >= 0) & (second >= 0)
        within[public.starts[1:-1] - 1] = False  # from one document to the next
        ones = np.ones(int(within.sum()))
        counts = csr_matrix((ones, (first[within], second[within])), shape=(m, m))
        totals = np.asarray(counts.sum(axis=1)).ravel()
        counts.data = np.maximum(counts.data - discount, 0.0)
        seen = csr_matrix(diags(1 / np.maximum(totals, 1)) @ counts)
        rest = 1 - np.asarray(seen.sum(axis=1)).ravel()
        return cls(seen, rest, start)


def places_in(words: Ints1d, rows: Ints1d) -> Ints1d:
    """rows (t,) -> the place of each among words (m,), rising; -1 where it is none of them."""
    at = np.minimum(np.searchsorted(words, rows), len(words) - 1)
    places: Ints1d = np.where(words[at] == rows, at, -1)
    return places
