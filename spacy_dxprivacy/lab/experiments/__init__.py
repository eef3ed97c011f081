"""Experiments: functions of a space and options that return a table and a figure.

They are seeded, and some of their mechanisms have no valid guarantee: release no output.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ...space import Space
from ..results import Result
from . import frontier, tasks
from .options import Options


class Experiment(NamedTuple):
    """An experiment. about: what it shows. paper: its reference. documents: how many, usually."""

    run: Callable[[Space, Options], Result]
    about: str
    paper: str
    documents: int


EXPERIMENTS = {
    "frontier": Experiment(
        frontier.run, "peers at an equal attacker: mechanisms of words, and redaction",
        "each peer's own paper, and docs/explanation/attacks.md", 12,
    ),
    "tasks": Experiment(
        tasks.run, "usefulness for a task, and what attackers recover, by mechanism and epsilon",
        "Feyisetan et al. 2020; Chen et al. 2023; Mattern et al. 2022 (authorship)", 4000,
    ),
}  # fmt: skip

__all__ = ["EXPERIMENTS", "Experiment", "Options", "frontier", "tasks"]
