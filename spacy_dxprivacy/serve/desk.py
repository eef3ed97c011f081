"""What routes share: who asks, what is drawn, and that it is written down before it goes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..batch.workers import Packed
from ..doc.receipt import COUNTS, Terms
from .callers import Callers
from .engine import Engine
from .ledger import Ledger
from .limits import Limits, Rates, Refused, rest_of_tick
from .metrics import Metrics

SLOW = "this took longer than the service gives a request. Ask for less."


@dataclass(frozen=True)
class Desk:
    """engine: what draws. terms: what all receipts say. The others: see their classes."""

    engine: Engine
    terms: Terms
    callers: Callers
    ledger: Ledger
    limits: Limits
    rates: Rates
    metrics: Metrics

    def admit(self, authorization: str | None, *, counts: bool = True) -> str:
        """The name of who asks. counts: towards the rate. Raises Refused (401, 429)."""
        caller = self.callers.name(authorization)
        if counts:
            self.rates.take(caller)
        return caller

    async def draw(self, caller: str, texts: Sequence[str]) -> list[Packed]:
        """What came of each text, once it is on the account of the caller. Raises Refused (403,
        503, 504), and then nothing may be given out."""
        await asyncio.to_thread(self.ledger.check, caller)
        try:
            found = await asyncio.wait_for(self.engine.draw(texts, caller), self.limits.seconds)
        except asyncio.TimeoutError:
            raise Refused(504, SLOW) from None
        done = [one[1] for one in found if not isinstance(one, str)]
        if done:
            draws = [receipt["draws"] for receipt in done]
            await asyncio.to_thread(self.ledger.charge, caller, draws)
        self.metrics.add("dx_texts_total", len(done))
        self.metrics.add("dx_failed_texts_total", len(found) - len(done))
        for name in ("tokens", "draws"):
            self.metrics.add(f"dx_{name}_total", sum(receipt[name] for receipt in done))
        return found

    async def wait(self, started: float) -> None:
        """Until the next tick of a request that came at `started` (time.perf_counter): how long a
        draw takes depends on its words, and this is told no finer than that."""
        rest = rest_of_tick(started, time.perf_counter(), self.limits.tick)
        if rest:
            await asyncio.sleep(rest)

    def about(self) -> dict[str, Any]:
        """The part of receipts that is the same for all texts."""
        t = self.terms
        return {
            "mechanism": t.mechanism, "guarantee": t.guarantee.to_dict(), "space": t.space,
            "unknown_policy": t.unknown_policy, "scope": t.scope, "in_clear": list(t.in_clear),
            "attacker": t.attacker, "scale": t.scale,
        }  # fmt: skip

    def account(self, caller: str) -> dict[str, Any]:
        """What a caller was given so far. left: None where there is no budget."""
        spent, budget = self.ledger.spent(caller), self.ledger.budget
        left = None if budget is None else max(0.0, budget - spent["epsilon"])
        return {"caller": caller, **spent, "budget": budget, "left": left}


def told(receipt: dict[str, Any]) -> dict[str, Any]:
    """The part of a receipt that belongs to one text."""
    return {**{name: receipt[name] for name in COUNTS}, "epsilon": receipt["total"]["epsilon"]}
