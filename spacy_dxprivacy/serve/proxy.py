"""The proxy: routes of OpenAI and Anthropic, answered by an upstream that reads only surrogates.

The rows that restore an answer are in the memory of this process, until the request ends.
"""

from __future__ import annotations

import json
import os
import re
import ssl
from asyncio import to_thread
from collections.abc import AsyncGenerator, AsyncIterator, Collection
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import httpx
from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from ..config.options import ServiceOptions
from ..machine import is_loopback
from ..prompts.answers import PROVIDERS, AnswerRestorer, Provider
from ..prompts.conversation import Conversation, Prompted
from ..prompts.requests import (
    InvalidAnswer,
    InvalidRequest,
    Prompt,
    add_note,
    is_model,
    parse_object,
)
from .service import HttpError, RequestReport, Service

REPORT_HEADER = "dx-surrogates"
KEY_VARIABLE = "DX_UPSTREAM_KEY"
MAX_ANSWER_BYTES = 2**25  # bytes
CONNECT_SECONDS = 10.0  # seconds
DONE = b"[DONE]"
NOT_JSON = "the body is not an object of JSON, or is nested too deeply."
BROKEN_ANSWER = "the answer of the upstream is not JSON, or broke off."
# Headers that are sent to the upstream, with the pattern of their values.
_KEY_VALUE, _VERSION_VALUE = re.compile(r"[\x20-\x7e]{1,4096}"), re.compile(r"[a-z0-9.,-]{1,500}")
KEY_HEADERS = {"authorization": _KEY_VALUE, "x-api-key": _KEY_VALUE}
ANTHROPIC_HEADERS = {"anthropic-version": _VERSION_VALUE, "anthropic-beta": _VERSION_VALUE}
MODEL_FIELDS = ("id", "object", "type", "display_name", "created", "created_at", "owned_by")
_TIME = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?")
_CODE = re.compile(r"[a-z][a-z0-9_]{0,40}")

routes = APIRouter()


@routes.post("/v1/chat/completions")
@routes.post("/v1/responses")
@routes.post("/v1/messages")
@routes.post("/v1/messages/count_tokens")
async def answer(request: Request) -> Response:
    """Answer like this route of OpenAI or Anthropic. The upstream reads only surrogates."""
    service: Service = request.app.state.service
    limits, path = service.limits, request.scope["path"].removeprefix("/v1/")
    report = request.state.report
    provider = PROVIDERS[path.partition("/")[0]]
    raw = await request.body()
    # Texts are read in threads, so that no other request waits for them.
    prompt, conversation = await to_thread(_read_prompt, service, request.state.caller, raw)
    prompted = await service.draw_prompt(request, conversation, prompt.lines)
    report.counts = dict(sorted(prompted.counts.items())) | {"dropped": prompt.dropped}
    body, restored = await to_thread(_replace, prompt, prompted, provider, limits)
    answers = Answers(restored, conversation, prompted.texts, report)
    if prompt.streams:
        events = _events(request, body, answers)
        first = await anext(events)
        return StreamingResponse(_until_broken(first, events), media_type="text/event-stream")
    async with _upstream(request, body) as upstream:
        raw = await _read_all(upstream)
    return await to_thread(answers.whole, raw)


@routes.get("/v1/models")
async def models(request: Request) -> Response:
    """Return the models of the upstream whose names the proxy passes on."""
    async with _upstream(request, None) as upstream:
        raw = await _read_all(upstream)
    limits = request.app.state.service.limits
    return JSONResponse(await to_thread(_public_models, raw, {*limits.models}))


def _public_models(raw: bytes, public: Collection[str]) -> dict[str, Any]:
    """Return a list of models without what only the owner of the key may know: models of its own,
    names of organisations, and fields that are not known."""
    items = parse_object(raw, InvalidAnswer(BROKEN_ANSWER)).get("data")
    if not isinstance(items, list):
        raise InvalidAnswer(BROKEN_ANSWER)
    listed = [
        {name: item[name] for name in MODEL_FIELDS if _is_public(item.get(name), public)}
        for item in items
        if isinstance(item, dict) and _is_public(item.get("id"), public)
    ]
    ids = [item["id"] for item in listed] or [None]
    return {"object": "list", "data": listed, "has_more": False, "first_id": ids[0],
            "last_id": ids[-1]}  # fmt: skip


