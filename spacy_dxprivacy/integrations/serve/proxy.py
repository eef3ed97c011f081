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
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import AsyncExitStack, suppress
from functools import cache
from hashlib import sha256
from itertools import count
from typing import Any, NoReturn

import httpx
from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from ...config import ServiceOptions
from ...entities.surrogates.restoring import Restorer, Rows
from ...entities.surrogates.table import _is_common
from ...entities.words import is_plain
from ...io.pieces import listed
from ...io.records import is_unicode
from ...machine import is_loopback
from .callers import Refused
from .service import Service

KEY = "DX_UPSTREAM_KEY"
MOST_ANSWER = 2**25  # bytes
CONNECT = 10.0  # seconds
DONE = b"[DONE]"
CALLS = "response.function_call_arguments"  # events of the responses API
MARK = "\x1e"  # around each text of the document; white space to the tokenizer
DIGITS = 5  # of a number that may be somebody's
# Returns the text to write in place of a text, given the key that it stands under.
TextMapper = Callable[[str, str], str]
KeyMapper = Callable[[str], str]
NUMBERS, CHOICES, VALUES, NAMES, MODELS, TEXTS, RESTORED, TYPES = (
    listed(f"OPENAI_{name}")
    for name in "NUMBERS CHOICES VALUES NAMES MODELS TEXTS RESTORED TYPES".split()
)
SCHEMA_TYPES, SCHEMA_KEYS = listed("SCHEMA_TYPES"), listed("SCHEMA_KEYS")
NOT_JSON = "the body is not an object of JSON, or is nested too deeply."
_NAME = re.compile(r"[\w.:/@+$-]{1,128}", re.ASCII)
_CODE = re.compile(r"[a-z][a-z0-9_]{0,40}")
_PIECE = re.compile(r"[^\W\d_]{3,}")
_BREAK = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])")  # between the words of an identifier
# An identifier that a machine drew: letters and digits in one run.
_DRAWN = re.compile(
    r"(?:[a-z-]{1,20}[_-])?(?=[a-zA-Z]*\d)(?=\d*[a-zA-Z])[0-9a-zA-Z]{9,}|[0-9a-f-]{32,36}"
)
_VERSION = re.compile(r"(?:\d-){0,3}20[12]\d-?[01]\d-?[0-3]\d")

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
    limits: ServiceOptions = request.app.state.service.limits
    texts = _Texts(limits.models)
    try:
        body = _parsed(await request.body())
        if not isinstance(body, dict):
            raise Refused(400, NOT_JSON)
        _object_replaced(body, texts)
    except (ValueError, RecursionError):
        raise Refused(400, NOT_JSON) from None
    rows = await _sanitise(request, texts, _conversation(body))
    body = _object_replaced(body, texts)
    rows = {**rows, **{new: (old, [new], False) for new, old in texts.keys.items()}}
    as_json = _wants_json(body)
    back = Answers(Restorer(rows, escaped=as_json), Restorer(rows), limits.tools)
    async with AsyncExitStack() as stack:
        upstream = await _send(stack, request, path, body)
        if upstream.status_code != 200:
            raise await _failure(upstream)
        try:
            if body.get("stream"):
                lines = _data_lines(upstream)
                if (first := await anext(lines, DONE)) == DONE:
                    raise ValueError("no events")
                _parsed(first)
                events = _events(first, lines, stack.pop_all(), kind(back))
                return StreamingResponse(events, media_type="text/event-stream")
            return JSONResponse(back.restored(_parsed(await _whole(upstream))))
        except (ValueError, RecursionError, httpx.HTTPError):
            raise Refused(502, "the answer of the upstream is not JSON, or broke off.") from None


def _parsed(raw: bytes) -> Any:
    """Return JSON. Raise ValueError or RecursionError, also for NaN and infinite numbers."""
    value = json.loads(raw, parse_constant=_no_number)
    json.dumps(value, allow_nan=False)  # 1e999 is infinite; and it can be written, so deep it is
    return value


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


