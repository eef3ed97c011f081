"""The options of experiments."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...space import Space
from ..results import Progress, no_progress


@dataclass(frozen=True)
class Options:
    """Options of an experiment.

    mechanisms: names, or all. epsilons: of the user, in place of those that are tried. words: most
    words that are attacked. at: the top-1 recovery rate to compare at. model, prompt: of a causal
    model. unfinished: file of the rows of an interrupted run.
    """

    mechanisms: tuple[str, ...] = ()
    epsilons: tuple[float, ...] = ()
    text: Path | None = None
    field: str = "text"
    label: str | None = None
    author: str | None = None
    documents: int = 12
    words: int = 1000
    at: float = 0.6
    model: str = ""
    prompt: str = ""
    progress: Progress = no_progress
    unfinished: Path | None = None


def of_space(space: Space) -> str:
    """Return the size of a space, for notes."""
    n, d = space.vectors.shape
    return f"{space.name}: {n:,} words of {d} dimensions"
