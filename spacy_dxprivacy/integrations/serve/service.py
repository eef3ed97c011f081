"""Draws the texts of requests in threads, and charges their callers.

A thread cannot be ended from outside. A request is drawn in parts of a few texts, and at its
deadline no further part begins; a part that is under way ends in its thread and is charged then. So
what a request costs beyond its deadline is bounded by its largest text, see `max_bytes`.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ...config import ServiceConfig
from ...entities.surrogates.replacements import Replacements
from ...entities.surrogates.restoring import set_apart
from ...io.build import the_sanitizer
from ...io.languages import not_covered
from ...io.record import Record, chunks
from ...io.stream import in_zone
from ...pipeline.receipt import COUNTS
from .callers import Callers, Ledger, Refused

TEXTS, CHARACTERS = 32, 2**12  # of a part: enough for a batch, and soon done
SMALL = 2**10  # characters of a request that is small
STUCK = 10  # times `max_seconds`: a part that takes longer will not end
SLOW = "the request timed out. Send fewer or shorter texts."
_WORD = re.compile(r"\w+")


@dataclass
class RequestContext:
    """Who asks, and until when parts of the request may begin (time.monotonic)."""

    caller: str
    deadline: float


@dataclass(frozen=True)
class Outcome:
    """A sanitised text, or an error. draws: to be charged. rows: restore its originals."""

    draws: int
    text: str = field(default="", repr=False)
    error: str = ""
    receipt: dict[str, Any] = field(default_factory=dict)
    rows: dict[str, Any] = field(default_factory=dict, repr=False)


class Lane:
    """A pipeline, and the only thread that runs it: a vocabulary has one memory zone at a time."""

    def __init__(self, nlp: Language, *, restorable: bool = False, checked: bool = True) -> None:
        self.terms = the_sanitizer(nlp).terms
        self.thread = ThreadPoolExecutor(1)
        self.began: float | None = None  # the part that is under way
        self._nlp, self._checked, self._rows = nlp, checked, dict[str, Any]()
        self._batch = 1 if restorable else TEXTS  # rows are those of the document drawn last
        if restorable:
            the_sanitizer(nlp).on_replacements = self._set_apart

    def _set_apart(self, doc: Doc, drawn: Replacements) -> Replacements:
        drawn, rows = set_apart(doc, drawn, the_sanitizer(self._nlp).surrogates)
        self._rows = dict(rows)
        return drawn

    def draw(self, context: RequestContext, records: list[Record]) -> list[Outcome]:
        """Sanitise a part. Raise Refused (504) after the deadline. Nothing of the texts stays."""
        self.began = time.monotonic()
        try:
            if self.began >= context.deadline:
                raise Refused(504, SLOW)
            if self._checked:
                records = [replace(r, problem=not_covered(self._nlp, r.text)) for r in records]
            batches = (records[i : i + self._batch] for i in range(0, len(records), self._batch))
            return [outcome for batch in batches for outcome in self._outcomes(batch)]
        finally:
            self.began, self._rows = None, {}

    def _outcomes(self, batch: list[Record]) -> Iterator[Outcome]:
        self._rows = {}
        for record, result in in_zone(self._nlp, batch, batch_size=TEXTS, with_docs=False):
            if isinstance(result, str):
                # How much was drawn before it failed is not known.
                yield Outcome(0 if record.problem else most_draws(record.text), error=result)
            else:
                receipt = {name: result.receipt[name] for name in COUNTS}
                receipt["epsilon"] = result.receipt["total"]["epsilon"]
                yield Outcome(receipt["draws"], result.text, "", receipt, self._rows)


class Service:
    """What the routes share. `small`: the lane of small requests, which never wait for large ones;
    both lanes have pipelines of their own."""

    def __init__(
        self, small: Lane, large: Lane, callers: Callers, ledger: Ledger, limits: ServiceConfig
    ) -> None:
        self.small, self.large = small, large
        self.callers, self.ledger, self.limits = callers, ledger, limits
        self.terms = small.terms
        self._running: set[asyncio.Task[list[Outcome]]] = set()

    @property
    def stuck(self) -> bool:
        """Whether a part has been under way for so long that it will not end."""
        now, most = time.monotonic(), STUCK * self.limits.max_seconds
        return any(now - (lane.began or now) > most for lane in (self.small, self.large))

    async def draw(self, context: RequestContext, texts: Sequence[str]) -> list[Outcome]:
        """Return the outcome of each text, once they are charged to the caller.

        What is given up is charged as well, as far as it began.

        Raises:
            Refused: 403 where the budget is spent, 504 at the deadline. Then nothing may be given
                out.
        """
        await asyncio.to_thread(self.ledger.check, context.caller)
        task = asyncio.ensure_future(self._charged(context, texts))
        self._running.add(task)
        task.add_done_callback(self._ended)
        try:
            return await until(context.deadline, Refused(504, SLOW), asyncio.shield(task))
        finally:
            if not task.done():
                context.deadline = 0.0  # no further part begins

    async def close(self) -> None:
        """Wait until all that began is charged."""
        if self._running:
            await asyncio.wait(self._running)
        for lane in (self.small, self.large):
            lane.thread.shutdown(wait=False)

    async def _charged(self, context: RequestContext, texts: Sequence[str]) -> list[Outcome]:
        loop, outcomes, part = asyncio.get_running_loop(), list[Outcome](), list[Record]()
        lane = self.small if sum(map(len, texts)) <= SMALL else self.large
        records = (Record(i, text=text, caller=context.caller) for i, text in enumerate(texts))
        try:
            for part in chunks(records, characters=CHARACTERS, most=TEXTS):
                outcomes += await loop.run_in_executor(lane.thread, lane.draw, context, part)
        except BaseException as error:
            begun = [] if isinstance(error, Refused) else [most_draws(r.text) for r in part]
            await self._charge(context, [*(one.draws for one in outcomes), *begun], capped=True)
            raise
        await self._charge(context, [outcome.draws for outcome in outcomes])
        return outcomes

    async def _charge(
        self, context: RequestContext, draws: Sequence[int], *, capped: bool = False
    ) -> None:
        draws = [number for number in draws if number]
        if draws:
            await asyncio.to_thread(self.ledger.charge, context.caller, draws, capped=capped)

    def _ended(self, task: asyncio.Task[list[Outcome]]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # or asyncio would log it where nobody waits for the task


def most_draws(text: str) -> int:
    """Return an upper bound on the draws of a text that was not released."""
    return len(_WORD.findall(text))


async def until(deadline: float, late: Refused, work: Awaitable[Any]) -> Any:
    """Return what the work returns. At the deadline (time.monotonic), cancel it and raise `late`."""
    try:
        return await asyncio.wait_for(work, deadline - time.monotonic())
    except asyncio.TimeoutError:
        raise late from None
