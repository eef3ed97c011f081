"""The routes, for FastAPI."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Collection
from typing import Any

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse, Response

from ..about import __version__
from ..batch.workers import Packed
from ..machine.hosts import Asgi
from . import openapi
from .anonymize import OPERATORS, job_of
from .bodies import LINES, Asked, asked, kind_of, parsed, read_object, read_parts
from .desk import Desk, told
from .guard import FAILED, Guard
from .limits import Refused
from .page import page

AT_ONCE = 32  # lines of a stream that are drawn together


def make_app(desk: Desk, *, hosts: Collection[str] = ()) -> Asgi:
    """The whole service, as ASGI. hosts: see Guard."""
    return Guard(_routes(desk), desk.metrics, hosts=hosts, most=desk.limits.requests)


def _routes(desk: Desk) -> FastAPI:
    app = FastAPI(
        title="spacy_dxprivacy", version=__version__, docs_url=None, redoc_url=None,
        redirect_slashes=False, description=openapi.DESCRIPTION,
    )  # fmt: skip
    for kind, handler in ((Refused, _refused), (HTTPException, _no_route), (Exception, _failed)):
        app.add_exception_handler(kind, handler)
    for path, method, function, told_of in (
        ("/sanitize", "POST", _sanitize, openapi.SANITIZE),
        ("/anonymize", "POST", _anonymize, openapi.ANONYMIZE),
        ("/anonymizers", "GET", _anonymizers, None),
        ("/about", "GET", _about, None),
        ("/budget", "GET", _budget, None),
        ("/health", "GET", _health, None),
        ("/metrics", "GET", _metrics, None),
    ):
        endpoint = _with(desk, function)
        app.add_api_route(path, endpoint, methods=[method], openapi_extra=told_of,
                          response_model=None)  # fmt: skip
    openapi.wants_tokens(app)
    document = page(app.openapi())  # Swagger's own page loads its scripts from elsewhere
    app.add_route("/docs", lambda request: Response(document, media_type="text/html"))
    return app


def _with(desk: Desk, function: Any) -> Any:
    async def endpoint(request: Request) -> Response:
        response: Response = await function(desk, request)
        return response

    endpoint.__name__, endpoint.__doc__ = function.__name__.strip("_"), function.__doc__
    return endpoint


def _admit(desk: Desk, request: Request, **how: bool) -> str:
    return desk.admit(request.headers.get("authorization"), **how)


async def _sanitize(desk: Desk, request: Request) -> Response:
    """Sanitise a text, several, or a stream of lines of JSON. Each is drawn anew, and counts."""
    started = time.perf_counter()
    caller = _admit(desk, request)
    if kind_of(request) == LINES:
        return _Lines(desk, caller, request)
    wanted = asked(await read_object(request, desk.limits), desk.limits)
    found = await desk.draw(caller, wanted.texts)
    await desk.wait(started)
    return JSONResponse(_answer(wanted, found), status_code=_status(wanted, found))


def _status(wanted: Asked, found: list[Packed]) -> int:
    return 422 if wanted.one and isinstance(found[0], str) else 200


def _answer(wanted: Asked, found: list[Packed]) -> dict[str, Any]:
    if wanted.one:
        return _entry(found[0], receipts=wanted.receipts)
    answer: dict[str, Any] = {"texts": [None if isinstance(one, str) else one[0] for one in found]}
    failures = {str(i): one for i, one in enumerate(found) if isinstance(one, str)}
    if failures:
        answer["errors"] = failures
    if wanted.receipts:
        answer["receipts"] = [None if isinstance(one, str) else told(one[1]) for one in found]
    return answer


def _entry(one: Packed, *, receipts: bool) -> dict[str, Any]:
    if isinstance(one, str):
        return {"error": one}
    return {"text": one[0], **({"receipt": told(one[1])} if receipts else {})}


class _Lines(Response):
    """Lines of JSON in, lines of JSON out, while they come."""

    def __init__(self, desk: Desk, caller: str, request: Request) -> None:
        super().__init__(media_type=LINES)
        del self.headers["content-length"]
        self.desk, self.caller, self.request = desk, caller, request

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        try:
            rest = b""
            async for part in read_parts(self.request, self.desk.limits):
                *lines, rest = (rest + part).split(b"\n")
                await self._send(lines, send)
            await self._send([rest], send)
        except Refused as error:
            await self._write([{"error": error.why}], send)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send(self, lines: list[bytes], send: Any) -> None:
        full = [line for line in lines if line.strip()]
        for start in range(0, len(full), AT_ONCE):
            await self._write(await self._answers(full[start : start + AT_ONCE]), send)

    async def _answers(self, lines: list[bytes]) -> list[dict[str, Any]]:
        """One for each line, in order. Raises Refused where no more is given to this caller."""
        started = time.perf_counter()
        wanted = [self._asked(line) for line in lines]
        good = [one for one in wanted if isinstance(one, Asked)]
        drawn = iter(await self.desk.draw(self.caller, [one.texts[0] for one in good]))
        await self.desk.wait(started)
        return [
            _entry(next(drawn), receipts=one.receipts) if isinstance(one, Asked) else one
            for one in wanted
        ]

    def _asked(self, line: bytes) -> Asked | dict[str, Any]:
        try:
            wanted = asked(parsed(line), self.desk.limits)
        except Refused as error:
            return {"error": error.why}
        return wanted if wanted.one else {"error": "a line has one 'text'."}

    async def _write(self, answers: list[dict[str, Any]], send: Any) -> None:
        body = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in answers).encode()
        await send({"type": "http.response.body", "body": body, "more_body": True})


async def _anonymize(desk: Desk, request: Request) -> Response:
    """As presidio's anonymizer: what its analyzer found is replaced, all else stays in clear."""
    started = time.perf_counter()
    caller = _admit(desk, request)
    job = job_of(await read_object(request, desk.limits), desk.limits)
    found = await desk.draw(caller, job.to_draw)
    failures = [one for one in found if isinstance(one, str)]
    if failures:
        raise Refused(422, failures[0])
    await desk.wait(started)
    return JSONResponse(job.answer([one[0] for one in found if not isinstance(one, str)]))


