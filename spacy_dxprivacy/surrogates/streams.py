"""Where the chance of a stand-in comes from: the package's secure stream, or a secret key.

A keyed stream is HMAC-SHA256 in counter mode over what a mention stands for: without the key it
cannot be told from chance, and with it the same person has the same stand-in in every document.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol, TypeVar

from ..randomness import Rng

T = TypeVar("T")
WORD = 2**32


class Stream(Protocol):
    """Numbers that nobody can foresee."""

    def integers(self, high: int, k: int) -> Sequence[int]:
        """k whole numbers from 0 to high - 1, uniformly; high is 2**32 at most."""
        ...


class Secure:
    """That of the package's own randomness."""

    def __init__(self, rng: Rng) -> None:
        self._rng = rng

    def integers(self, high: int, k: int) -> list[int]:
        """k whole numbers from 0 to high - 1, uniformly."""
        drawn: list[int] = self._rng.integers(high, k).tolist()
        return drawn


class Keyed:
    """The same numbers for the same key and the same words; uniform over keys."""

    def __init__(self, key: bytes, *words: str) -> None:
        told = b"".join(len(w.encode()).to_bytes(4, "big") + w.encode() for w in words)
        self._key = hmac.new(key, b"dx stand-in" + told, hashlib.sha256).digest()
        self._count = 0
        self._left = b""

    def integers(self, high: int, k: int) -> list[int]:
        """k whole numbers from 0 to high - 1; none is more likely than another."""
        return [self._below(high) for _ in range(k)]

    def _below(self, high: int) -> int:
        whole = WORD - WORD % high  # beyond it, small numbers would be more likely
        while (number := int.from_bytes(self._take(4), "big")) >= whole:
            pass
        return number % high

    def _take(self, size: int) -> bytes:
        if len(self._left) < size:
            counted = self._count.to_bytes(8, "big")
            self._left += hmac.new(self._key, counted, hashlib.sha256).digest()
            self._count += 1
        taken, self._left = self._left[:size], self._left[size:]
        return taken


def geometric(rate: Fraction, stream: Stream) -> int:
    """k with probability proportional to exp(-rate |k|), exactly: no floating point is in it.

    Reference:
        Canonne, Kamath, Steinke 2020, algorithm 2.
    """
    s, t = rate.numerator, rate.denominator
    while True:
        rest = _below_any(t, stream)
        if not _by_exp(rest, t, stream):
            continue
        rounds = 0
        while _by_exp(1, 1, stream):
            rounds += 1
        size, negative = (rest + t * rounds) // s, _below_any(2, stream)
        if size or not negative:
            return -size if negative else size


def _by_exp(a: int, b: int, stream: Stream) -> bool:
    """True with probability exp(-a / b), for a <= b."""
    k = 1
    while _below_any(b * k, stream) < a:
        k += 1
    return k % 2 == 1


def _below_any(n: int, stream: Stream) -> int:
    """A whole number from 0 to n - 1, uniformly, of any size."""
    bits = (n - 1).bit_length()
    while True:
        number = 0
        for part in stream.integers(WORD, -(-bits // 32)):
            number = number << 32 | part
        number >>= -bits % 32
        if number < n:
            return number


def below(high: int, stream: Stream) -> int:
    """A whole number from 0 to high - 1, uniformly."""
    return stream.integers(high, 1)[0]


def pick(choices: Sequence[T], stream: Stream) -> T:
    """One of them, uniformly."""
    return choices[below(len(choices), stream)]


def digits(k: int, stream: Stream) -> str:
    """k digits, uniformly."""
    return "".join(map(str, stream.integers(10, k)))


@dataclass
class Draws:
    """What the stand-ins of one document draw from.

    rng: the package's stream. user: whose document it is, where that is known; shifts of scope
    "corpus" are one for each user. caller: of the service, or "" outside of it; each caller has a
    key of its own. memory: what the stand-ins of the document share. plain: the words that are
    released unmodified beside the mentions; names that are among them are not drawn.
    """

    rng: Rng
    user: str = ""
    memory: dict[object, object] = field(default_factory=dict)
    caller: str = ""
    plain: frozenset[str] = frozenset()

    def fresh(self) -> Stream:
        """The secure stream."""
        return Secure(self.rng)
