"""How far a task is: a bar on a terminal; elsewhere nothing, or lines on stderr for a command.

A bar appears after DELAY seconds and is removed at the end. A line has the label, the share that is
done, and the time that the rest will take at this rate. Lines come at equal intervals, whether or
not a step has ended meanwhile, so that a reader of a log sees that a task runs.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from threading import Event, Thread
from typing import Any

from tqdm import tqdm

DELAY = 1.0  # seconds
LONG = 2**15  # tokens of a text that takes long: its steps are shown
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
        return _Bar(total=total, desc=label, initial=initial, **settings)
    return _Lines(total, label, every, initial)


def step(name: str) -> None:
    """Say which step of a text of LONG tokens runs, if a task of this process is shown.

    Nothing else tells how far a command is with a single text.
    """
    if _shown and _shown[-1].process == os.getpid():
        _shown[-1].say(name)


def over(steps: Iterable[Any], label: str) -> Iterator[Any]:
    """Yield the steps, and count those that are done."""
    with bar(len(steps) if isinstance(steps, Sized) else None, label) as shown:
        for step in steps:
            yield step
            shown.update(1)


class _Bar(tqdm):  # type: ignore[misc]
    """A bar on a terminal."""

    def __enter__(self) -> _Bar:
        self.process = os.getpid()
        _shown.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _shown.remove(self)
        self.close()

    def say(self, step: str) -> None:
        """Show the step that runs."""
        self.set_postfix_str(step, refresh=time.time() > self.start_t + DELAY)


class _Lines:
    """Lines about one task, by a thread of its own; none while a task within it is shown."""

    def __init__(self, total: int | None, label: str, every: float, initial: int = 0) -> None:
        self.total, self.label, self.every, self.step = total, label, every, ""
        self.process = os.getpid()
        self.done = self.initial = initial
        self.start, self._ended = time.monotonic(), Event()
        self._thread = Thread(target=self._beat, daemon=True)

    def __enter__(self) -> _Lines:
        _shown.append(self)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        _shown.remove(self)

    def update(self, n: int = 1) -> None:
        """Count n more as done."""
        self.done += n

    def say(self, step: str) -> None:
        """Add the step that runs to the next lines."""
        self.step = f", {step}"

    def set_description_str(self, label: str) -> None:
        """Change the label."""
        self.label = label

    def refresh(self) -> None:
        """Do nothing: lines come at their time."""

    def _beat(self) -> None:
        while not self._ended.wait(self.every):
            if _shown[-1] is not self:
                continue
            seconds = time.monotonic() - self.start
            line = line_of(self.label, self.done, self.total, seconds, self.initial)
            sys.stderr.write(f"{line}{self.step}\n")
            sys.stderr.flush()


_shown: list[_Bar | _Lines] = []  # the tasks that are shown, the innermost last


def line_of(label: str, done: int, total: int | None, seconds: float, initial: int = 0) -> str:
    """Return a line about a task: what is done after some seconds, and how long the rest takes."""
    line = f"{label}: {tqdm.format_interval(seconds)}"
    if not total:
        return line
    line += f", {done / total:.0%} of {total:,}"
    if done == initial:
        return line
    left = seconds * (total - done) / (done - initial)
    return f"{line}, {tqdm.format_interval(left)} left"
