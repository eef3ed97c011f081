"""The proxy: routes of OpenAI's API, answered by an upstream that reads surrogates alone.

All texts of a request are sanitised as one document, so that a person has one surrogate in it. What
is neither a text nor a known technical setting raises. The rows that restore the answer live as
long as the request, in the memory of this process.
"""

from __future__ import annotations

import json
import os
import re
import ssl
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, suppress
from functools import cache
from typing import Any

import httpx
from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from ...config import ServiceOptions
from ...entities.surrogates.restoring import Restorer, Rows
from ...entities.surrogates.table import _is_common
from ...io.pieces import listed
from ...io.record import is_unicode
from ...machine import is_loopback
from .callers import Refused
from .service import Service

KEY = "DX_UPSTREAM_KEY"
MOST_ANSWER = 2**25  # bytes
CONNECT = 10.0  # seconds
MARK = "\x1e"  # around each text of the document; white space to the tokenizer
# Returns the text to write in place of a text, given the key that it stands under; None for a key.
TextMapper = Callable[[str, str | None], str]
PLAIN, TEXTS, TYPES = (listed(f"OPENAI_{name}") for name in ("PLAIN", "TEXTS", "TYPES"))
SCHEMA_TYPES, SCHEMA_KEYS = listed("SCHEMA_TYPES"), listed("SCHEMA_KEYS")
_NAME = re.compile(r"[\w.:/@+-]{1,128}", re.ASCII)
_KEY_OF_JSON = re.compile(r"[a-z][a-z0-9_]{0,40}")
_PIECE = re.compile(r"[^\W\d_]{3,}")

routes = APIRouter()


@routes.post("/v1/chat/completions")
async def chat(request: Request) -> Response:
    """Answer a chat, as OpenAI's API does. The upstream reads surrogates alone."""
    return await _answer(request, "chat/completions", ChatStream)


@routes.post("/v1/responses")
async def responses(request: Request) -> Response:
    """Answer a request of OpenAI's responses API. The upstream reads surrogates alone."""
    return await _answer(request, "responses", ResponsesStream)


async def _answer(request: Request, path: str, kind: type[ChatStream]) -> Response:
    texts = _Texts()
    try:
        body = json.loads(await request.body())
        _object_replaced(dict(body), texts)
    except (ValueError, TypeError, RecursionError):
        raise Refused(400, "the body is not an object of JSON, or is nested too deeply.") from None
    rows = await _sanitise(request, texts)
    body = _object_replaced(body, texts)
    restorer, data = Restorer(rows, escaped=_wants_json(body)), Restorer(rows)
    async with AsyncExitStack() as stack:
        upstream = await _send(stack, request, path, body)
        if upstream.status_code != 200:
            raise await _failure(upstream)
        if body.get("stream"):
            events = _events(upstream, stack.pop_all(), kind(restorer, data))
            return StreamingResponse(events, media_type="text/event-stream")
        try:
            return JSONResponse(restored(json.loads(await _whole(upstream)), restorer, data))
        except (ValueError, RecursionError, httpx.HTTPError):
            raise Refused(502, "the answer of the upstream is not JSON, or broke off.") from None


def _wants_json(body: dict[str, Any]) -> bool:
    form: Any = body.get("response_format") or body.get("text")
    form = form.get("format", form) if isinstance(form, dict) else {}
    return isinstance(form, dict) and str(form.get("type")).startswith("json")


# -- requests --------------------------------------------------------------------------------------


