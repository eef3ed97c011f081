"""Which experiments, with which options: by their names, and by what was given."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...errors import UsageError
from . import EXPERIMENTS, Options

ALL = "all"


def names_of(name: str) -> list[str]:
    """All of them for "all". Raises UsageError for a name that is none."""
    if name == ALL:
        return list(EXPERIMENTS)
    if name not in EXPERIMENTS:
        raise UsageError(f"no experiment {name!r}. There are: {', '.join([*EXPERIMENTS, ALL])}.")
    return [name]


def options_of(name: str, given: dict[str, Any], *, quick: bool = False) -> Options:
    """The defaults of the experiment, smaller ones for a quick look, and what was given in their
    place; None stands for what was not given."""
    settings = EXPERIMENTS[name].defaults
    if quick:
        settings = replace(
            settings,
            words=min(settings.words, 60),
            draws=min(settings.draws, 10),
            steps=3,
            documents=60,
            max_words=min(settings.max_words or 2000, 2000),
        )
    return replace(settings, **{key: value for key, value in given.items() if value is not None})
