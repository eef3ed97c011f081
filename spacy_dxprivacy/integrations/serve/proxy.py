"""The proxy: routes of OpenAI and Anthropic, answered by an upstream that reads surrogates alone.

The rows that restore an answer live as long as the request, in the memory of this process.
"""

from __future__ import annotations

import json
import os
import re
import ssl
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, suppress
from functools import cache
from secrets import token_hex
from typing import Any

import httpx
from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from ...io.records import is_unicode
from ...machine import is_loopback
from .answers import PROVIDERS, RestoredAnswer
from .callers import Refused
from .prompts import Prompt, noted, parsed
from .service import LOG, Service

HEADER = "dx-surrogates"
KEY = "DX_UPSTREAM_KEY"
MAX_ANSWER = 2**25  # bytes
CONNECT = 10.0  # seconds
DONE = b"[DONE]"
OF_ANTHROPIC = ("anthropic-version", "anthropic-beta")
NOT_JSON = "the body is not an object of JSON, or is nested too deeply."
_HEADER = re.compile(r"[a-z0-9.,-]{1,500}")
_CODE = re.compile(r"[a-z][a-z0-9_]{0,40}")

routes = APIRouter()


@routes.post("/v1/chat/completions")
async def chat(request: Request) -> Response:
    """Answer a chat, as OpenAI's API does. The upstream reads surrogates alone."""
    return await _answer(request, "chat/completions")


@routes.post("/v1/responses")
async def responses(request: Request) -> Response:
    """Answer a request of OpenAI's responses API. The upstream reads surrogates alone."""
    return await _answer(request, "responses")


@routes.post("/v1/messages")
async def messages(request: Request) -> Response:
    """Answer a request of Anthropic's API. The upstream reads surrogates alone."""
    return await _answer(request, "messages")


@routes.post("/v1/messages/count_tokens")
async def count_tokens(request: Request) -> Response:
    """Count the tokens of a request of Anthropic's API, with surrogates."""
    return await _answer(request, "messages/count_tokens")


async def _answer(request: Request, path: str) -> Response:
    log = Log(path)
    try:
        return await _answered(request, path, log)
    except Refused as error:
        log.write(error.status)
        raise


async def _answered(request: Request, path: str, log: Log) -> Response:
    service: Service = request.app.state.service
    limits, provider = service.limits, PROVIDERS[path.partition("/")[0]]
    try:
        public = {*limits.models, *limits.tools}
        prompt = Prompt(parsed(await request.body()), public, images=limits.images)
    except (ValueError, RecursionError):
        raise Refused(400, NOT_JSON) from None
    lines = prompt.lines
    if not all(is_unicode(head + text) for head, text in lines):
        raise Refused(400, "a text is not valid Unicode.")
    prompted = await service.draw_prompt(request, prompt.conversation, lines)
    body, rows = prompt.replaced(prompted)
    body = noted(body, provider.note) if limits.note else body
    log.counts = dict(sorted(prompted.counts.items()))
    answer = RestoredAnswer(provider, rows, limits.tools, escaped=prompt.wants_json)

    def report() -> str:
        log.counts |= answer.report(prompted.texts)
        return log.write(200)

    async with AsyncExitStack() as stack:
        upstream = await _send(stack, request, path, body)
        if upstream.status_code != 200:
            raise await _failure(upstream)
        try:
            if not body.get("stream"):
                restored = answer.restored(parsed(await _whole(upstream)))
                return JSONResponse(restored, headers={HEADER: report()})
            data = _data_lines(upstream)
            if (first := await anext(data, DONE)) == DONE:
                raise ValueError("no events")
            parsed(first)
            events = _events(first, data, stack.pop_all(), answer, report)
            return StreamingResponse(events, media_type="text/event-stream")
        except (ValueError, RecursionError, httpx.HTTPError):
            raise Refused(502, "the answer of the upstream is not JSON, or broke off.") from None


class Log:
    """One line a request: its id, route and status, counts, and milliseconds; no text."""

    def __init__(self, path: str) -> None:
        self._path, self._began, self._id = path, time.perf_counter(), token_hex(4)
        self.counts: dict[str, int] = {}  # of mentions by label, and of what came back
        self._written = ""

    def write(self, status: int) -> str:
        """Write the line, once, and return the id with the counts."""
        if not self._written:
            counts = " ".join(f"{name}={number}" for name, number in self.counts.items())
            milliseconds = 1e3 * (time.perf_counter() - self._began)
            LOG.info("%s %s %d %s %.0f ms", self._id, self._path, status, counts, milliseconds)
            self._written = f"{self._id} {counts}".strip()
        return self._written


# -- the upstream ----------------------------------------------------------------------------------


