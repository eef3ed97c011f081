"""What a request asks for, read by hand: a library that validates quotes what it refuses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..batch.record import NOT_UNICODE
from ..files.limits import parse_json
from .limits import Limits, Refused

LINES = "application/x-ndjson"
NOT_JSON = "the body is not JSON."


class HasBody(Protocol):
    """What is used of a request of starlette."""

    @property
    def headers(self) -> Mapping[str, str]:
        """Names in small letters."""

    def stream(self) -> AsyncIterator[bytes]:
        """The body, part by part."""


@dataclass(frozen=True)
class Asked:
    """texts: to be sanitised. one: they were asked for as a single text. receipts: whether what was
    done is told."""

    texts: list[str] = field(repr=False)
    one: bool
    receipts: bool


def kind_of(request: HasBody) -> str:
    """The content type, without its parameters. Raises Refused (415) for a packed body."""
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise Refused(415, "the body may not be packed.")
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def read_object(request: HasBody, limits: Limits) -> dict[str, Any]:
    """The JSON object of a body. Raises Refused: 415 for another content type (a page of somebody
    else can send all others without asking), 413, 408, 400."""
    if kind_of(request) != "application/json":
        raise Refused(415, "the content type has to be application/json.")
    parts = [part async for part in read_parts(request, limits)]
    return parsed(b"".join(parts))


def parsed(raw: bytes) -> dict[str, Any]:
    """Raises Refused (400) for what is no JSON object in UTF-8."""
    try:
        found = parse_json(raw.decode("utf8"))
    except ValueError:
        raise Refused(400, NOT_JSON) from None
    if not isinstance(found, dict):
        raise Refused(400, "the body is not a JSON object.")
    return found


async def read_parts(request: HasBody, limits: Limits) -> AsyncIterator[bytes]:
    """The body as it comes. Raises Refused: 413 for one too long, 408 for one too slow."""
    too_long = Refused(413, f"a body has {limits.body:,} bytes at most.")
    told = request.headers.get("content-length", "")
    if told.isdigit() and int(told) > limits.body:
        raise too_long
    size, parts = 0, request.stream()
    while True:
        try:
            part = await asyncio.wait_for(anext(parts), limits.seconds)
        except StopAsyncIteration:
            return
        except asyncio.TimeoutError:
            raise Refused(408, "the body did not arrive in time.") from None
        size += len(part)
        if size > limits.body:
            raise too_long
        yield part


def asked(found: dict[str, Any], limits: Limits) -> Asked:
    """What /sanitize takes. Raises Refused (422, 413); no name of a field that is not ours is told,
    as it may be text."""
    check_fields(found, {"text", "texts", "receipts"})
    if ("text" in found) == ("texts" in found):
        raise Refused(422, "give one of 'text' and 'texts'.")
    receipts = found.get("receipts", False)
    if not isinstance(receipts, bool):
        raise Refused(422, "'receipts' is true or false.")
    one = "text" in found
    texts = [found["text"]] if one else found["texts"]
    if not isinstance(texts, list):
        raise Refused(422, "'texts' is a list of strings.")
    if len(texts) > limits.texts:
        raise Refused(413, f"at most {limits.texts:,} texts go into a request.")
    return Asked([checked_text(text, limits) for text in texts], one, receipts)


def check_fields(found: dict[str, Any], known: set[str]) -> None:
    """Raises Refused (422) for a field that is not known: it may be one of ours, misspelt."""
    if not set(found) <= known:
        names = ", ".join(f"'{name}'" for name in sorted(known))
        raise Refused(422, f"there is a field that this route does not know. It knows {names}.")


def checked_text(text: object, limits: Limits) -> str:
    """A text that can be sanitised. Raises Refused (422, 413)."""
    if not isinstance(text, str):
        raise Refused(422, "a text is not a string.")
    if len(text) > limits.characters:
        raise Refused(413, f"a text has {limits.characters:,} characters at most.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Refused(422, NOT_UNICODE) from None
    return text