def _conversation(body: dict[str, Any]) -> str:
    """Return a digest of what a conversation begins with: the first message of its user."""
    said = body.get("messages", body.get("input"))
    if isinstance(said, list):
        asked = (one for one in said if isinstance(one, dict) and one.get("role") == "user")
        said = next(asked, {"content": said[:1]}).get("content")
    return sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _wants_json(body: dict[str, Any]) -> bool:
    form: Any = body.get("response_format") or body.get("text")
    form = form.get("format", form) if isinstance(form, dict) else {}
    return isinstance(form, dict) and str(form.get("type")).startswith("json")


# -- requests --------------------------------------------------------------------------------------


class _Texts:
    """The texts of a request: collected in a first pass, replaced in a second one.

    names: of functions, calls, models and parameters, which stay as they are, with their fields.
    keys: those that keys of data became which are no surrogates, with the originals.
    """

    def __init__(self, models: Collection[str] = ()) -> None:
        self.lines: list[str] = []  # of the document: a key, and a text between marks
        self.names: list[tuple[str, str]] = []
        self.keys: dict[str, str] = {}
        self._models = models
        self._known: dict[str, str] = {}  # keys of data that were read
        self._surrogates: Iterator[str] | None = None  # the texts of the second pass

    @property
    def document(self) -> str:
        """The texts, and after them the names, as they are and word by word."""
        spelled = dict.fromkeys(_spelled(name) for _, name in self.names if not _is_drawn(name))
        raw = dict.fromkeys(name for _, name in self.names if not _is_drawn(name))
        return "".join([*self.lines, *(_line(one, "word: ") for one in (*raw, *spelled))])

    def replace_by(self, document: str) -> None:
        """Take the sanitised document. Raise Refused (422, 400) where it fell apart, and where a
        name names somebody."""
        old, new = self.document.split(MARK)[1::2], document.split(MARK)[1::2]
        if len(old) != len(new):
            raise Refused(422, "the texts of this request could not be separated.")
        texts = len(self.lines)
        for one, other in zip(old[texts:], new[texts:], strict=True):
            if one != other:
                fields = (field for field, name in self.names if one in (name, _spelled(name)))
                raise _named(next(fields))
        self._surrogates, self._known = iter(new[:texts]), {}

    def __call__(self, text: str, key: str = "") -> str:
        if not text.strip() or text in SCHEMA_TYPES:
            return text
        if self._surrogates is not None:
            return next(self._surrogates)
        self.lines.append(_line(text, f"{key}: ".replace(MARK, " ") if key else ""))
        return text

    def key(self, text: str) -> str:
        """Return a key of data: a text, and one that is read word by word besides."""
        if text in self._known or not text.strip():
            return self._known.get(text, text)
        spelled = _spelled(text)
        new, again = self(text), self(spelled) if spelled != text else spelled
        if new == text and again != spelled:
            number = next(i for i in count(1) if f"key_{i}" not in self.keys.keys() | self._known)
            new = f"key_{number}"
            self.keys[new] = text
        self._known[text] = new
        return new

    def parameter(self, text: str) -> str:
        """Return a key of a schema, which a function needs as it is."""
        if text not in SCHEMA_KEYS:
            if not _NAME.fullmatch(text):
                raise Refused(400, "a schema has a key that is no name.")
            self.names.append(("parameters", text))
        return text

    def model(self, name: str) -> str:
        """Return the name of a model. Raise Refused (400) for words that are in no list of them."""
        if name not in self._models:
            words = set(_PIECE.findall(name.lower()))
            strange = [one for one in words - MODELS if not is_plain(one)]
            rest = [one for one in re.findall(r"[\d-]+", name) if not _is_version(one)]
            if strange or rest or not _NAME.fullmatch(name):
                raise Refused(
                    400, "'model': the proxy does not know this name; add it to `models`."
                )
        return name


def _line(text: str, before: str = "") -> str:
    return f"{before}{MARK}{text.replace(MARK, ' ')}{MARK}\n\n"


def _spelled(name: str) -> str:
    return " ".join(_BREAK.sub(" ", name).split())


def _is_drawn(name: str) -> bool:
    return _DRAWN.fullmatch(name) is not None


def _is_version(text: str) -> bool:
    """Return whether digits of a model's name are numbers of its version, or the day of it."""
    bare = text.strip("-")
    short = len(_digits(bare)) < 7 and all(len(one) < DIGITS for one in bare.split("-"))
    return short or _VERSION.fullmatch(bare) is not None


def _named(field: str) -> Refused:
    return Refused(400, f"{field!r} has a name or a number in it that may be somebody's.")