async def _send(
    stack: AsyncExitStack, request: Request, path: str, body: dict[str, Any]
) -> httpx.Response:
    service: Service = request.app.state.service
    base = httpx.URL(str(service.limits.upstream).rstrip("/"))
    url = f"{base}{'' if base.path.strip('/') else '/v1'}/{path}".replace("//v1", "/v1")
    headers = {"content-type": "application/json", "accept-encoding": "identity"}
    headers |= _passed(request, path, known=service.callers.known)
    timeout = httpx.Timeout(service.limits.upstream_seconds, connect=CONNECT)
    try:
        client = await stack.enter_async_context(
            httpx.AsyncClient(timeout=timeout, verify=_tls(), trust_env=not is_loopback(base.host))
        )
        content = json.dumps(body, ensure_ascii=False).encode()
        stream = client.stream("POST", url, content=content, headers=headers)
        return await stack.enter_async_context(stream)
    except httpx.TimeoutException:
        raise Refused(504, "the upstream did not answer in time.") from None
    except httpx.HTTPError:
        raise Refused(502, "the upstream cannot be reached.") from None


def _passed(request: Request, path: str, *, known: bool) -> dict[str, str]:
    """Return the headers that go to the upstream. known: the client's key is one of the service."""
    names = {"authorization", "x-api-key", *(OF_ANTHROPIC if path.startswith("messages") else ())}
    headers = {name: value for name, value in request.headers.items() if name in names}
    if not all(value.isascii() for value in headers.values()):
        raise Refused(400, "a header is not in ASCII.")
    if not all(_HEADER.fullmatch(headers.get(name, "1")) for name in OF_ANTHROPIC):
        raise Refused(400, "a header of Anthropic's API is not one that it has.")
    key = os.environ.get(KEY)
    if key or known:
        headers = {name: value for name, value in headers.items() if name in OF_ANTHROPIC}
    if key and path.startswith("messages"):
        headers["x-api-key"] = key
    elif key:
        headers["authorization"] = f"Bearer {key}"
    return headers


_tls = cache(ssl.create_default_context)  # takes long to make


async def _failure(upstream: httpx.Response) -> Refused:
    """Return the error of the upstream: its status and code, and nothing of its message."""
    code, after = "", upstream.headers.get("retry-after", "")
    with suppress(
        ValueError, KeyError, TypeError, AttributeError, RecursionError, httpx.HTTPError, Refused
    ):
        error = json.loads(await _whole(upstream))["error"]
        name = error.get("code") or error["type"]
        code = f" ({name})" if isinstance(name, str) and _CODE.fullmatch(name) else ""
    status = upstream.status_code if 400 <= upstream.status_code < 600 else 502
    why = f"the upstream answered with status {upstream.status_code}{code}."
    return Refused(status, why, after=int(after) if after.isascii() and after.isdigit() else None)


async def _whole(upstream: httpx.Response) -> bytes:
    return b"".join([chunk async for chunk in _chunks(upstream)])


async def _chunks(upstream: httpx.Response) -> AsyncIterator[bytes]:
    size = 0
    async for chunk in upstream.aiter_bytes():
        size += len(chunk)
        if size > MAX_ANSWER:
            raise Refused(502, "the answer of the upstream is too long.")
        yield chunk


async def _data_lines(upstream: httpx.Response) -> AsyncIterator[bytes]:
    """Yield the data of server-sent events."""
    unfinished = b""
    async for chunk in _chunks(upstream):
        *lines, unfinished = (unfinished + chunk).split(b"\n")  # other line ends may be in a text
        for line in lines:
            if line.startswith(b"data:"):
                yield line[5:].strip()
    if unfinished.startswith(b"data:"):
        yield unfinished[5:].strip()


# -- answers ---------------------------------------------------------------------------------------


async def _events(
    first: bytes,
    lines: AsyncIterator[bytes],
    stack: AsyncExitStack,
    answer: RestoredAnswer,
    report: Callable[[], str],
) -> AsyncIterator[str]:
    """Yield server-sent events, with originals, and an error at the end where one came.

    The report comes at the end, as a comment, which clients skip.
    """
    async with stack:
        try:
            data, is_done = first, False
            while data:
                is_done = data == DONE
                if not is_done:
                    for event in answer.events(parsed(data)):
                        yield _event(event)
                data = b"" if is_done else await anext(lines, b"")
            for event in answer.end():
                yield _event(event)
            if not (is_done or answer.complete):
                raise ValueError("no end")
            yield f": {HEADER}: {report()}\n\n"
            if is_done:
                yield f"data: {DONE.decode()}\n\n"
        except (ValueError, AttributeError, TypeError, RecursionError, httpx.HTTPError, Refused):
            error = {"type": "upstream_error", "message": "the answer of the upstream broke off."}
            yield _event({"type": "error", "error": error})
        finally:
            report()


def _event(event: dict[str, Any]) -> str:
    kind = f"event: {event['type']}\n" if "type" in event else ""
    return f"{kind}data: {json.dumps(event, ensure_ascii=False)}\n\n"
