"""Whose texts are sanitised next, by which worker, and for how long at most.

Requests of few characters have a worker of their own, so that they never wait for the others.
Callers take turns, and so do the requests of a caller. A worker gets texts of one caller at a time:
one that is too slow is killed at the deadline of the request, with the texts of nobody else.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from .limits import Limits, Refused
from .workers import Drawn, Nursery, Worker

TEXTS, CHARACTERS = 32, 2**12  # what a worker gets at a time: enough to fill it, and soon done
SMALL = 2**10  # characters of a request that is small
BODIES = 16  # of the largest size, that may wait in all
BUSY = "more texts wait than this service takes. Ask again."
BUSY_WITH_YOURS = "more texts of this caller wait than it may have. Ask again."
BROKEN = "this service cannot sanitise at present."
LOST = "this text could not be sanitised. Nothing was given out."
SLOW = "this took longer than the service gives a request. Ask for less."


@dataclass(eq=False)
class Job:
    """The texts of a request. Make it where an event loop runs.

    Attributes:
        deadline: When they are given up, by the clock of the event loop.
        begun: The places of texts that a worker began with.
    """

    caller: str
    texts: Sequence[str] = field(repr=False)
    deadline: float

    def __post_init__(self) -> None:
        self.size = sum(map(len, self.texts))
        self.begun: set[int] = set()
        self.todo = deque(range(len(self.texts)))
        self.found: dict[int, Drawn] = {}
        self.answer: asyncio.Future[list[Drawn]] = asyncio.get_running_loop().create_future()

    @property
    def is_small(self) -> bool:
        """Whether it goes to the worker for small requests."""
        return self.size <= SMALL and len(self.texts) <= TEXTS

    def take(self, place: int, drawn: Drawn) -> None:
        """Take in what came of a text."""
        self.found[place] = drawn
        if len(self.found) == len(self.texts) and not self.answer.done():
            self.answer.set_result([self.found[i] for i in range(len(self.texts))])

    def fail(self, error: Refused) -> None:
        """Give up."""
        if not self.answer.done():
            self.answer.set_exception(error)


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
        while self._of:
            caller = next(iter(self._of))
            jobs = self._of.pop(caller)
            part = _part_of(jobs)
            if jobs:
                self._of[caller] = jobs
            if part:
                return part
        return []


def _part_of(jobs: deque[Job]) -> Part:
    part: Part = []
    size = 0
    while jobs and len(part) < TEXTS and size < CHARACTERS:
        job = jobs.popleft()
        if job.answer.done():  # nobody waits for it
            continue
        place = job.todo.popleft()
        part.append((job, place))
        size += len(job.texts[place])
        if job.todo:
            jobs.append(job)
    return part


class Engine:
    """Workers, and the jobs that wait for them. One of the workers is for small requests.

    Args:
        nursery: Starts and kills workers.
        limits: How much may wait.
        share: The part of the places that one caller may have, from 0 to 1.
        used: Is called with a caller, the processor seconds that it used, and whether a worker was
            lost by it.
    """

    def __init__(
        self,
        nursery: Nursery,
        limits: Limits,
        share: float,
        used: Callable[[str, float, bool], None],
    ) -> None:
        self.limits, self.share = limits, share
        self.broken = False
        self._nursery, self._used = nursery, used
        # A thread whose worker was killed ends a moment after that.
        self._threads = ThreadPoolExecutor(2 * nursery.workers)
        self._idle = [nursery.start() for _ in range(nursery.workers)]
        self._for_small = self._idle[0]
        self._small, self._others = Turns(), Turns()
        self._jobs: set[Job] = set()
        self._busy: set[asyncio.Task[None]] = set()

    async def draw(self, job: Job) -> list[Drawn]:
        """Return what came of each text.

        Raises:
            Refused: 503 or 429 where too much waits, 504 at the deadline, 503 where a worker died.
        """
        if self.broken:
            raise Refused(503, BROKEN)
        if not job.texts:
            return []
        self._check_room(job)
        self._jobs.add(job)
        (self._small if job.is_small else self._others).add(job)
        self._dispatch()
        try:
            return await job.answer
        finally:
            self._jobs.discard(job)

    def close(self) -> None:
        """Forget the threads. Workers end with their nursery."""
        self._threads.shutdown(wait=False)

    def _check_room(self, job: Job) -> None:
        mine = [one for one in self._jobs if one.caller == job.caller]
        refusals = (Refused(503, BUSY, after=1), Refused(429, BUSY_WITH_YOURS, after=1))
        for some, share, refusal in zip(
            (self._jobs, mine), (1.0, self.share), refusals, strict=True
        ):
            texts = sum(len(one.texts) for one in some) + len(job.texts)
            size = sum(one.size for one in some) + job.size
            full = len(some) >= max(1, share * self.limits.requests)
            crowded = texts > share * self.limits.waiting and (some or share == 1)
            if full or crowded or (some and size > share * BODIES * self.limits.body):
                raise refusal

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
        texts = [job.texts[place] for job, place in part]
        for job, place in part:
            job.begun.add(place)
        began = loop.time()
        asked = loop.run_in_executor(self._threads, worker.ask, caller, texts)
        limit = min(job.deadline for job, _ in part) - began
        try:
            seconds, found = await asyncio.wait_for(asked, limit)
        except Exception as error:  # the worker is late, or is no more
            self._used(caller, loop.time() - began, True)
            await self._replace(worker, part, late=isinstance(error, asyncio.TimeoutError))
        else:
            self._used(caller, seconds, False)
            for (job, place), one in zip(part, found, strict=True):
                job.take(place, one)
            self._idle.append(worker)
        self._dispatch()

    def _give_up(self, part: Part, *, late: bool) -> None:
        """Of a worker that was killed. Jobs that still have time are drawn anew: nobody saw their
        noise."""
        now = asyncio.get_running_loop().time()
        for job, place in part:
            if not late:
                job.fail(Refused(503, LOST))
            elif now >= job.deadline:
                job.fail(Refused(504, SLOW))
            else:
                waits = bool(job.todo)
                job.todo.appendleft(place)
                if not waits:
                    (self._small if job.is_small else self._others).add(job)

    async def _replace(self, worker: Worker, part: Part, *, late: bool) -> None:
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._threads, self._nursery.kill, worker)
            self._give_up(part, late=late)
            new = await loop.run_in_executor(self._threads, self._nursery.start)
        except (OSError, EOFError):
            self.broken = True
            for job in self._jobs:
                job.fail(Refused(503, BROKEN))
            return
        if worker is self._for_small:
            self._for_small = new
        self._idle.append(new)