def _is_public(value: Any, public: Collection[str]) -> bool:
    """Return whether a value is a time, or a name of public words."""
    if isinstance(value, int) or (isinstance(value, str) and _TIME.fullmatch(value)):
        return True
    return isinstance(value, str) and is_model(value.replace(" ", "-"), public)


def _read_prompt(service: Service, caller: str, raw: bytes) -> tuple[Prompt, Conversation]:
    """Return a request and its conversation."""
    limits = service.limits
    try:
        body = parse_object(raw, InvalidRequest(NOT_JSON))
        prompt = Prompt(body, {*limits.models, *limits.tools}, images=limits.images)
        conversation = service.conversations.of(caller, prompt.conversation)
    except RecursionError:
        raise InvalidRequest(NOT_JSON) from None
    prompt.allow(conversation.has_issued)
    return prompt, conversation


def _replace(
    prompt: Prompt, prompted: Prompted, provider: Provider, limits: ServiceOptions
) -> tuple[bytes, AnswerRestorer]:
    """Return the body for the upstream, and what restores its answer."""
    try:
        body, rows = prompt.replace(prompted)
        body = add_note(body, provider.note) if limits.note else body
        content = json.dumps(body, ensure_ascii=False).encode()
    except RecursionError:
        raise InvalidRequest(NOT_JSON) from None
    restored = AnswerRestorer(
        provider, rows, limits.tools, escaped=prompt.wants_json, offered=prompt.functions
    )
    return content, restored


@dataclass
class Answers:
    """Answers of the upstream with originals. The methods run in threads, one at a time.

    restored: what restores them. conversation: to which identifiers in them belong. sent: the texts
    that the model read. report: counts what came back. error: why a stream broke off.
    """

    restored: AnswerRestorer
    conversation: Conversation
    sent: list[str] = field(repr=False)
    report: RequestReport
    error: InvalidAnswer | None = None

    def whole(self, raw: bytes) -> Response:
        """Return a complete answer."""
        body = self.restored.restore(parse_object(raw, InvalidAnswer(BROKEN_ANSWER)))
        self.finish()
        return JSONResponse(body, headers={REPORT_HEADER: self.report.line})

    def events(self, lines: list[bytes]) -> str:
        """Return server-sent events for the data of some, up to one that is not valid, if any."""
        written = list[str]()
        try:
            for data in lines:
                event = parse_object(data, InvalidAnswer(BROKEN_ANSWER))
                written += map(_event, self.restored.events(event))
        except InvalidAnswer as error:
            self.error = error
        return "".join(written)

    def last_events(self) -> str:
        """Return events for what was held back at the end of a stream."""
        return "".join(map(_event, self.restored.end()))

    def finish(self) -> None:
        """Count, and note the identifiers of the answer."""
        self.conversation.issue(self.restored.ids)
        self.report.counts |= self.restored.report(self.sent)


async def _events(request: Request, body: bytes, answers: Answers) -> AsyncGenerator[str, None]:
    """Yield server-sent events with originals, and then the report as a comment, which clients
    skip. Raises InvalidAnswer if the stream has no events or breaks off."""
    is_done, is_empty = False, True
    async with _upstream(request, body) as upstream:
        async for lines in _data_lines(upstream):
            is_done = DONE in lines
            lines = lines[: lines.index(DONE)] if is_done else lines
            if events := await to_thread(answers.events, lines):
                yield events
                is_empty = False
            if answers.error is not None:
                raise answers.error
            if is_done:
                break
    if events := await to_thread(answers.last_events):
        yield events
    if is_empty or not (is_done or answers.restored.complete):
        raise InvalidAnswer(BROKEN_ANSWER)
    await to_thread(answers.finish)
    yield f": {REPORT_HEADER}: {answers.report.line}\n\n"
    if is_done:
        yield f"data: {DONE.decode()}\n\n"


async def _until_broken(first: str, events: AsyncGenerator[str, None]) -> AsyncIterator[str]:
    """Yield events. An error becomes an event, because the status was sent with the first."""
    try:
        yield first
        async for event in events:
            yield event
    except (HttpError, InvalidAnswer):
        error = {"type": "upstream_error", "message": "the answer of the upstream broke off."}
        yield _event({"type": "error", "error": error})


