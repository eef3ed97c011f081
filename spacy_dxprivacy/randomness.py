"""Noise that nobody can foresee or repeat.

The stream is AES-128 in counter mode (randomgen's AESCounter under a numpy Generator), keyed by
the operating system. PCG64 and the Mersenne Twister are no substitute: their seeds can be found
from a single released vector. Every process has a stream of its own: a forked child, an unpickled
copy and a deep copy are keyed anew.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import DxError, Errors
from .ty import Floats1d, Ints1d
from .validate import whole

_KEY_BYTES = 16
# os.getpid() alone would take a process with a recycled number, or with the same number in another
# namespace, for this one; the token alone would not see a fork that is not Python's.
_token = os.urandom(8)


def _renew_token() -> None:
    global _token
    _token = os.urandom(8)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_token)


def _this_process() -> tuple[int, bytes]:
    return os.getpid(), _token


class Rng:
    """A stream of random numbers, cryptographically secure unless a seed is given.

    seed: None, or a whole number for tests. A seeded stream can be foreseen, so it gives no
    privacy; it refuses to run in any process but the one that made it.
    """

    def __init__(self, seed: int | None = None) -> None:
        self.seed = None if seed is None else whole("seed", seed, least=0)
        self._home = _this_process()
        self._stream: np.random.Generator | None = None
        self._stream_home: tuple[int, bytes] | None = None

    def normal(self, shape: tuple[int, ...]) -> NDArray[np.float64]:
        return self.generator.standard_normal(shape)

    def gamma(self, shape: float, scale: float, k: int) -> Floats1d:
        return self.generator.gamma(shape, scale, k)

    def laplace(self, shape: tuple[int, ...]) -> NDArray[np.float64]:
        return self.generator.laplace(size=shape)

    def uniform(self, k: int) -> Floats1d:
        """k numbers in [0, 1), multiples of 2**-53."""
        return self.generator.random(k)

    def integers(self, high: int, k: int) -> Ints1d:
        """k whole numbers from 0 to high - 1."""
        return self.generator.integers(high, size=k)

    def check(self) -> None:
        """Raises DxError for a seed from another process, whether or not numbers are asked for."""
        if self.seed is not None and self._home != _this_process():
            raise DxError(Errors.DX010)

    @property
    def generator(self) -> np.random.Generator:
        """This process's numpy Generator. Raises DxError for a seed from another process."""
        if self._stream is None or self._stream_home != _this_process():
            self._stream = self._start()
            self._stream_home = _this_process()
        return self._stream

    def _start(self) -> np.random.Generator:
        from randomgen import AESCounter

        if self.seed is None:
            key = int.from_bytes(os.urandom(_KEY_BYTES), "little")
            return np.random.Generator(AESCounter(key=key))
        self.check()
        return np.random.Generator(AESCounter(seed=self.seed))

    # Neither the key nor the position of a stream ever leaves the process.
    def __getstate__(self) -> dict[str, Any]:
        return {"seed": self.seed, "_home": self._home, "_stream": None, "_stream_home": None}
