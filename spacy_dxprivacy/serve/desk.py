"""Whose texts are sanitised next, by which worker, for how long at most, and at what charge.

Requests of few characters have a worker of their own, so that they never wait for the others.
Callers take turns, and so do the requests of a caller. A worker gets texts of one caller at a time:
one that is too slow is killed at the deadline of the request, with the texts of nobody else.
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict, deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from ..doc.receipt import Terms
from .callers import MINUTE, Buckets, Callers, Ledger, Limits, Refused
from .workers import Drawn, Nursery, Worker

TEXTS, CHARACTERS = 32, 2**12  # what a worker gets at a time: enough to fill it, and soon done
SMALL = 2**10  # characters of a request that is small
BODIES = 16  # of the largest size, that may wait in all
BUSY = "more texts wait than this service takes. Ask again."
BUSY_WITH_YOURS = "more texts of this caller wait than it may have. Ask again."
BROKEN = "this service cannot sanitise at present."
LOST = "this text could not be sanitised. Nothing was given out."
SLOW = "this took longer than the service gives a request. Ask for less."
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Visit:
    """Who asks, when the request began and when it is given up (by the clock of the event loop)."""

    caller: str
    began: float
    deadline: float


class Job:
    """The texts of a request. Make it where an event loop runs.

    Attributes:
        begun: The places of texts that a worker began with.
    """

    def __init__(self, visit: Visit, texts: Sequence[str]) -> None:
        self.caller, self.deadline, self.texts = visit.caller, visit.deadline, texts
        self.size = sum(map(len, texts))
        self.is_small = self.size <= SMALL and len(texts) <= TEXTS
        self.begun: set[int] = set()
        self.todo = deque(range(len(texts)))
        self.found: dict[int, Drawn] = {}
        self.answer: asyncio.Future[list[Drawn]] = asyncio.get_running_loop().create_future()

    def take(self, place: int, drawn: Drawn) -> None:
        """Take in what came of a text."""
        self.found[place] = drawn
        if len(self.found) == len(self.texts) and not self.answer.done():
            self.answer.set_result([self.found[i] for i in range(len(self.texts))])

    def fail(self, status: int, why: str) -> None:
        """Give up."""
        if not self.answer.done():
            self.answer.set_exception(Refused(status, why))


Part = list[tuple[Job, int]]  # texts of one caller, by job and place


class Turns:
    """Jobs that wait: callers take turns, and so do the jobs of a caller."""

    def __init__(self) -> None:
        self._of: dict[str, deque[Job]] = {}

    def add(self, job: Job) -> None:
        """Put a job at the end of the queue of its caller."""
        self._of.setdefault(job.caller, deque()).append(job)

    def next(self) -> Part:
        """Return what a worker does next; [] where nothing waits."""
        part: Part = []
        while self._of and not part:
            caller = next(iter(self._of))
            jobs, size = self._of.pop(caller), 0
            while jobs and len(part) < TEXTS and size < CHARACTERS:
                job = jobs.popleft()
                if job.answer.done():  # nobody waits for it
                    continue
                place = job.todo.popleft()
                part.append((job, place))
                size += len(job.texts[place])
                if job.todo:
                    jobs.append(job)
            if jobs:
                self._of[caller] = jobs
        return part


class Desk:
    """The service behind its routes. Its workers are started here; one is for small requests.

    Args:
        nursery: Starts and kills workers.
        terms: The part of receipts that is the same for all texts.
        callers: Who may ask. Where they have tokens, none has more than half of the places.
        ledger: What each caller was given.
        limits: How much may be asked.
    """

    def __init__(
        self, nursery: Nursery, terms: Terms, callers: Callers, ledger: Ledger, limits: Limits
    ) -> None:
        self.terms, self.callers, self.ledger, self.limits = terms, callers, ledger, limits
        self.figures = defaultdict[str, float](float)  # of /metrics; only the event loop adds
        self.broken = False
        self.share = 0.5 if callers.known else 1.0
        full = max(1.0, limits.rate or 0)
        self.rates = Buckets(full, limits.rate, "too many requests of this caller.")
        cpu = limits.cpu or (nursery.workers * MINUTE / 2 if callers.known else None)
        self.cpu = Buckets(cpu or 0.0, cpu and cpu / MINUTE, "no processor time is left.")
        self._nursery = nursery
        # A thread whose worker was killed ends a moment after that.
        self._threads = ThreadPoolExecutor(2 * nursery.workers)
        self._idle = [nursery.start() for _ in range(nursery.workers)]
        self._for_small = self._idle[0]
        self._small, self._others = Turns(), Turns()
        self._jobs: set[Job] = set()
        self._busy: set[asyncio.Task[None]] = set()

    async def draw(self, visit: Visit, texts: Sequence[str]) -> list[Drawn]:
        """Return what came of each text, once it is charged to the caller, at the next tick.

        How long a draw takes depends on its words: ticks are all that callers learn of it. What is
        given up after a worker began with it is charged as well, by its number of words.

        Raises:
            Refused: 403 where the budget is spent, 503 or 429 where too much waits, 504 at the
                deadline, 503 where a worker died. Then nothing may be given out.
        """
        await asyncio.to_thread(self.ledger.check, visit.caller)
        job = Job(visit, texts)
        try:
            found = await self._sanitised(job)
        except (Refused, asyncio.CancelledError):
            lost = [len(_WORD.findall(texts[place])) for place in job.begun]
            if lost:
                await self._charge(visit.caller, lost, capped=True)
            raise
        receipts = [one[1] for one in found if not isinstance(one, str)]
        if receipts:
            await self._charge(visit.caller, [receipt["draws"] for receipt in receipts])
        self.figures["dx_texts_total"] += len(receipts)
        self.figures["dx_failed_texts_total"] += len(found) - len(receipts)
        for name in ("tokens", "draws"):
            self.figures[f"dx_{name}_total"] += sum(receipt[name] for receipt in receipts)
        tick, past = self.limits.tick, asyncio.get_running_loop().time() - visit.began
        await asyncio.sleep(-past % tick if tick else 0.0)
        return found

    def close(self) -> None:
        """Forget the threads. Workers end with their nursery."""
        self._threads.shutdown(wait=False)

    async def _charge(self, caller: str, draws: list[int], *, capped: bool = False) -> None:
        charging = asyncio.to_thread(self.ledger.charge, caller, draws, capped=capped)
        await asyncio.shield(charging)  # a client that goes away does not stop it

    async def _sanitised(self, job: Job) -> list[Drawn]:
        if self.broken:
            raise Refused(503, BROKEN)
        if not job.texts:
            return []
        self._check_room(job)
        self._jobs.add(job)
        self._wait(job)
        self._dispatch()
        try:
            return await job.answer
        finally:
            self._jobs.discard(job)

    def _check_room(self, job: Job) -> None:
        mine = [one for one in self._jobs if one.caller == job.caller]
        refusals = (Refused(503, BUSY, after=1), Refused(429, BUSY_WITH_YOURS, after=1))
        shares = zip((self._jobs, mine), (1.0, self.share), refusals, strict=True)
        for some, share, refusal in shares:
            texts = sum(len(one.texts) for one in some) + len(job.texts)
            size = sum(one.size for one in some) + job.size
            full = len(some) >= max(1, share * self.limits.requests)
            crowded = texts > share * self.limits.waiting and (some or share == 1)
            if full or crowded or (some and size > share * BODIES * self.limits.body):
                raise refusal

    def _wait(self, job: Job) -> None:
        (self._small if job.is_small else self._others).add(job)

    def _dispatch(self) -> None:
        # The one for small requests first: it keeps the tables of the words that it has met.
        for worker in sorted(self._idle, key=lambda one: one is not self._for_small):
            lanes = (self._small,) if worker is self._for_small else (self._others, self._small)
            part = next((part for lane in lanes if (part := lane.next())), None)
            if part is not None:
                self._idle.remove(worker)
                task = asyncio.ensure_future(self._run(worker, part))
                self._busy.add(task)
                task.add_done_callback(self._busy.discard)

    async def _run(self, worker: Worker, part: Part) -> None:
        loop, caller = asyncio.get_running_loop(), part[0][0].caller
        for job, place in part:
            job.begun.add(place)
        texts = [job.texts[place] for job, place in part]
        began = loop.time()
        asked = loop.run_in_executor(self._threads, worker.ask, caller, texts)
        try:
            limit = min(job.deadline for job, _ in part) - began
            seconds, found = await asyncio.wait_for(asked, limit)
        except Exception as error:  # the worker is late, or is no more
            self.cpu.spend(caller, loop.time() - began)
            self.figures["dx_workers_replaced_total"] += 1
            await self._replace(worker, part, late=isinstance(error, asyncio.TimeoutError))
        else:
            self.cpu.spend(caller, seconds)
            for (job, place), one in zip(part, found, strict=True):
                job.take(place, one)
            self._idle.append(worker)
        self._dispatch()

    async def _replace(self, worker: Worker, part: Part, *, late: bool) -> None:
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._threads, self._nursery.kill, worker)
            for job, place in part:
                if not late:
                    job.fail(503, LOST)
                elif loop.time() >= job.deadline:
                    job.fail(504, SLOW)
                else:  # it still has time, and nobody saw its noise
                    job.todo.appendleft(place)
                    if len(job.todo) == 1:  # else it waits already
                        self._wait(job)
            new = await loop.run_in_executor(self._threads, self._nursery.start)
        except (OSError, EOFError):
            self.broken = True
            for job in self._jobs:
                job.fail(503, BROKEN)
            return
        if worker is self._for_small:
            self._for_small = new
        self._idle.append(new)
