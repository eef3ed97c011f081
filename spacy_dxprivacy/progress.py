"""How far a task is: a bar on a terminal; elsewhere nothing, or lines on stderr for a command.

A bar appears after DELAY seconds and is removed at the end. A line has the label, the share that is
done, and the time that the rest will take at this rate. Lines come at equal intervals, whether or
not a step has ended meanwhile, so that a reader of a log sees that a task runs. Of a long text they
come every SOON seconds, and say how far the text is.
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
SOON = 1.8  # seconds at most between lines about a long text
# The steps of a text, and the share of the work that is done when each begins: about, as texts
# differ. It is the mean of three, of 80,000 to 100,000 tokens. A step is many searches of the whole
# text, so that no single loop tells how far it is.
STEPS = {
    "rules": 0.0,
    "limits of names": 0.22,
    "further mentions": 0.33,
    "network": 0.5,
    "limits of its names": 0.73,
    "further mentions of these": 0.77,
    "replacing": 0.81,
    "surrogates": 0.88,
    "writing": 0.99,
}
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


def step(name: str, part: float = 0.0) -> None:
    """Say which of STEPS of a text of LONG tokens runs, if a task of this process is shown.

    Nothing else tells how far a command is with a single text. part: of the step, that is done.
    """
    if _shown and _shown[-1].process == os.getpid():
        later = [share for share in (*STEPS.values(), 1.0) if share > STEPS[name]]
        _shown[-1].say(name, STEPS[name] + part * (later[0] - STEPS[name]))


def over(steps: Iterable[Any], label: str) -> Iterator[Any]:
    """Yield the steps, and count those that are done."""
    with bar(len(steps) if isinstance(steps, Sized) else None, label) as shown:
        for step in steps:
            yield step
            shown.update(1)


class _Text:
    """A long text: its step, the share that is done, and when it will end at this rate."""

    def __init__(self, name: str, share: float) -> None:
        self.first, self.last, self.start = share, share, time.monotonic()
        self.go_to(name, share)

    def go_to(self, name: str, share: float) -> None:
        """Change the step."""
        now = time.monotonic()
        self.name, self.last = name, share
        self.done = (share - self.first) / (1 - self.first)
        self.end = now + (now - self.start) * (1 / self.done - 1) if self.done else None

    def __str__(self) -> str:
        if self.end is None:
            return self.name
        left = tqdm.format_interval(max(self.end - time.monotonic(), 0))
        return f"{self.name}, about {self.done:.0%} of a text, {left} left"


def _at_step(text: _Text | None, name: str, share: float) -> _Text:
    """Return the text at a step: a new one if the step is before that of the last."""
    if text is None or share < text.last:
        return _Text(name, share)
    text.go_to(name, share)
    return text


class _Bar(tqdm):  # type: ignore[misc]
    """A bar on a terminal."""

    text: _Text | None = None

    def __enter__(self) -> _Bar:
        self.process = os.getpid()
        _shown.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _hide(self)
        self.close()

    def say(self, step: str, share: float) -> None:
        """Show the step that runs."""
        self.text = _at_step(self.text, step, share)
        self.set_postfix_str(str(self.text), refresh=time.time() > self.start_t + DELAY)

    def update(self, n: float | None = 1) -> bool | None:
        """Count n more as done."""
        if self.text is not None:
            self.text = None
            self.set_postfix_str("", refresh=False)
        return super().update(n)  # type: ignore[no-any-return]


class _Lines:
    """Lines about one task, by a thread of its own; none while a task within it is shown."""

    def __init__(self, total: int | None, label: str, every: float, initial: int = 0) -> None:
        self.total, self.label, self.every = total, label, every
        self.text: _Text | None = None
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
        _hide(self)

    def update(self, n: int = 1) -> None:
        """Count n more as done."""
        self.done += n
        self.text = None

    def say(self, step: str, share: float) -> None:
        """Add the step that runs to the next lines."""
        self.text = _at_step(self.text, step, share)

    def set_description_str(self, label: str) -> None:
        """Change the label."""
        self.label = label

    def refresh(self) -> None:
        """Do nothing: lines come at their time."""

    def _beat(self) -> None:
        due = self.start + self.every
        while not self._ended.wait(min(self.every, SOON)):
            now, text = time.monotonic(), self.text
            if _shown[-1] is not self or (now < due and text is None):
                continue
            due = now + self.every
            line = line_of(self.label, self.done, self.total, now - self.start, self.initial)
            sys.stderr.write(f"{line}{'' if text is None else f', {text}'}\n")
            sys.stderr.flush()


_shown: list[_Bar | _Lines] = []  # the tasks that are shown, the innermost last


def _hide(task: _Bar | _Lines) -> None:
    # By identity: bars of tqdm are equal to others of the same place, and to lines never compare.
    _shown[:] = [other for other in _shown if other is not task]


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
