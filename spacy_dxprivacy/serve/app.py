"""The routes, for FastAPI."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection
from html import escape
from typing import Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from pydantic import ValidationError
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Match, Route

from ..about import __version__
from ..machine.hosts import Asgi
from .desk import Desk, Visit
from .guard import FAILED, LINES, Guard, content_type
from .limits import Refused
from .models import Anonymize, Anonymized, Problem, Sanitize, Sanitized, refusal
from .workers import Drawn

AT_ONCE = 32  # lines of a stream that are drawn together
DESCRIPTION = (
    "Text in, sanitised text out, under metric differential privacy. Every text is drawn anew at "
    "every request, and what a caller was given adds up. /about has the guarantee."
)
ERRORS = {
    400: "no JSON", 401: "no token, or a wrong one", 403: "the budget is spent",
    408: "the body was too slow", 413: "too much", 415: "another content type",
    422: "not what the route takes, or a text that cannot be sanitised",
    429: "too many requests, texts or processor seconds of this caller", 503: "busy",
    504: "it took too long",
}  # fmt: skip
_NO_ROUTE = {404: "there is no such route.", 405: "this route takes another method."}

routes = APIRouter()


def make_app(desk: Desk, *, hosts: Collection[str] = ()) -> Asgi:
    """Return the whole service, as ASGI. hosts: see Guard."""
    problems: Any = {
        status: {"model": Problem, "description": why} for status, why in ERRORS.items()
    }
    app = FastAPI(
        title="spacy_dxprivacy", version=__version__, description=DESCRIPTION, responses=problems,
        docs_url=None, redoc_url=None, redirect_slashes=False,
        dependencies=[Depends(HTTPBearer(auto_error=False))],  # in the document; Guard checks it
    )  # fmt: skip
    app.state.desk = desk
    app.include_router(routes)
    app.router.routes.insert(0, _LinesRoute("/sanitize", _sanitize_lines, methods=["POST"]))
    for kind, handler in (
        (Refused, _refused), (RequestValidationError, _wrong), (HTTPException, _no_route),
        (Exception, _failed),
    ):  # fmt: skip
        app.add_exception_handler(kind, handler)
    app.add_route("/docs", lambda request: HTMLResponse(_page(app.openapi())))
    return Guard(app, desk, hosts=hosts)


def _with(request: Request) -> tuple[Desk, Visit]:
    return request.app.state.desk, request.state.visit


@routes.post("/sanitize", responses={200: {"model": Sanitized}})
async def sanitize(wanted: Sanitize, request: Request) -> Response:
    """Sanitise a text or several. Each is drawn anew, and counts. As application/x-ndjson, a line
    with a `text` in gives a line out, while they come."""
    desk, visit = _with(request)
    found = await desk.draw(visit, wanted.within(desk.limits))
    await desk.wait(visit)
    if wanted.one:
        return JSONResponse(_entry(wanted, found[0]), 422 if isinstance(found[0], str) else 200)
    entries = [_entry(wanted, one) for one in found]
    answer: dict[str, Any] = {"texts": [one.get("text") for one in entries]}
    failures = {str(i): one["error"] for i, one in enumerate(entries) if "error" in one}
    if failures:
        answer["errors"] = failures
    if wanted.receipts:
        answer["receipts"] = [one.get("receipt") for one in entries]
    return JSONResponse(answer)


def _entry(wanted: Sanitize, one: Drawn) -> dict[str, Any]:
    if isinstance(one, str):
        return {"error": one}
    return {"text": one[0], **({"receipt": one[1]} if wanted.receipts else {})}


class _LinesRoute(Route):
    """A route for bodies of lines of JSON alone."""

    def matches(self, scope: Any) -> tuple[Match, Any]:
        if scope["type"] == "http" and content_type(Headers(scope=scope)) != LINES:
            return Match.NONE, {}
        return super().matches(scope)


async def _sanitize_lines(request: Request) -> Response:
    return _Lines(request)


class _Lines(Response):
    """Lines of JSON in, lines of JSON out, while they come."""

    def __init__(self, request: Request) -> None:
        super().__init__(media_type=LINES)
        del self.headers["content-length"]
        self.request = request
        self.desk, self.visit = _with(request)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        try:
            rest = b""
            async for part in self.request.stream():
                *lines, rest = (rest + part).split(b"\n")
                await self._send(lines, send)
            await self._send([rest], send)
        except Refused as error:
            await self._write([{"error": error.why}], send)
        except HTTPException as error:  # of Guard
            await self._write([{"error": error.detail}], send)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send(self, lines: list[bytes], send: Any) -> None:
        full = [line for line in lines if line.strip()]
        for start in range(0, len(full), AT_ONCE):
            await self._write(await self._answers(full[start : start + AT_ONCE]), send)

    async def _answers(self, lines: list[bytes]) -> list[dict[str, Any]]:
        """One for each line, in order. Raises Refused where this caller is given no more."""
        wanted = [self._wanted(line) for line in lines]
        good = [one.text for one in wanted if isinstance(one, Sanitize)]
        drawn = iter(await self.desk.draw(self.visit, good))
        await self.desk.wait(self.visit)
        return [_entry(one, next(drawn)) if isinstance(one, Sanitize) else one for one in wanted]

    def _wanted(self, line: bytes) -> Sanitize | dict[str, Any]:
        try:
            wanted = Sanitize.model_validate_json(line)
            wanted.within(self.desk.limits)
        except ValidationError as error:
            return {"error": refusal(error.errors(include_input=False)).why}
        except Refused as error:
            return {"error": error.why}
        return wanted if wanted.one else {"error": "a line has one 'text'."}

    async def _write(self, answers: list[dict[str, Any]], send: Any) -> None:
        body = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in answers).encode()
        await send({"type": "http.response.body", "body": body, "more_body": True})


@routes.post("/anonymize", responses={200: {"model": Anonymized}})
async def anonymize(wanted: Anonymize, request: Request) -> Response:
    """As presidio's anonymizer: what its analyzer found is replaced, all else stays unmodified."""
    desk, visit = _with(request)
    found = await desk.draw(visit, wanted.within(desk.limits))
    failures = [one for one in found if isinstance(one, str)]
    if failures:
        raise Refused(422, failures[0])
    await desk.wait(visit)
    return JSONResponse(wanted.answer([one[0] for one in found]))


