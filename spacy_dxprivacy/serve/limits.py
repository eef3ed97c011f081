"""How much may be asked, and how often."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from ..files.limits import MB
from ..validate import positive, whole


class Refused(Exception):
    """An answer that is no text: status (HTTP), why (a sentence without anything of the request),
    after: seconds after which to ask again, where that helps."""

    def __init__(self, status: int, why: str, *, after: int | None = None) -> None:
        super().__init__(why)
        self.status, self.why, self.after = status, why, after


@dataclass(frozen=True)
class Limits:
    """body: bytes of a request. texts: in one request. characters: of a text. waiting: texts that
    wait for their draw, over all callers. requests: that are answered at a time. rate: requests a
    second of one caller, None for any. seconds: for a body to arrive, and for a draw. tick:
    seconds; answers leave at multiples of it, 0 as soon as they can.

    Raises DxError for values out of range.
    """

    body: int = MB
    texts: int = 1000
    characters: int = 100_000
    waiting: int = 4000
    requests: int = 256
    rate: float | None = None
    seconds: float = 30.0
    tick: float = 0.025

    def __post_init__(self) -> None:
        for name in ("body", "texts", "characters", "waiting", "requests"):
            whole(name, getattr(self, name), least=1)
        positive("seconds", self.seconds)
        if self.rate is not None:
            positive("rate", self.rate)
        if self.tick:
            positive("tick", self.tick)


class Rates:
    """Requests of each caller, by a bucket that holds one second's worth (at least one), and fills
    at the rate. clock: seconds that only grow."""

    def __init__(self, rate: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate = rate
        self.clock = clock
        self._left: dict[str, tuple[float, float]] = {}  # requests left, and when that was

    def take(self, caller: str) -> None:
        """Raises Refused (429) for a request too many."""
        if self.rate is None:
            return
        now, most = self.clock(), max(1.0, self.rate)
        left, then = self._left.get(caller, (most, now))
        left = min(most, left + (now - then) * self.rate)
        self._left[caller] = (left - 1 if left >= 1 else left, now)
        if left < 1:
            after = max(1, round((1 - left) / self.rate))
            raise Refused(429, "too many requests of this caller.", after=after)


def rest_of_tick(started: float, now: float, tick: float) -> float:
    """Seconds until the next multiple of the tick after `started`; 0 without ticks."""
    return -(now - started) % tick if tick else 0.0
