"""What happens before a request is read: uvicorn gives a slow head any time, and any place."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from .limits import Arrivals

TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class Connection(H11Protocol):
    """A connection of uvicorn whose deadline runs from when it is accepted; of a further request on
    it, from its first byte. The routes find it as `state.began`.

    Args:
        arrivals: Connections whose request has no complete head yet, by address.
        seconds: For a head to arrive, and for a response to be read.
    """

    def __init__(self, *args: Any, arrivals: Arrivals, seconds: float, **named: Any) -> None:
        super().__init__(*args, **named)
        self.arrivals, self.seconds = arrivals, seconds
        self._late: asyncio.TimerHandle | None = None  # set while a head arrives

    @property
    def _address(self) -> str:
        return self.client[0] if self.client else ""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        if self._late is None and (self.cycle is None or self.cycle.response_complete):
            self._wait_for_head()
        super().data_received(data)

    def handle_events(self) -> None:
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self._head_is_here()

    def on_response_complete(self) -> None:
        self.app_state = {**self.app_state, "began": self.loop.time()}
        self.loop.call_later(self.seconds, self._end_if_unread)
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_is_here()
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        self.app_state = {**self.app_state, "began": self.loop.time()}
        self._late = self.loop.call_later(self.seconds, self._end)
        self.arrivals.enter(self._address, self, self._end)

    def _head_is_here(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
            self.arrivals.leave(self._address, self)

    def _end(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(TOO_SLOW)
            self.transport.close()

    def _end_if_unread(self) -> None:
        if self.transport.get_write_buffer_size():
            self.transport.abort()
