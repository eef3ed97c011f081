"""What stands before the routes: who asks, from where and until when, and errors without text."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Collection
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..machine.hosts import host_of, is_loopback
from .callers import Arrivals, Refused
from .desk import SLOW, Desk, Visit

LOG = logging.getLogger("spacy_dxprivacy.serve")
PUBLIC = ("/health", "/docs", "/openapi.json")  # these take no token
HEADERS = [
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'"),
]
LINES = "application/x-ndjson"
TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
GRACE = 1.0  # seconds, in which a worker is killed
GONE = 499  # what metrics count where the client went away


class Guard:
    """ASGI middleware. It reads the body of a request before the routes are asked.

    Args:
        app: The routes. They find a Visit as `state.visit` of a request, and may raise Refused.
        desk: The service behind them.
        paths: Of the routes. Metrics count others together.
        hosts: Names besides those of this machine by which it may be asked, * for all (a page of
            somebody else can let its own name lead here, and read what is answered: DNS rebinding).
    """

    def __init__(
        self, app: ASGIApp, desk: Desk, paths: Collection[str], hosts: Collection[str]
    ) -> None:
        self.app, self.desk, self.paths = app, desk, paths
        self.hosts = {host.lower() for host in hosts}
        most = desk.limits.requests
        self.arrivals = Arrivals(most, max(1, int(most * desk.share)))

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await self._answer(scope, receive, _Sent(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await self.app(scope, receive, send)

    async def _answer(self, scope: Any, receive: Any, sent: _Sent) -> None:
        now, figures = asyncio.get_running_loop().time, self.desk.figures
        began = scope.setdefault("state", {}).get("began") or now()
        figures["dx_requests_under_way"] += 1
        body = None
        try:
            scope["state"]["visit"] = visit = self._admitted(scope, began)
            body = await self._body(visit, receive) if scope["method"] == "POST" else b""
            await self._until(visit, scope, _Receive(receive, body), sent)
        except Refused as error:
            await sent.refuse(error, close=body is None)
        except ClientDisconnect:
            pass
        except Exception as error:  # its message may quote a text, and so may its traceback
            last = traceback.extract_tb(error.__traceback__)[-1]
            place = Path(last.filename).name
            LOG.error("%s in %s, line %d", type(error).__name__, place, last.lineno)
            await sent.refuse(Refused(500, "this service failed. Nothing was given out."))
        finally:
            figures["dx_requests_under_way"] -= 1
            route = f'route="{scope["path"] if scope["path"] in self.paths else "other"}"'
            status = sent.status if sent.complete else GONE
            figures[f'dx_requests_total{{{route},status="{status}"}}'] += 1
            figures[f"dx_request_seconds_count{{{route}}}"] += 1
            figures[f"dx_request_seconds_sum{{{route}}}"] += (sent.began or now()) - began

    def _admitted(self, scope: Any, began: float) -> Visit:
        """Return who asks. Raise Refused (421, 401, 415, 413, 429) before the body is read."""
        host, headers, limits = host_of(scope), Headers(scope=scope), self.desk.limits
        if not (is_loopback(host) or host in self.hosts or "*" in self.hosts):
            raise Refused(421, "this host is not served here.")
        public = scope["path"] in PUBLIC
        caller = "" if public else self.desk.callers.name(headers.get("authorization"))
        if scope["method"] == "POST":
            # A page of somebody else can send all other types without asking.
            if content_type(scope) not in ("application/json", LINES):
                raise Refused(415, "the content type has to be application/json.")
            if headers.get("content-encoding", "identity").lower() != "identity":
                raise Refused(415, "the body may not be compressed.")
            length = headers.get("content-length", "")
            _check_size(int(length[:20]) if length.isdigit() else 0, limits.body)
            if not public:
                self.desk.rates.check(caller, 1.0)
                self.desk.rates.spend(caller, 1.0)
                self.desk.cpu.check(caller)
        return Visit(caller, began, began + limits.seconds)

    async def _body(self, visit: Visit, receive: Any) -> bytes:
        """Raise Refused: 413 where it is too long, 408 at the deadline, 429 or 503 where it makes
        room for others; and ClientDisconnect where the client goes away."""
        reading = asyncio.ensure_future(_read(receive, self.desk.limits.body))
        self.arrivals.enter(visit.caller, reading, reading.cancel)
        left = visit.deadline - asyncio.get_running_loop().time()
        try:
            await asyncio.wait({reading}, timeout=left)
            if not reading.done():
                raise Refused(408, "the body did not arrive in time.")
            if reading.cancelled():
                crowded = "too many bodies arrive, and this one took longest."
                raise Refused(429 if self.desk.callers.known else 503, crowded, after=1)
            return reading.result()
        finally:
            self.arrivals.leave(visit.caller, reading)
            reading.cancel()

    async def _until(self, visit: Visit, scope: Any, receive: _Receive, sent: _Sent) -> None:
        """Let the routes answer. Raise Refused (504) a moment after the deadline, and
        ClientDisconnect where nobody waits for the answer any more."""
        work = asyncio.ensure_future(self.app(scope, receive, sent))
        both = {work, receive.gone}
        left = visit.deadline + GRACE - asyncio.get_running_loop().time()
        try:
            await asyncio.wait(both, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            has_left = receive.gone.done()
        finally:
            receive.gone.cancel()
            work.cancel()  # unless it is done
            await asyncio.wait(both)
        if not work.cancelled():
            return work.result()
        raise ClientDisconnect if has_left else Refused(504, SLOW)


async def _read(receive: Any, most: int) -> bytes:
    body, more = bytearray(), True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body += message.get("body", b"")
        _check_size(len(body), most)
        more = message.get("more_body")
    return bytes(body)


class _Receive:
    """receive, of a body that has arrived. gone: is done when nobody waits for an answer."""

    def __init__(self, receive: Any, body: bytes) -> None:
        self._messages = [{"type": "http.request", "body": body}]
        self.gone = asyncio.ensure_future(self._end_of(receive))

    async def __call__(self) -> Any:
        if not self._messages:
            await asyncio.wait({self.gone})
            return {"type": "http.disconnect"}
        return self._messages.pop()

    async def _end_of(self, receive: Any) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass


class _Sent:
    """send, which remembers what went out. status: 0 before there is any."""

    def __init__(self, send: Any) -> None:
        self._send, self.status, self.began, self.complete = send, 0, 0.0, False

    async def __call__(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status, self.began = message["status"], asyncio.get_running_loop().time()
            message = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
        else:
            self.complete = not message.get("more_body")
        await self._send(message)

    async def refuse(self, error: Refused, *, close: bool = True) -> None:
        """Send an error, unless an answer began already."""
        if not self.status:
            headers = error.headers | ({"connection": "close"} if close else {})
            answer = JSONResponse({"error": error.why}, error.status, headers)
            await answer({"type": "http"}, None, self)  # type: ignore[arg-type]


class Connection(H11Protocol):
    """A connection of uvicorn whose deadline runs from when it is accepted; of a further request on
    it, from its first byte. Guard finds it as `state.began`. uvicorn by itself gives a slow head
    any time, and any place.

    Args:
        arrivals: Connections whose request has no complete head yet, by address.
        seconds: For a head to arrive, and for a response to be read.
    """

    def __init__(self, *args: Any, arrivals: Arrivals, seconds: float, **named: Any) -> None:
        super().__init__(*args, **named)
        self.arrivals, self.seconds = arrivals, seconds
        self._late: asyncio.TimerHandle | None = None  # set while a head arrives

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
            self._stop_waiting()

    def on_response_complete(self) -> None:
        self._begin()
        self.loop.call_later(self.seconds, self._end_if_unread)
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _begin(self) -> None:
        self.app_state = {**self.app_state, "began": self.loop.time()}

    def _wait_for_head(self) -> None:
        self._begin()
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


def content_type(scope: Any) -> str:
    """Without its parameters."""
    return Headers(scope=scope).get("content-type", "").partition(";")[0].strip().lower()


def _check_size(size: int, most: int) -> None:
    if size > most:
        raise Refused(413, f"a body has {most:,} bytes at most.")