async def _anonymizers(desk: Desk, request: Request) -> Response:
    """The names that /anonymize knows."""
    _admit(desk, request, counts=False)
    return JSONResponse(list(OPERATORS))


async def _about(desk: Desk, request: Request) -> Response:
    """The mechanism, its guarantee, and what stays in clear: the same for all texts."""
    _admit(desk, request, counts=False)
    return JSONResponse(desk.about())


async def _budget(desk: Desk, request: Request) -> Response:
    """What this caller was given so far, and what is left."""
    caller = _admit(desk, request, counts=False)
    return JSONResponse(await asyncio.to_thread(desk.account, caller))


async def _health(desk: Desk, request: Request) -> Response:
    """200 while it can sanitise, 503 when it cannot any more. It takes no token."""
    if desk.engine.broken:
        raise Refused(503, "a worker failed: start this service anew.")
    return JSONResponse({"status": "ok"})


async def _metrics(desk: Desk, request: Request) -> Response:
    """Figures for Prometheus."""
    _admit(desk, request, counts=False)
    kind = "text/plain; version=0.0.4; charset=utf-8"
    return PlainTextResponse(desk.metrics.text(), media_type=kind)


# -- errors, none of which holds anything of a request -------------------------------------------


def _error(status: int, why: str, after: int | None = None) -> JSONResponse:
    headers = {} if after is None else {"retry-after": str(after)}
    if status == 401:
        headers["www-authenticate"] = "Bearer"
    return JSONResponse({"error": why}, status_code=status, headers=headers)


async def _refused(request: Request, error: Any) -> Response:
    return _error(error.status, error.why, error.after)


async def _no_route(request: Request, error: Any) -> Response:
    why = {404: "there is no such route.", 405: "this route takes another method."}
    return _error(error.status_code, why.get(error.status_code, "this cannot be answered."))


async def _failed(request: Request, error: Any) -> Response:
    return _error(500, FAILED)  # and Guard says in the log what it was
