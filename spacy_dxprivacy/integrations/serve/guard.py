"""Middleware before the routes: who asks, until when and how much; errors without text."""

from __future__ import annotations

import logging
import time
import traceback
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.types import ASGIApp

from .callers import Refused
from .service import SLOW, Service, until

LOG = logging.getLogger("spacy_dxprivacy.integrations.serve")
PUBLIC = ("/health", "/openapi.json")  # these take no token
HEADERS = [
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'"),
]
GRACE = 1.0  # seconds after the deadline, for an error at the end of a stream


class Guard:
    """ASGI middleware, which reads the body of a request before the routes are asked.

    Routes find `caller` and `deadline` (time.monotonic) in the state of a request, and may raise
    Refused.
    """

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self.app, self.callers, self.limits = app, service.callers, service.limits

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        answer, unread = _Answer(send, scope), scope["method"] == "POST"
        deadline = time.monotonic() + self.limits.max_seconds
        messages = [{"type": "http.request", "body": b""}]

        async def receive_whole() -> Any:
            return messages.pop() if messages else await receive()

        try:
            scope["state"] = {"caller": self._admitted(scope), "deadline": deadline}
            if unread:
                late = Refused(408, "the body did not arrive in time.")
                messages[0]["body"] = await until(deadline, late, self._read(receive))
                unread = False
            end = deadline + GRACE + (self.limits.upstream_seconds if self.limits.upstream else 0)
            await until(end, Refused(504, SLOW), self.app(scope, receive_whole, answer))
        except Refused as error:
            await answer.refuse(error, close=unread)
        except ClientDisconnect:
            pass
        except Exception as error:  # its message may quote a text, and so may its traceback
            last = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{Path(last.filename).name}, line {last.lineno}"
            LOG.error("dx serve: %s in %s", type(error).__name__, place)
            await answer.refuse(Refused(500, "the service failed. No output was returned."))

    def _admitted(self, scope: Any) -> str:
        """Return who asks. Raise Refused (401, 415) before the body is read."""
        headers = Headers(scope=scope)
        caller = "" if scope["path"] in PUBLIC else self.callers.name(headers.get("authorization"))
        # Web pages of other origins can send all other types without a preflight request.
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if scope["method"] == "POST" and kind != "application/json":
            raise Refused(415, "the content type must be application/json.")
        return caller

    async def _read(self, receive: Any) -> bytes:
        """Raise Refused (413) for a body that is too long, ClientDisconnect where it ends early."""
        body, more = bytearray(), True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            body += message.get("body", b"")
            if len(body) > self.limits.max_bytes:
                raise Refused(413, f"the body must be {self.limits.max_bytes:,} bytes or less.")
            more = message.get("more_body")
        return bytes(body)


class _Answer:
    """The `send` of ASGI, with our headers."""

    def __init__(self, send: Any, scope: Any) -> None:
        self._send, self._begun = send, False
        self._as_openai = scope["path"].startswith("/v1/")

    async def __call__(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self._begun = True
            message = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
        await self._send(message)

    async def refuse(self, error: Refused, *, close: bool = True) -> None:
        """Send an error, unless an answer began already."""
        if not self._begun:
            headers = error.headers | ({"connection": "close"} if close else {})
            why = {"message": error.why} if self._as_openai else error.why
            answer = JSONResponse({"error": why}, error.status, headers)
            await answer({"type": "http"}, None, self)  # type: ignore[arg-type]
