"""Cryptographically secure random numbers.

The stream is AES-128 in counter mode (randomgen's AESCounter under a numpy Generator), keyed by
the operating system. PCG64 and the Mersenne Twister are no substitute: their seeds can be found
from a single released vector. Every process and every thread has a stream of its own: a forked
child, an unpickled copy and a deep copy are keyed anew. Nothing is drawn before the generator has
given the known answers of AES-128 in this process.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats1d, Ints1d
from ..errors import DxError, Errors
from ..validate import whole

WORD = 2**32
# FIPS 197, appendix C.1: key, input and output of AES-128.
_FIPS_KEY = bytes(range(16))
_FIPS_INPUT = bytes.fromhex("00112233445566778899aabbccddeeff")
_FIPS_OUTPUT = bytes.fromhex("69c4e0d86a7b0430d8cdb78070b4c55a")
# SHA-256 of the outputs for that input and the next 15, counted in little-endian order (made with
# openssl): implementations compute several blocks at a time.
_SHA256_OF_BLOCKS = "5c3dc907400984d41f7607fbac0e4051da60bd4c08372f7f696dec7e7b62b001"
# os.getpid() can be equal for a later process or in another namespace; the token alone does not
# change at a fork by other code than Python's.
_token = os.urandom(8)
_tested: tuple[int, bytes] | None = None  # the process in which the known-answer test passed


def _renew_token() -> None:
    global _token
    _token = os.urandom(8)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_token)


def _this_process() -> tuple[int, bytes]:
    return os.getpid(), _token


def known_answer_test() -> None:
    """Raise DxError unless the generator has the known answers of AES-128, and two system keys
    differ.

    It detects a wrong build, broken AES instructions of a processor, and a replaced generator or
    os.urandom.
    """
    from randomgen import AESCounter

    key, counter = (int.from_bytes(raw, "little") for raw in (_FIPS_KEY, _FIPS_INPUT))
    raw = AESCounter(key=key, counter=counter).random_raw(32).astype("<u8").tobytes()
    if raw[:16] != _FIPS_OUTPUT:
        raise DxError(Errors.DX094.format(what="the vector of FIPS 197"))
    if hashlib.sha256(raw).hexdigest() != _SHA256_OF_BLOCKS:
        raise DxError(Errors.DX094.format(what="consecutive blocks"))
    uniform = np.random.Generator(AESCounter(key=key, counter=counter)).random()
    if uniform != (int.from_bytes(_FIPS_OUTPUT[:8], "little") >> 11) * 2.0**-53:
        raise DxError(Errors.DX094.format(what="numbers of blocks"))
    if os.urandom(16) == os.urandom(16):
        raise DxError(Errors.DX094.format(what="system keys"))


def _tested_generator(**settings: int) -> np.random.Generator:
    from randomgen import AESCounter

    global _tested
    if _tested != _this_process():
        known_answer_test()
        _tested = _this_process()
    return np.random.Generator(AESCounter(**settings))


class _Stream(threading.local):
    """The generator of one thread, and the process in which it was keyed."""

    generator: np.random.Generator | None = None
    home: tuple[int, bytes] | None = None


class Rng:
    """A stream of random numbers, cryptographically secure unless a seed is given.

    Args:
        seed: None, or a whole number for tests. A seeded stream is predictable, so it gives no
            privacy; it raises in any process but the one that made it.

    Raises:
        DxError: From every method: for a seed from another process, and if the known-answer test
            fails.
    """

    def __init__(self, seed: int | None = None) -> None:
        self.seed = None if seed is None else whole("seed", seed, least=0)
        self._home = _this_process()
        self._start()

    def _start(self) -> None:
        self._own = _Stream()
        # All threads share a seeded generator: with one each, they would repeat each other.
        self._seeded = None if self.seed is None else _tested_generator(seed=self.seed)

    def normal(self, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Sample standard normal numbers of any shape."""
        return self.generator.standard_normal(shape)

    def gamma(self, shape: float, scale: float, k: int) -> Floats1d:
        """Sample k numbers from the Gamma distribution."""
        return self.generator.gamma(shape, scale, k)

    def laplace(self, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Sample Laplace numbers of scale 1, of any shape: those of numpy, to rounding, in half its
        time."""
        Z = self.generator.random(shape)
        Z -= 0.5
        tails = np.abs(Z)
        tails *= -2
        # No rounding so far. A uniform number of 0, whose logarithm is infinite, counts as 2**-54.
        np.maximum(tails, 2.0**-53 - 1, out=tails)
        np.log1p(tails, out=tails)
        return np.copysign(tails, Z, out=Z)

    def uniform(self, k: int) -> Floats1d:
        """Sample k numbers in [0, 1), multiples of 2**-53."""
        return self.generator.random(k)

    def integers(self, high: int, k: int) -> Ints1d:
        """Sample k whole numbers from 0 to high - 1."""
        return self.generator.integers(high, size=k)

    def check(self) -> None:
        """Raise DxError for a seed from another process, without sampling."""
        if self.seed is not None and self._home != _this_process():
            raise DxError(Errors.DX010)

    @property
    def generator(self) -> np.random.Generator:
        """The numpy Generator of this process and thread, or of the seed."""
        if self._seeded is not None:
            self.check()
            return self._seeded
        if self._own.generator is None or self._own.home != _this_process():
            key = int.from_bytes(os.urandom(16), "little")
            self._own.generator, self._own.home = _tested_generator(key=key), _this_process()
        return self._own.generator

    # Neither the key nor the position of a stream ever leaves the process.
    def __getstate__(self) -> dict[str, Any]:
        return {"seed": self.seed, "_home": self._home}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start()


class Integers(Protocol):
    """A stream of whole numbers: an Rng, or a keyed stream."""

    def integers(self, high: int, k: int, /) -> Sequence[int] | Ints1d:
        """Return k numbers from 0 to high - 1, uniformly."""
        ...


def below(high: int, stream: Integers) -> int:
    """Draw an integer from 0 to high - 1, uniformly; high is 2**32 at most."""
    return int(stream.integers(high, 1)[0])


def discrete_laplace(rate: Fraction, stream: Integers) -> int:
    """Sample k with probability proportional to exp(-rate |k|), exactly, without floating point.

    Reference:
        Canonne, Kamath, Steinke 2020, algorithm 2.
    """
    s, t = rate.numerator, rate.denominator
    while True:
        remainder = _below_any(t, stream)
        if not _by_exp(remainder, t, stream):
            continue
        rounds = 0
        while _by_exp(1, 1, stream):
            rounds += 1
        size, negative = (remainder + t * rounds) // s, _below_any(2, stream)
        if size or not negative:
            return -size if negative else size


def accept(rate: Fraction, stream: Integers) -> bool:
    """Return True with probability exp(-rate), exactly, for a rate of 0 or more.

    Reference:
        Canonne, Kamath, Steinke 2020, algorithm 1.
    """
    ones, rest = divmod(rate.numerator, rate.denominator)
    return all(_by_exp(1, 1, stream) for _ in range(ones)) and _by_exp(
        rest, rate.denominator, stream
    )


def _by_exp(a: int, b: int, stream: Integers) -> bool:
    """Return True with probability exp(-a / b), for a <= b."""
    k = 1
    while _below_any(b * k, stream) < a:
        k += 1
    return k % 2 == 1


def _below_any(n: int, stream: Integers) -> int:
    """Draw an integer from 0 to n - 1, uniformly, for n of any size."""
    bits = (n - 1).bit_length()
    while True:
        number = 0
        for part in stream.integers(WORD, -(-bits // 32)):
            number = number << 32 | int(part)
        number >>= -bits % 32
        if number < n:
            return number
