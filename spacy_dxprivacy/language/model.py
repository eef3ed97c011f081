"""What a causal language model is asked. Tokens are whole numbers of its own vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from ..arrays import Floats1d, Floats2d, Ints1d, Ints2d

NOTHING = -1  # in place of a token: this lane reads nothing


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

    def scores(self) -> Floats2d:
        """float64 (lanes, tokens of the vocabulary): the logits of what comes next."""
        ...

    def keep(self, order: Ints1d) -> None:
        """From now on lane i is what lane order[i] was; lanes may be doubled or dropped. Raises
        OutOfRoom."""
        ...


@runtime_checkable
class LanguageModel(Protocol):
    """name: as it was given. digest: of its files. window: how many tokens it reads at most at
    once; of longer texts it remembers the last ones. ends: tokens that end a text."""

    name: str
    digest: str
    window: int
    ends: frozenset[int]

    def __hash__(self) -> int: ...

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text, with none of the model's own round them."""
        ...

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of tokens."""
        ...

    def asked(self, text: str) -> list[int]:
        """The tokens of a request, as the model was taught to take them."""
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
