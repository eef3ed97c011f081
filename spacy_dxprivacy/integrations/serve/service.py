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
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any, TypeVar

from spacy.language import Language
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp

from ...config import ServiceOptions
from ...entities.surrogates.replacements import CALLER
from ...errors import DxError
from ...io.account import Account, OverLimit
from ...io.build import the_sanitizer
from ...io.records import Failed, Input, Record, chunks
from ...io.results import results
from ...io.run import not_covered
from ...pipeline.component import DxSanitizer
from ...pipeline.count import Count
from ...pipeline.receipt import COUNTS
from ...privacy.composition import Loss
from ..conversation import Conversations, Line, Prompted, Prompter
from .callers import SPENT, Callers, Refused

T = TypeVar("T")
TEXTS, CHARACTERS = 32, 2**12  # of a part: enough for a batch, and soon done
SMALL = 2**10  # characters of a request that is small
STUCK = 10  # times `max_seconds`: a part that takes longer will not end
SLOW = "the request timed out. Send fewer or shorter texts."
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Outcome:
    """A sanitised text, or an error. draws, loss: what is charged."""

    draws: int
    loss: Loss
    text: str = field(default="", repr=False)
    error: str = ""
    receipt: dict[str, Any] = field(default_factory=dict)

    @property
    def drawn(self) -> str:
        """The text. Raises Refused (422) where there is none."""
        if self.error:
            raise Refused(422, self.error)
        return self.text


