"""Draws the texts of requests in threads, and charges their callers there.

A thread cannot be ended from outside. A request is drawn in parts of a few texts, and none begins
after its deadline; a part that is under way then ends in its thread, and is charged like any other.
So what a request may cost beyond its deadline is bounded by the size of its largest text.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Awaitable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache
from secrets import token_hex
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from starlette.requests import Request

from ...config import ServiceOptions
from ...entities.surrogates.base import Scope
from ...entities.surrogates.replacements import Replacements
from ...entities.surrogates.restoring import set_apart
from ...io.build import the_sanitizer
from ...io.languages import not_covered
from ...io.record import Record, chunks
from ...io.stream import in_zone
from ...pipeline.receipt import COUNTS, Terms
from .callers import Callers, Ledger, Refused

TEXTS, CHARACTERS = 32, 2**12  # of a part: enough for a batch, and soon done
SMALL = 2**10  # characters of a request that is small
SECRET = "DX_SERVICE_SECRET"  # in the environment of workers, and nowhere else
STUCK = 10  # times `max_seconds`: a part that takes longer will not end
SLOW = "the request timed out. Send fewer or shorter texts."
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Outcome:
    """A sanitised text, or an error. draws: to be charged. rows: restore its originals."""

    draws: int
    text: str = field(default="", repr=False)
    error: str = ""
    receipt: dict[str, Any] = field(default_factory=dict)
    rows: dict[str, Any] = field(default_factory=dict, repr=False)


class Lane:
    """A pipeline, and the only thread that runs it: a vocabulary has one memory zone at a time.

    restorable: outcomes have rows. checked: texts of languages that the pipeline does not cover get
    an error message.
    """

    def __init__(
        self, nlp: Language, ledger: Ledger, *, restorable: bool = False, checked: bool = True
    ) -> None:
        self.thread = ThreadPoolExecutor(1)
        self.began: float | None = None  # the part that is under way (time.monotonic)
        self._nlp, self._ledger, self._checked = nlp, ledger, checked
        self._rows = dict[str, Any]()
        self._batch = 1 if restorable else TEXTS  # rows are those of the document drawn last
        if restorable:
            sanitizer = the_sanitizer(nlp)
            sanitizer.on_replacements = self._set_apart
            by_conversation(sanitizer.surrogates)

    def draw(self, caller: str, records: list[Record]) -> list[Outcome]:
        """Sanitise a part, and charge it, even if it fails. Nothing of the texts stays.

        Raises:
            Refused: 403 where the budget is spent.
        """
        self._ledger.check(caller)
        self.began, outcomes = time.monotonic(), list[Outcome]()
        try:
            if self._checked:
                records = [replace(r, problem=not_covered(self._nlp, r.text)) for r in records]
            for start in range(0, len(records), self._batch):
                outcomes += self._outcomes(records[start : start + self._batch])
        finally:
            self.began, self._rows = None, {}
            lost = [_most_draws(record) for record in records[len(outcomes) :]]
            draws = [*(outcome.draws for outcome in outcomes), *lost]
            self._ledger.charge(caller, list(filter(None, draws)), capped=bool(lost))
        return outcomes

    def _outcomes(self, batch: list[Record]) -> Iterator[Outcome]:
        self._rows = {}
        for record, result in in_zone(self._nlp, batch, batch_size=TEXTS, with_docs=False):
            if isinstance(result, str):
                yield Outcome(0 if record.problem else _most_draws(record), error=result)
            else:
                receipt = {name: result.receipt[name] for name in COUNTS}
                receipt["epsilon"] = result.receipt["total"]["epsilon"]
                yield Outcome(receipt["draws"], result.text, "", receipt, self._rows)

    def _set_apart(self, doc: Doc, drawn: Replacements) -> Replacements:
        drawn, rows = set_apart(doc, drawn, the_sanitizer(self._nlp).surrogates)
        self._rows = dict(rows)
        return drawn


def by_conversation(surrogates: dict[str, Any]) -> None:
    """Let surrogates of a document be those of a conversation, by a secret that is in no file."""
    for label, one in surrogates.items():
        scope = getattr(one, "scope", None)
        if isinstance(scope, Scope) and scope.reach == "document":
            keyed = replace(one, scope=Scope("corpus", conversation_secret()))
            surrogates[label] = replace(keyed, moves="corpus") if hasattr(one, "moves") else keyed


@cache
def conversation_secret() -> bytes:
    """Return the secret of the process, which it shares with its workers alone."""
    return bytes.fromhex(os.environ.setdefault(SECRET, token_hex(32)))


def _most_draws(record: Record) -> int:
    """Return what a text is charged that failed after an unknown number of draws."""
    return len(_WORD.findall(record.text))


@dataclass(frozen=True)
class Service:
    """What the routes share. Small requests have a lane, so that they never wait for large ones."""

    small: Lane
    large: Lane
    terms: Terms
    callers: Callers
    ledger: Ledger
    limits: ServiceOptions

    @property
    def stuck(self) -> bool:
        """Whether a part has been under way for so long that it will not end."""
        now, most = time.monotonic(), STUCK * self.limits.max_seconds
        return any(now - (lane.began or now) > most for lane in (self.small, self.large))

    async def draw(
        self, request: Request, texts: Sequence[str], conversation: str = ""
    ) -> list[Outcome]:
        """Return the outcome of each text, once they are charged to the caller of the request.

        The texts of one conversation have the same surrogates, by the secret of the process.

        Raises:
            Refused: 403 where the budget is spent, 504 at the deadline. Then nothing may be given
                out; parts that began are charged.
        """
        loop, caller, outcomes = asyncio.get_running_loop(), request.state.caller, list[Outcome]()
        lane = self.small if sum(map(len, texts)) <= SMALL else self.large
        whose = {"caller": caller, "user": conversation}
        records = (Record(i, text=text, **whose) for i, text in enumerate(texts))
        for part in chunks(records, characters=CHARACTERS, most=TEXTS):
            drawing = loop.run_in_executor(lane.thread, lane.draw, caller, part)
            outcomes += await until(request.state.deadline, Refused(504, SLOW), drawing)
        return outcomes


async def until(deadline: float, late: Refused, work: Awaitable[Any]) -> Any:
    """Return what the work returns. At the deadline (time.monotonic), cancel it and raise `late`:
    a thread that has begun goes on."""
    try:
        return await asyncio.wait_for(work, deadline - time.monotonic())
    except asyncio.TimeoutError:
        raise late from None
