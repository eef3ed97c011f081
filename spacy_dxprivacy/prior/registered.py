"""The registered priors: dx.Uniform.v1, dx.WordFrequency.v1, dx.WordPairs.v1.

Uniform        q(y) = 1 / n; word-level sampling. The distribution of dx.Path.v1
WordFrequency  q(y) proportional to f(y) ** gamma, with public word frequency f; word-level sampling
WordPairs      P(y | x) = back(x) u(y) + delta(x, y), word pairs with back-off; sentence-level
               sampling, since sums over sentences are exact
Papers         Blahut 1972, Arimoto 1972 (the output distribution of a rate-distortion channel);
               Katz 1987; Chen and Goodman 1999
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..registries import registry
from ..space import Space
from ..validate import between, fail, needs, one_of
from .builtin import BROAD, DOMAINS, NAME, builtin_model, frequencies, frequency_of
from .chain import Chain, WeightedWords, map_to_space, spelling_shares, unigram_chain
from .saved import read_model

MIN_WEIGHT = 1e-30  # in the range of float32
MAX_MAPPED = 2  # chains in the cache
_mapped: dict[tuple[str, str | None], Chain] = {}


@dataclass(frozen=True)
class Uniform:
    """All words of the space are equally likely."""

    name = "dx.Uniform.v1"
    draws = "alone"

    def fit(self, space: Space) -> Chain:
        return unigram_chain(np.ones(len(space)))


@dataclass(frozen=True)
class WordFrequency:
    """Public frequency to the power gamma."""

    gamma: float
    path: Path | None = None
    lang: str | None = None
    name = "dx.WordFrequency.v1"
    draws = "alone"

    def fit(self, space: Space) -> Chain:
        """Raises DxError if no word of the space is known, or the folder is damaged."""
        weights = frequencies()
        if self.path or self.lang or space.digest != Space.builtin().digest:
            listed = self._listed()
            weights = spelling_shares(listed, space, frequency_of(space)) @ listed.weights
            # Unknown words are as rare as the rarest known word.
            weights = np.maximum(weights, weights[weights > 0].min())
        return unigram_chain(np.maximum((weights / weights.max()) ** self.gamma, MIN_WEIGHT))

    def _listed(self) -> WeightedWords:
        if self.path is not None:
            model = read_model(self.path)
            return WeightedWords(model.words, model.chain.unigram, model.name)
        if self.lang is None:
            return WeightedWords(Space.builtin().words, frequencies(), NAME)
        from wordfreq import get_frequency_dict

        frequency = get_frequency_dict(self.lang)
        weights = np.fromiter(frequency.values(), np.float64)
        return WeightedWords(list(frequency), weights, f"wordfreq, {self.lang}")


@dataclass(frozen=True)
class WordPairs:
    """Word pairs with back-off, of a saved prior or of a domain of the package."""

    path: Path | None = None
    domain: str | None = BROAD
    name = "dx.WordPairs.v1"
    draws = "sentence"

    def fit(self, space: Space) -> Chain:
        """Raises DxError if no word of the space is known, or the folder is damaged."""
        if self.path is not None:
            return map_to_space(read_model(self.path), space, frequency_of(space))
        if space.digest == Space.builtin().digest:
            return builtin_model(self.domain).chain
        # Cached for the last spaces: for a search over epsilon, or a second pipeline.
        key = space.digest, self.domain
        chain = _mapped.pop(key, None)
        chain = chain or map_to_space(builtin_model(self.domain), space, frequency_of(space))
        _mapped[key] = chain
        for old in list(_mapped)[:-MAX_MAPPED]:
            _mapped.pop(old, None)
        return chain


@registry.dx_priors("dx.Uniform.v1")
def make_uniform() -> Uniform:
    """Create a prior for which all words are equally likely."""
    return Uniform()


@registry.dx_priors("dx.WordFrequency.v1")
def make_word_frequency(
    gamma: float = 1.0, path: str | None = None, lang: str | None = None
) -> WordFrequency:
    """Create a prior of independent words, by public frequency; of English by default.

    Args:
        gamma: The power of the frequency, from 0 to 4.
        path: A folder made by scripts/train_prior.py, for the frequencies of its texts.
        lang: A language of the package wordfreq, by its code ("de"), with the extra `frequency`.
    """
    gamma = between("gamma", gamma, 0.0, 4.0, "[]")
    if lang is not None:
        needs("wordfreq", "A language of dx.WordFrequency.v1", extra="frequency")
        from wordfreq import available_languages

        one_of("lang", lang, tuple(sorted(available_languages())))
        if path is not None:
            raise fail("lang", "left out where a path is given", lang)
    return WordFrequency(gamma, None if path is None else Path(path), lang)


@registry.dx_priors("dx.WordPairs.v1")
def make_word_pairs(path: str | None = None, domain: str | None = None) -> WordPairs:
    """Create a prior of word pairs and contexts of two words; the default prior.

    The package's pairs are from a mix of English: news, notes, mails, reviews, tickets, talks,
    messages, questions, instructions, stories and judgments.

    Args:
        path: A folder made by scripts/train_prior.py.
        domain: "clinical" (notes of visits) or "dialogues" (talks, chats, questions to an
            assistant); the broad mix if None.
    """
    if domain is not None:
        one_of("domain", domain, DOMAINS)
        if path is not None:
            raise fail("domain", "left out where a path is given", domain)
    return WordPairs(None if path is None else Path(path), domain or BROAD)
