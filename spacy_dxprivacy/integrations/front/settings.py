"""The pipeline of some settings, kept for the next call with the same ones."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spacy.language import Language

from ...config import SanitizeConfig, read_config
from ...errors import DxError, Errors
from ...io.build import make_pipeline, the_sanitizer

KEPT = 4  # pipelines; each has a vocabulary and, with vectors of its own, a space
FILES = ("config", "model", "space", "prior", "code", "surrogates", "key")


@dataclass(frozen=True)
class Ready:
    """A pipeline that was warmed up. turn: held while it reads, as its vocabulary has one memory
    zone at a time, and threads would end each other's."""

    nlp: Language
    turn: threading.Lock = field(default_factory=threading.Lock)


_making = threading.Lock()
_made: OrderedDict[Any, Ready] = OrderedDict()  # the last one used is the last


def ready(settings: Mapping[str, Any]) -> Ready:
    """Return the pipeline of these settings by name; see SanitizeConfig, and ready_of."""
    given = {name: value for name, value in settings.items() if value not in (None, "", (), [])}
    return ready_of(read_config(given.pop("config", None), given))


def ready_of(chosen: SanitizeConfig) -> Ready:
    """Return the pipeline of these settings: made once a process, and anew where a file that they
    name was changed.

    Raises UsageError for settings that do not fit together, DxError for a seeded pipeline, and
    what make_pipeline raises.
    """
    paths = [Path(str(getattr(chosen, name) or "")).expanduser() for name in FILES]
    changes = tuple(path.stat().st_mtime_ns if path.exists() else 0 for path in paths)
    with _making:  # or two threads would make two at once
        key = (chosen, changes)
        if key not in _made:
            nlp = make_pipeline(chosen)
            if the_sanitizer(nlp).rng.seed is not None:
                raise DxError(Errors.DX072)
            _made[key] = Ready(nlp)
        _made.move_to_end(key)
        while len(_made) > KEPT:
            _made.popitem(last=False)
        return _made[key]


def _after_fork() -> None:
    """A child has locks as they were: what another thread held would be held for ever, and what
    that thread was reading is in the middle of a memory zone. Its stream is keyed anew anyway."""
    global _making
    _making = threading.Lock()
    for key in [key for key, one in _made.items() if one.turn.locked()]:
        del _made[key]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
