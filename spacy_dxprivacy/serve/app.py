"""The routes of the service, their request and response models, and its worker processes."""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import logging
import signal
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Collection
from contextlib import nullcontext, suppress
from itertools import accumulate
from pathlib import Path
from typing import Annotated, Any

import uvicorn
from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from pydantic import BaseModel, ConfigDict, Field, model_validator
from spacy.language import Language
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import Response
from starlette.routing import Route
from uvicorn.supervisors import Multiprocess

from ..about import __version__
from ..config.options import PipelineOptions, ServiceOptions
from ..errors import DxError, Errors, UsageError
from ..io.account import Account
from ..io.build import check_limit, get_sanitizer, make_anonymizer, make_pipeline
from ..io.records import Failed, Result
from ..machine import LOOPBACK, end_with_parent
from ..pipeline.component import DxSanitizer
from ..pipeline.receipt import COUNTS, Receipt
from ..privacy.guarantee import Guarantee
from ..prompts.conversation import secret, share_secret
from ..text.mentions import Entity, unite
from .service import (
    LOG,
    NO_ROUTE,
    Callers,
    Guard,
    HttpError,
    Service,
    read_callers,
    text_of,
)

MAX_ITEMS = 1000  # texts or entities of a request
DESCRIPTION = """Sanitise text under metric differential privacy. Every request samples anew, and
the privacy losses of a caller add up. /about states the guarantee. Errors are
{"error": "a sentence"}, without content of the request."""

QUIET_LOGGERS = ("uvicorn", "asyncio", "httpx", "httpcore")  # their log messages may quote texts
STARTUP_FAILURE = 3  # exit status, as that of uvicorn
SHUTDOWN_SECONDS = 30  # seconds to finish requests after SIGTERM
# Seconds without an answer after which a worker is replaced. On a busy machine, importing spaCy
# alone takes longer than the five of uvicorn, and workers would be replaced without end.
WORKER_SECONDS = 120

Text = Annotated[str, Field(max_length=100_000)]  # pydantic checks that it is valid Unicode


class Body(BaseModel):
    """Base class: unknown fields are errors, and errors never quote a value."""

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)


class SanitizeRequest(Body):
    """One of `text` and `texts`."""

    text: Text | None = None
    texts: list[Text] | None = Field(default=None, max_length=MAX_ITEMS)
    receipts: bool = Field(default=False, description="Also report what was done.")

    @model_validator(mode="after")
    def _text_or_texts(self) -> SanitizeRequest:
        if (self.text is None) == (self.texts is None):
            raise ValueError("has to have one of `text` and `texts`")
        return self


class SanitizeAnswer(BaseModel):
    """`text` and `receipt`, or `texts`, `receipts`, and `errors` by the number of their text."""

    text: str | None = None
    receipt: dict[str, Any] | None = None
    texts: list[str | None] | None = None
    receipts: list[dict[str, Any] | None] | None = None
    errors: dict[str, str] | None = None


class AnalyzerResult(Body):
    """An entity from presidio's analyzer. Other fields are ignored."""

    model_config = ConfigDict(extra="ignore")
    start: int = Field(ge=0)
    end: int
    entity_type: Text


class AnonymizeRequest(Body):
    """A request of presidio's anonymizer: the entities that its analyzer recognised are replaced,
    and all other text stays in plaintext."""

    text: Text
    analyzer_results: list[AnalyzerResult] = Field(default=[], max_length=MAX_ITEMS)

    @model_validator(mode="after")
    def _inside(self) -> AnonymizeRequest:
        if not all(r.start < r.end <= len(self.text) for r in self.analyzer_results):
            raise ValueError("has an entity that is outside of the text, or empty")
        return self


class AnonymizedEntity(BaseModel):
    """The position and text of an entity in the answer."""

    start: int
    end: int
    entity_type: str
    text: str
    operator: str = "dx"


class AnonymizeAnswer(BaseModel):
    """An answer of presidio's anonymizer, with the last entity first."""

    text: str
    items: list[AnonymizedEntity]


