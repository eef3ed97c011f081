"""What stands before the routes: who asks, from where and until when, and errors without text."""

from __future__ import annotations

import asyncio
import json
import logging
import traceback
from collections.abc import Collection
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from ..machine.hosts import Asgi, host_of, is_loopback
from .desk import Desk, Visit
from .engine import SLOW
from .limits import Arrivals, Refused

LOG = logging.getLogger("spacy_dxprivacy.serve")
ROUTES = ("/sanitize", "/anonymize", "/anonymizers", "/metrics", "/about", "/budget")
PUBLIC = ("/health", "/docs", "/openapi.json")  # these take no token
HEADERS = [
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'"),
]
ANY = "*"
LINES = "application/x-ndjson"
FAILED = "this service failed. Nothing was given out."
LATE = "the body did not arrive in time."
CROWDED = "too many bodies arrive, and this one took longest."
GRACE = 1.0  # seconds
GONE = 499  # what metrics count where the client went away


class Guard:
    """ASGI.

    Args:
        app: The routes. They find a Visit as `state.visit` of a request.
        desk: All parts of the service.
        hosts: Names besides those of this machine by which it may be asked, ANY for all (a page of
            somebody else can let its own name lead here, and read what is answered: DNS rebinding).
    """

    def __init__(self, app: Asgi, desk: Desk, *, hosts: Collection[str]) -> None:
        self.app, self.desk = app, desk
        self.hosts = {host.lower() for host in hosts}
        most = desk.limits.requests
        self.arrivals = Arrivals(most, max(1, int(most * desk.engine.share)))

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await self._answer(scope, receive, _Sent(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await self.app(scope, receive, send)

    async def _answer(self, scope: Any, receive: Any, sent: _Sent) -> None:
        now = asyncio.get_running_loop().time
        began = scope.setdefault("state", {}).get("began") or now()
        body = _Body(receive, self.desk.limits.body)
        self.desk.metrics.under_way += 1
        try:
            visit = self._admitted(scope, began)
            scope["state"]["visit"] = visit
            await self._until(visit, scope, body, sent)
        except Refused as error:
            await sent.refuse(error)
        except ClientDisconnect:
            pass
        except Exception as error:  # its message may quote a text, and so may its traceback
            last = traceback.extract_tb(error.__traceback__)[-1]
            LOG.error(
                "%s in %s, line %d", type(error).__name__, Path(last.filename).name, last.lineno
            )
            await sent.refuse(Refused(500, FAILED))
        finally:
            self.desk.metrics.under_way -= 1
            path = scope["path"] if scope["path"] in (*ROUTES, *PUBLIC) else "other"
            status = GONE if body.client_left.is_set() and not sent.complete else sent.status
            self.desk.metrics.answered(path, status, (sent.began or now()) - began)

    def _admitted(self, scope: Any, began: float) -> Visit:
        """Who asks. Raises Refused (421, 401, 415, 413, 429) before any of the body is read."""
        if not self._is_served(host_of(scope)):
            raise Refused(421, "this host is not served here.")
        headers, limits = Headers(scope=scope), self.desk.limits
        public = scope["path"] in PUBLIC
        caller = "" if public else self.desk.callers.name(headers.get("authorization"))
        if scope["method"] == "POST":
            # A page of somebody else can send all other types without asking.
            if content_type(headers) not in ("application/json", LINES):
                raise Refused(415, "the content type has to be application/json.")
            if headers.get("content-encoding", "identity").lower() != "identity":
                raise Refused(415, "the body may not be compressed.")
            length = headers.get("content-length", "")
            if length.isdigit() and int(length[:20]) > limits.body:
                raise _too_long(limits.body)
            if not public:
                self.desk.rates.check(caller, 1.0)
                self.desk.rates.spend(caller, 1.0)
                self.desk.cpu.check(caller)
        return Visit(caller, began, began + limits.seconds)

    def _is_served(self, host: str) -> bool:
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        return is_loopback(host) or name in self.hosts or ANY in self.hosts

    async def _until(self, visit: Visit, scope: Any, body: _Body, sent: _Sent) -> None:
        """The answer of the routes. Raises Refused at the deadline (408 while the body arrives, 504
        afterwards), and ClientDisconnect where nobody waits for it any more."""
        work = asyncio.ensure_future(self.app(scope, body.receive, sent))
        if scope["method"] == "POST":
            self.arrivals.enter(visit.caller, body, lambda: body.crowd_out(work))
        else:
            body.arrived.set()
        leaving = asyncio.ensure_future(self._client_leaves(visit, body))
        left = visit.deadline - asyncio.get_running_loop().time()
        ends: Any = {"return_when": asyncio.FIRST_COMPLETED}
        try:
            done, _ = await asyncio.wait({work, leaving}, timeout=left, **ends)
            if not done and body.arrived.is_set():  # its worker is being killed
                await asyncio.wait({work, leaving}, timeout=GRACE, **ends)
        finally:
            self.arrivals.leave(visit.caller, body)
            leaving.cancel()
            work.cancel()  # unless it is done
            await asyncio.wait({work, leaving})
        if not work.cancelled():
            return work.result()
        if body.client_left.is_set():
            raise ClientDisconnect
        if body.crowded_out:
            raise Refused(429 if self.desk.callers.known else 503, CROWDED, after=1)
        raise Refused(504, SLOW) if body.arrived.is_set() else Refused(408, LATE)

    async def _client_leaves(self, visit: Visit, body: _Body) -> None:
        await body.arrived.wait()
        self.arrivals.leave(visit.caller, body)
        await body.wait_for_end()


class _Body:
    """receive, which counts bytes and notices who goes away.

    Attributes:
        arrived: Set when all of the body is here.
        client_left: Set when nobody waits for an answer.
        crowded_out: Whether it made room for others.
    """

    def __init__(self, receive: Any, most: int) -> None:
        self._receive, self.most, self.size = receive, most, 0
        self.arrived, self.client_left = asyncio.Event(), asyncio.Event()
        self.crowded_out = False

    async def receive(self) -> Any:
        if self.arrived.is_set():
            await self.client_left.wait()
            return {"type": "http.disconnect"}
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self.client_left.set()
            return message
        self.size += len(message.get("body", b""))
        if self.size > self.most:
            too_long = _too_long(self.most)
            raise HTTPException(too_long.status, too_long.why)  # FastAPI lets nothing else through
        if not message.get("more_body"):
            self.arrived.set()
        return message

    async def wait_for_end(self) -> None:
        """Return when the client has gone."""
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self.client_left.set()

    def crowd_out(self, work: asyncio.Future[Any]) -> None:
        """Make room."""
        self.crowded_out = True
        work.cancel()


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

    async def refuse(self, error: Refused) -> None:
        """An answer, unless one began already."""
        if self.status:
            return
        told = {"content-type": "application/json", "connection": "close", **error.headers}
        headers = [(name.encode(), value.encode()) for name, value in told.items()]
        await self({"type": "http.response.start", "status": error.status, "headers": headers})
        await self(
            {"type": "http.response.body", "body": json.dumps({"error": error.why}).encode()}
        )


def content_type(headers: Headers) -> str:
    """Without its parameters."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _too_long(most: int) -> Refused:
    return Refused(413, f"a body has {most:,} bytes at most.")
