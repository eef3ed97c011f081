"""What may be set, and the pipeline that comes of it: the same names and the same defaults as those
of `dx sanitize`, which are those of make_pipeline and of the component, and stand nowhere else."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict

from spacy.language import Language

from ..batch.build import make_pipeline, the_sanitizer
from ..batch.run import FileOptions
from ..errors import DxError, Errors, UsageError

DEFAULTS = FileOptions()  # of how much at a time, in how many processes
KEPT = 4  # pipelines; each has a vocabulary and, with vectors of its own, a space


class Settings(TypedDict, total=False):
    """Those of make_pipeline, which says what each means; what is left out is as it is there."""

    config: Path | str | None
    model: str | None
    mechanism: str | None
    epsilon: float | None
    level: str | None
    policy: str | None
    prior: str | None
    space: str | None
    entities: Sequence[str]
    unknown: str | None
    scope: str | None
    numbers: str | None
    code: str | Path | None
    surrogates: str | None
    key: str | Path | None
    editor: str | None
    lm: str | None
    prompt: str | None


class Options(Settings, total=False):
    """Those of clean besides; see there."""

    by: Iterable[Any] | None
    max_epsilon: float | None
    on_failure: str
    batch_size: int
    n_process: int


NAMES = tuple(Settings.__annotations__)
FILES = ("config", "model", "space", "prior", "code", "surrogates", "key")


@dataclass(frozen=True)
class Ready:
    """A pipeline that was warmed up. turn: held while it reads, as its vocabulary has one memory
    zone at a time, and threads would end each other's."""

    nlp: Language
    turn: threading.Lock = field(default_factory=threading.Lock)


def ready(settings: Settings) -> Ready:
    """The pipeline of these settings: made once a process, and anew where a file that they name was
    changed.

    Raises UsageError for settings that there are not or that do not fit together, DxError for a
    seeded pipeline, and what make_pipeline raises.
    """
    return _ready(frozen(settings), _changes(settings))


def frozen(settings: Settings) -> tuple[tuple[str, Any], ...]:
    """The settings as a value that can be compared. Raises UsageError for a name that is none."""
    wrong = sorted(set(settings) - set(NAMES))
    if wrong:
        raise UsageError(f"there is no setting `{wrong[0]}`. There are: {', '.join(NAMES)}.")
    given = {name: value for name, value in settings.items() if value not in (None, "", (), [])}
    if "entities" in given:
        given["entities"] = _names(given["entities"])
    for name in ("config", "code", "key"):
        if name in given:
            given[name] = str(Path(str(given[name])).expanduser())
    return tuple(sorted(given.items()))


def _names(given: Any) -> tuple[str, ...]:
    """ "person,date" as the command has it, or a list."""
    parts = given.split(",") if isinstance(given, str) else given
    return tuple(part.strip() for part in parts if part.strip())


def _changes(settings: Settings) -> tuple[int, ...]:
    """When the files among the settings were changed, in nanoseconds."""
    found = []
    for name in FILES:
        value: Any = settings.get(name)
        path = None if value is None else Path(str(value)).expanduser()
        found.append(path.stat().st_mtime_ns if path is not None and path.exists() else 0)
    return tuple(found)


_making = threading.Lock()
_made: OrderedDict[Any, Ready] = OrderedDict()  # the last one used is the last


def _ready(chosen: tuple[tuple[str, Any], ...], changes: tuple[int, ...]) -> Ready:
    with _making:  # or two threads would make two at once
        key = (chosen, changes)
        if key not in _made:
            _made[key] = _make(dict(chosen))
        _made.move_to_end(key)
        while len(_made) > KEPT:
            _made.popitem(last=False)
        return _made[key]


def _make(given: dict[str, Any]) -> Ready:
    if "config" in given:
        given["config"] = Path(given["config"])
    nlp = make_pipeline(**given)
    if the_sanitizer(nlp).rng.seed is not None:
        raise DxError(Errors.DX072)
    return Ready(nlp)


def _after_fork() -> None:
    """A child has locks as they were: what another thread held would be held for ever, and what
    that thread was reading is in the middle of a memory zone. Its stream is keyed anew anyway."""
    global _making
    _making = threading.Lock()
    for key in [key for key, one in _made.items() if one.turn.locked()]:
        del _made[key]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