def _event(event: dict[str, Any]) -> str:
    kind = f"event: {event['type']}\n" if "type" in event else ""
    return f"{kind}data: {json.dumps(event, ensure_ascii=False)}\n\n"


# -- the upstream ----------------------------------------------------------------------------------


@asynccontextmanager
async def _upstream(request: Request, body: bytes | None) -> AsyncIterator[httpx.Response]:
    """Open the answer of the upstream to a body, or to none. An error, which may occur while it is
    read, raises HttpError with the status of the upstream, 504 or 502."""
    limits, path = request.app.state.service.limits, request.state.report.path
    base = httpx.URL(str(limits.upstream).rstrip("/"))
    url = f"{base}{'' if base.path.strip('/') else '/v1'}/{path}".replace("//v1", "/v1")
    timeout = httpx.Timeout(limits.upstream_seconds, connect=CONNECT_SECONDS)
    direct = is_loopback(base.host)
    method, headers = "GET" if body is None else "POST", _headers(request, path)
    try:
        async with (
            httpx.AsyncClient(timeout=timeout, verify=_tls(), trust_env=not direct) as client,
            client.stream(method, url, content=body, headers=headers) as upstream,
        ):
            if upstream.status_code != 200:
                raise await _failure(upstream)
            yield upstream
    except httpx.TimeoutException:
        raise HttpError(504, "the upstream did not answer in time.") from None
    except httpx.HTTPError:
        raise HttpError(502, "the upstream cannot be reached, or broke off.") from None


_tls = cache(ssl.create_default_context)  # slow to make


def _headers(request: Request, path: str) -> dict[str, str]:
    """Return the headers for the upstream. The client's key is sent unless it is a token of this
    service, or the environment has a key."""
    is_anthropic = path.startswith("messages") or "anthropic-version" in request.headers
    key = os.environ.get(KEY_VARIABLE)
    of_client = {} if key or request.app.state.service.callers.needs_token else KEY_HEADERS
    headers = {"content-type": "application/json", "accept-encoding": "identity"}
    for name, form in {**of_client, **(ANTHROPIC_HEADERS if is_anthropic else {})}.items():
        value = request.headers.get(name)
        if value is not None and not form.fullmatch(value):
            raise HttpError(400, f"the header {name} is not valid.")
        headers |= {} if value is None else {name: value}
    if key:
        headers |= {"x-api-key": key} if is_anthropic else {"authorization": f"Bearer {key}"}
    return headers


async def _failure(upstream: httpx.Response) -> HttpError:
    """Return the error of the upstream: its status and code, and nothing of its message."""
    error, after = None, upstream.headers.get("retry-after", "")
    with suppress(HttpError, InvalidAnswer, httpx.HTTPError):
        error = parse_object(await _read_all(upstream), InvalidAnswer(BROKEN_ANSWER)).get("error")
    name = (error.get("code") or error.get("type")) if isinstance(error, dict) else None
    code = f" ({name})" if isinstance(name, str) and _CODE.fullmatch(name) else ""
    status = upstream.status_code if 400 <= upstream.status_code < 600 else 502
    why = f"the upstream answered with status {upstream.status_code}{code}."
    return HttpError(status, why, after=int(after) if after.isascii() and after.isdigit() else None)


async def _read_all(upstream: httpx.Response) -> bytes:
    return b"".join([chunk async for chunk in _chunks(upstream)])


async def _chunks(upstream: httpx.Response) -> AsyncIterator[bytes]:
    size = 0
    async for chunk in upstream.aiter_bytes():
        size += len(chunk)
        if size > MAX_ANSWER_BYTES:
            raise HttpError(502, "the answer of the upstream is too long.")
        yield chunk


async def _data_lines(upstream: httpx.Response) -> AsyncIterator[list[bytes]]:
    """Yield the data of the server-sent events that arrived together."""
    unfinished = list[bytes]()
    async for chunk in _chunks(upstream):
        unfinished.append(chunk)
        if b"\n" in chunk:  # texts may have other breaks
            *lines, rest = b"".join(unfinished).split(b"\n")
            unfinished = [rest]
            if data := _data_of(lines):
                yield data
    if data := _data_of([b"".join(unfinished)]):
        yield data


def _data_of(lines: list[bytes]) -> list[bytes]:
    return [line[5:].strip() for line in lines if line.startswith(b"data:")]