# Why a field is wrong, by the type of pydantic's error.
_WRONG = {
    "missing": "is missing",
    "extra_forbidden": "has a field that this route does not take",
    "string_type": "has to be a string",
    "string_too_long": "is too long",
    "string_unicode": "is not valid Unicode",
    "list_type": "has to be a list",
    "too_long": "has too many items",
    "int_type": "has to be a whole number",
    "bool_type": "has to be true or false",
    "greater_than_equal": "has to be 0 or more",
    "model_attributes_type": "has to be an object",
}
_FIELDS = {
    name
    for model in (SanitizeRequest, AnonymizeRequest, AnalyzerResult)
    for name in model.model_fields
}

# -- routes: /openapi.json shows their docstrings --------------------------------------------------

routes, texts = APIRouter(), APIRouter()


@texts.post("/sanitize", response_model_exclude_none=True)
async def sanitize(body: SanitizeRequest, request: Request) -> SanitizeAnswer:
    """Sanitise one or several texts. Each request samples anew and is charged."""
    service: Service = request.app.state.service
    if body.text is not None:
        (result,) = await service.draw(request, [body.text])
        return SanitizeAnswer(
            text=text_of(result), receipt=_receipt(result) if body.receipts else None
        )
    results = await service.draw(request, body.texts or [])
    errors = {str(i): r.why for i, r in enumerate(results) if isinstance(r, Failed)}
    return SanitizeAnswer(
        texts=[None if isinstance(result, Failed) else text_of(result) for result in results],
        receipts=[_receipt(result) for result in results] if body.receipts else None,
        errors=errors or None,
    )


def _receipt(result: Result) -> dict[str, Any] | None:
    if isinstance(result, Failed):
        return None
    (receipt,) = result.receipts
    counts = {name: getattr(receipt, name) for name in COUNTS}
    return {**counts, "loss": receipt.loss.to_dict()}


@texts.post("/anonymize")
async def anonymize(body: AnonymizeRequest, request: Request) -> AnonymizeAnswer:
    """Sanitise the entities that presidio's analyzer reports, like its anonymizer."""
    entities = unite(Entity(r.entity_type, r.start, r.end) for r in body.analyzer_results)
    pieces = await request.app.state.service.draw_entities(request, body.text, entities)
    ends = list(accumulate(map(len, pieces)))
    items = [
        AnonymizedEntity(start=start, end=end, entity_type=label, text=piece)
        for (label, *_), piece, start, end in zip(
            entities, pieces[1::2], ends[::2], ends[1::2], strict=False
        )
    ]
    return AnonymizeAnswer(text="".join(pieces), items=items[::-1])


@routes.get("/about")
async def about(request: Request) -> dict[str, Any]:
    """Return the mechanism, its guarantee, and what stays visible, for all texts."""
    t = request.app.state.service.terms
    return {
        "mechanism": t.mechanism, "guarantee": Receipt(stages=t.stages(())).guarantee,
        "space": t.space,
        "unknown_policy": t.unknown_policy, "scope": t.scope, "in_clear": list(t.in_clear),
        "attacker": t.attacker, "scale": t.scale,
    }  # fmt: skip


@routes.get("/budget")
async def budget(request: Request) -> dict[str, Any]:
    """Return the privacy loss of this caller, and the rest of its budget."""
    account, caller = request.app.state.service.account, request.state.caller
    loss, count = await asyncio.to_thread(account.get, caller)
    unspent = None if account.limit is None else max(0.0, account.limit - loss.epsilon())
    spent = {**loss.to_dict(), "draws": count.draws}
    return {"caller": caller, **spent, "budget": account.limit, "left": unspent}


@routes.get("/health")
async def health(request: Request) -> dict[str, str]:
    """Return 200 while the service can sanitise, else 503. Needs no token."""
    if request.app.state.service.stuck:
        raise HttpError(503, "the service can no longer sanitise. Restart it.")
    return {"status": "ok"}


