"""Experiments: modules that return a table and a figure of a space and options, by `run`.

They are seeded, and some of their mechanisms have no valid guarantee: release no output.
"""

from . import frontier, tasks
from .options import Options as Options

EXPERIMENTS = {"frontier": frontier, "tasks": tasks}
