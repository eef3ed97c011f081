"""Requests to an ASGI application, without a network and without a client library."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from spacy_dxprivacy.serve.app import account_of, guarantees_of, make_app
from spacy_dxprivacy.serve.service import Callers, Service


def app_of(stack, pipelines, limits, **options):
    """The service on these pipelines, whose threads end with the stack. options: tokens of callers;
    budget, and path of their account; anonymizer."""
    anonymizer = options.get("anonymizer")
    guarantees = guarantees_of(pipelines[0], anonymizer)
    account = account_of(options.get("path"), guarantees, options.get("budget"))
    stack.callback(account.close)
    service = Service(pipelines, Callers(options.get("tokens")), account, limits, anonymizer)
    for lane in service.lanes:
        stack.enter_context(lane.thread)
    return make_app(service)


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


def ask(app, path, body=None, **how):
    """See asked."""
    return asyncio.run(asked(app, path, body, **how))


async def asked(
    app, path, body = None, *, method = "", host = "localhost:8000",
    parts = None, pause = 0, **headers,
):  # fmt: skip
    """body: bytes, or what goes as JSON. parts: of a body that comes piece by piece, None where the
    client goes away. pause: seconds before each part."""
    raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    given = {"content_type": "application/json", "host": host, **headers}
    sent: list[dict[str, Any]] = []
    waiting = list(parts) if parts is not None else [raw or b""]

    async def receive():
        await asyncio.sleep(pause if waiting else 60)
        part = waiting.pop(0)
        if part is None:
            return {"type": "http.disconnect"}
        more = any(p is not None for p in waiting)
        return {"type": "http.request", "body": part, "more_body": more}

    async def send(message):
        sent.append(message)

    method = method or ("GET" if raw is None and parts is None else "POST")
    scope = {
        "type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "http_version": "1.1",
        "method": method, "scheme": "http", "path": path, "raw_path": path.encode(),
        "query_string": b"", "root_path": "", "client": ("127.0.0.1", 5), "server": ("x", 80),
        "headers": [(k.replace("_", "-").encode(), v.encode("latin1")) for k, v in given.items()],
    }  # fmt: skip
    await app(scope, receive, send)
    if not sent:
        return Answer(0, {}, b"")  # to a client that went away
    start, *rest = sent
    found = {name.decode(): value.decode() for name, value in start["headers"]}
    return Answer(start["status"], found, b"".join(part.get("body", b"") for part in rest))
