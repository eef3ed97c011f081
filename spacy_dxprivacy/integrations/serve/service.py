"""Draws of texts in threads, which are charged to callers; and the guard of all requests.

`Guard` is middleware before the routes. Its errors hold no text.

A thread cannot be ended from outside. A request is drawn in parts of a few texts, and none begins
after its deadline; a part that is under way then ends in its thread, and is charged like any other.
So what a request may cost beyond its deadline is bounded by the size of its largest text.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
import traceback
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial, reduce
from itertools import zip_longest
from pathlib import Path
from secrets import token_hex
from typing import Any, TypeVar

from spacy.language import Language
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...config import ServiceOptions
from ...entities.surrogates.replacements import CALLER
from ...errors import DxError
from ...io.account import Account, OverLimit
from ...io.build import the_sanitizer
from ...io.records import Failed, Input, Record, Released, Result, chunks
from ...io.results import results
from ...pipeline.component import DxSanitizer
from ...pipeline.count import Count
from ...privacy.composition import Loss
from ..conversation import Conversations, Line, Prompted, Prompter
from .callers import Callers, Refused

T = TypeVar("T")
TEXTS, CHARACTERS = 32, 2**12  # of a part: enough for a batch, and soon done
SMALL = 2**10  # characters of a request that is small
STUCK = 10  # times `max_seconds`: a part that takes longer will not end
SLOW = "the request timed out. Send fewer or shorter texts."
_WORD = re.compile(r"\w+")


class Lane:
    """A pipeline, and the only thread that runs it: a vocabulary has one memory zone at a time."""

    def __init__(self, nlp: Language, account: Account) -> None:
        self.thread = ThreadPoolExecutor(1)
        self.began: float | None = None  # the part that is under way (time.monotonic)
        self._nlp, self._account = nlp, account

    def draw(self, caller: str, records: list[Input]) -> list[Result]:
        """Sanitise a part, and charge it, even if it fails. Nothing of the texts stays.

        Raises:
            OverLimit: The budget is spent.
        """
        self._account.check(caller)
        self.began, outcomes = time.monotonic(), list[Result]()
        try:
            outcomes += results(self._nlp, records, batch_size=TEXTS)
        finally:
            self.began = None
            spent = [self._spent(*pair) for pair in zip_longest(records, outcomes)]
            loss = sum((loss for loss, _ in spent), Loss())
            count = Count(draws=sum(draws for _, draws in spent))
            is_lost = len(outcomes) < len(records)
            self._account.charge(caller, loss, count, capped=is_lost)
        return outcomes

    def _spent(self, record: Input, result: Result | None) -> tuple[Loss, int]:
        """Return the loss and the draws of a text: those of its receipt, or all that there may have
        been before it failed."""
        if isinstance(result, Released):
            (receipt,) = result.receipts
            return receipt.loss, receipt.draws
        if isinstance(record, Failed):
            return Loss(), 0
        words = len(_WORD.findall(str(record.texts[0])))
        return most_lost(the_sanitizer(self._nlp), words), words


def drawn(result: Result) -> str:
    """Return a sanitised text. Raise Refused (422) where there is none."""
    if isinstance(result, Failed):
        raise Refused(422, result.why)
    return result.texts[0]


def most_lost(sanitizer: DxSanitizer, words: int) -> Loss:
    """Return a bound on the loss of a text of so many words, all of which may be mentions."""
    terms, replaced = sanitizer.terms, {"found": words, "replaced": 1, "kept": 0}
    losses = [
        terms.loss(Count(mentions={label: replaced})) * words for label in drawn_labels(sanitizer)
    ]
    drawn = terms.loss(Count(draws=words, number_draws=words))
    return reduce(Loss.cover, losses, Loss()) + drawn


def drawn_labels(sanitizer: DxSanitizer) -> list[str]:
    """Return the labels whose mentions have surrogates with a loss of their own."""
    surrogates = sanitizer.settings.surrogates
    return [label for label in sanitizer.terms.surrogates or () if surrogates[label].way == "drawn"]


class Service:
    """What the routes share.

    Args:
        pipelines: Two. Small requests have one alone, so that they never wait for large ones.
        callers: Those who may ask.
        account: What they spent.
        limits: Of a request. With an upstream, the pipelines draw prompts.
    """

    def __init__(
        self, pipelines: Sequence[Language], callers: Callers, account: Account,
        limits: ServiceOptions,
    ) -> None:  # fmt: skip
        self.callers, self.account, self.limits = callers, account, limits
        self.terms = the_sanitizer(pipelines[0]).terms
        self.lanes = [Lane(nlp, account) for nlp in pipelines]
        self.conversations = Conversations()
        self._prompters = [Prompter(nlp, limits.policies) for nlp in pipelines if limits.upstream]

    @property
    def stuck(self) -> bool:
        """Whether a part has been under way for so long that it will not end."""
        now, limit = time.monotonic(), STUCK * self.limits.max_seconds
        return any(now - (lane.began or now) > limit for lane in self.lanes)

    async def draw(self, request: Request, texts: Sequence[str]) -> list[Result]:
        """Return the result of each text, once they are charged to the caller of the request.

        Raises:
            OverLimit: The budget is spent.
            Refused: 504 at the deadline.
        """
        caller, outcomes = request.state.caller, list[Result]()
        lane = self.lanes[sum(map(len, texts)) > SMALL]
        records = (Record(i, [text], data={CALLER: caller}) for i, text in enumerate(texts))
        for part in chunks(records, characters=CHARACTERS, max_texts=TEXTS):
            outcomes += await self._until(request, lane, partial(lane.draw, caller, part))
        return outcomes

    async def draw_prompt(
        self, request: Request, conversation: str, lines: Sequence[Line]
    ) -> Prompted:
        """Return the texts of a conversation as they are sent, and what restores them.

        Raises:
            OverLimit, Refused: As `draw`; 422 where a text cannot be sanitised, or may not be sent.
        """
        caller = request.state.caller
        is_large = sum(len(text) for _, text in lines) > SMALL
        lane, prompter = self.lanes[is_large], self._prompters[is_large]

        def draw(record: Record) -> str:
            (result,) = lane.draw(caller, [record])
            return drawn(result)

        def prompt() -> Prompted:
            held = self.conversations.of(caller, conversation)
            try:
                return prompter.sanitize(held, lines, {CALLER: caller}, draw)
            except DxError as error:
                raise Refused(422, str(error)) from None

        return await self._until(request, lane, prompt)

    async def _until(self, request: Request, lane: Lane, work: Callable[[], T]) -> T:
        drawing = asyncio.get_running_loop().run_in_executor(lane.thread, work)
        return await until(request.state.deadline, Refused(504, SLOW), drawing)


async def until(deadline: float, late: Refused, work: Awaitable[T]) -> T:
    """Return what the work returns. At the deadline (time.monotonic), cancel it and raise `late`:
    a thread that has begun goes on."""
    try:
        return await asyncio.wait_for(work, deadline - time.monotonic())
    except asyncio.TimeoutError:
        raise late from None


LOG = logging.getLogger("spacy_dxprivacy.integrations.serve")
PUBLIC = ("/health", "/openapi.json")  # these take no token
HEADERS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'",
}
GRACE = 1.0  # seconds after the deadline, for an error at the end of a stream


@dataclass
class Report:
    """What the log has of a request to a model: no text. path: "" for other requests.

    counts: of mentions by label, and of what came back.
    """

    path: str = ""
    status: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    name: str = field(default_factory=partial(token_hex, 4))
    began: float = field(default_factory=time.perf_counter)

    @property
    def line(self) -> str:
        """The name of the request, with its counts."""
        return " ".join([self.name, *(f"{name}={count}" for name, count in self.counts.items())])

    def log(self) -> None:
        """Write one line for the request."""
        counts = self.line.removeprefix(self.name).strip()
        milliseconds = 1e3 * (time.perf_counter() - self.began)
        LOG.info("%s %s %d %s %.0f ms", self.name, self.path, self.status, counts, milliseconds)


class Guard:
    """ASGI middleware: it admits callers, reads bodies within limits, answers errors and writes
    the log.

    Routes find `caller`, `deadline` (time.monotonic) and `report` in the state of a request, and
    may raise Refused.
    """

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self.app, self.callers, self.limits = app, service.callers, service.limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        request, report, error = Request(scope, receive), Report(), None

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                report.status = message["status"]
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        try:
            await self._pass_on(request, report, answer)
        except ClientDisconnect:
            pass
        except Exception as failure:
            error = _refused(failure)
        if error is not None and not report.status:
            response = JSONResponse(_error(scope, error.why), error.status, error.headers)
            await response(scope, receive, answer)
        if report.path:
            report.log()

    async def _pass_on(self, request: Request, report: Report, send: Send) -> None:
        deadline = time.monotonic() + self.limits.max_seconds
        messages: list[Message] = [{"type": "http.request", "body": b""}]

        async def receive() -> Message:
            return messages.pop() if messages else await request.receive()

        try:
            caller = self._admitted(request)
            if request.method == "POST":
                late = Refused(408, "the body did not arrive in time.")
                messages[0]["body"] = await until(deadline, late, self._read(request))
        except Refused as error:  # a body that was not read ends the connection
            error.headers["connection"] = "close"
            raise
        state = {"caller": caller, "deadline": deadline, "report": report}
        end = deadline + GRACE + (self.limits.upstream_seconds if self.limits.upstream else 0)
        scope = {**request.scope, "state": state}
        await until(end, Refused(504, SLOW), self.app(scope, receive, send))

    def _admitted(self, request: Request) -> str:
        """Return who asks. Raise Refused (401, 415) before the body is read."""
        headers = request.headers
        token = headers.get("authorization") or f"Bearer {headers.get('x-api-key', '')}"
        caller = "" if request.url.path in PUBLIC else self.callers.name(token)
        # Web pages of other origins can send all other types without a preflight request.
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if request.method == "POST" and kind != "application/json":
            raise Refused(415, "the content type must be application/json.")
        return caller

    async def _read(self, request: Request) -> bytes:
        """Raise Refused (413) for a body that is too long, ClientDisconnect where it ends early."""
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > self.limits.max_bytes:
                raise Refused(413, f"the body must be {self.limits.max_bytes:,} bytes or less.")
        return bytes(body)


def _refused(error: Exception) -> Refused:
    """Return the answer to a request that failed."""
    if isinstance(error, Refused):
        return error
    if isinstance(error, OverLimit):
        return Refused(403, "the budget of this caller is spent.")
    # Its message may quote a text, and so may its traceback.
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(last.filename).name}, line {last.lineno}"
    LOG.error("dx serve: %s in %s", type(error).__name__, place)
    return Refused(500, "the service failed. No output was returned.")


def _error(scope: Scope, why: str) -> dict[str, Any]:
    """Return an error; in the proxy as the clients of OpenAI and Anthropic read it."""
    if scope["path"].startswith("/v1/"):
        return {"type": "error", "error": {"type": "dx_proxy_error", "message": why}}
    return {"error": why}
