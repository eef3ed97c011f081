"""Texts of all requests, drawn together in batches: by one thread, or by one process a core."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..batch.records import checked_record
from ..batch.workers import Lane, Packed
from .limits import Refused

BATCH, CHARACTERS = 32, 2**14  # of what is drawn at once: enough to fill it, and soon done
BUSY = "more texts wait than this service takes. Ask again."
BROKEN = "this service cannot sanitise at present."


@dataclass
class _Waiting:
    text: str = field(repr=False)
    caller: str
    answer: asyncio.Future[Packed]
    loop: asyncio.AbstractEventLoop

    def tell(self, packed: Packed | None) -> None:
        """packed: None where its lane failed."""
        try:
            self.loop.call_soon_threadsafe(self._set, packed)
        except RuntimeError:  # the loop has ended, and nobody waits
            return

    def _set(self, packed: Packed | None) -> None:
        if self.answer.done():
            return
        if packed is None:
            self.answer.set_exception(Refused(503, BROKEN))
        else:
            self.answer.set_result(packed)


class Engine:
    """lanes: what draws (batch.workers.lanes), a thread for each. most: how many texts may wait."""

    def __init__(self, lanes: Sequence[Lane], *, most: int) -> None:
        self.most = most
        self.broken = False
        self._waiting: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=self._work, args=(lane,), daemon=True) for lane in lanes
        ]
        for thread in self._threads:
            thread.start()

    async def draw(self, texts: Sequence[str], caller: str) -> list[Packed]:
        """What came of each text of a caller. Raises Refused (503) where too many wait, or a worker
        failed."""
        if self.broken:
            raise Refused(503, BROKEN)
        if self._waiting.qsize() + len(texts) > self.most:
            raise Refused(503, BUSY, after=1)
        loop = asyncio.get_running_loop()
        some = [_Waiting(text, caller, loop.create_future(), loop) for text in texts]
        for one in some:
            self._waiting.put(one)
        found = await asyncio.gather(*(one.answer for one in some), return_exceptions=True)
        failed = [one for one in found if isinstance(one, BaseException)]
        if failed:
            raise failed[0]
        return [one for one in found if not isinstance(one, BaseException)]

    def close(self) -> None:
        """What waits is done first."""
        for _ in self._threads:
            self._waiting.put(None)
        for thread in self._threads:
            thread.join()

    # -- in the thread of a lane -------------------------------------------------------------------

    def _work(self, lane: Lane) -> None:
        while some := self._next():
            # Nobody waits for what was given up.
            some = [one for one in some if not one.answer.cancelled()]
            for one, packed in zip(some, self._drawn(lane, some), strict=True):
                one.tell(packed)

    def _next(self) -> list[_Waiting]:
        """One batch, as soon as there is a text; [] at the end."""
        first = self._waiting.get()
        if first is None:
            return []
        some, filled = [first], len(first.text)
        while len(some) < BATCH and filled < CHARACTERS:
            try:
                other = self._waiting.get_nowait()
            except queue.Empty:
                break
            if other is None:
                self._waiting.put(None)
                break
            some.append(other)
            filled += len(other.text)
        return some

    def _drawn(self, lane: Lane, some: list[_Waiting]) -> Sequence[Packed | None]:
        records = [checked_record(i, 0, x.text, caller=x.caller) for i, x in enumerate(some)]
        try:
            return lane(records) if records else []
        except Exception:
            self.broken = True  # of a worker that died none is made again: health says so
            return [None] * len(some)
