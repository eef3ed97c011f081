"""What stands before the routes: names of hosts, how many at a time, and errors without text."""

from __future__ import annotations

import json
import logging
import time
import traceback
from collections.abc import Collection
from pathlib import Path
from typing import Any

from ..machine.hosts import Asgi, host_of, is_loopback
from .metrics import Metrics

LOG = logging.getLogger("spacy_dxprivacy.serve")
ROUTES = ("/sanitize", "/anonymize", "/anonymizers", "/health", "/metrics", "/about", "/budget")
PAGES = ("/docs", "/openapi.json")
HEADERS = [
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'"),
]
ANY = "*"
FAILED = "this service failed. Nothing was given out."


class Guard:
    """ASGI. hosts: names besides those of this machine by which it may be asked, ANY for all
    (a page of somebody else can let its own name lead here, and read what is answered: DNS
    rebinding). most: requests at a time."""

    def __init__(self, app: Asgi, metrics: Metrics, *, hosts: Collection[str], most: int) -> None:
        self.app, self.metrics, self.most = app, metrics, most
        self.hosts = {host.lower() for host in hosts}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await self._answer(scope, receive, _Sent(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await self.app(scope, receive, send)

    async def _answer(self, scope: Any, receive: Any, sent: _Sent) -> None:
        path = scope["path"] if scope["path"] in (*ROUTES, *PAGES) else "other"
        self.metrics.under_way += 1
        start = time.perf_counter()
        try:
            if not self._is_served(host_of(scope)):
                await sent.refuse(421, "this host is not served here.")
            elif self.metrics.under_way > self.most and path != "/health":
                await sent.refuse(503, "more requests are under way than this service takes.")
            else:
                await self.app(scope, receive, sent)
        except Exception as error:  # its message may quote a text, and so may its traceback
            last = traceback.extract_tb(error.__traceback__)[-1]
            LOG.error(
                "%s in %s, line %d", type(error).__name__, Path(last.filename).name, last.lineno
            )
            await sent.refuse(500, FAILED)
        finally:
            self.metrics.under_way -= 1
            self.metrics.answered(path, sent.status, (sent.began or time.perf_counter()) - start)

    def _is_served(self, host: str) -> bool:
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        return is_loopback(host) or name in self.hosts or ANY in self.hosts


class _Sent:
    """send, which remembers what went out. status: 0 before there is any."""

    def __init__(self, send: Any) -> None:
        self._send, self.status, self.began = send, 0, 0.0

    async def __call__(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status, self.began = message["status"], time.perf_counter()
            message = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
        await self._send(message)

    async def refuse(self, status: int, why: str) -> None:
        """An answer, unless one began already."""
        if self.status:
            return
        headers = [(b"content-type", b"application/json")]
        headers += [(b"retry-after", b"1")] if status == 503 else []
        await self({"type": "http.response.start", "status": status, "headers": headers})
        body = json.dumps({"error": why}).encode()
        await self({"type": "http.response.body", "body": body})
