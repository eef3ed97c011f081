"""Sanitise texts of requests in threads, and charge callers, who have tokens; `Guard`, middleware
for all requests.

A thread cannot be stopped from outside. A request is sanitised in parts of a few texts. No part
starts after the deadline; a part that is running then ends in its thread and is charged. So the
time of a request beyond its deadline is bounded by the size of its largest text.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import secrets
import time
import traceback
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial, reduce
from hashlib import sha256
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any, TypeVar

from spacy.language import Language
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..config.options import PROMPT_ENTITIES, ServiceOptions, to_names
from ..errors import DxError, EndpointError, UsageError
from ..files.keys import keep_from_git
from ..files.limits import MB, regular
from ..io.account import Account, OverLimit, check_private, unusable
from ..io.build import get_sanitizer, terms_of
from ..io.records import MENTIONS, Failed, Input, Record, Released, Result, chunks
from ..io.results import results
from ..io.rows import Parts
from ..pipeline.component import DxSanitizer
from ..pipeline.count import Count
from ..privacy.loss import Loss
from ..prompts.conversation import Conversation, Conversations, Line, Prompted, Prompter
from ..prompts.requests import InvalidAnswer, InvalidRequest
from ..surrogates.replacements import CALLER
from ..text.mentions import Entity, plain_label
from ..text.normal_doc import MARKS

T = TypeVar("T")
PART_TEXTS, PART_CHARACTERS = 32, 2**12  # of a part: enough for a batch, and fast
SMALL_REQUEST = 2**10  # characters up to which a request is small
STUCK_FACTOR = 10  # a part that takes STUCK_FACTOR times `max_seconds` will not end
TIMED_OUT = "the request timed out. Send fewer or shorter texts."
_WORD = re.compile(r"\w+")
TOKEN_FILE = "a list of tokens"
_LABELS = frozenset(label.upper() for label in to_names(PROMPT_ENTITIES))
_LINE = re.compile(r"([\w.@-]{1,64})[ \t]+([\x21-\x7e]{20,})", re.ASCII)


class HttpError(Exception):
    """An error response. why: a sentence without content of the request. after: seconds until a
    retry, if one can help."""

    def __init__(self, status: int, why: str, *, after: int | None = None) -> None:
        super().__init__(why)
        self.status, self.why = status, why
        self.headers = {} if after is None else {"retry-after": str(after)}
        if status == 401:
            self.headers["www-authenticate"] = "Bearer"


class Callers:
    """Names of callers by token. Without tokens, all callers are "anybody"."""

    def __init__(self, tokens: Mapping[str, str] | None = None) -> None:
        # Keyed by SHA-256, so that the time of a look-up reveals nothing about a token.
        self._names = {sha256(t.encode()).digest(): name for t, name in (tokens or {}).items()}
        self.needs_token = bool(self._names)

    def name(self, authorization: str | None) -> str:
        """Return the caller of an Authorization header. Raise HttpError (401) if unknown."""
        scheme, _, token = (authorization or "").partition(" ")
        name = self._names.get(sha256(token.strip().encode("latin1", "replace")).digest())
        if self.needs_token and (scheme.lower() != "bearer" or name is None):
            raise HttpError(401, "send a bearer token of this service.")
        return name or "anybody"


def read_callers(path: Path) -> Callers:
    """Read a file of lines `NAME TOKEN`; a caller may have several. Raise DxError if it is missing,
    empty or invalid, or if other users can read it. The message holds no token."""
    tokens: dict[str, str] = {}
    try:
        check_private(path, TOKEN_FILE)
        lines = regular(path).read_bytes()[:MB].decode("utf8", "replace").splitlines()
    except OSError as error:
        raise unusable(path, TOKEN_FILE, error.strerror or "it cannot be read") from None
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith("#"):
            match = _LINE.fullmatch(line.strip())
            if match is None:
                expected = "a name, a blank and a token of 20 characters or more"
                raise unusable(path, TOKEN_FILE, f"line {number} is not {expected}")
            tokens[match[2]] = match[1]
    if not tokens:
        raise unusable(path, TOKEN_FILE, "it has no token; `dx serve --new-token NAME` makes one")
    return Callers(tokens)


def add_token(path: Path, name: str) -> str:
    """Append a new token for a caller to a file (mode 600), and return the token."""
    token, ending = secrets.token_urlsafe(32), ""
    if _LINE.fullmatch(f"{name} {token}") is None:
        raise UsageError("a name must be 1 to 64 letters, digits and . _ @ -.")
    if path.exists():
        read_callers(path)
        # The last line may lack its line break.
        ending = "" if path.read_bytes().endswith(b"\n") else "\n"
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(handle, "w", encoding="utf8") as file:
        file.write(f"{ending}{name} {token}\n")
    keep_from_git(path)
    return token


# -- sanitising ------------------------------------------------------------------------------------


class Lane:
    """A pipeline and its only thread, because a vocabulary has one memory zone at a time."""

    def __init__(self, nlp: Language, account: Account) -> None:
        self.thread = ThreadPoolExecutor(1)
        self.started: float | None = None  # start of the running part (time.monotonic)
        self._nlp, self._account = nlp, account

    def draw(self, caller: str, records: list[Input]) -> list[Result]:
        """Sanitise a part, and charge it even if it fails. No text is kept.

        Raises:
            OverLimit: If the budget is spent.
        """
        self._account.check(caller)
        self.started, outcomes = time.monotonic(), list[Result]()
        try:
            outcomes += results(self._nlp, records, batch_size=PART_TEXTS)
        finally:
            self.started = None
            spent = [self._spent(*pair) for pair in zip_longest(records, outcomes)]
            loss = sum((loss for loss, _ in spent), Loss())
            count = Count(draws=sum(draws for _, draws in spent))
            is_lost = len(outcomes) < len(records)
            self._account.charge(caller, loss, count, capped=is_lost)
        return outcomes

    def _spent(self, record: Input, result: Result | None) -> tuple[Loss, int]:
        """Return the loss and the draws of a text: those of its receipt, or an upper bound if it
        failed."""
        if isinstance(result, Released):
            (receipt,) = result.receipts
            return receipt.loss, receipt.draws
        if isinstance(record, Failed):
            return Loss(), 0
        words = len(_WORD.findall(str(record.texts[0])))
        return max_loss(get_sanitizer(self._nlp), words), words


def text_of(result: Result) -> str:
    """Return the sanitised text of a result. Raise HttpError (422) if it failed."""
    if isinstance(result, Failed):
        raise HttpError(422, result.why)
    return result.texts[0]


def max_loss(sanitizer: DxSanitizer, words: int) -> Loss:
    """Return an upper bound on the loss of a text of `words` words, which may all be mentions."""
    terms, replaced = sanitizer.terms, {"found": words, "replaced": 1, "kept": 0}
    losses = [
        terms.loss(Count(mentions={label: replaced})) * words for label in charged_labels(sanitizer)
    ]
    sampled = terms.loss(Count(draws=words, number_draws=words))
    return reduce(Loss.cover, losses, Loss()) + sampled


def charged_labels(sanitizer: DxSanitizer) -> list[str]:
    """Return the labels whose surrogates are sampled from the mention, and so have a loss."""
    surrogates = sanitizer.settings.surrogates
    return [label for label in sanitizer.terms.surrogates or () if surrogates[label].way == "drawn"]


class Service:
    """The state that routes share.

    Args:
        pipelines: Two pipelines: the first for small requests, so that they do not wait for large
            ones.
        callers: The callers and their tokens.
        account: The losses of callers.
        limits: Limits of requests. With an upstream, the pipelines sanitise prompts.
        anonymizer: A pipeline for entities that come with a text; None samples their words.
    """

    def __init__(
        self, pipelines: Sequence[Language], callers: Callers, account: Account,
        limits: ServiceOptions, anonymizer: Language | None = None,
    ) -> None:  # fmt: skip
        self.callers, self.account, self.limits = callers, account, limits
        self.terms = terms_of(pipelines[0])
        self.lanes = [Lane(nlp, account) for nlp in pipelines]
        self._anonymizer = None if anonymizer is None else Lane(anonymizer, account)
        if self._anonymizer is not None:
            self.lanes.append(self._anonymizer)
        self.conversations = Conversations()
        self._prompters = [Prompter(nlp, limits.policies) for nlp in pipelines if limits.upstream]

    @property
    def stuck(self) -> bool:
        """Whether a part has been running for so long that it will not end."""
        now, limit = time.monotonic(), STUCK_FACTOR * self.limits.max_seconds
        return any(now - (lane.started or now) > limit for lane in self.lanes)

    async def draw(self, request: Request, texts: Sequence[str]) -> list[Result]:
        """Sanitise texts, and charge them to the caller of the request. Return their results.

        Raises:
            OverLimit: If the budget is spent.
            HttpError: With status 504 at the deadline.
        """
        caller, outcomes = request.state.caller, list[Result]()
        lane = self.lanes[sum(map(len, texts)) > SMALL_REQUEST]
        records = (Record(i, [text], data={CALLER: caller}) for i, text in enumerate(texts))
        for part in chunks(records, characters=PART_CHARACTERS, max_texts=PART_TEXTS):
            outcomes += await self._run(request, lane, partial(lane.draw, caller, part))
        request.state.report.count(outcomes)
        return outcomes

    async def draw_entities(
        self, request: Request, text: str, entities: Sequence[Entity]
    ) -> list[str]:
        """Return a text in pieces: what stands before each entity, the entity, ..., the rest.

        entities: in order, in characters, without overlaps. Other mentions of a person among them
        are replaced too. Raises as `draw`; HttpError with status 422 if the text fails.
        """
        places = [0, *(place for _, *span in entities for place in span), len(text)]
        pieces = [text[a:b] for a, b in pairwise(places)]
        if not entities:
            return pieces
        lane = self._anonymizer
        if lane is None:
            drawn = await self.draw(request, pieces[1::2])
            pieces[1::2] = map(text_of, drawn)
            return pieces
        labelled = [entity._replace(label=_label(entity.label)) for entity in entities]
        bounds = [place for span in pairwise(places) for place in span]
        caller = request.state.caller
        data = {CALLER: caller, MENTIONS: labelled, MARKS: bounds}
        record = Record(1, [text], data=data, origin=Parts(range(len(pieces))))
        (result,) = await self._run(request, lane, partial(lane.draw, caller, [record]))
        request.state.report.count([result])
        if isinstance(result, Failed):
            raise HttpError(422, result.why)
        return list(result.texts)

    async def draw_prompt(
        self, request: Request, conversation: Conversation, lines: Sequence[Line]
    ) -> Prompted:
        """Return the texts of a conversation as they are sent, and rows to restore them.

        Raises:
            OverLimit, HttpError: As `draw`; status 422 if a text cannot be sanitised or is blocked.
        """
        caller = request.state.caller
        is_large = sum(len(text) for _, text in lines) > SMALL_REQUEST
        lane, prompter = self.lanes[is_large], self._prompters[is_large]

        def draw(record: Record) -> str:
            (result,) = lane.draw(caller, [record])
            return text_of(result)

        def prompt() -> Prompted:
            try:
                return prompter.sanitize(conversation, lines, {CALLER: caller}, draw)
            except DxError as error:
                raise HttpError(422, str(error)) from None

        return await self._run(request, lane, prompt)

    async def _run(self, request: Request, lane: Lane, work: Callable[[], T]) -> T:
        drawing = asyncio.get_running_loop().run_in_executor(lane.thread, work)
        return await wait_until(request.state.deadline, HttpError(504, TIMED_OUT), drawing)


def _label(label: str) -> str:
    """Return the label whose surrogates replace an entity: ID, which keeps only the form, for one
    that is not known."""
    plain = plain_label(label).upper()
    return plain if plain in _LABELS else "ID"


async def wait_until(deadline: float, late: HttpError, work: Awaitable[T]) -> T:
    """Return the result of work. At the deadline (time.monotonic), cancel it and raise `late`; a
    thread that has started runs on."""
    try:
        return await asyncio.wait_for(work, deadline - time.monotonic())
    except asyncio.TimeoutError:
        raise late from None


# -- requests --------------------------------------------------------------------------------------

LOG = logging.getLogger("spacy_dxprivacy.serve")
NO_ROUTE = {404: "there is no such route.", 405: "this route does not allow this method."}
PUBLIC_ROUTES = ("/health", "/openapi.json")  # routes without a token
QUIET_ROUTES = ("health",)  # asked every few seconds: no line in the log
HEADERS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'",
}
CLIENT_LEFT = 499  # in the log, as nginx has it: the client went away before the answer
GRACE_SECONDS = 1.0  # seconds after the deadline to send an error at the end of a stream


@dataclass
class RequestReport:
    """The log entry of a request, without text. path: that of a route, "-" for no route.

    counts: numbers of texts and of words drawn; for a model, of mentions by label, and of words
    restored, changed and invented.
    """

    path: str = "-"
    status: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    name: str = field(default_factory=partial(secrets.token_hex, 4))
    started: float = field(default_factory=time.perf_counter)

    @property
    def line(self) -> str:
        """The name of the request, with its counts."""
        return " ".join([self.name, *(f"{name}={count}" for name, count in self.counts.items())])

    def count(self, results: Sequence[Result]) -> None:
        """Count texts, those that failed, and what was replaced in the others."""
        released = [result for result in results if isinstance(result, Released)]
        counts = [receipt.count for result in released for receipt in result.receipts]
        self.counts = {
            "texts": len(results),
            "failed": len(results) - len(released),
            "words": sum(count.draws for count in counts),
            "surrogates": sum(count.surrogates for count in counts),
        }

    def log(self) -> None:
        """Write one line for the request."""
        counts = self.line.removeprefix(self.name).strip()
        milliseconds = 1e3 * (time.perf_counter() - self.started)
        status = self.status or CLIENT_LEFT
        LOG.info("%s %s %d %s %.0f ms", self.name, self.path, status, counts, milliseconds)


class Guard:
    """ASGI middleware: admits callers, reads bodies within limits, answers errors and writes the
    log. Errors hold no text.

    It sets `caller`, `deadline` (time.monotonic) and `report` in the state of a request. Routes may
    raise HttpError.

    Args:
        app: The application behind it.
        service: Its callers and limits.
        paths: The paths of all routes. The path of a request has to be literally one of them.
    """

    def __init__(self, app: ASGIApp, service: Service, paths: Collection[str]) -> None:
        self.app, self.callers, self.limits = app, service.callers, service.limits
        self.paths = frozenset(paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        request, report, error = Request(scope, receive), RequestReport(), None
        if scope["path"] in self.paths:  # another one may hold anything
            report.path = scope["path"].removeprefix("/v1").lstrip("/")

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                report.status = message["status"]
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        try:
            await self._forward(request, report, answer)
        except ClientDisconnect:
            pass
        except Exception as failure:
            error = _to_request_error(failure)
        if error is not None and not report.status:
            body: dict[str, Any] = {"error": error.why}
            if scope["path"].startswith("/v1/"):  # in the format of OpenAI and Anthropic
                body = {"type": "error", "error": {"type": "dx_proxy_error", "message": error.why}}
            await JSONResponse(body, error.status, error.headers)(scope, receive, answer)
        if report.path not in QUIET_ROUTES:
            report.log()

    async def _forward(self, request: Request, report: RequestReport, send: Send) -> None:
        deadline = time.monotonic() + self.limits.max_seconds
        messages: list[Message] = [{"type": "http.request", "body": b""}]

        async def receive() -> Message:
            return messages.pop() if messages else await request.receive()

        try:
            caller = self._admit(request)
            if request.method == "POST":
                late = HttpError(408, "the body did not arrive in time.")
                messages[0]["body"] = await wait_until(deadline, late, self._read(request))
        except HttpError as error:  # after an unread body, the connection must close
            error.headers["connection"] = "close"
            raise
        state = {"caller": caller, "deadline": deadline, "report": report}
        end = (
            deadline + GRACE_SECONDS + (self.limits.upstream_seconds if self.limits.upstream else 0)
        )
        scope = {**request.scope, "state": state}
        await wait_until(end, HttpError(504, TIMED_OUT), self.app(scope, receive, send))

    def _admit(self, request: Request) -> str:
        """Return the caller. Raise HttpError (401, 404, 415) before the body is read."""
        headers = request.headers
        token = headers.get("authorization") or f"Bearer {headers.get('x-api-key', '')}"
        # Routing reads the path of the scope. That of `request.url` depends on the Host header.
        path = request.scope["path"]
        caller = "" if path in PUBLIC_ROUTES else self.callers.name(token)
        if path not in self.paths:
            raise HttpError(404, NO_ROUTE[404])
        # Web pages of other origins can send other content types without a preflight request.
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if request.method == "POST" and kind != "application/json":
            raise HttpError(415, "the content type must be application/json.")
        return caller

    async def _read(self, request: Request) -> bytes:
        """Return the body. Raise HttpError (413) if it is too long, ClientDisconnect if cut off."""
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > self.limits.max_bytes:
                raise HttpError(413, f"the body must be {self.limits.max_bytes:,} bytes or less.")
        return bytes(body)


def _to_request_error(error: Exception) -> HttpError:
    """Return the response for an error."""
    if isinstance(error, HttpError):
        return error
    if isinstance(error, InvalidRequest):
        return HttpError(400, str(error))
    if isinstance(error, InvalidAnswer | EndpointError):
        return HttpError(502, str(error))
    if isinstance(error, OverLimit):
        return HttpError(403, "the budget of this caller is spent.")
    # Its message and traceback may quote a text.
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(last.filename).name}, line {last.lineno}"
    LOG.error("dx serve: %s in %s", type(error).__name__, place)
    return HttpError(500, "the service failed. No output was returned.")
