"""What an attacker knows of language: which word follows which, and how often words come.

    P(w | v) = .6 q(w | v) + .4 f(w)

q is a public law of word pairs (priors), carried to the space; f is half what the attacker has read
of texts like these, half web text. So it knows the language and the kind of text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..arrays import Bools1d, Floats1d, Floats2d, Ints1d
from ..errors import DxError
from ..mechanisms.base.sentences import SentenceMechanism
from ..priors.builtin import builtin_law, frequency_of
from ..priors.chain import Chain, alone_chain
from ..priors.law import carry
from ..space import Space
from ..ty import Mechanism
from .corpus import Corpus

KNOWN = 0.4  # the share of known frequencies
WEB = 0.5  # of these
LEAST = 1e-30
MOST_WHOLE = 2000  # words of a space whose pairs are all kept
RARE = 1e-5


@dataclass(frozen=True, eq=False)
class Language:
    """chain: a law of sentences over the words of a space, each of which is in one state (of laws
    whose words are in several it takes that of the mean). known: float64 (n,), frequencies that sum
    to 1. share: of the known frequencies. name: of the law, for tables. web: float
    (n,), how often web text has each word, by which words are rare or not."""

    chain: Chain
    known: Floats1d
    share: float = KNOWN
    name: str = ""
    web: Floats1d | None = None

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
    law, name = builtin_law(), "word pairs of the package"
    try:
        same = tuple(law.words) == tuple(space.words)
        chain = law.chain if same else carry(law, space, web)
    except DxError:
        chain, name = alone_chain(np.maximum(known, LEAST)), "word frequencies"
    return Language(chain, known, name=name, web=web)


def with_own_law(language: Language, mechanism: Mechanism) -> Language | None:
    """What an attacker knows who goes by the law of pairs that the mechanism draws from, which is
    public; None where that is the attacker's own, or no law of pairs."""
    if not isinstance(mechanism, SentenceMechanism):
        return None
    chain = mechanism.built.chain
    if chain.is_alone or chain.one_state is None or chain.digest == language.chain.digest:
        return None
    return replace(language, chain=chain, name="word pairs of the prior")
