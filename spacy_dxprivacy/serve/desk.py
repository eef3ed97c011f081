"""What routes share: texts are sanitised, and charged before they are given out."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..doc.receipt import Terms
from .callers import Callers
from .engine import Engine, Job
from .ledger import Ledger
from .limits import MINUTE, Buckets, Limits, Refused, rest_of_tick
from .metrics import Metrics
from .workers import Drawn, Nursery

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Visit:
    """Who asks, when the request began and when it is given up (by the clock of the event loop)."""

    caller: str
    began: float
    deadline: float


@dataclass(frozen=True)
class Desk:
    """All parts of a service.

    Args:
        engine: Sanitises texts.
        terms: The part of receipts that is the same for all texts.
        callers: Who may ask.
        ledger: What each caller was given.
        limits: How much may be asked.
        rates: Requests that callers have left.
        cpu: Processor seconds that callers have left.
        metrics: Figures of the service.
    """

    engine: Engine
    terms: Terms
    callers: Callers
    ledger: Ledger
    limits: Limits
    rates: Buckets
    cpu: Buckets
    metrics: Metrics

    async def draw(self, visit: Visit, texts: Sequence[str]) -> list[Drawn]:
        """Return what came of each text, once it is charged to the caller.

        What is given up after a worker began with it is charged as well, by its number of words.

        Raises:
            Refused: 403, 429, 503 or 504. Then nothing may be given out.
        """
        await asyncio.to_thread(self.ledger.check, visit.caller)
        job = Job(visit.caller, texts, visit.deadline)
        try:
            found = await self.engine.draw(job)
        except (Refused, asyncio.CancelledError):
            lost = [len(_WORD.findall(texts[place])) for place in job.begun]
            if lost:
                await asyncio.to_thread(self.ledger.charge, visit.caller, lost, capped=True)
            raise
        done = [one[1] for one in found if not isinstance(one, str)]
        if done:
            draws = [receipt["draws"] for receipt in done]
            await asyncio.to_thread(self.ledger.charge, visit.caller, draws)
        self.metrics.add("dx_texts_total", len(done))
        self.metrics.add("dx_failed_texts_total", len(found) - len(done))
        for name in ("tokens", "draws"):
            self.metrics.add(f"dx_{name}_total", sum(receipt[name] for receipt in done))
        return found

    async def wait(self, visit: Visit) -> None:
        """Sleep until the next tick of the request: how long a draw takes depends on its words, and
        callers learn it no finer than that."""
        now = asyncio.get_running_loop().time()
        await asyncio.sleep(rest_of_tick(visit.began, now, self.limits.tick))

    def about(self) -> dict[str, Any]:
        """Return the part of receipts that is the same for all texts."""
        t = self.terms
        return {
            "mechanism": t.mechanism, "guarantee": t.guarantee.to_dict(), "space": t.space,
            "unknown_policy": t.unknown_policy, "scope": t.scope, "in_clear": list(t.in_clear),
            "attacker": t.attacker, "scale": t.scale,
        }  # fmt: skip

    def account(self, caller: str) -> dict[str, Any]:
        """Return what a caller was given so far. left: None where there is no budget."""
        spent, budget = self.ledger.spent(caller), self.ledger.budget
        left = None if budget is None else max(0.0, budget - spent["epsilon"])
        return {"caller": caller, **spent, "budget": budget, "left": left}


def make_desk(
    nursery: Nursery, terms: Terms, callers: Callers, ledger: Ledger, limits: Limits
) -> Desk:
    """Return a desk whose engine has started its workers. Where callers have tokens, none of them
    has more than half of the places."""
    metrics = Metrics()
    seconds = limits.cpu or (nursery.workers * MINUTE / 2 if callers.known else None)
    cpu = Buckets(seconds or 0.0, seconds and seconds / MINUTE, "no processor time is left.")

    def used(caller: str, seconds: float, lost: bool) -> None:
        cpu.spend(caller, seconds)
        metrics.add("dx_workers_replaced_total", int(lost))

    engine = Engine(nursery, limits, 0.5 if callers.known else 1.0, used)
    rates = Buckets(max(1.0, limits.rate or 0), limits.rate, "too many requests of this caller.")
    return Desk(engine, terms, callers, ledger, limits, rates, cpu, metrics)
