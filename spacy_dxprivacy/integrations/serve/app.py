"""The routes, for FastAPI."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Match, Route

from ...about import __version__
from ...machine.hosts import LOOPBACK
from .callers import Refused
from .desk import Desk
from .guard import LINES, Guard, content_type
from .models import Anonymize, Sanitize, refusal
from .workers import Drawn

AT_ONCE = 32  # lines of a stream that are drawn together
DESCRIPTION = (
    "Text in, sanitised text out, under metric differential privacy. Every text is drawn anew at "
    "every request, and what a caller was given adds up. /about has the guarantee. Errors are "
    '{"error": "a sentence"}, and hold nothing of the request.'
)
NO_ROUTE = {404: "there is no such route.", 405: "this route takes another method."}

routes = APIRouter()


def make_app(desk: Desk) -> FastAPI:
    """Return the whole service, as ASGI."""
    app = FastAPI(
        title="spacy_dxprivacy", version=__version__, description=DESCRIPTION,
        docs_url=None, redoc_url=None, redirect_slashes=False,
        dependencies=[Depends(HTTPBearer(auto_error=False))],  # in the document; Guard checks it
        exception_handlers={RequestValidationError: _wrong, HTTPException: _no_route},
    )  # fmt: skip
    app.state.desk = desk
    app.include_router(routes)
    app.router.routes.insert(0, _LinesRoute("/sanitize", sanitize_lines, methods=["POST"]))
    app.add_middleware(Guard, desk=desk)
    hosts = [*LOOPBACK, *desk.limits.host]
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False)
    return app


async def _wrong(request: Request, error: Any) -> Response:
    raise refusal(error.errors())


async def _no_route(request: Request, error: Any) -> Response:
    raise Refused(error.status_code, NO_ROUTE.get(error.status_code, "the body is not JSON."))


@routes.post("/sanitize")
async def sanitize(wanted: Sanitize, request: Request) -> Response:
    """Sanitise a text or several. Each is drawn anew, and counts. As application/x-ndjson, each
    line with a `text` in gives a line out, while they are drawn."""
    found = [_entry(wanted, one) for one in await _draw(request, wanted.wanted())]
    if wanted.one:
        return JSONResponse(found[0], 422 if "error" in found[0] else 200)
    answer: dict[str, Any] = {"texts": [one.get("text") for one in found]}
    failures = {str(i): one["error"] for i, one in enumerate(found) if "error" in one}
    if failures:
        answer["errors"] = failures
    if wanted.receipts:
        answer["receipts"] = [one.get("receipt") for one in found]
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
    return StreamingResponse(_answers(request, lines), media_type=LINES)


async def _answers(request: Request, lines: list[bytes]) -> AsyncIterator[str]:
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


def _line(line: bytes) -> Sanitize | dict[str, Any]:
    try:
        wanted = Sanitize.model_validate_json(line)
    except ValidationError as error:
        return {"error": refusal(error.errors(include_input=False)).why}
    return wanted if wanted.one else {"error": "a line has one 'text'."}


@routes.post("/anonymize")
async def anonymize(wanted: Anonymize, request: Request) -> Response:
    """As presidio's anonymizer: what its analyzer found is replaced, all else stays unmodified."""
    found = await _draw(request, wanted.wanted())
    for one in found:
        if isinstance(one, str):
            raise Refused(422, one)
    return JSONResponse(wanted.answer([one[0] for one in found]))


@routes.get("/about")
async def about(request: Request) -> Response:
    """The mechanism, its guarantee, and what stays in plaintext: the same for all texts."""
    t = _desk(request).terms
    return JSONResponse({
        "mechanism": t.mechanism, "guarantee": t.guarantee.to_dict(), "space": t.space,
        "unknown_policy": t.unknown_policy, "scope": t.scope, "in_clear": list(t.in_clear),
        "attacker": t.attacker, "scale": t.scale,
    })  # fmt: skip


@routes.get("/budget")
async def budget(request: Request) -> Response:
    """What this caller was given so far, and what is left."""
    ledger, caller = _desk(request).ledger, request.state.visit.caller
    spent = await asyncio.to_thread(ledger.spent, caller)
    left = None if ledger.budget is None else max(0.0, ledger.budget - spent["epsilon"])
    return JSONResponse({"caller": caller, **spent, "budget": ledger.budget, "left": left})


@routes.get("/health")
async def health(request: Request) -> Response:
    """200 while it can sanitise, 503 when it cannot any more. It takes no token."""
    if _desk(request).broken:
        raise Refused(503, "this service cannot sanitise any more. Start it again.")
    return JSONResponse({"status": "ok"})


def _desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


async def _draw(request: Request, texts: list[str]) -> list[Drawn]:
    return await _desk(request).draw(request.state.visit, texts)


def _entry(wanted: Sanitize, one: Drawn) -> dict[str, Any]:
    if isinstance(one, str):
        return {"error": one}
    return {"text": one[0], **({"receipt": one[1]} if wanted.receipts else {})}
