"""What a causal language model is asked, and the words of a space as its tokens.

Tokens are whole numbers of the model's own vocabulary. P(word) = P(first token) share, the share of
the word among those that begin with this token, by public frequency.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol, runtime_checkable

import numpy as np

from ..arrays import Bools1d, Floats1d, Floats2d, Ints1d, Ints2d
from ..prior.pairs import frequency_of
from ..space import Space

NOTHING = -1  # in place of a token: this lane reads nothing
NO_TOKEN = -1


class OutOfRoom(Exception):
    """The memory is too short for so many lanes: fewer may fit."""


class Lanes(Protocol):
    """Texts side by side, each as far as it was read."""

    def feed(self, tokens: Ints1d) -> None:
        """tokens: int64 (lanes,), what each lane reads next; NOTHING for those that wait. Raises
        OutOfRoom, and DxError for a model whose answers are no numbers."""
        ...

    def logs(self, tokens: Ints2d) -> Floats2d:
        """float (lanes, m): ln of the probability that each of tokens (lanes, m) comes next."""
        ...

    def keep(self, order: Ints1d) -> None:
        """From now on lane i is what lane order[i] was; lanes may be doubled or dropped. Raises
        OutOfRoom."""
        ...


@runtime_checkable
class LanguageModel(Protocol):
    """name: as it was given. digest: of its files. window: how many tokens it reads at most at
    once; of longer texts it remembers the last ones."""

    name: str
    digest: str
    window: int

    def __hash__(self) -> int: ...

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text, with none of the model's own round them."""
        ...

    def fits(self, tokens: int) -> int:
        """How many lanes of so many tokens its room is meant for, 1 or more."""
        ...

    def read(self, prompts: Sequence[Sequence[int]]) -> Lanes:
        """A lane for each of the prompts, which it has read. Raises as Lanes.feed does."""
        ...

    def nats(self, texts: Sequence[Sequence[int]]) -> Floats1d:
        """float64 (texts,): -ln of the probability of each, all of its tokens together."""
        ...


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
