"""The routes of the service, and the bodies of their requests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Match, Route

from ...about import __version__
from ...io.record import is_unicode
from ...machine.hosts import LOOPBACK
from .callers import Refused
from .guard import LINES, Guard, content_type
from .scheduler import Scheduler
from .workers import Drawn

MOST = 1000  # texts or entities of a request
AT_ONCE = 32  # lines of a stream that are drawn together
NOTE = "Maria told her doctor in London that she sleeps badly."
DESCRIPTION = (
    "Sanitise text under metric differential privacy. Every request draws its texts again, and the "
    "privacy losses of a caller add up. /about states the guarantee. Errors are "
    '{"error": "a sentence"}, without content of the request.'
)
NO_ROUTE = {404: "there is no such route.", 405: "this route takes another method."}

routes, texts = APIRouter(), APIRouter()


def make_app(scheduler: Scheduler) -> FastAPI:
    """Return the whole service, as ASGI."""
    app = FastAPI(
        title="spacy_dxprivacy", version=__version__, description=DESCRIPTION,
        docs_url=None, redoc_url=None, redirect_slashes=False,
        dependencies=[Depends(HTTPBearer(auto_error=False))],  # in the document; Guard checks it
        exception_handlers={RequestValidationError: _wrong, HTTPException: _no_route},
    )  # fmt: skip
    app.state.scheduler = scheduler
    app.include_router(routes)
    if scheduler.limits.upstream:
        from .proxy import routes as proxied

        app.include_router(proxied)
    else:
        app.include_router(texts)
        app.router.routes.insert(0, _LinesRoute("/sanitize", sanitize_lines, methods=["POST"]))
    app.add_middleware(Guard, scheduler=scheduler)
    hosts = [*LOOPBACK, *scheduler.limits.host]
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False)
    return app


async def _wrong(request: Request, error: Any) -> Response:
    raise refusal(error.errors())


async def _no_route(request: Request, error: Any) -> Response:
    raise Refused(error.status_code, NO_ROUTE.get(error.status_code, "the body is not JSON."))


# -- bodies ----------------------------------------------------------------------------------------


def _encodable(text: str) -> str:
    if not is_unicode(text):
        raise ValueError("half of a surrogate pair")
    return text


Text = Annotated[str, Field(max_length=100_000), AfterValidator(_encodable)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)


class Sanitize(_Body):
    """One of `text` and `texts`."""

    model_config = ConfigDict(json_schema_extra={"example": {"text": NOTE}})
    text: Text = ""
    texts: list[Text] = Field(default=[], max_length=MOST, description="In place of `text`.")
    receipts: bool = Field(default=False, description="Also report what was done.")

    @model_validator(mode="after")
    def _one_of_both(self) -> Sanitize:
        if self.one == ("texts" in self.model_fields_set):
            raise ValueError("both or none")
        return self

    @property
    def one(self) -> bool:
        """Whether a single text is asked for."""
        return "text" in self.model_fields_set


class Result(_Body):
    """An entity, as presidio's analyzer reports it."""

    start: int = Field(ge=0)
    end: int
    entity_type: Text
    score: Any = None
    analysis_explanation: Any = None
    recognition_metadata: Any = None


class Anonymize(_Body):
    """In the shape of presidio's anonymizer: the mechanism draws the words of what its analyzer
    found, and all else stays unmodified, as there."""

    model_config = ConfigDict(json_schema_extra={"example": {
        "text": NOTE,
        "analyzer_results": [{"start": 0, "end": 5, "score": 0.9, "entity_type": "PERSON"}],
    }})  # fmt: skip
    text: Text
    analyzer_results: list[Result] = Field(default=[], max_length=MOST)

    @model_validator(mode="after")
    def _inside(self) -> Anonymize:
        if not all(one.start < one.end <= len(self.text) for one in self.analyzer_results):
            raise ValueError("outside of the text")
        return self

    def entities(self) -> list[tuple[int, int, str]]:
        """Return start, end and type of each entity, in order.

        Entities that overlap are merged, and have the type of the longest one.
        """
        merged: list[tuple[int, int, str]] = []
        longest = 0
        for one in sorted(self.analyzer_results, key=lambda r: (r.start, -r.end)):
            start, end, kind, size = one.start, one.end, one.entity_type, one.end - one.start
            if merged and start < merged[-1][1]:
                start, before, other = merged.pop()
                end, kind = max(end, before), kind if size > longest else other
                size = max(size, longest)
            merged.append((start, end, kind))
            longest = size
        return merged


_NAMES = {name for model in (Sanitize, Anonymize, Result) for name in model.model_fields}


def refusal(errors: Iterable[Mapping[str, Any]]) -> Refused:
    """Return the answer to a body that is not what its route takes.

    Messages and places of pydantic's errors quote the input (an unknown name, a value), so only
    names of our own fields are used.
    """
    error = next(iter(errors))
    if error["type"] == "json_invalid":
        return Refused(400, "the body is not JSON.")
    name = next((part for part in reversed(error["loc"]) if part in _NAMES), "the body")
    return Refused(422, f"{name!r} is not what this route takes: see /openapi.json.")