# -- the application and its processes -------------------------------------------------------------


def make_app(service: Service) -> FastAPI:
    """Return the ASGI application of a service."""
    app = FastAPI(
        title="spacy_dxprivacy", version=__version__, description=DESCRIPTION,
        docs_url=None, redoc_url=None, redirect_slashes=False,
        dependencies=[Depends(HTTPBearer(auto_error=False))],  # for openapi.json only
        exception_handlers={RequestValidationError: _wrong_body, HTTPException: _no_route},
    )  # fmt: skip
    app.state.service = service
    routers = [routes, texts]
    if service.limits.upstream:
        from .proxy import routes as proxied

        routers = [routes, proxied]
    for router in routers:
        app.include_router(router)
    paths = {
        route.path
        for router in (app.router, *routers)
        for route in router.routes
        if isinstance(route, Route)
    }
    app.add_middleware(Guard, service=service, paths=paths)
    hosts = [*LOOPBACK, *service.limits.host]
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False)
    return app


async def _wrong_body(request: Request, failure: Any) -> Response:
    """Raise HttpError with the place of the wrong field, and what it has to be.

    pydantic's errors quote the input (unknown names, values), so only names of declared fields,
    numbers of items and messages of its own types are shown.
    """
    error = failure.errors()[0]
    if error["type"] == "json_invalid":
        raise HttpError(400, "the body is not JSON.")
    known = [part for part in error["loc"][1:] if isinstance(part, int) or part in _FIELDS]
    name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in known)
    what = _WRONG.get(error["type"], "is not valid")
    if error["type"] == "value_error":  # of a validator of a body, whose messages are above
        what = str(error["ctx"]["error"])
    raise HttpError(422, f"'{name.lstrip('.') or 'the body'}' {what}: see /openapi.json.")


async def _no_route(request: Request, error: Any) -> Response:
    raise HttpError(error.status_code, NO_ROUTE.get(error.status_code, "the body is not JSON."))


def serve(
    pipeline: PipelineOptions,
    limits: ServiceOptions,
    guarantees: Collection[Guarantee],
    *,
    ready: Callable[[str], None],
) -> None:
    """Answer requests until SIGTERM or Ctrl-C, after which running requests are finished.

    guarantees: those of the pipeline, see `check`. ready: called with the URL before the workers
    start. Raises DxError if the ledger is of other guarantees.
    """
    with nullcontext("") if limits.ledger else tempfile.TemporaryDirectory() as folder:  # mode 700
        ledger = limits.ledger or Path(folder) / "spent.db"
        account_of(ledger, guarantees, limits.budget).close()  # create it, and check it once
        worker = Worker(pipeline, dataclasses.replace(limits, ledger=ledger), secret())
        # uvicorn raises the signal again when it has stopped: ignore it.
        signal.signal(signal.SIGTERM, lambda number, frame: None)
        address = f"[{limits.address}]" if ":" in limits.address else limits.address
        ready(f"http://{address}:{limits.port}")
        config = uvicorn.Config(
            worker.create_app, factory=True, workers=limits.workers,
            host=limits.address, port=limits.port, limit_concurrency=limits.max_requests,
            http="h11", ws="none", lifespan="off", access_log=False, log_config=None,
            server_header=False, date_header=False, proxy_headers=False, backlog=2048,
            timeout_keep_alive=10, timeout_graceful_shutdown=SHUTDOWN_SECONDS,
            timeout_worker_healthcheck=WORKER_SECONDS,
        )  # fmt: skip
        _run(config)


def account_of(
    path: Path | None, guarantees: Collection[Guarantee], budget: float | None = None
) -> Account:
    """Return the account of callers, which workers share and which survives restarts.

    Args:
        path: A SQLite file (mode 600); None for memory.
        guarantees: Of a word, and of a mention of each label with a surrogate.
        budget: The largest epsilon of a caller, nats; None for no limit.

    Raises:
        DxError: If the file is no account, other users can read it, or it is of other
            guarantees; if there is a budget but no guarantee.
    """
    check_budget(budget, guarantees)
    bases = [
        f"{g.kind}, {g.metric or 'no metric'}, space {g.space[:16] or 'any'}" for g in guarantees
    ]
    return Account(path, limit=budget, basis=" and ".join(dict.fromkeys(bases)))


