"""The proxy: routes of OpenAI's API, answered by an upstream that reads surrogates alone.

The rows that restore an answer live as long as the request, in the memory of this process.
"""

from __future__ import annotations

import json
import os
import re
import ssl
from collections.abc import AsyncIterator, Collection
from contextlib import AsyncExitStack, suppress
from functools import cache
from typing import Any

import httpx
from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from ...entities.surrogates.restoring import Restorer, Rows
from ...io.pieces import listed
from ...io.records import is_unicode
from ...machine import is_loopback
from .callers import Refused
from .prompts import Prompt, mapped, parsed
from .service import Service

KEY = "DX_UPSTREAM_KEY"
MAX_ANSWER = 2**25  # bytes
CONNECT = 10.0  # seconds
DONE = b"[DONE]"
CALLS = "response.function_call_arguments"  # events of the responses API
RESTORED = listed("OPENAI_RESTORED")  # the fields of an answer that get originals
NOT_JSON = "the body is not an object of JSON, or is nested too deeply."
_CODE = re.compile(r"[a-z][a-z0-9_]{0,40}")

routes = APIRouter()


@routes.post("/v1/chat/completions")
async def chat(request: Request) -> Response:
    """Answer a chat, as OpenAI's API does. The upstream reads surrogates alone."""
    return await _answer(request, "chat/completions", ChatAnswer)


@routes.post("/v1/responses")
async def responses(request: Request) -> Response:
    """Answer a request of OpenAI's responses API. The upstream reads surrogates alone."""
    return await _answer(request, "responses", ResponsesAnswer)


async def _answer(request: Request, path: str, make_answer: type[ChatAnswer]) -> Response:
    service: Service = request.app.state.service
    try:
        prompt = Prompt(parsed(await request.body()), service.limits.models)
    except (ValueError, RecursionError):
        raise Refused(400, NOT_JSON) from None
    lines = prompt.lines
    if not all(is_unicode(head + text) for head, text in lines):
        raise Refused(400, "a text is not valid Unicode.")
    texts, rows = await service.draw_prompt(request, prompt.conversation, lines)
    body, rows = prompt.replaced(texts, rows)
    answer = make_answer(rows, service.limits.tools, escaped=prompt.wants_json)
    async with AsyncExitStack() as stack:
        upstream = await _send(stack, request, path, body)
        if upstream.status_code != 200:
            raise await _failure(upstream)
        try:
            if body.get("stream"):
                lines = _data_lines(upstream)
                if (first := await anext(lines, DONE)) == DONE:
                    raise ValueError("no events")
                parsed(first)
                events = _events(first, lines, stack.pop_all(), answer)
                return StreamingResponse(events, media_type="text/event-stream")
            return JSONResponse(answer.restored(parsed(await _whole(upstream))))
        except (ValueError, RecursionError, httpx.HTTPError):
            raise Refused(502, "the answer of the upstream is not JSON, or broke off.") from None


# -- the upstream ----------------------------------------------------------------------------------


async def _send(
    stack: AsyncExitStack, request: Request, path: str, body: dict[str, Any]
) -> httpx.Response:
    service: Service = request.app.state.service
    base = httpx.URL(str(service.limits.upstream).rstrip("/"))
    url = f"{base}{'' if base.path.strip('/') else '/v1'}/{path}".replace("//v1", "/v1")
    key, authorization = os.environ.get(KEY), request.headers.get("authorization", "")
    if key or service.callers.known:  # whose tokens are those of the service
        authorization = f"Bearer {key}" if key else ""
    if not authorization.isascii():
        raise Refused(400, "the header Authorization is not in ASCII.")
    headers = {"content-type": "application/json", "accept-encoding": "identity"}
    headers |= {"authorization": authorization} if authorization else {}
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


_tls = cache(ssl.create_default_context)  # takes long to make


async def _failure(upstream: httpx.Response) -> Refused:
    """Return the error of the upstream: its status and code, and nothing of its message."""
    code, after = "", upstream.headers.get("retry-after", "")
    with suppress(ValueError, KeyError, TypeError, RecursionError, httpx.HTTPError, Refused):
        name = json.loads(await _whole(upstream))["error"]["code"]
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
    first: bytes, lines: AsyncIterator[bytes], stack: AsyncExitStack, answer: ChatAnswer
) -> AsyncIterator[str]:
    """Yield server-sent events, with originals, and an error at the end where one came."""
    async with stack:
        try:
            data = first
            while data != DONE:
                for event in answer.events(parsed(data)):
                    yield _event(event)
                data = await anext(lines, DONE)
            for event in answer.end():
                yield _event(event)
            yield f"data: {DONE.decode()}\n\n"
        except (ValueError, AttributeError, TypeError, RecursionError, httpx.HTTPError, Refused):
            yield _event({"error": {"message": "the answer of the upstream broke off."}})


def _event(event: dict[str, Any]) -> str:
    kind = f"event: {event['type']}\n" if "type" in event else ""
    return f"{kind}data: {json.dumps(event, ensure_ascii=False)}\n\n"