# -- routes: their docstrings are in the document --------------------------------------------------


@texts.post("/sanitize")
async def sanitize(wanted: Sanitize, request: Request) -> Response:
    """Sanitise a text or several. Each is drawn anew, and counts. As application/x-ndjson, each
    line with a `text` in gives a line out, while they are drawn."""
    texts = [wanted.text] if wanted.one else wanted.texts
    entries = [_entry(wanted, one) for one in await _draw(request, texts)]
    if wanted.one:
        return JSONResponse(entries[0], 422 if "error" in entries[0] else 200)
    answer: dict[str, Any] = {"texts": [one.get("text") for one in entries]}
    failures = {str(i): one["error"] for i, one in enumerate(entries) if "error" in one}
    if failures:
        answer["errors"] = failures
    if wanted.receipts:
        answer["receipts"] = [one.get("receipt") for one in entries]
    return JSONResponse(answer)


class _LinesRoute(Route):
    """A route for bodies of lines of JSON alone."""

    def matches(self, scope: Any) -> tuple[Match, Any]:
        if scope["type"] == "http" and content_type(scope) != LINES:
            return Match.NONE, {}
        return super().matches(scope)


async def sanitize_lines(request: Request) -> Response:
    """Sanitise lines of JSON: lines of JSON out, while they are drawn."""
    lines = [line for line in (await request.body()).split(b"\n") if line.strip()]

    async def answers() -> AsyncIterator[str]:
        try:
            for start in range(0, len(lines), AT_ONCE):
                wanted = [_line(line) for line in lines[start : start + AT_ONCE]]
                texts = [one.text for one in wanted if isinstance(one, Sanitize)]
                drawn = iter(await _draw(request, texts))
                for one in wanted:
                    entry = _entry(one, next(drawn)) if isinstance(one, Sanitize) else one
                    yield json.dumps(entry, ensure_ascii=False) + "\n"
        except Refused as error:
            yield json.dumps({"error": error.why}) + "\n"

    return StreamingResponse(answers(), media_type=LINES)


def _line(line: bytes) -> Sanitize | dict[str, Any]:
    try:
        wanted = Sanitize.model_validate_json(line)
    except ValidationError as error:
        return {"error": refusal(error.errors(include_input=False)).why}
    return wanted if wanted.one else {"error": "a line has one 'text'."}


@texts.post("/anonymize")
async def anonymize(wanted: Anonymize, request: Request) -> Response:
    """Replace the entities that presidio's analyzer reports, as its anonymizer does."""
    entities = wanted.entities()
    drawn = await _draw(request, [wanted.text[start:end] for start, end, _ in entities])
    text, items, end = "", [], 0
    for (first, last, kind), one in zip(entities, drawn, strict=True):
        if isinstance(one, str):
            raise Refused(422, one)
        text += wanted.text[end:first]
        place = {"start": len(text), "end": len(text) + len(one[0])}
        items.append({**place, "entity_type": kind, "text": one[0], "operator": "dx"})
        text, end = text + one[0], last
    # Presidio lists the last one first.
    return JSONResponse({"text": text + wanted.text[end:], "items": items[::-1]})


@routes.get("/about")
async def about(request: Request) -> Response:
    """The mechanism, its guarantee, and what stays in plaintext: the same for all texts."""
    t = request.app.state.scheduler.terms
    return JSONResponse({
        "mechanism": t.mechanism, "guarantee": t.guarantee.to_dict(), "space": t.space,
        "unknown_policy": t.unknown_policy, "scope": t.scope, "in_clear": list(t.in_clear),
        "attacker": t.attacker, "scale": t.scale,
    })  # fmt: skip


@routes.get("/budget")
async def budget(request: Request) -> Response:
    """Return what this caller spent, and what is left of its budget."""
    ledger, caller = request.app.state.scheduler.ledger, request.state.context.caller
    spent = await asyncio.to_thread(ledger.spent, caller)
    left = None if ledger.budget is None else max(0.0, ledger.budget - spent["epsilon"])
    return JSONResponse({"caller": caller, **spent, "budget": ledger.budget, "left": left})


@routes.get("/health")
async def health(request: Request) -> Response:
    """Return 200 while the service can sanitise, else 503. Takes no token."""
    if request.app.state.scheduler.broken:
        raise Refused(503, "the service can no longer sanitise. Restart it.")
    return JSONResponse({"status": "ok"})


async def _draw(request: Request, texts: list[str]) -> list[Drawn]:
    scheduler: Scheduler = request.app.state.scheduler
    return await scheduler.draw(request.state.context, texts)


def _entry(wanted: Sanitize, one: Drawn) -> dict[str, Any]:
    if isinstance(one, str):
        return {"error": one}
    return {"text": one[0], **({"receipt": one[1]} if wanted.receipts else {})}