def _run(config: uvicorn.Config) -> None:
    """Serve until a signal, like `uvicorn.run`, which passes workers only the name of a module."""
    server = uvicorn.Server(config)
    with suppress(KeyboardInterrupt):
        if config.workers > 1:
            # Earlier versions of uvicorn take what a worker runs.
            takes = inspect.signature(Multiprocess).parameters
            target = {"target": server.run} if "target" in takes else {}
            return Multiprocess(config, sockets=[config.bind_socket()], **target).run()
        server.run()
    if not server.started:
        sys.exit(STARTUP_FAILURE)


@dataclasses.dataclass(frozen=True)
class Worker:
    """What a worker process needs. A parent pickles it into the pipe of the process that it
    spawns, so that nothing of it is in an environment, an argument or a file."""

    pipeline: PipelineOptions
    limits: ServiceOptions
    secret: bytes = dataclasses.field(repr=False)

    def create_app(self) -> FastAPI:
        """Return the application of this process."""
        share_secret(self.secret)
        # Even if the parent is killed.
        threading.Thread(target=end_with_parent, daemon=True).start()
        warnings.simplefilter("ignore")  # warnings of spaCy may quote tokens
        for name in QUIET_LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        LOG.addHandler(logging.StreamHandler())  # lines without text, see RequestReport
        LOG.setLevel(logging.INFO)
        pipelines = [make_pipeline(self.pipeline) for _ in range(2)]
        anonymizer = None if self.limits.upstream else make_anonymizer(self.pipeline)
        guarantees = guarantees_of(pipelines[0], anonymizer)
        account = account_of(self.limits.ledger, guarantees, self.limits.budget)
        callers = Callers() if self.limits.tokens is None else read_callers(self.limits.tokens)
        return make_app(Service(pipelines, callers, account, self.limits, anonymizer))


def guarantees_of(nlp: Language, anonymizer: Language | None) -> list[Guarantee]:
    """Return the guarantees of what the routes of a service draw."""
    pipelines = [nlp] if anonymizer is None else [nlp, anonymizer]
    return [g for pipe in pipelines for g in get_sanitizer(pipe).terms.guarantees.values()]


def check_budget(budget: float | None, guarantees: Collection[Guarantee]) -> None:
    """Raise UsageError for a budget of draws that have no guarantee."""
    if budget is not None and not (guarantees and all(g.holds for g in guarantees)):
        raise UsageError("`budget` needs mechanisms and surrogates with a guarantee that holds.")


def check(
    nlp: Language, limits: ServiceOptions, anonymizer: Language | None = None
) -> Collection[Guarantee]:
    """Return the guarantees of a service. Raise DxError if it cannot use the pipeline."""
    terms = get_sanitizer(nlp).terms
    if terms.seeded:
        raise DxError(Errors.DX072)
    # A later sanitizer gets new Docs, which have no caller.
    later = [pipe for _, pipe in nlp.pipeline if isinstance(pipe, DxSanitizer)][1:]
    parts = [part for pipe in later for part in (pipe.terms.surrogates or {}).values()]
    if any("key_id" in part for part in parts):
        raise UsageError("in the service, only the first sanitizer of a pipeline may have a `key`.")
    guarantees = guarantees_of(nlp, anonymizer)
    check_budget(limits.budget, guarantees)
    if limits.budget is not None:
        check_limit(nlp, "budget")
    if limits.upstream and not get_sanitizer(nlp).settings.surrogates:
        raise UsageError("an `upstream` needs `entities`: only surrogates can be restored.")
    if limits.tokens is not None:
        read_callers(limits.tokens)
    return guarantees
