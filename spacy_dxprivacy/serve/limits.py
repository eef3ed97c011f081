"""How much may be asked, and how often."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from ..files.limits import MB
from ..validate import positive, whole

MINUTE = 60.0  # seconds


class Refused(Exception):
    """An error response. It holds nothing of the request.

    Args:
        status: The HTTP status.
        why: A sentence.
        after: Seconds after which to ask again, where that helps.
    """

    def __init__(self, status: int, why: str, *, after: int | None = None) -> None:
        super().__init__(why)
        self.status, self.why, self.after = status, why, after

    @property
    def headers(self) -> dict[str, str]:
        """Response headers that belong to the status."""
        headers = {} if self.after is None else {"retry-after": str(self.after)}
        return {**headers, "www-authenticate": "Bearer"} if self.status == 401 else headers


@dataclass(frozen=True)
class Limits:
    """What requests may use.

    Args:
        body: Bytes of a request.
        texts: Texts of a request.
        characters: Characters of a text.
        waiting: Texts of all requests that are not sanitised yet.
        requests: Requests that arrive, and requests that are answered, at a time.
        rate: Requests a second of one caller; None for any.
        cpu: Processor seconds a minute of one caller; None for half of all workers where callers
            have tokens, and for any number where they have none.
        seconds: From when a request's connection is accepted until its response is complete.
        tick: Seconds; responses leave at multiples of it, 0 as soon as they can.

    Raises:
        DxError: A value is out of range.
    """

    body: int = MB
    texts: int = 1000
    characters: int = 100_000
    waiting: int = 4000
    requests: int = 256
    rate: float | None = None
    cpu: float | None = None
    seconds: float = 30.0
    tick: float = 0.025

    def __post_init__(self) -> None:
        for name in ("body", "texts", "characters", "waiting", "requests"):
            whole(name, getattr(self, name), least=1)
        positive("seconds", self.seconds)
        for name in ("rate", "cpu", "tick"):
            if getattr(self, name):
                positive(name, getattr(self, name))


class Buckets:
    """A token bucket for each caller.

    Args:
        full: What a bucket holds.
        fill: What is added to it in a second; None for buckets that are never empty.
        why: What a caller is answered whose bucket is empty.
        clock: Seconds that only grow.
    """

    def __init__(
        self, full: float, fill: float | None, why: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.full, self.fill, self.why, self.clock = full, fill, why, clock
        self._levels: dict[str, tuple[float, float]] = {}  # what is left, and when that was

    def check(self, caller: str, least: float = 0.001) -> None:
        """Raise Refused (429) where less than `least` is left."""
        level = self._level(caller)
        if self.fill is not None and level < least:
            raise Refused(429, self.why, after=max(1, math.ceil((least - level) / self.fill)))

    def spend(self, caller: str, amount: float) -> None:
        """Take out what was used, which may be more than there was."""
        self._levels[caller] = self._level(caller) - amount, self.clock()

    def _level(self, caller: str) -> float:
        now = self.clock()
        level, then = self._levels.get(caller, (self.full, now))
        return min(self.full, level + (now - then) * (self.fill or 0.0))


class Arrivals:
    """What is arriving, with how to end it. Where there is no room for one more, the oldest of the
    caller with the most is ended: what arrives quickly is never that one beside what is slow.

    Args:
        most: How many there are.
        share: How many of them one caller may have.
    """

    def __init__(self, most: int, share: int) -> None:
        self.most, self.share = most, share
        self._of: dict[str, dict[Hashable, Callable[[], object]]] = {}  # by caller, oldest first

    def enter(self, caller: str, key: Hashable, end: Callable[[], object]) -> None:
        """Count one more."""
        mine = self._of.setdefault(caller, {})
        if len(mine) >= self.share:
            _end_oldest(mine)
        elif sum(map(len, self._of.values())) >= self.most:
            _end_oldest(max(self._of.values(), key=len))
        mine[key] = end

    def leave(self, caller: str, key: Hashable) -> None:
        """One has arrived, or will not."""
        crowd = self._of.get(caller, {})
        crowd.pop(key, None)
        if not crowd:
            self._of.pop(caller, None)


def _end_oldest(crowd: dict[Hashable, Callable[[], object]]) -> None:
    crowd.pop(next(iter(crowd)))()


def rest_of_tick(started: float, now: float, tick: float) -> float:
    """Return the seconds until the next multiple of the tick after `started`; 0 without ticks."""
    return -(now - started) % tick if tick else 0.0
