"""Schedule texts on workers: whose turn it is, for how long at most, and at what charge.

Small requests have a worker of their own, so that they never wait for large ones. Callers take
turns, and so do the requests of a caller. A worker gets texts of one caller at a time: if it is too
slow, it is killed at the deadline of the request, with the texts of nobody else.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from ...config import ServiceOptions
from ...pipeline.receipt import Terms
from .callers import Buckets, Callers, Ledger, Refused
from .workers import Drawn, ForkServer, Worker

TEXTS, CHARACTERS = 32, 2**12  # what a worker gets at a time: enough to fill it, and soon done
SMALL = 2**10  # characters of a request that is small
BROKEN = "the service cannot sanitise at present."
LOST = "this text could not be sanitised. No output was returned."
SLOW = "the request timed out. Send fewer or shorter texts."
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, eq=False)
class RequestContext:
    """A request: who asks, when it began and when it is given up (clock of the event loop)."""

    caller: str
    began: float
    deadline: float


class QueuedText:
    """A text that waits in a queue. begun: by a worker. Make it where an event loop runs."""

    def __init__(self, context: RequestContext, text: str, queue: FairQueue) -> None:
        self.context, self.text, self.queue = context, text, queue
        self.begun = False
        self.answer: asyncio.Future[Drawn] = asyncio.get_running_loop().create_future()

    def end(self, outcome: Drawn | Refused) -> None:
        """Give the answer, unless nobody waits for it any more."""
        if self.answer.done():
            return
        if isinstance(outcome, Refused):
            self.answer.set_exception(outcome)
        else:
            self.answer.set_result(outcome)


class FairQueue:
    """A queue of texts: callers take turns, and so do the requests of a caller."""

    def __init__(self) -> None:
        self._of: dict[str, deque[deque[QueuedText]]] = {}

    def add(self, request: Sequence[QueuedText]) -> None:
        """Put a request at the end of the queue of its caller."""
        self._of.setdefault(request[0].context.caller, deque()).append(deque(request))

    def next(self) -> list[QueuedText]:
        """Return what a worker does next, of one caller; [] where nothing waits."""
        part: list[QueuedText] = []
        while self._of and not part:
            caller = next(iter(self._of))
            requests, size = self._of.pop(caller), 0
            while requests and len(part) < TEXTS and size < CHARACTERS:
                request = requests.popleft()
                item = request.popleft()
                if request:
                    requests.append(request)
                if not item.answer.done():
                    part.append(item)
                    size += len(item.text)
            if requests:
                self._of[caller] = requests
        return part


class Scheduler:
    """The service behind its routes. It starts its workers; one is for small requests.

    Where callers have tokens, none has more than half of the places and of the processor time.
    """

    def __init__(
        self, fork_server: ForkServer, terms: Terms, callers: Callers, ledger: Ledger,
        limits: ServiceOptions,
    ) -> None:  # fmt: skip
        self.terms, self.callers, self.ledger, self.limits = terms, callers, ledger, limits
        self.broken = False
        self.cpu = Buckets(
            limits.max_cpu or (fork_server.workers * 30.0 if callers.known else None)
        )
        self._fork_server = fork_server
        # The thread of a worker that was killed ends a moment later.
        self._threads = ThreadPoolExecutor(2 * fork_server.workers)
        self._idle = [fork_server.start() for _ in range(fork_server.workers)]
        self._for_small = self._idle[0]
        self._small, self._others = FairQueue(), FairQueue()
        self._unanswered: dict[RequestContext, list[QueuedText]] = {}
        self._busy: set[asyncio.Task[None]] = set()

    async def draw(self, context: RequestContext, texts: Sequence[str]) -> list[Drawn]:
        """Return what came of each text, once it is charged to the caller, at the next tick.

        How long a draw takes depends on its words: callers learn ticks alone. What is given up
        after a worker began with it is charged as well, by its number of words.

        Raises:
            Refused: 403 where the budget is spent, 503 or 429 where too many wait, 504 at the
                deadline, 503 where a worker died. Then nothing may be given out.
        """
        await asyncio.to_thread(self.ledger.check, context.caller)
        self._check_room(context.caller)
        small = len(texts) <= TEXTS and sum(map(len, texts)) <= SMALL
        queue = self._small if small else self._others
        self._unanswered[context] = items = [QueuedText(context, text, queue) for text in texts]
        if items:
            queue.add(items)
        self._dispatch()
        try:
            found = await asyncio.gather(*(item.answer for item in items))
        except (Refused, asyncio.CancelledError):
            for item in items:
                item.answer.cancel()
            lost = [len(_WORD.findall(item.text)) for item in items if item.begun]
            if lost:
                await self._charge(context.caller, lost, capped=True)
            raise
        finally:
            del self._unanswered[context]
        draws = [one[1]["draws"] for one in found if not isinstance(one, str)]
        if draws:
            await self._charge(context.caller, draws)
        tick, past = self.limits.tick, asyncio.get_running_loop().time() - context.began
        await asyncio.sleep(-past % tick if tick else 0.0)
        return found

    def close(self) -> None:
        """Forget the threads. Workers end with their fork server."""
        self._threads.shutdown(wait=False)

    async def _charge(self, caller: str, draws: list[int], *, capped: bool = False) -> None:
        charging = asyncio.to_thread(self.ledger.charge, caller, draws, capped=capped)
        await asyncio.shield(charging)  # a client that goes away does not stop it

    def _check_room(self, caller: str) -> None:
        if self.broken:
            raise Refused(503, BROKEN)
        if len(self._unanswered) >= self.limits.max_requests:
            raise Refused(503, "too many requests are waiting. Ask again.", after=1)
        mine = sum(context.caller == caller for context in self._unanswered)
        if self.callers.known and mine >= max(1, self.limits.max_requests // 2):
            why = "too many requests of this caller are waiting. Ask again."
            raise Refused(429, why, after=1)

    def _dispatch(self) -> None:
        # The one for small requests first: it has the tables of the words that it has met.
        for worker in sorted(self._idle, key=lambda one: one is not self._for_small):
            queues = (self._small,) if worker is self._for_small else (self._others, self._small)
            part = next((part for queue in queues if (part := queue.next())), None)
            if part is not None:
                self._idle.remove(worker)
                task = asyncio.ensure_future(self._run(worker, part))
                self._busy.add(task)
                task.add_done_callback(self._busy.discard)

    async def _run(self, worker: Worker, part: list[QueuedText]) -> None:
        loop, caller = asyncio.get_running_loop(), part[0].context.caller
        for item in part:
            item.begun = True
        texts, began = [item.text for item in part], loop.time()
        asked = loop.run_in_executor(self._threads, worker.ask, caller, texts)
        try:
            limit = min(item.context.deadline for item in part) - began
            seconds, found = await asyncio.wait_for(asked, limit)
        except Exception as error:  # the worker is late, or is no more
            self.cpu.spend(caller, loop.time() - began)
            await self._replace(worker, part, late=isinstance(error, asyncio.TimeoutError))
        else:
            self.cpu.spend(caller, seconds)
            for item, one in zip(part, found, strict=True):
                item.end(one)
            self._idle.append(worker)
        self._dispatch()

    async def _replace(self, worker: Worker, part: list[QueuedText], *, late: bool) -> None:
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._threads, self._fork_server.kill, worker)
            for item in part:
                if not late:
                    item.end(Refused(503, LOST))
                elif loop.time() >= item.context.deadline:
                    item.end(Refused(504, SLOW))
                else:  # it still has time, and nobody saw its noise
                    item.queue.add([item])
            new = await loop.run_in_executor(self._threads, self._fork_server.start)
        except (OSError, EOFError):
            self.broken = True
            for item in [item for items in self._unanswered.values() for item in items]:
                item.end(Refused(503, BROKEN))
            return
        if worker is self._for_small:
            self._for_small = new
        self._idle.append(new)
