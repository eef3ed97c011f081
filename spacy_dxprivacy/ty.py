"""The shapes that parts plug into: anyone's object with these methods will do.

Configs are checked against them when they are resolved, so they can be checked at run time.

k is the number of words to replace, n the number of rows of the space, d its dimensions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from .arrays import Floats2d, Ints1d
from .guarantee import Guarantee
from .randomness import Rng
from .space import Space


@dataclass(frozen=True)
class Draw:
    """What a mechanism gives back for k words.

    rows: int64 (k,), the replacements.
    vectors: float32 (k, d), the perturbed vectors, where the mechanism makes such; else None.
    """

    rows: Ints1d
    vectors: Floats2d | None = None


@runtime_checkable
class Mechanism(Protocol):
    """Rows in, rows out. It is fitted on a public space, never on a text."""

    name: str
    guarantee: Guarantee

    def fit(self, space: Space) -> Any: ...

    def sample(self, rows: Ints1d, rng: Rng) -> Draw: ...


@runtime_checkable
class Index(Protocol):
    """Finds the row of the table nearest to each query vector."""

    def fit(self, X: Floats2d) -> Any: ...

    def nearest(self, Z: Floats2d) -> Ints1d: ...


@runtime_checkable
class Projection(Protocol):
    """Post-processing from noisy vectors (k, d) to rows (k,)."""

    def fit(self, X: Floats2d, *, epsilon: float) -> Any: ...

    def project(self, Z: Floats2d, rng: Rng) -> Ints1d: ...


@runtime_checkable
class Unknown(Protocol):
    """What stands in for words that the space lacks; in_clear names what it lets through."""

    in_clear: tuple[str, ...]

    def replace(self, words: list[str], space: Space, rng: Rng) -> list[str]: ...


@runtime_checkable
class Prior(Protocol):
    """Public language: a law of sentences that never sees the input.

    draws: how words are drawn from it: "alone", by the "sentence", or "left to right". fit gives a
    priors.chain.Chain on the words of the space; where words are drawn left to right, a
    priors.back_off.NextWord.
    """

    name: str
    draws: str

    def fit(self, space: Space) -> Any: ...