@routes.get("/anonymizers")
async def anonymizers(request: Request) -> Response:
    """The names of anonymizers that /anonymize takes."""
    return JSONResponse(["dx", "mask", "redact", "replace"])


@routes.get("/about")
async def about(request: Request) -> Response:
    """The mechanism, its guarantee, and what stays in plaintext: the same for all texts."""
    return JSONResponse(_with(request)[0].about())


@routes.get("/budget")
async def budget(request: Request) -> Response:
    """What this caller was given so far, and what is left."""
    desk, visit = _with(request)
    return JSONResponse(await asyncio.to_thread(desk.account, visit.caller))


@routes.get("/health")
async def health(request: Request) -> Response:
    """200 while it can sanitise, 503 when it cannot any more. It takes no token."""
    if request.app.state.desk.engine.broken:
        raise Refused(503, "this service cannot sanitise any more. Start it again.")
    return JSONResponse({"status": "ok"})


@routes.get("/metrics")
async def metrics(request: Request) -> Response:
    """Figures for Prometheus. No caller, no path and no text is a label."""
    return PlainTextResponse(
        _with(request)[0].metrics.text(), media_type="text/plain; version=0.0.4"
    )


async def _refused(request: Request, error: Any) -> Response:
    return JSONResponse({"error": error.why}, error.status, error.headers)


async def _wrong(request: Request, error: Any) -> Response:
    return await _refused(request, refusal(error.errors()))


async def _no_route(request: Request, error: Any) -> Response:
    own = {
        413: error.detail,
        400: "the body is not JSON.",
    }  # of Guard, and of a body no parser takes
    why = {**own, **_NO_ROUTE}.get(error.status_code, "this cannot be answered.")
    return JSONResponse({"error": why}, error.status_code)


async def _failed(request: Request, error: Any) -> Response:
    return JSONResponse({"error": FAILED}, 500)  # Guard logs its type and place


def _page(document: dict[str, Any]) -> str:
    """The OpenAPI document in short, as a page that loads nothing: Swagger's loads its scripts from
    elsewhere."""
    rows = "".join(
        f"<tr><th>{method.upper()} {escape(path)}<td>{escape(told.get('description', ''))}"
        for path, methods in document["paths"].items()
        for method, told in methods.items()
    )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{document["info"]["title"]}'
        f"</title><h1>{document['info']['title']} {__version__}</h1><p>{escape(DESCRIPTION)}</p>"
        f'<table>{rows}</table><p><a href="openapi.json">openapi.json</a> has bodies and answers.'
    )
