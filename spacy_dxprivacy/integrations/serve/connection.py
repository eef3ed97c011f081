"""Connections of uvicorn with one deadline for each request, and room for those that are quick."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class Arrivals:
    """Requests that are arriving, at most `most`, of one address at most half.

    Without room for another one, the oldest of the address with the most is ended: beside slow
    requests, that is never one that arrives quickly.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._of: dict[str, dict[Hashable, Callable[[], object]]] = {}  # by address, oldest first

    def enter(self, address: str, key: Hashable, end: Callable[[], object]) -> None:
        """Count one more. end: called to end it."""
        mine = self._of.setdefault(address, {})
        crowd = None
        if len(mine) >= max(1, self.most // 2):
            crowd = mine
        elif sum(map(len, self._of.values())) >= self.most:
            crowd = max(self._of.values(), key=len)
        if crowd is not None:
            crowd.pop(next(iter(crowd)))()
        mine[key] = end

    def leave(self, address: str, key: Hashable) -> None:
        """Forget one that has arrived, or will not."""
        crowd = self._of.get(address, {})
        crowd.pop(key, None)
        if not crowd:
            self._of.pop(address, None)


class Connection(H11Protocol):
    """A connection with a deadline for its request to arrive, and for a response to be read.

    It runs from when the connection is accepted, of a further request from its first byte; Guard
    finds the beginning as `state.began`. uvicorn by itself gives a slow request any time.
    """

    def __init__(self, *args: Any, arrivals: Arrivals, seconds: float, **named: Any) -> None:
        super().__init__(*args, **named)
        self.app_state: dict[str, Any]
        self.arrivals, self.seconds = arrivals, seconds
        self._late: asyncio.TimerHandle | None = None  # set while a request arrives

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        if self._late is None and (self.cycle is None or self.cycle.response_complete):
            self._wait()
        super().data_received(data)

    def handle_events(self) -> None:
        super().handle_events()
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete and not cycle.more_body:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        self._stop_waiting()
        self.app_state = {**self.app_state, "began": self.loop.time()}
        self.loop.call_later(self.seconds, self._end_if_unread)
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self.app_state = {**self.app_state, "began": self.loop.time()}
        self._late = self.loop.call_later(self.seconds, self._end)
        self.arrivals.enter(str(self.client and self.client[0]), self, self._end)

    def _stop_waiting(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
            self.arrivals.leave(str(self.client and self.client[0]), self)

    def _end(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(TOO_SLOW)
            self.transport.close()

    def _end_if_unread(self) -> None:
        if self.transport.get_write_buffer_size():
            self.transport.abort()
