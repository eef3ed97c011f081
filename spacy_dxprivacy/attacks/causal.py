r"""Guessing words from all outputs of a text, by a causal language model and the exact channel.

Knows: as in reading.py, and a causal model. Wants: the words. Measured by the share of places that
are guessed right. Candidates and the channel are those of reading.py; among them beam search looks
for the likeliest text, P(w | words before) being .6 of the model and .4 of known frequencies.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Bools1d, Floats2d, Ints1d
from ..language.beam import Search, Sheet, search
from ..language.opened import open_model
from ..language.words import WordTokens, word_tokens
from ..space import Space
from ..ty import Mechanism
from .corpus import Corpus
from .language import KNOWN, Language
from .reading import Seen, weighed

if TYPE_CHECKING:
    from ..randomness import Rng

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


def causal_guess(
    text: Corpus,
    outputs: Ints1d,
    mechanism: Mechanism,
    X: Floats2d,
    language: Language,
    reader: Reader,
    rng: Rng,
) -> Ints1d:
    """The words of the likeliest texts, int64 (k,). text: of which the layout alone is looked at,
    what stands between words and where sentences and documents begin. outputs: int64 (k,), what was
    released. language: whose known frequencies are mixed in. X (n, d), rng: as language_guess."""
    seen = Seen(outputs, text.sentences)
    C, logs = weighed(seen, mechanism, X, language, rng, min(CANDIDATES, len(X)))
    capital = _capitals(text)
    sheets = [
        Sheet(text.before[a:b], capital[a:b], C[a:b], logs[a:b])
        for a, b in pairwise(text.starts.tolist())
    ]
    how = Search(reader.words, language.known, share=KNOWN, prompt=reader.prompt, beam=reader.beam)
    return np.concatenate(search(sheets, how))


def _capitals(text: Corpus) -> Bools1d:
    """bool (t,): words after a full stop, and the first of each document."""
    capital = np.array([mark.rstrip()[-1:] in {".", "!", "?"} for mark in text.before])
    capital[text.starts[:-1]] = True
    return capital
