"""The experiments of the papers: functions of a space and options that return a table and a figure.

They are seeded, and some of their mechanisms have no valid guarantee: release no output. To add
one, write a module with a function under `@experiment(...)` and import it below.
"""

from __future__ import annotations

# In the order in which they are listed.
# isort: off
from . import outputs, mahalanobis, optimum, frontier, tasks

# isort: on
from .options import EXPERIMENTS, Experiment, Options

__all__ = [
    "EXPERIMENTS", "Experiment", "Options",
    "frontier", "mahalanobis", "optimum", "outputs", "tasks",
]  # fmt: skip
