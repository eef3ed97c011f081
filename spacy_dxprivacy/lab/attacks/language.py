"""The attacker's language model: P(w | v) = .6 q(w | v) + .4 f(w).

q is a public language model of word pairs on the space; f are word frequencies, half of public
texts like the attacked one and half of web text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...arrays import Bools1d, Floats1d, Floats2d, Ints1d
from ...errors import DxError
from ...mechanisms.path_v2 import SentenceMechanism
from ...prior.builtin import BROAD, DOMAINS, builtin_model, frequency_of
from ...prior.chain import Chain, unigram_chain
from ...prior.make import STOP, nats_of_pairs
from ...prior.registered import WordPairs
from ...space import Space
from ...ty import Mechanism
from ...validate import whole
from ..corpus import EncodedCorpus

FREQUENCY_SHARE = 0.4  # the weight of f
WEB = 0.5  # of f: the weight of web text
MIN_PROBABILITY = 1e-30
RARE = 1e-5
LISTED_OF = 32  # a share of the words: a row with more transitions is stored in full
OF_DOMAIN, OF_PRIOR = "word pairs of such text", "word pairs of the prior"


def zipf(n: int) -> Floats1d:
    """Return weights 1/(row + 1), (n,), normalised, for words in order of falling frequency."""
    weights = 1 / np.arange(1, whole("n", n, least=1) + 1)
    frequencies: Floats1d = weights / weights.sum()
    return frequencies


def word_frequencies(n: int, public: EncodedCorpus) -> Floats1d:
    """Return the frequency of each word of a space in a public text, (n,), summing to 1. The share
    of words seen once is spread over all words by Zipf's law (Good 1953)."""
    counts = np.bincount(public.rows, minlength=n).astype(np.float64)
    unseen = max(1.0, float((counts == 1).sum())) / (counts.sum() + 1)
    mixed: Floats1d = (1 - unseen) * counts / counts.sum() + unseen * zipf(n)
    return mixed


def likely_words(frequencies: Floats1d, count: int) -> Ints1d:
    """Return the `count` most frequent words, int64 (m,), rising."""
    order = np.argsort(-frequencies, kind="stable")[: whole("most", count, least=1)]
    return np.sort(order)


def log_prior(frequencies: Floats1d, words: Ints1d) -> Floats1d:
    """Return the ln of the frequencies of these words, (m,), normalised."""
    logs: Floats1d = np.log(frequencies[words] / frequencies[words].sum())
    return logs