class _Texts:
    """The texts of a request: collected in a first pass, replaced in a second one.

    names: of functions, calls, modes and keys, which stay as they are, with their fields.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []  # of the document: a key, and a text between marks
        self.names: list[tuple[str, str]] = []
        self.surrogates: Iterator[str] | None = None  # the texts of the second pass

    def __call__(self, text: str, key: str | None = "") -> str:
        if key is None and text in SCHEMA_KEYS:
            return text
        if key is None and _KEY_OF_JSON.fullmatch(text):
            self.names.append(("parameters", text))
        elif text.strip() and text not in SCHEMA_TYPES:
            if self.surrogates is not None:
                return next(self.surrogates)
            before = f"{key}: ".replace(MARK, " ") if key else ""
            self.lines.append(f"{before}{MARK}{text.replace(MARK, ' ')}{MARK}\n\n")
        return text


async def _sanitise(request: Request, texts: _Texts) -> Rows:
    """Sanitise texts as one document, and return what restores them."""
    document, rows = "".join(texts.lines), dict[str, Any]()
    if not is_unicode(document):
        raise Refused(400, "a text is not valid Unicode.")
    service: Service = request.app.state.service
    for outcome in await service.draw(request, [document] if document else []):
        if outcome.error:
            raise Refused(422, outcome.error)
        parts, rows = outcome.text.split(MARK), outcome.rows
        if len(parts) != 2 * len(texts.lines) + 1:
            raise Refused(422, "the texts of this request could not be separated.")
        texts.surrogates = iter(parts[1::2])
    _check_names(texts, rows)
    return rows


def _replaced(key: str, value: Any, texts: _Texts) -> Any:
    """Return a value with other texts. Raise Refused (400) for what is neither text nor setting."""
    if value is None or value in ([], {}):
        return value
    if key == "type" and value not in TYPES:
        raise Refused(400, "'type': only texts, functions and their results are passed on.")
    if key in PLAIN and _is_plain(value):
        texts.names += [(key, json.dumps(value))] if key != "model" else []
        return value
    if key in ("parameters", "schema", "arguments"):
        return _json_text(value, texts) if isinstance(value, str) else _data(value, texts)
    if key in TEXTS and isinstance(value, str):
        return texts(value)
    if key in TEXTS and isinstance(value, list):
        return [_replaced(key, item, texts) for item in value]
    if key in TEXTS and isinstance(value, dict):
        return _object_replaced(value, texts)
    name = repr(key) if _NAME.fullmatch(key) else "a field"
    raise Refused(400, f"{name} is not passed on: the proxy does not know what it may hold.")


def _object_replaced(value: dict[str, Any], texts: _Texts) -> dict[str, Any]:
    from_tool = value.get("role") in ("tool", "function")
    if "role" in value and "name" in value and not from_tool:
        raise Refused(400, "'name' of a message may be that of a person, and is not passed on.")
    result = "content" if from_tool else "output"  # of a function, which often writes JSON
    return {
        key: _json_text(item, texts)
        if key == result and isinstance(item, str)
        else _replaced(key, item, texts)
        for key, item in value.items()
    }


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_NAME.fullmatch(key) and _is_plain(item) for key, item in value.items())
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return not isinstance(value, str) or _NAME.fullmatch(value) is not None


def _check_names(texts: _Texts, rows: Rows) -> None:
    """Raise Refused (400) where a name that is passed on names somebody of the texts."""
    originals = {word for row in rows.values() for word in _PIECE.findall(row[0].casefold())}
    for field, name in texts.names:
        words = originals.intersection(_PIECE.findall(name.casefold()))
        if not all(map(_is_common, words)):
            raise Refused(400, f"{field!r} has a name in it that the texts have too.")


# -- the upstream ----------------------------------------------------------------------------------


async def _send(
    stack: AsyncExitStack, request: Request, path: str, body: dict[str, Any]
) -> httpx.Response:
    limits: ServiceOptions = request.app.state.service.limits
    base = httpx.URL(str(limits.upstream).rstrip("/"))
    url = f"{base}{'' if base.path.strip('/') else '/v1'}/{path}".replace("//v1", "/v1")
    own, authorization = os.environ.get(KEY), request.headers.get("authorization", "")
    if own or request.app.state.service.callers.known:  # whose tokens are those of the service
        authorization = f"Bearer {own}" if own else ""
    headers = {"content-type": "application/json", "accept-encoding": "identity"}
    headers |= {"authorization": authorization} if authorization else {}
    timeout = httpx.Timeout(limits.upstream_seconds, connect=CONNECT)
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
        code = f" ({name})" if isinstance(name, str) and _KEY_OF_JSON.fullmatch(name) else ""
    status = upstream.status_code if 400 <= upstream.status_code < 600 else 502
    why = f"the upstream answered with status {upstream.status_code}{code}."
    return Refused(status, why, after=int(after) if after.isascii() and after.isdigit() else None)


async def _whole(upstream: httpx.Response) -> bytes:
    return b"".join([part async for part in _parts(upstream)])


async def _parts(upstream: httpx.Response) -> AsyncIterator[bytes]:
    size = 0
    async for part in upstream.aiter_bytes():
        size += len(part)
        if size > MOST_ANSWER:
            raise Refused(502, "the answer of the upstream is too long.")
        yield part


# -- answers ---------------------------------------------------------------------------------------


def restored(value: Any, restorer: Restorer, data: Restorer, key: str = "") -> Any:
    """Return an answer with its originals. data: restores values of JSON, which is then written."""
    if isinstance(value, dict):
        return {name: restored(item, restorer, data, name) for name, item in value.items()}
    if isinstance(value, list):
        return [restored(item, restorer, data, key) for item in value]
    if not isinstance(value, str) or key in PLAIN:
        return value
    if key == "arguments":
        return _json_text(value, lambda text, _: data.restore(text))
    return restorer.restore(value)


def _json_text(text: str, mapper: TextMapper) -> str:
    """Return JSON with other texts in it, as text; what is no JSON is a text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return mapper(text, "")
    return json.dumps(_data(value, mapper), ensure_ascii=False)


def _data(value: Any, mapper: TextMapper, key: str = "") -> Any:
    """Return any JSON with other texts, keys and numbers of five digits and more."""
    if isinstance(value, dict):
        return {mapper(name, None): _data(item, mapper, name) for name, item in value.items()}
    if isinstance(value, list):
        return [_data(item, mapper, key) for item in value]
    if isinstance(value, str):
        return mapper(value, key)
    old = json.dumps(value)
    if sum(map(str.isdigit, old)) < 5:
        return value
    new = mapper(old, key)
    try:
        return value if new == old else type(value)(new)
    except ValueError:
        return new