class ChatAnswer:
    """Puts originals into the answer to a chat, whole or event by event: into fields of text, and
    into the arguments of functions that the settings allow, since a function may send them
    anywhere.

    Of a stream, what may be the beginning of a surrogate is held back; so are arguments until they
    are complete, since an original may need escapes that a part of a string does not show.

    Args:
        rows: What restores the texts.
        tools: Names of functions whose arguments get originals; "*" for all.
        escaped: Whether the texts of the answer are JSON.
    """

    def __init__(self, rows: Rows, tools: Collection[str], *, escaped: bool) -> None:
        self._texts, self._data = Restorer(rows, escaped=escaped), Restorer(rows)
        self._tools = tools
        self._held: dict[Any, Restorer | list[str]] = {}  # unfinished texts; arguments in pieces
        self._called: dict[Any, Any] = {}  # the function of each call

    def restored(self, value: Any, key: str = "") -> Any:
        """Return an answer with its originals."""
        if isinstance(value, dict):
            fields = {name: self.restored(item, name) for name, item in value.items()}
            if isinstance(text := value.get("arguments"), str) and self._allows(value.get("name")):
                fields["arguments"] = self._arguments(text)
            return fields
        if isinstance(value, list):
            return [self.restored(item, key) for item in value]
        return self._texts.restore(value) if isinstance(value, str) and key in RESTORED else value

    def events(self, event: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the events to send in the place of one."""
        events = []
        for choice in event.get("choices") or ():
            number, delta = choice.get("index"), choice.get("delta") or {}
            for name, value in delta.items():
                if isinstance(value, str) and name in RESTORED:
                    delta[name] = self._feed((number, name), value)
            for call in delta.get("tool_calls") or ():
                function = call.get("function") or {}
                key = number, "tool_calls", call.get("index")
                tool = self._called.setdefault(key, function.get("name"))
                if isinstance(function.get("arguments"), str) and self._allows(tool):
                    text = function["arguments"]
                    function["arguments"] = self._feed(key, text, as_arguments=True)
            if choice.get("finish_reason") is not None:  # after which some clients read no more
                last = {**choice, "delta": self._flushed(number, delta), "finish_reason": None}
                events.append({**event, "choices": [last]})
                choice = {**choice, "delta": {}}
            events.append({**event, "choices": [choice]})
        return events or [event]

    def end(self) -> list[dict[str, Any]]:
        """Return events with what is held back of choices that did not finish."""
        numbers = dict.fromkeys(key[0] for key in self._held)
        return [{"choices": [{"index": i, "delta": self._flushed(i, {})}]} for i in numbers]

    def _flushed(self, number: Any, delta: dict[str, Any]) -> dict[str, Any]:
        """Return a delta with what is still held back of a choice."""
        delta = dict(delta)
        for key in [key for key in self._held if key[0] == number]:
            text = self._flush(key)
            if key[1] != "tool_calls":
                delta[key[1]] = (delta.get(key[1]) or "") + text
            elif text:
                call = {"index": key[2], "function": {"arguments": text}}
                delta["tool_calls"] = [*(delta.get("tool_calls") or ()), call]
        return delta

    def _allows(self, tool: Any) -> bool:
        """Return whether the arguments of a function get originals."""
        return "*" in self._tools or (isinstance(tool, str) and tool in self._tools)

    def _arguments(self, text: str) -> str:
        """Return arguments with originals, as JSON."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return self._data.restore(text)
        restored = mapped(value, lambda text, _: self._data.restore(text), self._data.restore)
        return json.dumps(restored, ensure_ascii=False)

    def _feed(self, key: Any, text: str, *, as_arguments: bool = False) -> str:
        """Return what is certain of a text; of arguments, nothing."""
        held = self._held.setdefault(key, [] if as_arguments else self._texts.anew())
        if isinstance(held, Restorer):
            return held.feed(text)
        held.append(text)
        return ""

    def _flush(self, key: Any) -> str:
        """Return what is held back, as its text or its arguments end."""
        held = self._held.pop(key, [])
        return held.flush() if isinstance(held, Restorer) else self._arguments("".join(held))


class ResponsesAnswer(ChatAnswer):
    """Puts originals into an answer of the responses API."""

    _number = 0
    PLACE = ("item_id", "output_index", "content_index", "summary_index")

    def events(self, event: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the events to send in the place of one, numbered anew."""
        stem, _, ending = str(event.get("type")).rpartition(".")
        place = {name: event[name] for name in self.PLACE if name in event}
        key, tool = (stem, *place.values()), self._called.get(event.get("item_id"))
        is_call, delta, events = stem == CALLS, event.get("delta"), []
        if isinstance(item := event.get("item"), dict):
            self._called[item.get("id")] = item.get("name")
        gets = self._allows(tool) if is_call else stem.rpartition(".")[2] in RESTORED
        if ending == "delta" and isinstance(delta, str) and gets:
            events.append({**event, "delta": self._feed(key, delta, as_arguments=is_call)})
        else:
            if is_call and "arguments" in event:
                event = {**event, "name": tool}
            text = self._flush(key) if ending == "done" else ""
            events += [{"type": f"{stem}.delta", **place, "delta": text}] if text else []
            events.append(self.restored(event))
        for answered in events:
            answered["sequence_number"], self._number = self._number, self._number + 1
        return events

    def end(self) -> list[dict[str, Any]]:
        """Return nothing: `done` ends each text."""
        return []