@dataclass(frozen=True, eq=False)
class Language:
    """A mixture of word pairs and word frequencies over the n words of a space.

    chain: the word pairs; a word with several states has their mean. frequencies: float64 (n,),
    summing to 1; share: their weight. name: for tables. web: frequencies in web text, float (n,),
    which define rare words. domain_chain: word pairs of the domain of the public text, or None.
    """

    chain: Chain
    frequencies: Floats1d
    share: float = FREQUENCY_SHARE
    name: str = ""
    web: Floats1d | None = None
    domain_chain: Chain | None = None

    @property
    def is_rare(self) -> Bools1d:
        """Whether a word is below RARE in web text, bool (n,); False for all without `web`."""
        if self.web is None:
            return np.zeros(len(self.frequencies), dtype=bool)
        rare: Bools1d = self.web < RARE
        return rare

    @cached_property
    def _parts(self) -> tuple[Any, Any, Floats1d, Any]:
        """Posterior states of each word and emissions, csr (n, K); probabilities by back-off, (n,);
        listed transitions, csr (K, K)."""
        from scipy.sparse import csr_array, diags_array

        chain = self.chain
        weights = csr_array(chain.emit.astype(np.float64) * chain.alone[None, :])
        sums = np.asarray(weights.sum(axis=1)).reshape(-1)
        states = csr_array(diags_array(1 / np.maximum(sums, MIN_PROBABILITY)) @ weights)
        emit = chain.emit.astype(np.float64).tocsr()
        return states, emit, emit @ chain.u, csr_array(chain.delta).astype(np.float64)

    @cached_property
    def _pairs(self) -> Any:
        """Transitions between words that are listed, csr (n, n)."""
        from scipy.sparse import csr_array

        states, emit, _, delta = self._parts
        pairs = csr_array((states @ delta) @ emit.T)
        pairs.sum_duplicates()
        return pairs

    @cached_property
    def _mixed(self) -> tuple[Floats1d, Floats1d, Floats1d, Floats1d]:
        """The share of back-off after each word, probabilities by back-off and by frequency, (n,)
        each, and those of listed transitions, as in the mixture, float32."""
        states, _, back_off, _ = self._parts
        backs, pairs = np.asarray(states @ self.chain.back), (1 - self.share) * self._pairs.data
        parts = backs, (1 - self.share) * back_off, self.share * self.frequencies, pairs
        single: Any = [part.astype(np.float32) for part in parts]
        return single[0], single[1], single[2], single[3]

    @cached_property
    def variants(self) -> dict[tuple[str, str], Language]:
        """Those with other word pairs so far, by name and digest of the pairs: for all attacks."""
        return {}

    @cached_property
    def usual(self) -> Floats1d:
        """The probability of each word at any place, float64 (n,)."""
        weights: Floats1d = self._mix(self._parts[1] @ self.chain.alone, slice(None))
        return weights

    def first(self, rows: Ints1d) -> Floats1d:
        """Return the probabilities of words (m,) at the start of a sentence."""
        return self._first[rows]

    @cached_property
    def _first(self) -> Floats1d:
        weights: Floats1d = self._mix(self._parts[1] @ self.chain.begin, slice(None))
        return weights

    @cached_property
    def _common(self) -> tuple[Ints1d, Floats2d]:
        """The place of each word among those that many words may follow, or -1, int64 (n,); and
        their listed transitions in the mixture as a table, float32 (k, n), which is faster to
        read."""
        pairs, n = self._pairs, len(self.frequencies)
        words = np.flatnonzero(np.diff(pairs.indptr) * LISTED_OF >= n)
        place = np.full(n, -1, dtype=np.int64)
        place[words] = np.arange(len(words))
        table = pairs[words].astype(np.float32).toarray()
        table *= np.float32(1 - self.share)
        return place, table

    def moves(self, before: Ints1d, after: Ints1d) -> Floats2d:
        """Return P(after | before), float32 (k, m)."""
        pairs, (backs, back_off, frequencies, listed) = self._pairs, self._mixed
        place = np.full(len(frequencies), -1, dtype=np.int32)
        place[after] = np.arange(len(after))
        if (place[after] != np.arange(len(after))).any():  # some words twice
            words, of_after = np.unique(after, return_inverse=True)
            return self.moves(before, words)[:, of_after]
        P: Floats2d = np.multiply.outer(backs[before], back_off[after])
        P += frequencies[after]
        common, table = self._common
        of_table = common[before]
        is_common = np.flatnonzero(of_table >= 0)
        P[is_common] += table.take(of_table[is_common, None] * table.shape[1] + after)
        rare = np.flatnonzero(of_table < 0)
        if len(rare):
            # Of all listed transitions, those to one of the words, which few are.
            first, last = pairs.indptr[before[rare]], pairs.indptr[before[rare] + 1]
            spans = zip(first.tolist(), last.tolist(), strict=True)
            at = place.take(np.concatenate([pairs.indices[a:b] for a, b in spans]))
            hits, ends = np.flatnonzero(at >= 0), np.cumsum(last - first)
            owners = np.searchsorted(ends, hits, side="right")
            P[rare[owners], at[hits]] += listed[hits + (last - ends)[owners]]
        return P

    def moves_from(self, word: int) -> Floats1d:
        """Return P(after | word) of all words after, float32 (n,)."""
        pairs, (backs, back_off, frequencies, listed) = self._pairs, self._mixed
        P: Floats1d = backs[word] * back_off + frequencies
        part = slice(*pairs.indptr[word : word + 2].tolist())
        P[pairs.indices[part]] += listed[part]
        return P

    def _mix(self, P: Any, rows: Any) -> Any:
        return (1 - self.share) * P + self.share * self.frequencies[rows]

    def nats(self, rows: Ints1d, starts: Bools1d) -> float:
        """Return the negative log-likelihood a word of rows (k,) under `chain`, in nats. starts:
        bool (k,), where sentences begin."""
        states, emit, back_off, delta = self._parts
        P = emit[rows] @ self.chain.begin.astype(np.float64)
        later = np.flatnonzero(~starts)
        if len(later):
            before, after = states[rows[later - 1]], rows[later]
            direct = ((before @ delta) * emit[after]).sum(axis=1)
            back = (before @ self.chain.back) * back_off[after]
            P[later] = np.asarray(direct).reshape(-1) + back
        return float(-np.log(np.maximum(P, MIN_PROBABILITY)).mean())


def language_of(space: Space, read: EncodedCorpus | None = None) -> Language:
    """Return the word pairs of the package on this space, with the frequencies of a public text; or
    only the frequencies, if the space has no English words."""
    web = frequency_of(space)
    frequencies = web / web.sum()
    if read is not None:
        counts = np.bincount(read.rows, minlength=len(space))
        frequencies = WEB * frequencies + (1 - WEB) * counts / counts.sum()
    try:
        chain = WordPairs(domain=None).fit(space).pairs
    except DxError:
        chain = unigram_chain(np.maximum(frequencies, MIN_PROBABILITY))
        return Language(chain, frequencies, name="word frequencies", web=web)
    domain = None if read is None else _domain_of(read, space)
    domain_chain = None if domain is None else WordPairs(domain=domain).fit(space).pairs
    name = "word pairs of the package"
    return Language(chain, frequencies, name=name, web=web, domain_chain=domain_chain)


def _domain_of(read: EncodedCorpus, space: Space) -> str | None:
    """Return the domain whose word pairs are likeliest for a text; None for general English."""
    english = builtin_model().chain.pairs
    rows = Space.builtin().find_all([space.words[row] for row in read.rows.tolist()])
    if english.one_state is None or not (rows >= 0).any():
        return None
    words = np.where(rows >= 0, english.one_state[0][rows], english.states)
    sentences = np.append(np.insert(words, np.flatnonzero(read.sentences)[1:], STOP), STOP)
    domains = (None, BROAD, *DOMAINS)
    nats = {d: nats_of_pairs(builtin_model(d).chain.pairs, sentences).sum() for d in domains}
    return min(nats, key=lambda domain: float(nats[domain]))


def language_variants(language: Language, mechanism: Mechanism) -> list[Language]:
    """Return the attacker's language model, and variants with the word pairs of the domain and of
    the mechanism's prior."""
    chains = {OF_DOMAIN: language.domain_chain}
    if isinstance(mechanism, SentenceMechanism):
        chains[OF_PRIOR] = mechanism.built.chain.pairs
    variants = [language]
    for name, chain in chains.items():
        if chain is None or chain.is_unigram or chain.one_state is None:
            continue  # not a distribution of pairs
        if chain.digest not in {variant.chain.digest for variant in variants}:
            made = replace(language, chain=chain, name=name)
            variants.append(language.variants.setdefault((name, chain.digest), made))
    return variants
