"""The words of a space as tokens of a model.

P(word) = P(first token) share        share: of the word among those that begin with this token, by
                                      public frequency
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from ..arrays import Bools1d, Floats1d, Ints1d
from ..priors.builtin import frequency_of
from ..space import Space
from .model import LanguageModel

NO_TOKEN = -1


@dataclass(frozen=True, eq=False)
class WordTokens:
    """words: n of a space. first: int64 (n,), the first token of each after a blank; NO_TOKEN for
    one that has none. within: float64 (n,), ln of its share. known: float64 (n,), public
    frequencies that sum to 1."""

    model: LanguageModel
    words: Sequence[str]
    first: Ints1d
    within: Floats1d
    known: Floats1d
    _forms: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def tokens(self, row: int, *, blank: bool, capital: bool) -> tuple[int, ...]:
        """Of a word after a blank or at once, with a capital or as it is."""
        word = self.words[row]
        text = (" " if blank else "") + (word[:1].upper() + word[1:] if capital else word)
        if text not in self._forms:
            self._forms[text] = tuple(self.model.encode([text])[0])
        return self._forms[text]

    def first_of(self, rows: Ints1d, *, blank: bool, capital: bool) -> Ints1d:
        """int64 (m,): the first token of each word; NO_TOKEN where there is none."""
        if blank and not capital:
            found: Ints1d = self.first[rows]
            return found
        forms = (self.tokens(row, blank=blank, capital=capital) for row in rows.tolist())
        return np.array([form[0] if form else NO_TOKEN for form in forms], dtype=np.int64)

    @property
    def can_be_said(self) -> Bools1d:
        """bool (n,): words of a token or more."""
        there: Bools1d = self.first != NO_TOKEN
        return there

    # Words that were met are those of texts: they are no business of who gets a copy.
    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_forms": {}}


@lru_cache(maxsize=2)
def word_tokens(model: LanguageModel, space: Space) -> WordTokens:
    """Those of all words of a space; one second for 60,000 of them."""
    some = model.encode([" " + word for word in space.words])
    first = np.array([tokens[0] if tokens else NO_TOKEN for tokens in some], dtype=np.int64)
    often = frequency_of(space).astype(np.float64) + 1e-9
    sums = np.bincount(first + 1, often)
    return WordTokens(
        model, space.words, first, np.log(often / sums[first + 1]), often / often.sum()
    )