class _Arguments:
    """The arguments of a function, held back until they are complete: an original may need escapes
    that a part of a string does not show."""

    def __init__(self, data: Restorer) -> None:
        self._data, self._text = data, ""

    def feed(self, text: str) -> str:
        self._text += text
        return ""

    def flush(self) -> str:
        return _json_text(self._text, lambda text, _: self._data.restore(text))


class ChatStream:
    """The events of a streamed chat, with originals. What may be the beginning of a surrogate is
    held back."""

    def __init__(self, restorer: Restorer, data: Restorer) -> None:
        self._restorer, self._data = restorer, data
        self._open: dict[Any, Restorer | _Arguments] = {}

    def events(self, event: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the events to send in the place of one."""
        events = []
        for choice in event.get("choices") or ():
            number, delta = choice.get("index"), choice.get("delta") or {}
            for name, value in delta.items():
                if isinstance(value, str) and name not in PLAIN:
                    delta[name] = self._feed((number, name), value)
            for call in delta.get("tool_calls") or ():
                function = call.get("function") or {}
                if isinstance(function.get("arguments"), str):
                    key = number, "tool_calls", call.get("index")
                    function["arguments"] = self._feed(key, function["arguments"])
            if choice.get("finish_reason") is not None:  # after which some clients read no more
                rest = {**choice, "delta": self._rest(number, delta), "finish_reason": None}
                events.append({**event, "choices": [rest]})
                choice = {**choice, "delta": {}}
            events.append({**event, "choices": [choice]})
        return events or [event]

    def end(self) -> list[dict[str, Any]]:
        """Return events with what is held back of choices that did not finish."""
        numbers = dict.fromkeys(key[0] for key in self._open)
        return [{"choices": [{"index": i, "delta": self._rest(i, {})}]} for i in numbers]

    def _rest(self, number: Any, delta: dict[str, Any]) -> dict[str, Any]:
        """Return a delta with what is still held back of a choice."""
        delta = dict(delta)
        for key in [key for key in self._open if key[0] == number]:
            rest = self._flush(key)
            if key[1] != "tool_calls":
                delta[key[1]] = (delta.get(key[1]) or "") + rest
            elif rest:
                call = {"index": key[2], "function": {"arguments": rest}}
                delta["tool_calls"] = [*(delta.get("tool_calls") or ()), call]
        return delta

    def _feed(self, key: Any, text: str) -> str:
        if key not in self._open:
            is_json = "tool_calls" in key or "response.function_call_arguments" in key
            self._open[key] = _Arguments(self._data) if is_json else self._restorer.anew()
        return self._open[key].feed(text)

    def _flush(self, key: Any) -> str:
        return self._open.pop(key).flush() if key in self._open else ""


class ResponsesStream(ChatStream):
    """The events of a streamed answer of the responses API, with originals."""

    _number = 0
    PLACE = ("item_id", "output_index", "content_index", "summary_index")

    def events(self, event: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the events to send in the place of one, numbered anew."""
        stem, _, ending = str(event.get("type")).rpartition(".")
        place = {name: event[name] for name in self.PLACE if name in event}
        key, events = (stem, *place.values()), []
        if ending == "delta" and isinstance(event.get("delta"), str):
            events.append({**event, "delta": self._feed(key, event["delta"])})
        else:
            rest = self._flush(key) if ending == "done" else ""
            events += [{"type": f"{stem}.delta", **place, "delta": rest}] if rest else []
            events.append(restored(event, self._restorer, self._data))
        for made in events:
            made["sequence_number"], self._number = self._number, self._number + 1
        return events

    def end(self) -> list[dict[str, Any]]:
        """Return nothing: `done` ends each text."""
        return []


async def _events(
    upstream: httpx.Response, stack: AsyncExitStack, stream: ChatStream
) -> AsyncIterator[str]:
    """Yield server-sent events, with originals, and an error at the end where one came."""
    async with stack:
        try:
            async for data in _data_lines(upstream):
                if data == b"[DONE]":
                    break
                for event in stream.events(json.loads(data)):
                    yield _event(event)
            for event in stream.end():
                yield _event(event)
            yield "data: [DONE]\n\n"
        except (ValueError, AttributeError, TypeError, httpx.HTTPError, Refused):
            yield _event({"error": {"message": "the answer of the upstream broke off."}})


async def _data_lines(upstream: httpx.Response) -> AsyncIterator[bytes]:
    left = b""
    async for part in _parts(upstream):
        *lines, left = (left + part).split(b"\n")  # other ends of lines may be in a text
        for line in lines:
            if line.startswith(b"data:"):
                yield line[5:].strip()
    if left.startswith(b"data:"):
        yield left[5:].strip()


def _event(event: dict[str, Any]) -> str:
    kind = f"event: {event['type']}\n" if "type" in event else ""
    return f"{kind}data: {json.dumps(event, ensure_ascii=False)}\n\n"
