r"""Reading a text by all of its outputs, by a causal language model and the exact channel.

Knows: as in reading.py, and a causal model. Wants: the words, or whether a word is there. Measured
by the share of places that are guessed right; by membership.py. Candidates and the channel are
those of reading.py; among them beam search looks for the likeliest text, P(w | words before) being
.6 of the model and .4 of known frequencies. On the way it has the posterior of each candidate,
given the words before and the outputs.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import Bools1d, Floats1d, Floats2d, Ints1d, Ints2d
from ...language.beam import Filled, Search, Sheet, search
from ...language.model import WordTokens, word_tokens
from ...language.opened import open_model
from ...space import Space
from ...ty import Mechanism
from .corpus import Corpus
from .language import KNOWN, Language
from .reading import Seen, weighed

if TYPE_CHECKING:
    from ...randomness import Rng

CANDIDATES = 32
BEAM = 4


@dataclass(frozen=True, eq=False)
class Reader:
    """An attacker with a causal model, and what it takes texts to be (public words, or none)."""

    words: WordTokens
    prompt: str = ""
    beam: int = BEAM

    @classmethod
    def of(cls, model: str, space: Space, prompt: str = "") -> Reader:
        """Raises DxError as open_model does."""
        return cls(word_tokens(open_model(model), space), prompt)

    @property
    def name(self) -> str:
        """As tables call it."""
        return "causal model"


@dataclass(frozen=True, eq=False)
class CausalReading:
    """words: int64 (k, m), candidates of each place; shares: float64 (k, m), their posterior, and
    priors, without the outputs of the place; guess: int64 (k,), the words of the likeliest texts.
    """

    words: Ints2d
    shares: Floats2d
    priors: Floats2d
    guess: Ints1d

    def of(self, word: int, places: slice) -> tuple[Floats1d, Floats1d]:
        """(length,) each: posterior and prior of a word at some places; 0 where it was not asked
        about, and is no candidate."""
        here = self.words[places] == word
        parts = self.shares[places], self.priors[places]
        shares, priors = (np.where(here, part, 0.0).max(axis=1) for part in parts)
        return shares, priors


def causal_guess(
    text: Corpus,
    outputs: Ints1d,
    mechanism: Mechanism,
    X: Floats2d,
    language: Language,
    reader: Reader,
    rng: Rng,
) -> Ints1d:
    """The words of the likeliest texts, int64 (k,). See causal_reading."""
    return causal_reading(text, outputs, mechanism, X, language, reader, rng).guess


def causal_reading(
    text: Corpus,
    outputs: Ints1d,
    mechanism: Mechanism,
    X: Floats2d,
    language: Language,
    reader: Reader,
    rng: Rng,
    asked: Ints2d | None = None,
) -> CausalReading:
    """text: of which the layout alone is looked at, what stands between words and where sentences
    and documents begin. outputs: int64 (k,), what was released. language: whose known frequencies
    are mixed in. X (n, d), rng: as language_guess. asked: int64 (k, m), further candidates."""
    seen = Seen(outputs, text.sentences)
    C, logs = weighed(seen, mechanism, X, language, rng, min(CANDIDATES, len(X)), asked)
    capital = _capitals(text)
    sheets = [
        Sheet(text.before[a:b], capital[a:b], C[a:b], logs[a:b])
        for a, b in pairwise(text.starts.tolist())
    ]
    how = Search(reader.words, language.known, share=KNOWN, prompt=reader.prompt, beam=reader.beam)
    found: list[Filled] = search(sheets, how)
    parts = zip(*[(one.shares, one.priors, one.words) for one in found], strict=True)
    return CausalReading(C, *(np.concatenate(part) for part in parts))


def _capitals(text: Corpus) -> Bools1d:
    """bool (t,): words after a full stop, and the first of each document."""
    capital = np.array([mark.rstrip()[-1:] in {".", "!", "?"} for mark in text.before])
    capital[text.starts[:-1]] = True
    return capital
