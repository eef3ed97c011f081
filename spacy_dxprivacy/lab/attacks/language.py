"""The attacker's language model: P(w | v) = .6 q(w | v) + .4 f(w).

q is a public distribution of word pairs (priors) on the space; f are word frequencies, half of what
the attacker has read of texts like these and half of web text.
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
from ...prior.pairs import BROAD, KINDS, builtin_model, frequency_of
from ...prior.registered import WordPairs
from ...space import Space
from ...ty import Mechanism
from ...validate import whole
from ..corpus import EncodedCorpus

FREQUENCY_SHARE = 0.4  # the share of known frequencies
WEB = 0.5  # of these
LEAST = 1e-30
RARE = 1e-5
OF_KIND, OF_PRIOR = "word pairs of such text", "word pairs of the prior"


def zipf(n: int) -> Floats1d:
    """Return 1/(row + 1), (n,), summing to 1: for words listed by falling frequency."""
    weights = 1 / np.arange(1, whole("n", n, least=1) + 1)
    frequencies: Floats1d = weights / weights.sum()
    return frequencies


def word_frequencies(n: int, public: EncodedCorpus) -> Floats1d:
    """Return the frequency of each word of a space in a public text, (n,), summing to 1.

    The share of words that were seen once goes to all words by Zipf's law (Good 1953, "The
    population frequencies of species").
    """
    counts = np.bincount(public.rows, minlength=n).astype(np.float64)
    unseen = max(1.0, float((counts == 1).sum())) / (counts.sum() + 1)
    mixed: Floats1d = (1 - unseen) * counts / counts.sum() + unseen * zipf(n)
    return mixed


def likely_words(frequencies: Floats1d, count: int) -> Ints1d:
    """Return the `most` most frequent words, int64 (m,), rising."""
    order = np.argsort(-frequencies, kind="stable")[: whole("most", count, least=1)]
    return np.sort(order)


def log_prior(frequencies: Floats1d, words: Ints1d) -> Floats1d:
    """Return the ln of the frequencies of these words, (m,), normalised."""
    logs: Floats1d = np.log(frequencies[words] / frequencies[words].sum())
    return logs


def places_in(words: Ints1d, rows: Ints1d) -> Ints1d:
    """Return the place of each of rows (t,) among words (m,), rising; -1 where it is none."""
    at = np.minimum(np.searchsorted(words, rows), len(words) - 1)
    places: Ints1d = np.where(words[at] == rows, at, -1)
    return places


@dataclass(frozen=True, eq=False)
class Language:
    """A mixture of word pairs and word frequencies over the n words of a space.

    chain: the distribution of sentences; of a word in several states it takes their mean.
    frequencies: float64 (n,), summing to 1; share: their weight. name: for tables. web: frequencies
    in web text, float (n,), by which words are rare. of_kind: a distribution for the domain of the
    text that was read; None where the package has none that fits it.
    """

    chain: Chain
    frequencies: Floats1d
    share: float = FREQUENCY_SHARE
    name: str = ""
    web: Floats1d | None = None
    of_kind: Chain | None = None

    @property
    def is_rare(self) -> Bools1d:
        """bool (n,): below RARE in web text; False for all if that is unknown."""
        if self.web is None:
            return np.zeros(len(self.frequencies), dtype=bool)
        rare: Bools1d = self.web < RARE
        return rare

    @cached_property
    def _parts(self) -> tuple[Any, Any, Floats1d, Any]:
        """The states of each word, rows sum to 1; emissions (n, K), both csr; the probability of
        each word after an unknown one, (n,); direct transitions, csr (K, K)."""
        from scipy.sparse import csr_array, diags_array

        chain = self.chain
        weights = csr_array(chain.emit.astype(np.float64) * chain.alone[None, :])
        sums = np.asarray(weights.sum(axis=1)).reshape(-1)
        states = csr_array(diags_array(1 / np.maximum(sums, LEAST)) @ weights)
        emit = chain.emit.astype(np.float64).tocsr()
        return states, emit, emit @ chain.u, csr_array(chain.delta).astype(np.float64)

    @cached_property
    def usual(self) -> Floats1d:
        """float64 (n,): the probability of each word at any place."""
        weights: Floats1d = self._mixed(self._parts[1] @ self.chain.alone, slice(None))
        return weights

    def first(self, rows: Ints1d) -> Floats1d:
        """Return the probability of words (m,) to begin a sentence."""
        weights: Floats1d = self._mixed(self._parts[1][rows] @ self.chain.begin, rows)
        return weights

    def moves(self, before: Ints1d, after: Any = slice(None)) -> Floats2d:
        """Return P(after | before), float64 (k, m), by default of all words, (k, n)."""
        states, emit, back_off, delta = self._parts
        from_states = states[before]
        P = ((from_states @ delta) @ emit[after].T).toarray()
        P += np.multiply.outer(from_states @ self.chain.back, back_off[after])
        mixed: Floats2d = self._mixed(P, after)
        return mixed

    def _mixed(self, P: Any, rows: Any) -> Any:
        return (1 - self.share) * P + self.share * self.frequencies[rows]

    def nats(self, rows: Ints1d, starts: Bools1d) -> float:
        """Return the negative log-likelihood a word under `chain` alone, in nats. rows: (k,).
        starts: bool (k,), where sentences begin."""
        states, emit, back_off, delta = self._parts
        P = emit[rows] @ self.chain.begin.astype(np.float64)
        later = np.flatnonzero(~starts)
        if len(later):
            before, after = states[rows[later - 1]], rows[later]
            direct = ((before @ delta) * emit[after]).sum(axis=1)
            back = (before @ self.chain.back) * back_off[after]
            P[later] = np.asarray(direct).reshape(-1) + back
        return float(-np.log(np.maximum(P, LEAST)).mean())


def language_of(space: Space, read: EncodedCorpus | None = None) -> Language:
    """Return the word pairs of the package on this space with the frequencies of what was read, or
    these alone where the space holds none of the English words."""
    web = frequency_of(space)
    frequencies = web / web.sum()
    if read is not None:
        counts = np.bincount(read.rows, minlength=len(space))
        frequencies = WEB * frequencies + (1 - WEB) * counts / counts.sum()
    try:
        chain = WordPairs(domain=None).fit(space).pairs
    except DxError:
        chain = alone_chain(np.maximum(frequencies, LEAST))
        return Language(chain, frequencies, name="word frequencies", web=web)
    kind = None if read is None else _domain_of(read, space)
    of_kind = None if kind is None else WordPairs(domain=kind).fit(space).pairs
    return Language(chain, frequencies, name="word pairs of the package", web=web, of_kind=of_kind)


def _domain_of(read: EncodedCorpus, space: Space) -> str | None:
    """The domain whose pairs of the package give what was read the highest likelihood; None for
    general English."""
    english = builtin_model().chain.pairs
    rows = Space.builtin().find_all([space.words[row] for row in read.rows.tolist()])
    if english.one_state is None or not (rows >= 0).any():
        return None
    words = np.where(rows >= 0, english.one_state[0][rows], english.states)
    sentences = np.append(np.insert(words, np.flatnonzero(read.sentences)[1:], STOP), STOP)
    kinds = (None, BROAD, *KINDS)
    nats = {k: nats_of_pairs(builtin_model(k).chain.pairs, sentences).sum() for k in kinds}
    return min(nats, key=lambda kind: float(nats[kind]))


def language_variants(language: Language, mechanism: Mechanism) -> list[Language]:
    """Return the attacker's language model, and the same with each other public distribution of
    pairs: that of the domain, and that which the mechanism draws from."""
    chains = {OF_KIND: language.of_kind}
    if isinstance(mechanism, SentenceMechanism):
        chains[OF_PRIOR] = mechanism.built.chain.pairs
    variants = [language]
    for name, chain in chains.items():
        if chain is None or chain.is_alone or chain.one_state is None:
            continue  # not a distribution of pairs
        if chain.digest not in {variant.chain.digest for variant in variants}:
            variants.append(replace(language, chain=chain, name=name))
    return variants
