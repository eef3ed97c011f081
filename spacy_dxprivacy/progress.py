"""How far a task is: a bar on a terminal; elsewhere nothing, or lines on stderr for a command.

A bar appears after DELAY seconds and is removed at the end. A line has the label, the share that is
done, and the time that the rest will take at this rate. Lines come at equal intervals, whether or
not a step has ended meanwhile, so that a reader of a log sees that a task runs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from threading import Event, Thread
from typing import Any, ClassVar

from tqdm import tqdm

DELAY = 1.0  # seconds
_every: ContextVar[float | None] = ContextVar("every", default=None)


@contextmanager
def lines(every: float, label: str = "") -> Iterator[None]:
    """Within the context, write lines where stderr is no terminal.

    every: seconds between them. label: of lines while no task is shown; without it there are none.
    """
    token = _every.set(every)
    try:
        with _Lines(None, label, every) if label and not sys.stderr.isatty() else nullcontext():
            yield
    finally:
        _every.reset(token)


def bar(total: int | None, label: str, initial: int = 0, **options: Any) -> Any:
    """Return a context manager with `update(n)`, which counts up to the total, None if unknown, and
    `set_description_str(label)`.

    initial: what was done before, at no known rate. options: of tqdm, for a terminal.
    """
    every = _every.get()
    if every is None or sys.stderr.isatty():
        settings = {"delay": DELAY, "leave": False, "disable": None, **options}
        return tqdm(total=total, desc=label, initial=initial, **settings)
    return _Lines(total, label, every, initial)


def over(steps: Iterable[Any], label: str) -> Iterator[Any]:
    """Yield the steps, and count those that are done."""
    with bar(len(steps) if isinstance(steps, Sized) else None, label) as shown:
        for step in steps:
            yield step
            shown.update(1)


class _Lines:
    """Lines about one task, by a thread of its own; none while a task within it is shown."""

    _shown: ClassVar[list[_Lines]] = []

    def __init__(self, total: int | None, label: str, every: float, initial: int = 0) -> None:
        self.total, self.label, self.every = total, label, every
        self.done = self.initial = initial
        self.start, self._ended = time.monotonic(), Event()
        self._thread = Thread(target=self._beat, daemon=True)

    def __enter__(self) -> _Lines:
        self._shown.append(self)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        self._shown.remove(self)

    def update(self, n: int = 1) -> None:
        """Count n more as done."""
        self.done += n

    def set_description_str(self, label: str) -> None:
        """Change the label."""
        self.label = label

    def refresh(self) -> None:
        """Do nothing: lines come at their time."""

    def _beat(self) -> None:
        while not self._ended.wait(self.every):
            if self._shown[-1] is not self:
                continue
            seconds = time.monotonic() - self.start
            line = line_of(self.label, self.done, self.total, seconds, self.initial)
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()


def line_of(label: str, done: int, total: int | None, seconds: float, initial: int = 0) -> str:
    """Return a line about a task: what is done after some seconds, and how long the rest takes."""
    said = f"{label}: {tqdm.format_interval(seconds)}"
    if not total:
        return said
    said += f", {done / total:.0%} of {total:,}"
    if done == initial:
        return said
    left = seconds * (total - done) / (done - initial)
    return f"{said}, {tqdm.format_interval(left)} left"
