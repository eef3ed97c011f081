"""The interface of causal language models, and the words of a space as their tokens.

P(word) = P(first token) share, the share of the word among those that begin with this token, by
public frequency.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol, runtime_checkable

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints1d, Ints2d
from ..prior.pairs import frequency_of
from ..space import Space

NOTHING = -1  # in place of a token: this lane reads nothing
NO_TOKEN = -1


class OutOfRoom(Exception):
    """The memory is too short for so many lanes."""


class Lanes(Protocol):
    """Texts that a model reads in parallel, one lane each."""

    def feed(self, tokens: Ints1d) -> None:
        """Read one token a lane, int64 (lanes,); NOTHING for those that wait.

        Raise OutOfRoom, and DxError for logits that are not finite.
        """
        ...

    def logs(self, tokens: Ints2d) -> Floats2d:
        """Return ln P(next token) of tokens (lanes, m), float (lanes, m)."""
        ...

    def keep(self, order: Ints1d) -> None:
        """Make lane order[i] lane i; lanes may be doubled or dropped. Raise OutOfRoom."""
        ...


@runtime_checkable
class LanguageModel(Protocol):
    """name: as given. digest: of its files. window: the most tokens that it reads at once."""

    name: str
    digest: str
    window: int

    def __hash__(self) -> int: ...

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the tokens of each text, without special ones."""
        ...

    def fits(self, tokens: int) -> int:
        """Return how many lanes of so many tokens fit into memory, 1 or more."""
        ...

    def read(self, prompts: Sequence[Sequence[int]]) -> Lanes:
        """Return a lane for each prompt, which it has read; raise as Lanes.feed does."""
        ...

    def nats(self, texts: Sequence[Sequence[int]]) -> Floats1d:
        """Return the negative log-likelihood of each text, float64 (texts,)."""
        ...


@dataclass(frozen=True, eq=False)
class WordTokens:
    """The n words of a space. first: int64 (n,), the first token of each after a blank or NO_TOKEN.
    within: float64 (n,), ln of its share. known: float64 (n,), public frequencies, which sum to 1.
    """

    model: LanguageModel
    words: Sequence[str]
    first: Ints1d
    within: Floats1d
    known: Floats1d
    _forms: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def tokens(self, row: int, *, blank: bool, capital: bool) -> tuple[int, ...]:
        """Return the tokens of a word, after a blank or not, with a capital or not."""
        word = self.words[row]
        text = (" " if blank else "") + (word[:1].upper() + word[1:] if capital else word)
        if text not in self._forms:
            self._forms[text] = tuple(self.model.encode([text])[0])
        return self._forms[text]

    def first_of(self, rows: Ints1d, *, blank: bool, capital: bool) -> Ints1d:
        """Return the first token of each word (m,), or NO_TOKEN."""
        if blank and not capital:
            return np.asarray(self.first[rows])
        forms = (self.tokens(row, blank=blank, capital=capital) for row in rows.tolist())
        return np.array([form[0] if form else NO_TOKEN for form in forms], dtype=np.int64)

    # A copy must not hold words of the texts that were read.
    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_forms": {}}


@lru_cache(maxsize=2)
def word_tokens(model: LanguageModel, space: Space) -> WordTokens:
    """Return the tokens of all words of a space; one second for 60,000 words."""
    encoded = model.encode([" " + word for word in space.words])
    first = np.array([tokens[0] if tokens else NO_TOKEN for tokens in encoded], dtype=np.int64)
    frequency = frequency_of(space).astype(np.float64) + 1e-9
    within = np.log(frequency / np.bincount(first + 1, frequency)[first + 1])
    return WordTokens(model, space.words, first, within, frequency / frequency.sum())
