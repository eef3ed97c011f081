"""The routes of the service, and the bodies of their requests."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from pydantic import BaseModel, ConfigDict, Field, model_validator
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import JSONResponse, Response

from ...about import __version__
from ...machine import LOOPBACK
from ...text.mentions import united
from .callers import Refused
from .service import Guard, Outcome, Service

MOST = 1000  # texts or entities of a request
DESCRIPTION = """Sanitise text under metric differential privacy. Every request draws its texts
again, and the privacy losses of a caller add up. /about states the guarantee. Errors are
{"error": "a sentence"}, without content of the request."""
NO_ROUTE = {404: "there is no such route.", 405: "this route takes another method."}

routes, texts = APIRouter(), APIRouter()


def make_app(service: Service) -> FastAPI:
    """Return the application, as ASGI."""
    app = FastAPI(
        title="spacy_dxprivacy", version=__version__, description=DESCRIPTION,
        docs_url=None, redoc_url=None, redirect_slashes=False,
        dependencies=[Depends(HTTPBearer(auto_error=False))],  # in the document; Guard checks it
        exception_handlers={RequestValidationError: _wrong, HTTPException: _no_route},
    )  # fmt: skip
    app.state.service = service
    app.include_router(routes)
    if service.limits.upstream:
        from .proxy import routes as proxied

        app.include_router(proxied)
    else:
        app.include_router(texts)
    app.add_middleware(Guard, service=service)
    hosts = [*LOOPBACK, *service.limits.host]
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False)
    return app


async def _wrong(request: Request, error: Any) -> Response:
    raise refusal(error.errors())


async def _no_route(request: Request, error: Any) -> Response:
    raise Refused(error.status_code, NO_ROUTE.get(error.status_code, "the body is not JSON."))


Text = Annotated[str, Field(max_length=100_000)]  # valid Unicode, as pydantic checks


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)


class Sanitize(_Body):
    """One of `text` and `texts`."""

    text: Text | None = None
    texts: list[Text] = Field(default=[], max_length=MOST, description="In place of `text`.")
    receipts: bool = Field(default=False, description="Also report what was done.")

    @model_validator(mode="after")
    def _text_or_texts(self) -> Sanitize:
        if (self.text is None) == ("texts" not in self.model_fields_set):
            raise ValueError("both or none")
        return self


class Result(_Body):
    """An entity, as presidio's analyzer reports it, whose other fields do not count."""

    model_config = ConfigDict(extra="ignore")
    start: int = Field(ge=0)
    end: int
    entity_type: Text


class Anonymize(_Body):
    """In the shape of presidio's anonymizer: the mechanism draws the words of what its analyzer
    found, and all else stays unmodified, as there."""

    text: Text
    analyzer_results: list[Result] = Field(default=[], max_length=MOST)

    @model_validator(mode="after")
    def _inside(self) -> Anonymize:
        if not all(r.start < r.end <= len(self.text) for r in self.analyzer_results):
            raise ValueError("outside of the text")
        return self


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
async def sanitize(body: Sanitize, request: Request) -> Response:
    """Sanitise a text or several. Each is drawn anew, and counts."""
    outcomes = await _draw(request, body.texts if body.text is None else [body.text])
    if body.text is not None:
        (one,) = outcomes
        if one.error:
            raise Refused(422, one.error)
        receipt = {"receipt": one.receipt} if body.receipts else {}
        return JSONResponse({"text": one.text, **receipt})
    answer: dict[str, Any] = {"texts": [None if o.error else o.text for o in outcomes]}
    errors = {str(i): o.error for i, o in enumerate(outcomes) if o.error}
    if errors:
        answer["errors"] = errors
    if body.receipts:
        answer["receipts"] = [o.receipt or None for o in outcomes]
    return JSONResponse(answer)


@texts.post("/anonymize")
async def anonymize(body: Anonymize, request: Request) -> Response:
    """Replace the entities that presidio's analyzer reports, as its anonymizer does."""
    entities = united((r.entity_type, r.start, r.end) for r in body.analyzer_results)
    outcomes = await _draw(request, [body.text[start:end] for _, start, end in entities])
    text, items, place = "", [], 0
    for (label, start, end), outcome in zip(entities, outcomes, strict=True):
        if outcome.error:
            raise Refused(422, outcome.error)
        text += body.text[place:start]
        span = {"start": len(text), "end": len(text) + len(outcome.text)}
        items.append({**span, "entity_type": label, "text": outcome.text, "operator": "dx"})
        text, place = text + outcome.text, end
    # Presidio lists the last one first.
    return JSONResponse({"text": text + body.text[place:], "items": items[::-1]})


@routes.get("/about")
async def about(request: Request) -> Response:
    """The mechanism, its guarantee, and what stays in plaintext: the same for all texts."""
    t = request.app.state.service.terms
    return JSONResponse({
        "mechanism": t.mechanism, "guarantee": t.guarantee.to_dict(), "space": t.space,
        "unknown_policy": t.unknown_policy, "scope": t.scope, "in_clear": list(t.in_clear),
        "attacker": t.attacker, "scale": t.scale,
    })  # fmt: skip


@routes.get("/budget")
async def budget(request: Request) -> Response:
    """Return what this caller spent, and what is left of its budget."""
    account, caller = request.app.state.service.account, request.state.caller
    loss, count = await asyncio.to_thread(account.get, caller)
    left = None if account.limit is None else max(0.0, account.limit - loss.epsilon())
    spent = {**loss.to_dict(), "draws": count.draws, "budget": account.limit, "left": left}
    return JSONResponse({"caller": caller, **spent})


@routes.get("/health")
async def health(request: Request) -> Response:
    """Return 200 while the service can sanitise, else 503. Takes no token."""
    if request.app.state.service.stuck:
        raise Refused(503, "the service can no longer sanitise. Restart it.")
    return JSONResponse({"status": "ok"})


async def _draw(request: Request, texts: list[str]) -> list[Outcome]:
    service: Service = request.app.state.service
    return await service.draw(request, texts)
