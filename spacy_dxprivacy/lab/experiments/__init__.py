"""The experiments of the papers, each a function of a space and options, with a table and a figure.

They are made to be compared with print: mechanisms whose guarantee does not hold are among them,
and everything is seeded. Nothing that is drawn here may be released. To add one: a module with a
function under `@experiment(...)`, and its name in the import below.
"""

from __future__ import annotations

# In the order in which they are listed.
# isort: off
from . import outputs, noise, optimum, frontier, tasks

# isort: on
from .options import EXPERIMENTS, Experiment, Options

__all__ = [
    "EXPERIMENTS",
    "Experiment",
    "Options",
    "frontier",
    "noise",
    "optimum",
    "outputs",
    "tasks",
]
