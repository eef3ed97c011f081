"""The routes, for FastAPI."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Collection
from html import escape
from typing import Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.responses import StreamingResponse as Stream
from starlette.routing import Match, Route

from ..about import __version__
from .callers import Refused
from .desk import Desk
from .guard import LINES, Guard, content_type
from .models import ANONYMIZERS, Anonymize, Sanitize, refusal
from .workers import Drawn

AT_ONCE = 32  # lines of a stream that are drawn together
DESCRIPTION = (
    "Text in, sanitised text out, under metric differential privacy. Every text is drawn anew at "
    "every request, and what a caller was given adds up. /about has the guarantee."
)
ERROR = '{"error": "a sentence"}, with the usual status. It holds nothing of the request.'
NO_ROUTE = {
    400: "the body is not JSON.", 404: "there is no such route.",
    405: "this route takes another method.",
}  # fmt: skip

routes = APIRouter()


def make_app(desk: Desk, *, hosts: Collection[str] = ()) -> FastAPI:
    """Return the whole service, as ASGI. hosts: see Guard."""
    app = FastAPI(
        title="spacy_dxprivacy", version=__version__, description=DESCRIPTION,
        responses={"default": {"description": ERROR}},
        docs_url=None, redoc_url=None, redirect_slashes=False,
        dependencies=[Depends(HTTPBearer(auto_error=False))],  # in the document; Guard checks it
        exception_handlers={RequestValidationError: _wrong, HTTPException: _no_route},
    )  # fmt: skip
    app.state.desk = desk
    app.include_router(routes)
    app.router.routes.insert(0, _LinesRoute("/sanitize", sanitize_lines, methods=["POST"]))
    app.add_route("/docs", lambda request: HTMLResponse(_page(app.openapi())))
    paths = {path for route in app.routes if (path := getattr(route, "path", None))}
    app.add_middleware(Guard, desk=desk, paths=paths, hosts=hosts)
    return app


async def _wrong(request: Request, error: Any) -> Response:
    raise refusal(error.errors())


async def _no_route(request: Request, error: Any) -> Response:
    raise Refused(error.status_code, NO_ROUTE.get(error.status_code, "this cannot be answered."))


@routes.post("/sanitize")
async def sanitize(wanted: Sanitize, request: Request) -> Response:
    """Sanitise a text or several. Each is drawn anew, and counts. As application/x-ndjson, each
    line with a `text` in gives a line out, while they are drawn."""
    texts = wanted.within(_desk(request).limits)
    found = [_entry(wanted, one) for one in await _draw(request, texts)]
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

    async def answers() -> AsyncIterator[str]:
        try:
            for start in range(0, len(lines), AT_ONCE):
                wanted = [_wanted(request, line) for line in lines[start : start + AT_ONCE]]
                good = [one.text for one in wanted if isinstance(one, Sanitize)]
                drawn = iter(await _draw(request, good))
                for one in wanted:
                    entry = _entry(one, next(drawn)) if isinstance(one, Sanitize) else one
                    yield json.dumps(entry, ensure_ascii=False) + "\n"
        except Refused as error:
            yield json.dumps({"error": error.why}) + "\n"

    return Stream(answers(), media_type=LINES)


def _wanted(request: Request, line: bytes) -> Sanitize | dict[str, Any]:
    try:
        wanted = Sanitize.model_validate_json(line)
        wanted.within(_desk(request).limits)
    except ValidationError as error:
        return {"error": refusal(error.errors(include_input=False)).why}
    except Refused as error:
        return {"error": error.why}
    return wanted if wanted.one else {"error": "a line has one 'text'."}


@routes.post("/anonymize")
async def anonymize(wanted: Anonymize, request: Request) -> Response:
    """As presidio's anonymizer: what its analyzer found is replaced, all else stays unmodified."""
    found = await _draw(request, wanted.within(_desk(request).limits))
    for one in found:
        if isinstance(one, str):
            raise Refused(422, one)
    return JSONResponse(wanted.answer([one[0] for one in found]))


@routes.get("/anonymizers")
async def anonymizers() -> Response:
    """The names of anonymizers that /anonymize takes."""
    return JSONResponse(ANONYMIZERS)


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


@routes.get("/metrics")
async def metrics(request: Request) -> Response:
    """Figures for Prometheus. No caller, no path and no text is a label."""
    figures = sorted(_desk(request).figures.items())
    text = "".join(f"{name} {value:.15g}\n" for name, value in figures)
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4")


def _desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


async def _draw(request: Request, texts: list[str]) -> list[Drawn]:
    return await _desk(request).draw(request.state.visit, texts)


def _entry(wanted: Sanitize, one: Drawn) -> dict[str, Any]:
    if isinstance(one, str):
        return {"error": one}
    return {"text": one[0], **({"receipt": one[1]} if wanted.receipts else {})}


def _page(document: dict[str, Any]) -> str:
    """The OpenAPI document in short, as a page that loads nothing: Swagger's loads its scripts from
    elsewhere."""
    title = f"{document['info']['title']} {__version__}"
    rows = "".join(
        f"<tr><th>{method.upper()} {escape(path)}<td>{escape(route.get('description', ''))}"
        for path, methods in document["paths"].items()
        for method, route in methods.items()
    )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><h1>{title}'
        f"</h1><p>{escape(DESCRIPTION)}</p><table>{rows}</table>"
        '<p><a href="openapi.json">openapi.json</a> has the bodies of requests.'
    )