class Lane:
    """A pipeline, and the only thread that runs it: a vocabulary has one memory zone at a time.

    checked: texts of languages that the pipeline does not cover get an error message.
    """

    def __init__(self, nlp: Language, account: Account, *, checked: bool) -> None:
        self.thread = ThreadPoolExecutor(1)
        self.began: float | None = None  # the part that is under way (time.monotonic)
        self._nlp, self._account, self._checked = nlp, account, checked

    def draw(self, caller: str, records: list[Input]) -> list[Outcome]:
        """Sanitise a part, and charge it, even if it fails. Nothing of the texts stays.

        Raises:
            Refused: 403 where the budget is spent.
        """
        try:
            self._account.check(caller)
        except OverLimit:
            raise Refused(403, SPENT) from None
        self.began, outcomes = time.monotonic(), list[Outcome]()
        try:
            if self._checked:
                records = [self._covered(record) for record in records]
            outcomes += self._outcomes(records)
        finally:
            self.began = None
            lost = [self._lost(record) for record in records[len(outcomes) :]]
            self._charge(caller, [*outcomes, *lost], capped=bool(lost))
        return outcomes

    def _charge(self, caller: str, outcomes: list[Outcome], *, capped: bool) -> None:
        """Charge the losses that receipts state: of words, numbers and surrogates."""
        loss = sum((outcome.loss for outcome in outcomes), Loss())
        count = Count(draws=sum(outcome.draws for outcome in outcomes))
        try:
            self._account.charge(caller, loss, count, capped=capped)
        except OverLimit:
            raise Refused(403, SPENT) from None

    def _covered(self, record: Input) -> Input:
        """Return a failed record where the language of a text is not covered."""
        if isinstance(record, Failed):
            return record
        why = not_covered(self._nlp, str(record.texts[0]))
        return Failed(record.number, why) if why else record

    def _outcomes(self, records: list[Input]) -> Iterator[Outcome]:
        for record, result in zip(
            records, results(self._nlp, records, batch_size=TEXTS), strict=True
        ):
            if isinstance(result, Failed):
                yield self._lost(record, result.why)
            else:
                (text,), (stated,) = result.texts, result.receipts
                receipt = {name: getattr(stated, name) for name in COUNTS}
                receipt["epsilon"] = stated.total["epsilon"]
                yield Outcome(receipt["draws"], stated.loss, text, "", receipt)

    def _lost(self, record: Input, why: str = "") -> Outcome:
        """Return what a text is charged that failed after an unknown number of draws."""
        if isinstance(record, Failed):
            return Outcome(0, Loss(), error=why)
        words = len(_WORD.findall(str(record.texts[0])))
        return Outcome(words, most_lost(the_sanitizer(self._nlp), words), error=why)


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
        checked: Whether texts of languages that the pipelines do not cover get an error.
    """

    def __init__(
        self, pipelines: Sequence[Language], callers: Callers, account: Account,
        limits: ServiceOptions, *, checked: bool = True,
    ) -> None:  # fmt: skip
        self.callers, self.account, self.limits = callers, account, limits
        self.terms = the_sanitizer(pipelines[0]).terms
        self.lanes = [Lane(nlp, account, checked=checked) for nlp in pipelines]
        self.conversations = Conversations()
        self._prompters = (
            [Prompter(nlp, limits.policies) for nlp in pipelines] if limits.upstream else []
        )

    @property
    def stuck(self) -> bool:
        """Whether a part has been under way for so long that it will not end."""
        now, limit = time.monotonic(), STUCK * self.limits.max_seconds
        return any(now - (lane.began or now) > limit for lane in self.lanes)

    async def draw(self, request: Request, texts: Sequence[str]) -> list[Outcome]:
        """Return the outcome of each text, once they are charged to the caller of the request.

        Raises:
            Refused: 403 where the budget is spent, 504 at the deadline. Then nothing may be given
                out; parts that began are charged.
        """
        caller, outcomes = request.state.caller, list[Outcome]()
        lane = self.lanes[sum(map(len, texts)) > SMALL]
        data = {CALLER: caller} if caller else {}
        records = (Record(i, [text], data=data) for i, text in enumerate(texts))
        for part in chunks(records, characters=CHARACTERS, most=TEXTS):
            outcomes += await self._until(request, lane, lane.draw, caller, part)
        return outcomes

    async def draw_prompt(
        self, request: Request, conversation: str, lines: Sequence[Line]
    ) -> Prompted:
        """Return the texts of a conversation as they are sent, and what restores them.

        Raises:
            Refused: As `draw`; 422 where a text cannot be sanitised, or may not be sent.
        """
        caller = request.state.caller
        is_large = sum(len(text) for _, text in lines) > SMALL
        lane, prompter = self.lanes[is_large], self._prompters[is_large]

        def draw(record: Record) -> str:
            (outcome,) = lane.draw(caller, [record])
            return outcome.drawn

        def prompt() -> Prompted:
            held = self.conversations.of(caller, conversation)
            try:
                return prompter.sanitize(held, lines, {CALLER: caller}, draw)
            except DxError as error:
                raise Refused(422, str(error)) from None

        return await self._until(request, lane, prompt)

    async def _until(
        self, request: Request, lane: Lane, work: Callable[..., T], *arguments: Any
    ) -> T:
        drawing = asyncio.get_running_loop().run_in_executor(lane.thread, work, *arguments)
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
HEADERS = [
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'"),
]
GRACE = 1.0  # seconds after the deadline, for an error at the end of a stream


class Guard:
    """ASGI middleware: it admits callers, reads bodies within limits, and answers errors.

    Routes find `caller` and `deadline` (time.monotonic) in the state of a request, and may raise
    Refused.
    """

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self.app, self.callers, self.limits = app, service.callers, service.limits

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        begun, unread, refused = False, scope["method"] == "POST", None
        deadline = time.monotonic() + self.limits.max_seconds
        messages = [{"type": "http.request", "body": b""}]

        async def receive_whole() -> Any:
            return messages.pop() if messages else await receive()

        async def answer(message: Any) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                message = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
            await send(message)

        try:
            scope["state"] = {"caller": self._admitted(scope), "deadline": deadline}
            if unread:
                late = Refused(408, "the body did not arrive in time.")
                messages[0]["body"] = await until(deadline, late, self._read(receive))
                unread = False
            end = deadline + GRACE + (self.limits.upstream_seconds if self.limits.upstream else 0)
            await until(end, Refused(504, SLOW), self.app(scope, receive_whole, answer))
        except Refused as error:
            refused = error
        except ClientDisconnect:
            pass
        except Exception as error:  # its message may quote a text, and so may its traceback
            last, unread = traceback.extract_tb(error.__traceback__)[-1], True
            place = f"{Path(last.filename).name}, line {last.lineno}"
            LOG.error("dx serve: %s in %s", type(error).__name__, place)
            refused = Refused(500, "the service failed. No output was returned.")
        if refused is not None and not begun:
            headers = refused.headers | ({"connection": "close"} if unread else {})
            await JSONResponse(_error(scope, refused.why), refused.status, headers)(
                scope, receive, answer
            )

    def _admitted(self, scope: Any) -> str:
        """Return who asks. Raise Refused (401, 415) before the body is read."""
        headers = Headers(scope=scope)
        token = headers.get("authorization") or f"Bearer {headers.get('x-api-key', '')}"
        caller = "" if scope["path"] in PUBLIC else self.callers.name(token)
        # Web pages of other origins can send all other types without a preflight request.
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if scope["method"] == "POST" and kind != "application/json":
            raise Refused(415, "the content type must be application/json.")
        return caller

    async def _read(self, receive: Any) -> bytes:
        """Raise Refused (413) for a body that is too long, ClientDisconnect where it ends early."""
        body, unfinished = bytearray(), True
        while unfinished:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            body += message.get("body", b"")
            if len(body) > self.limits.max_bytes:
                raise Refused(413, f"the body must be {self.limits.max_bytes:,} bytes or less.")
            unfinished = message.get("more_body", False)
        return bytes(body)


def _error(scope: Any, why: str) -> dict[str, Any]:
    """Return an error; in the proxy as the clients of OpenAI and Anthropic read it."""
    if scope["path"].startswith("/v1/"):
        return {"type": "error", "error": {"type": "dx_proxy_error", "message": why}}
    return {"error": why}