async def _sanitise(request: Request, texts: _Texts, conversation: str) -> Rows:
    """Sanitise texts as one document, and return what restores them."""
    document, rows = texts.document, dict[str, Any]()
    if not is_unicode(document):
        raise Refused(400, "a text is not valid Unicode.")
    service: Service = request.app.state.service
    drawn = await service.draw(request, [document] if document else [], conversation)
    for outcome in drawn:
        if outcome.error:
            raise Refused(422, outcome.error)
        rows = dict(outcome.rows)
        texts.replace_by(outcome.text)
    _check_names(texts, rows)
    return rows


def _replaced(key: str, value: Any, texts: _Texts) -> Any:
    """Return a value with other texts. Raise Refused (400) for what is neither text nor setting."""
    if value is None or value in ([], {}):
        return value
    if key == "type" and value not in TYPES:
        raise Refused(400, "'type': only texts, functions and their results are passed on.")
    if _is_setting(key, value, texts):
        return value
    if key in ("parameters", "schema") and isinstance(value, dict):
        return _data(value, texts, texts.parameter)
    if key == "arguments":
        return _json_text(value, texts) if isinstance(value, str) else _of_data(value, texts)
    if key in TEXTS and isinstance(value, str) and key not in CHOICES:
        return texts(value)
    if key in TEXTS and isinstance(value, list):
        return [_replaced(key, item, texts) for item in value]
    if key in TEXTS and isinstance(value, dict):
        return _object_replaced(value, texts)
    name = repr(key) if _NAME.fullmatch(key) else "a field"
    raise Refused(400, f"{name} is not passed on: the proxy does not know what it may hold.")


def _is_setting(key: str, value: Any, texts: _Texts) -> bool:
    """Return whether a field is a setting, with a value that such a setting has."""
    if key in NUMBERS and isinstance(value, bool | int | float):
        if sum(map(str.isdigit, json.dumps(value))) >= DIGITS:
            texts.names.append((key, json.dumps(value)))
        return True
    if key in CHOICES:
        values = value if isinstance(value, list) else [value]
        return all(isinstance(one, str) and one in VALUES | TYPES for one in values)
    if key == "logit_bias" and isinstance(value, dict):
        tokens = all(name.isdecimal() and len(name) < 7 for name in value)
        return tokens and all(isinstance(one, int | float) for one in value.values())
    if key == "model" and isinstance(value, str):
        return bool(texts.model(value))
    if key in NAMES and isinstance(value, str) and _NAME.fullmatch(value):
        texts.names.append((key, value))
        return True
    return False


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


def _check_names(texts: _Texts, rows: Rows) -> None:
    """Raise Refused (400) where a name that is passed on names somebody of the texts."""
    originals = [row[0].casefold() for row in rows.values()]
    words = {word for text in originals for word in _PIECE.findall(text)}
    numbers = {number for text in originals if len(number := _digits(text)) >= DIGITS}
    for field, name in texts.names:
        shared = words.intersection(_PIECE.findall(name.casefold()))
        digits = _digits(name)
        if not all(map(_is_common, shared)) or any(number in digits for number in numbers):
            raise _named(field)


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


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
    if not authorization.isascii():
        raise Refused(400, "the header Authorization is not in ASCII.")
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
        code = f" ({name})" if isinstance(name, str) and _CODE.fullmatch(name) else ""
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


def _json_text(text: str, texts: _Texts) -> str:
    """Return JSON with other texts in it, as text; what is no JSON is a text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return texts(text)
    return json.dumps(_of_data(value, texts), ensure_ascii=False)


def _of_data(value: Any, texts: _Texts) -> Any:
    return _data(value, texts, texts.key)


def _data(value: Any, mapper: TextMapper, key_of: KeyMapper, key: str = "") -> Any:
    """Return any JSON with other texts, keys and numbers of five digits and more."""
    if isinstance(value, dict):
        items = [(key_of(name), _data(item, mapper, key_of, name)) for name, item in value.items()]
        return _apart(items)
    if isinstance(value, list):
        return [_data(item, mapper, key_of, key) for item in value]
    if isinstance(value, str):
        return mapper(value, key)
    old = json.dumps(value)
    if sum(map(str.isdigit, old)) < DIGITS:
        return value
    new = mapper(old, key)
    try:
        return value if new == old else type(value)(new)
    except ValueError:
        return new


def _apart(items: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object whose keys stay apart, where two got the same one."""
    made = dict[str, Any]()
    for name, item in items:
        while name in made:
            name += "_"
        made[name] = item
    return made


