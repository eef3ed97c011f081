"""An ARPA file of n-grams with back-off, as language models are published (dx.Ngrams.v1).

Law        P(y | h) = what the file gives, or the back-off weight of h times P(y | h without its
           first word)
Draws      words and pairs by the sentence (order 1 and 2), since they can be summed exactly; longer
           n-grams left to right, each word given those released before it
Paper      Katz 1987
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..registries import registry
from ..space import Space
from ..validate import fail, whole
from .arpa import Arpa, bad, read_arpa
from .back_off import NextWord, check_sums, pairs_law, words_of
from .builtin import frequency_of
from .chain import Chain
from .law import carry, spelled

MOST_ORDER = 5


@dataclass(frozen=True)
class Ngrams:
    """path: the ARPA file, plain or .gz. order: the longest n-grams that are used."""

    path: Path
    order: int = 2
    name = "dx.Ngrams.v1"

    @property
    def draws(self) -> str:
        return "sentence" if self.order <= 2 else "left to right"

    def fit(self, space: Space) -> Chain | NextWord:
        """A chain for words and pairs, else the law of the next word.

        Raises DxError for a file that cannot be used, and where no word of the space is in it.
        """
        arpa = self._read()
        frequency = frequency_of(space)
        if self.order <= 2:
            return carry(pairs_law(arpa, self.path.name), space, frequency)
        words, weights = words_of(arpa)
        return NextWord(arpa, spelled(words, space, frequency, weights, self.path.name))

    def _read(self) -> Arpa:
        arpa = read_arpa(self.path, self.order)
        check_sums(arpa, self.path)
        if len(arpa.levels) < self.order:
            raise bad(self.path, f"it has no {self.order}-grams, and order = {self.order}")
        return arpa


@registry.dx_priors("dx.Ngrams.v1")
def make_ngrams(path: str, order: int = 2) -> Ngrams:
    """path: an ARPA file. order: 1 to 5; up to 2 whole sentences are drawn, from 3 on words from
    left to right."""
    order = whole("order", order, least=1)
    if order > MOST_ORDER:
        raise fail("order", f"a whole number from 1 to {MOST_ORDER}", order)
    return Ngrams(Path(path), order)
