"""What an attacker knows before it sees anything: how often words come, and what follows them.

    P(w | v) = .6 q(w | v) + .4 f(w)

q is a public distribution of word pairs (priors), carried to the space; f is half what the attacker
has read of texts like these, half web text. So it knows the language and the kind of text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...arrays import Bools1d, Floats1d, Floats2d, Ints1d
from ...errors import DxError
from ...mechanisms.path_v2 import SentenceMechanism
from ...prior.chain import Chain, alone_chain
from ...prior.make import STOP, nats_of_pairs
from ...prior.pairs import KINDS, builtin_law, frequency_of
from ...prior.registered import WordPairs
from ...space import Space
from ...ty import Mechanism
from ...validate import whole
from ..corpus import Corpus

KNOWN = 0.4  # the share of known frequencies
WEB = 0.5  # of these
LEAST = 1e-30
MOST_WHOLE = 2000  # words of a space whose pairs are all stored
RARE = 1e-5
OF_KIND, OF_PRIOR = "word pairs of such text", "word pairs of the prior"


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


def places_in(words: Ints1d, rows: Ints1d) -> Ints1d:
    """rows (t,) -> the place of each among words (m,), rising; -1 where it is none of them."""
    at = np.minimum(np.searchsorted(words, rows), len(words) - 1)
    places: Ints1d = np.where(words[at] == rows, at, -1)
    return places


@dataclass(frozen=True, eq=False)
class Language:
    """chain: a law of sentences over the words of a space, each of which is in one state (of laws
    whose words are in several it takes that of the mean). known: float64 (n,), frequencies that sum
    to 1. share: of the known frequencies. name: of the law, for tables. web: float
    (n,), how often web text has each word, by which words are rare or not. of_kind: a law of the
    kind of text that was read, None where the package has none that fits it."""

    chain: Chain
    known: Floats1d
    share: float = KNOWN
    name: str = ""
    web: Floats1d | None = None
    of_kind: Chain | None = None

    @property
    def is_rare(self) -> Bools1d:
        """bool (n,): whether web text has it less often than RARE; of none nothing is known."""
        if self.web is None:
            return np.zeros(len(self.known), dtype=bool)
        rare: Bools1d = self.web < RARE
        return rare

    @cached_property
    def _state(self) -> Any:
        """csr float64 (n, K): which state a word is."""
        from scipy.sparse import csr_array, diags_array

        weights = csr_array(self.chain.emit.astype(np.float64) * self.chain.alone[None, :])
        sums = np.asarray(weights.sum(axis=1)).reshape(-1)
        return csr_array(diags_array(1 / np.maximum(sums, LEAST)) @ weights)

    @cached_property
    def _emit(self) -> Any:
        return self.chain.emit.astype(np.float64).tocsr()

    @cached_property
    def _back_off(self) -> Floats1d:
        """float64 (n,): the probability of each word after one of which nothing is known."""
        weights: Floats1d = self._emit @ self.chain.u
        return weights

    @cached_property
    def _delta(self) -> Any:
        from scipy.sparse import csr_array

        return csr_array(self.chain.delta).astype(np.float64)

    @cached_property
    def usual(self) -> Floats1d:
        """float64 (n,): how likely each word is wherever it stands."""
        weights: Floats1d = self._mixed(self._emit @ self.chain.alone, slice(None))
        return weights

    def first(self, rows: Ints1d) -> Floats1d:
        """(m,): the probability to begin a sentence."""
        weights: Floats1d = self._mixed(self._emit[rows] @ self.chain.begin, rows)
        return weights

    def moves(self, before: Ints1d, after: Ints1d) -> Floats2d:
        """float64 (k, m): P(after | before)."""
        if len(self.known) <= MOST_WHOLE:
            whole: Floats2d = self._whole[np.ix_(before, after)]
            return whole
        states = self._state[before]
        P = ((states @ self._delta) @ self._emit[after].T).toarray()
        P += np.multiply.outer(states @ self.chain.back, self._back_off[after])
        mixed: Floats2d = self._mixed(P, after)
        return mixed

    @cached_property
    def _whole(self) -> Floats2d:
        return self.onwards(np.arange(len(self.known)))

    def onwards(self, before: Ints1d) -> Floats2d:
        """float64 (k, n): the probability of every word after each of k words."""
        states = self._state[before]
        P = ((states @ self._delta) @ self._emit.T).toarray()
        P += np.multiply.outer(states @ self.chain.back, self._back_off)
        mixed: Floats2d = self._mixed(P, slice(None))
        return mixed

    def _mixed(self, P: Any, rows: Any) -> Any:
        return (1 - self.share) * P + self.share * self.known[rows]

    def nats(self, rows: Ints1d, starts: Bools1d) -> float:
        """-ln of the law alone, a word: how much a text surprises one who knows the law and not
        this kind of text. rows (k,); starts (k,), where sentences begin."""
        P = self._emit[rows] @ self.chain.begin.astype(np.float64)
        later = np.flatnonzero(~starts)
        if len(later):
            states, after = self._state[rows[later - 1]], rows[later]
            direct = ((states @ self._delta) * self._emit[after]).sum(axis=1)
            back = (states @ self.chain.back) * self._back_off[after]
            P[later] = np.asarray(direct).reshape(-1) + back
        return float(-np.log(np.maximum(P, LEAST)).mean())


def language_of(space: Space, read: Corpus | None = None) -> Language:
    """The word pairs of the package on this space, and the frequencies of what was read. Of spaces
    that hold none of the English words, the frequencies alone."""
    web = frequency_of(space)
    known = web / web.sum()
    if read is not None:
        counts = np.bincount(read.rows, minlength=len(space))
        known = WEB * known + (1 - WEB) * counts / counts.sum()
    try:
        chain = WordPairs().fit(space)
    except DxError:
        chain = alone_chain(np.maximum(known, LEAST))
        return Language(chain, known, name="word frequencies", web=web)
    kind = None if read is None else _kind_of(read, space)
    of_kind = None if kind is None else WordPairs(kind=kind).fit(space)
    return Language(chain, known, name="word pairs of the package", web=web, of_kind=of_kind)


def _kind_of(read: Corpus, space: Space) -> str | None:
    """The kind of text whose pairs of the package are surprised least by what was read; None where
    that is English as such."""
    english = builtin_law().chain
    rows = Space.builtin().find_all([space.words[row] for row in read.rows.tolist()])
    if english.one_state is None or not (rows >= 0).any():
        return None
    words = np.where(rows >= 0, english.one_state[0][rows], english.states)
    sentences = np.append(np.insert(words, np.flatnonzero(read.sentences)[1:], STOP), STOP)
    nats = {k: nats_of_pairs(builtin_law(k).chain, sentences).sum() for k in (None, *KINDS)}
    return min(nats, key=lambda kind: float(nats[kind]))


def ways_to_read(language: Language, mechanism: Mechanism) -> list[Language]:
    """The attacker by what it knows, and by each other law of pairs that is public: that of the
    kind of text that it has read, and that which the mechanism draws from."""
    laws = {OF_KIND: language.of_kind}
    if isinstance(mechanism, SentenceMechanism):
        laws[OF_PRIOR] = mechanism.built.chain
    ways = [language]
    for name, chain in laws.items():
        if chain is None or chain.is_alone or chain.one_state is None:
            continue  # no law of pairs
        if chain.digest not in {way.chain.digest for way in ways}:
            ways.append(replace(language, chain=chain, name=name))
    return ways