class Answers:
    """What puts originals back into answers: into fields of text, and into the arguments of
    functions that the settings allow, since a function may send them anywhere.

    Args:
        texts: Restores texts.
        data: Restores values of JSON, which is then written.
        tools: Names of functions whose arguments get originals; "*" for all.
    """

    def __init__(self, texts: Restorer, data: Restorer, tools: Collection[str] = ()) -> None:
        self.texts, self.data, self._tools = texts, data, tools

    def allows(self, tool: Any) -> bool:
        """Return whether the arguments of a function get originals."""
        return "*" in self._tools or (isinstance(tool, str) and tool in self._tools)

    def restored(self, value: Any, key: str = "") -> Any:
        """Return an answer with its originals."""
        if isinstance(value, dict):
            made = {name: self.restored(item, name) for name, item in value.items()}
            if isinstance(text := value.get("arguments"), str) and self.allows(value.get("name")):
                made["arguments"] = self.arguments(text)
            return made
        if isinstance(value, list):
            return [self.restored(item, key) for item in value]
        return self.texts.restore(value) if isinstance(value, str) and key in RESTORED else value

    def arguments(self, text: str) -> str:
        """Return arguments with originals, as JSON."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return self.data.restore(text)
        restored = _data(value, lambda text, _: self.data.restore(text), self.data.restore)
        return json.dumps(restored, ensure_ascii=False)


class _Arguments:
    """The arguments of a function, held back until they are complete: an original may need escapes
    that a part of a string does not show."""

    def __init__(self, answers: Answers) -> None:
        self._answers, self._text = answers, ""

    def feed(self, text: str) -> str:
        self._text += text
        return ""

    def flush(self) -> str:
        return self._answers.arguments(self._text)


class ChatStream:
    """The events of a streamed chat, with originals. What may be the beginning of a surrogate is
    held back."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._open: dict[Any, Restorer | _Arguments] = {}
        self._tools: dict[Any, Any] = {}  # the function of each call

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
                tool = self._tools.setdefault(key, function.get("name"))
                if isinstance(function.get("arguments"), str) and self._answers.allows(tool):
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
            is_json = "tool_calls" in key or CALLS in key
            anew = _Arguments(self._answers) if is_json else self._answers.texts.anew()
            self._open[key] = anew
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
        if isinstance(item := event.get("item"), dict):
            self._tools[item.get("id")] = item.get("name")
        if stem == CALLS and "arguments" in event:
            event = {**event, "name": self._tools.get(event.get("item_id"))}
        if ending == "delta" and isinstance(event.get("delta"), str) and self._gets(stem, event):
            events.append({**event, "delta": self._feed(key, event["delta"])})
        else:
            rest = self._flush(key) if ending == "done" else ""
            events += [{"type": f"{stem}.delta", **place, "delta": rest}] if rest else []
            events.append(self._answers.restored(event))
        for made in events:
            made["sequence_number"], self._number = self._number, self._number + 1
        return events

    def _gets(self, stem: str, event: dict[str, Any]) -> bool:
        """Return whether the pieces of a text or of arguments get originals."""
        if stem == CALLS:
            return self._answers.allows(self._tools.get(event.get("item_id")))
        return stem.rpartition(".")[2] in RESTORED

    def end(self) -> list[dict[str, Any]]:
        """Return nothing: `done` ends each text."""
        return []


async def _events(
    first: bytes, lines: AsyncIterator[bytes], stack: AsyncExitStack, stream: ChatStream
) -> AsyncIterator[str]:
    """Yield server-sent events, with originals, and an error at the end where one came."""
    async with stack:
        try:
            data = first
            while data != DONE:
                for event in stream.events(_parsed(data)):
                    yield _event(event)
                data = await anext(lines, DONE)
            for event in stream.end():
                yield _event(event)
            yield f"data: {DONE.decode()}\n\n"
        except (ValueError, AttributeError, TypeError, RecursionError, httpx.HTTPError, Refused):
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
