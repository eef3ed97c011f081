"""Words that know nothing of each other (dx.Uniform.v1, dx.WordFrequency.v1).

Law        q(y) = 1 / n; q(y) proportional to f(y) ** gamma, with f how often y comes in public
           text
Draws      each word alone. Uniform is the law of dx.Path.v1; frequent words are what an attacker
           guesses anyway, so that to prefer them tells him less
Paper      Blahut 1972, Arimoto 1972 (the output law of a rate-distortion channel)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..arrays import Floats1d
from ..registries import registry
from ..space import Space
from ..validate import between, fail, needs, one_of
from .builtin import NAME, frequencies, frequency_of
from .chain import Chain, alone_chain
from .law import spelled
from .saved import read_any

LEAST = 1e-30  # that float32 can hold


@dataclass(frozen=True)
class Uniform:
    """All words of the space alike."""

    name = "dx.Uniform.v1"
    draws = "alone"

    def fit(self, space: Space) -> Chain:
        return alone_chain(np.ones(len(space)))


@dataclass(frozen=True)
class WordFrequency:
    """Public frequency to the power gamma. path: a folder made by `dx prior`; lang: a language of
    the package wordfreq; English of this package without either."""

    gamma: float
    path: Path | None = None
    lang: str | None = None
    name = "dx.WordFrequency.v1"
    draws = "alone"

    def fit(self, space: Space) -> Chain:
        """Raises DxError where no word of the space is known, or the folder is not as it should."""
        often = self._often(space)
        return alone_chain(np.maximum((often / often.max()) ** self.gamma, LEAST))

    def _often(self, space: Space) -> Floats1d:
        """float64 (n,), above 0; words that are not known are as rare as the rarest that is."""
        if not self.path and not self.lang and space.digest == Space.builtin().digest:
            return frequencies()
        words, weights, name = self._listed()
        cells = spelled(words, space, frequency_of(space), weights, name, join=False)
        often: Floats1d = cells @ weights
        above: Floats1d = np.maximum(often, often[often > 0].min())
        return above

    def _listed(self) -> tuple[Sequence[str], Floats1d, str]:
        """Words, how often each comes, and what that list is called."""
        if self.path is not None:
            law = read_any(self.path)
            return law.words, law.chain.unigram, law.name
        if self.lang is None:
            return Space.builtin().words, frequencies(), NAME
        from wordfreq import get_frequency_dict

        often = get_frequency_dict(self.lang)
        return list(often), np.fromiter(often.values(), np.float64), f"wordfreq, {self.lang}"


@registry.dx_priors("dx.Uniform.v1")
def make_uniform() -> Uniform:
    """All words alike."""
    return Uniform()


@registry.dx_priors("dx.WordFrequency.v1")
def make_word_frequency(
    gamma: float = 1.0, path: str | None = None, lang: str | None = None
) -> WordFrequency:
    """Words alone, by public frequency to the power gamma, from 0 to 4: of English; or of the texts
    of a folder made by `dx prior`; or of a language that the package wordfreq has, by its code
    ("de"), for which the extra `frequency` is needed."""
    gamma = between("gamma", gamma, 0.0, 4.0, low_in=True, high_in=True)
    if lang is not None:
        _check_language(lang, path)
    return WordFrequency(gamma, None if path is None else Path(path), lang)


def _check_language(lang: str, path: str | None) -> None:
    needs("wordfreq", "A language of dx.WordFrequency.v1", extra="frequency")
    from wordfreq import available_languages

    one_of("lang", lang, tuple(sorted(available_languages())))
    if path is not None:
        raise fail("lang", "left out where a path is given", lang)
